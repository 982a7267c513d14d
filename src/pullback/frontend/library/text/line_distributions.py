"""More of ``continuous_distributions``: distributions over the whole line."""

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
    entropy_of_gamma,
)
from pullback.frontend.library.text.positive_distributions import (
    entropy_of_weibull_min,
)

SUPPORTS = dict.fromkeys(
    ("hypsecant", "moyal", "loggamma", "genlogistic", "dweibull", "dgamma", "gennorm", "johnsonsu",
     "laplace_asymmetric", "skewcauchy", "norminvgauss", "powernorm"), (-INFINITY, INFINITY),
)  # fmt: skip


def pdf_of_hypsecant(x: Any) -> Any:
    size = abs(x)
    return np.exp(LOG_2 - LOG_PI - size - np.log1p(np.exp(-2.0 * size)))


def cdf_of_hypsecant(x: Any) -> Any:
    return 2.0 / math.pi * np.arctan(np.exp(x))


def sf_of_hypsecant(x: Any) -> Any:
    return 2.0 / math.pi * np.arctan(np.exp(-x))


def ppf_of_hypsecant(q: Any) -> Any:
    return np.log(np.tan(math.pi * q / 2.0))


def isf_of_hypsecant(q: Any) -> Any:
    return -np.log(np.tan(math.pi * q / 2.0))


def entropy_of_hypsecant() -> Any:
    return LOG_2 + LOG_PI


def mean_of_hypsecant() -> Any:
    return 0.0


def var_of_hypsecant() -> Any:
    return math.pi * math.pi / 4.0


def pdf_of_moyal(x: Any) -> Any:
    return np.exp(-0.5 * (x + np.exp(-x)) - LOG_ROOT)


def cdf_of_moyal(x: Any) -> Any:
    return scipy.special.erfc(np.exp(-0.5 * x) / ROOT_2)


def sf_of_moyal(x: Any) -> Any:
    return scipy.special.erf(np.exp(-0.5 * x) / ROOT_2)


def ppf_of_moyal(q: Any) -> Any:
    return -np.log(2.0 * scipy.special.erfcinv(q) ** 2)


def entropy_of_moyal() -> Any:
    return LOG_ROOT + 0.5 * (LOG_2 + EULER + 1.0)


def mean_of_moyal() -> Any:
    return LOG_2 + EULER


def var_of_moyal() -> Any:
    return math.pi * math.pi / 2.0


def logpdf_of_loggamma(x: Any, c: Any) -> Any:
    return c * x - np.exp(x) - scipy.special.gammaln(c)


def cdf_of_loggamma(x: Any, c: Any) -> Any:
    return scipy.special.gammainc(c, np.exp(x))


def sf_of_loggamma(x: Any, c: Any) -> Any:
    return scipy.special.gammaincc(c, np.exp(x))


def ppf_of_loggamma(q: Any, c: Any) -> Any:
    return np.log(scipy.special.gammaincinv(c, q))


def isf_of_loggamma(q: Any, c: Any) -> Any:
    return np.log(scipy.special.gammainccinv(c, q))


def mean_of_loggamma(c: Any) -> Any:
    return scipy.special.psi(c)


def var_of_loggamma(c: Any) -> Any:
    return scipy.special.polygamma(1, c)


def entropy_of_loggamma(c: Any) -> Any:
    return scipy.special.gammaln(c) - c * scipy.special.psi(c) + c


def logpdf_of_genlogistic(x: Any, c: Any) -> Any:
    if x < 0.0:
        return np.log(c) + c * x - (c + 1.0) * np.log1p(np.exp(x))
    return np.log(c) - x - (c + 1.0) * np.log1p(np.exp(-x))


def logcdf_of_genlogistic(x: Any, c: Any) -> Any:
    return c * scipy.special.log_expit(x)


def sf_of_genlogistic(x: Any, c: Any) -> Any:
    return -np.expm1(c * scipy.special.log_expit(x))


def ppf_of_genlogistic(q: Any, c: Any) -> Any:
    return -np.log(np.expm1(-np.log(q) / c))


def mean_of_genlogistic(c: Any) -> Any:
    return EULER + scipy.special.psi(c)


def var_of_genlogistic(c: Any) -> Any:
    return math.pi * math.pi / 6.0 + scipy.special.polygamma(1, c)


def entropy_of_genlogistic(c: Any) -> Any:
    return -np.log(c) + scipy.special.psi(c + 1.0) + EULER + 1.0


def logpdf_of_dweibull(x: Any, c: Any) -> Any:
    size = abs(x)
    return np.log(c) - LOG_2 + scipy.special.xlogy(c - 1.0, size) - size**c


