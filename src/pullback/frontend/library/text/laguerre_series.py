"""Laguerre's series, of ``numpy.polynomial``, as plain Python that the front end
compiles. The coefficient of the lowest degree comes first. The rounds are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text import series_tools as tools
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.polynomial_arithmetic import polyadd, polymulx, polysub
from pullback.frontend.library.text.power_series import lagval


def lagadd(c1: Vector, c2: Vector) -> Vector:
    return tools.added(c1, c2)


def lagsub(c1: Vector, c2: Vector) -> Vector:
    return tools.less(c1, c2)


def lagmulx(c: Vector) -> Vector:
    """Return the product with x."""
    a = tools.series(c)
    n = len(a)
    if n == 1 and a[0] == 0:
        return a
    product = np.zeros(n + 1, dtype=a.dtype)
    product[0] = a[0]
    product[1] = -a[0]
    for i in range(1, n):
        product[i + 1] = -a[i] * (i + 1)
        product[i] += a[i] * (2 * i + 1)
        product[i - 1] -= a[i] * i
    return product


def lagmul(c1: Vector, c2: Vector) -> Vector:
    a, b = tools.both(c1, c2)
    c, xs = (b, a) if len(a) > len(b) else (a, b)
    n = len(c)
    if n == 1:
        return lagadd(c[0] * xs, lagmulx(xs * 0))
    before, now = c[n - 2] * xs, c[n - 1] * xs
    d = n
    for i in range(3, n + 1):
        d = d - 1
        before, now = (
            lagsub(c[n - i] * xs, (now * (d - 1)) / d),
            lagadd(before, lagsub((2 * d - 1) * now, lagmulx(now)) / d),
        )
    return lagadd(before, lagsub(now, lagmulx(now)))


def lagdiv(c1: Vector, c2: Vector) -> tuple[Vector, Vector]:
    return tools.divided(lagmul, c1, c2)


def lagpow(c: Vector, pow: int, maxpower: int | None = 16) -> Vector:
    return tools.powered(lagmul, c, pow, maxpower)


def lagline(off: float, scl: float) -> Vector:
    return np.array([off + scl, -scl]) if scl != 0 else np.array([off])


def lagfromroots(roots: Vector) -> Vector:
    return tools.of_roots(lagline, lagmul, roots)


def lagtrim(c: Vector, tol: float = 0) -> Vector:
    return tools.without_small(c, tol)


def _slope(c: Any) -> Any:
    """Return the coefficients of the derivative."""
    n = len(c) - 1
    found = np.zeros_like(c[1:])
    for j in range(n, 1, -1):
        found[j - 1] = -c[j]
        c[j - 1] += c[j]
    found[0] = -c[1]
    return found


def _integral(c: Any) -> Any:
    """Return the coefficients of an integral."""
    n = len(c)
    found = np.concatenate((c[:1] * 0, c * 0))
    found[0] = c[0]
    found[1] = -c[0]
    for j in range(1, n):
        found[j] += c[j]
        found[j + 1] = -c[j]
    return found


def lagder(c: Array, m: int = 1, scl: float = 1, axis: int = 0) -> Array:
    return tools.differentiated(_slope, c, m, scl, axis)


def lagint(
    c: Array, m: int = 1, k: Any = (), lbnd: float = 0, scl: float = 1, axis: int = 0
) -> Array:
    return tools.integrated(_integral, lagval, c, m, k, lbnd, scl, axis)


def lagvander(x: Array, deg: int) -> Array:
    if deg < 0:
        raise ValueError("deg must be non-negative")
    places = np.atleast_1d(x) + 0.0
    rows = [places * 0 + 1]
    if deg > 0:
        rows.append(1 - places)
    for i in range(2, deg + 1):
        rows.append((rows[i - 1] * (2 * i - 1 - places) - rows[i - 2] * (i - 1)) / i)
    return np.moveaxis(np.array(rows), 0, -1)


def lagvander2d(x: Array, y: Array, deg: Any) -> Array:
    return tools.rows_2d(lagvander, x, y, deg)


def lagvander3d(x: Array, y: Array, z: Array, deg: Any) -> Array:
    return tools.rows_3d(lagvander, x, y, z, deg)


def lagval2d(x: Any, y: Any, c: Array) -> Any:
    return tools.value_2d(lagval, x, y, c)


def lagval3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return tools.value_3d(lagval, x, y, z, c)


def laggrid2d(x: Any, y: Any, c: Array) -> Any:
    return lagval(y, lagval(x, c))


def laggrid3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return lagval(z, lagval(y, lagval(x, c)))


def lagfit(
    x: Vector, y: Array, deg: int, rcond: float | None = None, full: bool = False,
    w: Vector | None = None,
) -> Any:  # fmt: skip
    return tools.fitted(lagvander, x, y, deg, rcond, full, w)


def lagcompanion(c: Vector) -> Matrix:
    a = tools.series(c)
    if len(a) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(a) - 1
    if n == 1:
        return np.array([[1 + a[0] / a[1]]])
    top = -1.0 * np.arange(1, n)
    m = tools.banded(top, 2.0 * np.arange(n) + 1.0)
    m[:, n - 1] += (a[:n] / a[n]) * n
    return m


def lagroots(c: Vector) -> Vector:
    a = tools.series(c)
    if len(a) < 2:
        return np.zeros(0, complex)
    return tools.sorted_zeros(lagcompanion(a))


def lag2poly(c: Vector) -> Vector:
    a = tools.series(c)
    n = len(a)
    if n == 1:
        return a
    before, now = a[n - 2 : n - 1], a[n - 1 :]
    for i in range(n - 1, 1, -1):
        before, now = (
            polysub(a[i - 2], (now * (i - 1)) / i),
            polyadd(before, polysub((2 * i - 1) * now, polymulx(now)) / i),
        )
    return polyadd(before, polysub(now, polymulx(now)))


def poly2lag(pol: Vector) -> Vector:
    a = tools.series(pol)
    found = a[:1] * 0
    for i in range(len(a) - 1, -1, -1):
        found = lagadd(lagmulx(found), a[i])
    return found


def lagweight(x: Any) -> Any:
    return np.exp(-x)
