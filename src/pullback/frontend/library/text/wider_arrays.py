"""Functions that make and arrange arrays, with the arguments that their handlers do not take, as
plain Python that the front end compiles (``library/wider_calls.py``)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis
from pullback.frontend.library.text_helpers import known, unsupported, view_of


def concatenate(arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: str = "same_kind"
                ) -> Array:  # fmt: skip
    return _in_type(np.concatenate(arrays, axis), dtype)


def _in_type(made: Array, dtype: Any) -> Array:
    """Return the array in a type, to which NumPy converts it silently."""
    if dtype is None:
        return made
    found = made.astype(dtype)
    if _is_real(made) and not _is_real(found):
        unsupported("dtype= of ints for floats", "convert the result: x.astype(int)")
    return found


def _is_real(a: Array) -> bool:
    return bool(a.dtype == np.float64 or a.dtype == np.float32)


def stack(arrays: Any, axis: Axis = 0, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    return _in_type(np.stack(arrays, axis), dtype)


def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    if np.ndim(tup) == 1:
        return _in_type(np.array(tup)[:, None], dtype)
    return _in_type(np.vstack(tup), dtype)


def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    if np.ndim(tup) == 1:
        return _in_type(np.array(tup), dtype)
    return _in_type(np.hstack(tup), dtype)


def column_stack(tup: Any) -> Array:
    return np.array(tup)[None, :]


def take(a: Array, indices: Any, axis: Any = None, *, mode: str = "raise") -> Array:
    """Return the items at indices, which are limited to the array or counted around it."""
    n = np.size(a) if axis is None else np.shape(a)[axis]
    places = np.asarray(indices)
    if mode == "clip":
        return np.take(a, np.clip(places, 0, n - 1), axis)
    if mode == "wrap":
        return np.take(a, places % n, axis)
    return np.take(a, indices, axis)


def searchsorted(a: Array, v: Any, side: Literal["left", "right"] = "left",
                 *, sorter: Any = None) -> Array:  # fmt: skip
    return np.searchsorted(np.asarray(a)[np.asarray(sorter)], v, side)


def interp(x: Any, xp: Array, fp: Array, left: Any = None, right: Any = None,
           *, period: Any = None) -> Array:  # fmt: skip
    """Return the values between points of a function that repeats itself."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    size = np.abs(period)
    places = np.asarray(xp) % size
    order = np.argsort(places)
    points, values = places[order], np.asarray(fp)[order]
    n = len(points)
    around = np.concatenate((points[n - 1 :] - size, points, points[:1] + size))
    given = np.concatenate((values[n - 1 :], values, values[:1]))
    return np.interp(np.mod(x, size), around, given)


def meshgrid(*xi: Array, indexing: Any = "xy", sparse: bool = False, copy: bool = True) -> Any:
    """Return the grids of the coordinates, with extent 1 along the axes of the others if they are
    sparse."""
    if not sparse and not copy:
        unsupported("np.meshgrid with copy=False", "leave copy= out")
    if not sparse:
        return np.meshgrid(*xi, indexing=indexing)
    grids: tuple[Array, ...] = ()
    rank = len(xi)
    for line in xi:
        k = len(grids)
        at = 1 - k if indexing == "xy" and rank > 1 and k < 2 else k
        shape = (1,) * at + (-1,) + (1,) * (rank - 1 - at)
        grid = np.reshape(np.array(line), shape)
        grids = (*grids, grid if copy else view_of(grid, line))
    return grids


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, *, retstep: bool = False,
             dtype: Any = None, axis: Axis = 0) -> Any:  # fmt: skip
    """Return numbers at equal distances between numbers or arrays, as floats or rounded down."""
    if np.ndim(start) == 0 and np.ndim(stop) == 0:
        line = np.moveaxis(np.linspace(start, stop, num, endpoint), 0, axis)
    else:
        if num < 0:
            raise ValueError(f"Number of samples, {num}, must be non-negative.")
        low, high = 1.0 * np.asarray(start), 1.0 * np.asarray(stop)
        gaps = max(num - 1, 1) if endpoint else max(num, 1)
        step = (high - low) / gaps
        places = np.reshape(np.arange(num).astype(step.dtype), (num,) + (1,) * np.ndim(step))
        line = places * step + low
        if endpoint and num > 1:
            line[num - 1] = high
        line = np.moveaxis(line, 0, axis)
    if dtype is None:
        made = line
    else:
        made = line.astype(dtype)
        if not _is_real(made):
            made = np.floor(line).astype(dtype)
    if not retstep:
        return made
    parts = num - 1 if endpoint else num
    whole = np.float64(stop - start) if np.ndim(stop - start) == 0 else 1.0 * (stop - start)
    return made, whole / parts if parts > 0 else whole * np.nan


