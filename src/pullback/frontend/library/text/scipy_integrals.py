"""Special functions of ``scipy.special`` whose derivatives are elementary, as plain Python that the
front end compiles.

The values are SciPy's, as constants. Beside the place s of x the function is its value there and
the integral of its slope from s to x, by the eight points of Gauss: at x = s it adds 0, and its
derivatives are exact up to the sixteenth (``ad.nesting`` allows fewer). Lambert's function is
defined by an equation, and has steps of Newton's method, each of which doubles the order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text_helpers import unsupported

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_PLACES, _SHARES = tuple(0.5 * (_POINTS + 1.0)), tuple(0.5 * _WEIGHTS)


def _numbers(x: Any) -> Vector:
    a = np.asarray(x)
    if np.iscomplexobj(a):
        unsupported("this function of complex numbers", "call it for real ones")
    if a.dtype == np.float32:
        unsupported("this function in float32", "convert the numbers to float64")
    return np.ravel(a).astype(np.float64)


def _shaped(found: Vector, x: Any) -> Any:
    return found[0] if np.ndim(x) == 0 else np.reshape(found, np.shape(x))


def _integrated(value: Vector, slope: Callable[[Any], Any], x: Vector) -> Vector:
    """Return what has these values, and this slope. Where it is infinite, so is the derivative."""
    s = stop_gradient(x)
    d, total = x - s, np.zeros_like(x)
    for t, share in zip(_PLACES, _SHARES, strict=True):
        total = total + share * slope(s + t * d)
    bad = ~np.isfinite(total)
    change = np.where(bad, x, 0.0)
    moved = value + d * np.where(bad, 0.0, total)
    return np.array([unknown(v, c) for v, c in zip(moved, change, strict=True)])


def _two(name: str, x: Any, first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Any:
    a = _numbers(x)
    values = library_value(name, a, (), 2 * len(a)).reshape(2, len(a))
    one, other = _integrated(values[0], first, a), _integrated(values[1], second, a)
    return _shaped(one, x), _shaped(other, x)


def _sinc(t: Any) -> Any:
    return np.sinc(t / np.pi)


def _ratio(t: Any) -> Any:
    """sinh(t) / t"""
    small = np.abs(t) < 1e-3
    u = np.where(small, 1.0, t)
    q = t * t
    series = 1.0 + q / 6.0 * (1.0 + q / 20.0 * (1.0 + q / 42.0 * (1.0 + q / 72.0 * (
        1.0 + q / 110.0 * (1.0 + q / 156.0)))))  # fmt: skip
    return np.where(small, series, np.sinh(u) / u)


def sici(x: Array) -> Any:
    """Return the integrals of sin(t) / t and of cos(t) / t."""
    return _two("sici", x, _sinc, lambda t: np.cos(t) / t)


def shichi(x: Array) -> Any:
    """Return the integrals of sinh(t) / t and of cosh(t) / t."""
    return _two("shichi", x, _ratio, lambda t: np.cosh(t) / t)


def fresnel(z: Array) -> Any:
    """Return the integrals of sin(pi t^2 / 2) and of cos(pi t^2 / 2)."""
    return _two(
        "fresnel", z, lambda t: np.sin(np.pi / 2.0 * t * t), lambda t: np.cos(np.pi / 2.0 * t * t)
    )


# --- complex ones ---------------------------------------------------------------------------------


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


def _faddeeva(x: Vector, y: Vector) -> tuple[Vector, Vector]:
    """Return the parts of exp(-z^2) erfc(-iz): the solution of w' = -2 z w + 2i / sqrt(pi)."""
    n = len(x)
    found = library_value("wofz", np.concatenate((x, y)), (), 2 * n).reshape(2, n)
    s, t = stop_gradient(x), stop_gradient(y)
    a, b = x - s, y - t
    p, q = np.zeros(n), np.zeros(n)
    for place, share in zip(_PLACES, _SHARES, strict=True):
        u, v = place * a, place * b  # the square less that of s + it is (d + 2 (s + it)) d
        up, down = (u + 2.0 * s) * u - (v + 2.0 * t) * v, (u + 2.0 * s) * v + (v + 2.0 * t) * u
        size = share * np.exp(up)
        p, q = p + size * np.cos(down), q + size * np.sin(down)
    whole = 2.0 / np.sqrt(np.pi)
    real = found[0] - whole * (a * q + b * p)
    imag = found[1] + whole * (a * p - b * q)
    up, down = (a + 2.0 * s) * a - (b + 2.0 * t) * b, (a + 2.0 * s) * b + (b + 2.0 * t) * a
    c, d = np.exp(-up) * np.cos(down), -np.exp(-up) * np.sin(down)
    return real * c - imag * d, real * d + imag * c


def wofz(z: Any) -> Any:
    x, y = _parts(z)
    real, imag = _faddeeva(x, y)
    return _shaped(real + 1j * imag, z)


def voigt_profile(x: Array, sigma: Any, gamma: Any) -> Any:
    """Return the density of the sum of a normal number and one of Cauchy's distribution."""
    place, wide, half = np.broadcast_arrays(
        np.atleast_1d(1.0 * np.asarray(x)), np.atleast_1d(1.0 * np.asarray(sigma)),
        np.atleast_1d(1.0 * np.asarray(gamma)),
    )  # fmt: skip
    a, b, c = np.ravel(place), np.ravel(wide), np.ravel(half)
    if np.any(b <= 0.0) or np.any(c < 0.0):
        raise NotImplementedError("voigt_profile with sigma = 0 or a negative width")
    by = b * np.sqrt(2.0)
    real, _ = _faddeeva(a / by, c / by)
    found = real / (b * np.sqrt(2.0 * np.pi))
    if np.ndim(x) == 0 and np.ndim(sigma) == 0 and np.ndim(gamma) == 0:
        return found[0]
    return np.reshape(found, place.shape)
