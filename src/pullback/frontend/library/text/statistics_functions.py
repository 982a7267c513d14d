"""``statistics``: means and deviations, as plain Python that the front end compiles.

The library adds fractions, which are rounded once, and so do the sums here (``math.fsum``); a
quotient or a product of two such sums may have another last digit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import StatisticsError

from pullback.frontend.library.text_helpers import unsupported


def _numbers(data: Iterable[float], name: str) -> list[float]:
    """Return the items, of which there is one at least."""
    xs = list(data)
    if len(xs) == 0:
        raise StatisticsError(f"{name} requires at least one data point")
    if type(xs[0]) is not float:
        floats = "make floats of them: [float(x) for x in xs]"
        unsupported(f"{name} of other numbers than Python's floats", floats)
    return xs


def _mean(xs: list[float]) -> float:
    return sum(xs) / len(xs) if any(not math.isfinite(x) for x in xs) else math.fsum(xs) / len(xs)


def _squares(xs: list[float], center: float | None) -> float:
    """Return the sum of the squares of the differences from the center, or from the mean."""
    if center is not None:
        return math.fsum((x - center) ** 2 for x in xs)
    c = _mean(xs)
    return math.fsum((x - c) ** 2 for x in xs) - math.fsum(x - c for x in xs) ** 2 / len(xs)


def mean(data: Iterable[float]) -> float:
    return _mean(_numbers(data, "mean"))


def fmean(data: Iterable[float]) -> float:
    xs = list(data)
    if len(xs) == 0:
        raise StatisticsError("fmean requires at least one data point")
    return math.fsum(xs) / len(xs)


def pvariance(data: Iterable[float], mu: float | None = None) -> float:
    xs = _numbers(data, "pvariance")
    return _squares(xs, mu) / len(xs)


def pstdev(data: Iterable[float], mu: float | None = None) -> float:
    xs = _numbers(data, "pstdev")
    return math.sqrt(_squares(xs, mu) / len(xs))


def _several(data: Iterable[float], name: str) -> list[float]:
    xs = list(data)
    if len(xs) < 2:
        raise StatisticsError(f"{name} requires at least two data points")
    return _numbers(xs, name)


def variance(data: Iterable[float], xbar: float | None = None) -> float:
    xs = _several(data, "variance")
    return _squares(xs, xbar) / (len(xs) - 1)


def stdev(data: Iterable[float], xbar: float | None = None) -> float:
    xs = _several(data, "stdev")
    return math.sqrt(_squares(xs, xbar) / (len(xs) - 1))


def geometric_mean(data: Iterable[float]) -> float:
    xs = list(data)
    if len(xs) == 0 or any(x <= 0.0 for x in xs):
        raise StatisticsError(
            "geometric mean requires a non-empty dataset containing positive numbers"
        )
    return math.exp(fmean([math.log(x) for x in xs]))


def harmonic_mean(data: Iterable[float], weights: None = None) -> float:
    if weights is not None:
        unsupported("harmonic_mean with weights", "sum(ws) / sum(w / x for w, x in zip(ws, xs))")
    xs = _numbers(data, "harmonic_mean")
    if any(x < 0.0 for x in xs):
        raise StatisticsError("harmonic mean does not support negative values")
    if any(x == 0.0 for x in xs):
        return 0.0
    return len(xs) / math.fsum(1.0 / x for x in xs)
