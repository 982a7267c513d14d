"""Medians and quantiles of the numbers that are not NaN, as plain Python that the front end
compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.wider_reductions import in_one_axis, kept
from pullback.frontend.library.text_helpers import unsupported


def nanmedian(
    a: Array, axis: Any = None, out: None = None, *, keepdims: bool = False
) -> Array:
    """Return the median of the items that are not NaN; NaN if all are."""
    return kept(a, axis, _each_line(in_one_axis(a, axis), np.median), keepdims)


def nanquantile(a: Array, q: Any, axis: Any = None, out: None = None, *, method: str = "linear",
                keepdims: bool = False) -> Array:  # fmt: skip
    """Return quantiles of the items that are not NaN; NaN if all are."""
    if method != "linear":
        unsupported(f"np.nanquantile by the rule {method!r}", "np.quantile(x[~np.isnan(x)], q)")
    lines = in_one_axis(a, axis)
    if np.ndim(q) > 1:
        unsupported("quantiles at a matrix of places", "give a list of places")
    if np.ndim(q) == 1:
        return np.stack([kept(a, axis, _quantiles(lines, p), keepdims) for p in np.asarray(q)])
    return kept(a, axis, _quantiles(lines, q), keepdims)


def _quantiles(lines: Array, q: Any) -> Array:
    return _each_line(lines, lambda x: np.quantile(x, q))


def nanpercentile(a: Array, q: Any, axis: Any = None, out: None = None, *, method: str = "linear",
                  keepdims: bool = False) -> Array:  # fmt: skip
    if np.ndim(q) == 0:
        return nanquantile(a, q / 100.0, axis, method=method, keepdims=keepdims)
    return nanquantile(a, np.asarray(q) / 100.0, axis, method=method, keepdims=keepdims)


def _each_line(lines: Array, f: Callable[[Vector], Any]) -> Array:
    """Return what a function gives of the numbers of each line."""
    if lines.ndim == 1:
        return _of_numbers(lines, f)
    rows = np.reshape(lines, (-1, lines.shape[-1]))
    found = np.array([_of_numbers(row, f) for row in rows])
    return np.reshape(found, lines.shape[: lines.ndim - 1])


def _of_numbers(line: Vector, f: Callable[[Vector], Any]) -> Any:
    numbers = line[~np.isnan(line)]
    if line.dtype == np.float32:
        return f(numbers) if len(numbers) > 0 else np.float32(np.nan)
    return f(numbers) if len(numbers) > 0 else np.float64(np.nan)
