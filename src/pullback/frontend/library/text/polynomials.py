"""Polynomials, convolutions and differences, as plain Python that the front end compiles."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.compiled_text import Matrix as Vector


def polyval(p: Vector, x: float) -> float:
    """The polynomial with these coefficients, the highest first (Horner's rule)."""
    result = np.float64(0.0)
    for k in range(p.shape[0]):
        result = result * x + p[k]
    return result


def convolved(a: Vector, v: Vector, start: int, count: int) -> Vector:
    """Items ``start`` to ``start + count`` of the full convolution."""
    n, m = a.shape[0], v.shape[0]
    return np.array(
        [
            sum(a[k - j] * v[j] for j in range(max(0, k - n + 1), min(k + 1, m)))
            for k in range(start, start + count)
        ]
    )


def gradient(f: Vector, h: float) -> Vector:
    """Central differences; one-sided ones at the ends."""
    n = f.shape[0]
    inside = (f[2:] - f[: n - 2]) / (2.0 * h)
    first = (f[1] - f[0]) / h
    last = (f[n - 1] - f[n - 2]) / h
    return np.concatenate((np.array([first]), inside, np.array([last])))


def trapezoid(y: Vector, dx: Vector) -> Vector:
    """The integral by the trapezoidal rule; ``dx`` a number or one for each interval."""
    return np.sum(dx * (y[1:] + y[:-1]) / 2.0)