def cdf_of_dweibull(x: Any, c: Any) -> Any:
    half = 0.5 * np.exp(-(abs(x) ** c))
    return 1.0 - half if x > 0.0 else half


def sf_of_dweibull(x: Any, c: Any) -> Any:
    half = 0.5 * np.exp(-(abs(x) ** c))
    return half if x > 0.0 else 1.0 - half


def ppf_of_dweibull(q: Any, c: Any) -> Any:
    if q > 0.5:
        return (-np.log(2.0 * (1.0 - q))) ** (1.0 / c)
    return -((-np.log(2.0 * q)) ** (1.0 / c))


def isf_of_dweibull(q: Any, c: Any) -> Any:
    return -ppf_of_dweibull(q, c)


def mean_of_dweibull(c: Any) -> Any:
    return 0.0


def var_of_dweibull(c: Any) -> Any:
    return scipy.special.gamma(1.0 + 2.0 / c)


def entropy_of_dweibull(c: Any) -> Any:
    return entropy_of_weibull_min(c) + LOG_2


def logpdf_of_dgamma(x: Any, a: Any) -> Any:
    size = abs(x)
    return scipy.special.xlogy(a - 1.0, size) - size - LOG_2 - scipy.special.gammaln(a)


def cdf_of_dgamma(x: Any, a: Any) -> Any:
    if x > 0.0:
        return 0.5 + 0.5 * scipy.special.gammainc(a, x)
    return 0.5 * scipy.special.gammaincc(a, -x)


def sf_of_dgamma(x: Any, a: Any) -> Any:
    return cdf_of_dgamma(-x, a)


def ppf_of_dgamma(q: Any, a: Any) -> Any:
    if q > 0.5:
        return scipy.special.gammaincinv(a, 2.0 * q - 1.0)
    return -scipy.special.gammainccinv(a, 2.0 * q)


def isf_of_dgamma(q: Any, a: Any) -> Any:
    return -ppf_of_dgamma(q, a)


def mean_of_dgamma(a: Any) -> Any:
    return 0.0


def var_of_dgamma(a: Any) -> Any:
    return a * (a + 1.0)


def entropy_of_dgamma(a: Any) -> Any:
    return entropy_of_gamma(a) + LOG_2


def logpdf_of_gennorm(x: Any, beta: Any) -> Any:
    return np.log(0.5 * beta) - scipy.special.gammaln(1.0 / beta) - abs(x) ** beta


def cdf_of_gennorm(x: Any, beta: Any) -> Any:
    if x > 0.0:
        return 1.0 - 0.5 * scipy.special.gammaincc(1.0 / beta, x**beta)
    return 0.5 * scipy.special.gammaincc(1.0 / beta, (-x) ** beta)


def sf_of_gennorm(x: Any, beta: Any) -> Any:
    return cdf_of_gennorm(-x, beta)


def ppf_of_gennorm(q: Any, beta: Any) -> Any:
    if q > 0.5:
        return scipy.special.gammainccinv(1.0 / beta, 2.0 * (1.0 - q)) ** (1.0 / beta)
    return -(scipy.special.gammainccinv(1.0 / beta, 2.0 * q) ** (1.0 / beta))


def isf_of_gennorm(q: Any, beta: Any) -> Any:
    return -ppf_of_gennorm(q, beta)


def mean_of_gennorm(beta: Any) -> Any:
    return 0.0


def var_of_gennorm(beta: Any) -> Any:
    return np.exp(scipy.special.gammaln(3.0 / beta) - scipy.special.gammaln(1.0 / beta))


def entropy_of_gennorm(beta: Any) -> Any:
    return 1.0 / beta - np.log(0.5 * beta) + scipy.special.gammaln(1.0 / beta)


def allowed_of_johnsonsu(a: Any, b: Any) -> Any:
    return b > 0.0 and a == a


def pdf_of_johnsonsu(x: Any, a: Any, b: Any) -> Any:
    at = a + b * np.arcsinh(x)
    return np.exp(np.log(b) - 0.5 * np.log1p(x * x) - 0.5 * at * at - LOG_ROOT)


def cdf_of_johnsonsu(x: Any, a: Any, b: Any) -> Any:
    return scipy.special.ndtr(a + b * np.arcsinh(x))


def sf_of_johnsonsu(x: Any, a: Any, b: Any) -> Any:
    return scipy.special.ndtr(-a - b * np.arcsinh(x))


def ppf_of_johnsonsu(q: Any, a: Any, b: Any) -> Any:
    return np.sinh((scipy.special.ndtri(q) - a) / b)


