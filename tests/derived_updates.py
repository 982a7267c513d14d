"""Programs that take derivatives, inside, of functions that update what they are given or what is
around them: the derivative is by the values before, and the function has run once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pullback as pb


@dataclass
class Particle:
    pos: Any
    moves: int = 0
    seen: list[float] = field(default_factory=list)


class Net:
    def __init__(self, x: Any) -> None:
        self.w, self.kept, self.calls = np.array([x, 2.0]), np.zeros(2), 0

    def loss(self, w: Any, y: Any) -> Any:
        self.kept = w * y
        self.calls += 1
        return (self.kept**2).sum()

    def fit(self, y: Any) -> Any:
        v, g = pb.value_and_grad(self.loss)(self.w, y)
        self.w = self.w - 0.1 * g
        return v


def doubled(a):
    a *= 2.0
    return (a**3).sum()


def gradient(x):
    a = np.array([x, 2.0, 3.0 * x])
    return pb.grad(doubled)(a).sum() + a.sum()


def auxiliary(x):
    log = []

    def f(v):
        log.append(v.sum())
        return (v**2).sum(), log

    (value, aux), g = pb.value_and_grad(f, has_aux=True)(np.array([x, 2.0]))
    aux.append(5.0)
    return g.sum() + sum(log) + len(log) + value


def products(x):
    a, b, c = np.array([x, 2.0]), np.array([2.0, x]), np.array([x, x])
    h = pb.hvp(doubled, (a,), (np.ones(2),))[0].sum()
    k = pb.vhp(doubled, (b,), (np.ones(2),))[0][0]
    out, tangent = pb.jvp(doubled, (c,), (np.ones(2),))
    return h + k + out + tangent + a.sum() + 2.0 * b.sum() + 3.0 * c.sum()


def taylor(x):
    a = np.array([x, 2.0])
    out, (first, second) = pb.jet(doubled, (a,), ((np.ones(2), np.zeros(2)),))
    return out + first + second + a.sum()


def pulled_later(x):
    a = np.array([x, 2.0, 3.0 * x])
    out, back = pb.vjp(doubled, a)
    a[0] = 7.0
    return out + back(1.0)[0].sum() + back(2.0)[0][1] + a.sum()


def pushed_later(x):
    a = np.array([x, 2.0, 3.0 * x])
    out, linear_map = pb.linearize(doubled, a)
    a[0] = 7.0
    return out + linear_map(np.ones(3)) + a.sum()


def matrices(x):
    def f(v, w):
        v += w
        w[0] = 5.0
        return v * w

    a, b = np.array([x, 2.0]), np.array([3.0, x])
    j = pb.jacfwd(f, argnums=(0, 1))(a, b)
    c, d = np.array([x, 2.0]), np.array([3.0, x])
    k = pb.jacobian(f, argnums=1)(c, d)
    e = np.array([x, 2.0])
    h = pb.hessian(doubled)(e).sum()
    return j[0].sum() + 2 * j[1].sum() + k.sum() + h + a.sum() + 2 * b.sum() + c[0] + d[0] + e[0]


def trained(x):
    p = Particle(np.array([x, 2.0]))

    def loss(p):
        p.moves += 1
        p.pos *= 2.0
        return (p.pos**2).sum()

    g = pb.grad(loss)(p)
    return g.pos.sum() + p.pos.sum() + p.moves


def raised(x):
    log, out = [], 0.0

    def f(y):
        log.append(y)
        if y > 1.0:
            raise ValueError("big")
        log.append(2 * y)
        return y * y

    for y in (x, 0.5 * x, 2 * x):
        try:
            out += pb.grad(f)(y)
        except ValueError:
            out += 10 * len(log)
    return out + sum(log)


def rows_of_a_list(x):
    m, s = [[x, 1.0], [2.0, x]], 0.0

    def f(r):
        r[0] *= 3.0
        return r[0] * r[1]

    for r in m:
        s += pb.grad(f)(r)[1]
    return s + m[0][0] + 10 * m[1][0]


def bound_anew(x):
    n = 0.0

    def f(y):
        nonlocal n
        n += y
        return y * y * n

    return pb.grad(f)(x) + n


def remembered(x):
    cache = {}

    def f(y):
        if "k" not in cache:
            cache["k"] = y * y
        return cache["k"] * y

    return pb.grad(f)(x) + 10 * pb.grad(f)(x)


def decorated(x):
    count = [0]

    def counted(g):
        def wrapper(*args, **kw):
            count[0] += 1
            return g(*args, **kw)

        return wrapper

    @counted
    def f(a, b):
        a += b
        return (a**2).sum()

    a = np.array([x, 1.0])
    return pb.grad(f)(a, 2.0).sum() + a.sum() + count[0]


def chosen(x):
    a = np.array([x, 1.0])

    def f(v):
        v[0] = v[1] * 3
        return (v**2).sum()

    h = f if x > 1.0 else doubled
    return pb.grad(h)(a).sum() + a.sum()


def grown(x):
    q = [x, 2 * x]

    def f(q):
        q.append(q[0] * q[1])
        return q[2] * q[2]

    g = pb.grad(f)(q)
    return g[0] + g[1] + 100 * len(g) + q[2]


def taken_out(x):
    q = [x, 2 * x, 3.0]

    def f(q):
        a = q.pop(0)
        return a * a * q[0]

    g = pb.grad(f)(q)
    return g[0] + g[1] + len(g) + len(q) + q[0]


AS_OUTSIDE: list[Callable[[float], Any]] = [
    gradient, auxiliary, products, taylor, pulled_later, pushed_later, matrices, trained, raised,
    rows_of_a_list, bound_anew, remembered, decorated, chosen, grown, taken_out,
]  # fmt: skip
"""Programs that are plain Python over operators called from outside, too."""


def second(x):
    calls = []

    def f(y):
        calls.append(y)
        return y**4

    return pb.grad(pb.grad(f))(x) + len(calls) + sum(calls)


def through_a_helper(x):
    seen = []

    def note(v):
        seen.append(v)
        return v * v

    def f(y):
        return note(y) + note(2 * y)

    return pb.grad(f)(x) + sum(seen)


def of_a_method(x):
    net = Net(x)
    value = net.fit(x)
    return value + net.w.sum() + net.calls + net.kept.sum()


WORKED_OUT: list[tuple[Callable[[float], Any], Callable[[float], float]]] = [
    (second, lambda x: 12 * x**2 + 1 + x),
    (through_a_helper, lambda x: 10 * x + 3 * x),
    (of_a_method, lambda x: x**2 * (x**2 + 4) + (x + 2) * (1 - 0.2 * x**2) + 1 + x * (x + 2)),
]
"""Programs with what they compute."""
