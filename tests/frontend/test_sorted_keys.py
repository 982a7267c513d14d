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


def pairs_as_keys(x: float) -> float:
    names = ["U", "O", "O"]
    energies = {("O", "U"): x, ("O", "O"): x * x}
    met: dict[tuple[int, ...], float] = {}
    total = 0.0
    for i in range(3):
        for j in range(i):
            key = _pair(names[i], names[j])
            total += energies.get(key, 0.0) + energies[key]
            near, far = sorted((abs(x - i), abs(x - 2.0 * j)))
            edge = tuple(sorted([(i * 2) % 3, (j * 2) % 3]))
            met[edge] = met.get(edge, 0.0) + near * far
    return total * met[0, 1] + met[1, 2]


def _pair(a: str, b: str) -> tuple[str, ...]:
    return tuple(sorted((a, b)))


D = {"beta": 0.5, "alpha": 0.25, "g": 2.0}
CASES = [
    (keys_in_order, (1.3,)), (keys_backwards, (D,)), (by_the_last_letter, (D,)),
    (keys_by_value, (D,)), (numbers_as_keys, (0.7,)), (letters, (0.7,)),
    (pairs_as_keys, (0.7,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), CASES)
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)  # the evaluator
    is_right(f, args)  # native code, and finite differences
    pb.check_grads(f, args)  # forward and reverse mode
    assert pb.grad(f, method="dual")(*args) == pytest.approx(pb.grad(f)(*args), rel=1e-13)
