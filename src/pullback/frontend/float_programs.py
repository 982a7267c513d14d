"""Functions of ``math`` that take floats apart, as plain Python that the front end compiles."""

from __future__ import annotations

import math

import numpy as np


def modf(x: float) -> tuple[float, float]:
    """The fractional and the whole part, both with the sign of x."""
    if math.isinf(x):
        return math.copysign(0.0, x), x
    return math.fmod(x, 1.0), float(np.trunc(x))


def frexp(x: float) -> tuple[float, int]:
    """m and e: x = m * 2**e, 0.5 <= abs(m) < 1. Products with powers of two are exact."""
    m, e = x, 0
    if x != 0.0 and math.isfinite(x):
        for k in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 1):
            if abs(m) >= 2.0 ** (k - 1):
                m = m * 2.0**-k
                e = e + k
        for k in (512, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
            if abs(m) < 2.0**-k:
                m = m * 2.0**k
                e = e - k
    return m, e


def remainder(x: float, y: float) -> float:
    """x - n y, with n the integer nearest to x / y, even where two are: exact at every step."""
    sign = math.copysign(1.0, x)
    size = sign * x
    step = math.copysign(1.0, y) * y
    over = math.fmod(size, step)
    missing = step - over
    if over < missing:
        rest = over
    elif over > missing:
        rest = -missing
    else:
        rest = over - 2.0 * math.fmod(0.5 * (size - over), step)
    return sign * rest


def round_to(n: int, unit: int) -> int:
    """The multiple of ``unit`` nearest to n, an even one where two are."""
    count = n // unit
    twice = 2 * (n - count * unit)
    if twice > unit or (twice == unit and count % 2 == 1):
        count = count + 1
    return count * unit
