"""NumPy's functions of single numbers that follow from others, as plain Python that the front end
compiles."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text.domains import Array


def signbit(x: Array, /) -> Array:
    """Return whether a number is negative, or the negative zero."""
    return np.copysign(1.0, x) < 0.0


def modf(x: Array, /) -> tuple[Array, Array]:
    """Return the part behind the point and the part before it, with the sign of x."""
    whole = np.trunc(x)
    rest = np.where(np.signbit(x), -(whole - x), x - whole)
    return np.where(np.isinf(x), np.copysign(0.0, x), rest), whole


def divmod(x1: Array, x2: Array, /) -> tuple[Array, Array]:
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


def float_power(x1: Array, x2: Array, /) -> Array:
    return np.power(np.asarray(x1).astype(np.float64), np.asarray(x2).astype(np.float64))


def logaddexp2(x1: Array, x2: Array, /) -> Array:
    """Return the logarithm of 2**x1 + 2**x2, to base 2."""
    return np.logaddexp(x1 * np.log(2.0), x2 * np.log(2.0)) / np.log(2.0)
