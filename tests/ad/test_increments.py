"""Updates that add to an element, and loops whose iterations are independent in reverse."""

import numpy as np
import pytest

from pullback.ad.differentiate import gradient
from pullback.ad.increments import increments
from pullback.core.terms import AccTake, Loop, Sum_, sub_blocks
from pullback.core.traverse import all_lets
from pullback.core.types import F64, I64
from tests.ad.agreement import agree
from tests.ad.flatcore import A1, A2, AI, program

V = np.array([0.3, -0.2, 0.7, 1.1, 0.5])
W = np.array([1.2, 0.4, -0.6, 0.9, 0.1])
M = np.arange(12.0).reshape(3, 4) / 7 + 0.1


def kinds(p, wrt=(0,)):
    """The ops of the gradient, by name, without those of the forward half."""
    f = next(f for name, f in gradient(p, wrt).functions.items() if name.endswith(".rev"))
    return [type(let.op) for let in all_lets(f.body)]


def added(p):
    main = p.functions[p.main].body
    return sum(len(increments(b)) for b in _blocks(main))


def _blocks(block):
    yield block
    for let in block.lets:
        for _, sub in sub_blocks(let.op):
            yield from _blocks(sub)


SUMS = {
    "added": lambda c, x, v: x + v * v,
    "added to": lambda c, x, v: v * v + x,
    "subtracted": lambda c, x, v: x - c.sin(v),
    "many": lambda c, x, v: x + v * v - c.sin(v) + v - 1.0,
    "used twice": lambda c, x, v: x + x * v,
    "doubled": lambda c, x, v: x + x,
}


@pytest.mark.parametrize("name", SUMS)
def test_the_cotangent_stays_in_the_cell(name) -> None:
    def body(c, a, b):
        y = c.build(a.dim(), lambda i: a.at(i) * a.at(i))
        z = c.loop(a.dim(), [y], lambda t, y: y.set(t, SUMS[name](c, y.at(t), b.at(t))))
        return c.total(c.build(a.dim(), lambda i: c.sin(z.at(i))))

    p = program([A1, A1], body)
    assert added(p) == 1
    assert AccTake not in kinds(p, (0, 1))
    agree(p, [V, W])
    agree(p, [V[:0], W[:0]])


OTHERS = {
    "not the sum alone": lambda c, y, t, v: (y.at(t) + v) * v,
    "minus": lambda c, y, t, v: v - y.at(t),
    "another element": lambda c, y, t, v: y.at(0) + v,
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_increment(name) -> None:
    def body(c, a, b):
        y = c.build(a.dim(), lambda i: a.at(i) * a.at(i))
        y = c.loop(a.dim(), [y], lambda t, y: y.set(t, OTHERS[name](c, y, t, b.at(t))))
        return c.total(y)

    p = program([A1, A1], body)
    assert added(p) == 0
    agree(p, [V, W])


def test_a_sum_that_something_else_reads_is_no_increment() -> None:
    def body(c, a):
        y = c.build(a.dim(), lambda i: a.at(i) * a.at(i))

        def step(t, y, s):
            new = y.at(t) + c.sin(a.at(t))
            return y.set(t, new), s + new * new

        y, s = c.loop(a.dim(), [y, c.expr(1.0)], step)
        return s * c.total(y)

    p = program([A1], body)
    assert added(p) == 0
    agree(p, [V])


def test_an_update_between_the_read_and_the_sum() -> None:
    def body(c, a):
        y = c.build(a.dim(), lambda i: a.at(i) * a.at(i))

        def step(t, y):
            x = y.at(t)
            y = y.set(0, x * x)
            return y.set(t, x + a.at(t))

        return c.total(c.loop(a.dim(), [y], step))

    p = program([A1], body)
    assert added(p) == 0
    agree(p, [V])


def test_other_reads_of_the_cell_that_is_added_to() -> None:
    def body(c, a, idx):
        y = c.build(a.dim(), lambda i: a.at(i) * a.at(i))

        def step(t, y):
            x = y.at(idx.at(t))
            z = y.at(t)  # perhaps the same
            return y.set(idx.at(t), x + c.sin(z) * y.at(idx.at(t)))

        return c.total(c.loop(idx.dim(), [y], step))

    p = program([A1, AI], body)
    for idx in ([0, 1, 2, 3, 4], [0, 0, 0, 1, 2], [4, 3, 2, 1, 0], [1, 1, 1]):
        agree(p, [V, np.array(idx)])


# --- loops in any order ---------------------------------------------------------------------------


def in_any_order(p, wrt=(0,)):
    """Whether the reverse half has no sequential loop."""
    found = kinds(p, wrt)
    assert Loop in found or Sum_ in found
    return Loop not in found


def filling(c, a, b):
    y = c.build(a.dim(), lambda i: a.at(i) * a.at(i))
    y = c.loop(a.dim(), [y], lambda t, y: y.set(t, c.sin(b.at(t)) * c.expr(2.0)))
    return c.total(y)


def adding_rows(c, a, b):
    """One row minus another, perhaps the same."""
    m = c.build(a.dim(0), a.dim(1), lambda i, j: a.at(i, j) * a.at(i, j))

    def step(t, m):
        return m.set((b.at(0), t), m.at(b.at(0), t) - m.at(b.at(1), t) * a.at(0, t))

    m = c.loop(a.dim(1), [m], step)
    return c.total(m)


def test_loops_that_fill_or_add() -> None:
    p = program([A1, A1], filling)
    assert in_any_order(p, (0, 1))
    agree(p, [V, W])
    q = program([A2, AI], adding_rows)
    assert not in_any_order(q)  # until it is known which cells lanes have
    for rows in ([0, 1], [1, 1], [2, 0]):
        agree(q, [M, np.array(rows)])


ORDERED = {
    "running sums": lambda c, y, t, a: y.set(t + 1, y.at(t + 1) + y.at(t) * a.at(t)),
    "to the left": lambda c, y, t, a: y.set(t, y.at(t) + y.at(t + 1) * a.at(t)),
    "the first one": lambda c, y, t, a: y.set(t + 1, y.at(t + 1) + y.at(0) * a.at(t)),
    "into the first one": lambda c, y, t, a: y.set(0, y.at(0) * a.at(t)),
}


@pytest.mark.parametrize("name", ORDERED)
def test_loops_with_an_order(name) -> None:
    def body(c, a):
        y = c.build(a.dim(), lambda i: a.at(i) * a.at(i))
        y = c.loop(a.dim() - 1, [y], lambda t, y: ORDERED[name](c, y, t, a))
        return c.total(c.build(a.dim(), lambda i: c.sin(y.at(i))))

    p = program([A1], body)
    assert not in_any_order(p)
    agree(p, [V])
    agree(p, [V[:1]])


def test_a_negative_count() -> None:
    def body(c, a, n):
        y = c.build(a.dim(), lambda i: a.at(i) * a.at(i))
        y = c.loop(n, [y], lambda t, y: y.set(t, y.at(t) + a.at(t) * a.at(t)))
        return c.total(y)

    p = program([A1, I64], body)
    assert in_any_order(p)
    for n in (-3, 0, 1, 5):
        agree(p, [V, n])


def test_cotangents_of_values_from_around() -> None:
    def body(c, a, x):
        y = c.build(a.dim(), lambda i: a.at(i) * x)
        y = c.loop(a.dim(), [y], lambda t, y: y.set(t, y.at(t) + c.sin(x * a.at(t))))
        return c.total(c.build(a.dim(), lambda i: y.at(i) * y.at(i)))

    p = program([A1, F64], body)
    assert in_any_order(p, (0, 1))
    agree(p, [V, 0.7])
