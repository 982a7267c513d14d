"""Minima by conjugate gradients, as plain Python that the front end compiles: the method of E.
Polak, G. Ribiere and M. J. D. Powell with the condition of J. C. Gilbert and J. Nocedal (1992), and
Newton's method with inner conjugate gradients (J. Nocedal and S. J. Wright, *Numerical
Optimization* (1999), algorithms 5.4 and 6.1), with the ends that SciPy follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text.line_searches import Sloped, searched
from pullback.frontend.library.text.search_callbacks import STOPPED, Told

_EPS = float(np.finfo(float).eps)

Descended = tuple[Vector, int, int, int, int]
"""The place, the number of rounds, how often the function and its gradient were called, how it
ended."""


def first_length(value: float, before: float, along: float) -> float:
    """Return the first step that is tried along a line."""
    if along == 0.0:
        return 1.0
    t = min(1.0, 2.02 * (value - before) / along)
    return 1.0 if t < 0.0 else t


def by_conjugates(pair: Sloped, x: Vector, gtol: float, most: int, c1: float, c2: float,
                  tell: Told) -> Descended:  # fmt: skip
    value, slope = pair(x)
    calls, slopes, status, k = 1, 1, 0, 0
    before = value + math.sqrt(slope @ slope) / 2.0
    way, largest = -slope, np.max(np.abs(slope))
    while largest > gtol and k < most:
        size, along = slope @ slope, slope @ way

        def turned(gradient: Vector, slope: Vector = slope, way: Vector = way,
                   size: float = size) -> Vector:  # fmt: skip
            return -gradient + max(0.0, (gradient - slope) @ gradient / size) * way

        def descends(t: float, gradient: Vector, slope: Vector = slope, way: Vector = way,
                     size: float = size) -> bool:  # fmt: skip
            steep = turned(gradient, slope, way, size) @ gradient
            flat = np.max(np.abs(gradient)) <= gtol
            return bool(flat or steep <= -0.01 * (gradient @ gradient))

        found, t, new, gradient, more, sloped = searched(
            pair, x, way, value, along, first_length(value, before, along), c1, c2, 1e-100, 1e100,
            descends,
        )  # fmt: skip
        calls, slopes = calls + more, slopes + sloped
        if not found:
            status = 2
            break
        x = x + t * way
        way, slope, before, value = turned(gradient), gradient, value, new
        largest = np.max(np.abs(slope))
        k += 1
        if tell(x, value):
            status = STOPPED
            break
    if status == 0 and k >= most:
        status = 1
    elif status == 0 and (np.isnan(largest) or np.isnan(value) or np.any(np.isnan(x))):
        status = 3
    return x, k, calls, slopes, status


def _newton_way(product: Callable[[Vector, Vector], Vector], x: Vector,
                slope: Vector) -> tuple[Vector, bool, int]:  # fmt: skip
    """Return the direction to the least of the quadratic model, nearly, whether it was found, and
    the number of products with the Hessian."""
    n, size = x.size, np.sum(np.abs(slope))
    enough = min(0.5, math.sqrt(size)) * size
    way, rest, side = np.zeros(n), 1.0 * slope, -slope
    square = rest @ rest
    for i in range(20 * n):
        if np.sum(np.abs(rest)) <= enough:
            return way, True, i
        bent = product(x, side)
        curved = side @ bent
        if 0.0 <= curved <= 3.0 * _EPS:
            return way, True, i + 1
        if curved < 0.0:
            return (way if i > 0 else square / -curved * -slope), True, i + 1
        t = square / curved
        way, rest = way + t * side, rest + t * bent
        after = rest @ rest
        side, square = -rest + after / square * side, after
    return way, False, 20 * n


def by_newton(pair: Sloped, product: Callable[[Vector, Vector], Vector], x: Vector, xtol: float,
              most: int, c1: float, c2: float, each: int, tell: Told) -> Descended:  # fmt: skip
    """``each``: how often a product with the Hessian calls the gradient."""
    value, slope = pair(x)
    calls, slopes, k, before, moved = 1, 1, 0, math.nan, math.inf
    while moved > x.size * xtol:
        if k >= most:
            return x, k, calls, slopes, 1
        way, found, more = _newton_way(product, x, slope)
        slopes += max(each * more - 1, 0)
        if not found:
            return x, k, calls, slopes, 3
        along = slope @ way
        t = 1.0 if math.isnan(before) else first_length(value, before, along)
        found, t, new, gradient, more, sloped = searched(
            pair, x, way, value, along, t, c1, c2, 1e-8, 50.0, lambda t, g: True
        )
        calls, slopes = calls + more, slopes + sloped
        if not found:
            return x, k, calls, slopes, 2
        x, before, value, slope = x + t * way, value, new, gradient
        moved = np.sum(np.abs(t * way))
        k += 1
        if tell(x, value):
            return x, k, calls, slopes, STOPPED
    return x, k, calls, slopes, 3 if math.isnan(value) or math.isnan(moved) else 0
