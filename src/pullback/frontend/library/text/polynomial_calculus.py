"""Derivatives, integrals, zeros, fits and others of ``numpy.polynomial.polynomial`` as plain Python
that the front end compiles. The coefficient of the lowest degree comes first."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text import series_tools as tools
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.power_series import polyval
from pullback.frontend.library.text_helpers import times


def _beside(numbers: Any, like: Any) -> Any:
    """Return numbers as a column beside an array."""
    for _ in times(like.ndim - 1):
        numbers = numbers[:, None]
    return numbers


def _slope(c: Any) -> Any:
    return _beside(np.arange(1, len(c)), c) * c[1:]


def _integral(c: Any) -> Any:
    return np.concatenate((c[:1] * 0, c / _beside(np.arange(1, len(c) + 1), c)))


def polyder(c: Array, m: int = 1, scl: float = 1, axis: int = 0) -> Array:
    return tools.differentiated(_slope, c, m, scl, axis)


def polyint(
    c: Array, m: int = 1, k: Any = (), lbnd: float = 0, scl: float = 1, axis: int = 0
) -> Array:
    return tools.integrated(_integral, polyval, c, m, k, lbnd, scl, axis)


def polyvander(x: Array, deg: int) -> Array:
    if deg < 0:
        raise ValueError("deg must be non-negative")
    places = np.atleast_1d(x) + 0.0
    rows = [places * 0 + 1]
    for i in range(1, deg + 1):
        rows.append(rows[i - 1] * places)
    return np.moveaxis(np.array(rows), 0, -1)


def polyvander2d(x: Array, y: Array, deg: Any) -> Array:
    return tools.rows_2d(polyvander, x, y, deg)


def polyvander3d(x: Array, y: Array, z: Array, deg: Any) -> Array:
    return tools.rows_3d(polyvander, x, y, z, deg)


def polyval2d(x: Any, y: Any, c: Array) -> Any:
    return tools.value_2d(polyval, x, y, c)


def polyval3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return tools.value_3d(polyval, x, y, z, c)


def polygrid2d(x: Any, y: Any, c: Array) -> Any:
    return polyval(y, polyval(x, c))


def polygrid3d(x: Any, y: Any, z: Any, c: Array) -> Any:
    return polyval(z, polyval(y, polyval(x, c)))


def polyvalfromroots(x: Any, r: Array, tensor: bool = True) -> Any:
    """Return the product of the differences from the zeros."""
    places, zeros = np.asarray(x), np.atleast_1d(r) * 1.0
    if tensor:
        for _ in times(places.ndim):
            zeros = zeros[..., None]
    elif places.ndim >= zeros.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return np.prod(places - zeros, axis=0)


def polyfit(
    x: Vector, y: Array, deg: int, rcond: float | None = None, full: bool = False,
    w: Vector | None = None,
) -> Any:  # fmt: skip
    return tools.fitted(polyvander, x, y, deg, rcond, full, w)


def polycompanion(c: Vector) -> Matrix:
    a = tools.series(c)
    if len(a) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(a) - 1
    m = np.eye(n, k=-1, dtype=a.dtype)
    m[:, n - 1] -= a[:n] / a[n]
    return m


def polyroots(c: Vector) -> Vector:
    a = tools.series(c)
    if len(a) < 2:
        return np.zeros(0, complex)
    found = np.linalg.eigvals(polycompanion(a))
    return found[np.lexsort((np.imag(found), np.real(found)))]
