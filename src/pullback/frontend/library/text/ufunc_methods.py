"""The methods ``reduce``, ``accumulate``, ``outer``, ``reduceat`` and ``at`` of NumPy's ufuncs, as
plain Python that the front end compiles (``interpret/calls.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis
from pullback.frontend.library.text.wider_reductions import in_one_axis, kept
from pullback.frontend.library.text_helpers import times, unsupported


def reduce(ufunc: Any, array: Array, axis: Any = 0, dtype: Any = None, out: None = None,
           keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:  # fmt: skip
    """Return f(f(f(a[0], a[1]), a[2]), ...) along an axis."""
    if ufunc == np.add:
        return np.sum(array, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    if ufunc == np.multiply:
        return np.prod(array, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    if dtype is not None:
        unsupported(f"{ufunc.__name__}.reduce with dtype=", "convert first: x.astype(t)")
    all_of_them = isinstance(where, bool) and where
    if ufunc == np.maximum or ufunc == np.minimum:
        if initial is None and all_of_them:
            if ufunc == np.maximum:
                return np.max(array, axis, keepdims=keepdims)
            return np.min(array, axis, keepdims=keepdims)
        if ufunc == np.maximum:
            return np.max(array, axis, keepdims=keepdims, initial=initial, where=where)
        return np.min(array, axis, keepdims=keepdims, initial=initial, where=where)
    if initial is not None or not all_of_them:
        unsupported(f"{ufunc.__name__}.reduce with initial= or where=", "choose the items first")
    if ufunc == np.logical_and:
        return np.all(array, axis, keepdims=keepdims)
    if ufunc == np.logical_or:
        return np.any(array, axis, keepdims=keepdims)
    if ufunc == np.logical_xor:
        return np.sum(np.asarray(array) != 0, axis, keepdims=keepdims) % 2 == 1
    several = np.ndim(array) > 1 if axis is None else not isinstance(axis, int) and len(axis) > 1
    if several and not _in_any_order(ufunc):
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may "
            "be specified"
        )
    lines = np.moveaxis(in_one_axis(array, axis), -1, 0)
    return kept(array, axis, _folded(ufunc, _in_type(ufunc, lines)), keepdims)


def _in_type(ufunc: Any, lines: Array) -> Array:
    """Return the lines in the type of what the ufunc gives of two of them."""
    made = ufunc(lines[:1], lines[:1])
    if made.dtype == np.bool_ and lines.dtype != np.bool_:
        unsupported(f"{ufunc.__name__} over several items", "write the loop")
    return lines if made.dtype == lines.dtype else lines.astype(made.dtype)


def _identity(ufunc: Any) -> Any:
    """Return the number from which a reduction begins, or None: it begins with the first item."""
    if ufunc == np.logaddexp or ufunc == np.logaddexp2:
        return -np.inf
    if ufunc == np.bitwise_and:
        return -1
    zero = ufunc == np.hypot or ufunc == np.gcd or ufunc == np.bitwise_or
    return 0 if zero or ufunc == np.bitwise_xor else None


def _in_any_order(ufunc: Any) -> bool:
    return ufunc == np.fmax or ufunc == np.fmin or _identity(ufunc) is not None


def _folded(ufunc: Any, lines: Array) -> Any:
    n, identity = len(lines), _identity(ufunc)
    if identity is not None:
        total = np.full(lines.shape[1:], identity).astype(lines.dtype)[()]
        for k in range(n):
            total = ufunc(total, lines[k])
        return total
    if n == 0:
        raise ValueError(
            f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
        )
    total = lines[0].copy() if lines.ndim > 1 else lines[0]
    for k in range(1, n):
        total = ufunc(total, lines[k])
    return total


def accumulate(ufunc: Any, array: Array, axis: Axis = 0, dtype: Any = None,
               out: None = None) -> Array:  # fmt: skip
    """Return the values that the reduction has item by item."""
    if np.ndim(array) == 0:
        raise TypeError("cannot accumulate on a scalar")
    if ufunc == np.add:
        return np.cumsum(array, axis, dtype=dtype)
    if ufunc == np.multiply:
        return np.cumprod(array, axis, dtype=dtype)
    if dtype is not None:
        unsupported(f"{ufunc.__name__}.accumulate with dtype=", "convert first: x.astype(t)")
    lines = np.moveaxis(np.asarray(array), axis, 0)
    running = _in_type(ufunc, lines).copy()
    for k in range(1, len(running)):
        running[k] = ufunc(running[k - 1], running[k])
    return np.moveaxis(running, 0, axis)


def outer(ufunc: Any, A: Array, B: Array, *, out: None = None) -> Array:
    """Return f(a, b) for all pairs of items."""
    first, second = A if np.ndim(A) == 0 else np.asarray(A), B if np.ndim(B) == 0 else np.asarray(B)
    if np.ndim(A) > 0:
        for _ in times(np.ndim(B)):
            first = first[..., None]
    return ufunc(first, second)


def reduceat(ufunc: Any, array: Array, indices: Any, axis: Axis = 0, dtype: Any = None,
             out: None = None) -> Array:  # fmt: skip
    """Return the reductions from each index to the next one; where that is not larger, the item."""
    lines = np.moveaxis(np.asarray(array), axis, 0)
    places, n = np.asarray(indices), len(lines)
    for k in places:
        if k < 0 or k >= n:
            raise IndexError(f"index {k} out-of-bounds in {ufunc.__name__}.reduceat [0, {n})")
    ends = np.append(places[1:], n)
    found = [
        reduce(ufunc, lines[places[i] : max(ends[i], places[i] + 1)], 0, dtype)
        for i in range(len(places))
    ]
    return np.moveaxis(np.array(found), 0, axis)


def at(ufunc: Any, a: Array, indices: Any, b: Any = None) -> None:
    """Put f(item, value), or f(item), in the place of the items at indices, one after the other."""
    places = np.asarray(indices)
    if places.ndim != 1 or places.dtype == np.bool_:
        unsupported(f"{ufunc.__name__}.at of other indices than a vector of ints", "write a loop")
    several = b is not None and np.ndim(b) > 0
    for k in range(len(places)):
        if b is None:
            a[places[k]] = ufunc(a[places[k]])
        else:
            a[places[k]] = ufunc(a[places[k]], b[k] if several else b)
