"""The method of Levenberg and Marquardt for sums of squares, as plain Python that the front end
compiles: J. J. More, "The Levenberg-Marquardt algorithm: implementation and theory" (1978), with
the rules for steps, scales and ends of J. J. More, B. S. Garbow and K. E. Hillstrom, *User Guide
for MINPACK-1* (1980), which SciPy follows, so that the same place is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.domains import Matrix, Vector

EPS = float(np.finfo(float).eps)

Residuals = Callable[[Vector], Vector]
Slopes = Callable[[Vector, Vector], Matrix]
Factors = tuple[Matrix, Vector, Vector]
"""The triangle R of J P = Q R, the columns of J in the order of P, and the first part of Q^T f."""
Fitted = tuple[Vector, Vector, int, int, int, Matrix, Vector]
"""The place, the residuals, how it ended, how often the function and its Jacobian were called, and
the last triangle with the order of its columns."""


def length(x: Vector) -> float:
    """The Euclidean norm."""
    n: float = np.sqrt(np.sum(x * x))
    return n


def by_differences(f: Residuals, eps: float) -> Slopes:
    """Return the function that gives the Jacobian by differences."""

    def slopes(x: Vector, fx: Vector) -> Matrix:
        rows = np.zeros((x.size, fx.size))
        for j in range(x.size):
            h = math.sqrt(eps) * abs(x[j])
            if h == 0.0:
                h = math.sqrt(eps)
            y = x.copy()
            y[j] += h
            rows[j] = (f(y) - fx) / h
        return rows.T

    return slopes


def factored(jacobian: Matrix, f: Vector) -> Factors:
    """Return the factors of a matrix, by Householder's reflections; the longest column that is left
    comes next."""
    a, b, n = jacobian.copy(), f.copy(), jacobian.shape[1]
    order = np.arange(n)
    for j in range(n):
        sizes = np.sum(a[j:, j:] * a[j:, j:], axis=0)
        k = j + np.argmax(sizes)
        column, place = a[:, k].copy(), order[k]
        a[:, k], order[k] = a[:, j].copy(), order[j]
        a[:, j], order[j] = column, place
        v = column[j:].copy()
        size = length(v)
        if size != 0.0:
            size = -size if v[0] < 0.0 else size
            v = v / size
            v[0] += 1.0
            a[j:, j:] -= np.outer(v, (v @ a[j:, j:]) / v[0])
            b[j:] -= v * ((v @ b[j:]) / v[0])
        a[j, j] = -size
        a[j + 1 :, j] = 0.0
    return a[:n], order, b[:n]


def above(r: Matrix, b: Vector) -> tuple[Vector, bool]:
    """Return the solution of R x = b, with zeros from the first zero of the diagonal on, and
    whether there is one."""
    n = b.size
    rank = n
    for j in range(n - 1, -1, -1):
        if r[j, j] == 0.0:
            rank = j
    x = np.zeros(n)
    for j in range(n - 1, -1, -1):
        if j < rank:
            x[j] = (b[j] - r[j, j + 1 :] @ x[j + 1 :]) / r[j, j]
    return x, rank < n


def _damped(r: Matrix, scales: Vector, b: Vector, radius: float,
            damping: Any) -> tuple[float, Vector]:  # fmt: skip
    """Return the parameter for which the step is as long as the radius, to a tenth, and the step;
    the unknowns are in the order of the columns."""
    x, singular = above(r, b)
    scaled = scales * x
    wide = length(scaled)
    over: Any = wide - radius
    if over <= 0.1 * radius:
        return 0.0, x
    low: Any = 0.0
    if not singular:
        bent = np.linalg.solve(r.T, scales * (scaled / wide))
        low = over / radius / (bent @ bent)
    steep = length((r.T @ b) / scales)
    high = steep / radius
    if high == 0.0:
        high = 2.2250738585072014e-308 / min(radius, 0.1)
    damping = min(max(damping, low), high)
    if damping == 0.0:
        damping = steep / wide
    for k in range(10):
        if damping == 0.0:
            damping = max(2.2250738585072014e-308, 0.001 * high)
        q, s = np.linalg.qr(np.concatenate((r, np.diag(math.sqrt(damping) * scales))))
        x = np.linalg.solve(s, b @ q[: b.size])
        scaled = scales * x
        wide = length(scaled)
        before, over = over, wide - radius
        if abs(over) <= 0.1 * radius or (low == 0.0 and over <= before < 0.0) or k == 9:
            break
        bent = np.linalg.solve(s.T, scales * (scaled / wide))
        change = over / radius / (bent @ bent)
        if over > 0.0:
            low = max(low, damping)
        if over < 0.0:
            high = min(high, damping)
        damping = max(low, damping + change)
    return damping, x


def _cosine(jacobian: Matrix, lengths: Vector, f: Vector, size: float) -> float:
    """The largest cosine of the angle between the residuals and a column."""
    if size == 0.0:
        return 0.0
    along = np.abs((f / size) @ jacobian)
    cosines = np.where(lengths == 0.0, 0.0, along / np.where(lengths == 0.0, 1.0, lengths))
    most: float = np.max(cosines)
    return most


def least_sum(f: Residuals, slopes: Slopes, x: Vector, ftol: float, xtol: float, gtol: float,
              most: int, each: int, factor: float, diag: Any) -> Fitted:  # fmt: skip
    """Return where the sum of squares is least, and how it was found."""
    fx, n = f(x), x.size
    size, calls, jacobians, info, first = length(fx), 1, 0, 0, True
    scales = np.ones(n) if diag is None else diag
    radius = reach = damping = cosine = 0.0
    jacobian, renew = np.zeros((fx.size, n)), True
    r, order, b = np.zeros((n, n)), np.arange(n), np.zeros(n)
    while info == 0:
        if renew:
            jacobian = constant(slopes(x, fx))
            calls += each
            jacobians += 1
            lengths = np.sqrt(np.sum(jacobian * jacobian, axis=0))
            r, order, b = constant(factored(jacobian, fx))
            if jacobians == 1:
                scales = np.where(lengths == 0.0, 1.0, lengths) if diag is None else diag
                reach = length(scales * x)
                radius = factor * reach if reach != 0.0 else factor
            cosine = _cosine(jacobian, lengths, fx, size)
            if cosine <= gtol:
                info = 4
                break
            scales = np.maximum(scales, lengths) if diag is None else diag
        damping, found = _damped(r, scales[order], b, radius, damping)
        step = np.zeros(n)
        step[order] = -found
        after, wide = x + step, length(scales * step)
        if first:
            radius = min(radius, wide)
        f_after = f(after)
        calls += 1
        size_after = length(f_after)
        gained = 1.0 - (size_after / size) ** 2 if 0.1 * size_after < size else -1.0
        straight = (length(jacobian @ step) / size) ** 2
        bent = (math.sqrt(damping) * wide / size) ** 2
        promised, ratio = straight + bent / 0.5, 0.0
        if promised != 0.0:
            ratio = gained / promised
        if ratio <= 0.25:
            slope = -(straight + bent)
            part = 0.5 if gained >= 0.0 else 0.5 * slope / (slope + 0.5 * gained)
            if 0.1 * size_after >= size or part < 0.1:
                part = 0.1
            radius = part * min(radius, wide / 0.1)
            damping = damping / part
        elif damping == 0.0 or ratio >= 0.75:
            radius, damping = wide / 0.5, 0.5 * damping
        renew = ratio >= 1e-4
        if renew:
            x, fx, size, first = after, f_after, size_after, False
            reach = length(scales * x)
        info = _ended(gained, promised, ratio, radius, reach, cosine, ftol, xtol, calls >= most)
    return x, fx, info, calls, jacobians, r, order


def _ended(gained: float, promised: float, ratio: float, radius: float, reach: float,
           cosine: float, ftol: float, xtol: float, spent: bool) -> int:  # fmt: skip
    """Return how it ended, 0 if it goes on."""
    info = 0
    if abs(gained) <= ftol and promised <= ftol and 0.5 * ratio <= 1.0:
        info = 1
    if radius <= xtol * reach:
        info = 3 if info == 1 else 2
    if info != 0:
        return info
    if spent:
        info = 5
    if abs(gained) <= EPS and promised <= EPS and 0.5 * ratio <= 1.0:
        info = 6
    if radius <= EPS * reach:
        info = 7
    if cosine <= EPS:
        info = 8
    return info
