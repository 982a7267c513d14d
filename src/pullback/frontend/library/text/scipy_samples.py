"""Comparisons of samples, of ``scipy.stats``, as plain Python that the front end compiles:
correlations, lines, tests, densities. What depends on the order of the numbers only is SciPy's own
value, whose derivative is 0."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text_helpers import unsupported


class PearsonRResult(NamedTuple):
    """What ``pearsonr`` gives."""

    statistic: Any
    pvalue: Any

    @property
    def correlation(self) -> Any:
        """The other name."""
        return self.statistic


class SignificanceResult(NamedTuple):
    """What correlations of ranks give."""

    statistic: Any
    pvalue: Any

    @property
    def correlation(self) -> Any:
        """The other name."""
        return self.statistic


class ConfidenceInterval(NamedTuple):
    """Where the mean lies, or the difference of means."""

    low: Any
    high: Any


class TtestResult(tuple[Any, ...]):
    """What the tests of means give: two numbers, and the degrees of freedom."""

    _df: Any
    _alternative: str
    _error: Any
    _estimate: Any

    def __new__(cls, statistic: Any, pvalue: Any, df: Any, alternative: str,
                error: Any, estimate: Any) -> TtestResult:  # fmt: skip
        self = tuple.__new__(cls, (statistic, pvalue))
        self._df, self._alternative = df, alternative
        self._error, self._estimate = error, estimate
        return self

    @property
    def statistic(self) -> Any:
        """The distance in standard errors."""
        return self[0]

    @property
    def pvalue(self) -> Any:
        """How likely a statistic like this one is by chance."""
        return self[1]

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self._df

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return where the mean lies with this probability."""
        if confidence_level < 0.0 or confidence_level > 1.0:
            raise ValueError("`confidence_level` must be a number between 0 and 1.")
        two = self._alternative == "two-sided"
        tail = (1.0 - confidence_level) / 2.0 if two else 1.0 - confidence_level
        half = -scipy.special.stdtrit(self._df, tail) * self._error
        low, high = self._estimate - half, self._estimate + half
        if self._alternative == "less":
            low = low * 0.0 - np.inf
        if self._alternative == "greater":
            high = high * 0.0 + np.inf
        return ConfidenceInterval(low, high)

    def __repr__(self) -> str:
        return f"TtestResult(statistic={self[0]!r}, pvalue={self[1]!r}, df={self._df!r})"


class Ttest_indResult(NamedTuple):
    """What ``ttest_ind_from_stats`` gives."""

    statistic: Any
    pvalue: Any


class F_onewayResult(NamedTuple):
    """What ``f_oneway`` gives."""

    statistic: Any
    pvalue: Any


class LinregressResult(tuple[Any, ...]):
    """What ``linregress`` gives: five numbers, and the error of the intercept."""

    _intercept_stderr: Any

    def __new__(cls, slope: Any, intercept: Any, rvalue: Any, pvalue: Any, stderr: Any, *,
                intercept_stderr: Any) -> LinregressResult:  # fmt: skip
        self = tuple.__new__(cls, (slope, intercept, rvalue, pvalue, stderr))
        self._intercept_stderr = intercept_stderr
        return self

    @property
    def slope(self) -> Any:
        """The slope of the line."""
        return self[0]

    @property
    def intercept(self) -> Any:
        """Where the line is at 0."""
        return self[1]

    @property
    def rvalue(self) -> Any:
        """The correlation."""
        return self[2]

    @property
    def pvalue(self) -> Any:
        """How likely a slope like this one is by chance."""
        return self[3]

    @property
    def stderr(self) -> Any:
        """The standard error of the slope."""
        return self[4]

    @property
    def intercept_stderr(self) -> Any:
        """The standard error of the intercept."""
        return self._intercept_stderr

    def __repr__(self) -> str:
        line = f"slope={self[0]!r}, intercept={self[1]!r}, rvalue={self[2]!r}, pvalue={self[3]!r}"
        errors = f"stderr={self[4]!r}, intercept_stderr={self._intercept_stderr!r}"
        return f"LinregressResult({line}, {errors})"


def _vector(a: Any) -> Vector:
    x = np.asarray(a)
    if x.ndim != 1:
        unsupported("a sample of other than one axis", "a call for each of the samples")
    return x.astype(np.float64)


def _pair(x: Any, y: Any) -> tuple[Vector, Vector]:
    a, b = _vector(x), _vector(y)
    if len(a) != len(b):
        raise ValueError("`x` and `y` must be broadcastable.")
    return a, b


