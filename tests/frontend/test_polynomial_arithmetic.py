"""Sums, products and quotients of polynomials: NumPy's values, lengths and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import polynomial

import pullback as pb

C = np.array([1.0, 2.0, 3.0, 0.5])
SHORT = np.array([2.0, -1.0])
PROGRAMS: list[Callable[[Any], Any]] = [
    lambda c: (polynomial.polyadd(c, c[:2]), polynomial.polysub(c, [0.0, 0.0, 0.0, 0.5])),
    lambda c: (polynomial.polymul(c, SHORT), polynomial.polymulx(c)),
    lambda c: polynomial.polydiv(c, SHORT), lambda c: polynomial.polydiv(SHORT, c),
    lambda c: (polynomial.polyfromroots(c), polynomial.polydiv(c, c[:1])[0]),
    lambda c: np.polydiv(c, SHORT), lambda c: np.polydiv(SHORT, c),
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=range(len(PROGRAMS)))
def test_values_and_gradients(f: Callable[[Any], Any]) -> None:
    want, got = f(C), pb.jit(f)(C)
    for one, other in zip(want, got, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(other, one, 1e-13, 1e-13)

    def loss(c):
        x, y = f(c)
        return np.sum(x**2) + np.sum(y**3)

    slopes = [(loss(C + h) - loss(C - h)) / 2e-6 for h in 1e-6 * np.eye(len(C))]
    np.testing.assert_allclose(pb.grad(loss)(C), slopes, 1e-6, 1e-6)


def test_types_are_numpys() -> None:
    single = C.astype(np.float32)
    for f in (np.polydiv, polynomial.polydiv):
        for c, d in ((single, single[:2]), (single, SHORT), (np.arange(1, 5), np.arange(1, 3))):
            want, got = f(c, d), pb.jit(lambda c, d, f=f: f(c, d))(c, d)
            assert [x.dtype for x in want] == [x.dtype for x in got]
            np.testing.assert_allclose(got[0], want[0], 1e-5)


def test_division_by_zero() -> None:
    for call in (polynomial.polydiv, pb.jit(lambda c, d: polynomial.polydiv(c, d))):
        with pytest.raises(ZeroDivisionError):
            call(C, np.zeros(2))
