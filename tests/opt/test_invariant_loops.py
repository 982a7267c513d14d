"""Loops that are the same in every iteration run before the loop around them, once."""

import numpy as np

from pullback.core.terms import Build, If, Loop, Prim, Sum_
from pullback.core.traverse import all_lets
from pullback.core.types import F64, I64
from pullback.opt.control.invariant_loops import hoist_loops
from tests.ad.flatcore import A1, A2, program
from tests.opt.agreement import agree, cost, ops

V = np.array([0.3, -0.2, 0.7, 1.1])
M = np.arange(12.0).reshape(3, 4) / 7.0
NONE = np.zeros(0)


def test_a_sum_that_is_the_same_moves_and_is_not_run_without_iterations() -> None:
    def body(c, a, b):
        return c.build(b.dim(), lambda i: c.sum(a.dim(), lambda j: c.exp(a.at(j))) * b.at(i))

    p = program([A1, A1], body)
    q = agree(hoist_loops, p, [V, V], [V, NONE], [NONE, V])
    assert len(ops(q, If)) == 1
    assert cost(q, [V, np.ones(50)]) < 0.3 * cost(p, [V, np.ones(50)])
    assert cost(q, [np.ones(50), NONE]) < cost(p, [np.ones(50), NONE]) + 10


def test_what_depends_on_the_iteration_stays() -> None:
    def body(c, a, b):
        return c.build(b.dim(), lambda i: c.sum(a.dim(), lambda j: a.at(j) * b.at(i)))

    q = agree(hoist_loops, program([A1, A1], body), [V, V])
    assert not ops(q, If) and len(ops(q, Build)) == len(ops(q, Sum_)) == 1


def test_sums_are_divided() -> None:
    def body(c, m, x):
        def row(i):
            s, t = c.sum(x.dim(), lambda j: (c.exp(x.at(j)), x.at(j) * m.at(i, j)))
            return s * t

        return c.build(m.dim(0), row)

    q = agree(hoist_loops, program([A2, A1], body), [M, V], [M[:0], V])
    (build,) = (op for op in ops(q, Build) if len(op.body.results) == 1 and ops_of(op, Sum_))
    assert [len(s.body.results) for s in ops_of(build, Sum_)] == [1]


def ops_of(op, kind):
    return [let.op for let in op.body.lets if isinstance(let.op, kind)]


def test_what_is_costly_is_kept_in_an_array() -> None:
    def body(c, m, x, k):
        def row(i):
            def item(j):
                inner = c.sum(x.dim(), lambda k: m.at(j, k) * x.at(k))
                turn = c.tanh(inner)
                return turn * c.sum(x.dim(), lambda k: m.at(j, k) * c.real(i + k))

            return c.total(c.build(m.dim(0), item))

        return c.build(k, row)

    p = program([A2, A1, I64], body)
    q = agree(hoist_loops, p, [M, V, 6], [M, V, 0], [M[:0], V, 3])
    assert cost(q, [M, V, 40]) < 0.8 * cost(p, [M, V, 40])


def test_what_may_raise_stays_where_it_is() -> None:
    def body(c, a, b):
        def row(i):
            c.require(b.at(i) < 2.0, "ValueError", "large")
            return c.sum(a.dim(), lambda j: a[j + i] * c.exp(a.at(j)))

        return c.build(b.dim(), row)

    agree(hoist_loops, program([A1, A1], body), [V, V[:1]], [V, V], [V, np.array([3.0])])
    agree(hoist_loops, program([F64, A1], lambda c, x, a: c.build(a.dim(), lambda i: x)), [1.0, V])


def test_rows_that_are_the_same_are_kept_as_one_array() -> None:
    def body(c, m, x, k):
        n = x.dim()

        def row(i):
            def item(j):
                turns = c.build(n, lambda k: c.tanh(m.at(j, k) * x.at(k)))
                return c.sum(n, lambda k: turns.at(k) * c.real(i + k))

            return c.total(c.build(m.dim(0), item))

        return c.build(k, row)

    p = program([A2, A1, I64], body)
    q = agree(hoist_loops, p, [M, V, 3], [M, V, 0], [M[:0], V, 2])
    (kept,) = (op for op in ops(q, Build) if len(op.extents) == 2 and op.body.lets)
    assert [let.op.name for let in kept.body.lets if isinstance(let.op, Prim)][-1] == "tanh"
    assert cost(q, [M, V, 20]) < 0.8 * cost(p, [M, V, 20])


def test_a_loop_is_divided_into_what_it_carries_for_all_iterations_and_the_rest() -> None:
    def body(c, x, k):
        n = x.dim()

        def row(i):
            def step(j, s, t):
                return c.build(
                    n, lambda k: (c.tanh(s.at(k) + x.at(k)), t.at(k) * s.at(k) + c.real(i))
                )

            return c.total(c.loop(3, [x, x], step)[1])

        return c.build(k, row)

    p = program([A1, I64], body)
    q = agree(hoist_loops, p, [V, 3], [V, 0])
    first, second = ops(q, Loop)
    assert [len(loop.carried) for loop in (first, second)] == [1, 1]
    assert "tanh" in functions_of(first) and "tanh" not in functions_of(second)
    assert cost(q, [V, 40]) < 0.8 * cost(p, [V, 40])


def functions_of(op):
    return [x.op.name for x in all_lets(op.body) if isinstance(x.op, Prim)]
