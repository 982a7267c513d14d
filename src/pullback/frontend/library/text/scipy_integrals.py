"""Lambert's function of ``scipy.special``, as plain Python that the front end compiles. The values
are SciPy's, as constants; they solve an equation, and have steps of Newton's method, each of which
doubles the order of the derivatives that are exact."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.text.domains import Vector


def _shaped(found: Vector, x: Any) -> Any:
    return found[0] if np.ndim(x) == 0 else np.reshape(found, np.shape(x))


def _parts(z: Any) -> tuple[Vector, Vector]:
    a = np.ravel(np.asarray(z))
    return np.real(a).astype(np.float64), np.imag(a).astype(np.float64)


def lambertw(z: Any, k: int = 0, tol: float = 1e-8) -> Any:
    """Return w with w exp(w) = z, on a branch."""
    x, y = _parts(z)
    n = len(x)
    found = library_value("lambertw", np.concatenate((x, y)), (k,), 2 * n).reshape(2, n)
    u, v = found[0], found[1]
    good = np.isfinite(u) & np.isfinite(v) & ((u + 1.0) ** 2 + v * v > 1e-24)
    p, q = np.where(good, u, 0.0), np.where(good, v, 0.0)
    for _ in range(4):
        size = np.exp(p)
        c, d = size * np.cos(q), size * np.sin(q)
        e, f = p * c - q * d - x, p * d + q * c - y
        g, h = c * (p + 1.0) - d * q, c * q + d * (p + 1.0)
        whole = g * g + h * h
        p, q = p - (e * g + f * h) / whole, q - (f * g - e * h) / whole
    change = np.where(good, 0.0, x + y)
    moved = np.where(good, p - stop_gradient(p), 0.0), np.where(good, q - stop_gradient(q), 0.0)
    real = np.array([unknown(a, c) for a, c in zip(u + moved[0], change, strict=True)])
    imag = np.array([unknown(a, c) for a, c in zip(v + moved[1], change, strict=True)])
    return _shaped(real + 1j * imag, z)
