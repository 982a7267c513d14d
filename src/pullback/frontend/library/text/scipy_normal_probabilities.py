"""Probabilities of normal vectors of two numbers, and entropies, of ``scipy.stats``, as plain
Python that the front end compiles. SciPy's own numbers are estimates by random points; these are
exact.

The probability is an integral over the correlation (A. Genz, "Numerical computation of rectangular
bivariate and trivariate normal and t probabilities", 2004, equation 3), here over its angle, by
intervals each twice as long as the one before.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.scipy_multivariate import _factor, _floats, _prepared
from pullback.frontend.library.text_helpers import unsupported

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def _below(h: Any, k: Any, r: Any) -> Any:
    """Return the probability that two normal numbers with a correlation are below h and k."""
    first, second = scipy.special.ndtr(h), scipy.special.ndtr(k)
    if np.isinf(h) or np.isinf(k):
        return first * second
    sign = 1.0 if r >= 0.0 else -1.0
    low = np.arctan2(np.sqrt((1.0 - r) * (1.0 + r)), sign * r)
    apart, both, total = (h - sign * k) ** 2, sign * h * k, 0.0 * h
    going = True
    while going:
        high = np.minimum(2.0 * low, 0.5 * math.pi)
        half = 0.5 * (high - low)
        angle = low + half * (1.0 + _NODES)
        size = 0.5 * apart / np.sin(angle) ** 2 + 0.5 * both / np.cos(0.5 * angle) ** 2
        total = total + half * np.sum(_WEIGHTS * np.exp(-size))
        going = high < 0.5 * math.pi
        low = high
    return first * second + sign * total / (2.0 * math.pi)


def cdf_of_multivariate_normal(x: Array, mean: Any = None, cov: Any = 1,
                               allow_singular: bool = False, maxpts: Any = None,
                               abseps: float = 1e-5, releps: float = 1e-5, *,
                               lower_limit: Any = None, rng: None = None) -> Any:  # fmt: skip
    points, matrix = _floats(x), _floats(1.0 if cov is None else cov)
    if mean is None and matrix.ndim < 2:
        unsupported("the cdf of multivariate_normal for numbers", "scipy.stats.norm.cdf")
    centre = np.zeros(matrix.shape[0]) if mean is None else _floats(mean)
    if centre.ndim != 1:
        unsupported("the cdf of multivariate_normal with a mean that is no vector", "a vector")
    matrix = _prepared(points, centre, matrix)
    if points.shape[-1] != len(centre):
        raise ValueError("operands could not be broadcast together")
    if len(centre) != 2:
        raise NotImplementedError("probabilities of more than two numbers, which SciPy estimates "
                                  "by random points: call it outside")  # fmt: skip
    _factor(matrix, allow_singular)
    sizes = np.sqrt(np.diag(matrix))
    r = matrix[0, 1] / (sizes[0] * sizes[1])
    ends = ((points - centre) / sizes).reshape(-1, 2)
    if lower_limit is None:
        found = np.array([_below(b[0], b[1], r) for b in ends])
    else:
        starts = (np.broadcast_to(_floats(lower_limit), points.shape) - centre) / sizes
        found = np.array([
            _below(b[0], b[1], r) - _below(a[0], b[1], r) - _below(b[0], a[1], r)
            + _below(a[0], a[1], r) for a, b in zip(starts.reshape(-1, 2), ends, strict=True)
        ])  # fmt: skip
    return found[0] if points.ndim == 1 else found.reshape(points.shape[:-1])


def logcdf_of_multivariate_normal(x: Array, mean: Any = None, cov: Any = 1,
                                  allow_singular: bool = False, maxpts: Any = None,
                                  abseps: float = 1e-5, releps: float = 1e-5, *,
                                  lower_limit: Any = None, rng: None = None) -> Any:  # fmt: skip
    if lower_limit is not None:
        unsupported("logcdf with lower_limit, which may be complex", "np.log of the cdf")
    return np.log(cdf_of_multivariate_normal(x, mean, cov, allow_singular))


def entropy_of_multivariate_normal(mean: Any = None, cov: Any = 1) -> Any:
    matrix: Vector = _floats(1.0 if cov is None else cov)
    if matrix.ndim == 0:
        count = 1 if mean is None or np.ndim(mean) == 0 else len(_floats(mean))
        return 0.5 * (count * (math.log(2.0 * math.pi) + 1.0) + count * np.log(matrix))
    if matrix.ndim == 1:
        matrix = np.diag(matrix)
    return 0.5 * (len(matrix) * (math.log(2.0 * math.pi) + 1.0) + np.linalg.slogdet(matrix)[1])
