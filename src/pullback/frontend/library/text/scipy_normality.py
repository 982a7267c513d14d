"""Tests of whether a sample is normal, and of tables of counts, of ``scipy.stats``, as plain Python
that the front end compiles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.scipy_samples import SignificanceResult, _side
from pullback.frontend.library.text_helpers import unsupported


class ShapiroResult(NamedTuple):
    """What ``shapiro`` gives."""

    statistic: Any
    pvalue: Any


class SkewtestResult(NamedTuple):
    """What ``skewtest`` gives."""

    statistic: Any
    pvalue: Any


class KurtosistestResult(NamedTuple):
    """What ``kurtosistest`` gives."""

    statistic: Any
    pvalue: Any


class NormaltestResult(NamedTuple):
    """What ``normaltest`` gives."""

    statistic: Any
    pvalue: Any


class Chi2ContingencyResult(NamedTuple):
    """What ``chi2_contingency`` gives."""

    statistic: Any
    pvalue: Any
    dof: int
    expected_freq: Any


# --- Shapiro's and Wilk's test --------------------------------------------------------------------


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    total = 0.0
    for c in coefficients[::-1]:
        total = total * x + c
    return total


def _weights(n: int) -> Vector:
    """Return Royston's weights of sorted numbers (1995): those of the medians of normal ones, of
    which the outer ones are corrected."""
    if n == 3:
        return np.array([-np.sqrt(0.5), 0.0, np.sqrt(0.5)])
    m = scipy.special.ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    square, r = np.sum(m * m), 1.0 / np.sqrt(float(n))
    size = np.sqrt(square)
    last = m[-1] / size + _polynomial(
        (0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056), r
    )
    made = np.zeros(n)
    if n > 5:
        second = m[-2] / size + _polynomial(
            (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633), r
        )
        rest = (square - 2.0 * m[-1] ** 2 - 2.0 * m[-2] ** 2) / (
            1.0 - 2.0 * last**2 - 2.0 * second**2)  # fmt: skip
        made = made + m / np.sqrt(rest)
        made[1], made[-2] = -second, second
    else:
        made = made + m / np.sqrt((square - 2.0 * m[-1] ** 2) / (1.0 - 2.0 * last**2))
    made[0], made[-1] = -last, last
    return made


def shapiro(x: Array) -> ShapiroResult:
    """Return how straight sorted numbers lie over those of a normal distribution."""
    a = np.sort(np.ravel(np.asarray(x)).astype(np.float64))
    n = len(a)
    if n < 3:
        raise NotImplementedError("shapiro of less than 3")
    off = a - np.mean(a)
    square = np.sum(off * off)
    w = np.dot(_weights(n), off) ** 2 / square
    if square == 0.0:
        return ShapiroResult(1.0 + 0.0 * a[0], 1.0 + 0.0 * a[0])
    if n == 3:
        at = np.maximum(w, 0.75)
        angle = np.arcsin(np.sqrt(at)) - np.arcsin(np.sqrt(0.75))
        return ShapiroResult(at, np.maximum(6.0 / np.pi * angle, 0.0))
    y, size = np.log1p(-w), np.log(float(n))
    if n <= 11:
        most = -2.273 + 0.459 * n
        if y >= most:
            return ShapiroResult(w, 1e-99 + 0.0 * w)
        y = -np.log(most - y)
        middle = _polynomial((0.544, -0.39978, 0.025054, -6.714e-4), float(n))
        spread = np.exp(_polynomial((1.3822, -0.77857, 0.062767, -0.0020322), float(n)))
    else:
        middle = _polynomial((-1.5861, -0.31082, -0.083751, 0.0038915), size)
        spread = np.exp(_polynomial((-0.4803, -0.082676, 0.0030302), size))
    return ShapiroResult(w, scipy.special.ndtr((middle - y) / spread))


# --- by skewness and kurtosis ---------------------------------------------------------------------


def _by_normal(z: Any, alternative: str) -> Any:
    return _side(scipy.special.ndtr(z), scipy.special.ndtr(-z), alternative)


def _of_floats(a: Array, nan_policy: str) -> Array:
    if nan_policy != "propagate":
        unsupported("nan_policy other than propagate", "take the numbers that are not NaN")
    return np.asarray(a) * 1.0


def skewtest(a: Array, axis: Any = 0, nan_policy: str = "propagate",
             alternative: str = "two-sided") -> SkewtestResult:  # fmt: skip
    """Return whether the skewness is that of a normal distribution (D'Agostino, 1970)."""
    x, along = _of_floats(a, nan_policy), 0 if axis is None else axis
    x = np.ravel(x) if axis is None else x
    count = x.shape[along]
    n = float(count) if count >= 8 else np.nan
    y: Any = scipy.stats.skew(x, axis=along) * np.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    wide = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / (
        (n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))  # fmt: skip
    square = np.sqrt(2.0 * (wide - 1.0)) - 1.0
    alpha = np.sqrt(2.0 / (square - 1.0))
    ratio = np.where(y == 0.0, 1.0, y) / alpha
    z = np.log(ratio + np.sqrt(ratio * ratio + 1.0)) / np.sqrt(0.5 * np.log(square))
    return SkewtestResult(z, _by_normal(z, alternative))


def kurtosistest(a: Array, axis: Any = 0, nan_policy: str = "propagate",
                 alternative: str = "two-sided") -> KurtosistestResult:  # fmt: skip
    """Return whether the kurtosis is that of a normal distribution (Anscombe and Glynn, 1983)."""
    x, along = _of_floats(a, nan_policy), 0 if axis is None else axis
    x = np.ravel(x) if axis is None else x
    count = x.shape[along]
    n = float(count) if count >= 5 else np.nan
    middle = 3.0 * (n - 1.0) / (n + 1.0)
    spread = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) ** 2 * (n + 3.0) * (n + 5.0))
    y = (scipy.stats.kurtosis(x, axis=along, fisher=False) - middle) / np.sqrt(spread)
    skewed = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0)) * np.sqrt(
        6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))  # fmt: skip
    free = 6.0 + 8.0 / skewed * (2.0 / skewed + np.sqrt(1.0 + 4.0 / skewed**2))
    below = 1.0 + y * np.sqrt(2.0 / (free - 4.0))
    root = np.sign(below) * ((1.0 - 2.0 / free) / np.abs(below)) ** (1.0 / 3.0)
    z = (1.0 - 2.0 / (9.0 * free) - root) / np.sqrt(2.0 / (9.0 * free))
    return KurtosistestResult(z, _by_normal(z, alternative))


