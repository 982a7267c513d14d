"""Legendre's series, of ``numpy.polynomial``, as plain Python that the front end
compiles. The coefficient of the lowest degree comes first. The rounds are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text import series_tools as tools
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.polynomial_arithmetic import polyadd, polymulx, polysub
from pullback.frontend.library.text.power_series import legval


def legadd(c1: Vector, c2: Vector) -> Vector:
    return tools.added(c1, c2)


def legsub(c1: Vector, c2: Vector) -> Vector:
    return tools.less(c1, c2)


def legmulx(c: Vector) -> Vector:
    """Return the product with x."""
    a = tools.series(c)
    n = len(a)
    if n == 1 and a[0] == 0:
        return a
    product = np.zeros(n + 1, dtype=a.dtype)
    product[1] = a[0]
    for i in range(1, n):
        product[i + 1] = (a[i] * (i + 1)) / (2 * i + 1)
        product[i - 1] += (a[i] * i) / (2 * i + 1)
    return product


def legmul(c1: Vector, c2: Vector) -> Vector:
    a, b = tools.both(c1, c2)
    c, xs = (b, a) if len(a) > len(b) else (a, b)
    n = len(c)
    if n == 1:
        return legadd(c[0] * xs, legmulx(xs * 0))
    before, now = c[n - 2] * xs, c[n - 1] * xs
    d = n
    for i in range(3, n + 1):
        d = d - 1
        before, now = (
            legsub(c[n - i] * xs, (now * (d - 1)) / d),
            legadd(before, (legmulx(now) * (2 * d - 1)) / d),
        )
    return legadd(before, legmulx(now))


def legdiv(c1: Vector, c2: Vector) -> tuple[Vector, Vector]:
    return tools.divided(legmul, c1, c2)


def legpow(c: Vector, pow: int, maxpower: int | None = 16) -> Vector:
    return tools.powered(legmul, c, pow, maxpower)


def legline(off: float, scl: float) -> Vector:
    return tools.line(off, scl)


def legfromroots(roots: Vector) -> Vector:
    return tools.of_roots(legline, legmul, roots)


def legtrim(c: Vector, tol: float = 0) -> Vector:
    return tools.without_small(c, tol)


def _slope(c: Any) -> Any:
    """Return the coefficients of the derivative."""
    n = len(c) - 1
    found = np.zeros_like(c[1:])
    for j in range(n, 2, -1):
        found[j - 1] = (2 * j - 1) * c[j]
        c[j - 2] += c[j]
    if n > 1:
        found[1] = 3 * c[2]
    found[0] = c[1]
    return found


def _integral(c: Any) -> Any:
    """Return the coefficients of an integral."""
    n = len(c)
    found = np.concatenate((c[:1] * 0, c * 0))
    found[1] = c[0]
    if n > 1:
        found[2] = c[1] / 3
    for j in range(2, n):
        t = c[j] / (2 * j + 1)
        found[j + 1] = t
        found[j - 1] -= t
    return found


def legder(c: Array, m: int = 1, scl: float = 1, axis: int = 0) -> Array:
    return tools.differentiated(_slope, c, m, scl, axis)


def legint(
    c: Array, m: int = 1, k: Any = (), lbnd: float = 0, scl: float = 1, axis: int = 0
) -> Array:
    return tools.integrated(_integral, legval, c, m, k, lbnd, scl, axis)


def legvander(x: Array, deg: int) -> Array:
    if deg < 0:
        raise ValueError("deg must be non-negative")
    places = np.atleast_1d(x) + 0.0
    rows = [places * 0 + 1]
    if deg > 0:
        rows.append(places)
    for i in range(2, deg + 1):
        rows.append((rows[i - 1] * places * (2 * i - 1) - rows[i - 2] * (i - 1)) / i)
    return np.moveaxis(np.array(rows), 0, -1)


def legvander2d(x: Array, y: Array, deg: Any) -> Array:
    return tools.rows_2d(legvander, x, y, deg)


def legvander3d(x: Array, y: Array, z: Array, deg: Any) -> Array:
    return tools.rows_3d(legvander, x, y, z, deg)


def legval2d(x: Any, y: Any, c: Array) -> Any:
    return tools.value_2d(legval, x, y, c)


def legval3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return tools.value_3d(legval, x, y, z, c)


def leggrid2d(x: Any, y: Any, c: Array) -> Any:
    return legval(y, legval(x, c))


def leggrid3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return legval(z, legval(y, legval(x, c)))


def legfit(
    x: Vector, y: Array, deg: int, rcond: float | None = None, full: bool = False,
    w: Vector | None = None,
) -> Any:  # fmt: skip
    return tools.fitted(legvander, x, y, deg, rcond, full, w)


def legcompanion(c: Vector) -> Matrix:
    a = tools.series(c)
    if len(a) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(a) - 1
    if n == 1:
        return np.array([[-a[0] / a[1]]])
    scale = 1.0 / np.sqrt(2 * np.arange(n) + 1)
    top = np.arange(1, n) * scale[: n - 1] * scale[1:n]
    m = tools.banded(top, 0.0 * np.append(top, 0.0))
    m[:, n - 1] -= (a[:n] / a[n]) * (scale / scale[n - 1]) * (n / (2 * n - 1))
    return m


def legroots(c: Vector) -> Vector:
    a = tools.series(c)
    if len(a) < 2:
        return np.zeros(0, complex)
    return tools.sorted_zeros(legcompanion(a))


def leg2poly(c: Vector) -> Vector:
    a = tools.series(c)
    n = len(a)
    if n < 3:
        return a
    before, now = a[n - 2 : n - 1], a[n - 1 :]
    for i in range(n - 1, 1, -1):
        before, now = (
            polysub(a[i - 2], (now * (i - 1)) / i),
            polyadd(before, (polymulx(now) * (2 * i - 1)) / i),
        )
    return polyadd(before, polymulx(now))


def poly2leg(pol: Vector) -> Vector:
    a = tools.series(pol)
    found = a[:1] * 0
    for i in range(len(a) - 1, -1, -1):
        found = legadd(legmulx(found), a[i])
    return found


def legweight(x: Any) -> Any:
    return x * 0.0 + 1.0
