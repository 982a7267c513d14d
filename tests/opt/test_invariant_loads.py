"""Elements that a loop reads and does not update are read before it, and no others."""

import numpy as np
import pytest

from pullback.core.terms import Build, Index, Loop
from pullback.core.traverse import all_lets
from pullback.core.types import F64, I64, Array
from pullback.opt.arrays.distinct import distinct_arrays
from pullback.opt.arrays.invariant_loads import load_invariants
from tests.ad.flatcore import A1, A2, AI, program
from tests.opt.agreement import agree, ops

M = np.arange(20.0).reshape(4, 5) / 7 + 0.3


def inside(p):
    """Return how many elements of arrays of rank 2 the loops read, in one round of each."""
    lets = [let.op for op in ops(p, Loop) for let in op.body.lets]
    return sum(isinstance(op, Index) and op.array.type.rank == 2 for op in lets)


def square(c, a):
    n, m = a.dim(0), a.dim(1)
    return n, m, c.build(n, m, lambda i, j: a.at(i, j) + 0.0)


def eliminate(first):
    """Rows p + first, p + first + 1, ... minus multiples of the row p."""

    def body(c, a):
        n, m, t = square(c, a)

        def rows(p, t):
            def row(i, t):
                i = p + first + i
                f = t.at(i, 0) / t.at(p, 0)
                return c.loop(
                    m, [t], lambda k, t: t.set((i, k), t.at(i, k) - f * t.at(p, k))
                )

            return c.loop(n - p - first, [t], row)

        return c.loop(n, [t], rows)

    return body


@pytest.mark.parametrize("shape", [(4, 5), (1, 3), (3, 1), (0, 2)])
def test_the_row_of_the_pivot(shape) -> None:
    p = program([A2], eliminate(1))
    q = agree(load_invariants, p, [np.arange(float(np.prod(shape))).reshape(shape) + 1.0])
    assert inside(q) < inside(p)
    assert any("row" in v.name for f in q.functions.values() for x in all_lets(f.body)
               for v in x.vars)  # fmt: skip


def test_rows_that_may_be_the_same_stay() -> None:
    p = program([A2], eliminate(0))
    q = agree(load_invariants, p, [M])
    assert inside(q) == inside(p)


def of_row(place, update, checked=False):
    """A loop that reads at ``place(k, x)`` and updates at ``update(k, x)``."""

    def body(c, a, b, sign):
        x = b.dim() * sign if checked else b.dim()
        y = c.build(a.dim(), lambda i: a.at(i) + 0.0)
        c.require(b.dim() + 5 <= a.dim(), "IndexError", "no")

        def step(k, y):
            return y.set(update(k, x), y.at(place(k, x)) * 2.0 + 1.0, checked)

        return c.loop(c.expr(4, I64), [y], step)

    return program([A1, A1, I64], body)


V = np.arange(9.0) + 1.0


def reads(p):
    return sum(isinstance(x.op, Index) for op in ops(p, Loop) for x in op.body.lets)


def test_one_element() -> None:
    moved = [
        of_row(lambda k, x: x, lambda k, x: x + 1 + k),
        of_row(lambda k, x: x + 4, lambda k, x: x + k),
        of_row(lambda k, x: x + 1, lambda k, x: x + 2 + 0 * k),
    ]
    for p in moved:
        q = agree(load_invariants, p, [V, V[:0], 1], [V, V[:4], 1])
        assert reads(q) <= reads(p)
        assert not any(op.array.type == A1 and op.array.name == "s" for op in ops(q, Index))
    stay = [
        of_row(lambda k, x: x, lambda k, x: x + k),
        of_row(lambda k, x: x + 3, lambda k, x: x + k),
        of_row(lambda k, x: x + k, lambda k, x: x + k + 1),
        of_row(lambda k, x: x + k + 1, lambda k, x: x + k),
    ]
    for p in stay:
        q = agree(load_invariants, p, [V, V[:0], 1], [V, V[:4], 1])
        assert any(op.array.name == "s" for op in ops(q, Index))


