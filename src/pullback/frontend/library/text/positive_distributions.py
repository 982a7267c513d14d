"""More of ``continuous_distributions``: distributions on one side of a number, and of extremes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.continuous_distributions import (
    EULER,
    INFINITY,
    LOG_2,
    LOG_PI,
    LOG_ROOT,
    ROOT_2,
)

ROOT_2_OVER_PI = math.sqrt(2.0 / math.pi)


def logpdf_of_halfnorm(x: Any) -> Any:
    return 0.5 * (LOG_2 - LOG_PI) - x * x / 2.0


def cdf_of_halfnorm(x: Any) -> Any:
    return scipy.special.erf(x / ROOT_2)


def sf_of_halfnorm(x: Any) -> Any:
    return scipy.special.erfc(x / ROOT_2)


def ppf_of_halfnorm(q: Any) -> Any:
    return ROOT_2 * scipy.special.erfinv(q)


def isf_of_halfnorm(q: Any) -> Any:
    return -scipy.special.ndtri(q / 2.0)


def entropy_of_halfnorm() -> Any:
    return 0.5 * (LOG_PI - LOG_2) + 0.5


def mean_of_halfnorm() -> Any:
    return ROOT_2_OVER_PI


def var_of_halfnorm() -> Any:
    return 1.0 - 2.0 / math.pi


def logpdf_of_halfcauchy(x: Any) -> Any:
    return LOG_2 - LOG_PI - np.log1p(x * x)


def pdf_of_halfcauchy(x: Any) -> Any:
    return 2.0 / math.pi / (1.0 + x * x)


def cdf_of_halfcauchy(x: Any) -> Any:
    return 2.0 / math.pi * np.arctan(x)


def sf_of_halfcauchy(x: Any) -> Any:
    return 2.0 / math.pi * np.arctan2(1.0, x)


def ppf_of_halfcauchy(q: Any) -> Any:
    return np.tan(math.pi / 2.0 * q)


def isf_of_halfcauchy(q: Any) -> Any:
    return 1.0 / np.tan(math.pi * q / 2.0)


def entropy_of_halfcauchy() -> Any:
    return LOG_2 + LOG_PI


def mean_of_halfcauchy() -> Any:
    return np.inf


def var_of_halfcauchy() -> Any:
    return np.inf


def logpdf_of_invgamma(x: Any, a: Any) -> Any:
    return -(a + 1.0) * np.log(x) - scipy.special.gammaln(a) - 1.0 / x


def cdf_of_invgamma(x: Any, a: Any) -> Any:
    return scipy.special.gammaincc(a, 1.0 / x)


def sf_of_invgamma(x: Any, a: Any) -> Any:
    return scipy.special.gammainc(a, 1.0 / x)


def ppf_of_invgamma(q: Any, a: Any) -> Any:
    return 1.0 / scipy.special.gammainccinv(a, q)


def isf_of_invgamma(q: Any, a: Any) -> Any:
    return 1.0 / scipy.special.gammaincinv(a, q)


def entropy_of_invgamma(a: Any) -> Any:
    if a < 200.0:
        return a - (a + 1.0) * scipy.special.psi(a) + scipy.special.gammaln(a)
    r = 1.0 / a
    tail = r * (2 / 3 + r * (1 / 12 - r * (1 / 90 + r / 120)))
    return (1.0 - 3.0 * np.log(a) + LOG_2 + LOG_PI) / 2.0 + tail


def mean_of_invgamma(a: Any) -> Any:
    return 1.0 / (a - 1.0) if a > 1.0 else np.inf


def var_of_invgamma(a: Any) -> Any:
    return 1.0 / (a - 1.0) ** 2 / (a - 2.0) if a > 2.0 else np.inf


def logpdf_of_pareto(x: Any, b: Any) -> Any:
    return np.log(b) - (b + 1.0) * np.log(x)


def pdf_of_pareto(x: Any, b: Any) -> Any:
    return b * x ** (-b - 1.0)


def cdf_of_pareto(x: Any, b: Any) -> Any:
    return -np.expm1(-b * np.log(x))


def sf_of_pareto(x: Any, b: Any) -> Any:
    return x ** (-b)


def logsf_of_pareto(x: Any, b: Any) -> Any:
    return -b * np.log(x)


def ppf_of_pareto(q: Any, b: Any) -> Any:
    return (1.0 - q) ** (-1.0 / b)


def isf_of_pareto(q: Any, b: Any) -> Any:
    return q ** (-1.0 / b)


def entropy_of_pareto(b: Any) -> Any:
    return 1.0 + 1.0 / b - np.log(b)


def mean_of_pareto(b: Any) -> Any:
    return b / (b - 1.0) if b > 1.0 else np.inf


def var_of_pareto(b: Any) -> Any:
    return b / (b - 2.0) / (b - 1.0) ** 2 if b > 2.0 else np.inf


def logpdf_of_weibull_min(x: Any, c: Any) -> Any:
    return np.log(c) + scipy.special.xlogy(c - 1.0, x) - x**c


def cdf_of_weibull_min(x: Any, c: Any) -> Any:
    return -np.expm1(-(x**c))


def logsf_of_weibull_min(x: Any, c: Any) -> Any:
    return -(x**c)


def ppf_of_weibull_min(q: Any, c: Any) -> Any:
    return (-np.log1p(-q)) ** (1.0 / c)


def isf_of_weibull_min(q: Any, c: Any) -> Any:
    return (-np.log(q)) ** (1.0 / c)


def entropy_of_weibull_min(c: Any) -> Any:
    return -EULER / c - np.log(c) + EULER + 1.0


def mean_of_weibull_min(c: Any) -> Any:
    return scipy.special.gamma(1.0 + 1.0 / c)


def var_of_weibull_min(c: Any) -> Any:
    return scipy.special.gamma(1.0 + 2.0 / c) - scipy.special.gamma(1.0 + 1.0 / c) ** 2


def logpdf_of_weibull_max(x: Any, c: Any) -> Any:
    return logpdf_of_weibull_min(-x, c)


def cdf_of_weibull_max(x: Any, c: Any) -> Any:
    return np.exp(-((-x) ** c))


def logcdf_of_weibull_max(x: Any, c: Any) -> Any:
    return -((-x) ** c)


def sf_of_weibull_max(x: Any, c: Any) -> Any:
    return -np.expm1(-((-x) ** c))


def ppf_of_weibull_max(q: Any, c: Any) -> Any:
    return -((-np.log(q)) ** (1.0 / c))


def entropy_of_weibull_max(c: Any) -> Any:
    return entropy_of_weibull_min(c)


def mean_of_weibull_max(c: Any) -> Any:
    return -mean_of_weibull_min(c)


def var_of_weibull_max(c: Any) -> Any:
    return var_of_weibull_min(c)


def logpdf_of_gumbel_r(x: Any) -> Any:
    return -x - np.exp(-x)


def cdf_of_gumbel_r(x: Any) -> Any:
    return np.exp(-np.exp(-x))


def logcdf_of_gumbel_r(x: Any) -> Any:
    return -np.exp(-x)


def sf_of_gumbel_r(x: Any) -> Any:
    return -np.expm1(-np.exp(-x))


def ppf_of_gumbel_r(q: Any) -> Any:
    return -np.log(-np.log(q))


def isf_of_gumbel_r(q: Any) -> Any:
    return -np.log(-np.log1p(-q))


def entropy_of_gumbel_r() -> Any:
    return EULER + 1.0


def mean_of_gumbel_r() -> Any:
    return EULER


def var_of_gumbel_r() -> Any:
    return math.pi * math.pi / 6.0


def logpdf_of_gumbel_l(x: Any) -> Any:
    return x - np.exp(x)


def cdf_of_gumbel_l(x: Any) -> Any:
    return -np.expm1(-np.exp(x))


def sf_of_gumbel_l(x: Any) -> Any:
    return np.exp(-np.exp(x))


def logsf_of_gumbel_l(x: Any) -> Any:
    return -np.exp(x)


def ppf_of_gumbel_l(q: Any) -> Any:
    return np.log(-np.log1p(-q))


def isf_of_gumbel_l(q: Any) -> Any:
    return np.log(-np.log(q))


def entropy_of_gumbel_l() -> Any:
    return EULER + 1.0


def mean_of_gumbel_l() -> Any:
    return -EULER


def var_of_gumbel_l() -> Any:
    return math.pi * math.pi / 6.0


def logpdf_of_rayleigh(x: Any) -> Any:
    return np.log(x) - 0.5 * x * x


def cdf_of_rayleigh(x: Any) -> Any:
    return -np.expm1(-0.5 * x * x)


def logsf_of_rayleigh(x: Any) -> Any:
    return -0.5 * x * x


def ppf_of_rayleigh(q: Any) -> Any:
    return np.sqrt(-2.0 * np.log1p(-q))


def isf_of_rayleigh(q: Any) -> Any:
    return np.sqrt(-2.0 * np.log(q))


def entropy_of_rayleigh() -> Any:
    return EULER / 2.0 + 1.0 - 0.5 * LOG_2


def mean_of_rayleigh() -> Any:
    return math.sqrt(math.pi / 2.0)


def var_of_rayleigh() -> Any:
    return (4.0 - math.pi) / 2.0


def logpdf_of_maxwell(x: Any) -> Any:
    return 0.5 * (LOG_2 - LOG_PI) + 2.0 * np.log(x) - 0.5 * x * x


def pdf_of_maxwell(x: Any) -> Any:
    return ROOT_2_OVER_PI * x * x * np.exp(-x * x / 2.0)


def cdf_of_maxwell(x: Any) -> Any:
    return scipy.special.gammainc(1.5, x * x / 2.0)


def sf_of_maxwell(x: Any) -> Any:
    return scipy.special.gammaincc(1.5, x * x / 2.0)


def ppf_of_maxwell(q: Any) -> Any:
    return np.sqrt(2.0 * scipy.special.gammaincinv(1.5, q))


def isf_of_maxwell(q: Any) -> Any:
    return np.sqrt(2.0 * scipy.special.gammainccinv(1.5, q))


def entropy_of_maxwell() -> Any:
    return EULER + LOG_ROOT - 0.5


def mean_of_maxwell() -> Any:
    return 2.0 * ROOT_2_OVER_PI


def var_of_maxwell() -> Any:
    return 3.0 - 8.0 / math.pi


def logpdf_of_invgauss(x: Any, mu: Any) -> Any:
    return -LOG_ROOT - 1.5 * np.log(x) - (x / mu - 1.0) ** 2 / (2.0 * x)


def logcdf_of_invgauss(x: Any, mu: Any) -> Any:
    root = 1.0 / np.sqrt(x)
    a = scipy.special.log_ndtr(root * (x / mu - 1.0))
    return a + np.log1p(np.exp(2.0 / mu + scipy.special.log_ndtr(-root * (x / mu + 1.0)) - a))


def logsf_of_invgauss(x: Any, mu: Any) -> Any:
    root = 1.0 / np.sqrt(x)
    a = scipy.special.log_ndtr(-root * (x / mu - 1.0))
    return a + np.log1p(-np.exp(2.0 / mu + scipy.special.log_ndtr(-root * (x / mu + 1.0)) - a))


def mean_of_invgauss(mu: Any) -> Any:
    return mu


def var_of_invgauss(mu: Any) -> Any:
    return mu**3


def allowed_of_genextreme(c: Any) -> Any:
    return np.isfinite(c)


def support_of_genextreme(c: Any) -> tuple[Any, Any]:
    return (1.0 / c if c < 0.0 else -INFINITY), (1.0 / c if c > 0.0 else INFINITY)


def _log_of_minus_log(x: Any, c: Any) -> Any:
    """log(-log(cdf)) of genextreme"""
    return -x if c == 0.0 else np.log1p(-c * x) / c


def logpdf_of_genextreme(x: Any, c: Any) -> Any:
    if c * x == 1.0:
        return 0.0 if c == 1.0 else -np.inf
    log = _log_of_minus_log(x, c)
    return -np.exp(log) + log - np.log1p(-c * x)


def logcdf_of_genextreme(x: Any, c: Any) -> Any:
    return -np.exp(_log_of_minus_log(x, c))


def sf_of_genextreme(x: Any, c: Any) -> Any:
    return -np.expm1(-np.exp(_log_of_minus_log(x, c)))


def ppf_of_genextreme(q: Any, c: Any) -> Any:
    x = -np.log(-np.log(q))
    return x if c == 0.0 else -np.expm1(-c * x) / c


def isf_of_genextreme(q: Any, c: Any) -> Any:
    x = -np.log(-np.log1p(-q))
    return x if c == 0.0 else -np.expm1(-c * x) / c


def entropy_of_genextreme(c: Any) -> Any:
    return EULER * (1.0 - c) + 1.0


def allowed_of_genpareto(c: Any) -> Any:
    return np.isfinite(c)


def support_of_genpareto(c: Any) -> tuple[Any, Any]:
    return 0.0, (-1.0 / c if c < 0.0 else INFINITY)


def logpdf_of_genpareto(x: Any, c: Any) -> Any:
    return -x if c == 0.0 else -scipy.special.xlog1py(c + 1.0, c * x) / c


def logsf_of_genpareto(x: Any, c: Any) -> Any:
    return -x if c == 0.0 else -np.log1p(c * x) / c


def cdf_of_genpareto(x: Any, c: Any) -> Any:
    return -np.expm1(logsf_of_genpareto(x, c))


def ppf_of_genpareto(q: Any, c: Any) -> Any:
    log = np.log1p(-q)
    return -log if c == 0.0 else np.expm1(-c * log) / c


def isf_of_genpareto(q: Any, c: Any) -> Any:
    log = np.log(q)
    return -log if c == 0.0 else np.expm1(-c * log) / c


def entropy_of_genpareto(c: Any) -> Any:
    return 1.0 + c


def mean_of_genpareto(c: Any) -> Any:
    return 1.0 / (1.0 - c) if c < 1.0 else np.inf


def var_of_genpareto(c: Any) -> Any:
    return 1.0 / (1.0 - c) ** 2 / (1.0 - 2.0 * c) if c < 0.5 else np.inf
