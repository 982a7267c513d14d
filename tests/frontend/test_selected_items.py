"""``combinations``, ``permutations`` and ``combinations_with_replacement`` of any size, of lists
whose length only the run knows, beside plain Python."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests import harness
from tests.frontend.harness import agrees, same

XS = [0.53, 0.71, 1.22, 1.91, 1.13]


def of_three(xs):
    return sum(a * b * c for a, b, c in itertools.combinations(xs, 3))


def of_every_size(xs):
    t = 0.0
    for r in range(len(xs) + 2):
        for chosen in itertools.combinations(xs, r):
            t += math.prod(chosen) if r else 1.0
    return t


def all_orders(xs):
    t = 0.0
    for k, order in enumerate(itertools.permutations(xs)):
        t += sum(v * j for j, v in enumerate(order)) * (k % 3)
    return t


def of_a_generator(xs):
    return max(a * b - c for a, b, c in itertools.permutations((v * v for v in xs), 3))


def left_in_the_middle(xs):
    it = itertools.combinations_with_replacement(xs, 3)
    first = next(it)
    t = first[0] * first[1]
    for a, b, c in it:
        t += a * b * c
        if c > 1.5:
            break
    return t + sum(next(it))


@pytest.mark.parametrize(
    "f", [of_three, of_every_size, all_orders, of_a_generator, left_in_the_middle]
)
def test_derivatives(f: Callable[[list[float]], float]) -> None:
    agrees(f, XS)
    same(pb.jit(f)(XS), f(XS))
    along = [0.3, -0.2, 0.5, 1.0, 0.7]
    wanted = harness.difference(f, (XS,), (along,))
    for method in ("chad", "dual"):
        found = pb.grad(f, method=method)(XS)
        assert math.isclose(sum(map(float.__mul__, found, along)), wanted, rel_tol=1e-5)
    assert math.isclose(pb.jvp(f, (XS,), (along,))[1], wanted, rel_tol=1e-5)


def listed(xs: list[int], r: int, times: int) -> list[Any]:
    """``r * times`` is known to the run only."""
    return [
        list(itertools.combinations(xs, r * times)),
        list(itertools.combinations_with_replacement(xs, r * times)),
        list(itertools.permutations(xs, r * times)),
    ]


def test_random_inputs() -> None:
    rng, made = random.Random(3), pb.jit(listed)
    for n in (1, 2, 3, 4, 5):
        for r in (0, 1, 2, 3, 5):
            xs = [rng.randrange(100) for _ in range(n)]
            same(made(xs, r, 1), listed(xs, r, 1))


def of_a_given_size(xs: list[float], r: int) -> float:
    return sum(math.prod(chosen) for chosen in itertools.combinations(xs, r))


def test_a_size_that_is_given() -> None:
    made = pb.jit(of_a_given_size)
    for r in (1, 2, 3, 4):
        same(made(XS, r), of_a_given_size(XS, r))


def as_keys(xs: list[int]) -> int:
    return len(set(itertools.combinations_with_replacement(xs, 3)))


def test_tuples_of_known_length() -> None:
    same(pb.jit(as_keys)([1, 2, 2, 5]), as_keys([1, 2, 2, 5]))


def test_less_than_no_items() -> None:
    with pytest.raises(ValueError, match="r must be non-negative"):
        pb.jit(listed)([1, 2], -1, 1)


def test_a_selection_takes_as_long_as_any_other() -> None:
    few, more, many = (pb.cost(of_three, [0.5] * n) for n in (6, 12, 24))
    assert (many - more) / (more - few) < 1.3 * (2024 - 220) / (220 - 20)
