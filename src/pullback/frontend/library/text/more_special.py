"""More ufuncs of ``scipy.special`` as plain Python of numbers: a ufunc is compiled by the text that
has its name here (``numpy/special_functions.py:finder``).

Inverse functions start from SciPy's own value, which is a constant, and make Newton steps: their
derivatives by all arguments are exact up to the seventh.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from pullback.combinators import stop_gradient
from pullback.frontend.library.text.continuous_distributions import cdf_of_t, logpdf_of_t

DEGREE = math.pi / 180.0


# --- around the gamma function --------------------------------------------------------------------


def gammasgn(x: Any) -> Any:
    if x > 0.0 or x != x:
        return 1.0 if x > 0.0 else x
    if x == 0.0:
        return np.copysign(1.0, x)
    whole = np.floor(x)
    if whole == x:
        return np.nan
    return 1.0 - 2.0 * (whole % 2.0)


def rgamma(x: Any) -> Any:
    """1 / gamma, smooth at the poles of gamma, where it is 0"""
    if x > 171.0:
        return np.exp(-scipy.special.gammaln(x))
    if x < -150.0:
        return gammasgn(x) * np.exp(-scipy.special.gammaln(x)) if np.floor(x) != x else 0.0
    product = 1.0
    while x < 0.5:
        product = product * x
        x = x + 1.0
    return product / scipy.special.gamma(x)


def loggamma(x: Any) -> Any:
    return np.nan if x < 0.0 else scipy.special.gammaln(x)


def poch(z: Any, m: Any) -> Any:
    """gamma(z + m) / gamma(z), by a product where m is small and whole"""
    if np.floor(m) == m and 0.0 <= m <= 30.0:
        product, k = 1.0, 0.0
        while k < m:
            product = product * (z + k)
            k = k + 1.0
        return product
    if z > 0.0 and z + m > 0.0:
        return np.exp(scipy.special.gammaln(z + m) - scipy.special.gammaln(z))
    if z + m <= 0.0 and np.floor(z + m) == z + m:
        return np.inf
    return scipy.special.gamma(z + m) * rgamma(z)


# --- distribution functions -----------------------------------------------------------------------


def betaincc(a: Any, b: Any, x: Any) -> Any:
    return scipy.special.betainc(b, a, 1.0 - x)


def chdtr(v: Any, x: Any) -> Any:
    return scipy.special.gammainc(v / 2.0, x / 2.0)


def chdtrc(v: Any, x: Any) -> Any:
    return scipy.special.gammaincc(v / 2.0, x / 2.0)


def gdtr(a: Any, b: Any, x: Any) -> Any:
    return np.nan if x < 0.0 else scipy.special.gammainc(b, a * x)


def gdtrc(a: Any, b: Any, x: Any) -> Any:
    return np.nan if x < 0.0 else scipy.special.gammaincc(b, a * x)


def pdtr(k: Any, m: Any) -> Any:
    return np.nan if k < 0.0 else scipy.special.gammaincc(np.floor(k) + 1.0, m)


def pdtrc(k: Any, m: Any) -> Any:
    return np.nan if k < 0.0 else scipy.special.gammainc(np.floor(k) + 1.0, m)


def bdtr(k: Any, n: Any, p: Any) -> Any:
    at = np.floor(k)
    if at < 0.0 or not 0.0 <= p <= 1.0 or n < at:
        return np.nan
    return 1.0 if at == n else scipy.special.betainc(n - at, at + 1.0, 1.0 - p)


def bdtrc(k: Any, n: Any, p: Any) -> Any:
    at = np.floor(k)
    if not 0.0 <= p <= 1.0 or n < at:
        return np.nan
    if at < 0.0:
        return 1.0
    return 0.0 if at == n else scipy.special.betainc(at + 1.0, n - at, p)


def fdtr(dfn: Any, dfd: Any, x: Any) -> Any:
    if x < 0.0 or x == np.inf:
        return np.nan if x < 0.0 else 1.0
    return scipy.special.betainc(0.5 * dfn, 0.5 * dfd, dfn * x / (dfd + dfn * x))


def fdtrc(dfn: Any, dfd: Any, x: Any) -> Any:
    if x < 0.0 or x == np.inf:
        return np.nan if x < 0.0 else 0.0
    return scipy.special.betainc(0.5 * dfd, 0.5 * dfn, dfd / (dfd + dfn * x))


def stdtr(df: Any, t: Any) -> Any:
    if np.isinf(t) and df > 0.0:
        return 1.0 if t > 0.0 else 0.0
    return cdf_of_t(t, df) if df > 0.0 else np.nan


# --- inverse functions ----------------------------------------------------------------------------


def start(name: str, *args: Any) -> Any:
    """SciPy's value of one of these functions, as a constant. (The compiler has its own.)"""
    return getattr(scipy.special, name)(*args)


