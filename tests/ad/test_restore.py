"""Arrays that the reverse sweep takes back to what they were, instead of keeping what is read."""

import numpy as np
import pytest

import pullback as pb
from pullback.ad import functions
from pullback.ad.differentiate import gradient
from pullback.core.terms import Index, Prim
from pullback.core.traverse import all_lets
from pullback.core.types import I64
from tests.ad.agreement import agree
from tests.ad.flatcore import A1, program

V = np.array([0.3, -0.2, 0.7, 1.1, 0.5])


@pytest.fixture(params=[False, True], ids=["where it pays", "always"])
def always(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(functions, "pays", lambda *_: True)
    return request.param


def restored(p):
    """Return the number of arrays whose old elements the gradient puts back."""
    lets = [let for f in gradient(p, (0,)).functions.values() for let in all_lets(f.body)]
    return sum(isinstance(let.op, Prim) and let.op.name == "copy" for let in lets)


def triangle(c, a, n):
    """Each new element from all before it: one element is kept for each, not one for each read."""
    y = c.build(n + 1, lambda i: a.at(0) + 0.0)

    def step(t, y):
        s = c.sum(t + 1, lambda j: c.sin(y.at(j)) * y.at(t - j) * a.at(j % a.dim()))
        return y.set(t + 1, s)

    y = c.loop(n, [y], step)
    return c.total(y), y


def test_many_reads_for_each_update() -> None:
    p = program([A1, I64], triangle)
    assert restored(p) == 1
    for n in (0, 1, 6):
        agree(p, [V, n])


def test_one_read_for_each_update_is_kept() -> None:
    def body(c, a):
        y = c.build(a.dim(), lambda i: a.at(i) + 0.0)
        y = c.loop(a.dim() - 1, [y], lambda t, y: y.set(t + 1, c.sin(y.at(t)) * a.at(t)))
        return c.total(y)

    assert restored(program([A1], body)) == 0


def test_values_that_are_used_after_the_update(always) -> None:
    def body(c, a):
        y = c.build(a.dim(), lambda i: a.at(i) * a.at(i))

        def step(t, y, s):
            u, v, w = y.at(t), y.at(0), y.at(a.dim() - 1 - t)
            y = y.set(t, u * v * w)
            x = y.at(t) * v
            y = y.set(0, x + u)
            return y, s + u * w * c.sin(y.at(0) * x)

        y, s = c.loop(a.dim(), [y, c.expr(1.0)], step)
        return s, y

    agree(program([A1], body), [V])


def test_branches(always) -> None:
    def body(c, a, n):
        y = c.build(a.dim(), lambda i: a.at(i) * 2.0)

        def twice(y, t):
            z = y.set(t, c.sum(a.dim(), lambda j: y.at(j) * y.at(t)))
            return z.set(0, z.at(t) * z.at(1))

        def step(t, y):
            x = c.if_(y.at(t) < 0.5, lambda: twice(y, t), lambda: y)
            s = c.sum(a.dim(), lambda j: x.at(j) * x.at(j) * x.at(t))
            other = c.if_(t < 2, lambda: x.set(-1, s * x.at(2), True),
                          lambda: c.if_(s < 1.0, lambda: x, lambda: x.set(1, s)))
            return other

        y = c.loop(n, [y], step)
        return c.total(y)

    for n in (0, 1, 5):
        agree(program([A1, I64], body), [V, n])


def test_loops_in_loops(always) -> None:
    def body(c, a, n):
        y = c.build(a.dim(), a.dim(), lambda i, j: a.at(i) * a.at(j))
        count = c.build(3, lambda i: i * 1)

        def inner(t, k, y, count):
            s = c.sum(a.dim(), lambda j: y.at(t, j) * y.at(j, k) * c.real(count.at(j % 3)))
            return y.set((t, k), c.sin(s)), count.set(k % 3, count.at(t % 3) + 1)

        def step(t, y, count):
            y, count = c.loop(t + 1, [y, count], lambda k, y, m: inner(t, k, y, m))
            return y, c.while_([count], lambda m: m.at(0) < 4, lambda m: m.set(0, m.at(0) + 1))

        y, count = c.loop(n, [y, count], step)
        return c.total(y), count

    for n in (0, 1, 4):
        agree(program([A1, I64], body), [V, n])


def partition(prices, n):
    best = np.zeros(n + 1)
    for k in range(1, n + 1):
        total = 0.0
        for first in range(k):
            total += best[first] * best[k - 1 - first] + prices[k % len(prices)]
        best[k] = np.tanh(total)
    return best


def test_native_code_and_a_pullback_that_runs_twice(always) -> None:
    prices = np.array([0.3, 0.1, 0.4])
    seed = np.linspace(-1.0, 1.0, 7)
    value, back = pb.vjp(lambda p: partition(p, 6), prices)
    assert np.allclose(value, partition(prices, 6), atol=1e-14)
    value[:] = 0.0  # the caller's own
    (first,), (second,) = back(seed), back(seed)
    assert np.array_equal(first, second)
    h = 1e-6
    for k in range(3):
        e = h * np.eye(3)[k]
        change = (partition(prices + e, 6) - partition(prices - e, 6)) @ seed / (2 * h)
        assert abs(change - first[k]) < 1e-8


def test_the_old_element_is_read_where_it_is() -> None:
    """One element is kept for each update, read just before it."""
    p = gradient(program([A1, I64], triangle), (0,))
    forward = next(f for name, f in p.functions.items() if name.endswith(".fwd"))
    reads = [let for let in all_lets(forward.body) if isinstance(let.op, Index)]
    assert sum(let.vars[0].name == "old" for let in reads) == 1
