"""Tests of counts, robust lines, distances of samples and transformations, of ``scipy.stats``, as
plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.scipy_samples import TtestResult, _by_student
from pullback.frontend.library.text_helpers import unsupported


class Power_divergenceResult(NamedTuple):  # SciPy's name
    """What ``chisquare`` gives."""

    statistic: Any
    pvalue: Any


def power_divergence(f_obs: Array, f_exp: Any = None, ddof: int = 0, axis: Any = 0,
                     lambda_: Any = None) -> Power_divergenceResult:  # fmt: skip
    """Whether counts are those that are expected."""
    seen, along = np.asarray(f_obs) * 1.0, 0 if axis is None else axis
    seen = np.ravel(seen) if axis is None else seen
    if f_exp is None:
        wanted = np.mean(seen, axis=along, keepdims=True) + 0.0 * seen
    else:
        wanted = np.asarray(f_exp) * 1.0 + 0.0 * seen
        total, other = np.sum(seen, axis=along), np.sum(wanted, axis=along)
        if np.any(np.abs(total - other) > 2.0**-26 * np.minimum(total, other)):
            raise ValueError(
                "For each axis slice, the sum of the observed frequencies must agree with the sum "
                "of the expected frequencies to a relative tolerance of 1.4901161193847656e-08"
            )
    powers = {"pearson": 1, "log-likelihood": 0, "freeman-tukey": -0.5, "mod-log-likelihood": -1,
              "neyman": -2, "cressie-read": 2 / 3}  # fmt: skip
    power = 1 if lambda_ is None else (
        powers[lambda_] if isinstance(lambda_, str) else lambda_)  # fmt: skip
    if power == 1:
        terms = (seen - wanted) ** 2 / wanted
    elif power == 0:
        terms = 2.0 * scipy.special.xlogy(seen, seen / wanted)
    elif power == -1:
        terms = 2.0 * scipy.special.xlogy(wanted, wanted / seen)
    else:
        terms = seen * ((seen / wanted) ** power - 1) / (0.5 * power * (power + 1))
    found = np.sum(terms, axis=along)
    return Power_divergenceResult(
        found, scipy.special.chdtrc(seen.shape[along] - 1.0 - ddof, found)
    )


def chisquare(f_obs: Array, f_exp: Any = None, ddof: int = 0, axis: Any = 0) -> (
    Power_divergenceResult
):  # fmt: skip
    return power_divergence(f_obs, f_exp, ddof, axis)


def ttest_ind_from_stats(
    mean1: Any, std1: Any, nobs1: Any, mean2: Any, std2: Any, nobs2: Any, equal_var: bool = True,
    alternative: str = "two-sided",
) -> TtestResult:  # fmt: skip
    """Whether the means of two samples are the same, of which means and deviations are known."""
    u, v = np.asarray(std1) ** 2, np.asarray(std2) ** 2
    n, m = 1.0 * nobs1, 1.0 * nobs2
    d = np.asarray(mean1) - mean2
    if equal_var:
        df = n + m - 2.0
        t = d / np.sqrt(((n - 1.0) * u + (m - 1.0) * v) / df * (1.0 / n + 1.0 / m))
        return TtestResult(t, _by_student(t, df, alternative))
    p, q = u / n, v / m
    t, df = d / np.sqrt(p + q), (p + q) ** 2 / (p * p / (n - 1.0) + q * q / (m - 1.0))
    return TtestResult(t, _by_student(t, df, alternative))


def _cumulative(values: Vector, weights: Any, places: Vector) -> Vector:
    """Return the shares of a sample up to these places."""
    at = np.searchsorted(np.sort(values), places, side="right")
    if weights is None:
        return at / len(values)
    order = np.argsort(values)
    sums = np.concatenate((np.zeros(1), np.cumsum(np.asarray(weights)[order])))
    return sums[at] / sums[len(values)]


def energy_distance(
    u_values: Vector, v_values: Vector, u_weights: Any = None, v_weights: Any = None
) -> Any:
    """Return the distance of two distribution functions."""
    u, v = np.asarray(u_values) * 1.0, np.asarray(v_values) * 1.0
    both = np.sort(np.concatenate((u, v)))
    p, q = _cumulative(u, u_weights, both[:-1]), _cumulative(v, v_weights, both[:-1])
    return np.sqrt(2.0) * np.sqrt(np.sum(np.square(p - q) * np.diff(both)))


def boxcox(x: Array, lmbda: Any = None, alpha: None = None, optimizer: None = None) -> Any:
    if lmbda is None:
        unsupported("boxcox without an exponent", "find lmbda outside, and pass it in")
    return scipy.special.boxcox(np.asarray(x), lmbda)


def yeojohnson(x: Array, lmbda: Any = None) -> Any:
    """Return Box and Cox's transformation of numbers of both signs."""
    if lmbda is None:
        unsupported("yeojohnson without an exponent", "find lmbda outside, and pass it in")
    a = np.asarray(x) * 1.0
    above = a >= 0.0
    first = scipy.special.boxcox1p(np.where(above, a, 0.0), lmbda)
    other = -scipy.special.boxcox1p(np.where(above, 0.0, -a), 2.0 - lmbda)
    return np.where(above, first, other)


def yeojohnson_llf(lmb: Any, data: Array) -> Any:
    """Return the logarithm of the likelihood of an exponent."""
    x = np.asarray(data) * 1.0
    n = x.shape[0]
    spread = np.log(np.var(yeojohnson(x, lmb), axis=0))
    return -n / 2.0 * spread + (lmb - 1.0) * np.sum(np.sign(x) * np.log1p(np.abs(x)), axis=0)
