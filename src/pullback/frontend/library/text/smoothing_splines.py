"""Splines that smooth, of ``scipy.interpolate``, as plain Python that the front end compiles.

FITPACK (P. Dierckx, *Curve and Surface Fitting with Splines*, chapter 5) chooses knots among the
points, and makes the jumps of the highest derivative small while the squares of what is left sum
up to s: SciPy says knots and coefficients, and these conditions define the derivative. A natural
spline that weighs its bend is that of C. H. Reinsch, "Smoothing by spline functions" (1967).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant, least_of, root_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.basis_splines import Spline, fitted, interpolating, value_of
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import known, times, unsupported


def _jumps(t: Vector, degree: Any, count: int) -> Matrix:
    """Return by what the coefficients are multiplied for the jumps of the highest derivative at the
    inner knots."""
    k = len(degree)
    ends = t[k : len(t) - k]
    middles = 0.5 * (ends[1:] + ends[:-1])
    heights = value_of(t, np.eye(count), degree, middles, degree)
    return heights[1:] - heights[:-1]


def smoothed(x: Vector, y: Vector, w: Vector, degree: Any, s: Any) -> Any:
    """Return knots and coefficients of a spline whose squared distances, by weights, sum up to
    s."""
    k = len(degree)
    if s < 0.0:
        raise ValueError("s should be s >= 0.0")
    found = told(described("smoothing"), constant(packed((x, y, w, k, s))))
    count = len(found) // 2
    t, c = smoothed_rows(x, y[:, None], w, degree, s, found[:count],
                         found[count : 2 * count - k - 1][:, None])  # fmt: skip
    return t, c[:, 0]


def smoothed_rows(x: Vector, y: Matrix, w: Vector, degree: Any, s: Any, knots: Vector,
                  c: Matrix) -> Any:  # fmt: skip
    """Return knots and coefficients of a spline that gives a row of numbers for each point, moving
    with the points; SciPy has found these."""
    k = len(degree)
    nearest = np.argmin(np.abs(knots[:, None] - constant(x)), axis=1)
    t = knots + (x[nearest] - constant(x)[nearest])
    if len(c) == k + 1:
        exact = fitted(x, y, t, degree, w)
        return t, c + (exact - constant(exact))
    parts = value_of(t, np.eye(len(c)), degree, x, ())
    rows, jumps = w[:, None] * parts, _jumps(t, degree, len(c))
    still, fixed, goal = constant(rows), constant(jumps), constant(w[:, None] * y)
    pull, bend = still.T @ (still @ c - goal), fixed.T @ (fixed @ c)
    by = -np.sum(pull * bend) / np.sum(bend * bend)
    left = np.sum((still @ c - goal) ** 2)
    if by * np.max(np.abs(bend)) <= 1e-9 * np.max(np.abs(still.T @ goal)):
        exact = fitted(x, y, t, degree, w)
        return t, c + (exact - constant(exact))
    missed = constant(1.0 * s) - left

    def equations(z: Vector) -> Vector:
        a, share = z[:-1].reshape(c.shape), z[-1]
        apart = rows @ a - w[:, None] * y
        flat = rows.T @ apart + by * share * (jumps.T @ (jumps @ a))
        return np.append(np.ravel(flat), np.sum(apart * apart) + missed - s)

    z = root_of(equations, np.append(np.ravel(c), 1.0))
    return t, z[:-1].reshape(c.shape)


def smoothed_curve(u: Vector, x: Matrix, w: Vector, degree: Any, s: Any) -> Any:
    """Return knots and coefficients of a curve whose squared distances sum up to s."""
    k, n = len(degree), x.shape[1]
    found = told(described("curve"), constant(packed((u, x, w, k, s))))
    count = len(found) // (n + 1)
    c = found[count:].reshape(n, count)[:, : count - k - 1].T
    return smoothed_rows(u, x, w, degree, s, found[:count], c)


def _bends(x: Vector) -> Matrix:
    """Return the matrix of the integral of the squared second derivative of a natural spline."""
    n, h = len(x), x[1:] - x[:-1]
    inner = np.diag((h[:-1] + h[1:]) / 3.0) + np.diag(h[1:-1], 1) / 6.0 + np.diag(h[1:-1], -1) / 6.0
    rows, cols = np.arange(n)[:, None], np.arange(n - 2)[None]
    first, second = 1.0 / h[:-1], 1.0 / h[1:]
    turns = np.where(rows == cols, first, np.where(rows == cols + 2, second, np.where(
        rows == cols + 1, -first - second, 0.0)))  # fmt: skip
    return turns @ np.linalg.solve(inner, turns.T)


def make_smoothing_spline(x: Any, y: Any, w: Any = None, lam: Any = None, *,
                          axis: int = 0) -> Spline:  # fmt: skip
    points, values = np.asarray(x).astype(float), np.asarray(y).astype(float)
    if values.ndim != 1:
        unsupported("make_smoothing_spline of other than a vector", "one spline for each column")
    n = len(points)
    if np.any(points[1:] - points[:-1] <= 0.0):
        raise ValueError("``x`` should be an ascending array")
    if n != len(values):
        raise ValueError(
            f"``x`` should be 1D and x.shape = {points.shape} == y.shape = {values.shape}"
        )
    shares = np.ones(n) if w is None else np.asarray(w).astype(float)
    if np.any(shares <= 0.0):
        raise ValueError("Invalid vector of weights")
    if n <= 4:
        raise ValueError("``x`` and ``y`` length must be at least 5")
    bends = _bends(points)

    def hat(by: Any) -> Matrix:
        return np.linalg.solve(np.diag(shares) + by * bends, np.diag(shares))

    if lam is None:
        found = told(described("natural"), constant(packed((points, values, shares))))

        def loss(by: Any) -> Any:
            made = hat(by)
            left = values - made @ values
            return np.sum(left * left) / n / (1.0 - np.trace(made) / n) ** 2

        pulls = constant(bends) @ found / constant(shares)
        chosen = ((constant(values) - found) @ pulls) / (pulls @ pulls)
        by = least_of(loss, chosen, 0.01 * chosen)
    else:
        if lam < 0.0:
            raise ValueError("Regularization parameter should be non-negative")
        by = lam
    smooth = hat(by) @ values
    return interpolating(points, smooth, times(known(3)), None, "natural", False)
