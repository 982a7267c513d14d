"""Sets of numbers in sorted arrays, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib._arraysetops_impl import (
    UniqueAllResult,
    UniqueCountsResult,
    UniqueInverseResult,
)

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text_helpers import unsupported


def unique_counts(x: Array, /) -> Any:
    values, counts = np.unique(x, return_counts=True, equal_nan=False)
    return UniqueCountsResult(values, counts)


def unique_inverse(x: Array, /) -> Any:
    values, inverse = np.unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverseResult(values, inverse)


def unique_all(x: Array, /) -> Any:
    values, first, inverse, counts = np.unique(x, True, True, True, equal_nan=False)
    return UniqueAllResult(values, first, inverse, counts)


def intersect1d(
    ar1: Array, ar2: Array, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the numbers that are in both arrays, sorted."""
    if return_indices:
        unsupported("np.intersect1d with return_indices=True", "np.searchsorted for the places")
    first = np.ravel(ar1) if assume_unique else np.unique(ar1)
    second = np.ravel(ar2) if assume_unique else np.unique(ar2)
    both = np.sort(np.concatenate((first, second)))
    return both[:-1][both[1:] == both[:-1]] if len(both) > 0 else both


def union1d(ar1: Array, ar2: Array) -> Vector:
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


def setdiff1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Vector:
    """Return the numbers of the first array that are not in the second one."""
    items = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return items[np.isin(items, ar2, invert=True)]


def setxor1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Vector:
    """Return the numbers that are in one array only."""
    first = np.ravel(ar1) if assume_unique else np.unique(ar1)
    second = np.ravel(ar2) if assume_unique else np.unique(ar2)
    both = np.sort(np.concatenate((first, second)))
    n = len(both)
    if n == 0:
        return both
    differs = np.full(n + 1, True)
    differs[1:n] = both[1:] != both[: n - 1]
    return both[differs[1:] & differs[:-1]]


def lexsort(keys: Any, axis: int = -1) -> Vector:
    """Return the order by the last key, among equal ones by the one before it, and so on."""
    rows = tuple(keys)
    if np.ndim(rows[0]) != 1:
        unsupported("np.lexsort of matrices", "sort the rows one by one")
    order = np.argsort(rows[0], kind="stable")
    for row in rows[1:]:
        order = order[np.argsort(np.asarray(row)[order], kind="stable")]
    return order
