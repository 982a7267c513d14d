"""Texts of NumPy's functions that select elements by a condition."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Matrix, Vector
from pullback.frontend.library.text_helpers import unsupported


def flatnonzero(a: Array) -> Vector:
    """Return the places of the elements that are not zero, in C order."""
    return np.nonzero(np.ravel(a))[0]


def argwhere(a: Array) -> Matrix:
    """Return the indices of the elements that are not zero, one in a row."""
    return np.stack(np.nonzero(a), 1)


def extract(condition: Array, arr: Array) -> Vector:
    """Return the elements where the condition holds, in C order."""
    return np.take(np.ravel(arr), flatnonzero(condition))


def compress(condition: Vector, a: Array, axis: Axis | None = None) -> Array:
    """Return the slices where the condition holds; it may be shorter than the axis."""
    if np.ndim(condition) != 1:
        unsupported("np.compress by a condition of several axes", "use a[condition]")
    return np.take(a, flatnonzero(condition), axis)
