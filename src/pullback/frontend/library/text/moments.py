"""Sums without NaN, averages and covariances, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Gaps, Matrix, Weights
from pullback.frontend.library.text_helpers import same_shape, unsupported


def _filled(a: Gaps, value: float) -> Array:
    """Return the array with this value in place of NaN."""
    items = np.asarray(a)
    return np.where(np.isnan(items), value, items) if _is_real(items) else items


def _is_real(a: Gaps) -> bool:
    """Whether an array may have NaN in it."""
    items = np.asarray(a)
    return items.dtype == np.float64 or items.dtype == np.float32


def nansum(a: Gaps, axis: Axis | None = None, *, keepdims: bool = False) -> Array:
    """Return the sum of the items that are not NaN."""
    return np.sum(_filled(a, 0), axis=axis, keepdims=keepdims)


def nanprod(a: Gaps, axis: Axis | None = None, *, keepdims: bool = False) -> Array:
    """Return the product of the items that are not NaN."""
    return np.prod(_filled(a, 1), axis=axis, keepdims=keepdims)


def nanmax(a: Gaps, axis: Axis | None = None, *, keepdims: bool = False) -> Array:
    """Return the largest of the items that are not NaN; NaN if all are."""
    if not _is_real(a):
        return np.max(a, axis=axis, keepdims=keepdims)
    largest = np.max(_filled(a, -np.inf), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, largest)


def nanmin(a: Gaps, axis: Axis | None = None, *, keepdims: bool = False) -> Array:
    """Return the least of the items that are not NaN; NaN if all are."""
    if not _is_real(a):
        return np.min(a, axis=axis, keepdims=keepdims)
    least = np.min(_filled(a, np.inf), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, least)


def nancumsum(a: Gaps, axis: Axis | None = None) -> Array:
    """Return running sums, in which NaN counts as 0."""
    return np.cumsum(_filled(a, 0), axis=axis)


def nancumprod(a: Gaps, axis: Axis | None = None) -> Array:
    """Return running products, in which NaN counts as 1."""
    return np.cumprod(_filled(a, 1), axis=axis)


def cumulative_sum(
    x: Array, /, *, axis: Axis | None = None, include_initial: bool = False
) -> Array:
    """Return running sums; a matrix needs an axis."""
    if axis is None and np.ndim(x) != 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` is required.")
    sums = np.cumsum(x, axis=0 if axis is None else axis)
    return _behind(sums, 0, axis) if include_initial else sums


def _behind(found: Array, initial: int, axis: int | None) -> Array:
    """Return what is accumulated behind that of no number."""
    turned = np.moveaxis(found, 0 if axis is None else axis, -1)
    first = np.full_like(turned[..., :1], initial)
    return np.moveaxis(np.concatenate((first, turned), axis=-1), -1, 0 if axis is None else axis)


def cumulative_prod(
    x: Array, /, *, axis: Axis | None = None, include_initial: bool = False
) -> Array:
    """Return running products; a matrix needs an axis."""
    if axis is None and np.ndim(x) != 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` is required.")
    products = np.cumprod(x, axis=0 if axis is None else axis)
    return _behind(products, 1, axis) if include_initial else products


def nanmean(a: Gaps, axis: Axis | None = None, *, keepdims: bool = False) -> Array:
    """Return the mean of the items that are not NaN."""
    total = np.nansum(a, axis=axis, keepdims=keepdims)
    count = np.sum(~np.isnan(a), axis=axis, keepdims=keepdims)
    return total / (count.astype(total.dtype) if total.dtype == np.float32 else count)


def nanargmax(a: Gaps, axis: Axis | None = None, *, keepdims: bool = False) -> Array:
    """Return the place of the largest of the items that are not NaN."""
    if _is_real(a) and np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmax(_filled(a, -np.inf), axis=axis, keepdims=keepdims)


def nanargmin(a: Gaps, axis: Axis | None = None, *, keepdims: bool = False) -> Array:
    """Return the place of the least of the items that are not NaN."""
    if _is_real(a) and np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmin(_filled(a, np.inf), axis=axis, keepdims=keepdims)


def nanvar(
    a: Gaps, axis: Axis | None = None, *, ddof: float = 0, keepdims: bool = False
) -> Array:
    """Return the variance of the items that are not NaN; NaN where there are too few."""
    there = ~np.isnan(a)
    away = np.where(there, a - np.nanmean(a, axis=axis, keepdims=True), 0.0)
    total = np.sum(away * away, axis=axis, keepdims=keepdims)
    free = np.sum(there, axis=axis, keepdims=keepdims).astype(total.dtype) - ddof
    return total / np.where(free > 0.0, free, np.nan)


def nanstd(
    a: Gaps, axis: Axis | None = None, *, ddof: float = 0, keepdims: bool = False
) -> Array:
    """The square root of ``nanvar``."""
    return np.sqrt(np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims))


def average(
    a: Array, axis: Any = None, weights: Weights | None = None, returned: bool = False, *,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the mean, or the sum of a * weights divided by that of the weights, which have the
    shape of a, or are a vector along one axis. ``returned``: also the sums of the weights."""
    values = np.asarray(a)
    if returned:
        found = average(values, axis, weights, keepdims=keepdims)
        parts = np.ones_like(values) if weights is None else np.asarray(weights)
        if np.ndim(parts) < values.ndim:
            parts = np.moveaxis(np.broadcast_to(parts, np.moveaxis(values, axis, -1).shape), -1,
                                axis)  # fmt: skip
        total = np.sum(parts, axis=axis, keepdims=keepdims)
        return found, total + 0.0 if found.dtype == np.float64 else total
    if weights is None:
        mean = np.mean(values, axis=axis, keepdims=keepdims)
        if np.size(mean) == 0:
            raise ZeroDivisionError("division by zero")
        return mean
    parts = np.asarray(weights)
    if values.ndim != parts.ndim:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if parts.ndim != 1:
            whole = "give w the shape of a: w = np.broadcast_to(w[:, :, None], a.shape)"
            unsupported("np.average with weights of several axes, but not of all", whole)
        rows = np.moveaxis(values, axis, -1)
        if rows.shape[-1] != len(parts):
            raise ValueError(
                "Shape of weights must be consistent with shape of a along specified axis."
            )
        found = average(rows, -1, np.broadcast_to(parts, rows.shape))
        return np.expand_dims(found, axis) if keepdims else found
    same_shape(values, parts, "Shape of weights must be consistent with shape of a")
    total = np.sum(parts, axis=axis, keepdims=keepdims)
    if np.any(total == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return np.sum(values * parts, axis=axis, keepdims=keepdims) / total


def cov(
    m: Matrix, y: Matrix | None = None, rowvar: bool = True, bias: bool = False,
    ddof: int | None = None, fweights: Any = None, aweights: Any = None,
) -> Matrix:
    """Return the covariances of the rows (of the columns, if not ``rowvar``), whose observations
    may be repeated (``fweights``) or weighed (``aweights``)."""
    rows = np.atleast_2d(m)
    rows = rows if rowvar or np.ndim(m) == 1 else rows.T
    if y is not None:
        more = np.atleast_2d(y)
        rows = np.concatenate((rows, more if rowvar or np.ndim(y) == 1 else more.T), axis=0)
    if fweights is not None or aweights is not None:
        found = _weighed(rows, fweights, aweights, (0 if bias else 1) if ddof is None else ddof)
        return found[0, 0] if np.ndim(m) == 1 and y is None else found
    away = rows - np.mean(rows, axis=1, keepdims=True)
    free = rows.shape[1] - ((0 if bias else 1) if ddof is None else ddof)
    found = away @ away.T * np.true_divide(1.0, max(free, 0))
    if np.ndim(m) == 1 and y is None:
        return found[0, 0]
    if len(rows) == 1:
        raise ValueError("np.cov of a matrix of one row is not supported: give the row itself")
    return found


def _weighed(rows: Matrix, fweights: Any, aweights: Any, less: Any) -> Matrix:
    """Return the covariances of weighed observations."""
    if fweights is not None:
        counts = np.asarray(fweights)
        floats = counts.dtype == np.float64 or counts.dtype == np.float32
        if floats and len(rows) > 0 and np.any(counts != np.around(counts)):
            raise TypeError("fweights must be integer")
        _check_weights(counts, rows, "fweights")
    if aweights is not None:
        _check_weights(np.asarray(aweights), rows, "aweights")
    if fweights is None:
        weights = np.asarray(aweights) * 1.0
    elif aweights is None:
        weights = np.asarray(fweights) * 1.0
    else:
        weights = np.asarray(fweights) * np.asarray(aweights)
    total = np.sum(weights)
    away = rows - np.sum(rows * weights, axis=1, keepdims=True) / total
    if aweights is None:
        free = total - less
    else:
        free = total - less * np.sum(weights * np.asarray(aweights)) / total
    return (away * weights) @ away.T / np.maximum(free, 0.0)


def _check_weights(weights: Array, rows: Matrix, name: str) -> None:
    if len(rows) == 0:
        return  # NumPy looks at no weights there
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if len(weights) != rows.shape[1]:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if np.any(weights < 0):
        raise ValueError(f"{name} cannot be negative")


def corrcoef(x: Matrix, y: Matrix | None = None, rowvar: bool = True) -> Matrix:
    """Return the covariances divided by the deviations, limited to -1 to 1."""
    c = np.cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    deviation = np.sqrt(np.diagonal(c))
    return np.clip(c / deviation[:, None] / deviation, -1.0, 1.0)
