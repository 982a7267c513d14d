"""Additions to neighbouring cells of one accumulator are loops of their own, where nothing that is
added is read; loop code does what Core's evaluator does with the program as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pullback as pb
from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.terms import Dialect, Sum_
from pullback.core.traverse import all_lets
from pullback.lower.fission import separate_neighbours
from tests.ad.flatcore import A1, I64, Code, E, program
from tests.lower.agreement import agree, same
from tests.lower.test_separate import Cells

SIZES = (0, 1, 7, 8, 9, 21)


def loops(body: Callable[..., Any]) -> int:
    """Into how many loops a sum over n becomes, given two accumulators of three rows."""

    def main(c: Code, x: E, n: E) -> Any:
        t, u = Cells(c, n + 1), Cells(c, n + 1)
        c.loop(n, [], lambda i: u.add(x.at(i), 1, i))
        s = c.sum(n, lambda i: body(c, t, u, x, i))
        return s, c.build(3, n + 2, lambda r, i: t.read(r, i) + u.read(r, i))

    p = program([A1, I64], main)
    q = separate_neighbours(p)
    check(q, Dialect.ACCUMULATING)
    for n in SIZES:
        args = [np.cos(np.arange(n + 2.0)), n]
        pairs = zip(evaluate(p, args)[0], evaluate(q, args)[0], strict=True)
        assert all(same(a, b) for a, b in pairs)
        agree(p, args)
    lets = [x for f in q.functions.values() for x in all_lets(f.body)]
    return sum(isinstance(x.op, Sum_) for x in lets)


def difference(c: Code, t: Cells, u: Cells, x: E, i: E) -> E:
    d = u.read(1, i) * x.at(i)
    t.add(-d, 1, i)
    t.add(d, 1, i + 1)
    return d


def test_neighbours() -> None:
    def three(c: Code, t: Cells, u: Cells, x: E, i: E) -> E:
        t.add(x.at(i), 1, i + 2)
        return difference(c, t, u, x, i)

    assert loops(difference) == 2
    assert loops(three) == 3


def test_rows_and_one_place_stay() -> None:
    def rows(c: Code, t: Cells, u: Cells, x: E, i: E) -> E:
        t.add(x.at(i), 1, i)
        t.add(x.at(i), 2, i)
        t.add(x.at(i), 1, i)
        return x.at(i)

    assert loops(rows) == 1


def test_what_is_read_may_not_have_been_added_to() -> None:
    def same_cell(c: Code, t: Cells, u: Cells, x: E, i: E) -> E:
        t.add(x.at(i), 1, i)
        d = t.read(1, i)
        t.add(x.at(i) * d, 2, i)
        t.add(x.at(i) * d, 2, i + 1)
        return d

    assert loops(same_cell) == 1


def test_long_ways_are_gone_once() -> None:
    def long(c: Code, t: Cells, u: Cells, x: E, i: E) -> E:
        d = c.sin(x.at(i))
        t.add(d, 1, i)
        t.add(d, 1, i + 1)
        return d

    assert loops(long) == 1


def smooth(x: Any) -> Any:
    d = x[1:] - x[:-1]
    e = x[2:] * x[:-2] - x[1:-1]
    return np.sum(d * d) + np.sum(e * e)


def diffused(x: Any) -> Any:
    y = x
    for _ in range(3):
        inner = y[1:-1] + 0.1 * (y[2:] - 2.0 * y[1:-1] + y[:-2]) * y[1:-1]
        y = np.concatenate([y[:1], inner, y[-1:]])
    return np.sum(y * y)


def test_gradients_of_stencils() -> None:
    for f in (smooth, diffused):
        g = pb.value_and_grad(f)
        for n in (3, 30):
            x = np.random.default_rng(n).uniform(0.2, 0.8, n)
            move = np.random.default_rng(n + 1).normal(size=n)
            value, slope = g(x)
            expected, tangent = pb.jvp(f, (x,), (move,))
            assert np.isclose(value, expected)
            assert np.isclose(np.dot(slope, move), tangent, 1e-10)
