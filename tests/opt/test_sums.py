"""A loop that only adds up is a sum."""

import numpy as np
import pytest

from pullback.core.terms import Loop, Prim, Sum_, While
from pullback.opt.reductions.sums import find_sums
from tests.ad.flatcore import A1, F64, I64, program
from tests.opt.agreement import agree, ops

V = np.array([0.5, -2.0, 3.0, 0.25])
RUNS = [[V, 1.5], [V[:0], 1.5], [V, -0.5]]


def found(body, loops=0, sums=1):
    """The program after the pass, with so many loops and sums left."""
    q = agree(find_sums, program([A1, F64], body), *RUNS)
    assert (len(ops(q, Loop)), len(ops(q, Sum_))) == (loops, sums)
    return q


def test_added_and_subtracted() -> None:
    found(lambda c, a, x: c.loop(a.dim(), [x], lambda i, s: s + a.at(i) * x - 0.25))


def test_the_running_sum_may_stand_on_the_right() -> None:
    found(lambda c, a, x: c.loop(a.dim(), [0.0], lambda i, s: a.at(i) + s))


def test_several_at_once() -> None:
    body = lambda i, s, t: (s + 1.0, t - 2.0)
    found(lambda c, a, x: sum(c.loop(a.dim(), [x, 0.0], body)))


def test_on_some_paths_only() -> None:
    def body(c, a, x):
        def step(i, s):
            return c.if_(a.at(i) > 0.0, lambda: s + a.at(i), lambda: s)

        return c.loop(a.dim(), [0.0], step)

    found(body)


def test_loops_inside_go_on_with_the_sum() -> None:
    def body(c, a, x):
        def row(i, s):
            return c.loop(i, [s + x], lambda j, t: t + a.at(j))

        return c.loop(a.dim(), [0.0], row)

    found(body, sums=2)


def test_a_while_loop_inside() -> None:
    def body(c, a, x):
        def row(i, s):
            step = lambda k, t: (k * 0.5, t + k)
            return c.while_([2.0, s], lambda k, t: k > a.at(i), step)[1]

        return c.loop(a.dim(), [0.0], row)

    q = agree(find_sums, program([A1, F64], body), [np.array([0.5, 1.0]), 1.0])
    assert len(ops(q, Sum_)) == len(ops(q, While)) == 1 and not ops(q, Loop)


def _seen(c, a, x):
    return c.loop(a.dim(), [0.0], lambda i, s: s + a.at(i) * s)


def _scaled(c, a, x):
    return c.loop(a.dim(), [1.0], lambda i, s: s * a.at(i))


def _taken_away(c, a, x):
    return c.loop(a.dim(), [1.0], lambda i, s: a.at(i) - s)


def _twice(c, a, x):
    return c.loop(a.dim(), [1.0], lambda i, s: s + s)


def _exchanged(c, a, x):
    return sum(c.loop(a.dim(), [1.0, x], lambda i, s, t: (t + 1.0, s)))


def _reset(c, a, x):
    step = lambda i, s: c.if_(a.at(i) > 0.0, lambda: s + 1.0, lambda: x)
    return c.loop(a.dim(), [1.0], step)


def _tested(c, a, x):
    step = lambda i, s: c.if_(s > 1.0, lambda: s, lambda: s + a.at(i))
    return c.loop(a.dim(), [0.0], step)


def _compensated(c, a, x):
    """Kahan's summation: what was lost is carried, too."""

    def step(i, s, lost):
        y = a.at(i) - lost
        t = s + y
        return t, (t - s) - y

    return c.loop(a.dim(), [0.0, 0.0], step)[0]


def _emitted(c, a, x):
    return c.loop(a.dim(), [0.0], lambda i, s: (s + a.at(i), s))[1]


@pytest.mark.parametrize(
    "body",
    [_seen, _scaled, _taken_away, _twice, _exchanged, _reset, _tested, _compensated, _emitted],
)
def test_what_must_stay_a_loop(body) -> None:
    found(body, loops=1, sums=0)


def test_read_by_an_inner_loop() -> None:
    def body(c, a, x):
        def row(i, s):
            return s + c.loop(i, [1.0], lambda j, t: t * (s + a.at(j)))

        return c.loop(a.dim(), [0.5], row)

    found(body, loops=2, sums=0)


def test_integers_stay() -> None:
    def body(c, a, n):
        return c.loop(n, [0], lambda i, k: k + i)

    q = agree(find_sums, program([A1, I64], body), [V, 3])
    assert len(ops(q, Loop)) == 1


def test_what_is_added_to_zero_is_the_result() -> None:
    """So a sum of sums is one, which ``nest`` can merge. -0.0 makes no difference in a sum."""

    def body(c, a, x):
        def row(i, s):
            return c.loop(a.dim(), [s], lambda j, t: t + a.at(j) * -0.0)

        return c.loop(a.dim(), [0.0], row)

    q = found(body, sums=2)
    for op in ops(q, Sum_):
        assert not any(isinstance(x.op, Prim) and x.op.name == "add" for x in op.body.lets)


def test_what_starts_from_negative_zero_stays_it() -> None:
    """Sums of no rounds, and of nothing but -0.0; a ``Sum_`` starts from 0.0."""
    found(lambda c, a, x: c.loop(a.dim(), [-0.0], lambda i, s: s + a.at(i)), loops=1, sums=0)
