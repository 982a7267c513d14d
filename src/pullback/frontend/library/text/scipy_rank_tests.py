"""Tests of distributions by the order of numbers, of ``scipy.stats``, as plain Python that the
front end compiles. Statistics and probabilities that depend on the order only are SciPy's own
values, whose derivative is 0; the probability of a distance that the numbers change has a
derivative that is not known."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text.scipy_samples import _vector
from pullback.frontend.library.text.solver_answers import packed, told


class MannwhitneyuResult(NamedTuple):
    """What ``mannwhitneyu`` gives."""

    statistic: Any
    pvalue: Any


class WilcoxonResult(NamedTuple):
    """What ``wilcoxon`` gives."""

    statistic: Any
    pvalue: Any


class RanksumsResult(NamedTuple):
    """What ``ranksums`` gives."""

    statistic: Any
    pvalue: Any


class BrunnerMunzelResult(NamedTuple):
    """What ``brunnermunzel`` gives."""

    statistic: Any
    pvalue: Any


class FriedmanchisquareResult(NamedTuple):
    """What ``friedmanchisquare`` gives."""

    statistic: Any
    pvalue: Any


class KstestResult(tuple[Any, ...]):
    """What the tests of Kolmogorov and Smirnov give: two numbers, and where they come from."""

    _location: Any
    _sign: int

    def __new__(cls, statistic: Any, pvalue: Any, location: Any, sign: int) -> KstestResult:
        self = tuple.__new__(cls, (statistic, pvalue))
        self._location, self._sign = location, sign
        return self

    @property
    def statistic(self) -> Any:
        """The largest distance."""
        return self[0]

    @property
    def pvalue(self) -> Any:
        """How likely a distance like this one is by chance."""
        return self[1]

    @property
    def statistic_location(self) -> Any:
        """Where the distance is."""
        return self._location

    @property
    def statistic_sign(self) -> int:
        """On which side of the distribution function the distance is."""
        return self._sign

    def __repr__(self) -> str:
        at = f"statistic_location={self._location!r}, statistic_sign=np.int8({self._sign!r})"
        return f"KstestResult(statistic={self[0]!r}, pvalue={self[1]!r}, {at})"


def _asked(name: str, samples: Any, said: tuple[Any, ...]) -> Any:
    """Return the statistic and the probability that SciPy finds for samples."""
    found = told(described("test", name, said), constant(packed(samples)))
    return found[0], found[1]


def mannwhitneyu(x: Vector, y: Vector, use_continuity: bool = True,
                 alternative: str = "two-sided", axis: int = 0,
                 method: str = "auto") -> MannwhitneyuResult:  # fmt: skip
    statistic, pvalue = _asked("mannwhitneyu", (_vector(x), _vector(y)), (
        ("use_continuity", use_continuity), ("alternative", alternative), ("method", method)
    ))  # fmt: skip
    return MannwhitneyuResult(statistic, pvalue)


def wilcoxon(x: Vector, y: Any = None, zero_method: str = "wilcox", correction: bool = False,
             alternative: str = "two-sided", method: str = "auto") -> WilcoxonResult:  # fmt: skip
    away = _vector(x) if y is None else _vector(x) - _vector(y)
    statistic, pvalue = _asked("wilcoxon", (away,), (
        ("zero_method", zero_method), ("correction", correction), ("alternative", alternative),
        ("method", method),
    ))  # fmt: skip
    return WilcoxonResult(statistic, pvalue)


def ranksums(x: Vector, y: Vector, alternative: str = "two-sided") -> RanksumsResult:
    statistic, pvalue = _asked(
        "ranksums", (_vector(x), _vector(y)), (("alternative", alternative),)
    )
    return RanksumsResult(statistic, pvalue)


def brunnermunzel(x: Vector, y: Vector, alternative: str = "two-sided",
                  distribution: str = "t") -> BrunnerMunzelResult:  # fmt: skip
    statistic, pvalue = _asked("brunnermunzel", (_vector(x), _vector(y)), (
        ("alternative", alternative), ("distribution", distribution)
    ))  # fmt: skip
    return BrunnerMunzelResult(statistic, pvalue)


def friedmanchisquare(*samples: Vector) -> FriedmanchisquareResult:
    if len(samples) < 3:
        raise ValueError("At least 3 samples must be given for Friedman test, "
                         f"got {len(samples)}.")  # fmt: skip
    statistic, pvalue = _asked("friedmanchisquare", [_vector(x) for x in samples], ())
    return FriedmanchisquareResult(statistic, pvalue)


def _side(alternative: str) -> str:
    """Return the name of an alternative, of which the first letter is enough."""
    name = {"t": "two-sided", "g": "greater", "l": "less"}.get(alternative.lower()[0], alternative)
    if name not in ("two-sided", "greater", "less"):
        raise ValueError(f"Unexpected value alternative={alternative!r}")
    return name


def ks_2samp(data1: Vector, data2: Vector, alternative: str = "two-sided",
             method: str = "auto") -> KstestResult:  # fmt: skip
    """Return how far the shares of two samples are from each other."""
    side = _side(alternative)
    a, b = np.sort(_vector(data1)), np.sort(_vector(data2))
    if min(len(a), len(b)) == 0:
        raise NotImplementedError("ks_2samp of an empty sample")
    both = np.concatenate((a, b))
    p = np.searchsorted(a, both, side="right") / len(a)
    q = np.searchsorted(b, both, side="right") / len(b)
    away = p - q
    low, high = int(np.argmin(away)), int(np.argmax(away))
    least, most = np.clip(-away[low], 0.0, 1.0), away[high]
    _, pvalue = _asked("ks_2samp", (a, b), (("alternative", side), ("method", method)))
    if side == "less" or (side == "two-sided" and least > most):
        return KstestResult(least, pvalue, both[low], -1)
    return KstestResult(most, pvalue, both[high], 1)


def ks_1samp(x: Vector, cdf: Any, args: Any = (), alternative: str = "two-sided",
             method: str = "auto") -> KstestResult:  # fmt: skip
    """Return how far the shares of a sample are from a distribution function."""
    side = _side(alternative)
    points = np.sort(_vector(x))
    n = len(points)
    chances = cdf(points, *args)
    above = np.arange(1, n + 1) / n - chances
    below = chances - np.arange(0, n) / n
    high, low = int(np.argmax(above)), int(np.argmax(below))
    most, least = above[high], below[low]
    upper = side == "greater" or (side == "two-sided" and most > least)
    d = most if upper else least
    name = "ksone" if side != "two-sided" else "kstwo" if method in ("auto", "exact") else method
    chance = told(described("distance", name), constant(packed((np.array([d]), 1.0 * n))))[0]
    if upper:
        return KstestResult(d, unknown(chance, d), points[high], 1)
    return KstestResult(d, unknown(chance, d), points[low], -1)


def kstest(rvs: Vector, cdf: Any, args: Any = (), N: int = 20, alternative: str = "two-sided",
           method: str = "auto") -> KstestResult:  # fmt: skip
    if isinstance(cdf, str):
        return ks_1samp(rvs, getattr(scipy.stats, cdf).cdf, args, alternative, method)
    if callable(cdf):
        return ks_1samp(rvs, cdf, args, alternative, method)
    return ks_2samp(rvs, cdf, alternative, method)