def isf_of_johnsonsu(q: Any, a: Any, b: Any) -> Any:
    return np.sinh((-scipy.special.ndtri(q) - a) / b)


def mean_of_johnsonsu(a: Any, b: Any) -> Any:
    return -np.exp(0.5 / (b * b)) * np.sinh(a / b)


def var_of_johnsonsu(a: Any, b: Any) -> Any:
    square = 1.0 / (b * b)
    return 0.5 * np.expm1(square) * (np.exp(square) * np.cosh(2.0 * a / b) + 1.0)


def logpdf_of_laplace_asymmetric(x: Any, kappa: Any) -> Any:
    slope = -kappa if x >= 0.0 else 1.0 / kappa
    return x * slope - np.log(kappa + 1.0 / kappa)


def cdf_of_laplace_asymmetric(x: Any, kappa: Any) -> Any:
    inverse = 1.0 / kappa
    if x >= 0.0:
        return 1.0 - np.exp(-x * kappa) * (inverse / (kappa + inverse))
    return np.exp(x * inverse) * (kappa / (kappa + inverse))


def sf_of_laplace_asymmetric(x: Any, kappa: Any) -> Any:
    inverse = 1.0 / kappa
    if x >= 0.0:
        return np.exp(-x * kappa) * (inverse / (kappa + inverse))
    return 1.0 - np.exp(x * inverse) * (kappa / (kappa + inverse))


def ppf_of_laplace_asymmetric(q: Any, kappa: Any) -> Any:
    inverse = 1.0 / kappa
    both = kappa + inverse
    if q >= kappa / both:
        return -np.log((1.0 - q) * both * kappa) * inverse
    return np.log(q * both / kappa) * kappa


def isf_of_laplace_asymmetric(q: Any, kappa: Any) -> Any:
    inverse = 1.0 / kappa
    both = kappa + inverse
    if q <= inverse / both:
        return -np.log(q * both * kappa) * inverse
    return np.log((1.0 - q) * both / kappa) * kappa


def mean_of_laplace_asymmetric(kappa: Any) -> Any:
    return 1.0 / kappa - kappa


def var_of_laplace_asymmetric(kappa: Any) -> Any:
    return 1.0 / (kappa * kappa) + kappa * kappa


def entropy_of_laplace_asymmetric(kappa: Any) -> Any:
    return 1.0 + np.log(kappa + 1.0 / kappa)


def allowed_of_skewcauchy(a: Any) -> Any:
    return abs(a) < 1.0


def pdf_of_skewcauchy(x: Any, a: Any) -> Any:
    wide = 1.0 + a * np.sign(x)
    return 1.0 / (math.pi * ((x / wide) ** 2 + 1.0))


def cdf_of_skewcauchy(x: Any, a: Any) -> Any:
    wide = 1.0 - a if x <= 0.0 else 1.0 + a
    return (1.0 - a) / 2.0 + wide / math.pi * np.arctan(x / wide)


def ppf_of_skewcauchy(q: Any, a: Any) -> Any:
    wide = 1.0 - a if q < (1.0 - a) / 2.0 else 1.0 + a
    return np.tan(math.pi / wide * (q - (1.0 - a) / 2.0)) * wide


def mean_of_skewcauchy(a: Any) -> Any:
    return np.nan


def var_of_skewcauchy(a: Any) -> Any:
    return np.nan


def allowed_of_norminvgauss(a: Any, b: Any) -> Any:
    return a > 0.0 and abs(b) < a


def pdf_of_norminvgauss(x: Any, a: Any, b: Any) -> Any:
    away = np.hypot(1.0, x)
    power = np.sqrt(a * a - b * b) + b * x - a * away
    return np.exp(np.log(a) - LOG_PI + power + np.log(scipy.special.k1e(a * away)) - np.log(away))


def mean_of_norminvgauss(a: Any, b: Any) -> Any:
    return b / np.sqrt(a * a - b * b)


def var_of_norminvgauss(a: Any, b: Any) -> Any:
    return a * a / np.sqrt(a * a - b * b) ** 3


def logpdf_of_powernorm(x: Any, c: Any) -> Any:
    return np.log(c) - 0.5 * x * x - LOG_ROOT + (c - 1.0) * scipy.special.log_ndtr(-x)


def logsf_of_powernorm(x: Any, c: Any) -> Any:
    return c * scipy.special.log_ndtr(-x)


def ppf_of_powernorm(q: Any, c: Any) -> Any:
    return -scipy.special.ndtri((1.0 - q) ** (1.0 / c))


def isf_of_powernorm(q: Any, c: Any) -> Any:
    return -scipy.special.ndtri(q ** (1.0 / c))
