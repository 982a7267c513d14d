"""Splines of ``scipy.interpolate`` as sums of B-splines, a plain class that the front end compiles:
C. de Boor, *A Practical Guide to Splines* (1978), chapters IX and X.

A value is computed as SciPy does, by the recurrence of de Boor and Cox; the coefficients of a
spline through points solve equations with few entries in a row. A degree, or the order of a
derivative, is a tuple of that length, which the compiler knows wherever it goes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library import sparse_rows
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text_helpers import known, times, unsupported


class Spline:
    """A sum of B-splines of a degree on knots t; ``turned``: rows of values lie along the second
    axis of what it gives."""

    def __init__(self, t: Vector, c: Array, degree: Any, extrapolate: Any, turned: bool) -> None:
        self.t = t
        self.c = c
        self._degree = degree
        self.extrapolate = extrapolate
        self._turned = turned

    @property
    def k(self) -> int:
        """The degree."""
        return len(self._degree)

    @property
    def tck(self) -> Any:
        """Knots, coefficients and degree."""
        return self.t, self.c, self.k

    @property
    def axis(self) -> int:
        """The axis of the values along which the points are."""
        return 1 if self._turned else 0

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        how = self.extrapolate if extrapolate is None else extrapolate
        points = np.asarray(x).astype(float)
        flat = np.ravel(points)
        first, last = self.t[self.k], self.t[len(self.t) - self.k - 1]
        if isinstance(how, str):
            if how != "periodic":
                unsupported("extrapolate=" + how, "True, False or 'periodic'")
            flat = first + (flat - first) % (last - first)
        made = value_of(self.t, self.c, self._degree, flat, times(known(nu)))
        if not isinstance(how, str) and not how:
            outside = (flat < first) | (flat > last)
            made = np.where(outside if self.c.ndim == 1 else outside[:, None], np.nan, made)
        if self.c.ndim == 1:
            return made.reshape(points.shape) if points.ndim != 1 else made
        if points.ndim == 0:
            return made[0]
        if points.ndim > 1:
            unsupported("a matrix of points for rows of values", "points in a vector")
        return np.moveaxis(made, 0, 1) if self._turned else made

    def derivative(self, nu: int = 1) -> Spline:
        t, c, k = derived(self.t, padded(self.t, self.c), self._degree, times(known(nu)))
        return Spline(t, c, k, self.extrapolate, self._turned)

    def antiderivative(self, nu: int = 1) -> Spline:
        t, c, k = integrated(self.t, padded(self.t, self.c), self._degree, times(known(nu)))
        how = False if isinstance(self.extrapolate, str) else self.extrapolate
        return Spline(t, c, k, how, self._turned)

    def integrate(self, a: float, b: float, extrapolate: Any = None) -> Any:
        how = self.extrapolate if extrapolate is None else extrapolate
        if isinstance(how, str):
            unsupported("the integral of a periodic spline", "integrate over one period")
        ends = np.array([1.0 * a, 1.0 * b])
        if not how:
            ends = np.clip(ends, self.t[self.k], self.t[len(self.t) - self.k - 1])
        t, c, k = integrated(self.t, padded(self.t, self.c), self._degree, ONCE)
        made = value_of(t, c, k, ends, ())
        return np.asarray(made[1] - made[0])


ONCE = (None,)
"""The order of a first derivative."""


def intervals(t: Vector, k: int, x: Vector) -> Vector:
    """Return the number of the knot before each point."""
    return np.clip(np.searchsorted(t, x, side="right") - 1, k, len(t) - k - 2)


def weights(t: Vector, at: Vector, x: Vector, degree: Any, order: Any) -> Any:
    """Return the values (or derivatives) of the k + 1 B-splines that are not 0 between two knots,
    each at all the points."""
    k, nu = len(degree), len(order)
    found: Any = (np.where(np.isnan(x), np.nan, 1.0),)
    for j in range(1, k + 1):
        made, below = [], np.zeros(len(x))
        for n in range(1, j + 1):
            high, low = t[at + n], t[at + n - j]
            none = high == low
            share = np.where(none, 0.0, found[n - 1] / np.where(none, 1.0, high - low))
            if j > k - nu:
                made.append(below - j * share)
                below = j * share
            else:
                made.append(below + share * (high - x))
                below = share * (x - low)
        made.append(below)
        found = tuple(made)
    return found


def value_of(t: Vector, c: Array, degree: Any, x: Vector, order: Any) -> Array:
    """Return the values (or derivatives) of a spline at points."""
    k = len(degree)
    if len(order) > k:
        return np.zeros((len(x), *c.shape[1:]))
    at = intervals(t, k, x)
    made = np.zeros((len(x), *c.shape[1:]))
    for a, w in enumerate(weights(t, at, x, degree, order)):
        made = made + c[at + a - k] * (w if c.ndim == 1 else w[:, None])
    return made


def padded(t: Vector, c: Array) -> Array:
    """Return the coefficients, as many as there are knots."""
    missing = len(t) - len(c)
    if missing <= 0:
        return c
    return np.concatenate((c, np.zeros((missing, *c.shape[1:]))))


def derived(t: Vector, c: Array, degree: Any, order: Any) -> Any:
    """Return the derivative of a spline."""
    n = len(order)
    if n > len(degree):
        raise ValueError(
            f"Order of derivative (n = {n}) must be <= order of spline (k = {len(degree)})"
        )
    for _ in order:
        k = len(degree)
        steps = t[k + 1 : -1] - t[1 : -k - 1]
        if np.any(steps == 0.0):
            raise ValueError(
                f"The spline has internal repeated knots and is not differentiable {n} times"
            )
        c = (c[1 : -1 - k] - c[: -2 - k]) * k / (steps if c.ndim == 1 else steps[:, None])
        c = np.concatenate((c, np.zeros((k, *c.shape[1:]))))
        t, degree = t[1:-1], degree[1:]
    return t, c, degree


def integrated(t: Vector, c: Array, degree: Any, order: Any) -> Any:
    """Return the antiderivative of a spline, which is 0 at its first knot."""
    for _ in order:
        k = len(degree)
        steps = t[k + 1 :] - t[: -k - 1]
        c = np.cumsum(c[: -k - 1] * (steps if c.ndim == 1 else steps[:, None]), axis=0) / (k + 1)
        last = c[-1:]
        c = np.concatenate((0.0 * last, c, *[last] * (k + 2)))
        t, degree = np.concatenate((t[:1], t, t[-1:])), (*degree, None)
    return t, c, degree


# --- splines through points -----------------------------------------------------------------------


def not_a_knot(x: Vector, k: int) -> Vector:
    """Return the knots of a spline through points of which nothing else is known."""
    half = (k + 1) // 2 if k % 2 == 1 else k // 2
    inner = 1.0 * x if k % 2 == 1 else (x[1:] + x[:-1]) / 2.0
    return np.concatenate((x[:1].repeat(k + 1), inner[half:-half], x[-1:].repeat(k + 1)))


def _ends(x: Vector, k: int) -> Vector:
    return np.concatenate((x[:1].repeat(k), x, x[-1:].repeat(k)))


def conditions(bc: Any) -> Any:
    """Return what is given of the derivatives at an end, in pairs of an order and a value."""
    if bc is None:
        return ()
    if not isinstance(bc, str):
        return tuple(bc)
    if bc == "clamped":
        return ((1, 0.0),)
    if bc == "natural":
        return ((2, 0.0),)
    raise ValueError(f"Unknown boundary condition : {bc}")


def rows_at(t: Vector, degree: Any, x: Vector, first: int, order: Any) -> Any:
    """Return values, rows and columns of what the coefficients are multiplied by at points."""
    k = len(degree)
    at = intervals(t, k, x)
    values, cols = [], []
    for a, w in enumerate(weights(t, at, x, degree, order)):
        values.append(w)
        cols.append(at + a - k)
    rows = np.arange(len(x)) + first
    return np.concatenate(values), np.concatenate((rows,) * (k + 1)), np.concatenate(cols)


def _joined(these: Any, others: Any) -> Any:
    return tuple(np.concatenate((a, b)) for a, b in zip(these, others, strict=True))


def through(x: Vector, y: Array, t: Vector, degree: Any, before: Any, after: Any) -> Array:
    """Return the coefficients of a spline through points, with derivatives at the ends."""
    n, left, k = len(x), len(before), len(degree)
    count = len(t) - k - 1
    if count - n != left + len(after):
        raise ValueError(
            "The number of derivatives at boundaries does not "
            f"match: expected {count - n}, got {left}+{len(after)}"
        )
    values, row, col = rows_at(t, degree, x, left, ())
    right = [1.0 * y]
    for number, (order, wanted) in enumerate(before):
        more = rows_at(t, degree, x[:1], number, times(known(order)))
        values, row, col = _joined((values, row, col), more)
        right.insert(number, 0.0 * y[:1] + np.asarray(wanted))
    for number, (order, wanted) in enumerate(after):
        more = rows_at(t, degree, x[-1:], n + left + number, times(known(order)))
        values, row, col = _joined((values, row, col), more)
        right.append(0.0 * y[:1] + np.asarray(wanted))
    b = np.concatenate(right)
    columns = 1 if b.ndim == 1 else b.shape[1]
    c = sparse_rows.solve(values, row, col, np.ravel(b), columns, 0)
    if len(c) > 0 and np.isnan(c[0]) and not np.isnan(np.sum(b)):
        raise np.linalg.LinAlgError("Colocation matrix is singular.")
    return c if b.ndim == 1 else c.reshape(b.shape)


def interpolating(x: Vector, y: Array, degree: Any, t: Any, bc: Any, turned: bool) -> Spline:
    """Return the spline through points."""
    k = len(degree)
    if k == 0:
        if t is not None or bc is not None:
            raise ValueError("Too much info for k=0: t and bc_type can only be None.")
        return Spline(np.concatenate((x, x[-1:])), y, degree, True, turned)
    whole = bc is None or (isinstance(bc, str) and bc == "not-a-knot")
    if k == 1 and t is None:
        if not whole:
            raise ValueError("Too much info for k=1: bc_type can only be None.")
        return Spline(np.concatenate((x[:1], x, x[-1:])), y, degree, True, turned)
    before, after = ((), ()) if whole else _of_both(bc)
    if t is None:
        knots = not_a_knot(x, k) if len(before) == 0 and len(after) == 0 else _ends(x, k)
    else:
        knots = np.asarray(t).astype(float)
    if len(knots) < len(x) + k + 1:
        raise ValueError(f"Got {len(knots)} knots, need at least {len(x) + k + 1}.")
    return Spline(knots, through(x, y, knots, degree, before, after), degree, True, turned)


def _of_both(bc: Any) -> Any:
    if isinstance(bc, str):
        if bc == "periodic":
            unsupported("a periodic spline of this form", "a CubicSpline whose bc_type is periodic")
        return conditions(bc), conditions(bc)
    return conditions(bc[0]), conditions(bc[1])


def fitted(x: Vector, y: Array, t: Vector, degree: Any, w: Any) -> Array:
    """Return the coefficients of the spline on these knots whose squares of errors are least."""
    a = design(x, t, degree)
    weight = np.ones(len(x)) if w is None else np.asarray(w).astype(float)
    q, r = np.linalg.qr(weight[:, None] * a)
    right = weight * y if y.ndim == 1 else weight[:, None] * y
    return np.linalg.solve(r, q.T @ right)


def design(x: Vector, t: Vector, degree: Any) -> Matrix:
    """Return the matrix by which coefficients become values at points."""
    values, row, col = rows_at(t, degree, x, 0, ())
    a = np.zeros((len(x), len(t) - len(degree) - 1))
    a[row, col] = values
    return a

