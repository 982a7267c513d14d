"""``sorted`` of dicts with constant keys, and of the letters of constant texts."""

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right
from tests.frontend.harness import agrees


def keys_in_order(x: float) -> float:
    d = {"b": x, "a": 2.0 * x, "c": x * x}
    return sum((i + 1) * d[k] for i, k in enumerate(sorted(d)))


def keys_backwards(d: dict[str, float]) -> float:
    total = 0.0
    for k in sorted(d, reverse=True):
        total = total * 0.5 + d[k] * len(k)
    return total


def by_the_last_letter(d: dict[str, float]) -> float:
    total = 0.0
    for k in sorted(d, key=lambda name: name[-1]):
        total = total * 0.5 + d[k]
    return total


def keys_by_value(d: dict[str, float]) -> float:
    ranks = 0.0
    for place, k in enumerate(sorted(d, key=lambda name: d[name])):
        ranks += (place + 1) * d[k]
    return ranks


def numbers_as_keys(x: float) -> float:
    d = {3: x, 1: x * x, 2: 1.0}
    total = 0.0
    for k in sorted(d):
        total = total * x + d[k] * k
    return total


def letters(x: float) -> float:
    total = 0.0
    places = {c: i for i, c in enumerate(sorted("hello"))}
    for c in "hello":
        total = total * x + places[c]
    return total


D = {"beta": 0.5, "alpha": 0.25, "g": 2.0}
CASES = [
    (keys_in_order, (1.3,)), (keys_backwards, (D,)), (by_the_last_letter, (D,)),
    (keys_by_value, (D,)), (numbers_as_keys, (0.7,)), (letters, (0.7,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), CASES)
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)  # the evaluator
    is_right(f, args)  # native code, and finite differences
    pb.check_grads(f, args)  # forward and reverse mode
    assert pb.grad(f, method="dual")(*args) == pytest.approx(pb.grad(f)(*args), rel=1e-13)