def normaltest(a: Array, axis: Any = 0, nan_policy: str = "propagate") -> NormaltestResult:
    """Return whether skewness and kurtosis are those of a normal distribution."""
    s = skewtest(a, axis, nan_policy)
    k = kurtosistest(a, axis, nan_policy)
    whole = s.statistic**2 + k.statistic**2
    return NormaltestResult(whole, scipy.special.chdtrc(2.0, whole))


# --- tables of counts -----------------------------------------------------------------------------


def chi2_contingency(observed: Array, correction: bool = True,
                     lambda_: Any = None) -> Chi2ContingencyResult:  # fmt: skip
    """Return whether the rows and columns of a table of counts depend on each other."""
    seen = np.asarray(observed) * 1.0
    if seen.ndim != 2:
        unsupported("a table of other than two axes", "scipy.stats.power_divergence")
    if np.any(seen < 0.0):
        raise ValueError("All values in `observed` must be nonnegative.")
    if seen.size == 0:
        raise ValueError("No data; `observed` has size 0.")
    wanted = np.sum(seen, axis=1)[:, None] * np.sum(seen, axis=0) / np.sum(seen)
    n, m = seen.shape
    free = (n - 1) * (m - 1)
    if free == 0:
        nothing = 0.0 * np.sum(seen)
        return Chi2ContingencyResult(nothing, 1.0 + nothing, free, wanted)
    if free == 1 and correction:
        off = wanted - seen
        seen = seen + np.minimum(0.5, np.abs(off)) * np.sign(off)
    found: Any = scipy.stats.power_divergence(
        np.ravel(seen), np.ravel(wanted), n * m - 1 - free, 0, lambda_
    )
    return Chi2ContingencyResult(found.statistic, found.pvalue, free, wanted)


def combine_pvalues(pvalues: Vector, method: str = "fisher",
                    weights: Any = None) -> SignificanceResult:  # fmt: skip
    """Return what the probabilities of several tests say together."""
    p = np.ravel(np.asarray(pvalues)) * 1.0
    n = len(p)
    if method == "fisher":
        whole = -2.0 * np.sum(np.log(p))
        return SignificanceResult(whole, scipy.special.chdtrc(2.0 * n, whole))
    if method != "stouffer":
        unsupported("combine_pvalues by this method", 'method="fisher" or method="stouffer"')
    w = np.ones(n) if weights is None else np.asarray(weights) * 1.0
    z = np.dot(w, -scipy.special.ndtri(p)) / np.sqrt(np.dot(w, w))
    return SignificanceResult(z, scipy.special.ndtr(-z))
