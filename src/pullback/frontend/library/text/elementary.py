"""NumPy's functions of single numbers that follow from others, as plain Python that the front end
compiles."""

from __future__ import annotations

import math

import numpy as np

from pullback.frontend.library.text.domains import Array

_LOG_2 = math.log(2.0)


def signbit(x: Array, /) -> Array:
    """Return whether a number is negative, or the negative zero."""
    return np.copysign(1.0, x) < 0.0


def modf(x: Array, /) -> tuple[Array, Array]:
    """Return the part behind the point and the part before it, with the sign of x."""
    number = np.asarray(x) * 1.0
    whole = np.trunc(number)
    rest = np.where(np.signbit(number), -(whole - number), number - whole)
    return np.where(np.isinf(number), np.copysign(0.0, number), rest), whole


def divmod(x1: Array, x2: Array, /) -> tuple[Array, Array]:
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


def float_power(x1: Array, x2: Array, /) -> Array:
    return np.power(np.asarray(x1).astype(np.float64), np.asarray(x2).astype(np.float64))


def logaddexp2(x1: Array, x2: Array, /) -> Array:
    """Return the logarithm of 2**x1 + 2**x2, to base 2."""
    return np.logaddexp(np.asarray(x1) * _LOG_2, np.asarray(x2) * _LOG_2) / _LOG_2
