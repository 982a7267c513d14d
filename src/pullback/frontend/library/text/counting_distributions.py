"""More of ``discrete_distributions``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

INFINITY = math.inf
SUPPORTS = {
    "skellam": (-INFINITY, INFINITY), "dlaplace": (-INFINITY, INFINITY),
    "logser": (1.0, INFINITY), "planck": (0.0, INFINITY), "yulesimon": (1.0, INFINITY),
    "betanbinom": (0.0, INFINITY),
}  # fmt: skip


def pmf_of_skellam(k: Any, mu1: Any, mu2: Any) -> Any:
    root = np.sqrt(mu1 * mu2)
    size = scipy.special.ive(abs(k), 2.0 * root)
    return np.exp(0.5 * k * np.log(mu1 / mu2) + np.log(size) - (np.sqrt(mu1) - np.sqrt(mu2)) ** 2)


def cdf_of_skellam(k: Any, mu1: Any, mu2: Any) -> Any:
    if k < 0.0:
        return scipy.special.chndtr(2.0 * mu2, -2.0 * k, 2.0 * mu1)
    return 1.0 - scipy.special.chndtr(2.0 * mu1, 2.0 * (k + 1.0), 2.0 * mu2)


def mean_of_skellam(mu1: Any, mu2: Any) -> Any:
    return mu1 - mu2


def var_of_skellam(mu1: Any, mu2: Any) -> Any:
    return mu1 + mu2


def pmf_of_dlaplace(k: Any, a: Any) -> Any:
    return np.tanh(a / 2.0) * np.exp(-a * abs(k))


def cdf_of_dlaplace(k: Any, a: Any) -> Any:
    below = np.exp(a) + 1.0
    return 1.0 - np.exp(-a * k) / below if k >= 0.0 else np.exp(a * (k + 1.0)) / below


def mean_of_dlaplace(a: Any) -> Any:
    return 0.0


def var_of_dlaplace(a: Any) -> Any:
    return 2.0 * np.exp(a) / np.expm1(a) ** 2


def entropy_of_dlaplace(a: Any) -> Any:
    return a / np.sinh(a) - np.log(np.tanh(a / 2.0))


def allowed_of_logser(p: Any) -> Any:
    return 0.0 < p < 1.0


def pmf_of_logser(k: Any, p: Any) -> Any:
    return -(p**k) / k / np.log1p(-p)


def sf_of_logser(k: Any, p: Any) -> Any:
    total, term, at = 0.0, p ** (k + 1.0), k + 1.0
    while term / at > 1e-17 * (total + term / at):
        total = total + term / at
        term, at = term * p, at + 1.0
    return -total / np.log1p(-p)


def mean_of_logser(p: Any) -> Any:
    return p / (p - 1.0) / np.log1p(-p)


def var_of_logser(p: Any) -> Any:
    log = np.log1p(-p)
    return -p / log / (p - 1.0) ** 2 - (p / (p - 1.0) / log) ** 2


def pmf_of_planck(k: Any, lambda_: Any) -> Any:
    return np.exp(np.log(-np.expm1(-lambda_)) - lambda_ * k)


def cdf_of_planck(k: Any, lambda_: Any) -> Any:
    return -np.expm1(-lambda_ * (k + 1.0))


def logsf_of_planck(k: Any, lambda_: Any) -> Any:
    return -lambda_ * (k + 1.0)


def mean_of_planck(lambda_: Any) -> Any:
    return 1.0 / np.expm1(lambda_)


def var_of_planck(lambda_: Any) -> Any:
    return np.exp(-lambda_) / np.expm1(-lambda_) ** 2


def entropy_of_planck(lambda_: Any) -> Any:
    rest = -np.expm1(-lambda_)
    return lambda_ * np.exp(-lambda_) / rest - np.log(rest)


def allowed_of_boltzmann(lambda_: Any, N: Any) -> Any:
    return lambda_ > 0.0 and N > 0.0 and np.floor(N) == N


def support_of_boltzmann(lambda_: Any, N: Any) -> tuple[Any, Any]:
    return 0.0, N - 1.0


def pmf_of_boltzmann(k: Any, lambda_: Any, N: Any) -> Any:
    return np.exp(np.log(np.expm1(-lambda_) / np.expm1(-lambda_ * N)) - lambda_ * k)


def cdf_of_boltzmann(k: Any, lambda_: Any, N: Any) -> Any:
    return np.expm1(-lambda_ * (k + 1.0)) / np.expm1(-lambda_ * N)


def mean_of_boltzmann(lambda_: Any, N: Any) -> Any:
    return 1.0 / np.expm1(lambda_) - N / np.expm1(lambda_ * N)


def logpmf_of_yulesimon(k: Any, alpha: Any) -> Any:
    return np.log(alpha) + scipy.special.betaln(k, alpha + 1.0)


def cdf_of_yulesimon(k: Any, alpha: Any) -> Any:
    return 1.0 - k * scipy.special.beta(k, alpha + 1.0)


def sf_of_yulesimon(k: Any, alpha: Any) -> Any:
    return k * scipy.special.beta(k, alpha + 1.0)


def mean_of_yulesimon(alpha: Any) -> Any:
    return alpha / (alpha - 1.0) if alpha > 1.0 else np.inf


def allowed_of_betanbinom(n: Any, a: Any, b: Any) -> Any:
    return n >= 0.0 and np.floor(n) == n and a > 0.0 and b > 0.0


def logpmf_of_betanbinom(k: Any, n: Any, a: Any, b: Any) -> Any:
    ways = -np.log(n + k) - scipy.special.betaln(n, k + 1.0)
    return ways + scipy.special.betaln(a + n, b + k) - scipy.special.betaln(a, b)


def mean_of_betanbinom(n: Any, a: Any, b: Any) -> Any:
    return n * b / (a - 1.0) if a > 1.0 else np.inf


def allowed_of_zipfian(a: Any, n: Any) -> Any:
    return a >= 0.0 and n > 0.0 and np.floor(n) == n


def support_of_zipfian(a: Any, n: Any) -> tuple[Any, Any]:
    return 1.0, n


def _harmonic(n: Any, a: Any) -> Any:
    """Return the sum of the first n powers 1 / k ** a."""
    at, total = 1.0, 0.0
    while at <= n:
        total = total + at ** (-a)
        at = at + 1.0
    return total


def pmf_of_zipfian(k: Any, a: Any, n: Any) -> Any:
    return k ** (-a) / _harmonic(n, a)


def cdf_of_zipfian(k: Any, a: Any, n: Any) -> Any:
    return _harmonic(k, a) / _harmonic(n, a)


def mean_of_zipfian(a: Any, n: Any) -> Any:
    return _harmonic(n, a - 1.0) / _harmonic(n, a)


def var_of_zipfian(a: Any, n: Any) -> Any:
    whole = _harmonic(n, a)
    return _harmonic(n, a - 2.0) / whole - (_harmonic(n, a - 1.0) / whole) ** 2
