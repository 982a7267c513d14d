"""``itertools.groupby`` and ``tee`` beside plain Python."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import grouped_programs
from tests.frontend.harness import agrees, same

Program = Callable[[float], float]


@pytest.mark.parametrize(
    "f", campaign.part("values", grouped_programs.PROGRAMS, 6), ids=lambda f: f.__name__
)
def test_programs(f: Program) -> None:
    made = pb.jit(f)
    for x in (1.3, -0.7):
        same(made(x), f(x))
    wanted = harness.difference(f, (1.3,), (1.0,))
    for way in campaign.rotated("values", f.__name__, ("chad", "dual", "forward")):
        if way == "forward":
            found = pb.jvp(f, (1.3,), (1.0,))[1]
        else:
            found = pb.grad(f, method=way)(1.3)
        assert abs(found - wanted) <= 1e-5 * (1.0 + abs(wanted))


def grouped(keys: list[int], xs: list[float], most: int) -> list[Any]:
    """Go through groups, of each at most some of its items."""
    out = []
    for k, group in itertools.groupby(zip(keys, xs), key=lambda p: p[0]):
        total = 0.0
        for n, (_, v) in enumerate(group):
            total += v
            if n == most + k:
                break
        out.append((k, total))
    return out


def in_turns(steps: list[int], xs: list[float]) -> float:
    """Advance two iterators over one in any order."""
    one, other = itertools.tee(v * v for v in xs)
    t = 0.0
    for step in steps:
        t = t * 0.5 + (next(one, 7.0) if step == 0 else next(other, -3.0))
    return t + sum(one) - 2.0 * sum(other)


def test_random_inputs() -> None:
    rng, groups, turns = random.Random(5), pb.jit(grouped), pb.jit(in_turns)
    for n in (0, 1, 2, 5, 9, 20, 40):
        for _ in range(4):
            xs = [rng.random() for _ in range(n)]
            keys = [rng.randrange(3) for _ in range(n)]
            most = rng.randrange(4)
            if n:  # an empty list has no kind
                same(groups(keys, xs, most), grouped(keys, xs, most))
                steps = [rng.randrange(2) for _ in range(n)]
                same(turns(steps, xs), in_turns(steps, xs))


def test_the_evaluator() -> None:
    agrees(grouped_programs.sums_of_groups, 1.3)
    agrees(grouped_programs.windows, 1.3)


def test_an_item_takes_as_long_as_any_other() -> None:
    def f(xs: list[float]) -> float:
        t = 0.0
        for k, group in itertools.groupby(xs, key=lambda v: v > 0.5):
            t += sum(group) * (1.0 if k else 2.0)
        return t

    for op in (f, pb.grad(f)):
        few, some, many = (pb.cost(op, [0.3, 0.4, 0.9, 0.6] * n) for n in (50, 100, 200))
        assert abs((many - some) / (some - few) - 2.0) < 0.1


def nan_as_a_key(xs: list[float]) -> int:
    return len(list(itertools.groupby(xs)))


def test_a_key_that_is_nan_is_refused() -> None:
    assert pb.jit(nan_as_a_key)([1.0, 1.0, 2.0]) == 2
    with pytest.raises(pb.PullbackError, match="a key that is NaN"):
        pb.jit(nan_as_a_key)([1.0, float("nan")])


def negative(x: float) -> int:
    return len(itertools.tee([x], -1))


def test_less_than_no_iterators() -> None:
    with pytest.raises(ValueError, match="n must be >= 0"):
        pb.jit(negative)(1.0)
