"""Functions of ``scipy.special`` that follow from others, as plain Python that the front end
compiles."""

from __future__ import annotations

import math
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
    outside = (np.asarray(k) > N) | (np.asarray(N) < 0) | (np.asarray(k) < 0)
    return np.where(outside, 0.0, scipy.special.binom(N, k))


def factorial(n: Any, exact: bool = False) -> Any:
    """Return the product of the ints from 1 to n; 0 for negative n."""
    if exact:
        return math.factorial(n)
    return np.where(np.asarray(n) < 0, 0.0, scipy.special.gamma(np.asarray(n) + 1.0))


def kl_div(x: Array, y: Array) -> Array:
    return scipy.special.rel_entr(x, y) - x + y


def boxcox(x: Array, lmbda: Array) -> Array:
    """Return (x**lmbda - 1) / lmbda, which is log(x) where lmbda is 0."""
    small = np.abs(lmbda) < 1e-19
    power = np.where(small, 1.0, lmbda)
    return np.where(small, np.log(x), np.expm1(power * np.log(x)) / power)


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


def eval_legendre(n: int, x: Array) -> Array:
    """The polynomial of Legendre of order n, by its recurrence."""
    y = 1.0 * np.asarray(x)
    before, now = 0.0 * y, 0.0 * y + 1.0
    for k in range(-n - 1 if n < 0 else n):
        before, now = now, ((2 * k + 1) * y * now - k * before) / (k + 1)
    return now


def eval_chebyt(n: int, x: Array) -> Array:
    """Chebyshev's polynomial of the first kind."""
    y = 1.0 * np.asarray(x)
    before, now = y, 0.0 * y + 1.0
    for _ in range(abs(n)):
        before, now = now, 2.0 * y * now - before
    return now


def eval_hermite(n: int, x: Array) -> Array:
    """The polynomial of Hermite, as physicists write it."""
    y = 1.0 * np.asarray(x)
    before, now = 0.0 * y, 0.0 * y + 1.0
    if n < 0:
        return 0.0 * y + np.nan
    for k in range(n):
        before, now = now, 2.0 * (y * now - k * before)
    return now


def eval_hermitenorm(n: int, x: Array) -> Array:
    """The polynomial of Hermite, as statisticians write it."""
    y = 1.0 * np.asarray(x)
    before, now = 0.0 * y, 0.0 * y + 1.0
    if n < 0:
        return 0.0 * y + np.nan
    for k in range(n):
        before, now = now, y * now - k * before
    return now


def eval_laguerre(n: int, x: Array) -> Array:
    y = 1.0 * np.asarray(x)
    before, now = 0.0 * y, 0.0 * y + 1.0
    if n < 0:
        return 0.0 * y
    for k in range(n):
        before, now = now, ((2 * k + 1 - y) * now - k * before) / (k + 1)
    return now


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
