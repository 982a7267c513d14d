"""Reductions with ``where=``, ``initial=``, ``dtype=`` and several axes, as plain Python that the
front end compiles (``library/wider_calls.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import known, times, unsupported


def masked(a: Array, where: Any, value: Any) -> Array:
    """Return the array with a value where the condition does not hold."""
    items = np.asarray(a)
    if isinstance(where, bool) and where:
        return items
    return np.where(np.broadcast_to(truths(where), items.shape), items, value)


def truths(where: Any) -> Array:
    """Return the condition of ``where=``, which must be of bools."""
    condition = np.asarray(where)
    if condition.dtype != np.bool_:
        raise TypeError(
            f"Cannot cast array data from dtype('{condition.dtype}') to dtype('bool') according to "
            "the rule 'safe'"
        )
    return condition


def in_one_axis(a: Array, axis: Any) -> Array:
    """Return the array with these axes as one, the last; None stands for all of them."""
    items = np.asarray(a)
    if axis is None:
        return np.ravel(items)
    if isinstance(axis, int):
        return np.moveaxis(items, axis, -1)
    places = known(tuple(axis))
    if len(places) == 0:
        return items[..., None]
    last: tuple[int, ...] = ()
    for _ in times(len(places)):
        last = (*last, len(last) - len(places))
    moved = np.moveaxis(items, places, last)
    return np.reshape(moved, (*moved.shape[: moved.ndim - len(places)], -1))


def kept(a: Array, axis: Any, found: Any, keepdims: bool) -> Any:
    """Return what was found along these axes, with the axes of extent 1 if they are kept."""
    if not keepdims:
        return found
    if axis is None:
        return np.reshape(np.asarray(found), (1,) * np.ndim(a))
    return np.expand_dims(found, axis)


def sum(a: Array, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False,
        *, initial: Any = None, where: Any = True) -> Array:  # fmt: skip
    """Return the sum of the items for which a condition holds, and of a first number."""
    total = np.sum(masked(a, where, 0), axis, dtype, keepdims=keepdims)
    return total if initial is None else total + _first(initial, total)


def prod(a: Array, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False,
         *, initial: Any = None, where: Any = True) -> Array:  # fmt: skip
    """Return the product of the items for which a condition holds, and of a first number."""
    total = np.prod(masked(a, where, 1), axis, dtype, keepdims=keepdims)
    return total if initial is None else total * _first(initial, total)


def _first(initial: Any, items: Array) -> Any:
    """Return the first number of a reduction, in the type of the items."""
    real = items.dtype == np.float64 or items.dtype == np.float32
    return np.asarray(initial if real else int(initial)).astype(items.dtype)[()]


def mean(a: Array, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False,
         *, where: Any = True) -> Array:  # fmt: skip
    """Return the mean of the items for which a condition holds, computed in a type."""
    items = np.asarray(a) if dtype is None else np.asarray(a).astype(dtype)
    if dtype is not None and items.dtype != np.float64 and items.dtype != np.float32:
        unsupported("np.mean in a type of ints", "np.mean(x)")
    if isinstance(where, bool) and where:
        return np.mean(items, axis, keepdims=keepdims)
    total = np.sum(masked(items, where, 0), axis, keepdims=keepdims)
    count = np.sum(np.broadcast_to(where, items.shape), axis, keepdims=keepdims)
    return total / (count.astype(np.float32) if items.dtype == np.float32 else count)


def _largest(a: Array, axis: Any, keepdims: bool, initial: Any, where: Any, name: str) -> Array:
    """Return the largest item, or (by name) the least one, of those for which the condition
    holds."""
    if initial is None:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, so to use a where mask one "
            "has to specify 'initial'"
        )
    items = np.asarray(a)
    start = _first(initial, items)
    lines = in_one_axis(masked(items, where, start), axis)
    first = np.full((*lines.shape[:-1], 1), start)
    joined = np.concatenate((first, lines), axis=-1)
    found = np.max(joined, -1) if name == "maximum" else np.min(joined, -1)
    return kept(items, axis, found, keepdims)


def max(a: Array, axis: Any = None, out: None = None, keepdims: bool = False,
        *, initial: Any = None, where: Any = True) -> Array:  # fmt: skip
    """Return the largest of the items for which a condition holds, and a first number."""
    return _largest(a, axis, keepdims, initial, where, "maximum")


def min(a: Array, axis: Any = None, out: None = None, keepdims: bool = False,
        *, initial: Any = None, where: Any = True) -> Array:  # fmt: skip
    """Return the least of the items for which a condition holds, and a first number."""
    return _largest(a, axis, keepdims, initial, where, "minimum")


def any(a: Array, axis: Any = None, out: None = None, keepdims: bool = False,
        *, where: Any = True) -> Array:  # fmt: skip
    return np.any(masked(np.asarray(a) != 0, where, False), axis, keepdims=keepdims)


def all(a: Array, axis: Any = None, out: None = None, keepdims: bool = False,
        *, where: Any = True) -> Array:  # fmt: skip
    return np.all(masked(np.asarray(a) != 0, where, True), axis, keepdims=keepdims)


def var(a: Array, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0,
        keepdims: bool = False, *, where: Any = True, mean: Any = None,
        correction: Any = None) -> Array:  # fmt: skip
    """Return the variance of the items for which a condition holds."""
    items = np.asarray(a) if dtype is None else np.asarray(a).astype(dtype)
    less = ddof if correction is None else correction
    middle = np.mean(items, axis, keepdims=True, where=where) if mean is None else mean
    away = masked(items - middle, where, 0)
    total = np.sum(away * away, axis, keepdims=keepdims)
    count = np.sum(np.broadcast_to(where, items.shape), axis, keepdims=keepdims)
    free = np.maximum(count - less, 0)
    return total / (free.astype(np.float32) if total.dtype == np.float32 else free)


def std(a: Array, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0,
        keepdims: bool = False, *, where: Any = True, mean: Any = None,
        correction: Any = None) -> Array:  # fmt: skip
    """The square root of ``var``."""
    return np.sqrt(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean,
                       correction=correction))  # fmt: skip


def cumsum(a: Array, axis: Any = None, *, dtype: Any = None) -> Array:
    return np.cumsum(np.asarray(a).astype(dtype), axis)


def cumprod(a: Array, axis: Any = None, *, dtype: Any = None) -> Array:
    return np.cumprod(np.asarray(a).astype(dtype), axis)


def median(a: Array, axis: Any = None, *, keepdims: bool = False) -> Array:
    return kept(a, axis, np.median(in_one_axis(a, axis), -1), keepdims)


def norm_of_order(lines: Array, ord: float) -> Any:
    """Return the norms of the last axis by an order that only the run knows."""
    sizes = np.abs(lines)
    if ord == np.inf:
        return np.max(sizes, -1)
    if ord == -np.inf:
        return np.min(sizes, -1)
    if ord == 0.0:
        return np.sum((sizes != 0.0).astype(sizes.dtype), -1)
    if ord == 1.0:
        return np.sum(sizes, -1)
    if ord == 2.0:
        return np.linalg.norm(sizes, 2, -1)
    return np.sum(sizes**ord, -1) ** (1.0 / ord)


def quantile(a: Array, q: Any, axis: Any = None, *, method: str = "linear",
             keepdims: bool = False) -> Array:  # fmt: skip
    """Return quantiles along several axes, several of a matrix, or by another rule."""
    return _quantiles(a, np.asarray(q) if np.ndim(q) else q, axis, method, keepdims, 1.0)


def percentile(a: Array, q: Any, axis: Any = None, *, method: str = "linear",
               keepdims: bool = False) -> Array:  # fmt: skip
    return _quantiles(a, np.asarray(q) if np.ndim(q) else q, axis, method, keepdims, 100.0)


def _quantiles(a: Array, q: Any, axis: Any, method: str, keepdims: bool, scale: float) -> Array:
    if np.ndim(q) > 1:
        unsupported("quantiles at a matrix of places", "give a list of places")
    lines = in_one_axis(a, axis)
    if np.ndim(q) == 1:
        if lines.dtype == np.float32 and q.dtype != np.float32 and method == "linear":
            lines = lines.astype(np.float64)  # as NumPy has it for several places only
        found = np.stack([_quantile(lines, p, method, scale) for p in q])
        if not keepdims:
            return found
        return np.reshape(found, (len(q), *_kept_shape(a, axis)))
    return kept(a, axis, _quantile(lines, q, method, scale), keepdims)


def _kept_shape(a: Array, axis: Any) -> Any:
    """Return the shape of what is found along these axes, which are kept."""
    return np.sum(np.asarray(a), axis, keepdims=True).shape


def _quantile(lines: Array, q: Any, method: str, scale: float) -> Any:
    """Return one quantile of each line."""
    if method == "linear":
        return np.quantile(lines, q, -1) if scale == 1.0 else np.percentile(lines, q, -1)
    if lines.dtype == np.float32:
        unsupported(f"quantiles of float32 by the rule {method!r}", "x.astype(float)")
    part = q / scale
    if not 0.0 <= part <= 1.0:
        raise ValueError(
            "Quantiles must be in the range [0, 1]"
            if scale == 1.0
            else "Percentiles must be in the range [0, 100]"
        )
    n = lines.shape[-1]
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    ordered = np.sort(lines, -1)
    low = int(np.floor(part * (n - 1)))
    high = int(np.ceil(part * (n - 1)))
    if method == "lower":
        found = ordered[..., low]
    elif method == "higher":
        found = ordered[..., high]
    elif method == "nearest":
        found = ordered[..., int(np.around(part * (n - 1)))]
    elif method == "midpoint":
        found = 0.5 * (ordered[..., low] + ordered[..., high])
    else:
        unsupported(f"quantiles by the rule {method!r}", "write method='linear'")
    if ordered.dtype == np.float64:
        return np.where(np.isnan(ordered[..., n - 1]), ordered[..., n - 1], found)
    return found
