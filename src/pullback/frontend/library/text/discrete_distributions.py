"""What ``frontend/library/distributions.py`` knows of the discrete distributions of
``scipy.stats``, for loc 0 (see ``continuous_distributions``). k is a whole number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

INFINITY = math.inf
SUPPORTS = {
    "poisson": (0.0, INFINITY), "bernoulli": (0.0, 1.0), "geom": (1.0, INFINITY),
    "nbinom": (0.0, INFINITY), "zipf": (1.0, INFINITY),
}  # fmt: skip


def allowed_of_poisson(mu: Any) -> Any:
    return mu >= 0.0


def logpmf_of_poisson(k: Any, mu: Any) -> Any:
    return scipy.special.xlogy(k, mu) - scipy.special.gammaln(k + 1.0) - mu


def cdf_of_poisson(k: Any, mu: Any) -> Any:
    return scipy.special.gammaincc(k + 1.0, mu)


def sf_of_poisson(k: Any, mu: Any) -> Any:
    return scipy.special.gammainc(k + 1.0, mu)


def mean_of_poisson(mu: Any) -> Any:
    return mu


def var_of_poisson(mu: Any) -> Any:
    return mu


def allowed_of_binom(n: Any, p: Any) -> Any:
    return n >= 0.0 and np.floor(n) == n and 0.0 <= p <= 1.0


def support_of_binom(n: Any, p: Any) -> tuple[Any, Any]:
    return 0.0, n


def logpmf_of_binom(k: Any, n: Any, p: Any) -> Any:
    ways = scipy.special.gammaln(k + 1.0) + scipy.special.gammaln(n - k + 1.0)
    chance = scipy.special.xlogy(k, p) + scipy.special.xlog1py(n - k, -p)
    return scipy.special.gammaln(n + 1.0) - ways + chance


def cdf_of_binom(k: Any, n: Any, p: Any) -> Any:
    return scipy.special.betainc(n - k, k + 1.0, 1.0 - p)


def sf_of_binom(k: Any, n: Any, p: Any) -> Any:
    return scipy.special.betainc(k + 1.0, n - k, p)


def mean_of_binom(n: Any, p: Any) -> Any:
    return n * p


def var_of_binom(n: Any, p: Any) -> Any:
    return n * p - n * p * p


def allowed_of_bernoulli(p: Any) -> Any:
    return 0.0 <= p <= 1.0


def logpmf_of_bernoulli(k: Any, p: Any) -> Any:
    return scipy.special.xlogy(k, p) + scipy.special.xlog1py(1.0 - k, -p)


def pmf_of_bernoulli(k: Any, p: Any) -> Any:
    return p if k == 1.0 else 1.0 - p


def cdf_of_bernoulli(k: Any, p: Any) -> Any:
    return 1.0 - p


def sf_of_bernoulli(k: Any, p: Any) -> Any:
    return p


def entropy_of_bernoulli(p: Any) -> Any:
    return scipy.special.entr(p) + scipy.special.entr(1.0 - p)


def mean_of_bernoulli(p: Any) -> Any:
    return p


def var_of_bernoulli(p: Any) -> Any:
    return p - p * p


def allowed_of_geom(p: Any) -> Any:
    return 0.0 < p <= 1.0


def logpmf_of_geom(k: Any, p: Any) -> Any:
    return scipy.special.xlog1py(k - 1.0, -p) + np.log(p)


def pmf_of_geom(k: Any, p: Any) -> Any:
    return (1.0 - p) ** (k - 1.0) * p


def cdf_of_geom(k: Any, p: Any) -> Any:
    return -np.expm1(np.log1p(-p) * k)


def logsf_of_geom(k: Any, p: Any) -> Any:
    return k * np.log1p(-p)


def entropy_of_geom(p: Any) -> Any:
    return -np.log(p) - np.log1p(-p) * (1.0 - p) / p


def mean_of_geom(p: Any) -> Any:
    return 1.0 / p


def var_of_geom(p: Any) -> Any:
    return (1.0 - p) / p / p


def allowed_of_nbinom(n: Any, p: Any) -> Any:
    return n > 0.0 and 0.0 < p <= 1.0


def logpmf_of_nbinom(k: Any, n: Any, p: Any) -> Any:
    ways = scipy.special.gammaln(n + k) - scipy.special.gammaln(k + 1.0) - scipy.special.gammaln(n)
    return ways + n * np.log(p) + scipy.special.xlog1py(k, -p)


def cdf_of_nbinom(k: Any, n: Any, p: Any) -> Any:
    return scipy.special.betainc(n, k + 1.0, p)


def sf_of_nbinom(k: Any, n: Any, p: Any) -> Any:
    return scipy.special.betainc(k + 1.0, n, 1.0 - p)


def mean_of_nbinom(n: Any, p: Any) -> Any:
    return n * (1.0 - p) / p


def var_of_nbinom(n: Any, p: Any) -> Any:
    return n * (1.0 - p) / (p * p)


def _is_whole(x: Any) -> Any:
    return np.floor(x) == x


def allowed_of_hypergeom(M: Any, n: Any, N: Any) -> Any:
    whole = _is_whole(M) and _is_whole(n) and _is_whole(N)
    return M > 0.0 and n >= 0.0 and N >= 0.0 and n <= M and N <= M and whole


def support_of_hypergeom(M: Any, n: Any, N: Any) -> tuple[Any, Any]:
    return max(N - (M - n), 0.0), min(n, N)


def logpmf_of_hypergeom(k: Any, M: Any, n: Any, N: Any) -> Any:
    bad = M - n
    first = scipy.special.betaln(n + 1.0, 1.0) + scipy.special.betaln(bad + 1.0, 1.0)
    drawn = scipy.special.betaln(M - N + 1.0, N + 1.0) - scipy.special.betaln(k + 1.0, n - k + 1.0)
    rest = scipy.special.betaln(N - k + 1.0, bad - N + k + 1.0)
    return first + drawn - rest - scipy.special.betaln(M + 1.0, 1.0)


def cdf_of_hypergeom(k: Any, M: Any, n: Any, N: Any) -> Any:
    at, total = support_of_hypergeom(M, n, N)[0], 0.0
    while at <= k:
        total = total + np.exp(logpmf_of_hypergeom(at, M, n, N))
        at = at + 1.0
    return np.minimum(total, 1.0)


def sf_of_hypergeom(k: Any, M: Any, n: Any, N: Any) -> Any:
    at, total = min(n, N), 0.0
    while at > k:
        total = total + np.exp(logpmf_of_hypergeom(at, M, n, N))
        at = at - 1.0
    return np.minimum(total, 1.0)


def mean_of_hypergeom(M: Any, n: Any, N: Any) -> Any:
    return n * N / M


def var_of_hypergeom(M: Any, n: Any, N: Any) -> Any:
    part = n / M
    return N * part * (1.0 - part) * (M - N) / (M - 1.0)


def allowed_of_betabinom(n: Any, a: Any, b: Any) -> Any:
    return n >= 0.0 and np.floor(n) == n and a > 0.0 and b > 0.0


def support_of_betabinom(n: Any, a: Any, b: Any) -> tuple[Any, Any]:
    return 0.0, n


def logpmf_of_betabinom(k: Any, n: Any, a: Any, b: Any) -> Any:
    ways = -np.log(n + 1.0) - scipy.special.betaln(n - k + 1.0, k + 1.0)
    return ways + scipy.special.betaln(k + a, n - k + b) - scipy.special.betaln(a, b)


def cdf_of_betabinom(k: Any, n: Any, a: Any, b: Any) -> Any:
    at, total = 0.0, 0.0
    while at <= k:
        total = total + np.exp(logpmf_of_betabinom(at, n, a, b))
        at = at + 1.0
    return np.minimum(total, 1.0)


def mean_of_betabinom(n: Any, a: Any, b: Any) -> Any:
    return n * a / (a + b)


def var_of_betabinom(n: Any, a: Any, b: Any) -> Any:
    part = a / (a + b)
    return n * (a + b + n) * part * (1.0 - part) / (a + b + 1.0)


def allowed_of_randint(low: Any, high: Any) -> Any:
    return high > low and np.floor(low) == low and np.floor(high) == high


def support_of_randint(low: Any, high: Any) -> tuple[Any, Any]:
    return low, high - 1.0


def pmf_of_randint(k: Any, low: Any, high: Any) -> Any:
    return 1.0 / (high - low)


def cdf_of_randint(k: Any, low: Any, high: Any) -> Any:
    return (k - low + 1.0) / (high - low)


def entropy_of_randint(low: Any, high: Any) -> Any:
    return np.log(high - low)


def mean_of_randint(low: Any, high: Any) -> Any:
    return (high + low - 1.0) / 2.0


def var_of_randint(low: Any, high: Any) -> Any:
    width = high - low
    return (width * width - 1.0) / 12.0


def allowed_of_zipf(a: Any) -> Any:
    return a > 1.0


def pmf_of_zipf(k: Any, a: Any) -> Any:
    return k ** (-a) / scipy.special.zeta(a, 1.0)


def cdf_of_zipf(k: Any, a: Any) -> Any:
    at, total = 1.0, 0.0
    while at <= k:
        total = total + at ** (-a)
        at = at + 1.0
    return total / scipy.special.zeta(a, 1.0)
