"""More of ``continuous_distributions``: distributions of lifetimes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.continuous_distributions import (
    EULER,
    INFINITY,
    LOG_2,
    ROOT_2,
    _log_half_step,
)
from pullback.frontend.library.text.positive_distributions import (
    mean_of_pareto,
    var_of_pareto,
)

SUPPORTS = dict.fromkeys(
    ("chi", "lomax", "fisk", "burr", "burr12", "betaprime", "gengamma", "gompertz", "invweibull",
     "exponweib"), (0.0, INFINITY),
)  # fmt: skip


def logpdf_of_chi(x: Any, df: Any) -> Any:
    half = 0.5 * df
    ends = LOG_2 - LOG_2 * half - scipy.special.gammaln(half)
    return ends + scipy.special.xlogy(df - 1.0, x) - 0.5 * x * x


def cdf_of_chi(x: Any, df: Any) -> Any:
    return scipy.special.gammainc(0.5 * df, 0.5 * x * x)


def sf_of_chi(x: Any, df: Any) -> Any:
    return scipy.special.gammaincc(0.5 * df, 0.5 * x * x)


def ppf_of_chi(q: Any, df: Any) -> Any:
    return np.sqrt(2.0 * scipy.special.gammaincinv(0.5 * df, q))


def isf_of_chi(q: Any, df: Any) -> Any:
    return np.sqrt(2.0 * scipy.special.gammainccinv(0.5 * df, q))


def entropy_of_chi(df: Any) -> Any:
    half = 0.5 * df
    slope = (df - 1.0) * scipy.special.psi(half)
    return scipy.special.gammaln(half) + 0.5 * (df - LOG_2 - slope)


def mean_of_chi(df: Any) -> Any:
    return ROOT_2 * np.exp(_log_half_step(0.5 * df))


def var_of_chi(df: Any) -> Any:
    return df - mean_of_chi(df) ** 2


def logpdf_of_lomax(x: Any, c: Any) -> Any:
    return np.log(c) - (c + 1.0) * np.log1p(x)


def cdf_of_lomax(x: Any, c: Any) -> Any:
    return -np.expm1(-c * np.log1p(x))


def logsf_of_lomax(x: Any, c: Any) -> Any:
    return -c * np.log1p(x)


def ppf_of_lomax(q: Any, c: Any) -> Any:
    return np.expm1(-np.log1p(-q) / c)


def isf_of_lomax(q: Any, c: Any) -> Any:
    return np.expm1(-np.log(q) / c)


def entropy_of_lomax(c: Any) -> Any:
    return 1.0 + 1.0 / c - np.log(c)


def mean_of_lomax(c: Any) -> Any:
    return mean_of_pareto(c) - 1.0


def var_of_lomax(c: Any) -> Any:
    return var_of_pareto(c)


def logpdf_of_fisk(x: Any, c: Any) -> Any:
    return np.log(c) + scipy.special.xlogy(c - 1.0, x) - 2.0 * np.log1p(x**c)


def cdf_of_fisk(x: Any, c: Any) -> Any:
    return 1.0 / (1.0 + x ** (-c))


def sf_of_fisk(x: Any, c: Any) -> Any:
    return 1.0 / (1.0 + x**c)


def ppf_of_fisk(q: Any, c: Any) -> Any:
    return np.exp(scipy.special.logit(q) / c)


def isf_of_fisk(q: Any, c: Any) -> Any:
    return np.exp(-scipy.special.logit(q) / c)


def entropy_of_fisk(c: Any) -> Any:
    return 2.0 - np.log(c)


def mean_of_fisk(c: Any) -> Any:
    return math.pi / c / np.sin(math.pi / c) if c > 1.0 else np.nan


def var_of_fisk(c: Any) -> Any:
    if c <= 2.0:
        return np.nan
    angle = math.pi / c
    return 2.0 * angle / np.sin(2.0 * angle) - (angle / np.sin(angle)) ** 2


def logpdf_of_burr(x: Any, c: Any, d: Any) -> Any:
    if x == 0.0:
        return np.log(c) + np.log(d) + scipy.special.xlogy(c * d - 1.0, x)
    scale = np.log(c) + np.log(d) - (c + 1.0) * np.log(x)
    return scale - (d + 1.0) * np.log1p(x ** (-c))


def logcdf_of_burr(x: Any, c: Any, d: Any) -> Any:
    return -d * np.log1p(x ** (-c))


def ppf_of_burr(q: Any, c: Any, d: Any) -> Any:
    return (q ** (-1.0 / d) - 1.0) ** (-1.0 / c)


def isf_of_burr(q: Any, c: Any, d: Any) -> Any:
    return np.expm1(-np.log1p(-q) / d) ** (-1.0 / c)


def mean_of_burr(c: Any, d: Any) -> Any:
    return d * scipy.special.beta(1.0 - 1.0 / c, d + 1.0 / c) if c > 1.0 else np.nan


def var_of_burr(c: Any, d: Any) -> Any:
    if c <= 2.0:
        return np.nan
    return d * scipy.special.beta(1.0 - 2.0 / c, d + 2.0 / c) - mean_of_burr(c, d) ** 2


def logpdf_of_burr12(x: Any, c: Any, d: Any) -> Any:
    ends = np.log(c) + np.log(d) + scipy.special.xlogy(c - 1.0, x)
    return ends - (d + 1.0) * np.log1p(x**c)


def cdf_of_burr12(x: Any, c: Any, d: Any) -> Any:
    return -np.expm1(-d * np.log1p(x**c))


def logsf_of_burr12(x: Any, c: Any, d: Any) -> Any:
    return -d * np.log1p(x**c)


def ppf_of_burr12(q: Any, c: Any, d: Any) -> Any:
    return np.expm1(-np.log1p(-q) / d) ** (1.0 / c)


def isf_of_burr12(q: Any, c: Any, d: Any) -> Any:
    return np.expm1(-np.log(q) / d) ** (1.0 / c)


def mean_of_burr12(c: Any, d: Any) -> Any:
    return d * scipy.special.beta(d - 1.0 / c, 1.0 + 1.0 / c) if c * d > 1.0 else np.nan


def var_of_burr12(c: Any, d: Any) -> Any:
    if c * d <= 2.0:
        return np.nan
    return d * scipy.special.beta(d - 2.0 / c, 1.0 + 2.0 / c) - mean_of_burr12(c, d) ** 2


def logpdf_of_betaprime(x: Any, a: Any, b: Any) -> Any:
    ends = scipy.special.xlogy(a - 1.0, x) - scipy.special.xlog1py(a + b, x)
    return ends - scipy.special.betaln(a, b)


def cdf_of_betaprime(x: Any, a: Any, b: Any) -> Any:
    return scipy.special.betainc(a, b, x / (1.0 + x))


def sf_of_betaprime(x: Any, a: Any, b: Any) -> Any:
    return scipy.special.betainc(b, a, 1.0 / (1.0 + x))


def ppf_of_betaprime(q: Any, a: Any, b: Any) -> Any:
    part = scipy.special.betaincinv(a, b, q)
    if part > 0.9999:
        return 1.0 / scipy.special.betainccinv(b, a, q) - 1.0
    return part / (1.0 - part)


def mean_of_betaprime(a: Any, b: Any) -> Any:
    return a / (b - 1.0) if b > 1.0 else np.inf


def var_of_betaprime(a: Any, b: Any) -> Any:
    if b <= 2.0:
        return np.inf if b > 1.0 else np.nan
    return a * (a + b - 1.0) / ((b - 2.0) * (b - 1.0) ** 2)


def allowed_of_gengamma(a: Any, c: Any) -> Any:
    return a > 0.0 and c != 0.0


def logpdf_of_gengamma(x: Any, a: Any, c: Any) -> Any:
    ends = np.log(abs(c)) + scipy.special.xlogy(c * a - 1.0, x)
    return ends - x**c - scipy.special.gammaln(a)


def cdf_of_gengamma(x: Any, a: Any, c: Any) -> Any:
    if c > 0.0:
        return scipy.special.gammainc(a, x**c)
    return scipy.special.gammaincc(a, x**c)


def sf_of_gengamma(x: Any, a: Any, c: Any) -> Any:
    if c > 0.0:
        return scipy.special.gammaincc(a, x**c)
    return scipy.special.gammainc(a, x**c)


def ppf_of_gengamma(q: Any, a: Any, c: Any) -> Any:
    if c > 0.0:
        return scipy.special.gammaincinv(a, q) ** (1.0 / c)
    return scipy.special.gammainccinv(a, q) ** (1.0 / c)


def isf_of_gengamma(q: Any, a: Any, c: Any) -> Any:
    if c > 0.0:
        return scipy.special.gammainccinv(a, q) ** (1.0 / c)
    return scipy.special.gammaincinv(a, q) ** (1.0 / c)


def entropy_of_gengamma(a: Any, c: Any) -> Any:
    slope = (a - 1.0 / c) * scipy.special.psi(a)
    return scipy.special.gammaln(a) - np.log(abs(c)) + a - slope


def mean_of_gengamma(a: Any, c: Any) -> Any:
    return scipy.special.poch(a, 1.0 / c)


def var_of_gengamma(a: Any, c: Any) -> Any:
    return scipy.special.poch(a, 2.0 / c) - scipy.special.poch(a, 1.0 / c) ** 2


def logpdf_of_gompertz(x: Any, c: Any) -> Any:
    return np.log(c) + x - c * np.expm1(x)


def cdf_of_gompertz(x: Any, c: Any) -> Any:
    return -np.expm1(-c * np.expm1(x))


def sf_of_gompertz(x: Any, c: Any) -> Any:
    return np.exp(-c * np.expm1(x))


def ppf_of_gompertz(q: Any, c: Any) -> Any:
    return np.log1p(-np.log1p(-q) / c)


def isf_of_gompertz(q: Any, c: Any) -> Any:
    return np.log1p(-np.log(q) / c)


def pdf_of_invweibull(x: Any, c: Any) -> Any:
    return np.exp(np.log(c) - (c + 1.0) * np.log(x) - x ** (-c))


def cdf_of_invweibull(x: Any, c: Any) -> Any:
    return np.exp(-(x ** (-c)))


def sf_of_invweibull(x: Any, c: Any) -> Any:
    return -np.expm1(-(x ** (-c)))


def ppf_of_invweibull(q: Any, c: Any) -> Any:
    return (-np.log(q)) ** (-1.0 / c)


def isf_of_invweibull(q: Any, c: Any) -> Any:
    return (-np.log1p(-q)) ** (-1.0 / c)


def entropy_of_invweibull(c: Any) -> Any:
    return 1.0 + EULER + EULER / c - np.log(c)


def logpdf_of_exponweib(x: Any, a: Any, c: Any) -> Any:
    power = x**c
    ends = scipy.special.xlogy(a - 1.0, -np.expm1(-power)) + scipy.special.xlogy(c - 1.0, x)
    return np.log(a) + np.log(c) + ends - power


def cdf_of_exponweib(x: Any, a: Any, c: Any) -> Any:
    return (-np.expm1(-(x**c))) ** a


def sf_of_exponweib(x: Any, a: Any, c: Any) -> Any:
    return -np.expm1(a * np.log1p(-np.exp(-(x**c))))


def isf_of_exponweib(q: Any, a: Any, c: Any) -> Any:
    return (-np.log(-np.expm1(np.log1p(-q) / a))) ** (1.0 / c)


def ppf_of_exponweib(q: Any, a: Any, c: Any) -> Any:
    return (-np.log1p(-(q ** (1.0 / a)))) ** (1.0 / c)
