"""``round``, and functions of ``math`` that take floats apart, as plain Python to be compiled."""

from __future__ import annotations

import math

import numpy as np

from pullback.combinators import stop_gradient


def modf(x: float) -> tuple[float, float]:
    """Return the fractional and the whole part, both with the sign of x."""
    if math.isinf(x):
        return math.copysign(0.0, x), x
    return math.fmod(x, 1.0), float(np.trunc(x))


def frexp(x: float) -> tuple[float, int]:
    """Return m and e with x = m * 2**e and 0.5 <= abs(m) < 1. Products with powers of two are
    exact."""
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


def ldexp(x: float, i: int) -> float:
    """Return x * 2**i, rounded once: of the factors, which are powers of two, only the last one
    can leave the numbers with all their digits."""
    n = max(min(i, 2200), -2200)
    first = n
    if n < 0:
        _, e = frexp(x)
        first = min(max(n, -1021 - e), 0)
    third = first // 3
    y = x * 2.0**third * 2.0**third * 2.0 ** (first - 2 * third) * 2.0 ** max(n - first, -1074)
    if math.isinf(y) and not math.isinf(x):
        raise OverflowError("math range error")
    return y


INFINITE, MINUS_ZERO = 5000, 6000


def of_parts(n: int, e: int) -> float:
    """Return the float n * 2**e, or what stands in the place of e says."""
    if e == INFINITE:
        return n * math.inf
    return -0.0 if e == MINUS_ZERO else ldexp(float(n), e)


def remainder(x: float, y: float) -> float:
    """Return x - n y, where n is the integer nearest to x / y, the even one if two are; every step
    is exact."""
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
    """Return the multiple of ``unit`` nearest to n, the even one if two are."""
    count = n // unit
    twice = 2 * (n - count * unit)
    if twice > unit or (twice == unit and count % 2 == 1):
        count = count + 1
    return count * unit


def round_float(x: float, scale: float) -> float:
    """Return x rounded to a multiple of 1 / scale, a power of ten that is a float (so up to
    10**22): the decimal number nearest to x itself, not a rounded product."""
    y = stop_gradient(x)
    product = y * scale
    if not abs(product) < 2.0**53:  # x has no more digits (or is not finite)
        return y
    missing = rest_of_product(y, scale, product)
    whole = float(np.rint(product))
    over = product - whole
    if over == 0.5 and missing > 0.0:
        whole = whole + 1.0
    elif over == -0.5 and missing < 0.0:
        whole = whole - 1.0
    return math.copysign(whole / scale, y)


def round_tens(x: float, unit: float) -> float:
    """Return x rounded to a multiple of ``unit``, a power of ten that is a float; the even one if
    two are equally near."""
    y = stop_gradient(x)
    if not abs(y) < 2.0**53 * unit:
        return y
    whole = float(np.rint(y / unit))
    nearest = whole * unit
    over = (y - nearest) - rest_of_product(whole, unit, nearest)
    odd = math.fmod(whole, 2.0) != 0.0
    if over > 0.5 * unit or (odd and over == 0.5 * unit):
        whole = whole + 1.0
    elif over < -0.5 * unit or (odd and over == -0.5 * unit):
        whole = whole - 1.0
    return math.copysign(whole * unit, y)


def rest_of_product(x: float, y: float, product: float) -> float:
    """Return the difference between the product of x and y and the rounded ``product``, exactly
    (Dekker)."""
    x_high, x_low = halves(x)
    y_high, y_low = halves(y)
    cross = (x_high * y_high - product) + x_high * y_low + x_low * y_high
    return cross + x_low * y_low


def halves(x: float) -> tuple[float, float]:
    """Return two floats with 26 bits each whose sum is x (Veltkamp): their products are exact."""
    wide = 134217729.0 * x
    high = wide - (wide - x)
    return high, x - high