def row(name: str, *args: Any) -> Any:
    """The value of a row of the table of primitives, with its derivatives."""
    raise NotImplementedError(name)


def _solved(x: Any, error: Callable[[Any], Any], slope: Callable[[Any], Any]) -> Any:
    """Return x after three Newton steps; x itself where the slope says nothing."""
    for _ in range(3):
        step = slope(x)
        if step > 0.0 and step < np.inf:
            x = x - error(x) / step
    return x


def _gamma_density(a: Any, x: Any) -> Any:
    return np.exp(scipy.special.xlogy(a - 1.0, x) - x - scipy.special.gammaln(a))


def gammaincinv(a: Any, y: Any) -> Any:
    x = start("gammaincinv", stop_gradient(a), stop_gradient(y))
    if not 0.0 < x < np.inf:
        return x
    if y < 0.5:
        return _solved(x, lambda x: scipy.special.gammainc(a, x) - y,
                       lambda x: _gamma_density(a, x))  # fmt: skip
    return _solved(x, lambda x: (1.0 - y) - scipy.special.gammaincc(a, x),
                   lambda x: _gamma_density(a, x))  # fmt: skip


def gammainccinv(a: Any, y: Any) -> Any:
    x = start("gammainccinv", stop_gradient(a), stop_gradient(y))
    if not 0.0 < x < np.inf:
        return x
    if y < 0.5:
        return _solved(x, lambda x: y - scipy.special.gammaincc(a, x),
                       lambda x: _gamma_density(a, x))  # fmt: skip
    return _solved(x, lambda x: scipy.special.gammainc(a, x) - (1.0 - y),
                   lambda x: _gamma_density(a, x))  # fmt: skip


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    ends = scipy.special.xlog1py(b - 1.0, -x) + scipy.special.xlogy(a - 1.0, x)
    return np.exp(ends - scipy.special.betaln(a, b))


def betaincinv(a: Any, b: Any, y: Any) -> Any:
    x = start("betaincinv", stop_gradient(a), stop_gradient(b), stop_gradient(y))
    if not 0.0 < x < 1.0:
        return x
    return _solved(x, lambda x: scipy.special.betainc(a, b, x) - y,
                   lambda x: _beta_density(a, b, x))  # fmt: skip


def betainccinv(a: Any, b: Any, y: Any) -> Any:
    return 1.0 - betaincinv(b, a, y)


def stdtrit(df: Any, p: Any) -> Any:
    t = start("stdtrit", stop_gradient(df), stop_gradient(p))
    if not -np.inf < t < np.inf:
        return t
    if p > 0.5:
        return _solved(t, lambda t: (1.0 - p) - cdf_of_t(-t, df),
                       lambda t: np.exp(logpdf_of_t(t, df)))  # fmt: skip
    return _solved(t, lambda t: cdf_of_t(t, df) - p, lambda t: np.exp(logpdf_of_t(t, df)))


def chdtri(v: Any, p: Any) -> Any:
    return 2.0 * gammainccinv(v / 2.0, p)


def fdtri(dfn: Any, dfd: Any, p: Any) -> Any:
    if not 0.0 <= p <= 1.0:
        return np.nan
    if p < 0.5:
        x = betaincinv(0.5 * dfn, 0.5 * dfd, p)
        return dfd * x / (dfn * (1.0 - x))
    x = betaincinv(0.5 * dfd, 0.5 * dfn, 1.0 - p)
    return (dfd - dfd * x) / (dfn * x)


# --- elliptic integrals ---------------------------------------------------------------------------


def _means(m: Any) -> tuple[Any, Any]:
    """The arithmetic-geometric mean of 1 and sqrt(1 - m), and the sum of 2**n c_n**2 / 2."""
    a, b, total, power = 1.0, np.sqrt(1.0 - m), 0.5 * m, 1.0
    for _ in range(9):
        c = 0.5 * (a - b)
        a, b = 0.5 * (a + b), np.sqrt(a * b)
        total = total + power * c * c
        power = 2.0 * power
    return a, total


