"""Zeros of polynomials as plain Python that the front end compiles. The coefficient of the highest
power comes first."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text.domains import Vector


def roots(p: Vector) -> Vector:
    """The zeros of a polynomial: the eigenvalues of its companion matrix, and zeros for the
    coefficients 0 at the end."""
    given = np.atleast_1d(p)
    if given.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    first, last = 0, len(given)
    while first < last and given[first] == 0:
        first += 1
    end = last
    while last > first and given[last - 1] == 0:
        last -= 1
    c, n = 1.0 * given[first:last], last - first
    zeros = np.zeros(end - last if n > 0 else 0, complex)
    if n < 2:
        return zeros
    matrix = np.eye(n - 1, k=-1, dtype=c.dtype)
    matrix[0] = -c[1:] / c[0]
    return np.append(np.linalg.eigvals(matrix), zeros)


def polydiv(u: Vector, v: Vector) -> tuple[Vector, Vector]:
    """Return the quotient and the remainder, without what is close to 0 in front of it."""
    rest, divisor = np.atleast_1d(u) * 1.0, np.atleast_1d(v) * 1.0
    rest = rest * np.ones_like(divisor[:1])
    steps, width = len(rest) - len(divisor) + 1, len(divisor)
    scale, quotient = 1.0 / divisor[0], np.zeros(max(steps, 1), dtype=rest.dtype)
    for k in range(steps):
        d = scale * rest[k]
        quotient[k] = d
        rest[k : k + width] -= d * divisor
    first = 0
    while first < len(rest) - 1 and abs(rest[first]) <= 1e-8:
        first += 1
    return quotient, rest[first:]
