"""Comparisons and products of whole arrays, as plain Python that the front end compiles."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Matrix


def isclose(a: Array, b: Array, rtol: float = 1e-05, atol: float = 1e-08) -> Array:
    """Return |a - b| <= atol + rtol * |b|; infinities are close to themselves."""
    x, y = np.asarray(a), 1.0 * np.asarray(b)  # floats, so that no int overflows
    return (np.abs(x - y) <= atol + rtol * np.abs(y)) & np.isfinite(y) | (x == y)


def allclose(a: Array, b: Array, rtol: float = 1e-05, atol: float = 1e-08) -> bool:
    return bool(np.all(np.isclose(a, b, rtol, atol)))


def array_equal(a1: Array, a2: Array) -> bool:
    a, b = np.asarray(a1), np.asarray(a2)
    if a.ndim != b.ndim or a.shape != b.shape:
        return False
    return bool(np.all(a == b))


def vecdot(x1: Array, x2: Array, *, axis: Axis = -1) -> Array:
    return np.sum(np.multiply(x1, x2), axis=axis)


def outer(a: Array, b: Array) -> Matrix:
    """Return all products of an item of one vector with an item of another."""
    return np.ravel(a)[:, None] * np.ravel(b)


def trace(a: Matrix, offset: int = 0) -> Array:
    """The sum of a diagonal."""
    m = np.asarray(a)
    return np.sum(np.diagonal(m[:, offset:] if offset >= 0 else m[-offset:]))
