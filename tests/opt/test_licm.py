"""Code that is the same in every iteration moves before the loop, if it may run without the
loop."""

import numpy as np

from pullback.core.terms import Build, If, Index, Loop, Sum_, While
from pullback.core.traverse import all_lets
from pullback.core.types import BOOL, F64, I64
from pullback.opt.control.licm import hoist_invariants
from tests.ad.flatcore import A1, A2, Fn, program
from tests.opt.agreement import agree, cost, ops

V = np.array([0.3, -0.2, 0.7, 1.1])
M = np.arange(6.0).reshape(2, 3)


def inside(p, kind):
    """The names of the primitives and ops inside the loops of a kind."""
    return sorted(
        getattr(let.op, "name", type(let.op).__name__)
        for op in ops(p, kind)
        for let in all_lets(op.body)
    )


def test_scalars_extents_and_views() -> None:
    def body(c, m, x, n):
        def row(i):
            def term(j):
                r = m.view("pick", i, static=(0,))
                return c.exp(x) * r.at(j) * c.real(m.dim(0) * 2) + c.real(i)

            return c.sum(m.dim(1), term)

        return c.build(m.dim(0), row)

    q = agree(hoist_invariants, program([A2, F64, I64], body), [M, 0.5, 3])
    assert inside(q, Sum_) == ["Index", "add", "mul", "mul"]
    assert inside(q, Build) == sorted(["pick", "to_real", "Sum_", *inside(q, Sum_)])


def test_reads_of_elements_that_surely_exist() -> None:
    def body(c, a, b, k):
        c.require(c.prim("and", c.expr(0, I64) <= k, k < b.dim()), "IndexError", "no")
        return c.loop(
            a.dim(), [c.expr(1.0)],
            lambda i, s: c.sum(b.dim(), lambda j: s * a.at(i) * b.at(j)) + b.at(k) + b.at(0),
        )

    q = agree(hoist_invariants, program([A1, A1, I64], body), [V, V, 2], [V, V[:1], 0],
              [V[:0], V[:1], 0])
    # a[i] leaves the inner loop, b[k] the outer one; so does b[0] if there is a round
    assert inside(q, Sum_) == ["Index", "mul"]
    assert inside(q, Loop).count("Index") == 2
    assert len(ops(q, If)) == 1


def test_what_the_first_round_surely_reads_is_read_if_there_is_one() -> None:
    def body(c, a, b, rows):
        def row(i):
            return c.sum(a.dim(), lambda j: a.at(j) * c.exp(b.at(0)) + b.at(1))

        return c.loop(rows, [c.expr(0.0)], lambda i, s: s + row(i))

    p = program([A1, A1, I64], body)
    none = V[:0]
    q = agree(
        hoist_invariants, p, [V, V, 3], [none, none, 3], [V, none, 0], [V, none, -1], [none, V, 1]
    )
    assert inside(q, Sum_) == ["Index", "add", "mul"]
    assert inside(q, Loop) == ["Index", "Sum_", "add", "add", "mul"]
    assert cost(q, [V, V, 30]) < 0.8 * cost(p, [V, V, 30])


def test_nothing_is_read_that_another_error_would_have_prevented() -> None:
    def body(c, a, b, k):
        def step(i, s):
            c.require(k < b.dim(), "ValueError", "no")
            return s + b.at(k) + c.if_(s < 9.0, lambda: b.at(7), lambda: s)

        return c.loop(a.dim(), [c.expr(10.0)], step)

    q = agree(
        hoist_invariants, program([A1, A1, I64], body), [V, V, 1], [V, V[:1], 1], [V, V[:0], 0],
        [V[:0], V, 99], [V, V, 99],
    )
    assert inside(q, Loop).count("Index") == 2


def test_what_may_not_run_without_the_loop_stays() -> None:
    def body(c, a, k, n):
        def step(i, s):
            c.require(k < 9, "ValueError", "no")
            return s + a[k] * c.real(c.prim("add.ck", n, k))

        return c.loop(a.dim(), [c.expr(0.0)], step)

    q = agree(
        hoist_invariants, program([A1, I64, I64], body),
        [V, 2, 1], [V[:0], 99, 2**63 - 1], [V, 99, 1], [V, 7, 1], [V, 3, 2**63 - 1],
    )
    assert {"require", "Index", "add.ck"} <= set(inside(q, Loop))


def test_out_of_branches_only_what_is_cheap() -> None:
    def body(c, a, x, b):
        def term(i):
            return c.if_(
                a.at(i) < x,
                lambda: c.exp(x) + c.real(a.dim() * 3),
                lambda: c.if_(b, lambda: x * x * a.at(i), lambda: c.expr(0.0)),
            )

        return c.sum(a.dim(), term)

    q = agree(hoist_invariants, program([A1, F64, BOOL], body), [V, 0.5, True], [V, 0.5, False])
    assert inside(q, Sum_) == ["If", "If", "Index", "Index", "add", "exp", "lt", "mul"]


def test_calls_and_loops_stay() -> None:
    f = Fn("f", (F64,), (F64,), lambda c, x: c.exp(x))

    def body(c, a, x, n):
        return c.loop(
            n, [x], lambda i, s: s + c.call("f", x) + c.sum(a.dim(), lambda j: a.at(j))
        )

    p = program([A1, F64, I64], body, [f])
    q = agree(hoist_invariants, p, [V, 0.5, 3], [V, 0.5, 0])
    assert cost(q, [V, 0.5, 0]) <= cost(p, [V, 0.5, 0]) + 1


def test_while() -> None:
    def body(c, a, x, n):
        return c.while_(
            [x, c.expr(0, I64)],
            lambda s, k: k < n * 2,
            lambda s, k: (s * c.sin(x), k + a.dim()),
        )[0]

    q = agree(hoist_invariants, program([A1, F64, I64], body), [V, 0.5, 3], [V, 0.5, 0])
    (loop,) = ops(q, While)
    assert len(loop.cond.lets) == 1 and len(loop.body.lets) == 2
    assert not ops(q, Index)


def test_nothing_of_an_array_that_the_loop_updates_moves_wrongly() -> None:
    def body(c, n):
        y = c.build(n, lambda i: c.real(i))
        return c.loop(n, [y], lambda i, y: y.set(i, y.at(0) + 1.0 + c.real(y.dim())))

    agree(hoist_invariants, program([I64], body), [3], [0])
