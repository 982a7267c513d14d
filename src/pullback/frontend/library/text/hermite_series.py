"""Hermite's series of physicists, of ``numpy.polynomial``, as plain Python that the front end
compiles. The coefficient of the lowest degree comes first. The rounds are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text import series_tools as tools
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.polynomial_arithmetic import polyadd, polymulx, polysub
from pullback.frontend.library.text.power_series import hermval


def hermadd(c1: Vector, c2: Vector) -> Vector:
    return tools.added(c1, c2)


def hermsub(c1: Vector, c2: Vector) -> Vector:
    return tools.less(c1, c2)


def hermmulx(c: Vector) -> Vector:
    """Return the product with x."""
    a = tools.series(c)
    n = len(a)
    if n == 1 and a[0] == 0:
        return a
    product = np.zeros(n + 1, dtype=a.dtype)
    product[1] = a[0] / 2
    for i in range(1, n):
        product[i + 1] = a[i] / 2
        product[i - 1] += a[i] * i
    return product


def hermmul(c1: Vector, c2: Vector) -> Vector:
    a, b = tools.both(c1, c2)
    c, xs = (b, a) if len(a) > len(b) else (a, b)
    n = len(c)
    if n == 1:
        return hermadd(c[0] * xs, hermmulx(xs * 0))
    before, now = c[n - 2] * xs, c[n - 1] * xs
    d = n
    for i in range(3, n + 1):
        d = d - 1
        before, now = (
            hermsub(c[n - i] * xs, now * (2 * (d - 1))),
            hermadd(before, hermmulx(now) * 2),
        )
    return hermadd(before, hermmulx(now) * 2)


def hermdiv(c1: Vector, c2: Vector) -> tuple[Vector, Vector]:
    return tools.divided(hermmul, c1, c2)


def hermpow(c: Vector, pow: int, maxpower: int | None = 16) -> Vector:
    return tools.powered(hermmul, c, pow, maxpower)


def hermline(off: float, scl: float) -> Vector:
    return tools.line(off, scl / 2)


def hermfromroots(roots: Vector) -> Vector:
    return tools.of_roots(hermline, hermmul, roots)


def hermtrim(c: Vector, tol: float = 0) -> Vector:
    return tools.without_small(c, tol)


def _slope(c: Any) -> Any:
    """Return the coefficients of the derivative."""
    n = len(c) - 1
    found = np.zeros_like(c[1:])
    for j in range(n, 0, -1):
        found[j - 1] = (2 * j) * c[j]
    return found


def _integral(c: Any) -> Any:
    """Return the coefficients of an integral."""
    n = len(c)
    found = np.concatenate((c[:1] * 0, c * 0))
    found[1] = c[0] / 2
    for j in range(1, n):
        found[j + 1] = c[j] / (2 * (j + 1))
    return found


def hermder(c: Array, m: int = 1, scl: float = 1, axis: int = 0) -> Array:
    return tools.differentiated(_slope, c, m, scl, axis)


def hermint(
    c: Array, m: int = 1, k: Any = (), lbnd: float = 0, scl: float = 1, axis: int = 0
) -> Array:
    return tools.integrated(_integral, hermval, c, m, k, lbnd, scl, axis)


def hermvander(x: Array, deg: int) -> Array:
    if deg < 0:
        raise ValueError("deg must be non-negative")
    places = np.atleast_1d(x) + 0.0
    rows = [places * 0 + 1]
    if deg > 0:
        rows.append(2 * places)
    for i in range(2, deg + 1):
        rows.append(rows[i - 1] * (2 * places) - rows[i - 2] * (2 * (i - 1)))
    return np.moveaxis(np.array(rows), 0, -1)


def hermvander2d(x: Array, y: Array, deg: Any) -> Array:
    return tools.rows_2d(hermvander, x, y, deg)


def hermvander3d(x: Array, y: Array, z: Array, deg: Any) -> Array:
    return tools.rows_3d(hermvander, x, y, z, deg)


def hermval2d(x: Any, y: Any, c: Array) -> Any:
    return tools.value_2d(hermval, x, y, c)


def hermval3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return tools.value_3d(hermval, x, y, z, c)


def hermgrid2d(x: Any, y: Any, c: Array) -> Any:
    return hermval(y, hermval(x, c))


def hermgrid3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return hermval(z, hermval(y, hermval(x, c)))


def hermfit(
    x: Vector, y: Array, deg: int, rcond: float | None = None, full: bool = False,
    w: Vector | None = None,
) -> Any:  # fmt: skip
    return tools.fitted(hermvander, x, y, deg, rcond, full, w)


def hermcompanion(c: Vector) -> Matrix:
    a = tools.series(c)
    if len(a) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(a) - 1
    if n == 1:
        return np.array([[-0.5 * a[0] / a[1]]])
    scale = np.append(1.0, 1.0 / np.sqrt(2.0 * np.arange(n - 1, 0, -1)))
    scale = np.cumprod(scale)[::-1]
    top = np.sqrt(0.5 * np.arange(1, n))
    m = tools.banded(top, 0.0 * np.append(top, 0.0))
    m[:, n - 1] -= scale * a[:n] / (2.0 * a[n])
    return m


def hermroots(c: Vector) -> Vector:
    a = tools.series(c)
    if len(a) < 2:
        return np.zeros(0, complex)
    return tools.sorted_zeros(hermcompanion(a))


def herm2poly(c: Vector) -> Vector:
    a = tools.series(c)
    n = len(a)
    if n == 1:
        return a
    if n == 2:
        return a * np.array([1.0, 2.0])
    before, now = a[n - 2 : n - 1], a[n - 1 :]
    for i in range(n - 1, 1, -1):
        before, now = (
            polysub(a[i - 2], now * (2 * (i - 1))),
            polyadd(before, polymulx(now) * 2),
        )
    return polyadd(before, polymulx(now) * 2)


def poly2herm(pol: Vector) -> Vector:
    a = tools.series(pol)
    found = a[:1] * 0
    for i in range(len(a) - 1, -1, -1):
        found = hermadd(hermmulx(found), a[i])
    return found


def hermweight(x: Any) -> Any:
    return np.exp(-(x**2))
