"""Functions that arrange the items of arrays anew, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Matrix, Size, Vector
from pullback.frontend.library.text_helpers import known, unsupported


def fliplr(m: Matrix) -> Matrix:
    if np.ndim(m) < 2:
        raise ValueError("Input must be >= 2-d.")
    return np.asarray(m)[:, ::-1]


def flipud(m: Array) -> Array:
    if np.ndim(m) < 1:
        raise ValueError("Input must be >= 1-d.")
    return np.asarray(m)[::-1]


def rot90(m: Array, k: int = 1, axes: Any = None) -> Array:
    """Return the array turned k times by a right angle, counterclockwise, in the plane of two
    axes."""
    plane, rank = (0, 1) if axes is None else known(tuple(axes)), np.ndim(m)
    if len(plane) != 2:
        raise ValueError("len(axes) must be 2.")
    if plane[0] == plane[1] or abs(plane[0] - plane[1]) == rank:
        raise ValueError("Axes must be different.")
    if not (-rank <= plane[0] < rank and -rank <= plane[1] < rank):
        raise ValueError(f"Axes=({plane[0]}, {plane[1]}) out of range for array of ndim={rank}.")
    if plane == (0, 1):
        return _turned(np.asarray(m), k)
    return np.moveaxis(_turned(np.moveaxis(np.asarray(m), plane, (0, 1)), k), (0, 1), plane)


def _turned(m: Array, k: int) -> Array:
    """Return the array turned in the plane of its first two axes."""
    turns = k % 4
    if turns == 0:
        return m
    if turns == 2:
        return m[::-1, ::-1]
    return np.swapaxes(m, 0, 1)[::-1] if turns == 1 else np.swapaxes(m, 0, 1)[:, ::-1]


def tri(N: Size, M: Size | None = None, k: int = 0, dtype: Any = float) -> Matrix:
    """Return ones where the column is at most the row + k, else zeros."""
    columns = np.arange(N if M is None else M)
    return (columns <= np.arange(N)[:, None] + k).astype(dtype)


def rollaxis(a: Matrix, axis: Axis, start: Axis = 0) -> Matrix:
    """Return the array with the axis moved to stand before the axis ``start``."""
    if not -np.ndim(a) <= known(axis) < np.ndim(a):
        raise np.exceptions.AxisError(axis, np.ndim(a))
    at, start = known(axis) % np.ndim(a), known(start)
    if not -np.ndim(a) <= start <= np.ndim(a):
        least, most, at = -np.ndim(a), np.ndim(a) + 1, start + np.ndim(a) * (start < 0)
        raise np.exceptions.AxisError(
            f"'start' arg requires {least} <= start < {most}, but {at} was passed in"
        )
    before = start % (np.ndim(a) + 1) if start >= 0 else start + np.ndim(a)
    return np.moveaxis(a, at, before - 1 if at < before else before)


def dstack(tup: tuple[Array, Array]) -> Array:
    """Return the arrays one after the other along the third axis, which few of them may have."""
    deep = [a if np.ndim(a) > 2 else np.atleast_2d(a)[..., None] for a in tup]
    return np.concatenate(deep, axis=2)


def diagflat(v: Array, k: int = 0) -> Matrix:
    """Return the matrix with these items on its k-th diagonal."""
    items = np.ravel(v)
    n = len(items) + abs(k)
    return np.pad(np.diag(items), ((max(-k, 0), n - len(items) - max(-k, 0)),
                                   (max(k, 0), n - len(items) - max(k, 0))))  # fmt: skip


def logspace(start: float, stop: float, num: Size = 50, endpoint: bool = True,
             base: float = 10.0, dtype: Any = None, axis: Axis = 0) -> Vector:  # fmt: skip
    if np.ndim(start) == 0 and np.ndim(stop) == 0:
        found = np.moveaxis(np.power(base, np.linspace(start, stop, num, endpoint)), 0, axis)
    else:
        found = np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))
    return found if dtype is None else found.astype(dtype)


def geomspace(start: float, stop: float, num: Size = 50, endpoint: bool = True,
              dtype: Any = None) -> Vector:  # fmt: skip
    """Return numbers in equal ratios, from start to stop."""
    if np.ndim(start) > 0 or np.ndim(stop) > 0:
        unsupported("np.geomspace of arrays", "a comprehension")
    found = _ratios(start, stop, num, endpoint)
    return found if dtype is None else found.astype(dtype)


def _ratios(start: float, stop: float, num: int, endpoint: bool) -> Vector:
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = -1.0 if start < 0 else 1.0
    powers = sign * np.logspace(np.log10(sign * start), np.log10(sign * stop), num, endpoint)
    if num > 0:
        powers[0] = start
    if num > 1 and endpoint:
        powers[-1] = stop
    return powers


def matrix_transpose(x: Matrix) -> Matrix:
    if np.ndim(x) < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {np.ndim(x)}")
    return np.swapaxes(x, -1, -2)


def fix(x: Array) -> Array:
    """Return the numbers rounded towards zero."""
    return np.trunc(x)


def append(arr: Array, values: Array, axis: Axis | None = None) -> Array:
    """Return two arrays one after the other; without an axis, their elements in C order."""
    return np.concatenate((arr, values), axis)


def triu_indices(n: Size, k: int = 0, m: Size | None = None) -> tuple[Vector, Vector]:
    """Return the rows and the columns of the places on the k-th diagonal and above."""
    rows, columns = np.nonzero(np.arange(n if m is None else m) >= np.arange(n)[:, None] + k)
    return rows, columns


def tril_indices(n: Size, k: int = 0, m: Size | None = None) -> tuple[Vector, Vector]:
    """Return the rows and the columns of the places on the k-th diagonal and below."""
    rows, columns = np.nonzero(np.arange(n if m is None else m) <= np.arange(n)[:, None] + k)
    return rows, columns
