"""Functions of ``scipy.interpolate`` that make splines of B-splines, as plain Python that the front
end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.basis_splines import (
    ONCE,
    Spline,
    derived,
    fitted,
    integrated,
    interpolating,
    value_of,
)
from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.smoothing_splines import smoothed, smoothed_curve
from pullback.frontend.library.text_helpers import known, times, unsupported


def BSpline(t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> Spline:
    knots, coefficients = np.asarray(t).astype(float), np.asarray(c).astype(float)
    degree = known(k)
    if degree < 0:
        raise ValueError("Spline order cannot be negative.")
    if knots.ndim != 1:
        raise ValueError("Knot vector must be one-dimensional.")
    turned = coefficients.ndim == 2 and axis % 2 == 1
    if turned:
        coefficients = np.moveaxis(coefficients, 1, 0)
    count = len(knots) - degree - 1
    if count < degree + 1:
        raise ValueError(f"Need at least {2 * degree + 2} knots for degree {degree}")
    if np.any(np.diff(knots) < 0.0):
        raise ValueError("Knots must be in a non-decreasing order.")
    if coefficients.shape[0] < count:
        raise ValueError("Knots, coefficients and degree are inconsistent.")
    return Spline(knots, coefficients, times(degree), extrapolate, turned)


def _points(x: Any, y: Any, axis: int) -> tuple[Vector, Array, bool]:
    """Return points, values with the axis of the points in front, and whether it was another."""
    points, values = np.asarray(x).astype(float), np.asarray(y).astype(float)
    if values.ndim > 2:
        unsupported("values with more than two axes", "one spline for each column")
    turned = values.ndim == 2 and axis % 2 == 1
    if turned:
        values = np.moveaxis(values, 1, 0)
    if points.shape[0] != values.shape[0]:
        raise ValueError(f"Shapes of x {points.shape} and y {values.shape} are incompatible")
    if np.any(points[1:] == points[:-1]):
        raise ValueError("Expect x to not have duplicates")
    if np.any(points[1:] < points[:-1]):
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    return points, values, turned


def make_interp_spline(x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None,
                       axis: int = 0, check_finite: bool = True) -> Spline:  # fmt: skip
    points, values, turned = _points(x, y, axis)
    return interpolating(points, values, times(known(k)), t, bc_type, turned)


def make_lsq_spline(x: Any, y: Any, t: Any, k: int = 3, w: Any = None, axis: int = 0,
                    check_finite: bool = True, *, method: str = "qr") -> Spline:  # fmt: skip
    points, values, turned = _points(x, y, axis)
    knots, degree = np.asarray(t).astype(float), times(known(k))
    return Spline(knots, fitted(points, values, knots, degree, w), degree, True, turned)


# --- tuples of knots, coefficients and a degree ---------------------------------------------------


def _tck(tck: Any) -> Any:
    if isinstance(tck, Spline):
        return tck.t, tck.c, tck.k
    return tck


def _is_exact(s: Any) -> bool:
    """Whether a spline is known to go through all points."""
    return isinstance(s, (int, float)) and s == 0


def splrep(x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: int = 3,
           task: int = 0, s: Any = None, t: Any = None, full_output: int = 0, per: int = 0,
           quiet: int = 1) -> Any:  # fmt: skip
    usual = xb is None and xe is None and known(task) in (0, -1)
    if not usual or known(full_output) or known(per):
        unsupported("splrep with xb, xe, task, full_output or per", "leave them away")
    points, values, degree = np.asarray(x).astype(float), np.asarray(y).astype(float), known(k)
    if not 1 <= degree <= 5:
        raise TypeError(f"Given degree of the spline (k={degree}) is not supported. (1<=k<=5)")
    if t is not None:
        inner = np.asarray(t).astype(float)
        ends = points[:1].repeat(degree + 1), inner, points[-1:].repeat(degree + 1)
        knots = np.concatenate(ends)
        c = fitted(points, values, knots, times(degree), w)
    else:
        if _is_exact(s) or (s is None and w is None):
            made = interpolating(points, values, times(degree), None, None, False)
            knots, c = made.t, made.c
        else:
            shares = np.ones(len(points)) if w is None else np.asarray(w).astype(float)
            goal = len(points) - np.sqrt(2.0 * len(points)) if s is None else s
            knots, c = smoothed(points, values, shares, times(degree), goal)
    return knots, np.concatenate((c, np.zeros(degree + 1))), degree


def splprep(x: Any, w: Any = None, u: Any = None, ub: Any = None, ue: Any = None, k: int = 3,
            task: int = 0, s: Any = None, t: Any = None, full_output: int = 0, nest: Any = None,
            per: int = 0, quiet: int = 1) -> Any:  # fmt: skip
    usual = ub is None and ue is None and t is None and known(task) == 0
    if not usual or known(full_output) or known(per):
        unsupported("splprep with ub, ue, t, task, full_output or per", "leave them away")
    rows, degree = np.asarray(x).astype(float), known(k)
    if rows.ndim != 2:
        unsupported("splprep of other than a list of coordinates", "a list of vectors")
    points = rows.T
    if not 1 <= degree <= 5:
        raise TypeError(f"1 <= k= {degree} <=5 must hold")
    if not 0 < len(rows) < 11:
        raise TypeError("0 < idim < 11 must hold")
    if len(points) <= degree:
        raise TypeError("m > k must hold")
    if u is None:
        steps = points[1:] - points[:-1]
        ways = np.cumsum(np.sqrt(np.sum(steps * steps, axis=1)))
        places = np.concatenate((np.zeros(1), ways / ways[-1]))
    else:
        places = np.asarray(u).astype(float)
    if len(places) != len(points):
        raise TypeError("Mismatch of input dimensions")
    if np.any(places[1:] <= places[:-1]):
        raise ValueError("Invalid inputs.")
    shares = np.ones(len(points)) if w is None else np.asarray(w).astype(float)
    goal = len(points) - np.sqrt(2.0 * len(points)) if s is None else s
    if _is_exact(s):
        made = interpolating(places, points, times(degree), None, None, False)
        knots, c = made.t, made.c
    else:
        knots, c = smoothed_curve(places, points, shares, times(degree), goal)
    return [knots, [c[:, j] for j in range(len(rows))], degree], places


def splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    t, c, k = _tck(tck)
    if not 0 <= der <= k:
        raise ValueError(f"0<=der={der}<=k={k} must hold")
    if ext not in (0, 1, 2, 3):
        raise ValueError(f"ext = {ext} not in (0, 1, 2, 3) ")
    points = np.asarray(x).astype(float)
    if isinstance(c, (list, tuple)):
        return [_at_points(t, v, times(known(k)), points, times(known(der)), ext) for v in c]
    return _at_points(t, c, times(known(k)), points, times(known(der)), ext)


def _at_points(t: Vector, c: Any, degree: Any, points: Array, order: Any, ext: int) -> Any:
    """Return the values of a spline as FITPACK gives them outside of its knots, too."""
    flat, k = np.ravel(points), len(degree)
    first, last = t[k], t[len(t) - k - 1]
    outside = (flat < first) | (flat > last)
    if ext == 2 and np.any(outside):
        raise ValueError("Found x value not in the domain")
    made = value_of(t, c, degree, np.clip(flat, first, last) if ext == 3 else flat, order)
    if ext == 1:
        made = np.where(outside, 0.0, made)
    return made if points.ndim == 1 else made.reshape(points.shape)


def splint(a: float, b: float, tck: Any, full_output: int = 0) -> Any:
    if known(full_output):
        unsupported("splint with full_output", "leave it away")
    if isinstance(tck, Spline):
        return tck.integrate(a, b, False)
    return _over((tck[0], tck[1], times(known(tck[2]))), a, b)


def _over(tck: Any, a: float, b: float) -> float:
    """Return the integral of a spline that is 0 outside of its knots."""
    t, c, degree = tck
    k = len(degree)
    ends = np.clip(np.array([1.0 * a, 1.0 * b]), t[k], t[len(t) - k - 1])
    whole, parts, higher = integrated(t, c, degree, ONCE)
    made = value_of(whole, parts, higher, ends, ())
    return np.float64(made[1] - made[0]).item()


def splder(tck: Any, n: int = 1) -> Any:
    if isinstance(tck, Spline):
        return tck.derivative(n)
    t, c, degree = derived(tck[0], tck[1], times(known(tck[2])), times(known(n)))
    return t, c, len(degree)


def splantider(tck: Any, n: int = 1) -> Any:
    if isinstance(tck, Spline):
        return tck.antiderivative(n)
    t, c, degree = integrated(tck[0], tck[1], times(known(tck[2])), times(known(n)))
    return t, c, len(degree)


# --- objects --------------------------------------------------------------------------------------


class Univariate:
    """What ``UnivariateSpline`` and its kin give."""

    def __init__(self, x: Vector, y: Vector, w: Any, t: Vector, c: Vector, degree: Any,
                 ext: Any) -> None:  # fmt: skip
        self._x = x
        self._y = y
        self._w = w
        self._t = t
        self._c = c
        self._degree = degree
        self._ext = ext

    def __call__(self, x: Any, nu: int = 0, ext: Any = None) -> Any:
        points = np.asarray(x).astype(float)
        how = self._ext if ext is None else _mode_of(ext)
        return _at_points(self._t, self._c, self._degree, points, times(known(nu)), how)

    def derivative(self, n: int = 1) -> Univariate:
        t, c, degree = derived(self._t, self._c, self._degree, times(known(n)))
        how = known(1) if self._ext == 3 else self._ext
        return Univariate(self._x, self._y, self._w, t, c, degree, how)

    def antiderivative(self, n: int = 1) -> Univariate:
        t, c, degree = integrated(self._t, self._c, self._degree, times(known(n)))
        return Univariate(self._x, self._y, self._w, t, c, degree, self._ext)

    def integral(self, a: float, b: float) -> float:
        return _over((self._t, self._c, self._degree), a, b)

    def get_coeffs(self) -> Vector:
        return self._c[: len(self._t) - len(self._degree) - 1]

    def get_knots(self) -> Vector:
        return self._t[len(self._degree) : len(self._t) - len(self._degree)]

    def get_residual(self) -> float:
        rest = value_of(self._t, self._c, self._degree, self._x, ()) - self._y
        apart = rest if self._w is None else self._w * rest
        y: float = np.sum(apart * apart)
        return y


def _mode_of(ext: Any) -> Any:
    """Return the number of what is outside of the knots."""
    if isinstance(ext, str):
        if ext == "extrapolate":
            return known(0)
        if ext == "zeros":
            return known(1)
        if ext == "raise":
            return known(2)
        if ext == "const":
            return known(3)
    elif ext in (0, 1, 2, 3):
        return known(ext)
    raise ValueError(f"Unknown extrapolation mode {ext}.")


def _interpolated(x: Any, y: Any, bbox: Any, k: int, ext: Any) -> Univariate:
    for end in bbox:
        if end is not None:
            unsupported("a spline with bbox", "leave it away")
    points, values = np.asarray(x).astype(float), np.asarray(y).astype(float)
    if len(points) != len(values):
        raise ValueError("x and y should have a same length")
    if np.any(np.diff(points) <= 0.0):
        raise ValueError("x must be strictly increasing")
    made = interpolating(points, values, times(known(k)), None, None, False)
    c = np.concatenate((made.c, np.zeros(made.k + 1)))
    return Univariate(points, values, None, made.t, c, times(known(k)), _mode_of(ext))


def InterpolatedUnivariateSpline(x: Any, y: Any, w: Any = None, bbox: Any = (None, None),
                                 k: int = 3, ext: Any = 0,
                                 check_finite: bool = False) -> Univariate:  # fmt: skip
    return _interpolated(x, y, bbox, k, ext)


def UnivariateSpline(x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: int = 3,
                     s: Any = None, ext: Any = 0,
                     check_finite: bool = False) -> Univariate:  # fmt: skip
    if _is_exact(s):
        return _interpolated(x, y, bbox, k, ext)
    for end in bbox:
        if end is not None:
            unsupported("a spline with bbox", "leave it away")
    points, values, degree = np.asarray(x).astype(float), np.asarray(y).astype(float), known(k)
    if len(points) != len(values):
        raise ValueError("x and y should have a same length")
    if np.any(np.diff(points) < 0.0):
        raise ValueError("x must be increasing if s > 0")
    if not 1 <= degree <= 5:
        raise ValueError("k should be 1 <= k <= 5")
    shares = np.ones(len(points)) if w is None else np.asarray(w).astype(float)
    goal = 1.0 * len(points) if s is None else s
    t, c = smoothed(points, values, shares, times(degree), goal)
    every = np.concatenate((c, np.zeros(degree + 1)))
    given = None if w is None else shares
    return Univariate(points, values, given, t, every, times(degree), _mode_of(ext))


def LSQUnivariateSpline(x: Any, y: Any, t: Any, w: Any = None, bbox: Any = (None, None), k: int = 3,
                        ext: Any = 0, check_finite: bool = False) -> Univariate:  # fmt: skip
    points, values, degree = np.asarray(x).astype(float), np.asarray(y).astype(float), known(k)
    knots, c, _ = splrep(points, values, w, k=degree, t=t)
    shares = None if w is None else np.asarray(w).astype(float)
    return Univariate(points, values, shares, knots, c, times(degree), _mode_of(ext))
