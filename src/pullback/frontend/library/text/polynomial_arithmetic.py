"""Sums, products and quotients of ``numpy.polynomial.polynomial`` as plain Python that the front
end compiles. The coefficient of the lowest degree comes first; zeros at the end are left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text_helpers import unsupported


def _trimmed(c: Vector) -> Vector:
    """Return the coefficients up to the last that is not 0, at least one of them."""
    n = len(c)
    while n > 1 and c[n - 1] == 0.0:
        n -= 1
    return c[:n]


def _series(c: Any) -> Vector:
    items = np.atleast_1d(c)
    if items.ndim != 1:
        raise ValueError("Coefficient array is not 1-d")
    if len(items) == 0:
        raise ValueError("Coefficient array is empty")
    return _trimmed(items * 1.0)


def _both(c1: Any, c2: Any) -> tuple[Vector, Vector]:
    """Return the coefficients of two polynomials, of one type."""
    a, b = _series(c1), _series(c2)
    one = np.ones_like(a[:1]) * np.ones_like(b[:1])
    return a * one, b * one


def polyadd(c1: Vector, c2: Vector) -> Vector:
    a, b = _both(c1, c2)
    n = max(len(a), len(b))
    return _trimmed(np.pad(a, (0, n - len(a))) + np.pad(b, (0, n - len(b))))


def polysub(c1: Vector, c2: Vector) -> Vector:
    return polyadd(c1, -np.atleast_1d(c2))


def polymul(c1: Vector, c2: Vector) -> Vector:
    a, b = _both(c1, c2)
    return _trimmed(np.convolve(a, b))


def polymulx(c: Vector) -> Vector:
    """Return the product with x."""
    a = _series(c)
    if len(a) == 1 and a[0] == 0.0:
        return a
    return np.concatenate((a[:1] * 0.0, a))


def polydiv(c1: Vector, c2: Vector) -> tuple[Vector, Vector]:
    """Return the quotient and the remainder."""
    a, b = _both(c1, c2)
    m, n = len(a), len(b)
    if b[n - 1] == 0.0:
        raise ZeroDivisionError
    if m < n:
        return a[:1] * 0.0, a
    rest, lower = a.copy(), b[: n - 1] / b[n - 1]
    for k in range(m - n + 1):
        last = m - 1 - k
        rest[last - n + 1 : last] -= lower * rest[last]
    remainder = _trimmed(rest[: n - 1]) if n > 1 else rest[:1] * 0.0
    return rest[n - 1 :] / b[n - 1], remainder


def polyfromroots(roots: Vector) -> Vector:
    """Return the polynomial with these zeros whose first coefficient is 1."""
    zeros = np.sort(np.atleast_1d(roots) * 1.0)
    if zeros.ndim != 1:
        unsupported("polyfromroots of other than a vector", "make it one: np.ravel")
    found, nothing = np.ones(1, dtype=zeros.dtype), np.zeros(1, dtype=zeros.dtype)
    for z in zeros:
        found = np.concatenate((nothing, found)) - z * np.concatenate((found, nothing))
    return found
