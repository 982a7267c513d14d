"""Piecewise polynomials of ``scipy.interpolate``, as a plain class that the front end compiles, and
the slopes of the cubic ones at their points: C. de Boor, *A Practical Guide to Splines* (1978),
chapter IV; F. N. Fritsch and J. Butland, "A method for constructing local monotone piecewise cubic
interpolants" (1984); H. Akima, "A new method of interpolation and smooth curve fitting based on
local procedures" (1970).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text_helpers import same_shape, times, unsupported


class PPoly:
    """Polynomials between points. ``_parts``: the coefficients, that of the highest power first;
    ``_turned``: whether the points are along the second axis of the values."""

    def __init__(self, parts: Any, x: Vector, extrapolate: Any, turned: bool) -> None:
        self._parts = parts
        self.x = x
        self.extrapolate = extrapolate
        self._turned = turned

    @property
    def axis(self) -> int:
        """The axis of the values along which the points are."""
        return 1 if self._turned else 0

    @property
    def c(self) -> Array:
        """The coefficients as one array."""
        return np.stack(self._parts)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        how = self.extrapolate if extrapolate is None else extrapolate
        points = np.asarray(x).astype(float)
        flat = np.ravel(points)
        if isinstance(how, str):
            if how != "periodic":
                unsupported("extrapolate=" + how, "True, False or 'periodic'")
            flat = self.x[0] + (flat - self.x[0]) % (self.x[-1] - self.x[0])
        where = np.clip(np.searchsorted(self.x, flat, side="right") - 1, 0, len(self.x) - 2)
        if self._parts[0].ndim == 1:
            made = _taken(self._parts, where, flat - self.x[where], nu)
            if not isinstance(how, str) and not how:
                made = np.where((flat < self.x[0]) | (flat > self.x[-1]), np.nan, made)
            if points.ndim == 0:
                return np.asarray(made[0])
            return made if points.ndim == 1 else made.reshape(points.shape)
        away = (flat - self.x[where])[:, None]
        made = _taken(self._parts, where, away, nu)
        if not isinstance(how, str) and not how:
            outside = (flat < self.x[0]) | (flat > self.x[-1])
            made = np.where(outside[:, None], np.nan, made)
        if points.ndim == 0:
            return made[0]
        if points.ndim > 1:
            unsupported("a matrix of points for rows of values", "points in a vector")
        return np.moveaxis(made, 0, 1) if self._turned else made

    def derivative(self, nu: int = 1) -> PPoly:
        if nu < 0:
            return self.antiderivative(-nu)
        parts = self._parts
        for _ in times(nu):
            parts = _derived(parts)
        return PPoly(parts, self.x, self.extrapolate, self._turned)

    def antiderivative(self, nu: int = 1) -> PPoly:
        if nu != 1:
            unsupported("antiderivative(nu) with nu > 1", "take the antiderivative twice")
        if self._parts[0].ndim > 1:
            unsupported("the antiderivative of rows of values", "one spline for each column")
        top = len(self._parts)
        higher = tuple(p / float(top - k) for k, p in enumerate(self._parts))
        steps = np.diff(self.x)
        pieces = higher[0] * steps
        for p in higher[1:]:
            pieces = (pieces + p) * steps
        lowest = np.concatenate((np.zeros(1), np.cumsum(pieces)[:-1]))
        how = False if isinstance(self.extrapolate, str) else self.extrapolate
        return PPoly((*higher, lowest), self.x, how, self._turned)

    def integrate(self, a: float, b: float, extrapolate: Any = None) -> Any:
        how = self.extrapolate if extrapolate is None else extrapolate
        if isinstance(how, str):
            unsupported("the integral of a periodic spline", "integrate over one period")
        whole = self.antiderivative()
        made = whole(b, 0, how) - whole(a, 0, how)
        return np.asarray(made)


def _taken(parts: Any, where: Vector, away: Array, nu: int) -> Array:
    """Return a derivative of the polynomials at points, by powers of the distances from the
    lower ends of their intervals."""
    top = len(parts) - 1
    if nu > top:
        return 0.0 * parts[0][where] * away
    made, power = 0.0 * away, 1.0 + 0.0 * away
    for k in range(top + 1):
        if k >= nu:
            factor = 1.0
            for j in range(nu):
                factor = factor * (k - j)
            made = made + parts[top - k][where] * power * factor
            power = power * away
    return made


def _derived(parts: Any) -> Any:
    top = len(parts) - 1
    if top == 0:
        return (0.0 * parts[0],)
    return tuple(p * float(top - k) for k, p in enumerate(parts[:-1]))


def require_points(x: Vector, y: Array) -> None:
    """Raise what SciPy raises of points that do not increase, or do not fit."""
    if x.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if x.shape[0] < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if x.shape[0] != y.shape[0]:
        raise ValueError("The length of `y` along `axis`=0 doesn't match the length of `x`")
    if not np.all(np.isfinite(x)):
        raise ValueError("`x` must contain only finite values.")
    if not np.all(np.isfinite(y)):
        raise ValueError("`y` must contain only finite values.")
    if np.any(np.diff(x) <= 0.0):
        raise ValueError("`x` must be strictly increasing sequence.")


def columns(steps: Vector, y: Array) -> Array:
    """Return steps that go with rows of values."""
    return steps if y.ndim == 1 else steps[:, None]


def hermite(x: Vector, y: Array, s: Array, extrapolate: Any, turned: bool) -> PPoly:
    """Return the cubics with these values and slopes."""
    steps = columns(np.diff(x), y)
    slope = np.diff(y, axis=0) / steps
    t = (s[:-1] + s[1:] - 2.0 * slope) / steps
    return PPoly((t / steps, (slope - s[:-1]) / steps - t, s[:-1], y[:-1]), x, extrapolate, turned)


def banded(lower: Vector, diagonal: Vector, upper: Vector, b: Array) -> Array:
    """Return the solution of a tridiagonal system, by elimination with exchanges of neighbours.
    The last item of ``lower`` and ``upper`` is not read; all of them are changed."""
    n = len(diagonal)
    beyond = np.zeros(n)
    for k in range(n - 1):
        if abs(diagonal[k]) >= abs(lower[k]):
            factor = lower[k] / diagonal[k]
            diagonal[k + 1] = diagonal[k + 1] - factor * upper[k]
            b[k + 1] = b[k + 1] - factor * b[k]
        else:
            factor = diagonal[k] / lower[k]
            diagonal[k] = lower[k]
            next_one, next_b = diagonal[k + 1], 1.0 * b[k + 1]
            diagonal[k + 1] = upper[k] - factor * next_one
            if k < n - 2:
                beyond[k] = upper[k + 1]
                upper[k + 1] = -factor * upper[k + 1]
            upper[k] = next_one
            b[k + 1] = b[k] - factor * next_b
            b[k] = next_b
    b[n - 1] = b[n - 1] / diagonal[n - 1]
    if n > 1:
        b[n - 2] = (b[n - 2] - upper[n - 2] * b[n - 1]) / diagonal[n - 2]
    for k in range(n - 3, -1, -1):
        b[k] = (b[k] - upper[k] * b[k + 1] - beyond[k] * b[k + 2]) / diagonal[k]
    return b


def spline_slopes(x: Vector, y: Array, first: Any, last: Any) -> Array:
    """Return the slopes of a cubic spline at its points, with an order and a value of a derivative
    at each end; of order 0, the third derivative does not jump at the next point."""
    n, dx = len(x), np.diff(x)
    dxr = columns(dx, y)
    slope = np.diff(y, axis=0) / dxr
    lower, diagonal, upper, b = np.zeros(n), np.zeros(n), np.zeros(n), 0.0 * y
    diagonal[1:-1] = 2.0 * (dx[:-1] + dx[1:])
    upper[1:-1] = dx[:-1]
    lower[: n - 2] = dx[1:]
    b[1:-1] = 3.0 * (dxr[1:] * slope[:-1] + dxr[:-1] * slope[1:])
    (order, value), (order_last, value_last) = first, last
    if order == 0:
        d = x[2] - x[0]
        diagonal[0], upper[0] = dx[1], d
        b[0] = ((dx[0] + 2.0 * d) * dx[1] * slope[0] + dx[0] ** 2 * slope[1]) / d
    elif order == 1:
        diagonal[0], upper[0] = 1.0, 0.0
        b[0] = value
    else:
        diagonal[0], upper[0] = 2.0 * dx[0], dx[0]
        b[0] = -0.5 * value * dx[0] ** 2 + 3.0 * (y[1] - y[0])
    if order_last == 0:
        d = x[-1] - x[-3]
        diagonal[n - 1], lower[n - 2] = dx[-2], d
        b[n - 1] = (dx[-1] ** 2 * slope[-2] + (2.0 * d + dx[-1]) * dx[-2] * slope[-1]) / d
    elif order_last == 1:
        diagonal[n - 1], lower[n - 2] = 1.0, 0.0
        b[n - 1] = value_last
    else:
        diagonal[n - 1], lower[n - 2] = 2.0 * dx[-1], dx[-1]
        b[n - 1] = 0.5 * value_last * dx[-1] ** 2 + 3.0 * (y[-1] - y[-2])
    return banded(lower, diagonal, upper, b)


def parabola_slopes(x: Vector, y: Array) -> Array:
    """Return the slopes of the parabola through three points."""
    dx = np.diff(x)
    first, last = (y[1] - y[0]) / dx[0], (y[2] - y[1]) / dx[1]
    bent = (last - first) / (dx[0] + dx[1])
    middle = (dx[0] * last + dx[1] * first) / (dx[0] + dx[1])
    return np.stack((first - bent * dx[0], middle, last + bent * dx[1]))


def periodic_slopes(x: Vector, y: Array) -> Array:
    """Return the slopes of a periodic cubic spline."""
    n, dx = len(x), np.diff(x)
    dxr = columns(dx, y)
    slope = np.diff(y, axis=0) / dxr
    b = 0.0 * y[:-1]
    lower, diagonal, upper = np.zeros(n - 2), np.zeros(n - 2), np.zeros(n - 2)
    diagonal[1:] = 2.0 * (dx[: n - 3] + dx[1 : n - 2])
    diagonal[0] = 2.0 * (dx[-1] + dx[0])
    upper[1:] = dx[: n - 3]
    upper[0] = dx[-1]
    lower[: n - 3] = dx[1 : n - 2]
    b[1:] = 3.0 * (dxr[1:] * slope[:-1] + dxr[:-1] * slope[1:])[: n - 2]
    b[0] = 3.0 * (dx[0] * slope[-1] + dx[-1] * slope[0])
    b[n - 2] = 3.0 * (dx[-1] * slope[-2] + dx[-2] * slope[-1])
    ends = 0.0 * b[:-1]
    ends[0] = ends[0] - dx[0]
    ends[n - 3] = ends[n - 3] - dx[-3]
    s1 = banded(1.0 * lower, 1.0 * diagonal, 1.0 * upper, 1.0 * b[:-1])
    s2 = banded(lower, diagonal, upper, ends)
    below = 2.0 * (dx[-1] + dx[-2]) + dx[-2] * s2[0] + dx[-1] * s2[-1]
    after = (b[-1] - dx[-2] * s1[0] - dx[-1] * s1[-1]) / below
    made = 0.0 * y
    made[:-2] = s1 + after * s2
    made[n - 2] = after
    made[n - 1] = made[0]
    return made


def monotone_slopes(x: Vector, y: Array) -> Array:
    """Return slopes with which the cubics are monotone where the values are: weighted harmonic
    means of the slopes on both sides."""
    steps = columns(np.diff(x), y)
    slope = np.diff(y, axis=0) / steps
    if len(x) == 2:
        return np.concatenate((slope, slope))
    before, after = slope[:-1], slope[1:]
    turns = (np.sign(after) != np.sign(before)) | (after == 0.0) | (before == 0.0)
    w1, w2 = 2.0 * steps[1:] + steps[:-1], steps[1:] + 2.0 * steps[:-1]
    mean = (w1 / np.where(turns, 1.0, before) + w2 / np.where(turns, 1.0, after)) / (w1 + w2)
    inner = np.where(turns, 0.0, 1.0 / np.where(turns, 1.0, mean))
    first = _end_slope(steps[:1], steps[1:2], slope[:1], slope[1:2])
    last = _end_slope(steps[-1:], steps[-2:-1], slope[-1:], slope[-2:-1])
    return np.concatenate((first, inner, last))


def _end_slope(h: Array, k: Array, m: Array, n: Array) -> Array:
    d = ((2.0 * h + k) * m - h * n) / (h + k)
    other = np.sign(d) != np.sign(m)
    steep = (np.sign(m) != np.sign(n)) & (np.abs(d) > 3.0 * np.abs(m))
    return np.where(other, 0.0, np.where(steep, 3.0 * m, d))


def akima_slopes(x: Vector, y: Array, modified: bool) -> Array:
    """Return Akima's slopes: means of the slopes on both sides, weighted by how much those beyond
    differ from them."""
    slope = np.diff(y, axis=0) / columns(np.diff(x), y)
    if len(x) == 2:
        return np.concatenate((slope, slope))
    left = 2.0 * slope[:1] - slope[1:2]
    right = 2.0 * slope[-1:] - slope[-2:-1]
    m = np.concatenate(
        (2.0 * left - slope[:1], left, slope, right, 2.0 * right - slope[-1:])
    )
    change = np.abs(np.diff(m, axis=0))
    f1, f2 = change[2:], change[:-2]
    if modified:
        both = np.abs(m[1:] + m[:-1])
        f1, f2 = f1 + 0.5 * both[2:], f2 + 0.5 * both[:-2]
    total = f1 + f2
    known = total > 1e-9 * np.max(total)
    weight = f2 / np.where(known, total, 1.0)
    return np.where(known, m[1:-2] + weight * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))


def same_as(y: Array, other: Array) -> None:
    """Require slopes in the shape of the values."""
    same_shape(y, other, "The shapes of `y` and `dydx` must be identical.")
