"""The residuals of nested loops are one array if trip counts allow it, otherwise as few as can
be."""

import numpy as np

from pullback.ad.differentiate import gradient
from pullback.core.terms import Dialect, Loop
from pullback.core.types import I64, Array
from pullback.lower.filled import filled_arrays
from pullback.opt.control.inline import inline_calls
from pullback.opt.dce import drop_dead
from pullback.opt.residuals.residual_flattening import flatten_residuals
from pullback.opt.scalar.simplify import simplify
from tests.ad.flatcore import A1, F64, program
from tests.lower.agreement import agree as agree_lowered
from tests.opt.agreement import agree, ops

PASSES = [inline_calls, simplify, drop_dead, flatten_residuals, drop_dead]


def depth(t):
    return 1 + depth(t.elem) if isinstance(t, Array) else 0


def kept(q):
    """The types of arrays of arrays that loops emit, and how many arrays need no zeros."""
    types = [
        v.type
        for f in q.functions.values()
        for let in f.body.lets if isinstance(let.op, Loop)
        for v in let.vars[len(let.op.carried):]
    ]
    return {t for t in types if depth(t) > 1}, len(filled_arrays(q))


def derived(p, *runs):
    q = agree(PASSES, gradient(simplify(p), (0,)), *runs, dialect=Dialect.ACCUMULATING)
    for args in runs:
        agree_lowered(q, args)
    return q


def test_counts_known_in_front_of_the_nest() -> None:
    def body(c, x, n):
        def row(i, s):
            return c.loop(n, [s], lambda j, t: c.sin(t) * t + c.real(i) * 0.1)

        return c.loop(n + 1, [x], row)

    q = derived(program([F64, I64], body), *([0.4, n, 1.0] for n in (0, 1, 3)))
    assert kept(q) == (set(), 2)


def test_a_triangle_emits_rows() -> None:
    def body(c, x, n):
        return c.loop(n, [x], lambda i, s: c.loop(i, [s], lambda j, t: c.sin(t) * t))

    q = derived(program([F64, I64], body), *([0.4, n, 1.0] for n in (0, 1, 4)))
    assert kept(q) == ({Array(Array(F64, 1), 1)}, 0)


def test_two_loops_inside_a_triangle_are_joined() -> None:
    def body(c, x, n):
        def row(i, s):
            def step(j, t):
                return c.loop(n, [t], lambda k, u: c.sin(u) * u + 0.1)

            return c.loop(i, [s], step)

        return c.loop(n, [x], row)

    q = derived(program([F64, I64], body), *([0.4, n, 1.0] for n in (0, 1, 3)))
    assert kept(q) == ({Array(Array(F64, 2), 1)}, 2)


def test_below_a_while() -> None:
    def body(c, x, n):
        def round_(s, i):
            def step(j, t):
                return c.loop(n, [t], lambda k, u: c.sin(u) * u + 0.1)

            return c.loop(i, [s], step), i + 1

        return c.while_([x, 0], lambda s, i: i < n, round_)[0]

    q = derived(program([F64, I64], body), *([0.4, n, 1.0] for n in (0, 1, 3)))
    assert any(Array(F64, 2) in [v.type for v in op.carried] for op in ops(q, Loop))


def test_a_triangle_of_updates() -> None:
    def body(c, a, n):
        def row(i, s):
            def step(j, t):
                return c.loop(
                    n, [t], lambda k, u: u.set(k, c.sin(u.at(k)) * u.at((k + 1) % n))
                )

            return c.loop(i, [s], step)

        out = c.loop(n, [a.view("copy")], row)
        return c.sum(n, lambda i: out.at(i) * out.at(i))

    q = derived(program([A1, I64], body), [np.array([0.3, -0.2, 0.7]), 3, 1.0])
    assert Array(Array(F64, 2), 1) in kept(q)[0]
