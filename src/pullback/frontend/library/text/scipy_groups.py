"""Tests of whether groups have one distribution, of ``scipy.stats``, as plain Python that the front
end compiles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text.scipy_samples import SignificanceResult
from pullback.frontend.library.text_helpers import unsupported


class KruskalResult(NamedTuple):
    """What ``kruskal`` gives."""

    statistic: Any
    pvalue: Any


class LeveneResult(NamedTuple):
    """What ``levene`` gives."""

    statistic: Any
    pvalue: Any


class BartlettResult(NamedTuple):
    """What ``bartlett`` gives."""

    statistic: Any
    pvalue: Any


def _groups(samples: Any, said: str, least: int) -> Any:
    """Return the groups as vectors of floats."""
    if len(samples) < 2:
        raise ValueError(said)
    found = [np.asarray(x).astype(np.float64) for x in samples]
    for x in found:
        if x.ndim != 1:
            unsupported("a group of other than one axis", "a call for each of the samples")
        if len(x) < least:
            raise NotImplementedError(f"a group of less than {least}")
    return found


def kruskal(*samples: Vector) -> Any:
    """Return whether the ranks of groups differ; they have no derivative."""
    groups = _groups(samples, "Need at least two groups in stats.kruskal()", 1)
    whole = np.concatenate(groups)
    n = len(whole)
    ranks = scipy.stats.rankdata(whole)
    times = np.unique(whole, return_counts=True)[1].astype(np.float64)
    total, begin = 0.0, 0
    for x in groups:
        total = total + np.sum(ranks[begin : begin + len(x)]) ** 2 / len(x)
        begin = begin + len(x)
    same = 1.0 - np.sum(times**3 - times) / float(n**3 - n)
    h = (12.0 / (n * (n + 1)) * total - 3.0 * (n + 1)) / same + 0.0 * np.sum(whole)
    return KruskalResult(h, scipy.special.chdtrc(len(groups) - 1.0, h))


def levene(*samples: Vector, center: str = "median", proportiontocut: float = 0.05) -> Any:
    """Return whether the variances of groups differ, by distances from the middle of each."""
    if center not in ("mean", "median", "trimmed"):
        raise ValueError("center must be 'mean', 'median' or 'trimmed'.")
    groups = _groups(samples, "Must provide at least two samples.", 1)
    if center == "mean":
        away = [np.abs(x - np.mean(x)) for x in groups]
    elif center == "median":
        away = [np.abs(x - np.median(x)) for x in groups]
    else:
        away = [np.abs(x - scipy.stats.trim_mean(x, proportiontocut)) for x in groups]
    k, n = float(len(groups)), float(sum([len(x) for x in groups]))
    middle = sum([np.sum(z) for z in away]) / n
    between = sum([len(z) * (np.mean(z) - middle) ** 2 for z in away])
    within = sum([np.sum((z - np.mean(z)) ** 2) for z in away])
    w = (n - k) * between / ((k - 1.0) * within)
    return LeveneResult(w, scipy.special.fdtrc(k - 1.0, n - k, w))


def bartlett(*samples: Vector) -> Any:
    """Return whether the variances of normal groups differ."""
    groups = _groups(samples, "Must enter at least two input sample vectors.", 2)
    k, n = float(len(groups)), float(sum([len(x) for x in groups]))
    squares = [np.var(x, ddof=1) for x in groups]
    free = [len(x) - 1.0 for x in groups]
    pooled = sum([a * b for a, b in zip(free, squares, strict=True)]) / (n - k)
    logs = sum([a * np.log(b) for a, b in zip(free, squares, strict=True)])
    top = (n - k) * np.log(pooled) - logs
    below = 1.0 + 1.0 / (3.0 * (k - 1.0)) * (sum([1.0 / a for a in free]) - 1.0 / (n - k))
    t = top / below
    return BartlettResult(np.maximum(t, 0.0), scipy.special.chdtrc(k - 1.0, t))


def jarque_bera(x: Any) -> Any:
    """Return whether skewness and kurtosis are those of a normal distribution."""
    a = np.ravel(np.asarray(x)).astype(np.float64)
    if len(a) < 2:
        raise NotImplementedError("jarque_bera of less than 2")
    off = a - np.mean(a)
    whole: Any = len(a) / 6 * (scipy.stats.skew(off) ** 2 + scipy.stats.kurtosis(off) ** 2 / 4.0)
    return SignificanceResult(whole, scipy.special.chdtrc(2.0, whole))