def diag(v: Array, k: int = 0) -> Array:
    """Return the k-th diagonal of a matrix, or the matrix with these items on it."""
    items = np.asarray(v)
    if items.ndim == 2:
        return np.diagonal(items, k)
    if items.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = len(items) + abs(k)
    whole = np.zeros((n, n)).astype(items.dtype)
    rows = np.arange(len(items)) + max(-k, 0)
    whole[rows, rows + k] = items
    return whole


def diagonal(a: Array, offset: int = 0, axis1: Axis = 0, axis2: Axis = 1) -> Array:
    """Return the items whose indices along two axes differ by the offset, along a last axis."""
    items = np.asarray(a)
    if items.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    for name, axis in (("axis1", known(axis1)), ("axis2", known(axis2))):
        if not -items.ndim <= axis < items.ndim:
            raise np.exceptions.AxisError(axis, items.ndim, name)
    first, second = known(axis1) % items.ndim, known(axis2) % items.ndim
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    moved = np.moveaxis(items, (first, second), (0, 1))
    rows, columns = moved.shape[0], moved.shape[1]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    places = np.arange(length)
    found = moved[places - min(offset, 0), places + max(offset, 0)]
    return view_of(np.moveaxis(found, 0, -1), items)


def repeat(a: Array, repeats: Any, axis: Any = None) -> Array:
    """Return each item as often as its count says."""
    counts = np.asarray(repeats)
    lines = np.ravel(a) if axis is None else np.moveaxis(np.asarray(a), axis, 0)
    n = len(lines)
    if len(counts) != n and len(counts) != 1:
        raise ValueError(
            f"operands could not be broadcast together with shape ({n},) ({len(counts)},)"
        )
    if np.any(counts < 0):
        raise ValueError("repeats may not contain negative values.")
    ends = np.cumsum(np.broadcast_to(counts, (n,)))
    total = ends[n - 1] if n > 0 else 0
    longer = lines[np.searchsorted(ends, np.arange(total), "right")]
    return longer if axis is None else np.moveaxis(longer, 0, axis)


def roll(a: Array, shift: Any) -> Array:
    """Return the items in C order, moved on by so many places, in the shape of the array."""
    return np.reshape(np.roll(np.ravel(a), shift), np.shape(a))


def size(a: Array, axis: Any = None) -> Any:
    if axis is None:
        return np.size(a)
    if isinstance(axis, int):
        return np.shape(a)[axis]
    unsupported("np.size along several axes", "write the product of a.shape")


def cross(a: Array, b: Array, axisa: Axis = -1, axisb: Axis = -1, axisc: Axis = -1,
          axis: Any = None) -> Array:  # fmt: skip
    """Return the cross products of vectors that lie along other axes than the last."""
    first = np.moveaxis(np.asarray(a), axisa if axis is None else axis, -1)
    second = np.moveaxis(np.asarray(b), axisb if axis is None else axis, -1)
    return np.moveaxis(np.cross(first, second), -1, axisc if axis is None else axis)


def squeezed(a: Array, axes: tuple[int, ...]) -> Array:
    """Return the array without those of the axes, the last ones first, that have one item only:
    the run knows how many are left."""
    for k in axes:
        if a.shape[k] == 1:
            a = np.squeeze(a, k)
    return a
