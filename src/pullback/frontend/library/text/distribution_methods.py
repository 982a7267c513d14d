"""The methods of a distribution of ``scipy.stats``, of numbers, from a formula of its own for loc 0
and scale 1 (``continuous_distributions``, ``discrete_distributions``). ``how`` says what is to be
done with the number that the formula gives, and is known when the text is compiled, as are ``log``
and ``upper``. Outside of the support, and for arguments that are not allowed, the values are those
of SciPy's ``rv_generic``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Formula = Callable[..., Any]
Numbers = tuple[Any, ...]


def positive(*shapes: Any) -> bool:
    """Whether all parameters of shape are above 0."""
    return all(s > 0.0 for s in shapes)


def _value(formula: Formula, how: str, x: Any, shapes: Numbers) -> Any:
    """Return what is asked for of a point of the support."""
    value = formula(x, *shapes)
    if how == "exp":  # at an end, where the logarithm is -inf, no derivative is to become NaN
        return 0.0 if value == -np.inf else np.exp(value)
    if how == "log":
        return np.log(value)
    if how == "rest":
        return 1.0 - value
    if how == "log of rest":
        return np.log1p(-value)
    return value


def density(
    formula: Formula, how: str, allowed: Formula, low: Any, high: Any, log: bool, ends_out: bool,
    x: Any, shapes: Numbers, loc: Any, scale: Any,
) -> Any:  # fmt: skip
    """pdf, logpdf; where ``ends_out``, the ends do not belong to the support"""
    z = (x - loc) / scale
    if np.isnan(z) or not (scale > 0.0 and allowed(*shapes)):
        return np.nan
    if not (low < z < high if ends_out else low <= z <= high):
        return -np.inf if log else 0.0
    value = _value(formula, how, z, shapes)
    return value - np.log(scale) if log else value / scale


def probability(
    formula: Formula, how: str, allowed: Formula, low: Any, high: Any, log: bool, upper: bool,
    x: Any, shapes: Numbers, loc: Any, scale: Any,
) -> Any:  # fmt: skip
    """cdf, logcdf; sf and logsf, which are ``upper``"""
    z = (x - loc) / scale
    if np.isnan(z) or not (scale > 0.0 and allowed(*shapes)):
        return np.nan
    if low < z < high:
        return _value(formula, how, z, shapes)
    if (z <= low) if upper else (z >= high):
        return 0.0 if log else 1.0
    return -np.inf if log else 0.0


def moved(found: Any, loc: Any) -> Any:
    """Return the one number that is found, for loc 0, at another loc."""
    return found[0] + loc


def quantile(
    formula: Formula, mirrored: bool, allowed: Formula, low: Any, high: Any, upper: bool,
    q: Any, shapes: Numbers, loc: Any, scale: Any,
) -> Any:  # fmt: skip
    """ppf; isf, which is ``upper``. A formula that is ``mirrored`` takes 1 - q."""
    if np.isnan(loc) or not (scale > 0.0 and 0.0 <= q <= 1.0 and allowed(*shapes)):
        return np.nan
    if 0.0 < q < 1.0:
        return formula(1.0 - q if mirrored else q, *shapes) * scale + loc
    return (low if (q == 1.0) == upper else high) * scale + loc


def moment(
    formula: Formula, how: str, allowed: Formula, shapes: Numbers, loc: Any, scale: Any
) -> Any:
    """mean, var, std, entropy, skewness, kurtosis: ``how`` is their name"""
    if np.isnan(loc) or not (scale > 0.0 and allowed(*shapes)):
        return np.nan
    value = formula(*shapes)
    if how == "shape":
        return value
    if how == "entropy":
        return value + np.log(scale)
    if how == "mean":
        return value * scale + loc
    square = value * scale * scale
    return np.sqrt(square) if how == "std" else square


def tails(confidence: Any) -> tuple[Any, Any]:
    """Return what is below and above the interval in the middle."""
    if np.any(np.logical_or(confidence > 1, confidence < 0)):
        raise ValueError("alpha must be between 0 and 1 inclusive")
    return (1.0 - confidence) / 2, (1.0 + confidence) / 2


def mass(
    formula: Formula, how: str, allowed: Formula, low: Any, high: Any, log: bool,
    k: Any, shapes: Numbers, loc: Any,
) -> Any:  # fmt: skip
    """pmf, logpmf"""
    at = k - loc
    if np.isnan(at) or not allowed(*shapes):
        return np.nan
    if not (low <= at <= high and np.floor(at) == at):
        return -np.inf if log else 0.0
    value = _value(formula, how, at, shapes)
    return value if log else np.minimum(value, 1.0)


def whole_probability(
    formula: Formula, how: str, allowed: Formula, low: Any, high: Any, log: bool, upper: bool,
    k: Any, shapes: Numbers, loc: Any,
) -> Any:  # fmt: skip
    """cdf, logcdf, sf and logsf of a distribution over whole numbers"""
    at = k - loc
    if np.isnan(at) or not allowed(*shapes):
        return np.nan
    if low <= at < high:
        return _value(formula, how, np.floor(at), shapes)
    if (at < low) if upper else (at >= high):
        return 0.0 if log else 1.0
    return -np.inf if log else 0.0
