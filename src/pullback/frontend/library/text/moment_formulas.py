"""Skewness and kurtosis of distributions of ``scipy.stats``, for loc 0 and scale 1
(``continuous_distributions``): from these and from mean and variance follow all moments up to the
fourth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

ROOT_2, PI = math.sqrt(2.0), math.pi
ZETA_3 = 1.2020569031595942


def skew_of_norm() -> Any:
    return 0.0


def kurtosis_of_norm() -> Any:
    return 0.0


def skew_of_expon() -> Any:
    return 2.0


def kurtosis_of_expon() -> Any:
    return 6.0


def skew_of_uniform() -> Any:
    return 0.0


def kurtosis_of_uniform() -> Any:
    return -1.2


def skew_of_laplace() -> Any:
    return 0.0


def kurtosis_of_laplace() -> Any:
    return 3.0


def skew_of_logistic() -> Any:
    return 0.0


def kurtosis_of_logistic() -> Any:
    return 1.2


def skew_of_cauchy() -> Any:
    return np.nan


def kurtosis_of_cauchy() -> Any:
    return np.nan


def skew_of_gumbel_r() -> Any:
    return 12.0 * math.sqrt(6.0) / PI**3 * ZETA_3


def kurtosis_of_gumbel_r() -> Any:
    return 2.4


def skew_of_gumbel_l() -> Any:
    return -12.0 * math.sqrt(6.0) / PI**3 * ZETA_3


def kurtosis_of_gumbel_l() -> Any:
    return 2.4


def skew_of_rayleigh() -> Any:
    return 2.0 * (PI - 3.0) * math.sqrt(PI) / (4.0 - PI) ** 1.5


def kurtosis_of_rayleigh() -> Any:
    return 6.0 * PI / (4.0 - PI) - 16.0 / (4.0 - PI) ** 2


def skew_of_halfnorm() -> Any:
    return ROOT_2 * (4.0 - PI) / (PI - 2.0) ** 1.5


def kurtosis_of_halfnorm() -> Any:
    return 8.0 * (PI - 3.0) / (PI - 2.0) ** 2


def skew_of_maxwell() -> Any:
    return 2.0 * ROOT_2 * (16.0 - 5.0 * PI) / (3.0 * PI - 8.0) ** 1.5


def kurtosis_of_maxwell() -> Any:
    return 4.0 * (40.0 * PI - 96.0 - 3.0 * PI * PI) / (3.0 * PI - 8.0) ** 2


def skew_of_gamma(a: Any) -> Any:
    return 2.0 / np.sqrt(a)


def kurtosis_of_gamma(a: Any) -> Any:
    return 6.0 / a


def skew_of_chi2(df: Any) -> Any:
    return np.sqrt(8.0 / df)


def kurtosis_of_chi2(df: Any) -> Any:
    return 12.0 / df


def skew_of_beta(a: Any, b: Any) -> Any:
    both = a + b
    return 2.0 * (b - a) * np.sqrt(both + 1.0) / ((both + 2.0) * np.sqrt(a * b))


def kurtosis_of_beta(a: Any, b: Any) -> Any:
    both, product = a + b, a * b
    top = (a - b) ** 2 * (both + 1.0) - product * (both + 2.0)
    return 6.0 * top / (product * (both + 2.0) * (both + 3.0))


def skew_of_t(df: Any) -> Any:
    return 0.0 if df > 3.0 else np.nan


def kurtosis_of_t(df: Any) -> Any:
    if df == np.inf:
        return 0.0
    if df > 4.0:
        return 6.0 / (df - 4.0)
    return np.inf if df > 2.0 else np.nan


def skew_of_lognorm(s: Any) -> Any:
    p = np.exp(s * s)
    return np.sqrt(p - 1.0) * (2.0 + p)


def kurtosis_of_lognorm(s: Any) -> Any:
    p = np.exp(s * s)
    return ((p + 2.0) * p + 3.0) * p * p - 6.0


def skew_of_pareto(b: Any) -> Any:
    return 2.0 * (b + 1.0) * np.sqrt(b - 2.0) / ((b - 3.0) * np.sqrt(b)) if b > 3.0 else np.nan


def kurtosis_of_pareto(b: Any) -> Any:
    if b <= 4.0:
        return np.nan
    return 6.0 * (b**3 + b * b - 6.0 * b - 2.0) / (b * (b - 3.0) * (b - 4.0))


def _of_weibull(c: Any) -> tuple[Any, Any, Any, Any]:
    one, two, three, four = (scipy.special.gamma(1.0 + k / c) for k in (1.0, 2.0, 3.0, 4.0))
    square = two - one * one
    third = three - 3.0 * one * two + 2.0 * one**3
    return one, square, third, four - 4.0 * one * three + 6.0 * one * one * two - 3.0 * one**4


def skew_of_weibull_min(c: Any) -> Any:
    _, square, third, _ = _of_weibull(c)
    return third / square**1.5


def kurtosis_of_weibull_min(c: Any) -> Any:
    _, square, _, fourth = _of_weibull(c)
    return fourth / (square * square) - 3.0


def skew_of_triang(c: Any) -> Any:
    wide = 1.0 - c + c * c
    return ROOT_2 * (2.0 * c - 1.0) * (c + 1.0) * (c - 2.0) / (5.0 * wide**1.5)


def kurtosis_of_triang(c: Any) -> Any:
    return -0.6


def skew_of_powerlaw(a: Any) -> Any:
    return -2.0 * (a - 1.0) / (a + 3.0) * np.sqrt((a + 2.0) / a)


def kurtosis_of_powerlaw(a: Any) -> Any:
    return 6.0 * (a**3 - a * a - 6.0 * a + 2.0) / (a * (a + 3.0) * (a + 4.0))


def skew_of_invgamma(a: Any) -> Any:
    return 4.0 * np.sqrt(a - 2.0) / (a - 3.0) if a > 3.0 else np.nan


def kurtosis_of_invgamma(a: Any) -> Any:
    return 6.0 * (5.0 * a - 11.0) / ((a - 3.0) * (a - 4.0)) if a > 4.0 else np.nan


def skew_of_invgauss(mu: Any) -> Any:
    return 3.0 * np.sqrt(mu)


def kurtosis_of_invgauss(mu: Any) -> Any:
    return 15.0 * mu


# --- of whole numbers -----------------------------------------------------------------------------


def skew_of_poisson(mu: Any) -> Any:
    return 1.0 / np.sqrt(mu)


def kurtosis_of_poisson(mu: Any) -> Any:
    return 1.0 / mu


def skew_of_binom(n: Any, p: Any) -> Any:
    return (1.0 - 2.0 * p) / np.sqrt(n * p * (1.0 - p))


def kurtosis_of_binom(n: Any, p: Any) -> Any:
    square = p * (1.0 - p)
    return (1.0 - 6.0 * square) / (n * square)


def skew_of_bernoulli(p: Any) -> Any:
    return skew_of_binom(1.0, p)


def kurtosis_of_bernoulli(p: Any) -> Any:
    return kurtosis_of_binom(1.0, p)


def skew_of_geom(p: Any) -> Any:
    return (2.0 - p) / np.sqrt(1.0 - p)


def kurtosis_of_geom(p: Any) -> Any:
    return (p * p - 6.0 * p + 6.0) / (1.0 - p)


def skew_of_nbinom(n: Any, p: Any) -> Any:
    return (2.0 - p) / np.sqrt(n * (1.0 - p))


def kurtosis_of_nbinom(n: Any, p: Any) -> Any:
    q = 1.0 - p
    return (p * p - 6.0 * p + 6.0) / (n * q)


def skew_of_randint(low: Any, high: Any) -> Any:
    return 0.0


def kurtosis_of_randint(low: Any, high: Any) -> Any:
    square = (high - low) ** 2
    return -1.2 * (square + 1.0) / (square - 1.0)
