"""Functions of ``scipy.special`` that follow from others, as plain Python that the front end
compiles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.combinators import stop_gradient
from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import unsupported


def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """Return in how many ways k of N things are chosen."""
    if repetition:
        unsupported("comb with repetition=True", "comb(N + k - 1, k)")
    if exact:
        return math.comb(N, k)
    inside = (np.asarray(k) <= N) & (np.asarray(N) >= 0) & (np.asarray(k) >= 0)
    return np.where(inside, scipy.special.binom(N, k), 0.0)


def factorial(n: Any, exact: bool = False) -> Any:
    """Return the product of the ints from 1 to n; 0 for negative n."""
    if exact:
        return math.factorial(n)
    return np.where(np.asarray(n) < 0, 0.0, scipy.special.gamma(np.asarray(n) + 1.0))


def perm(N: Array, k: Array, exact: bool = False) -> Any:
    """Return in how many ways k of N things are put into a row."""
    if exact:
        return math.perm(N, k)
    inside = (np.asarray(k) <= N) & (np.asarray(N) >= 0) & (np.asarray(k) >= 0)
    return np.where(inside, scipy.special.poch(np.asarray(N) - k + 1, k), 0.0)


def softplus(x: Array) -> Array:
    return np.logaddexp(0.0, x)


def multigammaln(a: Array, d: int) -> Array:
    """The logarithm of the gamma function of d dimensions."""
    if np.any(np.asarray(a) <= 0.5 * (d - 1)):
        raise ValueError(f"condition a ({a}) > 0.5 * (d-1) ({0.5 * (d - 1)}) not met")
    total = d * (d - 1) * 0.25 * math.log(math.pi) + 0.0 * np.asarray(a)
    for j in range(d):
        total = total + scipy.special.gammaln(np.asarray(a) - 0.5 * j)
    return total


def _weighted_logsumexp(a: Array, b: Array, axis: Any, keepdims: bool) -> Array:
    """log(sum(b * exp(a))), shifted by the largest item that has a weight."""
    x, weights = np.broadcast_arrays(np.asarray(a), np.asarray(b))
    counted = np.where(weights != 0, x, -np.inf)
    top = stop_gradient(np.max(counted, axis=axis, keepdims=True))
    shift = np.where(np.isfinite(top), top, 0.0)
    gone = (weights == 0) & ~(x - shift < 700.0)
    terms = weights * np.exp(np.where(gone, -np.inf, x) - shift)
    whole = np.log(np.sum(terms, axis=axis, keepdims=True)) + shift
    return whole if keepdims else np.max(whole, axis=axis)


def _signed_logsumexp(a: Array, b: Any, axis: Any, keepdims: bool) -> tuple[Array, Array]:
    """Return log(abs(sum(b * exp(a)))), and the sign of the sum."""
    x, weights = np.broadcast_arrays(np.asarray(a), np.asarray(1.0 if b is None else b))
    counted = np.where(weights != 0, x, -np.inf)
    top = stop_gradient(np.max(counted, axis=axis, keepdims=True))
    if not np.all(np.isfinite(top)):
        raise NotImplementedError("the sign of logsumexp of infinite numbers")
    terms = weights * np.exp(np.where(weights == 0, -np.inf, x) - top)
    total = np.sum(terms, axis=axis, keepdims=True)
    size, sign = np.log(np.abs(total)) + top, np.sign(total)
    if keepdims:
        return size, sign
    return np.max(size, axis=axis), np.max(sign, axis=axis)


# --- derivatives of Bessel's functions, as SciPy sums them ----------------------------------------


def _sum_of_orders(f: Callable[[Any, Any], Any], v: Any, z: Any, n: int, phase: float) -> Any:
    if n < 0:
        raise ValueError("n must be a non-negative integer.")
    order, p = np.asarray(v), 1.0
    s = f(order - n, z)
    for i in range(1, n + 1):
        p = phase * (p * (n - i + 1)) / i
        s = s + p * f(order - n + i * 2, z)
    return s / 2.0**n


def jvp(v: Any, z: Array, n: int = 1) -> Any:
    return scipy.special.jv(v, z) if n == 0 else _sum_of_orders(scipy.special.jv, v, z, n, -1.0)


def yvp(v: Any, z: Array, n: int = 1) -> Any:
    return scipy.special.yv(v, z) if n == 0 else _sum_of_orders(scipy.special.yv, v, z, n, -1.0)


def ivp(v: Any, z: Array, n: int = 1) -> Any:
    return scipy.special.iv(v, z) if n == 0 else _sum_of_orders(scipy.special.iv, v, z, n, 1.0)


def kvp(v: Any, z: Array, n: int = 1) -> Any:
    if n == 0:
        return scipy.special.kv(v, z)
    return (-1.0) ** n * _sum_of_orders(scipy.special.kv, v, z, n, 1.0)


def h1vp(v: Any, z: Array, n: int = 1) -> Any:
    f = scipy.special.hankel1
    return f(v, z) if n == 0 else _sum_of_orders(f, v, z, n, -1.0)


def h2vp(v: Any, z: Array, n: int = 1) -> Any:
    f = scipy.special.hankel2
    return f(v, z) if n == 0 else _sum_of_orders(f, v, z, n, -1.0)


# --- others ---------------------------------------------------------------------------------------


def diric(x: Array, n: int) -> Any:
    """sin(n x / 2) / (n sin(x / 2)); beside whole turns, where that is 0 / 0, a series"""
    if n <= 0 or n != int(n):
        return 0.0 * np.asarray(x) + np.nan
    half = 0.5 * np.asarray(x)
    s = np.sin(half)
    turned = np.abs(s) < 1e-7
    turns = np.rint(stop_gradient(half) / np.pi)
    d = 2.0 * (half - turns * np.pi)
    d = np.where(turned, d, 0.0)
    q, m = d * d, 1.0 * n * n
    rest = q * ((1.0 - m) / 24.0 + q * ((3.0 * m * m - 10.0 * m + 7.0) / 5760.0))
    sign = 1.0 - 2.0 * np.mod(turns * (n - 1), 2.0)
    series = 1.0 + (rest - stop_gradient(rest))
    return np.where(turned, sign * series, np.sin(n * half) / (n * np.where(turned, 1.0, s)))


def assoc_laguerre(x: Array, n: Any, k: Any = 0.0) -> Any:
    return scipy.special.eval_genlaguerre(n, k, x)


def _without_slopes(diff_n: int) -> None:
    if diff_n != 0:
        unsupported("a harmonic or Legendre function with diff_n", "a derivative of the function")


def _along_meridian(n: Any, m: Any, theta: Any) -> Any:
    """Return a spherical harmonic at the longitude 0."""
    degree, order = np.asarray(n), np.asarray(m)
    k = np.minimum(np.abs(order), degree)  # above it the harmonic is 0
    logs = scipy.special.gammaln(degree - k + 1.0) - scipy.special.gammaln(degree + k + 1.0)
    size = np.sqrt((2.0 * degree + 1.0) / (4.0 * np.pi)) * np.exp(0.5 * logs)
    sign = np.where((order < 0) & (k % 2 == 1), -1.0, 1.0) * (np.abs(order) <= degree)
    return sign * size * scipy.special.lpmv(1.0 * k, 1.0 * degree, np.cos(theta))


def sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: int = 0) -> Any:
    """Return a spherical harmonic; theta is the angle from the pole."""
    _without_slopes(diff_n)
    turned = np.exp(1j * (np.asarray(m) * np.asarray(phi)))
    return np.asarray(_along_meridian(n, m, theta) * turned)


def sph_legendre_p(n: Any, m: Any, theta: Any, *, diff_n: int = 0) -> Any:
    _without_slopes(diff_n)
    return np.asarray(_along_meridian(n, m, theta))[None]


def legendre_p(n: Any, z: Any, *, diff_n: int = 0) -> Any:
    _without_slopes(diff_n)
    return np.asarray(scipy.special.eval_legendre(n, np.asarray(z) * 1.0))[None]


def assoc_legendre_p(n: Any, m: Any, z: Any, *, branch_cut: int = 2, norm: bool = False,
                     diff_n: int = 0) -> Any:  # fmt: skip
    _without_slopes(diff_n)
    if norm or branch_cut != 2:
        unsupported("assoc_legendre_p with norm or branch_cut", "leave them away")
    return np.asarray(scipy.special.lpmv(1.0 * m, 1.0 * n, np.asarray(z) * 1.0))[None]
