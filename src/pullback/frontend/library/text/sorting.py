"""Sorting, searching and counting, as plain Python that the front end compiles
(``compiled_text``)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Vector = Any
"""A NumPy array of rank 1; mypy would demand casts that plain Python does not need."""


def nonzero(mask: Vector) -> Vector:
    """Return the places where the mask is true."""
    n = mask.shape[0]
    found = np.zeros(n, dtype=np.int64)
    count = 0
    for i in range(n):
        if mask[i]:
            found[count] = i
            count += 1
    return found[:count]


def below(x: float, y: float) -> bool:
    """Return whether x is sorted before y: NaN comes last."""
    return x < y or (y != y and x == x)


def argsort(x: Vector) -> Vector:
    """Return the places of the elements in ascending order; equal ones in their order."""
    return places_in_order(x, below)


def places_in_order(x: Any, before: Callable[[Any, Any], bool]) -> Vector:
    """Return the places of the items of an array or list in an order; of two of which none is
    before the other one, the order stays (merge sort)."""
    n = len(x)
    order = np.zeros((2, n), dtype=np.int64)
    for i in range(n):
        order[0, i] = i
    side, width = 0, 1
    while width < n:
        low = 0
        while low < n:
            middle = min(low + width, n)
            high = min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                left = j >= high
                if i < middle and j < high:
                    left = not before(x[order[side, j]], x[order[side, i]])
                if left:
                    order[1 - side, k] = order[side, i]
                    i += 1
                else:
                    order[1 - side, k] = order[side, j]
                    j += 1
            low = high
        side = 1 - side
        width = 2 * width
    return order[side]


def is_less(x: Any, y: Any) -> bool:
    return bool(x < y)


def is_greater(x: Any, y: Any) -> bool:
    """Return whether x comes before y in a list that is sorted backwards."""
    return bool(y < x)


def search_left(a: Vector, x: float) -> int:
    """Return the number of elements of the sorted ``a`` that are below x."""
    low, high = 0, a.shape[0]
    while low < high:
        middle = (low + high) // 2
        if below(a[middle], x):
            low = middle + 1
        else:
            high = middle
    return low


def search_right(a: Vector, x: float) -> int:
    """Return the number of elements of the sorted ``a`` that are not above x."""
    low, high = 0, a.shape[0]
    while low < high:
        middle = (low + high) // 2
        if below(x, a[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def interpolated(x: float, xp: Vector, fp: Vector, left: float, right: float) -> float:
    """Return ``np.interp`` at one place: linear between the points, ``left`` and ``right``
    outside."""
    n = xp.shape[0]
    if x != x:
        result = x
    elif x < xp[0]:
        result = left
    elif x > xp[n - 1]:
        result = right
    else:
        j = search_right(xp, x) - 1
        if j >= n - 1:
            result = fp[n - 1]
        else:
            slope = (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j])
            result = slope * (x - xp[j]) + fp[j]
    return result


def quantile(ordered: Vector, q: float) -> float:
    """Return the quantile, linear between the two nearest of the sorted elements, as NumPy
    interpolates."""
    n = ordered.shape[0]
    place = q * (n - 1)
    low = min(int(place), n - 1)
    high = min(low + 1, n - 1)
    t = place - low
    a, b = ordered[low], ordered[high]
    result = b - (b - a) * (1.0 - t) if t >= 0.5 else a + (b - a) * t
    if ordered[n - 1] != ordered[n - 1]:
        result = ordered[n - 1]
    return result


def median(ordered: Vector) -> float:
    """Return the middle of the sorted elements, or the mean of the two in the middle."""
    n = ordered.shape[0]
    if n == 0:
        return math.nan
    high = ordered[n // 2]
    result = high if n % 2 == 1 else (ordered[n // 2 - 1] + high) / 2.0
    if ordered[n - 1] != ordered[n - 1]:
        result = ordered[n - 1]
    return result


def joined(arrays: Any) -> Any:
    """Return the arrays one after the other along the first axis."""
    if len(arrays) == 0:
        raise ValueError("need at least one array to concatenate")
    first = arrays[0]
    n = 0
    for a in arrays:
        if a.shape[1:] != first.shape[1:]:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match"
            )
        n += a.shape[0]
    out = np.zeros((n, *first.shape[1:]), dtype=first.dtype)
    start = 0
    for a in arrays:
        out[start : start + a.shape[0]] = a
        start += a.shape[0]
    return out


def joined_along(arrays: Any, axis: int) -> Any:
    """Return the arrays one after the other along another axis."""
    return np.swapaxes(joined([np.swapaxes(a, 0, axis) for a in arrays]), 0, axis)


def joined_flat(arrays: Any) -> Any:
    """Return all elements of the arrays in one vector."""
    return joined([a.ravel() for a in arrays])
