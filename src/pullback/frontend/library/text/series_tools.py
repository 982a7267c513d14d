"""What the six kinds of series of ``numpy.polynomial`` share, as plain Python that the front end
compiles: sums, quotients, powers, products of factors, fits. The coefficient of the lowest degree
comes first; zeros at the end are left out. What differs is given as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text_helpers import times, unsupported

Binary = Callable[[Any, Any], Any]


def trimmed(c: Vector) -> Vector:
    """Return the coefficients up to the last that is not 0, at least one of them."""
    n = len(c)
    while n > 1 and c[n - 1] == 0.0:
        n -= 1
    return c[:n]


def coefficients(c: Any) -> Vector:
    items = np.atleast_1d(c)
    if items.ndim != 1:
        raise ValueError("Coefficient array is not 1-d")
    if len(items) == 0:
        raise ValueError("Coefficient array is empty")
    return items * 1.0


def series(c: Any) -> Vector:
    return trimmed(coefficients(c))


def both(c1: Any, c2: Any) -> tuple[Vector, Vector]:
    """Return the coefficients of two series, of one type."""
    a, b = series(c1), series(c2)
    one = np.ones_like(a[:1]) * np.ones_like(b[:1])
    return a * one, b * one


def added(c1: Any, c2: Any) -> Vector:
    a, b = both(c1, c2)
    n = max(len(a), len(b))
    return trimmed(np.pad(a, (0, n - len(a))) + np.pad(b, (0, n - len(b))))


def less(c1: Any, c2: Any) -> Vector:
    return added(c1, -np.atleast_1d(c2))


def without_small(c: Any, tol: float = 0) -> Vector:
    if tol < 0:
        raise ValueError("tol must be non-negative")
    a = series(c)
    n = len(a)
    while n > 1 and not abs(a[n - 1]) > tol:
        n -= 1
    return a[:n] if abs(a[n - 1]) > tol else a[:1] * 0


def line(off: float, scl: float) -> Vector:
    return np.array([off, scl]) if scl != 0 else np.array([off])


def divided(multiply: Binary, c1: Any, c2: Any) -> tuple[Vector, Vector]:
    """Return the quotient and the remainder."""
    a, b = both(c1, c2)
    m, n = len(a), len(b)
    if b[n - 1] == 0:
        raise ZeroDivisionError
    if m < n:
        return a[:1] * 0, a
    if n == 1:
        return a / b[0], a[:1] * 0
    quotient, rest = np.zeros(m - n + 1, dtype=a.dtype), a
    for i in range(m - n, -1, -1):
        unit = np.zeros(i + 1)
        unit[i] = 1.0
        p = multiply(unit, b)
        last = len(rest) - 1
        q = rest[last] / p[len(p) - 1]
        rest = rest[:last] - q * p[: len(p) - 1]
        quotient[i] = q
    return quotient, trimmed(rest)


def powered(multiply: Binary, c: Any, pow: int, maxpower: int | None) -> Vector:
    a = series(c)
    if int(pow) != pow or pow < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and pow > maxpower:
        raise ValueError("Power is too large")
    if pow == 0:
        return np.ones_like(a[:1])
    product = a
    for _ in range(2, int(pow) + 1):
        product = multiply(product, a)
    return product


def of_roots(of_line: Binary, multiply: Binary, roots: Any) -> Vector:
    """Return the product of the factors of these zeros, two by two."""
    zeros = np.atleast_1d(roots) * 1.0
    if zeros.ndim != 1:
        raise ValueError("Coefficient array is not 1-d")
    if len(zeros) == 0:
        return np.ones(1)
    factors = [of_line(-z, 1.0) for z in np.sort(zeros)]
    n = len(factors)
    while n > 1:
        half, odd = divmod(n, 2)
        products = [multiply(factors[i], factors[i + half]) for i in range(half)]
        if odd:
            products[0] = multiply(products[0], factors[n - 1])
        factors, n = products, half
    return factors[0]


def banded(beside: Vector, diagonal: Vector) -> Matrix:
    """Return the symmetric matrix with this diagonal and these numbers beside it."""
    n = len(diagonal)
    m = np.zeros((n, n), dtype=diagonal.dtype)
    for i in range(n):
        m[i, i] = diagonal[i]
    for i in range(n - 1):
        m[i, i + 1] = beside[i]
        m[i + 1, i] = beside[i]
    return m


def sorted_zeros(companion: Matrix) -> Vector:
    """Return the eigenvalues, by their real parts."""
    found = np.linalg.eigvals(companion[::-1, ::-1])
    return found[np.lexsort((np.imag(found), np.real(found)))]


# --- derivatives and integrals, values ------------------------------------------------------------


def differentiated(once: Callable[[Any], Any], c: Any, m: int, scl: float, axis: int) -> Array:
    a = np.atleast_1d(c) * 1.0
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    a = np.moveaxis(a, axis, 0)
    if m >= len(a):
        a = a[:1] * 0
    else:
        for _ in times(m):
            a = once(a * scl)
    return np.moveaxis(a, 0, axis)


def integrated(
    once: Callable[[Any], Any], value: Callable[[Any, Any], Any], c: Any, m: int, k: Any,
    lbnd: Any, scl: Any, axis: int,
) -> Array:  # fmt: skip
    a = np.atleast_1d(c) * 1.0
    constants = k if isinstance(k, (list, tuple)) else [k]
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    if len(constants) > m:
        raise ValueError("Too many integration constants")
    if np.ndim(lbnd) != 0:
        raise ValueError("lbnd must be a scalar.")
    if np.ndim(scl) != 0:
        raise ValueError("scl must be a scalar.")
    a = np.moveaxis(a, axis, 0)
    given = list(constants) + [0.0] * (m - len(constants))
    for constant in given:
        a = a * scl
        if len(a) == 1 and np.all(a[0] == 0):
            a = a + constant
        else:
            a = once(a)
            first = a[:1] + (constant - value(lbnd, a))
            a = np.concatenate((first, a[1:]))
    return np.moveaxis(a, 0, axis)


def value_2d(value: Callable[..., Any], x: Any, y: Any, c: Any) -> Any:
    if np.shape(x) != np.shape(y):
        raise ValueError("x, y are incompatible")
    return value(y, value(x, c), tensor=False)


def value_3d(value: Callable[..., Any], x: Any, y: Any, z: Any, c: Any) -> Any:
    if np.shape(x) != np.shape(y) or np.shape(x) != np.shape(z):
        raise ValueError("x, y, z are incompatible")
    return value(z, value(y, value(x, c), tensor=False), tensor=False)


def rows_2d(rows: Binary, x: Any, y: Any, deg: Any) -> Array:
    """Return the products of the functions of x and of y, in the last axis."""
    a, b = rows(np.asarray(x) + 0.0, deg[0]), rows(np.asarray(y) + 0.0, deg[1])
    whole = a[..., :, None] * b[..., None, :]
    return whole.reshape((*whole.shape[:-2], whole.shape[-2] * whole.shape[-1]))


def rows_3d(rows: Binary, x: Any, y: Any, z: Any, deg: Any) -> Array:
    a, b = rows(np.asarray(x) + 0.0, deg[0]), rows(np.asarray(y) + 0.0, deg[1])
    c = rows(np.asarray(z) + 0.0, deg[2])
    whole = a[..., :, None, None] * b[..., None, :, None] * c[..., None, None, :]
    n = whole.shape[-3] * whole.shape[-2] * whole.shape[-1]
    return whole.reshape((*whole.shape[:-3], n))


def fitted(
    rows: Binary, x: Any, y: Any, deg: Any, rcond: float | None, full: bool, w: Any
) -> Any:
    """Return the series that has the least squares of differences from y."""
    places, right = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if full:
        unsupported("a fit with full=True", "np.linalg.lstsq of the Vandermonde matrix")
    if np.ndim(deg) != 0:
        unsupported("a fit of some degrees only", "np.linalg.lstsq of these columns")
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if places.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if len(places) == 0:
        raise TypeError("expected non-empty vector for x")
    if right.ndim < 1 or right.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(places) != len(right):
        raise TypeError("expected x and y to have same length")
    columns = rows(places, deg)
    if w is not None:
        weights = np.asarray(w) * 1.0
        if weights.ndim != 1:
            raise TypeError("expected 1D vector for w")
        if len(weights) != len(places):
            raise TypeError("expected x and w to have same length")
        columns = columns * weights[:, None]
        right = right * weights if right.ndim == 1 else right * weights[:, None]
    least = len(places) * 2.0**-52 if rcond is None else rcond
    size = np.sqrt(np.sum(np.square(columns), axis=0))
    scale = np.where(size == 0, 1.0, size)
    found = np.linalg.lstsq(columns / scale, right, least)[0]
    return found / scale if right.ndim == 1 else found / scale[:, None]
