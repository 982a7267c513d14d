"""Accumulators of arrays that a loop makes anew in every round take turns, if nothing else knows
them; otherwise every round keeps its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.ad.differentiate import gradient
from pullback.core.terms import AccNew, AccTake, Dialect, Lit
from pullback.core.types import I64
from pullback.opt.arrays.fuse import fuse
from pullback.opt.control.inline import inline_calls
from pullback.opt.cse import merge_common
from pullback.opt.dce import drop_dead
from pullback.opt.residuals.residual_elimination import eliminate_residuals
from pullback.opt.residuals.ring_buffers import use_ring_buffers
from pullback.opt.scalar.simplify import simplify
from tests.ad.flatcore import A1, program
from tests.opt.agreement import agree, ops

V = np.array([0.3, -0.2, 0.7])
BEFORE = [
    inline_calls, simplify, fuse, simplify, drop_dead, eliminate_residuals, merge_common, drop_dead
]  # fmt: skip
RUNS = [[V, n, 1.0] for n in (0, 1, 2, 3, 6)]


def turns(body: Any) -> list[int]:
    """How many accumulators take turns, for each array of a program; the evaluator gives the same
    cotangents as before, for all numbers of rounds."""
    p = gradient(simplify(program([A1, I64], body)), (0,))
    q = agree([*BEFORE, use_ring_buffers], p, *RUNS, dialect=Dialect.ACCUMULATING)
    sizes = [op.extents[0] for op in ops(q, AccNew) if len(op.extents) == 2]
    return sorted(int(n.value) for n in sizes if isinstance(n, Lit))


def following(c: Any, x: Any) -> Any:
    return c.build(x.dim(), lambda i: c.sin(x.at(i)) * x.at((i + 1) % x.dim()))


def test_an_array_that_a_loop_replaces() -> None:
    def body(c: Any, a: Any, n: Any) -> Any:
        x = c.loop(n, [a], lambda t, x: following(c, x))
        return c.sum(x.dim(), lambda i: x.at(i) * x.at(i))

    assert turns(body) == [2]


def test_arrays_of_more_rounds_before() -> None:
    """The one before the last is read in the round after the next, and when all is done."""

    def body(c: Any, a: Any, n: Any) -> Any:
        def step(t: Any, x: Any, y: Any) -> Any:
            new = following(c, x)
            return c.build(x.dim(), lambda i: new.at(i) + new.at(i) * y.at(i)), x

        x, y = c.loop(n, [a, a], step)
        return c.sum(x.dim(), lambda i: x.at(i) * y.at(i))

    assert turns(body) == [3]


def test_arrays_that_are_kept_by_the_loop() -> None:
    """Every round's array is read after the loop, so that its accumulator is alive all the time."""

    def body(c: Any, a: Any, n: Any) -> Any:
        def step(t: Any, x: Any) -> Any:
            new = following(c, x)
            return new, new

        x, rows = c.loop(n, [a], step)
        return c.sum(n, lambda t: rows.at(t).at(0)) + x.at(0)

    assert turns(body) == []


def newton(x: Any, tolerance: float = 1e-9) -> Any:
    """A while loop that replaces two arrays."""
    y, step = x, x
    while np.sum(step * step) > tolerance:
        step = 0.3 * (y * y - x) / (1.0 + y * y)
        y = y - step
    return np.sum(y * y * x)


def matrices(x: Any) -> Any:
    m = np.outer(x, x)
    for _ in range(4):
        m = 0.5 * (m @ m) / np.sum(m * m) + 0.1
    return np.sum(m * m)


def nested(x: Any) -> Any:
    """The inner loop has accumulators for every round of the outer one."""
    total = 0.0
    y = x
    for k in range(3):
        z = y * 0.5
        for _ in range(4):
            z = np.sin(z) * z + y
        y = z * x
        total += np.sum(z) * k
    return total + np.sum(y)


@pytest.mark.parametrize("f", [newton, matrices, nested])
def test_gradients_of_python(f: Any) -> None:
    for n in (1, 17):
        x = np.random.default_rng(n).uniform(0.2, 0.8, n)
        move = np.random.default_rng(n + 1).normal(size=n)
        both = pb.value_and_grad(f)
        value, slope = both(x)
        expected, tangent = pb.jvp(f, (x,), (move,))
        assert np.isclose(value, expected) and np.isclose(np.dot(slope, move), tangent, 1e-9)
        assert np.array_equal(both(x)[1], slope)  # nothing is left of the call before


def test_a_while_loop() -> None:
    """It emits its accumulators otherwise, since nobody knows how many there will be."""
    text = pb.show(pb.grad(newton), V)
    assert "acc_new(2, n)" in text and "handle[:][:]" not in text


def test_cells_are_taken_once_for_each_round() -> None:
    def body(c: Any, a: Any, n: Any) -> Any:
        x = c.loop(n, [a], lambda t, x: following(c, x))
        return x.at(0)

    p = gradient(simplify(program([A1, I64], body)), (0,))
    q = agree([*BEFORE, use_ring_buffers], p, *RUNS, dialect=Dialect.ACCUMULATING)
    assert len(ops(q, AccTake)) == 1