def test_a_negative_index_may_be_the_same_element() -> None:
    p = of_row(lambda k, x: 8 + 0 * k, lambda k, x: x + k, checked=True)
    q = agree(load_invariants, p, [V, V[:4], -1], [V, V[:1], -1], [V, V[:0], 1])
    assert any(op.array.name == "s" for op in ops(q, Index))


def test_updates_in_branches_and_inner_loops_count() -> None:
    def body(c, a, where):
        c.require(c.expr(5, I64) <= a.dim(), "IndexError", "no")
        y = c.build(a.dim(), lambda i: a.at(i) + 0.0)

        def step(k, y):
            y = c.if_(y.at(2) < 3.5, lambda: y.set(1, y.at(2) + 1.0), lambda: y)
            return c.loop(2, [y], lambda j, y: y.set(j + 3, y.at(j + 3) + y.at(2) + y.at(0)))

        y = c.loop(3, [y], step)
        return c.loop(3, [y], lambda k, y: c.if_(
            y.at(0) < 3.5, lambda: y.set(where, y.at(0) + 1.0), lambda: y))

    p = program([A1, I64], body)
    q = agree(load_invariants, p, [V, 0], [V, 4])
    found = [op.array.name for op in ops(q, Index)].count("s")
    assert found == 4  # in the branch; the element that is updated; y[0], which may be, twice


def test_what_has_just_been_put_there_is_not_read() -> None:
    def body(c, a):
        n, m, t = square(c, a)

        def row(i, t):
            t = t.set((i, 0), t.at(i, 0) * 2.0)
            return c.loop(m - 1, [t], lambda k, t: t.set(
                (i, k + 1), t.at(i, k + 1) - t.at(i, 0)))

        return c.loop(n, [t], row)

    p = program([A2], body)
    q = agree(load_invariants, p, [M], [M[:, :1]], [M[:0]])
    assert inside(q) == inside(p) - 1
    assert len(ops(q, Build)) == len(ops(p, Build))


def test_an_array_that_is_carried_and_replaced() -> None:
    def body(c, a):
        y = c.build(a.dim(), lambda i: a.at(i) + 0.0)
        z = c.build(a.dim(), lambda i: a.at(i) * 2.0)

        def step(k, y, z):
            return z, y.set(1, y.at(0) + z.at(0))

        return c.loop(3, [y, z], step)

    p = program([A1], body)
    q = agree(load_invariants, p, [V])
    assert reads(q) == reads(p)


# --- numbers of rows ------------------------------------------------------------------------------


def shuffled(c, a, swaps, second):
    """Rows by number: they change places, then one is added to all others."""
    n, m, t = square(c, a)
    p = c.build(n, lambda i: i)

    def swap(k, p):
        j = swaps.at(k)
        x, y = p.at(k), p.at(j)
        return p.set(k, y).set(j, second(x, y))

    p = c.loop(swaps.dim(), [p], swap)

    def row(i, t):
        r = p.at(i + 1)
        return c.loop(m, [t], lambda k, t: t.set((r, k), t.at(r, k) + t.at(p.at(0), k)))

    return c.loop(n - 1, [t], row)


@pytest.mark.parametrize("same", [False, True])
def test_different_numbers_are_different_rows(same) -> None:
    second = (lambda x, y: y) if same else (lambda x, y: x)
    p = program([A2, AI], lambda c, a, swaps: shuffled(c, a, swaps, second))
    runs = [[M, np.array(s, dtype=np.int64)] for s in ([3, 2, 1, 0], [], [0, 1], [2, 2, 2])]
    q = agree(load_invariants, p, *runs)
    assert bool(distinct_arrays(q.functions[q.main])) and inside(q) == inside(p) - (not same)


def test_numbers_in_branches() -> None:
    def body(c, x, n):
        p = c.build(n, lambda i: i)

        def swapped():
            u, v = p.at(0), p.at(1)
            return p.set(0, v).set(1, u)

        p = c.if_(x < 0.0, swapped, lambda: p)
        return p, c.build(n, lambda i: i + 0)

    q = program([F64, I64], body)
    found = distinct_arrays(q.functions[q.main])
    assert sum(v in found for v in q.functions[q.main].body.results) == 1
    assert all(v.type == Array(I64, 1) for v in found)
