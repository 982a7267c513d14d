"""Functions and classes of ``scipy.interpolate``, as plain Python that the front end compiles."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from pullback.frontend.library.text.basis_splines import interpolating
from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.piecewise_cubics import (
    PPoly as _PPoly,
)
from pullback.frontend.library.text.piecewise_cubics import (
    akima_slopes,
    hermite,
    monotone_slopes,
    parabola_slopes,
    periodic_slopes,
    require_points,
    same_as,
    spline_slopes,
)
from pullback.frontend.library.text_helpers import known, times, unsupported


def _prepared(x: Any, y: Any, axis: int) -> tuple[Vector, Array]:
    """Return the points, and the values with the axis of the points in front."""
    points, values = np.asarray(x).astype(float), np.asarray(y).astype(float)
    if values.ndim > 2:
        unsupported("values with more than two axes", "one spline for each column")
    if _turned(values, axis):
        values = np.moveaxis(values, 1, 0)
    require_points(points, values)
    return points, values


def _turned(values: Array, axis: int) -> bool:
    """Whether the axis of the points is the second one."""
    return values.ndim == 2 and axis % 2 == 1


def _double(x: Any) -> Array:
    """Return numbers of double precision; in single precision SciPy would compute so."""
    made = np.asarray(x)
    if made.dtype == np.float32:
        unsupported("an interpolation in float32", "convert the numbers to float64 before")
    return made * 1.0


def _end(bc: Any) -> tuple[int, Any]:
    """Return the order and the value of a derivative that is given at an end."""
    if isinstance(bc, str):
        if bc == "clamped":
            return 1, 0.0
        if bc == "natural":
            return 2, 0.0
        if bc == "not-a-knot":
            return 0, 0.0
        raise ValueError(f"bc_type={bc} is not allowed.")
    order, value = bc
    if order != 1 and order != 2:
        raise ValueError("The specified derivative order must be 1 or 2.")
    return order, value


def CubicSpline(
    x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> _PPoly:
    points, values = _prepared(x, y, axis)
    if isinstance(bc_type, str) and bc_type == "periodic":
        return _periodic(points, values, axis, "periodic" if extrapolate is None else extrapolate)
    if isinstance(bc_type, str):
        first, last = _end(bc_type), _end(bc_type)
    else:
        first, last = _end(bc_type[0]), _end(bc_type[1])
    n = len(points)
    if n == 2:
        slope = (values[1] - values[0]) / (points[1] - points[0])
        s = _of_two(points, values, first, last, slope)
    elif n == 3 and first[0] == 0 and last[0] == 0:
        s = parabola_slopes(points, values)
    else:
        s = spline_slopes(points, values, first, last)
    how = True if extrapolate is None else extrapolate
    return hermite(points, values, s, how, _turned(values, axis))


def _of_two(x: Vector, y: Array, first: Any, last: Any, slope: Any) -> Array:
    """Return the slopes of a spline with two points: an end of which nothing is given has that of
    the line."""
    return spline_slopes(
        x, y, (1, slope) if first[0] == 0 else first, (1, slope) if last[0] == 0 else last
    )


def _periodic(x: Vector, y: Array, axis: int, extrapolate: Any) -> _PPoly:
    if not np.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
        raise ValueError(
            f"The first and last `y` point along axis {axis} must be identical (within machine "
            "precision) when bc_type='periodic'."
        )
    n = len(x)
    if n == 2:
        s = 0.0 * y
    elif n == 3:
        steps = np.diff(x) if y.ndim == 1 else np.diff(x)[:, None]
        slope = np.diff(y, axis=0) / steps
        s = 0.0 * y + np.sum(slope / steps, axis=0) / np.sum(1.0 / steps, axis=0)
    else:
        s = periodic_slopes(x, y)
    return hermite(x, y, s, extrapolate, _turned(y, axis))


def CubicHermiteSpline(
    x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None
) -> _PPoly:
    points, values = _prepared(x, y, axis)
    slopes = np.asarray(dydx).astype(float)
    if _turned(slopes, axis):
        slopes = np.moveaxis(slopes, 1, 0)
    same_as(values, slopes)
    how = True if extrapolate is None else extrapolate
    return hermite(points, values, slopes, how, _turned(values, axis))


def PchipInterpolator(x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> _PPoly:
    points, values = _prepared(x, y, axis)
    how = True if extrapolate is None else extrapolate
    return hermite(points, values, monotone_slopes(points, values), how, _turned(values, axis))


def pchip_interpolate(xi: Any, yi: Any, x: Any, der: int = 0, axis: int = 0) -> Any:
    return PchipInterpolator(xi, yi, axis)(x, der)


def Akima1DInterpolator(
    x: Any, y: Any, axis: int = 0, *, method: str = "akima", extrapolate: Any = None
) -> _PPoly:
    if method not in ("akima", "makima"):
        raise NotImplementedError(f"`method`={method} is unsupported.")
    points, values = _prepared(x, y, axis)
    how = False if extrapolate is None else extrapolate
    slopes = akima_slopes(points, values, method == "makima")
    return hermite(points, values, slopes, how, _turned(values, axis))


def PPoly(c: Any, x: Any, extrapolate: Any = None) -> _PPoly:
    if not isinstance(c, (list, tuple)):
        unsupported("PPoly of an array of coefficients", "give them as a list of vectors")
    how = True if extrapolate is None else extrapolate
    parts = tuple(np.asarray(p).astype(float) for p in c)
    return _PPoly(parts, np.asarray(x).astype(float), how, False)


class _Interpolated:
    """What ``interp1d`` gives: ``_how`` says what stands outside of the points."""

    def __init__(self, kind: str, x: Vector, y: Array, spline: Any, bounds: Any, fill: Any) -> None:
        self._kind = kind
        self.x = x
        self.y = y
        self._spline = spline
        self._bounds = bounds
        self.fill_value = fill

    def __call__(self, x: Any) -> Any:
        points = _double(x)
        flat = np.ravel(points)
        extrapolates = isinstance(self.fill_value, str)
        if not extrapolates and self._bounds:
            _require_inside(self.x, flat)
        made = self._inside(flat)
        if not extrapolates:
            fill = self.fill_value
            below, above = fill if isinstance(fill, tuple) else (fill, fill)
            made = np.where(
                flat < self.x[0], below, np.where(flat > self.x[-1], above, made)
            )
        if points.ndim == 0:
            return np.asarray(made[0])
        return made if points.ndim == 1 else made.reshape(points.shape)

    def _inside(self, flat: Vector) -> Vector:
        kind, xs, ys, last = self._kind, self.x, self.y, len(self.x) - 1
        if kind == "cubic":
            return self._spline(flat)
        if kind == "nearest" or kind == "nearest-up":
            half = xs / 2.0
            middle = half[1:] + half[:-1]
            if kind == "nearest":
                place = np.searchsorted(middle, flat, side="left")
            else:
                place = np.searchsorted(middle, flat, side="right")
            return ys[np.clip(place, 0, last)] + 0.0 * flat
        if kind == "previous":
            place = np.searchsorted(xs, flat, side="right") - 1
            return ys[np.clip(place, 0, last)] + 0.0 * flat
        if kind == "next":
            place = np.searchsorted(xs, flat, side="left")
            return ys[np.clip(place, 0, last)] + 0.0 * flat
        if not isinstance(self.fill_value, str):
            return np.interp(flat, xs, ys)
        high = np.clip(np.searchsorted(xs, flat), 1, last)
        low = high - 1
        slope = (ys[high] - ys[low]) / (xs[high] - xs[low])
        return slope * (flat - xs[low]) + ys[low]


def _require_inside(xs: Vector, flat: Vector) -> None:
    for v in flat:
        if v < xs[0]:
            raise ValueError(
                f"A value ({v}) in x_new is below the interpolation range's minimum value "
                f"({xs[0]})."
            )
    for v in flat:
        if v > xs[-1]:
            raise ValueError(
                f"A value ({v}) in x_new is above the interpolation range's maximum value "
                f"({xs[-1]})."
            )


def interp1d(x: Any, y: Any, kind: str = "linear", axis: int = -1, copy: bool = True,
             bounds_error: Any = None, fill_value: Any = np.nan,
             assume_sorted: bool = False) -> _Interpolated:  # fmt: skip
    points, values = _double(x), _double(y)
    if values.ndim > 1:
        unsupported("interp1d of rows of values", "one interp1d for each row")
    names = ("linear", "slinear", "nearest", "nearest-up", "previous", "next", "cubic", "zero",
             "quadratic")  # fmt: skip
    if isinstance(kind, str) and kind not in names:
        raise NotImplementedError(f"{kind} is unsupported: Use fitpack routines for other types.")
    if len(points) != len(values):
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    if not assume_sorted:
        order = np.argsort(points, kind="mergesort")
        points, values = points[order], values[order]
    extrapolates = isinstance(fill_value, str)
    if extrapolates and bounds_error:
        raise ValueError("Cannot extrapolate and raise at the same time.")
    raises = not extrapolates if bounds_error is None else bounds_error
    spline: Any = None
    if kind == "cubic":
        if len(points) < 4:
            raise ValueError("x and y arrays must have at least 4 entries")
        spline = CubicSpline(points, values)
    elif not isinstance(kind, str) or kind == "zero" or kind == "quadratic":
        degree = times(known(_DEGREES[kind] if isinstance(kind, str) else kind))
        if len(points) < len(degree) + 1:
            raise ValueError(f"x and y arrays must have at least {len(degree) + 1} entries")
        spline = interpolating(points, values, degree, None, None, False)
    how = "cubic" if spline is not None else "linear" if kind == "slinear" else kind
    return _Interpolated(how, points, values, spline, raises, fill_value)


_DEGREES: Any = {"zero": 0, "quadratic": 2}


class _Grid:
    """What ``RegularGridInterpolator`` gives."""

    def __init__(self, grid: Any, values: Array, method: str, bounds: Any, fill: Any) -> None:
        self.grid = grid
        self.values = values
        self.method = method
        self.bounds_error = bounds
        self.fill_value = fill

    def __call__(self, xi: Any, method: Any = None) -> Array:
        points = _coordinates(xi, len(self.grid))
        flat = points.reshape(-1, points.shape[-1])
        if points.shape[-1] != len(self.grid):
            raise ValueError(
                f"The requested sample points xi have dimension {points.shape[-1]} but this "
                f"RegularGridInterpolator has dimension {len(self.grid)}"
            )
        how = self.method if method is None else method
        made = np.stack([self._at(p, how) for p in flat])
        return made.reshape(points.shape[:-1]) if points.ndim > 2 else made

    def _at(self, p: Vector, how: str) -> float:
        """Return the value at one point."""
        if self.bounds_error:
            for k, xs in enumerate(self.grid):
                if not (xs[0] <= p[k] <= xs[-1]):
                    raise ValueError(f"One of the requested xi is out of bounds in dimension {k}")
        lows = tuple(
            min(max(int(np.searchsorted(xs, p[k])) - 1, 0), len(xs) - 2)
            for k, xs in enumerate(self.grid)
        )
        parts = tuple(
            (p[k] - xs[lows[k]]) / (xs[lows[k] + 1] - xs[lows[k]]) for k, xs in enumerate(self.grid)
        )
        if how == "nearest":
            near = tuple(low if t <= 0.5 else low + 1 for low, t in zip(lows, parts, strict=True))
            made: float = self.values[near] + 0.0 * p[0]
        else:
            made = 0.0
            for corner in itertools.product((0, 1), repeat=len(self.grid)):
                weight = 1.0
                for c, t in zip(corner, parts, strict=True):
                    weight = weight * (t if c == 1 else 1.0 - t)
                place = tuple(low + c for low, c in zip(lows, corner, strict=True))
                made = made + self.values[place] * weight
        if not self.bounds_error and self.fill_value is not None:
            for k, xs in enumerate(self.grid):
                if p[k] < xs[0] or p[k] > xs[-1]:
                    made = self.fill_value
        return made


def _coordinates(xi: Any, count: int) -> Array:
    """Return points as rows."""
    if isinstance(xi, tuple):
        return np.stack(np.broadcast_arrays(*xi), axis=-1) * 1.0
    points = np.asarray(xi) * 1.0
    return points[None, :] if points.ndim == 1 else points


def RegularGridInterpolator(
    points: Any, values: Any, method: str = "linear", bounds_error: bool = True,
    fill_value: Any = np.nan,
) -> _Grid:  # fmt: skip
    if method not in ("linear", "nearest"):
        unsupported("RegularGridInterpolator with this method", "choose linear or nearest")
    grid = tuple(np.asarray(p).astype(float) for p in points)
    table = _double(values)
    if table.ndim != len(grid):
        unsupported("values of a grid with more axes", "one interpolator for each of them")
    for k, xs in enumerate(grid):
        if np.any(np.diff(xs) <= 0.0):
            raise ValueError(
                f"The points in dimension {k} must be strictly ascending or descending"
            )
        if len(xs) != table.shape[k]:
            raise ValueError(
                f"There are {len(xs)} points and {table.shape[k]} values on dimension {k}"
            )
    return _Grid(grid, table, method, bounds_error, fill_value)


def interpn(points: Any, values: Any, xi: Any, method: str = "linear", bounds_error: bool = True,
            fill_value: Any = np.nan) -> Array:  # fmt: skip
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


def lagrange(x: Vector, w: Vector) -> Any:
    """Return the polynomial through points."""
    places, values = np.asarray(x) * 1.0, np.asarray(w) * 1.0
    n = len(places)
    total = np.zeros(n)
    for j in range(n):
        part = np.zeros(n)
        part[n - 1] = values[j]
        for k in range(n):
            if k != j:
                shifted = np.concatenate((part[1:], np.zeros(1)))
                part = (shifted - places[k] * part) / (places[j] - places[k])
        total = total + part
    return np.poly1d(total)
