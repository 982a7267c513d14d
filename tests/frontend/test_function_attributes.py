"""Attributes of functions that are defined inside: variables of the function around, by any name of
the function, or refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.foreign.__main__ import is_right
from tests.frontend.harness import agrees


def counted(x):
    def w(v):
        w.calls += 1
        return v * x

    w.calls = 0
    return w(1.0) + w(2.0) + w.calls


def handed_on(x):
    """The function is called under other names, which ask for no attribute."""

    def w(v):
        w.calls += 1
        w.log.append(v)
        return v * x

    def solve(f, y):
        for _ in range(10):
            y = y - 0.1 * f(y)
        return y

    w.calls, w.log = 0, []
    r = solve(w, 1.0) + sum(map(w, [1.0, 2.0])) + max([3.0, 1.0], key=w)
    return r + w.calls + sum(w.log)


def from_inside(x):
    def outer(v):
        "A text."

        def inner(u):
            outer.n += 1
            return u * outer.scale

        return inner(v) + inner(v + 1)

    outer.n, outer.scale = 0, x
    t = outer(1.0)
    outer.scale *= 2
    return t + outer(2.0) + outer.n


def memoised(x):
    def fib(n):
        if n in fib.memo:
            return fib.memo[n]
        fib.memo[n] = r = n * x if n < 2 else fib(n - 1) + fib(n - 2)
        return r

    fib.memo = {}
    return fib(8) + len(fib.memo)


def make(s):
    def step(v):
        step.total += v * s
        return step.total

    step.total = 0.0
    return step


def two_of_them(x):
    a, b = make(x), make(2.0)
    a(1.0)
    b(x)
    return a(2.0) + b(1.0)


def by_decorator(x):
    def count(f):
        def wrapped(*args):
            wrapped.calls += 1
            return f(*args) * wrapped.calls

        wrapped.calls = 0
        return wrapped

    @count
    def g(v):
        return v * x

    h = count(math.sin)
    return g(1.0) + h(x) + g(2.0)


def in_a_loop(x):
    def hist(v):
        hist.rows.append([v, v * x])
        hist.best = max(hist.best, v)
        return v * v

    hist.rows, hist.best = [], 0.0
    y = x
    while y > 0.1 and len(hist.rows) < 20:
        y = hist(y) * 0.5
    return sum(r[1] for r in hist.rows) + hist.best


def of_a_generator(x):
    def gen():
        for k in range(4):
            gen.at = k
            yield k * x

    gen.at = -1
    return sum(v * gen.at for v in gen())


def on_some_paths(x):
    def w(v):
        return v * x

    if x > 2:
        w.n = 1.0
    try:
        t = w.n
    except AttributeError as e:
        t = len(str(e))
    return t * x


def deleted(x):
    def w(v):
        w.calls += 1
        return v * x

    w.calls = 0
    y = w(2.0) + w.calls
    del w.calls
    w.calls = 5
    return w(1.0) + y + w.calls


class Fit:
    def run(self, x):
        def cost(v):
            cost.n += 1
            self.k = cost.n
            return v * x

        cost.n = 0
        cost(1.0)
        return cost(2.0) * self.k


def of_a_method(x):
    return Fit().run(x)


def elsewhere(x):
    return make(x).total


def by_another_name(x):
    def w(v):
        return v * x

    def g(f, v):
        return f(v) + f.calls

    w.calls = 1
    return g(w, 2.0)


def asked(x):
    def w(v):
        return v * x

    def g(f, v):
        return f(v) + hasattr(f, "calls")

    w.calls = 1
    return g(w, 2.0)


def made_in_a_loop(x):
    t = 0.0
    for k in range(3):

        def w(v):
            w.n += 1
            return v * x * w.n

        if k == 0:
            w.n = 2.0
        t += w(1.0)
    return t


def bound_again(x):
    def w(v):
        return v * x

    w.n = 2.0
    if x > 1:
        w = math.sin
    return w(x) * w.n


def assigned_inside_only(x):
    def w(v):
        try:
            w.n += 1
        except AttributeError:
            w.n = 1
        return v * x

    return w(1.0) + w(2.0) + w.n


def count(f):
    @wraps(f)
    def g(*args):
        g.calls += 1
        return f(*args)

    g.calls = 0
    return g


def by_the_decorated_name(x):
    @count
    def fact(n):
        return x if n <= 1 else n * fact(n - 1)

    other = count(math.cos)
    t = fact(4) + other(x)
    n = fact.calls
    fact.calls = 1
    fact.calls += 2
    return t * n + fact(2) * fact.calls + other.calls


def cache_outside(x):
    def memo(f):
        def g(n):
            if n not in g.cache:
                g.cache[n] = f(n)
            return g.cache[n]

        g.cache = {}
        g.clear = lambda: g.cache.clear()
        return g

    @memo
    def power(n):
        return x if n == 0 else power(n - 1) * x

    r = power(3)
    power.cache[0] = 2 * x
    power.cache.pop(2)
    r += power(0) + len(power.cache) + power(2)
    power.clear()
    return r + power(1) + len(power.cache)


def set_when_called(x):
    def f(v):
        if not hasattr(f, "seen"):
            f.seen, f.n = [], 0.0
        f.seen.append(v)
        f.n += v
        return v * getattr(f, "k", 10.0)

    t = 1.0 if hasattr(f, "n") else 0.0
    for k in range(3):
        if k == 1:
            f.k = x
        t += f(x * k)
    return t + sum(f.seen) + f.n


def in_a_later_round(x):
    def f(v):
        f.last = v

    t, k = 0.0, 0
    while k < 4:
        if hasattr(f, "last"):
            t += f.last
        if k == 1:
            f(x * x)
        k += 1
    for _ in range(0):
        f(1.0)
    return t + f.last


def kept_in_an_object(x):
    class Solver:
        def __init__(self, f):
            self.f = f

        def go(self, v):
            return self.f(v) * self.f.calls

    fs = [Solver(count(lambda v: v * x)), Solver(count(math.sin))]
    return sum(s.go(v) for v in (x, 2.0) for s in fs) + fs[0].f.calls


def deleted_and_set_by_a_call(x):
    n = 0.0
    del n

    def f(v):
        nonlocal n
        n = v

    for k in range(3):
        f(x * k)
    return n  # noqa: F821  # f has set it


def wrapped_asks(x):
    def h(v):
        return v * x

    def again(f):
        @wraps(f)
        def g(v):
            return f(v) * getattr(g, "w", 1.0)

        return g

    h.w = 10.0
    return again(h)(x)


def wrapped_on_a_path(x):
    def h(v):
        return v * x

    def again(f):
        @wraps(f)
        def g(v):
            return f(v) * g.w

        if x > 3:
            g.w = 2.0
        return g

    h.w = 10.0
    return again(h)(x)


class Method:
    def m(self, x):
        return x

    m.factor = 2.0


def asked_of_functions(x):
    """A method has the attributes of its function; a lambda has some too, and what a loop makes."""
    f = Method().m
    g = lambda v: v * x
    g.factor = x
    total = f.factor * x + getattr(f, "shift", 1.0) + g(2.0) * g.factor
    for k in (1.0, 2.0):
        def h(v, k=k):
            return v * k * x

        h.factor = x
        h.shift = 1
        total += _by_its_attributes(h, x)
    return total


def _by_its_attributes(f, x):
    return f(x) * f.factor + f.shift


CASES = [counted, handed_on, from_inside, memoised, two_of_them, by_decorator, in_a_loop,
         of_a_generator, on_some_paths, deleted, of_a_method, elsewhere, by_another_name, asked,
         assigned_inside_only, by_the_decorated_name, cache_outside, set_when_called,
         in_a_later_round, kept_in_an_object, deleted_and_set_by_a_call,
         asked_of_functions]  # fmt: skip
ALONE = "this attribute of a function cannot be assigned"
REFUSED = [(made_in_a_loop, ALONE), (bound_again, ALONE), (wrapped_asks, "hasattr"),
           (wrapped_on_a_path, ALONE)]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_value_and_derivative(f: Callable[..., Any]) -> None:
    agrees(f, 1.3)  # the evaluator
    is_right(f, (1.3,))  # native code, and finite differences
    pb.check_grads(f, (1.3,))  # forward and reverse mode
    assert pb.grad(f, method="dual")(1.3) == pytest.approx(pb.grad(f)(1.3), rel=1e-13)


@pytest.mark.parametrize(("f", "text"), REFUSED)
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(PullbackError, match=text):
        pb.jit(f)(1.3)


def test_an_attribute_that_is_not_there() -> None:
    def f(x: float, n: int) -> float:
        def w(v: float) -> float:
            return v * x

        if n > 2:
            w.n = 1.0
        return w(w.n)

    assert pb.jit(f)(1.3, 3) == f(1.3, 3)
    with pytest.raises(AttributeError, match="'function' object has no attribute 'n'"):
        pb.jit(f)(1.3, 1)
