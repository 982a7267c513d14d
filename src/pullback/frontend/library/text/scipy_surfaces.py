"""Surfaces of ``scipy.interpolate`` on rectangular grids, as plain Python that the front end
compiles: products of B-splines (``basis_splines``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.basis_splines import intervals, not_a_knot, through, weights
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text_helpers import known, times, unsupported


class Surface:
    """What ``RectBivariateSpline`` gives."""

    def __init__(self, tx: Vector, ty: Vector, c: Matrix, kx: Any, ky: Any) -> None:
        self._tx = tx
        self._ty = ty
        self._c = c
        self._kx = kx
        self._ky = ky

    def _at(self, x: Vector, y: Vector, dx: Any, dy: Any) -> Vector:
        kx, ky = len(self._kx), len(self._ky)
        tx, ty = self._tx, self._ty
        u = np.clip(x, tx[kx], tx[len(tx) - kx - 1])
        v = np.clip(y, ty[ky], ty[len(ty) - ky - 1])
        i, j = intervals(tx, kx, u), intervals(ty, ky, v)
        across = weights(ty, j, v, self._ky, dy)
        made = np.zeros(len(x))
        for a, p in enumerate(weights(tx, i, u, self._kx, dx)):
            row = np.zeros(len(x))
            for b, q in enumerate(across):
                row = row + self._c[i + a - kx, j + b - ky] * q
            made = made + p * row
        return made

    def ev(self, xi: Any, yi: Any, dx: int = 0, dy: int = 0) -> Array:
        return self(xi, yi, dx, dy, False)

    def __call__(self, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Array:
        p, q = np.asarray(x).astype(float), np.asarray(y).astype(float)
        orders = times(known(dx)), times(known(dy))
        if grid:
            p, q = np.atleast_1d(p), np.atleast_1d(q)
            if p.ndim != 1 or q.ndim != 1:
                raise ValueError("x and y should both be 1-D arrays")
            if np.any(np.diff(p) < 0.0):
                raise ValueError("x must be sorted to increasing order")
            if np.any(np.diff(q) < 0.0):
                raise ValueError("y must be sorted to increasing order")
            p, q = np.broadcast_arrays(p[:, None], q[None, :])
            made = self._at(np.ravel(p), np.ravel(q), *orders)
            return made.reshape(p.shape)
        p, q = np.broadcast_arrays(p, q)
        made = self._at(np.ravel(p), np.ravel(q), *orders)
        return made if p.ndim == 1 else made.reshape(p.shape)


def RectBivariateSpline(x: Any, y: Any, z: Any, bbox: Any = (None, None, None, None), kx: int = 3,
                        ky: int = 3, s: float = 0, maxit: int = 20) -> Surface:  # fmt: skip
    for end in bbox:
        if end is not None:
            unsupported("RectBivariateSpline with bbox", "leave it away")
    if known(s) != 0:
        unsupported("a surface that smooths, whose knots FITPACK chooses", "s of 0")
    xs, ys, zs = (np.asarray(v).astype(float) for v in (x, y, z))
    if np.any(np.diff(xs) <= 0.0):
        raise ValueError("x must be strictly increasing")
    if np.any(np.diff(ys) <= 0.0):
        raise ValueError("y must be strictly increasing")
    if xs.size != zs.shape[0]:
        raise ValueError("x dimension of z must have same number of elements as x")
    if ys.size != zs.shape[1]:
        raise ValueError("y dimension of z must have same number of elements as y")
    of_x, of_y = times(known(kx)), times(known(ky))
    tx, ty = not_a_knot(xs, len(of_x)), not_a_knot(ys, len(of_y))
    rows = through(xs, zs, tx, of_x, (), ())
    return Surface(tx, ty, through(ys, rows.T, ty, of_y, (), ()).T, of_x, of_y)
