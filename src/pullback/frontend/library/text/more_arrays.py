"""Functions that convert and multiply arrays, in plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text_helpers import go_together, unsupported


def astype(x: Array, dtype: Any, /, *, copy: bool = True) -> Array:
    return x.astype(dtype, copy=copy)


def require(a: Array, dtype: Any = None, requirements: Any = None) -> Array:
    """Return an array of a type; how it lies in memory changes nothing here."""
    return np.ascontiguousarray(a, dtype) if np.ndim(a) > 0 else np.asarray(a, dtype)


def asarray_chkfinite(a: Array, dtype: Any = None, order: str | None = None) -> Array:
    items = np.asarray(a, dtype)
    if not np.all(np.isfinite(items)):
        raise ValueError("array must not contain infs or NaNs")
    return items


def array_equiv(a1: Array, a2: Array) -> bool:
    """Return whether two arrays are equal once they are broadcast to one shape."""
    first, second = np.asarray(a1), np.asarray(a2)
    if first.ndim != second.ndim:
        unsupported("np.array_equiv of arrays of several ranks", "np.all(a == b)")
    for n, m in zip(first.shape, second.shape, strict=True):
        if n != m and n != 1 and m != 1:
            return False
    go_together(first, second)
    return bool(np.all(first == second))



def matvec(x1: Matrix, x2: Vector, /) -> Array:
    """Return the products of matrices and vectors, whose stacks are broadcast."""
    return (np.asarray(x1) @ np.asarray(x2)[..., None])[..., 0]


def vecmat(x1: Vector, x2: Matrix, /) -> Array:
    return (np.asarray(x1)[..., None, :] @ np.asarray(x2))[..., 0, :]


def unstack(x: Array, /, *, axis: int = 0) -> Any:
    """Return the parts of an array along an axis."""
    moved = np.moveaxis(np.asarray(x), axis, 0)
    return tuple(row for row in moved)


def resize(a: Array, new_shape: Any) -> Array:
    """Return the items of an array, repeated or cut off, in a shape."""
    items = np.ravel(a)
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    size = 1
    for n in shape:
        size *= n
    if len(items) == 0:
        return np.zeros(shape).astype(items.dtype)
    return np.reshape(items[np.arange(size) % len(items)], shape)


def trim_zeros(filt: Vector, trim: str = "fb") -> Vector:
    """Return a vector without the zeros at its ends."""
    items = np.asarray(filt)
    if items.ndim != 1:
        unsupported("np.trim_zeros of other arrays than vectors", "a[first:last]")
    there = np.flatnonzero(items != 0)
    n = len(items)
    if len(there) == 0:
        return items[:0]
    first = there[0] if "f" in trim or "F" in trim else 0
    last = there[len(there) - 1] + 1 if "b" in trim or "B" in trim else n
    return items[first:last]
