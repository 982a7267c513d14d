"""Chebyshev's series, of ``numpy.polynomial``, as plain Python that the front end
compiles. The coefficient of the lowest degree comes first. The rounds are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.text import series_tools as tools
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.polynomial_arithmetic import polyadd, polymulx, polysub
from pullback.frontend.library.text.power_series import chebval


def _doubled(c: Vector) -> Vector:
    """Return the coefficients of the powers of z, where x is (z + 1 / z) / 2."""
    half = np.concatenate((np.zeros_like(c[1:]), c / 2))
    return half + half[::-1]


def _halved(z: Vector) -> Vector:
    n = (len(z) + 1) // 2
    return np.concatenate((z[n - 1 : n], 2 * z[n:]))


def chebadd(c1: Vector, c2: Vector) -> Vector:
    return tools.added(c1, c2)


def chebsub(c1: Vector, c2: Vector) -> Vector:
    return tools.less(c1, c2)


def chebmulx(c: Vector) -> Vector:
    """Return the product with x."""
    a = tools.series(c)
    n = len(a)
    if n == 1 and a[0] == 0:
        return a
    product = np.zeros(n + 1, dtype=a.dtype)
    product[1] = a[0]
    if n > 1:
        product[2:] = a[1:] / 2
        product[: n - 1] += a[1:] / 2
    return product


def chebmul(c1: Vector, c2: Vector) -> Vector:
    a, b = tools.both(c1, c2)
    return tools.trimmed(_halved(np.convolve(_doubled(a), _doubled(b))))


def chebdiv(c1: Vector, c2: Vector) -> tuple[Vector, Vector]:
    return tools.divided(chebmul, c1, c2)


def chebpow(c: Vector, pow: int, maxpower: int | None = 16) -> Vector:
    return tools.powered(chebmul, c, pow, maxpower)


def chebline(off: float, scl: float) -> Vector:
    return tools.line(off, scl)


def chebfromroots(roots: Vector) -> Vector:
    return tools.of_roots(chebline, chebmul, roots)


def chebtrim(c: Vector, tol: float = 0) -> Vector:
    return tools.without_small(c, tol)


def _slope(c: Any) -> Any:
    """Return the coefficients of the derivative."""
    n = len(c) - 1
    found = np.zeros_like(c[1:])
    for j in range(n, 2, -1):
        found[j - 1] = (2 * j) * c[j]
        c[j - 2] += (j * c[j]) / (j - 2)
    if n > 1:
        found[1] = 4 * c[2]
    found[0] = c[1]
    return found


def _integral(c: Any) -> Any:
    """Return the coefficients of an integral."""
    n = len(c)
    found = np.concatenate((c[:1] * 0, c * 0))
    found[1] = c[0]
    if n > 1:
        found[2] = c[1] / 4
    for j in range(2, n):
        found[j + 1] = c[j] / (2 * (j + 1))
        found[j - 1] -= c[j] / (2 * (j - 1))
    return found


def chebder(c: Array, m: int = 1, scl: float = 1, axis: int = 0) -> Array:
    return tools.differentiated(_slope, c, m, scl, axis)


def chebint(
    c: Array, m: int = 1, k: Any = (), lbnd: float = 0, scl: float = 1, axis: int = 0
) -> Array:
    return tools.integrated(_integral, chebval, c, m, k, lbnd, scl, axis)


def chebvander(x: Array, deg: int) -> Array:
    if deg < 0:
        raise ValueError("deg must be non-negative")
    places = np.atleast_1d(x) + 0.0
    rows = [places * 0 + 1]
    if deg > 0:
        rows.append(places)
    for i in range(2, deg + 1):
        rows.append(rows[i - 1] * (2 * places) - rows[i - 2])
    return np.moveaxis(np.array(rows), 0, -1)


def chebvander2d(x: Array, y: Array, deg: Any) -> Array:
    return tools.rows_2d(chebvander, x, y, deg)


def chebvander3d(x: Array, y: Array, z: Array, deg: Any) -> Array:
    return tools.rows_3d(chebvander, x, y, z, deg)


def chebval2d(x: Any, y: Any, c: Array) -> Any:
    return tools.value_2d(chebval, x, y, c)


def chebval3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return tools.value_3d(chebval, x, y, z, c)


def chebgrid2d(x: Any, y: Any, c: Array) -> Any:
    return chebval(y, chebval(x, c))


def chebgrid3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return chebval(z, chebval(y, chebval(x, c)))


def chebfit(
    x: Vector, y: Array, deg: int, rcond: float | None = None, full: bool = False,
    w: Vector | None = None,
) -> Any:  # fmt: skip
    return tools.fitted(chebvander, x, y, deg, rcond, full, w)


def chebcompanion(c: Vector) -> Matrix:
    a = tools.series(c)
    if len(a) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(a) - 1
    if n == 1:
        return np.array([[-a[0] / a[1]]])
    scale = np.append(1.0, np.full(n - 1, np.sqrt(0.5)))
    top = np.append(np.sqrt(0.5), np.full(n - 2, 0.5))
    m = tools.banded(top, 0.0 * np.append(top, 0.0))
    m[:, n - 1] -= (a[:n] / a[n]) * (scale / scale[n - 1]) * 0.5
    return m


def chebroots(c: Vector) -> Vector:
    a = tools.series(c)
    if len(a) < 2:
        return np.zeros(0, complex)
    return tools.sorted_zeros(chebcompanion(a))


def cheb2poly(c: Vector) -> Vector:
    a = tools.series(c)
    n = len(a)
    if n < 3:
        return a
    before, now = a[n - 2 : n - 1], a[n - 1 :]
    for i in range(n - 1, 1, -1):
        before, now = polysub(a[i - 2], now), polyadd(before, polymulx(now) * 2)
    return polyadd(before, polymulx(now))


def poly2cheb(pol: Vector) -> Vector:
    a = tools.series(pol)
    found = a[:1] * 0
    for i in range(len(a) - 1, -1, -1):
        found = chebadd(chebmulx(found), a[i])
    return found


def chebweight(x: Any) -> Any:
    return 1.0 / (np.sqrt(1.0 + x) * np.sqrt(1.0 - x))


def chebpts1(npts: int) -> Vector:
    if npts < 1:
        raise ValueError("npts must be >= 1")
    return np.sin(0.5 * np.pi / npts * np.arange(-npts + 1, npts + 1, 2))


def chebpts2(npts: int) -> Vector:
    if npts < 2:
        raise ValueError("npts must be >= 2")
    return np.cos(np.linspace(-np.pi, 0, npts))


def chebinterpolate(func: Callable[..., Any], deg: int, args: Any = ()) -> Vector:
    """Return the series that has the values of a function at Chebyshev's points."""
    if deg < 0:
        raise ValueError("expected deg >= 0")
    places = chebpts1(deg + 1)
    found = np.dot(chebvander(places, deg).T, func(places, *args)) / (0.5 * (deg + 1))
    return np.concatenate((found[:1] / 2, found[1:]))
