"""Tests of counts, robust lines, distances of samples and transformations, of ``scipy.stats``, as
plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.solutions import constant, least_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.scipy_samples import Ttest_indResult, _by_student
from pullback.frontend.library.text.solver_answers import packed, told


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
) -> Ttest_indResult:  # fmt: skip
    """Whether the means of two samples are the same, of which means and deviations are known."""
    u, v = np.asarray(std1) ** 2, np.asarray(std2) ** 2
    n, m = 1.0 * nobs1, 1.0 * nobs2
    d = np.asarray(mean1) - mean2
    if equal_var:
        df = n + m - 2.0
        t = d / np.sqrt(((n - 1.0) * u + (m - 1.0) * v) / df * (1.0 / n + 1.0 / m))
        return Ttest_indResult(t, _by_student(t, df, alternative))
    p, q = u / n, v / m
    t, df = d / np.sqrt(p + q), (p + q) ** 2 / (p * p / (n - 1.0) + q * q / (m - 1.0))
    return Ttest_indResult(t, _by_student(t, df, alternative))


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


class TheilslopesResult(NamedTuple):
    """What ``theilslopes`` gives."""

    slope: Any
    intercept: Any
    low_slope: Any
    high_slope: Any


class SiegelslopesResult(NamedTuple):
    """What ``siegelslopes`` gives."""

    slope: Any
    intercept: Any


def _places(y: Vector, x: Any) -> Vector:
    places = np.arange(len(y)) * 1.0 if x is None else np.ravel(np.asarray(x)) * 1.0
    if len(places) != len(y):
        raise ValueError("Array shapes are incompatible for broadcasting.")
    if len(places) < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    return places


def _ties(x: Vector) -> float:
    """Return the sum of k (k - 1) (2 k + 5) over numbers that stand there k times."""
    ordered, total, k = np.sort(x), 0.0, 1.0
    for j in range(1, len(ordered)):
        k = k + 1.0 if ordered[j] == ordered[j - 1] else 1.0
        if k > 1.0:
            before = k - 1.0
            total += k * before * (2.0 * k + 5.0) - before * (before - 1.0) * (2.0 * before + 5.0)
    return total


def theilslopes(y: Vector, x: Any = None, alpha: float = 0.95,
                method: str = "separate") -> TheilslopesResult:  # fmt: skip
    """Return the line whose slope is the median of those between two points."""
    if method not in ("joint", "separate"):
        raise ValueError(f"method must be either 'joint' or 'separate'.'{method}' is invalid.")
    values = np.ravel(np.asarray(y)) * 1.0
    places = _places(values, x)
    width, height = places[:, None] - places, values[:, None] - values
    there = width > 0.0
    slopes = np.sort(height[there] / width[there])
    if len(slopes) == 0:
        raise NotImplementedError("theilslopes of points at one place")
    slope = np.median(slopes)
    if method == "joint":
        intercept = np.median(values - slope * places)
    else:
        intercept = np.median(values) - slope * np.median(places)
    z = scipy.stats.norm.ppf(min(alpha, 1.0 - alpha) / 2.0)
    n, count = len(values), len(slopes)
    square = (n * (n - 1) * (2 * n + 5) - _ties(places) - _ties(values)) / 18.0
    if square < 0.0:  # all values are the same
        return TheilslopesResult(slope, intercept, slope * np.nan, slope * np.nan)
    spread = z * np.sqrt(square)
    high = min(int(np.round((count - spread) / 2.0)), count - 1)
    low = max(int(np.round((count + spread) / 2.0)) - 1, 0)
    return TheilslopesResult(slope, intercept, slopes[low], slopes[high])


def siegelslopes(y: Vector, x: Any = None, method: str = "hierarchical") -> SiegelslopesResult:
    """Return the line whose slope is the median of the medians of those through each point."""
    if method not in ("hierarchical", "separate"):
        raise ValueError("method can only be 'hierarchical' or 'separate'")
    values = np.ravel(np.asarray(y)) * 1.0
    places = _places(values, x)
    n = len(values)
    if n > 0 and np.max(places) == np.min(places):
        raise NotImplementedError("siegelslopes of points at one place")
    slopes, cuts = np.zeros(n), np.zeros(n)
    for j in range(n):
        width = places - places[j]
        there = width != 0.0
        slopes[j] = np.median((values - values[j])[there] / width[there])
        if method == "separate":
            cut = values * places[j] - values[j] * places
            cuts[j] = np.median(cut[there] / -width[there])
    slope = np.median(slopes)
    if method == "separate":
        return SiegelslopesResult(slope, np.median(cuts))
    return SiegelslopesResult(slope, np.median(values - slope * places))


def _exponent(name: str, x: Vector, loss: Any, method: Any = None) -> Any:
    """Return the best exponent, which SciPy finds."""
    at = told(described("exponent", name, method), constant(packed([x])))[0]
    return least_of(loss, at, 1e-5 * (1.0 + abs(at)))


def boxcox_normmax(x: Vector, brack: None = None, method: str = "pearsonr", *,
                   optimizer: None = None) -> Any:  # fmt: skip
    if method not in ("mle", "pearsonr", "all"):
        raise ValueError(f"Method {method} not recognized.")
    data = np.asarray(x) * 1.0
    if not np.all(np.isfinite(data) & (data >= 0.0)):
        raise ValueError("The `x` argument of `boxcox_normmax` must contain only positive, finite, "
                         "real numbers.")  # fmt: skip
    if method == "all":
        return np.stack((_straightest(data), boxcox_normmax(data, method="mle")))
    if method == "pearsonr":
        return _straightest(data)
    return _exponent(
        "boxcox_normmax", data, lambda c: -scipy.stats.boxcox_llf(c, data), "mle"
    )


def _straightest(data: Vector) -> Any:
    """Return the exponent with which the sorted numbers are nearest to a line over the medians of
    those of a normal distribution (J. J. Filliben, 1975)."""
    n = len(data)
    last = 0.5 ** (1.0 / n)
    shares = (np.arange(1, n + 1) - 0.3175) / (n + 0.365)
    shares[0], shares[-1] = 1.0 - last, last
    places = scipy.special.ndtri(shares)
    off = places - np.mean(places)

    def loss(c: Any) -> Any:
        y = np.sort(scipy.special.boxcox(data, c))
        z = y - np.mean(y)
        return 1.0 - (off @ z) / np.sqrt((off @ off) * (z @ z))

    return _exponent("boxcox_normmax", data, loss, "pearsonr")


def boxcox(x: Array, lmbda: Any = None, alpha: None = None, optimizer: None = None) -> Any:
    if lmbda is not None:
        return scipy.special.boxcox(np.asarray(x), lmbda)
    data = np.asarray(x) * 1.0
    if data.ndim != 1:
        raise ValueError("Data must be 1-dimensional.")
    if np.all(data == data[0]):
        raise ValueError("Data must not be constant.")
    if np.any(data <= 0.0):
        raise ValueError("Data must be positive.")
    c = boxcox_normmax(data, method="mle")
    return scipy.special.boxcox(data, c), c


def yeojohnson_normmax(x: Vector, brack: None = None) -> Any:
    data = np.asarray(x) * 1.0
    if not np.all(np.isfinite(data)):
        raise ValueError("Yeo-Johnson input must be finite.")
    return _exponent("yeojohnson_normmax", data, lambda c: -yeojohnson_llf(c, data))


def yeojohnson(x: Array, lmbda: Any = None) -> Any:
    """Return Box and Cox's transformation of numbers of both signs."""
    data = np.asarray(x) * 1.0
    if lmbda is not None:
        return _of_both_signs(data, lmbda)
    if np.all(data == data[0]):
        raise NotImplementedError("yeojohnson of numbers that are all the same")
    c = yeojohnson_normmax(data)
    return _of_both_signs(data, c), c


def _of_both_signs(a: Array, lmbda: Any) -> Array:
    above = a >= 0.0
    first = scipy.special.boxcox1p(np.where(above, a, 0.0), lmbda)
    other = -scipy.special.boxcox1p(np.where(above, 0.0, -a), 2.0 - lmbda)
    return np.where(above, first, other)


def yeojohnson_llf(lmb: Any, data: Array) -> Any:
    """Return the logarithm of the likelihood of an exponent."""
    x = np.asarray(data) * 1.0
    n = x.shape[0]
    spread = np.log(np.var(_of_both_signs(x, lmb), axis=0))
    return -n / 2.0 * spread + (lmb - 1.0) * np.sum(np.sign(x) * np.log1p(np.abs(x)), axis=0)
