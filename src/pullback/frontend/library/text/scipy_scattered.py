"""Interpolation of ``scipy.interpolate`` between points in any order and of any dimension, and
polynomials through points, as plain Python that the front end compiles.

Which points are nearest, and which simplex holds a place, SciPy says; the numbers are computed of
the points again, so that they have derivatives by all of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import known, times, unsupported


def _places(xi: Any, more: Any = (), is_place: bool = False) -> Matrix:
    """Return places as rows: of a matrix, or of one array for each coordinate."""
    parts = (xi, *more) if len(more) > 0 else xi
    if isinstance(parts, tuple):
        return np.stack(np.broadcast_arrays(*(np.asarray(p) * 1.0 for p in parts)), axis=-1)
    x = np.asarray(parts) * 1.0
    return x[None, :] if x.ndim == 1 and is_place else x


def _rows(x: Array) -> Matrix:
    return x.reshape(-1, x.shape[-1])


def _shaped(made: Array, x: Array) -> Array:
    """Return values of rows in the shape of the places."""
    if x.ndim == 2:
        return made
    return made.reshape(*x.shape[:-1], *made.shape[1:])


def _nearest(points: Matrix, places: Matrix, count: int) -> Any:
    """Return the numbers of the nearest points of each place."""
    given = packed((points.shape[1], points, places, count))
    found = told(described("nearest"), constant(given))
    return found.astype(np.int64).reshape(len(places), count)


# --- radial basis functions -----------------------------------------------------------------------


def _of_distance(kernel: str, square: Array) -> Array:
    if kernel == "gaussian":
        return np.exp(-square)
    if kernel == "inverse_quadratic":
        return 1.0 / (square + 1.0)
    if kernel == "inverse_multiquadric":
        return 1.0 / np.sqrt(square + 1.0)
    if kernel == "multiquadric":
        return -np.sqrt(square + 1.0)
    none = square == 0.0
    safe = np.where(none, 1.0, square)
    if kernel == "thin_plate_spline":
        return np.where(none, 0.0, 0.5 * safe * np.log(safe))
    r = np.sqrt(safe)
    if kernel == "linear":
        return np.where(none, 0.0, -r)
    if kernel == "cubic":
        return np.where(none, 0.0, r * safe)
    return np.where(none, 0.0, -r * safe * safe)


_KERNELS: Any = ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric",
                 "inverse_multiquadric", "inverse_quadratic", "gaussian")  # fmt: skip
_POWERS: Any = {
    **dict.fromkeys(_KERNELS, (None,)),
    "thin_plate_spline": (None, None), "cubic": (None, None), "quintic": (None, None, None),
}  # fmt: skip
"""As many items as the usual polynomial of a kernel has powers."""
_SCALED: Any = ("linear", "thin_plate_spline", "cubic", "quintic")


def _squares(a: Matrix, b: Matrix) -> Matrix:
    apart = a[:, None, :] - b[None, :, :]
    return np.sum(apart * apart, axis=2)


def _monomials(x: Matrix, degree: int) -> Matrix:
    one = np.ones((len(x), 1))
    if degree < 0:
        return one[:, :0]
    if degree == 0:
        return one
    if degree == 1:
        return np.concatenate((one, x), axis=1)
    i, j = np.triu_indices(x.shape[1])
    return np.concatenate((one, x, x[:, i] * x[:, j]), axis=1)


class Radial:
    """What ``RBFInterpolator`` gives."""

    def __init__(self, y: Matrix, d: Array, smoothing: Any, kernel: str, epsilon: float,
                 powers: Any) -> None:  # fmt: skip
        n, degree = len(y), len(powers) - 1
        low, high = np.min(y, axis=0), np.max(y, axis=0)
        self.y = y
        self._kernel = kernel
        self._epsilon = epsilon
        self._powers = powers
        self._shift = (high + low) / 2.0
        self._scale = np.where(high == low, 1.0, (high - low) / 2.0)
        p = _monomials((y - self._shift) / self._scale, degree)
        k = _of_distance(kernel, _squares(y * epsilon, y * epsilon))
        k = k + np.diag(np.zeros(n) + smoothing)
        below = np.concatenate((p.T, np.zeros((p.shape[1], p.shape[1]))), axis=1)
        system = np.concatenate((np.concatenate((k, p), axis=1), below), axis=0)
        right = np.concatenate((d, np.zeros((p.shape[1], *d.shape[1:]))))
        self._coeffs = np.linalg.solve(system, right)

    def __call__(self, x: Any) -> Array:
        places = np.asarray(x) * 1.0
        if places.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        if places.shape[1] != self.y.shape[1]:
            raise ValueError(
                f"Expected the second axis of `x` to have length {self.y.shape[1]}."
            )
        scale = self._epsilon
        k = _of_distance(self._kernel, _squares(places * scale, self.y * scale))
        p = _monomials((places - self._shift) / self._scale, len(self._powers) - 1)
        return np.concatenate((k, p), axis=1) @ self._coeffs


def RBFInterpolator(y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0,
                    kernel: str = "thin_plate_spline", epsilon: Any = None,
                    degree: Any = None) -> Radial:  # fmt: skip
    if neighbors is not None:
        unsupported("RBFInterpolator with neighbors", "leave it away: all points count")
    points, values = np.asarray(y).astype(float), np.asarray(d).astype(float)
    if points.ndim != 2:
        raise ValueError("`y` must be a 2-dimensional array.")
    if values.shape[0] != points.shape[0]:
        raise ValueError(f"Expected the first axis of `d` to have length {points.shape[0]}.")
    if values.ndim > 2:
        unsupported("values with more than two axes", "values in a matrix")
    if kernel not in _KERNELS:
        raise ValueError(f"`kernel` must be one of {set(_KERNELS)}.")
    if epsilon is None and kernel not in _SCALED:
        raise ValueError(f"`epsilon` must be specified if `kernel` is not one of {set(_SCALED)}.")
    powers = _POWERS[kernel] if degree is None else times(known(degree) + 1)
    if len(powers) > 3:
        unsupported("RBFInterpolator with a degree above 2", "a degree of at most 2")
    return Radial(points, values, smoothing, kernel, 1.0 if epsilon is None else epsilon, powers)


# --- simplices and neighbours ---------------------------------------------------------------------


class Simplices:
    """What ``LinearNDInterpolator`` gives."""

    def __init__(self, points: Matrix, values: Array, fill: Any) -> None:
        self.points = points
        self.values = values
        self.fill_value = fill

    def __call__(self, *args: Any) -> Array:
        x = _places(args[0], args[1:], True)
        rows, points = _rows(x), self.points
        n = points.shape[1]
        if rows.shape[1] != n:
            raise ValueError(f"number of dimensions in xi does not match x: {rows.shape[1]} != {n}")
        found = told(described("simplices"), constant(packed((n, points, rows))))
        corners = found.astype(np.int64).reshape(len(rows), n + 1)
        inside = corners[:, 0] >= 0
        corners = np.where(inside[:, None], corners, np.arange(n + 1))
        last = points[corners[:, n]]
        a = np.stack([points[corners[:, k]] - last for k in range(n)], axis=2)
        a = np.where(inside[:, None, None], a, np.eye(n))
        parts = np.linalg.solve(a, (rows - last)[:, :, None])[:, :, 0]
        parts = np.concatenate((parts, 1.0 - np.sum(parts, axis=1)[:, None]), axis=1)
        if self.values.ndim == 1:
            made = np.sum(parts * self.values[corners], axis=1)
            return _shaped(np.where(inside, made, self.fill_value), x)
        made = np.sum(parts[:, :, None] * self.values[corners], axis=1)
        return _shaped(np.where(inside[:, None], made, self.fill_value), x)


def LinearNDInterpolator(points: Any, values: Any, fill_value: Any = np.nan,
                         rescale: bool = False) -> Simplices:  # fmt: skip
    if rescale:
        unsupported("LinearNDInterpolator with rescale", "scale the points")
    return Simplices(_places(points), np.asarray(values).astype(float), fill_value)


class Neighbours:
    """What ``NearestNDInterpolator`` gives."""

    def __init__(self, points: Matrix, values: Array) -> None:
        self.points = points
        self.values = values

    def __call__(self, *args: Any) -> Array:
        x = _places(args[0], args[1:], True)
        at = _nearest(self.points, _rows(x), 1)[:, 0]
        return _shaped(self.values[at], x)


def NearestNDInterpolator(x: Any, y: Any, rescale: bool = False,
                          tree_options: Any = None) -> Neighbours:  # fmt: skip
    if rescale or tree_options is not None:
        unsupported("NearestNDInterpolator with rescale or tree_options", "leave them away")
    return Neighbours(_places(x), np.asarray(y))


def griddata(points: Any, values: Any, xi: Any, method: Any = "linear", fill_value: Any = np.nan,
             rescale: bool = False) -> Array:  # fmt: skip
    if method not in ("nearest", "linear", "cubic"):
        raise ValueError(f"Unknown interpolation method {method!r}")
    places = _places(points)
    if places.ndim == 1 or (places.ndim == 2 and isinstance(points, tuple) and len(points) == 1):
        flat, where = np.ravel(places), _places(xi)
        order = np.argsort(flat)
        inner = np.asarray(values)[order]
        if method == "nearest":
            fill_value = "extrapolate"
        return scipy.interpolate.interp1d(flat[order], inner, method, bounds_error=False,
                              fill_value=fill_value)(where)  # fmt: skip
    if method == "nearest":
        return NearestNDInterpolator(places, values, rescale)(xi)
    if method == "linear":
        return LinearNDInterpolator(places, values, fill_value, rescale)(xi)
    return unsupported(
        "griddata by cubics of two variables", "RBFInterpolator(points, values)(xi)"
    )


# --- polynomials through points -------------------------------------------------------------------


def _columns(y: Any) -> Array:
    values = np.asarray(y).astype(float)
    if values.ndim > 2:
        unsupported("values with more than two axes", "one polynomial for each column")
    return values


class Barycentric:
    """What ``BarycentricInterpolator`` gives."""

    def __init__(self, xi: Vector, yi: Array) -> None:
        n = len(xi)
        self.xi = xi
        self.yi = yi
        apart = 4.0 / (np.max(xi) - np.min(xi)) * (xi[:, None] - xi[None, :]) + np.eye(n)
        wi = 1.0 / np.prod(apart, axis=1)
        if not np.all(np.isfinite(wi)):
            raise ValueError("Interpolation points xi must be distinct.")
        self.wi = wi

    def __call__(self, x: Any) -> Any:
        places = np.asarray(x).astype(float)
        flat = np.ravel(places)
        apart = flat[:, None] - self.xi[None, :]
        on = apart == 0.0
        share = np.where(on, 0.0, self.wi / np.where(on, 1.0, apart))
        there = np.any(on, axis=1)
        near = np.argmax(on, axis=1)
        above = share @ self.yi
        sums = np.sum(share, axis=1)
        # at a point: the same fraction, times how far it is away, without 0 / 0
        away = np.where(there, flat - self.xi[near], 0.0)
        under = np.where(there, self.wi[near] + away * sums, 1.0)
        part, total = away / under, np.where(there, 1.0, sums)
        if self.yi.ndim == 1:
            rest = self.yi[near] + part * (above - self.yi[near] * sums)
            made = np.where(there, rest, above / total)
            return made if places.ndim == 1 else made.reshape(places.shape)
        rest = self.yi[near] + part[:, None] * (above - self.yi[near] * sums[:, None])
        made = np.where(there[:, None], rest, above / total[:, None])
        if places.ndim == 0:
            return made[0]
        if places.ndim > 1:
            unsupported("a matrix of points for rows of values", "points in a vector")
        return made


def BarycentricInterpolator(xi: Any, yi: Any = None, axis: int = 0, *, wi: Any = None,
                            rng: Any = None) -> Barycentric:  # fmt: skip
    if yi is None or wi is not None or known(axis) != 0:
        unsupported("BarycentricInterpolator without values, or with wi or axis", "give yi")
    return Barycentric(np.asarray(xi).astype(float), _columns(yi))


def barycentric_interpolate(xi: Any, yi: Any, x: Any, axis: int = 0, *, der: Any = 0,
                            rng: Any = None) -> Any:  # fmt: skip
    if known(der) != 0:
        unsupported("barycentric_interpolate with der", "krogh_interpolate")
    return BarycentricInterpolator(xi, yi, axis)(x)


class Newton:
    """What ``KroghInterpolator`` gives: a polynomial in the form of Newton."""

    def __init__(self, xi: Vector, yi: Array) -> None:
        c, n = 1.0 * yi, len(xi)
        for k in range(1, n):
            for i in range(n - 1, k - 1, -1):
                if xi[i] == xi[i - k]:
                    raise NotImplementedError("points of which several are equal")
                c[i] = (c[i] - c[i - 1]) / (xi[i] - xi[i - k])
        self.xi = xi
        self.yi = yi
        self.c = c

    def __call__(self, x: Any) -> Any:
        return self.derivative(x, 0)

    def derivative(self, x: Any, der: int = 1) -> Any:
        places = np.asarray(x).astype(float)
        flat, n = np.ravel(places), len(self.xi)
        away = flat if self.yi.ndim == 1 else flat[:, None]
        orders = known(der)
        made = [0.0 * away + self.c[n - 1], *[0.0 * away + 0.0 * self.c[0]] * orders]
        for k in range(n - 2, -1, -1):
            w = away - self.xi[k]
            for j in range(orders, 0, -1):
                made[j] = made[j] * w + made[j - 1]
            made[0] = made[0] * w + self.c[k]
        found = made[orders] * float(math.factorial(orders))
        if self.yi.ndim == 1:
            return found if places.ndim == 1 else found.reshape(places.shape)
        return found[0] if places.ndim == 0 else found


def KroghInterpolator(xi: Any, yi: Any, axis: int = 0) -> Newton:
    if known(axis) != 0:
        unsupported("KroghInterpolator with axis", "np.moveaxis before")
    return Newton(np.asarray(xi).astype(float), _columns(yi))


def krogh_interpolate(xi: Any, yi: Any, x: Any, der: int = 0, axis: int = 0) -> Any:
    return KroghInterpolator(xi, yi, axis).derivative(x, known(der))
