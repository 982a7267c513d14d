"""Grids of coordinates and of indices, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Matrix, Size, Vector
from pullback.frontend.library.text_helpers import times, unsupported


def ix_(*args: Any) -> tuple[Array, ...]:
    """Return the indices of all rows and columns that are named, as arrays that broadcast."""
    result: tuple[Array, ...] = ()
    rank = len(args)
    for line in args:
        places = np.asarray(line)
        if places.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if places.dtype == np.bool_:
            places = np.flatnonzero(places)
        elif isinstance(line, list | tuple) and len(line) == 0:
            places = places.astype(int)
        k = len(result)
        result = (*result, np.reshape(places, (1,) * k + (-1,) + (1,) * (rank - 1 - k)))
    return result


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """Return the indices of all items of an array of this shape, axis by axis."""
    lines: tuple[Vector, ...] = ()
    sizes = tuple(dimensions)
    for _ in times(len(sizes)):
        lines = (*lines, np.arange(sizes[len(lines)]).astype(dtype))
    if sparse:
        return np.meshgrid(*lines, indexing="ij", sparse=True)
    return np.stack(np.meshgrid(*lines, indexing="ij"))


def diag_indices(n: Size, ndim: Size = 2) -> tuple[Vector, ...]:
    """Return the indices of the items on the diagonal."""
    result: tuple[Vector, ...] = ()
    for _ in times(ndim):
        result = (*result, np.arange(n))
    return result


def diag_indices_from(arr: Array) -> tuple[Vector, ...]:
    if np.ndim(arr) < 2:
        raise ValueError("input array must be at least 2-d")
    n = len(arr)
    for size in np.shape(arr):
        if size != n:
            raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(n, np.ndim(arr))


def tril_indices_from(arr: Matrix, k: int = 0) -> tuple[Vector, ...]:
    if np.ndim(arr) != 2:
        raise ValueError("input array must be 2-d")
    return np.tril_indices(len(arr), k, np.shape(arr)[1])


def triu_indices_from(arr: Matrix, k: int = 0) -> tuple[Vector, ...]:
    if np.ndim(arr) != 2:
        raise ValueError("input array must be 2-d")
    return np.triu_indices(len(arr), k, np.shape(arr)[1])


def broadcast_shapes(*args: Any) -> tuple[int, ...]:
    """Return the shape to which arrays of these shapes broadcast."""
    rank = 0
    for shape in args:
        if isinstance(shape, int):
            unsupported("np.broadcast_shapes of ints", "give it tuples: (n,)")
        rank = max(rank, len(shape))
    arrays = tuple(np.empty(shape) for shape in args)
    return np.broadcast_arrays(*arrays)[0].shape if rank > 0 else ()
