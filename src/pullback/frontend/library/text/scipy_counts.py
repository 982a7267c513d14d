"""Counts, shares and bins of samples, of ``scipy.stats``, as plain Python that the front end
compiles. Tests of counts are sums of the probabilities of all tables or numbers that are as
unlikely as those that were seen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.scipy_samples import SignificanceResult, pearsonr
from pullback.frontend.library.text_helpers import unsupported


class BinnedStatisticResult(NamedTuple):
    """What ``binned_statistic`` gives."""

    statistic: Any
    bin_edges: Any
    binnumber: Any


class BinomTestResult:
    """What ``binomtest`` gives."""

    def __init__(self, k: int, n: int, alternative: str, statistic: float, pvalue: Any) -> None:
        self.k = k
        self.n = n
        self.alternative = alternative
        self.statistic = statistic
        self.pvalue = pvalue


def false_discovery_control(ps: Array, *, axis: Any = 0, method: str = "bh") -> Array:
    given = np.asarray(ps) * 1.0
    if not np.all((given >= 0.0) & (given <= 1.0)):
        raise ValueError("`ps` must include only numbers between 0 and 1.")
    if method not in ("bh", "by"):
        raise ValueError(f"Unrecognized `method` '{method}'.Method must be one of {{'bh', 'by'}}.")
    if given.ndim != 1:
        unsupported("false_discovery_control of other than a vector", "a call for each row")
    m = len(given)
    if m <= 1:
        return given
    order, ranks = np.argsort(given), np.arange(1, m + 1) * 1.0
    found = given[order] * (m / ranks)
    if method == "by":
        found = found * np.sum(1.0 / ranks)
    least = np.minimum.accumulate(found[::-1])[::-1]
    return np.clip(least[np.argsort(order)], 0.0, 1.0)


def pointbiserialr(x: Vector, y: Vector) -> SignificanceResult:
    r, p = pearsonr(np.asarray(x) * 1.0, y)
    return SignificanceResult(r, p)


def binomtest(k: int, n: int, p: Any = 0.5, alternative: str = "two-sided") -> BinomTestResult:
    if k < 0:
        raise ValueError("k must be an integer not less than 0")
    if k > n:
        raise ValueError(f"k ({k}) must not be greater than n ({n}).")
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p ({p}) must be in range [0,1]")
    if alternative == "less":
        return BinomTestResult(k, n, alternative, k / n, scipy.stats.binom.cdf(k, n, p))
    if alternative == "greater":
        return BinomTestResult(k, n, alternative, k / n, scipy.stats.binom.sf(k - 1, n, p))
    if alternative != "two-sided":
        raise ValueError(
            f"alternative ('{alternative}') not recognized; \n"
            "must be 'two-sided', 'less' or 'greater'"
        )
    chances = scipy.stats.binom.pmf(np.arange(n + 1), n, p)
    limit = chances[k] * (1.0 + 1e-7)
    total = np.sum(np.where(chances <= limit, chances, 0.0))
    return BinomTestResult(k, n, alternative, k / n, min(1.0, total))


def fisher_exact(table: Any, alternative: Any = None, *,
                 method: None = None) -> SignificanceResult:  # fmt: skip
    c = np.asarray(table).astype(np.int64)
    side = "two-sided" if alternative is None else alternative
    if c.ndim != 2:
        unsupported("fisher_exact of other than a 2x2 table", "a table of two rows")
    if c.shape[0] != 2 or c.shape[1] != 2:
        raise NotImplementedError("fisher_exact of other than a 2x2 table")
    if np.any(c < 0):
        raise ValueError("All values in `table` must be nonnegative.")
    if np.any(np.sum(c, axis=0) == 0) or np.any(np.sum(c, axis=1) == 0):
        return SignificanceResult(np.nan, 1.0)
    odds = np.inf
    if c[1, 0] > 0 and c[0, 1] > 0:
        odds = c[0, 0] * c[1, 1] / (c[1, 0] * c[0, 1])
    first, second, column = c[0, 0] + c[0, 1], c[1, 0] + c[1, 1], c[0, 0] + c[1, 0]
    if side == "less":
        low = scipy.stats.hypergeom.cdf(c[0, 0], first + second, first, column)
        return SignificanceResult(odds, low)
    if side == "greater":
        other = c[0, 1] + c[1, 1]
        high = scipy.stats.hypergeom.cdf(c[0, 1], first + second, first, other)
        return SignificanceResult(odds, high)
    if side != "two-sided":
        raise ValueError("`alternative` should be one of {'two-sided', 'less', 'greater'}")
    chances = scipy.stats.hypergeom.pmf(np.arange(column + 1), first + second, first, column)
    limit = chances[c[0, 0]] * (1.0 + 1e-14)
    return SignificanceResult(odds, min(1.0, np.sum(np.where(chances <= limit, chances, 0.0))))


def binned_statistic(x: Vector, values: Any, statistic: str = "mean", bins: Any = 10,
                     range: Any = None) -> BinnedStatisticResult:  # fmt: skip
    places = np.asarray(x) * 1.0
    if np.ndim(bins) == 0:
        low, high = (np.min(places), np.max(places)) if range is None else (range[0], range[1])
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, bins + 1)
    else:
        edges = np.asarray(bins) * 1.0
    count = len(edges) - 1
    at = np.searchsorted(edges, places, side="right")
    at = np.where(places == edges[-1], count, at)
    v = np.asarray(places if values is None else values) * 1.0
    if v.ndim != 1:
        unsupported("binned_statistic of other than a vector of values", "a call for each of them")
    if len(v) != len(places):
        raise ValueError(
            "The number of `values` elements must match the length of each `sample` dimension."
        )
    found = np.zeros(count)
    for k in np.arange(count):
        inside = v[at == k + 1]
        found[k] = _of_bin(inside, statistic)
    return BinnedStatisticResult(found, edges, at)


def _of_bin(inside: Vector, statistic: str) -> Any:
    """Return the statistic of the values in a bin."""
    if statistic == "count":
        return 1.0 * len(inside)
    if statistic == "sum":
        return np.sum(inside)
    if statistic not in ("mean", "std", "median", "min", "max"):
        unsupported(f"binned_statistic by {statistic!r}", "a loop over the bins")
    if len(inside) == 0:
        return np.nan
    if statistic == "mean":
        return np.mean(inside)
    if statistic == "std":
        return np.std(inside)
    if statistic == "median":
        return np.median(inside)
    return np.min(inside) if statistic == "min" else np.max(inside)


class _Distribution:
    """An empirical distribution function, or what is left of 1."""

    def __init__(self, quantiles: Vector, probabilities: Vector, start: float) -> None:
        self.quantiles = quantiles
        self.probabilities = probabilities
        self._start = start

    def evaluate(self, x: Any) -> Any:
        """Return the share at x."""
        steps = np.concatenate((np.array([self._start]), self.probabilities))
        return steps[np.searchsorted(self.quantiles, x, side="right")]


class ECDFResult:
    """What ``ecdf`` gives."""

    def __init__(self, cdf: _Distribution, sf: _Distribution) -> None:
        self.cdf = cdf
        self.sf = sf


def ecdf(sample: Vector) -> ECDFResult:
    points = np.sort(np.asarray(sample) * 1.0)
    if points.ndim != 1:
        raise ValueError("`sample` must be a one-dimensional sequence.")
    n = len(points)
    last = np.concatenate((points[1:] != points[:-1], np.array([True])))
    shares = (np.arange(1, n + 1) / n)[last]
    quantiles = points[last]
    return ECDFResult(
        _Distribution(quantiles, shares, 0.0), _Distribution(quantiles, 1.0 - shares, 1.0)
    )
