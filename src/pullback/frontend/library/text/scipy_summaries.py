"""Summaries of samples, of ``scipy.stats``, as plain Python that the front end compiles.

Along an axis, the first one if none is named. A NaN among the numbers is one in the result, or is
left out of a vector (``nan_policy="omit"``)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import unsupported


class DescribeResult(NamedTuple):
    """What ``describe`` gives."""

    nobs: Any
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


class ModeResult(NamedTuple):
    """What ``mode`` gives."""

    mode: Any
    count: Any


def _floats(a: Any, axis: Any, nan_policy: str = "propagate") -> Array:
    """Return the numbers as floats: as one vector, if there is no axis."""
    x = np.asarray(a)
    if x.ndim == 0:
        unsupported("a summary of one number", "make it an array")
    if x.dtype != np.float64 and x.dtype != np.float32:
        x = x.astype(np.float64)
    items = np.ravel(x) if axis is None else x
    if nan_policy == "propagate":
        return items
    if nan_policy == "raise":
        if np.any(np.isnan(items)):
            raise ValueError("The input contains nan values")
        return items
    if nan_policy != "omit":
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    if items.ndim > 1:
        unsupported('nan_policy="omit" along an axis', "a comprehension over the rows")
    return items[~np.isnan(items)]


def _unless(bad: Any, like: Array) -> Array:
    """Return a factor 1, which is NaN, and makes derivatives NaN, where something is bad."""
    return np.where(bad, np.nan, np.ones_like(like))


def zmap(scores: Array, compare: Array, axis: Any = 0, ddof: int = 0,
         nan_policy: str = "propagate") -> Array:  # fmt: skip
    """Return how many standard deviations of ``compare`` the scores lie above its mean."""
    x, along = _floats(compare, axis, nan_policy), 0 if axis is None else axis
    y = np.asarray(scores)
    if axis is None:
        center, wide = np.mean(x), np.std(x, ddof=ddof)
    else:
        center = np.mean(x, axis=along, keepdims=True)
        wide = np.std(x, axis=along, ddof=ddof, keepdims=True)
    eps = 2.0**-23 if x.dtype == np.float32 else 2.0**-52
    equal = wide <= np.abs(eps * center)
    return _unless(equal, wide) * ((y - center) / np.where(equal, 1.0, wide))


def zscore(a: Array, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Array:
    return zmap(a, a, axis, ddof, nan_policy)


def gzscore(a: Array, *, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Array:
    return zscore(np.log(np.asarray(a)), axis, ddof, nan_policy)


def entropy(pk: Array, qk: Any = None, base: Any = None, axis: Any = 0, *,
            nan_policy: str = "propagate", keepdims: bool = False) -> Array:  # fmt: skip
    """Return the entropy of a distribution, or that relative to another one."""
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    p, along = _floats(pk, axis, nan_policy), 0 if axis is None else axis
    p = p / np.sum(p, axis=along, keepdims=True)
    if qk is None:
        terms = scipy.special.entr(p)
    else:
        q = _floats(qk, axis, nan_policy)
        if p.shape[along] != q.shape[along]:
            raise ValueError("Array shapes are incompatible for broadcasting.")
        terms = scipy.special.rel_entr(p, q / np.sum(q, axis=along, keepdims=True))
    found = np.sum(terms, axis=along, keepdims=keepdims)
    return found if base is None else found / np.log(base)


def _weighted(x: Array, weights: Any, axis: int, keepdims: bool) -> Array:
    if weights is None:
        return np.mean(x, axis=axis, keepdims=keepdims)
    w = np.asarray(weights)
    if w.ndim < x.ndim:
        unsupported("weights of fewer axes", "weights of the shape of the numbers")
    total = np.sum(w, axis=axis, keepdims=keepdims)
    return np.sum(x * w, axis=axis, keepdims=keepdims) / total


def gmean(a: Array, axis: Any = 0, dtype: None = None, weights: Any = None, *,
          nan_policy: str = "propagate", keepdims: bool = False) -> Array:  # fmt: skip
    """Return the geometric mean."""
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    return np.exp(_weighted(np.log(x), weights, along, keepdims))


def hmean(a: Array, axis: Any = 0, dtype: None = None, *, weights: Any = None,
          nan_policy: str = "propagate", keepdims: bool = False) -> Array:  # fmt: skip
    """Return the harmonic mean."""
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    good = _unless(x < 0.0, x) * x
    found = 1.0 / _weighted(1.0 / np.where(good == 0.0, 1.0, good), weights, along, keepdims)
    return np.where(np.any(good == 0.0, axis=along, keepdims=keepdims), 0.0 * found, found)


def pmean(a: Array, p: float, *, axis: Any = 0, dtype: None = None, weights: Any = None,
          nan_policy: str = "propagate", keepdims: bool = False) -> Array:  # fmt: skip
    """Return the mean of the powers with an exponent, to the power of its inverse."""
    if not isinstance(p, (int, float)):
        raise ValueError("Power mean only implemented for finite `p`")
    if p == 0:
        return gmean(a, axis, weights=weights, nan_policy=nan_policy, keepdims=keepdims)
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    good = _unless(x < 0.0, x) * x
    return _weighted(good**p, weights, along, keepdims) ** (1.0 / p)


def moment(a: Array, order: int = 1, axis: Any = 0, nan_policy: str = "propagate", *,
           center: Any = None, keepdims: bool = False) -> Array:  # fmt: skip
    """Return the mean of a power of the differences from the mean, or from a center."""
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    if not isinstance(order, int):
        unsupported("a moment of several orders", "a call for each of them")
    if order < 0:
        unsupported("a moment of a negative order", "an order that is positive")
    if center is None and order == 1:
        return np.sum(x * 0.0, axis=along, keepdims=keepdims)
    middle = np.mean(x, axis=along, keepdims=True) if center is None else center
    return np.mean((x - middle) ** order, axis=along, keepdims=keepdims)


def _flat_place(x: Array, second: Array, axis: int) -> Array:
    """Return whether the numbers are all the same, up to rounding."""
    eps = 2.0**-23 if x.dtype == np.float32 else 2.0**-52
    return second <= (eps * np.mean(x, axis=axis, keepdims=True)) ** 2


def skew(a: Array, axis: Any = 0, bias: bool = True, nan_policy: str = "propagate", *,
         keepdims: bool = False) -> Array:  # fmt: skip
    """Return the third moment by the variance to the power of 3/2."""
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    n = x.shape[along]
    d = x - np.mean(x, axis=along, keepdims=True)
    second, third = np.mean(d**2, axis=along, keepdims=True), np.mean(d**3, axis=along,
                                                                      keepdims=True)  # fmt: skip
    equal = _flat_place(x, second, along)
    found = _unless(equal, second) * third / np.where(equal, 1.0, second) ** 1.5
    if not bias and n > 2:
        found = np.sqrt((n - 1.0) * n) / (n - 2.0) * found
    return found if keepdims else np.squeeze(found, axis=along)


def kurtosis(a: Array, axis: Any = 0, fisher: bool = True, bias: bool = True,
             nan_policy: str = "propagate", *, keepdims: bool = False) -> Array:  # fmt: skip
    """Return the fourth moment by the square of the variance, less 3."""
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    n = x.shape[along]
    d = x - np.mean(x, axis=along, keepdims=True)
    second, fourth = np.mean(d**2, axis=along, keepdims=True), np.mean(d**4, axis=along,
                                                                       keepdims=True)  # fmt: skip
    equal = _flat_place(x, second, along)
    found = _unless(equal, second) * fourth / np.where(equal, 1.0, second) ** 2
    if not bias and n > 3:
        bend = (n**2 - 1.0) * found - 3.0 * (n - 1.0) ** 2
        found = bend / ((n - 2.0) * (n - 3.0)) + 3.0
    found = found - 3.0 if fisher else found
    return found if keepdims else np.squeeze(found, axis=along)


def sem(a: Array, axis: Any = 0, ddof: int = 1, nan_policy: str = "propagate", *,
        keepdims: bool = False) -> Array:  # fmt: skip
    """Return the standard error of the mean."""
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    return np.std(x, axis=along, ddof=ddof, keepdims=keepdims) / x.shape[along] ** 0.5


def variation(a: Array, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, *,
              keepdims: bool = False) -> Array:  # fmt: skip
    """Return the standard deviation by the mean."""
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    if ddof > x.shape[along]:
        return np.sum(x, axis=along, keepdims=keepdims) * np.nan
    wide = np.std(x, axis=along, ddof=ddof, keepdims=keepdims)
    return wide / np.mean(x, axis=along, keepdims=keepdims)


def iqr(x: Array, axis: Any = None, rng: Any = (25, 75), scale: Any = 1.0,
        nan_policy: str = "propagate", interpolation: Any = "linear",
        keepdims: bool = False) -> Array:  # fmt: skip
    """Return the range between two percentiles."""
    items, along = _floats(x, axis, nan_policy), 0 if axis is None else axis
    if isinstance(scale, str):
        if scale != "normal":
            raise ValueError(f"{scale} not a valid scale for `iqr`")
        by = 1.3489795003921634
    else:
        by = scale
    low, high = sorted(rng)
    top = np.percentile(items, high, axis=along, method=interpolation, keepdims=keepdims)
    bottom = np.percentile(items, low, axis=along, method=interpolation, keepdims=keepdims)
    return (top - bottom) / by


def median_abs_deviation(x: Array, axis: Any = 0, center: None = None, scale: Any = 1.0,
                         nan_policy: str = "propagate", *,
                         keepdims: bool = False) -> Array:  # fmt: skip
    """Return the median of the distances from the median."""
    items, along = _floats(x, axis, nan_policy), 0 if axis is None else axis
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} is not a valid scale value.")
        by = 0.6744897501960817
    else:
        by = scale
    far = np.abs(items - np.median(items, axis=along, keepdims=True))
    return np.median(far, axis=along, keepdims=keepdims) / by


def trim_mean(a: Array, proportiontocut: float, axis: Any = 0, *,
              nan_policy: str = "propagate", keepdims: bool = False) -> Array:  # fmt: skip
    """Return the mean of the numbers that are left when at both ends a part is cut off."""
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    n = x.shape[along]
    low = int(proportiontocut * n)
    if low > n - low:
        raise ValueError("Proportion too big.")
    kept = np.moveaxis(np.sort(x, axis=along), along, -1)[..., low : n - low]
    found = np.mean(kept, axis=-1)
    return np.expand_dims(found, along) if keepdims else found


def _inside(a: Array, limits: Any, inclusive: Any, axis: int) -> tuple[Array, Array, Array]:
    """Return the numbers, which of them lie between the limits, and how many."""
    low = -np.inf if limits is None or limits[0] is None else limits[0]
    high = np.inf if limits is None or limits[1] is None else limits[1]
    above = a >= low if inclusive[0] else a > low
    good = above & (a <= high if inclusive[1] else a < high)
    return good, np.sum(good, axis=axis), np.sum(np.where(good, a, 0.0), axis=axis)


def tmean(a: Array, limits: Any = None, inclusive: Any = (True, True),
          axis: Any = None) -> Array:  # fmt: skip
    """Return the mean of the numbers between limits."""
    x, along = _floats(a, axis), 0 if axis is None else axis
    _, count, total = _inside(x, limits, inclusive, along)
    return total / count


def tvar(a: Array, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0,
         ddof: int = 1) -> Array:  # fmt: skip
    """Return the variance of the numbers between limits."""
    x, along = _floats(a, axis), 0 if axis is None else axis
    good, count, total = _inside(x, limits, inclusive, along)
    d = np.where(good, x - np.expand_dims(total / count, along), 0.0)
    return np.sum(d * d, axis=along) / (count - ddof)


def tstd(a: Array, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0,
         ddof: int = 1) -> Array:  # fmt: skip
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof))


def tsem(a: Array, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0,
         ddof: int = 1) -> Array:  # fmt: skip
    x, along = _floats(a, axis), 0 if axis is None else axis
    _, count, _ = _inside(x, limits, inclusive, along)
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof) / count)


def describe(a: Array, axis: Any = 0, ddof: int = 1, bias: bool = True,
             nan_policy: str = "propagate") -> DescribeResult:  # fmt: skip
    """Return the number of items, the least and the largest one, and the first four moments."""
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    given = np.ravel(np.asarray(a)) if axis is None else np.asarray(a)
    n = x.shape[along]
    if n == 0:
        raise ValueError("The input must not be empty.")
    return DescribeResult(
        np.int64(n), (np.min(given, axis=along), np.max(given, axis=along)),
        np.mean(x, axis=along), np.var(x, axis=along, ddof=ddof), skew(x, along, bias),
        kurtosis(x, along, True, bias),
    )  # fmt: skip


def mode(a: Array, axis: Any = 0, nan_policy: str = "propagate",
         keepdims: bool = False) -> ModeResult:  # fmt: skip
    """Return the number that is there most often, the least of several, and how often it is."""
    if nan_policy != "propagate":
        unsupported("nan_policy other than propagate", "take the numbers that are not NaN")
    given = np.asarray(a)
    x = np.sort(np.ravel(given) if axis is None else np.moveaxis(given, axis, -1), axis=-1)
    equal = x[..., :, None] == x[..., None, :]
    counts = np.sum(equal, axis=-1)
    place = np.argmax(counts, axis=-1)[..., None]
    found = np.take_along_axis(x, place, axis=-1)
    often = np.take_along_axis(counts, place, axis=-1)
    if np.any(np.isnan(x)):
        raise NotImplementedError("mode of NaN: take the numbers that are not NaN")
    if not keepdims:
        return ModeResult(found[..., 0], often[..., 0])
    if axis is None:
        shape = (1,) * given.ndim
        return ModeResult(np.reshape(found, shape), np.reshape(often, shape))
    return ModeResult(np.moveaxis(found, -1, axis), np.moveaxis(often, -1, axis))


def rankdata(a: Array, method: str = "average", *, axis: Any = None,
             nan_policy: str = "propagate") -> Array:  # fmt: skip
    """Return the ranks of the numbers, from 1."""
    if method not in ("average", "min", "max", "dense", "ordinal"):
        raise ValueError(f"unknown method {method}")
    x, along = _floats(a, axis, nan_policy), 0 if axis is None else axis
    y = np.moveaxis(x, along, -1)
    less = y[..., None, :] < y[..., :, None]
    below = np.sum(less, axis=-1)
    equal = y[..., None, :] == y[..., :, None]
    if method == "min":
        ranks = 1 + below
    elif method == "max":
        ranks = below + np.sum(equal, axis=-1)
    elif method == "average":
        ranks = below + (1.0 + np.sum(equal, axis=-1)) / 2.0
    elif method == "ordinal":
        ranks = 1 + np.argsort(np.argsort(y, axis=-1, kind="stable"), axis=-1, kind="stable")
    else:
        first = np.arange(y.shape[-1])
        new = ~np.any(equal & (first[None, :] < first[:, None]), axis=-1)
        ranks = 1 + np.sum(less & new[..., None, :], axis=-1)
    if np.any(np.isnan(y)):
        raise NotImplementedError("ranks of NaN: take the numbers that are not NaN")
    return np.moveaxis(ranks, -1, along)


def percentileofscore(a: Array, score: Any, kind: str = "rank",
                      nan_policy: str = "propagate") -> Any:  # fmt: skip
    """Return how many of a hundred numbers lie below a score."""
    x = _floats(a, 0, nan_policy)
    if x.ndim != 1:
        raise ValueError("`a` must be 1-dimensional.")
    s = np.asarray(score)[..., None]
    left, right = np.sum(x < s, axis=-1), np.sum(x <= s, axis=-1)
    if kind == "rank":
        found = (left + right + (left < right)) * (50.0 / len(x))
    elif kind == "strict":
        found = left * (100.0 / len(x))
    elif kind == "weak":
        found = right * (100.0 / len(x))
    elif kind == "mean":
        found = (left + right) * (50.0 / len(x))
    else:
        raise ValueError("kind can only be 'rank', 'strict', 'weak' or 'mean'")
    return np.where(np.any(np.isnan(x)) | np.isnan(s[..., 0]), np.nan, found)


# --- of angles, and of several tests --------------------------------------------------------------


def _mean_direction(samples: Array, high: float, low: float, axis: Any) -> tuple[Any, Any]:
    """Return the means of the sines and of the cosines."""
    x = np.asarray(samples) * 1.0
    angles = (np.ravel(x) if axis is None else x) - low
    turned, along = angles * (2.0 * np.pi / (high - low)), 0 if axis is None else axis
    return np.mean(np.sin(turned), axis=along), np.mean(np.cos(turned), axis=along)


def circmean(samples: Array, high: float = 2.0 * np.pi, low: float = 0.0, axis: Any = None) -> Any:
    """Return the mean direction of angles."""
    sine, cosine = _mean_direction(samples, high, low, axis)
    return np.mod(np.arctan2(sine, cosine) * ((high - low) / (2.0 * np.pi)), high - low) + low


def circvar(samples: Array, high: float = 2.0 * np.pi, low: float = 0.0, axis: Any = None) -> Any:
    sine, cosine = _mean_direction(samples, high, low, axis)
    return 1.0 - np.minimum(np.hypot(sine, cosine), 1.0)


def circstd(samples: Array, high: float = 2.0 * np.pi, low: float = 0.0, axis: Any = None, *,
            nan_policy: str = "propagate", normalize: bool = False) -> Any:  # fmt: skip
    sine, cosine = _mean_direction(samples, high, low, axis)
    found = np.sqrt(-2.0 * np.log(np.minimum(np.hypot(sine, cosine), 1.0)))
    return found if normalize else found * ((high - low) / (2.0 * np.pi))
