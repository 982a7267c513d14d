"""Functions that sort numbers into classes, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pullback.frontend.library.text.domains import Array, Growing


def digitize(x: Array, bins: Growing, right: bool = False) -> Array:
    """Return for every number the index of the bin in which it is. The bounds grow or fall."""
    bounds = np.asarray(bins)
    n = len(bounds)
    side: Literal["left", "right"] = "left" if right else "right"
    if n == 0 or np.all(bounds[1:] >= bounds[:-1]):
        return np.searchsorted(bounds, x, side)
    if not np.all(bounds[1:] <= bounds[:-1]):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return n - np.searchsorted(bounds[::-1], x, side)


def isin(element: Array, test_elements: Array, assume_unique: bool = False,
         invert: bool = False) -> Array:  # fmt: skip
    """Return for every item whether it is among the test elements."""
    known = np.sort(np.ravel(test_elements))
    items = np.asarray(element)
    n = len(known)
    if n == 0:
        found = np.full(items.shape, False)
    else:
        place = np.searchsorted(known, np.ravel(items))
        found = np.reshape(known[np.minimum(place, n - 1)] == np.ravel(items), items.shape)
    return ~found if invert else found


def unique(ar: Array, return_index: bool = False, return_inverse: bool = False,
           return_counts: bool = False, *, equal_nan: bool = True) -> Any:  # fmt: skip
    """Return the different numbers, sorted; also the place of the first of each, the place in the
    result of each item, and how often each occurs."""
    flat = np.ravel(ar)
    order = np.argsort(flat, kind="stable")
    items = flat[order]
    n = len(items)
    first = np.full(n, True)
    before, behind = items[: max(n - 1, 0)], items[1:]
    first[1:] = behind != before
    if equal_nan:
        first[1:] &= (behind == behind) | (before == before)
    numbers = items[first]
    result: tuple[Any, ...] = (numbers,)
    if return_index:
        result = (*result, order[first])
    if return_inverse:
        inverse = np.zeros(n, dtype=int)
        inverse[order] = np.cumsum(first) - 1
        result = (*result, np.reshape(inverse, np.shape(ar)))
    if return_counts:
        starts = np.append(np.flatnonzero(first), n)
        result = (*result, np.diff(starts))
    return numbers if len(result) == 1 else result
