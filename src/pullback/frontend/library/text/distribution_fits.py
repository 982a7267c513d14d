"""What is asked of a whole distribution of ``scipy.stats``: moments, expectations and the
parameters that fit data best, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text_helpers import unsupported


def raw_moment(order: int, mean: Any, var: Any, skew: Any, kurtosis: Any) -> Any:
    """Return the mean of a power; which of the moments are None is known at compile time."""
    if order == 0:
        return 1.0 + 0.0 * mean
    if order == 1:
        return mean
    if order == 2:
        return var + mean**2
    third = skew * var**1.5
    if order == 3:
        return third + 3.0 * mean * var + mean**3
    return (kurtosis + 3.0) * var**2 + 4.0 * mean * third + 6.0 * mean**2 * var + mean**4


def expected(pdf: Any, cdf: Any, ppf: Any, low: Any, high: Any, func: Any, shapes: Any, loc: Any,
             scale: Any, lb: Any, ub: Any, conditional: bool) -> Any:  # fmt: skip
    """expect: integrals over the tails and over what is between them"""
    a = _end(low, loc, scale) if lb is None else 1.0 * lb
    b = _end(high, loc, scale) if ub is None else 1.0 * ub

    def whole(x: Any) -> Any:
        return (x if func is None else func(x)) * pdf(x, *shapes, loc, scale)

    before = 0.0 if lb is None else cdf(a, *shapes, loc, scale)
    after = 1.0 if ub is None else cdf(b, *shapes, loc, scale)
    inside = after - before
    first = constant(ppf(before + 0.05 * inside, *shapes, loc, scale))
    last = constant(ppf(before + 0.95 * inside, *shapes, loc, scale))
    total = scipy.integrate.quad(whole, a, first)[0]
    total = total + scipy.integrate.quad(whole, first, last)[0]
    total = total + scipy.integrate.quad(whole, last, b)[0]
    return total / inside if conditional else total


def _end(end: Any, loc: Any, scale: Any) -> Any:
    """Return an end of the support; one that is infinite has no derivative."""
    return end if np.isinf(end) else loc + end * scale


def ends(low: Any, high: Any, loc: Any, scale: Any) -> Any:
    """support"""
    return _end(low, loc, scale), _end(high, loc, scale)


def summed(pmf: Any, sf: Any, ppf: Any, low: Any, high: Any, func: Any, shapes: Any, loc: Any,
           lb: Any, ub: Any, conditional: bool) -> Any:  # fmt: skip
    """expect of a distribution over whole numbers: sums from the median on, 32 at a time"""
    a = low if lb is None else lb - loc
    b = high if ub is None else ub - loc

    def part(start: Any, count: int) -> Any:
        points = start + np.arange(count)
        values = points + loc if func is None else func(points + loc)
        return np.sum(values * pmf(points, *shapes))

    if b - a <= 32:
        total = part(a, int(b - a) + 1)
    else:
        middle = constant(min(max(ppf(0.5, *shapes), a), b))
        total, at = 0.0, middle
        while at <= b and at - middle <= 1000:
            count = int(min(32.0, b - at + 1))
            more = part(at, count)
            total, at = total + more, at + 32.0
            if np.abs(more) < 1e-10 * count:
                break
        at = middle - 1.0
        while at >= a:
            count = int(min(32.0, at - a + 1))
            more = part(at - count + 1, count)
            total, at = total + more, at - 32.0
            if np.abs(more) < 1e-10 * count:
                break
    return total / (sf(a - 1, *shapes) - sf(b, *shapes)) if conditional else total


# --- fits -----------------------------------------------------------------------------------------


def _checked(data: Any, floc: Any, fscale: Any) -> Vector:
    if floc is not None and fscale is not None:
        raise ValueError("All parameters fixed. There is nothing to optimize.")
    x = np.ravel(np.asarray(data)) * 1.0
    if not np.all(np.isfinite(x)):
        raise ValueError("The data contains non-finite values.")
    return x


def _outside() -> None:
    """Raise the error of data outside of a distribution."""
    raise ValueError("Invalid values in `data`.")


def fit_of_norm(data: Any, floc: Any, fscale: Any) -> Any:
    x = _checked(data, floc, fscale)
    loc = np.mean(x) if floc is None else floc
    return loc, np.sqrt(np.mean((x - loc) ** 2)) if fscale is None else fscale


def fit_of_expon(data: Any, floc: Any, fscale: Any) -> Any:
    x = _checked(data, floc, fscale)
    loc = np.min(x) if floc is None else floc
    if floc is not None and np.min(x) < floc:
        _outside()
    return float(loc), float(np.mean(x) - loc if fscale is None else fscale)


def fit_of_uniform(data: Any, floc: Any, fscale: Any) -> Any:
    x = _checked(data, floc, fscale)
    low, high = np.min(x), np.max(x)
    if fscale is not None:
        if high - low > fscale:
            _outside()
        return float(low - 0.5 * (fscale - (high - low))), float(fscale)
    if floc is None:
        return float(low), float(high - low)
    if low < floc:
        _outside()
    return float(floc), float(high - floc)


def fit_of_laplace(data: Any, floc: Any, fscale: Any) -> Any:
    x = _checked(data, floc, fscale)
    loc = np.median(x) if floc is None else floc
    return loc, np.mean(np.abs(x - loc)) if fscale is None else fscale


def fit_of_halfnorm(data: Any, floc: Any, fscale: Any) -> Any:
    x = _checked(data, floc, fscale)
    if floc is not None and np.min(x) < floc:
        _outside()
    loc = np.min(x) if floc is None else floc
    return loc, np.sqrt(np.mean((x - loc) ** 2)) if fscale is None else fscale


_ROOT = "floc=0, or another loc that is known"


def fit_of_rayleigh(data: Any, floc: Any, fscale: Any) -> Any:
    x = _checked(data, floc, fscale)
    if floc is None:
        unsupported("a fit of rayleigh whose loc is not given", _ROOT)
    if np.any(x - floc <= 0.0):
        _outside()
    return floc, np.sqrt(np.mean((x - floc) ** 2) / 2.0)


def fit_of_lognorm(data: Any, floc: Any, fscale: Any) -> Any:
    x = _checked(data, floc, fscale)
    if floc is None:
        unsupported("a fit of lognorm whose loc is not given", _ROOT)
    if np.min(x) <= floc:
        _outside()
    logs = np.log(x - floc)
    scale = np.exp(np.mean(logs)) if fscale is None else fscale
    return np.sqrt(np.mean((logs - np.log(scale)) ** 2)), floc, scale


def fit_of_gamma(data: Any, floc: Any, fscale: Any) -> Any:
    x = _checked(data, floc, fscale)
    if floc is None or fscale is not None:
        unsupported("a fit of gamma whose loc is not given, or whose scale is", _ROOT)
    if np.any(x <= floc):
        _outside()
    off = x - floc
    mean = np.mean(off)
    s = np.log(mean) - np.mean(np.log(off))
    guess = constant((3.0 - s + np.sqrt((s - 3.0) ** 2 + 24.0 * s)) / (12.0 * s))
    a: Any = scipy.optimize.brentq(
        lambda a: np.log(a) - scipy.special.psi(a) - s, 0.6 * guess, 1.4 * guess
    )
    return a, floc, mean / a
