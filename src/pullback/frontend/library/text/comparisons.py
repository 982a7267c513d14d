"""Comparisons and products of whole arrays, as plain Python that the front end compiles."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Matrix
from pullback.frontend.library.text_helpers import known


def isclose(
    a: Array, b: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Array:
    """Return |a - b| <= atol + rtol * |b|; infinities are close to themselves."""
    x, y = np.asarray(a), 1.0 * np.asarray(b)  # floats, so that no int overflows
    near = (np.abs(x - y) <= atol + rtol * np.abs(y)) & np.isfinite(y) | (x == y)
    return near | (np.isnan(x) & np.isnan(y)) if equal_nan else near


def allclose(
    a: Array, b: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> bool:
    a, b = np.asarray(a1), np.asarray(a2)
    if a.ndim != b.ndim or a.shape != b.shape:
        return False
    if equal_nan:
        return bool(np.all((a == b) | (np.isnan(a) & np.isnan(b))))
    return bool(np.all(a == b))


def isneginf(x: Array, out: None = None) -> Array:
    return np.asarray(x) == -np.inf


def isposinf(x: Array, out: None = None) -> Array:
    return np.asarray(x) == np.inf


def vecdot(x1: Array, x2: Array, *, axis: Axis = -1) -> Array:
    return np.sum(np.multiply(x1, x2), axis=axis)


def outer(a: Array, b: Array) -> Matrix:
    """Return all products of an item of one vector with an item of another."""
    return np.ravel(a)[:, None] * np.ravel(b)


def trace(a: Matrix, offset: int = 0, axis1: Axis = 0, axis2: Axis = 1) -> Array:
    """The sum of a diagonal, or of those along two axes."""
    m = np.asarray(a)
    if m.ndim != 2 or known(axis1) != 0 or known(axis2) != 1:
        return np.sum(np.diagonal(m, offset, axis1, axis2), axis=-1)
    return np.sum(np.diagonal(m[:, offset:] if offset >= 0 else m[-offset:]))
