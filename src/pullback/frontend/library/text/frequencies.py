"""Functions that count numbers, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text_helpers import unsupported


def bincount(x: Vector, weights: Vector | None = None, minlength: int = 0) -> Vector:
    """Return how often every int from 0 to the largest one is in x, or the sums of its weights."""
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    n = minlength
    for k in x:
        if k < 0:
            raise ValueError("'list' argument must have no negative elements")
        n = max(n, k + 1)
    if weights is None:
        counts = np.zeros(n, dtype=int)
        for k in x:
            counts[k] += 1
        return counts
    if len(weights) != len(x):
        raise ValueError("The weights and list don't have the same length.")
    sums = np.zeros(n)
    for i in range(len(x)):
        sums[x[i]] += weights[i]
    return sums


def histogram(a: Array, bins: Any = 10, range: tuple[float, float] | None = None,
              density: bool | None = None, weights: Array | None = None) -> Any:  # fmt: skip
    """Return how many numbers are in each bin, or the sums of their weights, and the bounds of the
    bins. The last bin holds both of its ends."""
    values = np.ravel(a)
    if isinstance(bins, str):
        unsupported("np.histogram with the name of a rule for its bins", "give their number")
    if isinstance(bins, int):
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        edges = _edges(values, bins, range)
    else:
        edges = np.asarray(bins)
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
    n = len(edges) - 1
    place = np.searchsorted(edges, values, "right") - 1
    if weights is None:
        counts = np.zeros(n, dtype=int)
        for i in np.arange(len(values)):
            if values[i] == edges[n]:
                counts[n - 1] += 1
            elif 0 <= place[i] < n:
                counts[place[i]] += 1
        return (counts / np.diff(edges) / np.sum(counts) if density else counts), edges
    weight = np.ravel(weights)
    if len(weight) != len(values):
        raise ValueError("weights should have the same shape as a.")
    sums = np.zeros(n)
    for i in np.arange(len(values)):
        if values[i] == edges[n]:
            sums[n - 1] += weight[i]
        elif 0 <= place[i] < n:
            sums[place[i]] += weight[i]
    return (sums / np.diff(edges) / np.sum(sums) if density else sums), edges


def histogram_bin_edges(a: Array, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    """Return the bounds of the bins of ``np.histogram``."""
    if isinstance(bins, str):
        unsupported("np.histogram_bin_edges with the name of a rule", "give their number")
    if isinstance(bins, int):
        return _edges(np.ravel(a), bins, range)
    return np.asarray(bins)


def histogram2d(x: Vector, y: Vector, bins: Any = 10, range: Any = None, density: Any = None,
                weights: Any = None) -> Any:  # fmt: skip
    """Return how many pairs of numbers are in each rectangle, or the sums of their weights, and the
    bounds of the rectangles along both axes."""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if np.ndim(bins) == 1 and len(bins) != 2:
        unsupported("np.histogram2d with the bounds of both axes as one array", "bins=(b, b)")
    several = isinstance(bins, tuple | list)
    spans = (None, None) if range is None else range
    rows = histogram_bin_edges(x, bins[0] if several else bins, spans[0])
    columns = histogram_bin_edges(y, bins[1] if several else bins, spans[1])
    n, m = len(rows) - 1, len(columns) - 1
    counts = np.zeros((n, m))
    for k in np.arange(len(x)):
        i = n - 1 if x[k] == rows[n] else np.searchsorted(rows, x[k], "right") - 1
        j = m - 1 if y[k] == columns[m] else np.searchsorted(columns, y[k], "right") - 1
        if 0 <= i < n and 0 <= j < m:
            counts[i, j] += 1.0 if weights is None else weights[k]
    if density:
        sizes = np.diff(rows)[:, None] * np.diff(columns)
        return counts / sizes / np.sum(counts), rows, columns
    return counts, rows, columns


def _edges(values: Vector, bins: int, span: tuple[float, float] | None) -> Vector:
    """Return the bounds of equal bins over a span, or over all values."""
    if span is not None:
        low, high = 1.0 * span[0], 1.0 * span[1]
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
    elif len(values) == 0:
        low, high = 0.0, 1.0
    else:
        low, high = 1.0 * np.min(values), 1.0 * np.max(values)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    if low == high:
        return np.linspace(low - 0.5, high + 0.5, bins + 1)
    return np.linspace(low, high, bins + 1)
