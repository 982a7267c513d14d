"""``fill`` is an update of NumPy's arrays, and a name like any other for methods of one's own."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
from pullback.errors import UnsupportedError


class Tank:
    def __init__(self):
        self.levels = []

    def fill(self, x):
        self.levels = [x, 2.0 * x, 3.0 * x]


def test_a_method_of_ones_own() -> None:
    def f(x):
        tank = Tank()
        tank.fill(x)
        return sum(v * v for v in tank.levels[1:])

    assert pb.value_and_grad(f)(2.0) == (f(2.0), 52.0)


def test_that_of_an_array() -> None:
    def f(x):
        a = np.zeros(3)
        a.fill(x)
        return np.sum(a)

    assert pb.value_and_grad(f)(2.0) == (6.0, 3.0)


def test_that_of_an_array_by_an_array_says_what_to_write() -> None:
    def f(x):
        a = np.zeros(3)
        a.fill(np.array([x]))
        return np.sum(a)

    def g(x):
        a = np.zeros(3)
        a[...] = x
        return np.sum(a)

    with pytest.raises(UnsupportedError, match=r"assign to it: a\[\.\.\.\] = value"):
        pb.grad(f)(2.0)
    assert pb.grad(g)(2.0) == 3.0
