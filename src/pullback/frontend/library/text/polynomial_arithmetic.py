"""Sums, products, powers and quotients of ``numpy.polynomial.polynomial`` as plain Python that the
front end compiles. The coefficient of the lowest degree comes first; zeros at the end are left
out."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text import series_tools as tools
from pullback.frontend.library.text.domains import Vector


def polyadd(c1: Vector, c2: Vector) -> Vector:
    return tools.added(c1, c2)


def polysub(c1: Vector, c2: Vector) -> Vector:
    return tools.less(c1, c2)


def polymul(c1: Vector, c2: Vector) -> Vector:
    a, b = tools.both(c1, c2)
    return tools.trimmed(np.convolve(a, b))


def polymulx(c: Vector) -> Vector:
    """Return the product with x."""
    a = tools.series(c)
    if len(a) == 1 and a[0] == 0.0:
        return a
    return np.concatenate((a[:1] * 0.0, a))


def polydiv(c1: Vector, c2: Vector) -> tuple[Vector, Vector]:
    """Return the quotient and the remainder."""
    a, b = tools.both(c1, c2)
    m, n = len(a), len(b)
    if b[n - 1] == 0.0:
        raise ZeroDivisionError
    if m < n:
        return a[:1] * 0.0, a
    rest, lower = a.copy(), b[: n - 1] / b[n - 1]
    for k in range(m - n + 1):
        last = m - 1 - k
        rest[last - n + 1 : last] -= lower * rest[last]
    remainder = tools.trimmed(rest[: n - 1]) if n > 1 else rest[:1] * 0.0
    return rest[n - 1 :] / b[n - 1], remainder


def polypow(c: Vector, pow: int, maxpower: int | None = None) -> Vector:
    return tools.powered(np.convolve, c, pow, maxpower)


def polyline(off: float, scl: float) -> Vector:
    return tools.line(off, scl)


def polytrim(c: Vector, tol: float = 0) -> Vector:
    return tools.without_small(c, tol)


def polyfromroots(roots: Vector) -> Vector:
    """Return the polynomial with these zeros whose first coefficient is 1."""
    return tools.of_roots(polyline, polymul, roots)
