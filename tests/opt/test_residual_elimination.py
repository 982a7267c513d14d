"""Each residual of a loop is kept once, or not at all."""

import numpy as np

from pullback.ad.differentiate import gradient
from pullback.core.terms import AccNew, Dialect, Loop
from pullback.core.types import I64
from pullback.lower.escape import lasting_arrays
from pullback.opt.arrays.fuse import fuse
from pullback.opt.control.inline import inline_calls
from pullback.opt.dce import drop_dead
from pullback.opt.residuals.residual_elimination import eliminate_residuals
from pullback.opt.scalar.simplify import simplify
from tests.ad.flatcore import A1, F64, program
from tests.opt.agreement import agree, ops

V = np.array([0.3, -0.2, 0.7])
PASSES = [inline_calls, simplify, fuse, simplify, drop_dead, eliminate_residuals, drop_dead]


def derived(p, *runs, wrt=(0,)):
    return agree(PASSES, gradient(simplify(p), wrt), *runs, dialect=Dialect.ACCUMULATING)


def emitted(q):
    """Return the results that the loops of a program emit."""
    return [
        v.name
        for f in q.functions.values()
        for let in f.body.lets if isinstance(let.op, Loop)
        for v in let.vars[len(let.op.carried):]
    ]


def test_arrays_that_a_loop_replaces() -> None:
    def body(c, a, n):
        def step(t, x, y):
            new = c.build(x.dim(), lambda i: c.sin(x.at(i)) * x.at(i))
            return new, c.build(y.dim(), lambda i: y.at(i) * 0.5 + new.at(i) * new.at(i))

        x, y = c.loop(n, [a, a], step)
        return c.sum(x.dim(), lambda i: x.at(i) * y.at(i))

    q = derived(program([A1, I64], body), *([V, n, 1.0] for n in (0, 1, 2, 5)))
    assert len(emitted(q)) == 1  # x after each step; its handles are numbered in front of the loop
    assert not any(isinstance(let.op, AccNew) for op in ops(q, Loop) for let in op.body.lets)
    loop = next(op for op in ops(q, Loop) if len(op.body.results) > len(op.carried))
    made = loop.body.results[len(loop.carried):]
    assert set(made) <= lasting_arrays(q)  # where it is made it can stay


def test_scalars_beside_their_next_value() -> None:
    def body(c, x, n):
        def step(t, s):
            new = c.sin(s) * s
            return new + new * new * new

        return c.loop(n, [x], step)

    q = derived(program([F64, I64], body), *([0.4, n, 1.0] for n in (0, 1, 2, 5)))
    assert len(emitted(q)) <= 3

    def both(c, x, n):
        def step(t, s, p):
            new = c.exp(s * p)
            return new, c.log(new + 2.0)

        return c.loop(n, [x, x], step)[0]

    q = derived(program([F64, I64], both), *([0.4, n, 1.0] for n in (0, 1, 2, 5)))
    assert len(emitted(q)) == 2


def test_an_array_whose_shape_changes_is_kept() -> None:
    def body(c, a, n):
        def step(t, x):
            return c.build(x.dim() + 1, lambda i: c.sin(x.at(i % x.dim())))

        x = c.loop(n, [a], step)
        return c.sum(x.dim(), lambda i: x.at(i))

    q = derived(program([A1, I64], body), *([V, n, 1.0] for n in (0, 1, 4)))
    assert any(isinstance(let.op, AccNew) for op in ops(q, Loop) for let in op.body.lets)


def test_the_first_value_may_be_updated_later() -> None:
    def body(c, a, n):
        first = c.build(a.dim(), lambda i: a.at(i) * 2.0)

        def step(t, x):
            return c.build(x.dim(), lambda i: c.sin(x.at(i)))

        x = c.loop(n, [first], step)
        y = first.view("copy").set(0, x.at(1) * 3.0)
        return c.sum(x.dim(), lambda i: x.at(i) * y.at(i))

    derived(program([A1, I64], body), *([V, n, 1.0] for n in (0, 1, 4)))


def test_signs_that_change_in_each_iteration() -> None:
    def body(c, x, n):
        def step(t, s, y):
            return -s, c.sin(y) * s + y

        return c.loop(n, [-1.0, x], step)[1]

    q = derived(program([F64, I64], body), *([0.4, n, 1.0] for n in (0, 1, 2, 5)))
    assert len(emitted(q)) == 1  # y
