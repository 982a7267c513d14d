"""Functions that put values into arrays, and that go through lines of arrays, as plain Python that
the front end compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis
from pullback.frontend.library.text_helpers import known, times, unsupported

Function = Callable[..., Any]


def put(a: Array, ind: Any, v: Any, mode: str = "raise") -> None:
    """Set the items at places in C order to values, which are repeated."""
    places, values = np.ravel(ind), np.ravel(v)
    n, count = np.size(a), len(values)
    for k in range(len(places)):
        at = places[k]
        if mode == "clip":
            at = min(max(at, 0), n - 1)
        elif mode == "wrap":
            at = at % n
        elif at < -n or at >= n:
            raise IndexError(f"index {at} is out of bounds for axis 0 with size {n}")
        if count > 0:
            a.flat[at] = values[k % count]


def place(arr: Array, mask: Any, vals: Any) -> None:
    """Set the items where a mask holds to values, one after the other, which are repeated."""
    places, values = np.flatnonzero(mask), np.ravel(vals)
    if len(values) == 0 and len(places) > 0:
        raise ValueError("Cannot insert from an empty array!")
    for k in range(len(places)):
        arr.flat[places[k]] = values[k % len(values)]


def putmask(a: Array, mask: Any, values: Any) -> None:
    """Set the items where a mask holds to the values that stand at their own places."""
    places, given = np.flatnonzero(mask), np.ravel(values)
    for k in range(len(places)):
        if len(given) > 0:
            a.flat[places[k]] = given[places[k] % len(given)]


def put_along_axis(arr: Array, indices: Array, values: Any, axis: Any) -> None:
    """Set the items that ``np.take_along_axis`` takes."""
    places = np.asarray(indices)
    if axis is None:
        if arr.ndim != 1:
            unsupported("np.put_along_axis of several axes with axis=None", "np.ravel it first")
        arr[places] = values
    else:
        if places.ndim != arr.ndim:
            raise ValueError("`indices` and `arr` must have the same number of dimensions")
        if not -arr.ndim <= known(axis) < arr.ndim:
            raise np.exceptions.AxisError(axis, arr.ndim)
        at = known(axis) % arr.ndim
        given = np.broadcast_to(values, places.shape)
        if arr.ndim == 1:
            arr[places] = given
        elif arr.ndim == 2:
            for i in range(places.shape[1 - at]):
                for k in range(places.shape[at]):
                    if at == 0:
                        arr[places[k, i], i] = given[k, i]
                    else:
                        arr[i, places[i, k]] = given[i, k]
        else:
            unsupported("np.put_along_axis of more than two axes", "write the loops")


def apply_along_axis(func1d: Function, axis: Axis, arr: Array, *args: Any) -> Array:
    """Return what a function gives of all lines along an axis."""
    items = np.asarray(arr)
    lines = np.moveaxis(items, axis, -1)
    shape = lines.shape[: items.ndim - 1]
    size = 1
    for n in shape:
        size *= n
    if size == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    rows = np.reshape(lines, (size, lines.shape[-1]))
    found = np.array([func1d(row, *args) for row in rows])
    if found.ndim == 1:
        return np.reshape(found, shape) if items.ndim > 1 else np.asarray(found[0])
    whole = np.reshape(found, shape + found.shape[1:])
    if found.ndim == 2:
        return np.moveaxis(whole, -1, axis)
    unsupported("np.apply_along_axis of a function that gives matrices", "a comprehension")


def apply_over_axes(func: Function, a: Array, axes: Any) -> Array:
    """Return what a function gives along one axis after the other, which are kept."""
    found = np.asarray(a)
    left = (axes,) if isinstance(axes, int) else tuple(axes)
    for _ in times(len(left)):
        axis = known(left[0])
        made = func(found, axis)
        if np.ndim(made) == found.ndim:
            found = made
        else:
            found = np.expand_dims(made, axis)
        left = left[1:]
    return found


def fromiter(iter: Any, dtype: Any, count: int = -1) -> Array:
    """Return the array of the items of an iterable, or of the first ones."""
    items = np.array([v for v in iter])
    if count > len(items):
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} "
                         "items.")  # fmt: skip
    chosen = items if count < 0 else items[:count]
    return chosen.astype(dtype)
