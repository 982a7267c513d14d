"""Distribution functions of ``scipy.special`` and their inverses, by a probability or a parameter,
as plain Python of numbers. A value is what SciPy finds. That of an inverse function is the root of
an equation, which has the derivatives.

A ufunc is compiled by the text that has its name (``numpy/special_functions.py:finder``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from pullback.combinators import stop_gradient
from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.solutions import root_of
from pullback.frontend.library.text.continuous_distributions import cdf_of_t
from pullback.frontend.library.text.more_special import boxcox, start

# --- binomial and Poisson's distributions, Student's, the beta, gamma and F distributions ---------


def nbdtr(k: Any, n: Any, p: Any) -> Any:
    return scipy.special.betainc(n, np.floor(k) + 1.0, p)


def nbdtrc(k: Any, n: Any, p: Any) -> Any:
    return scipy.special.betainc(np.floor(k) + 1.0, n, 1.0 - p)


def nbdtri(k: Any, n: Any, y: Any) -> Any:
    p = start("nbdtri", k, n, y)
    return root_of(lambda p: scipy.special.betainc(n, np.floor(k) + 1.0, p) - y, p)


def nbdtrik(y: Any, n: Any, p: Any) -> Any:
    k = start("nbdtrik", y, n, p)
    return root_of(lambda k: scipy.special.betainc(n, k + 1.0, p) - y, k)


def nbdtrin(k: Any, y: Any, p: Any) -> Any:
    n = start("nbdtrin", k, y, p)
    return root_of(lambda n: scipy.special.betainc(n, k + 1.0, p) - y, n)


def bdtri(k: Any, n: Any, y: Any) -> Any:
    p = start("bdtri", k, n, y)
    at = np.floor(k)
    return root_of(lambda p: scipy.special.betainc(n - at, at + 1.0, 1.0 - p) - y, p)


def bdtrik(y: Any, n: Any, p: Any) -> Any:
    k = start("bdtrik", y, n, p)
    return root_of(lambda k: scipy.special.betainc(n - k, k + 1.0, 1.0 - p) - y, k)


def bdtrin(k: Any, y: Any, p: Any) -> Any:
    n = start("bdtrin", k, y, p)
    return root_of(lambda n: scipy.special.betainc(n - k, k + 1.0, 1.0 - p) - y, n)


def btdtria(p: Any, b: Any, x: Any) -> Any:
    a = start("btdtria", p, b, x)
    return root_of(lambda a: scipy.special.betainc(a, b, x) - p, a)


def btdtrib(a: Any, p: Any, x: Any) -> Any:
    b = start("btdtrib", a, p, x)
    return root_of(lambda b: scipy.special.betainc(a, b, x) - p, b)


def pdtri(k: Any, y: Any) -> Any:
    m = start("pdtri", k, y)
    return root_of(lambda m: scipy.special.gammaincc(np.floor(k) + 1.0, m) - y, m)


def pdtrik(p: Any, m: Any) -> Any:
    k = start("pdtrik", p, m)
    return root_of(lambda k: scipy.special.gammaincc(k + 1.0, m) - p, k)


def chdtriv(p: Any, x: Any) -> Any:
    v = start("chdtriv", p, x)
    return root_of(lambda v: scipy.special.gammainc(0.5 * v, 0.5 * x) - p, v)


def gdtria(p: Any, b: Any, x: Any) -> Any:
    return scipy.special.gammaincinv(b, p) / x


def gdtrib(a: Any, p: Any, x: Any) -> Any:
    b = start("gdtrib", a, p, x)
    return root_of(lambda b: scipy.special.gammainc(b, a * x) - p, b)


def gdtrix(a: Any, b: Any, p: Any) -> Any:
    return scipy.special.gammaincinv(b, p) / a


def stdtridf(p: Any, t: Any) -> Any:
    df = start("stdtridf", p, t)
    return root_of(lambda df: cdf_of_t(t, df) - p, df)


def fdtridfd(dfn: Any, p: Any, x: Any) -> Any:
    dfd = start("fdtridfd", dfn, p, x)
    return root_of(lambda dfd: scipy.special.fdtr(dfn, dfd, x) - p, dfd)


def nrdtrimn(p: Any, std: Any, x: Any) -> Any:
    return x - std * scipy.special.ndtri(p)


def nrdtrisd(mn: Any, p: Any, x: Any) -> Any:
    return (x - mn) / scipy.special.ndtri(p)


# --- noncentral ones: sums over a number of Poisson's distribution --------------------------------


def _first(half: Any) -> Any:
    """From which number on there are shares that count, of a mean"""
    mean = stop_gradient(half)
    return 0.0 if mean < 300.0 else np.floor(mean - 9.0 * np.sqrt(mean) - 20.0)


def _rounds(half: Any) -> Any:
    mean = stop_gradient(half)
    return np.floor((mean if mean < 300.0 else 9.0 * np.sqrt(mean)) + 9.0 * np.sqrt(mean) + 40.0)


def _share(half: Any, j: Any) -> Any:
    """The probability of j, of which those of the next numbers follow"""
    if j == 0.0:
        return np.exp(-half)
    return np.exp(j * np.log(half) - half - scipy.special.gammaln(j + 1.0))


def chndtr(x: Any, df: Any, nc: Any) -> Any:
    if not (x > 0.0 and x < np.inf and df > 0.0 and nc >= 0.0 and nc < 1e10):
        return unknown(0.0, x + df + nc)
    half, total = 0.5 * nc, 0.0 * x
    j = _first(half)
    last, share = j + _rounds(half), _share(half, j)
    while j < last:
        total = total + share * scipy.special.gammainc(0.5 * df + j, 0.5 * x)
        j = j + 1.0
        share = share * half / j
    return total


def chndtrix(p: Any, df: Any, nc: Any) -> Any:
    x = start("chndtrix", p, df, nc)
    return root_of(lambda x: chndtr(x, df, nc) - p, x)


def chndtridf(x: Any, p: Any, nc: Any) -> Any:
    df = start("chndtridf", x, p, nc)
    return root_of(lambda df: chndtr(x, df, nc) - p, df)


def chndtrinc(x: Any, df: Any, p: Any) -> Any:
    nc = start("chndtrinc", x, df, p)
    return root_of(lambda nc: chndtr(x, df, nc) - p, nc)


def ncfdtr(dfn: Any, dfd: Any, nc: Any, f: Any) -> Any:
    if not (f > 0.0 and f < np.inf and dfn > 0.0 and dfd > 0.0 and nc >= 0.0 and nc < 1e10):
        return unknown(0.0, f + dfn + dfd + nc)
    half, total, y = 0.5 * nc, 0.0 * f, dfn * f / (dfd + dfn * f)
    j = _first(half)
    last, share = j + _rounds(half), _share(half, j)
    while j < last:
        total = total + share * scipy.special.betainc(0.5 * dfn + j, 0.5 * dfd, y)
        j = j + 1.0
        share = share * half / j
    return total


def ncfdtri(dfn: Any, dfd: Any, nc: Any, p: Any) -> Any:
    f = start("ncfdtri", dfn, dfd, nc, p)
    return root_of(lambda f: ncfdtr(dfn, dfd, nc, f) - p, f)


def ncfdtridfn(p: Any, dfd: Any, nc: Any, f: Any) -> Any:
    dfn = start("ncfdtridfn", p, dfd, nc, f)
    return root_of(lambda dfn: ncfdtr(dfn, dfd, nc, f) - p, dfn)


def ncfdtridfd(dfn: Any, p: Any, nc: Any, f: Any) -> Any:
    dfd = start("ncfdtridfd", dfn, p, nc, f)
    return root_of(lambda dfd: ncfdtr(dfn, dfd, nc, f) - p, dfd)


def ncfdtrinc(dfn: Any, dfd: Any, p: Any, f: Any) -> Any:
    nc = start("ncfdtrinc", dfn, dfd, p, f)
    return root_of(lambda nc: ncfdtr(dfn, dfd, nc, f) - p, nc)


def _above(df: Any, nc: Any, t: Any) -> Any:
    """The probability between 0 and t > 0"""
    half, total, y = 0.5 * nc * nc, 0.0 * t, t * t / (df + t * t)
    j = _first(half)
    last, even = j + _rounds(half), _share(half, j)
    odd = even * np.exp(scipy.special.gammaln(j + 1.0) - scipy.special.gammaln(j + 1.5))
    while j < last:
        total = total + even * scipy.special.betainc(j + 0.5, 0.5 * df, y)
        total = total + odd * nc * np.sqrt(0.5) * scipy.special.betainc(j + 1.0, 0.5 * df, y)
        j = j + 1.0
        even, odd = even * half / j, odd * half / (j + 0.5)
    return 0.5 * total


def nctdtr(df: Any, nc: Any, t: Any) -> Any:
    if not (df > 0.0 and abs(nc) < 1e5 and abs(t) < np.inf) or t == 0.0:
        return unknown(0.0, t + df) + scipy.special.ndtr(-nc)
    if t < 0.0:
        return scipy.special.ndtr(-nc) - _above(df, -nc, -t)
    return scipy.special.ndtr(-nc) + _above(df, nc, t)


def nctdtrit(df: Any, nc: Any, p: Any) -> Any:
    t = start("nctdtrit", df, nc, p)
    return root_of(lambda t: nctdtr(df, nc, t) - p, t)


def nctdtridf(p: Any, nc: Any, t: Any) -> Any:
    df = start("nctdtridf", p, nc, t)
    return root_of(lambda df: nctdtr(df, nc, t) - p, df)


def nctdtrinc(df: Any, p: Any, t: Any) -> Any:
    nc = start("nctdtrinc", df, p, t)
    return root_of(lambda nc: nctdtr(df, nc, t) - p, nc)


# --- of Kolmogorov and Smirnov, and of Tukey ------------------------------------------------------


def kolmogorov(y: Any) -> Any:
    if not y > 0.0:
        return 0.0 * y
    if y == np.inf:
        return 0.0
    total = 0.0 * y
    if y > 1.0:
        for k in range(1, 8):
            total = total - 2.0 * (-1.0) ** k * np.exp(-2.0 * k * k * y * y)
        return total
    for k in range(1, 12, 2):
        total = total + np.exp(-k * k * np.pi * np.pi / (8.0 * y * y))
    return 1.0 - np.sqrt(2.0 * np.pi) / y * total


def kolmogi(p: Any) -> Any:
    return root_of(lambda y: kolmogorov(y) - p, start("kolmogi", p))


def smirnov(n: Any, d: Any) -> Any:
    if not (n >= 1.0 and d >= 0.0 and d <= 1.0):
        return np.nan
    total, j, known = (1.0 - d) ** n, 1.0, stop_gradient(d)
    while j <= n * (1.0 - known) and j < n:
        ways = scipy.special.gammaln(n + 1.0) - scipy.special.gammaln(j + 1.0) - (
            scipy.special.gammaln(n - j + 1.0))  # fmt: skip
        at = d + j / n
        total = total + d * np.exp(ways + (j - 1.0) * np.log(at) + (n - j) * np.log1p(-at))
        j = j + 1.0
    return total


def smirnovi(n: Any, p: Any) -> Any:
    return root_of(lambda d: smirnov(n, d) - p, start("smirnovi", n, p))


def tklmbda(x: Any, lmbda: Any) -> Any:
    p = start("tklmbda", x, lmbda)
    if not (p > 0.0 and p < 1.0):
        return p
    return root_of(lambda p: boxcox(p, lmbda) - boxcox(1.0 - p, lmbda) - x, p)