def _side(below: Any, above: Any, alternative: str) -> Any:
    """Return the probability of what is as far away, of those below and above."""
    if alternative == "less":
        return below
    if alternative == "greater":
        return above
    if alternative != "two-sided":
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    return 2.0 * np.minimum(below, above)


def _by_student(t: Any, df: Any, alternative: str) -> Any:
    return _side(scipy.special.stdtr(df, t), scipy.special.stdtr(df, -t), alternative)


# --- correlations ---------------------------------------------------------------------------------


def pearsonr(x: Vector, y: Vector, *, alternative: str = "two-sided",
             method: None = None) -> PearsonRResult:  # fmt: skip
    """Return the correlation, and how likely one as far from 0 is by chance."""
    a, b = _pair(x, y)
    n = len(a)
    if n < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    if np.all(a == a[0]) or np.all(b == b[0]):
        nothing = np.sum(a + b) * np.nan
        return PearsonRResult(nothing, nothing)
    u, v = a - np.mean(a), b - np.mean(b)
    r = np.dot(u / np.sqrt(np.dot(u, u)), v / np.sqrt(np.dot(v, v)))
    if n == 2:
        r = np.round(r)
        one = 1.0 + 0.0 * r
        return PearsonRResult(r, one if alternative == "two-sided" else _side(
            (1.0 + r) / 2.0, (1.0 - r) / 2.0, alternative))  # fmt: skip
    r = np.where(r > 1.0, 1.0, np.where(r < -1.0, -1.0, r))
    half = n / 2.0 - 1.0
    below, above = (1.0 + r) / 2.0, (1.0 - r) / 2.0
    return PearsonRResult(r, _side(
        scipy.special.betainc(half, half, below), scipy.special.betainc(half, half, above),
        alternative,
    ))  # fmt: skip


_SIDES = {"two-sided": 0, "less": 1, "greater": 2}


def _ranked(name: str, x: Any, y: Any, alternative: str) -> tuple[Any, Any]:
    a, b = np.ravel(np.asarray(x)), np.ravel(np.asarray(y))
    if alternative not in _SIDES:
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    parts = np.concatenate((a.astype(np.float64), b.astype(np.float64)))
    found = library_value(name, parts, (len(a), _SIDES[alternative]), 2)
    return found[0], found[1]


def spearmanr(a: Vector, b: Vector, *, alternative: str = "two-sided") -> SignificanceResult:
    """Return the correlation of the ranks."""
    x, y = _pair(a, b)
    statistic, pvalue = _ranked("spearmanr", x, y, alternative)
    return SignificanceResult(statistic, pvalue)


def kendalltau(x: Vector, y: Vector, *, alternative: str = "two-sided") -> SignificanceResult:
    a, b = np.ravel(np.asarray(x)), np.ravel(np.asarray(y))
    if len(a) != len(b):
        raise ValueError("Array shapes are incompatible for broadcasting.")
    statistic, pvalue = _ranked("kendalltau", a, b, alternative)
    return SignificanceResult(statistic, pvalue)


