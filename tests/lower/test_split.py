"""Reverse loops of which one round meets a cell that all others add to run in lanes, but for that
round. Core's evaluator runs the program as it was and as it is split; loop code the latter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.terms import Dialect
from pullback.lower.separate import separate_loops
from pullback.lower.split import FEWEST, split_loops
from tests.ad.flatcore import A1, I64, Code, E, program
from tests.lower.agreement import agree, same
from tests.lower.test_separate import Cells, Round

SIZES = (0, 1, 7, FEWEST - 1, FEWEST, FEWEST + 9)


def split(round_: Round, sums: int = 1, backwards: bool = True, met: Any = None) -> int:
    """How many loops are separate when loops are split, for the rounds before and after the one
    that meets ``met`` (several numbers); before, none is."""

    def body(c: Code, x: E, n: E, k: E) -> Any:
        t = Cells(c, n)
        c.loop(3, [], lambda r: c.loop(n + 2, [], lambda i: t.add(x.at(i) * c.real(r + 1), r, i)))

        last = n - 1

        def step(j: E, *s: E) -> Any:
            return round_(t, last - j if backwards else j, (x, k, *s))

        out = c.loop(n, [0.25] * sums, step)
        made = c.build(3, n + 2, lambda r, i: t.read(r, i))
        return (*(out if isinstance(out, tuple) else (out,) if sums else ()), made)

    p = program([A1, I64, I64], body)
    assert not separate_loops(p)
    parted = split_loops(p)
    check(parted, Dialect.ACCUMULATING)
    for n in SIZES:
        for k in {0, 1, n // 2, n - 1, n, n + 1} if met is None else met:
            if 0 <= k < n + 2:
                args = [np.cos(np.arange(n + 2.0)), n, k]
                results = zip(evaluate(p, args)[0], evaluate(parted, args)[0], strict=True)
                assert all(same(a, b) for a, b in results)
                agree(p, args)
    return len(separate_loops(parted))


def relaxed(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
    """The reverse of ``t[1, i] = min(t[1, i], t[1, k] + t[0, i])``, with weights for branches."""
    x, k, s = rest
    d = t.take(1, i)
    t.add(d * x.at(i), 0, i)
    t.add(d * x.at(i), 1, k)
    t.add(d * (1.0 - x.at(i)), 1, i)
    return s + d


@pytest.mark.parametrize("backwards", [True, False])
def test_a_cell_that_all_rounds_add_to(backwards: bool) -> None:
    assert split(relaxed, backwards=backwards) == 1


def test_other_numbers_of_the_round() -> None:
    """The round is found from what the index is then."""

    def shifted(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        return relaxed(t, i + 2, rest)

    assert split(shifted, met=[0, 4]) == 1


def test_several_additions_no_sum_and_a_constant_place() -> None:
    def none(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        d = t.take(1, i)
        t.add(d * 0.5, 1, 0)
        t.add(d * 0.25, 2, 0)
        t.add(d * 0.125, 1, 0)
        t.add(d, 0, i)
        return ()

    assert split(none, sums=0, met=[0]) == 1


def test_two_cells_that_stay_are_not_split() -> None:
    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        d = t.take(1, i)
        t.add(d * 0.5, 1, 0)
        t.add(d * 0.5, 1, rest[1])
        return rest[2] + d

    assert split(step, met=[1]) == 0


def test_a_cell_that_is_read_is_not_split() -> None:
    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        d = t.take(1, i)
        t.add(d * t.read(1, rest[1]), 0, i)
        return rest[2] + d

    assert split(step, met=[1]) == 0


def test_an_addition_whose_other_axis_differs_is_not_split() -> None:
    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        d = t.take(1, i)
        t.add(d, i % 3, rest[1])
        return rest[2] + d

    assert split(step, met=[1]) == 0


def shortest(d: Any, source: int) -> Any:
    """One row of all shortest paths: dense Bellman-Ford."""
    n = len(d)
    best = d[source].copy()
    for k in range(n):
        for j in range(n):
            best[j] = min(best[j], best[k] + d[k, j])
    return np.sum(best * best)


def all_shortest(d: Any) -> Any:
    n = len(d)
    t = d.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                t[i, j] = min(t[i, j], t[i, k] + t[k, j])
    return np.sum(t * t)


def maximal(d: Any) -> Any:
    """Backwards, and only a part of each row; the row that is updated is met by none."""
    n = len(d)
    t = d.copy()
    for k in range(2, n):
        for j in range(n - 2, 0, -1):
            t[0, j] = max(t[0, j], t[0, k] * t[1, j])
    return np.sum(t)


def test_gradients_of_tables() -> None:
    """Negative edges, so that the round that meets changes the cell too."""
    n = 29
    d = np.random.default_rng(n).uniform(-0.2, 1.0, (n, n))
    move = np.random.default_rng(n + 1).normal(size=(n, n))
    for f in (all_shortest, maximal, lambda x: shortest(x, 1)):
        value, slope = pb.value_and_grad(f)(d)
        expected, tangent = pb.jvp(f, (d,), (move,))
        assert np.isclose(value, f(d)) and np.isclose(value, expected)
        assert np.isclose(np.sum(slope * move), tangent, 1e-9)
