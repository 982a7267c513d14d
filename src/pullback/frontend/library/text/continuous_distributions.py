"""What ``frontend/library/distributions.py`` knows of the continuous distributions of
``scipy.stats``, for loc 0 and scale 1: formulas in plain Python, ``METHOD_of_DISTRIBUTION``, with
the parameters of shape in SciPy's order. The other methods follow from these.

``support_of_X`` gives the ends of the support, which otherwise are those of ``SUPPORTS``;
``allowed_of_X`` says which parameters of shape are right, which otherwise are all above 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.special import beta_fraction

INFINITY = math.inf
SUPPORTS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(
        ("expon", "gamma", "erlang", "chi2", "f", "lognorm", "halfnorm", "halfcauchy", "invgamma",
         "weibull_min", "rayleigh", "maxwell", "invgauss"), (0.0, INFINITY)),
    **dict.fromkeys(
        ("norm", "t", "laplace", "logistic", "cauchy", "gumbel_r", "gumbel_l", "vonmises",
         "skewnorm", "exponnorm"), (-INFINITY, INFINITY)),
    **dict.fromkeys(("beta", "uniform", "triang", "powerlaw"), (0.0, 1.0)),
    "pareto": (1.0, INFINITY), "weibull_max": (-INFINITY, 0.0),
}  # fmt: skip

ENDS_OUT = frozenset({
    "invgamma", "invgauss", "lognorm", "powerlaw", "rayleigh", "betaprime", "fatiguelife",
    "invweibull", "johnsonsb", "levy", "gibrat", "wald",
})  # fmt: skip
"""The distributions whose density is 0 at the ends of the support, whatever the formula says."""

LOG_ROOT = 0.5 * math.log(2.0 * math.pi)
LOG_2, LOG_PI, ROOT_2, EULER = math.log(2.0), math.log(math.pi), math.sqrt(2.0), 0.5772156649015329


def logpdf_of_norm(x: Any) -> Any:
    return -0.5 * x * x - LOG_ROOT


def pdf_of_norm(x: Any) -> Any:
    return np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def cdf_of_norm(x: Any) -> Any:
    return scipy.special.ndtr(x)


def logcdf_of_norm(x: Any) -> Any:
    return scipy.special.log_ndtr(x)


def sf_of_norm(x: Any) -> Any:
    return scipy.special.ndtr(-x)


def logsf_of_norm(x: Any) -> Any:
    return scipy.special.log_ndtr(-x)


def ppf_of_norm(q: Any) -> Any:
    return scipy.special.ndtri(q)


def isf_of_norm(q: Any) -> Any:
    return -scipy.special.ndtri(q)


def entropy_of_norm() -> Any:
    return LOG_ROOT + 0.5


def mean_of_norm() -> Any:
    return 0.0


def var_of_norm() -> Any:
    return 1.0


def logpdf_of_expon(x: Any) -> Any:
    return -x


def cdf_of_expon(x: Any) -> Any:
    return -np.expm1(-x)


def sf_of_expon(x: Any) -> Any:
    return np.exp(-x)


def logsf_of_expon(x: Any) -> Any:
    return -x


def ppf_of_expon(q: Any) -> Any:
    return -np.log1p(-q)


def isf_of_expon(q: Any) -> Any:
    return -np.log(q)


def entropy_of_expon() -> Any:
    return 1.0


def mean_of_expon() -> Any:
    return 1.0


def var_of_expon() -> Any:
    return 1.0


def logpdf_of_gamma(x: Any, a: Any) -> Any:
    return scipy.special.xlogy(a - 1.0, x) - x - scipy.special.gammaln(a)


def cdf_of_gamma(x: Any, a: Any) -> Any:
    return scipy.special.gammainc(a, x)


def sf_of_gamma(x: Any, a: Any) -> Any:
    return scipy.special.gammaincc(a, x)


def ppf_of_gamma(q: Any, a: Any) -> Any:
    return scipy.special.gammaincinv(a, q)


def isf_of_gamma(q: Any, a: Any) -> Any:
    return scipy.special.gammainccinv(a, q)


def entropy_of_gamma(a: Any) -> Any:
    if a < 250.0:
        return scipy.special.psi(a) * (1.0 - a) + a + scipy.special.gammaln(a)
    r = 1.0 / a
    return 0.5 * np.log(a) + LOG_ROOT + 0.5 - r * (1 / 3 + r * (1 / 12 + r * (1 / 90 - r / 120)))


def mean_of_gamma(a: Any) -> Any:
    return a


def var_of_gamma(a: Any) -> Any:
    return a


def logpdf_of_beta(x: Any, a: Any, b: Any) -> Any:
    ends = scipy.special.xlog1py(b - 1.0, -x) + scipy.special.xlogy(a - 1.0, x)
    return ends - scipy.special.betaln(a, b)


def cdf_of_beta(x: Any, a: Any, b: Any) -> Any:
    return scipy.special.betainc(a, b, x)


def sf_of_beta(x: Any, a: Any, b: Any) -> Any:
    return scipy.special.betainc(b, a, 1.0 - x)


def ppf_of_beta(q: Any, a: Any, b: Any) -> Any:
    return scipy.special.betaincinv(a, b, q)


def isf_of_beta(q: Any, a: Any, b: Any) -> Any:
    return scipy.special.betainccinv(a, b, q)


def entropy_of_beta(a: Any, b: Any) -> Any:
    both = a + b
    alone = (a - 1.0) * scipy.special.psi(a) + (b - 1.0) * scipy.special.psi(b)
    return scipy.special.betaln(a, b) - alone + (both - 2.0) * scipy.special.psi(both)


def mean_of_beta(a: Any, b: Any) -> Any:
    return a / (a + b)


def var_of_beta(a: Any, b: Any) -> Any:
    return a * b / ((a + b) ** 2 * (a + b + 1.0))


def _log_half_step(m: Any) -> Any:
    """log(Gamma(m + 1/2) / Gamma(m))"""
    if m < 50.0:
        return scipy.special.gammaln(m + 0.5) - scipy.special.gammaln(m)
    r = 1.0 / (m * m)
    return 0.5 * np.log(m) - (1 / 8 - r * (1 / 192 - r * (1 / 640 - r * (17 / 14336)))) / m


def logpdf_of_t(x: Any, df: Any) -> Any:
    if df == np.inf:
        return -0.5 * x * x - LOG_ROOT
    tail = (df + 1.0) / 2.0 * np.log1p(x * x / df)
    return _log_half_step(0.5 * df) - 0.5 * (np.log(df) + LOG_PI) - tail


def cdf_of_t(x: Any, df: Any) -> Any:
    if df == np.inf:
        return scipy.special.ndtr(x)
    square = x * x
    part = square / (df + square)
    if part < 1.5 / (2.5 + 0.5 * df):  # betainc(1/2, df/2, part), with the sign of x in its root
        scale = np.exp(0.5 * df * np.log1p(-part) - scipy.special.betaln(0.5, 0.5 * df))
        return 0.5 + x / np.sqrt(df + square) * scale * beta_fraction(0.5, 0.5 * df, part)
    half = 0.5 * scipy.special.betainc(0.5 * df, 0.5, df / (df + square))
    return 1.0 - half if x > 0.0 else half


def sf_of_t(x: Any, df: Any) -> Any:
    return cdf_of_t(-x, df)


def ppf_of_t(q: Any, df: Any) -> Any:
    return scipy.special.stdtrit(df, q)


def isf_of_t(q: Any, df: Any) -> Any:
    return -scipy.special.stdtrit(df, q)


def entropy_of_t(df: Any) -> Any:
    if df == np.inf:
        return LOG_ROOT + 0.5
    if df < 100.0:
        half, more = df / 2.0, (df + 1.0) / 2.0
        slope = more * (scipy.special.psi(more) - scipy.special.psi(half))
        return slope + 0.5 * np.log(df) + scipy.special.betaln(half, 0.5)
    r = 1.0 / df
    return LOG_ROOT + 0.5 + r * (
        1.0 + r * (0.25 + r * (-1 / 6 + r * (-0.125 + r * (0.3 + 0.25 * r)))))  # fmt: skip


def mean_of_t(df: Any) -> Any:
    return 0.0 if df > 1.0 else np.inf


def var_of_t(df: Any) -> Any:
    if df == np.inf:
        return 1.0
    if df > 2.0:
        return df / (df - 2.0)
    return np.inf if df > 1.0 else np.nan


def logpdf_of_chi2(x: Any, df: Any) -> Any:
    half = df / 2.0
    return scipy.special.xlogy(half - 1.0, x) - x / 2.0 - scipy.special.gammaln(half) - LOG_2 * half


def cdf_of_chi2(x: Any, df: Any) -> Any:
    return scipy.special.gammainc(df / 2.0, x / 2.0)


def sf_of_chi2(x: Any, df: Any) -> Any:
    return scipy.special.gammaincc(df / 2.0, x / 2.0)


def ppf_of_chi2(q: Any, df: Any) -> Any:
    return 2.0 * scipy.special.gammaincinv(df / 2.0, q)


def isf_of_chi2(q: Any, df: Any) -> Any:
    return 2.0 * scipy.special.gammainccinv(df / 2.0, q)


def entropy_of_chi2(df: Any) -> Any:
    return entropy_of_gamma(0.5 * df) + LOG_2


def mean_of_chi2(df: Any) -> Any:
    return df


def var_of_chi2(df: Any) -> Any:
    return 2.0 * df


def logpdf_of_f(x: Any, dfn: Any, dfd: Any) -> Any:
    n, m = dfn / 2.0, dfd / 2.0
    ends = m * np.log(dfd) + n * np.log(dfn) + scipy.special.xlogy(n - 1.0, x)
    return ends - ((n + m) * np.log(dfd + dfn * x) + scipy.special.betaln(n, m))


def cdf_of_f(x: Any, dfn: Any, dfd: Any) -> Any:
    top = dfn * x
    return scipy.special.betainc(dfn / 2.0, dfd / 2.0, top / (dfd + top))


def sf_of_f(x: Any, dfn: Any, dfd: Any) -> Any:
    return scipy.special.betainc(dfd / 2.0, dfn / 2.0, dfd / (dfd + dfn * x))


def ppf_of_f(q: Any, dfn: Any, dfd: Any) -> Any:
    return scipy.special.fdtri(dfn, dfd, q)


def entropy_of_f(dfn: Any, dfd: Any) -> Any:
    n, m = 0.5 * dfn, 0.5 * dfd
    ends = np.log(dfd) - np.log(dfn) + scipy.special.betaln(n, m)
    return (ends + (1.0 - n) * scipy.special.psi(n) - (1.0 + m) * scipy.special.psi(m)
            + (n + m) * scipy.special.psi(n + m))  # fmt: skip


def mean_of_f(dfn: Any, dfd: Any) -> Any:
    return dfd / (dfd - 2.0) if dfd > 2.0 else np.inf


def var_of_f(dfn: Any, dfd: Any) -> Any:
    if not dfd > 4.0:
        return np.inf
    less = dfd - 2.0
    return 2.0 * dfd * dfd * (dfn + less) / (dfn * less**2 * (dfd - 4.0))


def logpdf_of_lognorm(x: Any, s: Any) -> Any:
    log = np.log(x)
    return -0.5 * (log / s) ** 2 - np.log(s) - log - LOG_ROOT


def cdf_of_lognorm(x: Any, s: Any) -> Any:
    return scipy.special.ndtr(np.log(x) / s)


def logcdf_of_lognorm(x: Any, s: Any) -> Any:
    return scipy.special.log_ndtr(np.log(x) / s)


def sf_of_lognorm(x: Any, s: Any) -> Any:
    return scipy.special.ndtr(-np.log(x) / s)


def logsf_of_lognorm(x: Any, s: Any) -> Any:
    return scipy.special.log_ndtr(-np.log(x) / s)


def ppf_of_lognorm(q: Any, s: Any) -> Any:
    return np.exp(s * scipy.special.ndtri(q))


def isf_of_lognorm(q: Any, s: Any) -> Any:
    return np.exp(-s * scipy.special.ndtri(q))


def entropy_of_lognorm(s: Any) -> Any:
    return LOG_ROOT + 0.5 + np.log(s)


def mean_of_lognorm(s: Any) -> Any:
    return np.exp(0.5 * s * s)


def var_of_lognorm(s: Any) -> Any:
    return np.exp(s * s) * np.expm1(s * s)


def pdf_of_uniform(x: Any) -> Any:
    return 1.0


def cdf_of_uniform(x: Any) -> Any:
    return x


def ppf_of_uniform(q: Any) -> Any:
    return q


def entropy_of_uniform() -> Any:
    return 0.0


def mean_of_uniform() -> Any:
    return 0.5


def var_of_uniform() -> Any:
    return 1.0 / 12.0


def logpdf_of_laplace(x: Any) -> Any:
    return -abs(x) - LOG_2


def cdf_of_laplace(x: Any) -> Any:
    return 1.0 - 0.5 * np.exp(-x) if x > 0.0 else 0.5 * np.exp(x)


def sf_of_laplace(x: Any) -> Any:
    return 1.0 - 0.5 * np.exp(x) if x < 0.0 else 0.5 * np.exp(-x)


def ppf_of_laplace(q: Any) -> Any:
    return -np.log(2.0 * (1.0 - q)) if q > 0.5 else np.log(2.0 * q)


def isf_of_laplace(q: Any) -> Any:
    return -ppf_of_laplace(q)


def entropy_of_laplace() -> Any:
    return LOG_2 + 1.0


def mean_of_laplace() -> Any:
    return 0.0


def var_of_laplace() -> Any:
    return 2.0


def logpdf_of_logistic(x: Any) -> Any:
    y = -abs(x)
    return y - 2.0 * np.log1p(np.exp(y))


def cdf_of_logistic(x: Any) -> Any:
    return scipy.special.expit(x)


def logcdf_of_logistic(x: Any) -> Any:
    return scipy.special.log_expit(x)


def sf_of_logistic(x: Any) -> Any:
    return scipy.special.expit(-x)


def logsf_of_logistic(x: Any) -> Any:
    return scipy.special.log_expit(-x)


def ppf_of_logistic(q: Any) -> Any:
    return scipy.special.logit(q)


def isf_of_logistic(q: Any) -> Any:
    return -scipy.special.logit(q)


def entropy_of_logistic() -> Any:
    return 2.0


def mean_of_logistic() -> Any:
    return 0.0


def var_of_logistic() -> Any:
    return math.pi * math.pi / 3.0


def logpdf_of_cauchy(x: Any) -> Any:
    size = abs(x)
    if size < 1.0:
        return -LOG_PI - np.log1p(x * x)
    return -(LOG_PI + 2.0 * np.log(size) + np.log1p((1.0 / size) ** 2))


def pdf_of_cauchy(x: Any) -> Any:
    return 1.0 / math.pi / (1.0 + x * x)


def cdf_of_cauchy(x: Any) -> Any:
    return np.arctan2(1.0, -x) / math.pi


def sf_of_cauchy(x: Any) -> Any:
    return np.arctan2(1.0, x) / math.pi


def ppf_of_cauchy(q: Any) -> Any:
    if q < 0.25:
        return -1.0 / np.tan(math.pi * q)
    return np.tan(math.pi * (q - 0.5)) if q < 0.75 else 1.0 / np.tan(math.pi * (1.0 - q))


def isf_of_cauchy(q: Any) -> Any:
    return -ppf_of_cauchy(q)


def entropy_of_cauchy() -> Any:
    return LOG_PI + 2.0 * LOG_2


def mean_of_cauchy() -> Any:
    return np.nan


def var_of_cauchy() -> Any:
    return np.nan