def linregress(x: Vector, y: Vector, alternative: str = "two-sided") -> LinregressResult:
    """Return the line of least squares."""
    a, b = _vector(x), _vector(y)
    n = len(a)
    if n == 0 or len(b) == 0:
        raise ValueError("Inputs must not be empty.")
    if len(a) != len(b):
        raise ValueError("all the input array dimensions except for the concatenation axis must "
                         "match exactly")  # fmt: skip
    if n == 1 or np.all(a == a[0]):
        raise ValueError("Cannot calculate a linear regression if all x values are identical")
    center, middle = np.mean(a), np.mean(b)
    u, v = a - center, b - middle
    xx, xy, yy = np.dot(u, u) / n, np.dot(u, v) / n, np.dot(v, v) / n
    slope = xy / xx
    intercept = middle - slope * center
    if yy == 0.0:
        r = 0.0 * slope
    else:
        r = xy / np.sqrt(xx * yy)
        r = np.where(r > 1.0, 1.0, np.where(r < -1.0, -1.0, r))
    if n == 2:
        p = (1.0 if b[0] == b[1] else 0.0) + 0.0 * r
        return LinregressResult(slope, intercept, r, p, 0.0 * r, intercept_stderr=0.0 * r)
    df = n - 2
    t = r * np.sqrt(df / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
    error = np.sqrt((1.0 - r * r) * yy / xx / df)
    return LinregressResult(
        slope, intercept, r, _by_student(t, df, alternative), error,
        intercept_stderr=error * np.sqrt(xx + center * center),
    )  # fmt: skip


def _free(df: Any, t: Any) -> Any:
    """Return the degrees of freedom, in the shape of the statistic."""
    return df if np.ndim(t) == 0 else df + np.zeros_like(t).astype(np.asarray(df).dtype)


# --- tests ----------------------------------------------------------------------------------------


def ttest_1samp(a: Array, popmean: Any, axis: Any = 0, nan_policy: str = "propagate",
                alternative: str = "two-sided") -> TtestResult:  # fmt: skip
    """Whether the mean is that of the population."""
    if nan_policy != "propagate":
        unsupported("nan_policy other than propagate", "take the numbers that are not NaN")
    x, along = np.asarray(a), 0 if axis is None else axis
    x = np.ravel(x) if axis is None else x
    n = x.shape[along]
    mean, error = np.mean(x, axis=along), np.sqrt(np.var(x, axis=along, ddof=1) / n)
    t, df = (mean - popmean) / error, n - 1.0
    p = _by_student(t, df, alternative)
    return TtestResult(t, p, _free(np.int64(n - 1), t), alternative, error, mean)


def ttest_rel(a: Array, b: Array, axis: Any = 0, nan_policy: str = "propagate",
              alternative: str = "two-sided") -> TtestResult:  # fmt: skip
    """Whether the means of pairs are the same."""
    x, y = np.asarray(a), np.asarray(b)
    if x.shape[0] != y.shape[0]:
        raise ValueError("Array shapes are incompatible for broadcasting.")
    return ttest_1samp(x - y, 0.0, axis, nan_policy, alternative)


def ttest_ind(a: Array, b: Array, *, axis: Any = 0, equal_var: bool = True,
              nan_policy: str = "propagate",
              alternative: str = "two-sided") -> TtestResult:  # fmt: skip
    """Whether the means of two samples are the same."""
    if nan_policy != "propagate":
        unsupported("nan_policy other than propagate", "take the numbers that are not NaN")
    x, y, along = np.asarray(a), np.asarray(b), 0 if axis is None else axis
    x, y = (np.ravel(x), np.ravel(y)) if axis is None else (x, y)
    n, m = x.shape[along], y.shape[along]
    u, v = np.var(x, axis=along, ddof=1), np.var(y, axis=along, ddof=1)
    d = np.mean(x, axis=along) - np.mean(y, axis=along)
    if equal_var:
        df = np.float64(n + m - 2.0)
        error = np.sqrt(((n - 1) * u + (m - 1) * v) / df * (1.0 / n + 1.0 / m))
        t = d / error
        return TtestResult(t, _by_student(t, df, alternative), _free(df, t), alternative, error, d)
    p, q = u / n, v / m
    error, df = np.sqrt(p + q), (p + q) ** 2 / (p * p / (n - 1) + q * q / (m - 1))
    t = d / error
    return TtestResult(t, _by_student(t, df, alternative), _free(df, t), alternative, error, d)


def f_oneway(*samples: Vector) -> F_onewayResult:
    """Whether the means of several samples are the same."""
    parts = tuple(_vector(s) for s in samples)
    if len(parts) < 2:
        raise TypeError(f"at least two inputs are required; got {len(parts)}.")
    whole = np.concatenate(parts)
    n, k, center = len(whole), len(parts), np.mean(whole)
    between, within = 0.0, 0.0
    for s in parts:
        m = np.mean(s)
        between = between + len(s) * (m - center) ** 2
        within = within + np.sum((s - m) ** 2)
    f = (between / (k - 1)) / (within / (n - k))
    return F_onewayResult(f, scipy.special.fdtrc(k - 1.0, float(n - k), f))


# --- transformations ------------------------------------------------------------------------------


def boxcox_llf(lmb: float, data: Array, *, axis: Any = 0) -> Any:
    """Return the logarithm of the likelihood of an exponent."""
    x = np.asarray(data)
    n = x.shape[axis]
    logs = np.log(x)
    spread = np.log(np.var(scipy.special.boxcox(x, lmb), axis=axis))
    return (lmb - 1.0) * np.sum(logs, axis=axis) - n / 2.0 * spread


def wasserstein_distance(u_values: Vector, v_values: Vector) -> Any:
    """Return the least way on which one sample becomes the other."""
    u, v = np.sort(_vector(u_values)), np.sort(_vector(v_values))
    both = np.sort(np.concatenate((u, v)))
    p = np.searchsorted(u, both[:-1], side="right") / len(u)
    q = np.searchsorted(v, both[:-1], side="right") / len(v)
    return np.sum(np.abs(p - q) * np.diff(both))


# --- densities ------------------------------------------------------------------------------------


_FLAT = (
    "The data appears to lie in a lower-dimensional subspace of the space in which it is "
    "expressed. This has resulted in a singular data covariance matrix, which cannot be treated "
    "using the algorithms implemented in `gaussian_kde`. Consider performing principal component "
    "analysis / dimensionality reduction and using `gaussian_kde` with the transformed data."
)


class _Density:
    """A mixture of normal densities around the points of a sample."""

    def __init__(self, dataset: Any, bw_method: Any, weights: Any) -> None:
        self.dataset = np.atleast_2d(np.asarray(dataset)).astype(np.float64)
        self.d, self.n = self.dataset.shape
        if self.d * self.n <= 1:
            raise ValueError("`dataset` input should have multiple elements.")
        if weights is None:
            self.weights = np.ones(self.n) / self.n
        else:
            w = np.asarray(weights).astype(np.float64)
            if len(w) != self.n:
                raise ValueError("`weights` input should be of length n")
            self.weights = w / np.sum(w)
        self.neff = 1.0 / np.sum(self.weights**2)
        if bw_method is None or (isinstance(bw_method, str) and bw_method == "scott"):
            self.factor = self.neff ** (-1.0 / (self.d + 4))
        elif isinstance(bw_method, str):
            if bw_method != "silverman":
                raise ValueError(
                    "`bw_method` should be 'scott', 'silverman', a scalar or a callable."
                )
            self.factor = (self.neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4))
        elif callable(bw_method):
            self.factor = bw_method(self)
        else:
            self.factor = 1.0 * bw_method
        mean = np.sum(self.dataset * self.weights, axis=1)
        far = self.dataset - mean[:, None]
        spread = (far * self.weights) @ far.T / (1.0 - np.sum(self.weights**2))
        self.covariance = spread * self.factor**2
        try:
            self.cho_cov = np.linalg.cholesky(self.covariance)
        except np.linalg.LinAlgError:
            raise np.linalg.LinAlgError(_FLAT) from None

    def _exponents(self, points: Any) -> tuple[Matrix, float]:
        """Return minus half the squared distance of each point from each of the sample."""
        places = np.atleast_2d(np.asarray(points)).astype(np.float64)
        if places.shape[0] != self.d:
            if places.shape[0] != 1 or places.shape[1] != self.d:
                raise ValueError(
                    f"points have dimension {places.shape[0]}, dataset has dimension {self.d}"
                )
            places = np.reshape(places, (self.d, 1))
        a = np.linalg.solve(self.cho_cov, self.dataset)
        b = np.linalg.solve(self.cho_cov, places)
        far = np.sum((b[:, :, None] - a[:, None, :]) ** 2, axis=0)
        size = np.sum(np.log(np.diag(self.cho_cov))) + self.d * 0.5 * math.log(2.0 * math.pi)
        return -0.5 * far, size

    def evaluate(self, points: Any) -> Vector:
        """The density at points."""
        exponents, size = self._exponents(points)
        return np.exp(exponents) @ self.weights * np.exp(-size)

    def __call__(self, points: Any) -> Vector:
        return self.evaluate(points)

    def pdf(self, x: Any) -> Vector:
        """The density at points."""
        return self.evaluate(x)

    def logpdf(self, x: Any) -> Vector:
        """The logarithm of the density at points."""
        exponents, size = self._exponents(x)
        return scipy.special.logsumexp(exponents, b=self.weights[None, :], axis=1) - size

    def integrate_box_1d(self, low: float, high: float) -> Any:
        """The probability of an interval."""
        if self.d != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        wide = np.sqrt(self.covariance[0, 0])
        a, b = (low - self.dataset[0]) / wide, (high - self.dataset[0]) / wide
        return np.sum(self.weights * (scipy.special.ndtr(b) - scipy.special.ndtr(a)))


def gaussian_kde(dataset: Any, bw_method: Any = None, weights: Any = None) -> _Density:
    """Return the estimate of a density by kernels."""
    return _Density(dataset, bw_method, weights)