def ellipk(m: Any) -> Any:
    if m == 1.0:
        return np.inf
    return 0.5 * math.pi / _means(m)[0]


def ellipe(m: Any) -> Any:
    if m == 1.0 or m == -np.inf:
        return 1.0 if m == 1.0 else np.inf
    mean, total = _means(m)
    return 0.5 * math.pi / mean * (1.0 - total)


# --- others ---------------------------------------------------------------------------------------


def exprel(x: Any) -> Any:
    """(exp(x) - 1) / x"""
    if abs(x) > 0.3:
        return np.expm1(x) / x if x < 1e300 else np.inf
    total = 1.0
    for k in range(14, 1, -1):
        total = 1.0 + total * x / k
    return total


def spence(x: Any) -> Any:
    """The integral of log(t) / (1 - t) from 1 to x"""
    if not x >= 0.0:
        return np.nan
    if x == 0.0:
        return math.pi * math.pi / 6.0
    if x < 0.5:
        return math.pi * math.pi / 6.0 - np.log(x) * np.log1p(-x) - _dilogarithm(x)
    if x < 1.5:
        return _dilogarithm(1.0 - x)
    log = np.log(x)
    if x < 2.0:
        return -0.5 * log * log - _dilogarithm(1.0 - 1.0 / x)
    r = 1.0 / x
    rest = math.pi * math.pi / 6.0 - np.log(r) * np.log1p(-r) - _dilogarithm(r)
    return -0.5 * log * log - rest


def _dilogarithm(z: Any) -> Any:
    """The sum of z**k / k**2 for |z| <= 1/2"""
    total = 0.0
    for k in range(60, 0, -1):
        total = z * (1.0 / (k * k) + total)
    return total


def cosm1(x: Any) -> Any:
    half = np.sin(0.5 * x)
    return -2.0 * half * half


def boxcox(x: Any, lmbda: Any) -> Any:
    """(x**lmbda - 1) / lmbda, which is smooth where lmbda is 0"""
    if x <= 0.0:
        return (x**lmbda - 1.0) / lmbda
    log = np.log(x)
    return log * exprel(lmbda * log)


def boxcox1p(x: Any, lmbda: Any) -> Any:
    if x <= -1.0:
        return ((1.0 + x) ** lmbda - 1.0) / lmbda
    log = np.log1p(x)
    return log * exprel(lmbda * log)


def _log_ratio(x: Any) -> Any:
    """log(1 + x) / x"""
    if abs(x) > 0.1:
        return np.log1p(x) / x
    total = 0.0
    for k in range(18, 0, -1):
        total = 1.0 / k - x * total
    return total


def inv_boxcox(y: Any, lmbda: Any) -> Any:
    return np.exp(y * _log_ratio(lmbda * y))


def inv_boxcox1p(y: Any, lmbda: Any) -> Any:
    return np.expm1(y * _log_ratio(lmbda * y))


def kl_div(x: Any, y: Any) -> Any:
    if x == 0.0:
        return y
    return x * np.log(x / y) - x + y


def powm1(x: Any, y: Any) -> Any:
    return x**y - 1.0


def voigt_profile(x: Any, sigma: Any, gamma: Any) -> Any:
    """The density of the sum of a normal number and one of Cauchy's distribution"""
    if sigma == 0.0:
        return gamma / (math.pi * (x * x + gamma * gamma))
    by = math.sqrt(2.0) * sigma
    return row("wofz.re", x / by, gamma / by) / (math.sqrt(2.0 * math.pi) * sigma)


def huber(delta: Any, r: Any) -> Any:
    if delta < 0.0:
        return np.inf
    return 0.5 * r * r if abs(r) <= delta else delta * (abs(r) - 0.5 * delta)


def pseudo_huber(delta: Any, r: Any) -> Any:
    if delta < 0.0:
        return np.inf
    if delta == 0.0 or r == 0.0 or np.isinf(r):
        return np.inf if np.isinf(r) and delta > 0.0 else 0.0
    part = r / delta
    square = part * part
    return delta * delta * square / (1.0 + np.sqrt(1.0 + square))


def agm(a: Any, b: Any) -> Any:
    """The arithmetic-geometric mean"""
    if a * b < 0.0:
        return np.nan
    if a == 0.0 or b == 0.0:
        return 0.0
    sign = -1.0 if a < 0.0 else 1.0
    x, y = abs(a), abs(b)
    for _ in range(12):
        x, y = 0.5 * (x + y), np.sqrt(x) * np.sqrt(y)
    return sign * x
