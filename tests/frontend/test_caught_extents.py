"""Extents that are assumed to be equal, where the error of other ones would be caught."""

from collections.abc import Callable

import numpy as np
import pytest

import pullback as pb


def in_a_statement(x: float, n: int) -> float:
    a = np.zeros(3) + x
    try:
        a = a + np.ones(n)
    except ValueError:
        return -x
    return float(a.sum())


def in_a_loop(x: float, n: int) -> float:
    a, t = np.zeros(3) + x, 0.0
    for k in range(n):
        try:
            t += float((a * np.ones(k)).sum())
        except ValueError:
            t += 100.0
    return t


def _difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a - b


def in_a_call(x: float, n: int) -> float:
    a = np.zeros((2, 3)) + x
    try:
        a = _difference(a, np.ones((n, 1)) * x * x)
    except Exception:
        a = a * 2.0
    return float(a.sum())


def in_an_assignment(x: float, n: int) -> float:
    a = np.zeros(3)
    try:
        a[:] = np.ones(n) * x
    except ValueError:
        return 7.0 * x
    return float(a.sum())


class Swallows:
    def __enter__(self) -> "Swallows":
        return self

    def __exit__(self, kind: object, value: object, trace: object) -> bool:
        return True


def under_with(x: float, n: int) -> float:
    a = np.zeros(3) + x
    with Swallows():
        a = a * np.ones(n)
        a = a * 2.0
    return float(a.sum())


FUNCTIONS = [in_a_statement, in_a_loop, in_a_call, in_an_assignment, under_with]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_an_extent_of_one_is_no_error_that_is_caught(f: Callable[[float, int], float]) -> None:
    both, h = pb.value_and_grad(f), 1e-6
    for n in (3, 1, 2, 4):
        value, gradient = both(1.3, n)
        assert value == pytest.approx(f(1.3, n), rel=1e-14)
        differences = (f(1.3 + h, n) - f(1.3 - h, n)) / (2 * h)
        assert gradient == pytest.approx(differences, rel=1e-6)
