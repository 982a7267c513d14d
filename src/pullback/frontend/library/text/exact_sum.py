"""``math.fsum`` as plain Python that the front end compiles: rounded once, at the end.

Shewchuk, Adaptive Precision Floating-Point Arithmetic (1997): the sum so far is kept as numbers
that do not overlap. They have no derivative; the derivative of the sum is that of ``change``, whose
value is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pullback.combinators import stop_gradient


def fsum(given: Sequence[float]) -> float:
    """Return the sum of the finite numbers; if others are among them, the sum of these."""
    xs = [float(1.0 * x) for x in given]  # no text is a number here
    unusual = sum(x for x in xs if not math.isfinite(x))
    if unusual != 0.0:
        if math.isnan(sum(x for x in xs if math.isinf(x))):
            raise ValueError("-inf + inf in fsum")
        return unusual
    change = sum(x - stop_gradient(x) for x in xs)
    return rounded(partial_sums(xs)) + change


def partial_sums(xs: Sequence[float]) -> list[float]:
    """Return numbers that do not overlap, from small to large, with the same sum."""
    partials: list[float] = []
    for given in xs:
        x = stop_gradient(given)
        kept = 0
        for j in range(len(partials)):
            y = partials[j]
            high = x + y
            low = y - (high - x) if abs(x) >= abs(y) else x - (high - y)
            if low != 0.0:
                partials[kept] = low
                kept += 1
            x = high
        del partials[kept:]
        if not math.isfinite(x):
            raise OverflowError("intermediate overflow in fsum")
        if x != 0.0:
            partials.append(x)
    return partials


def rounded(partials: list[float]) -> float:
    """Return the sum of the partial sums, rounded to nearest, and to even where it is halfway."""
    n = len(partials) - 1
    high, low = 0.0, 0.0
    if n >= 0:
        high = partials[n]
    while n > 0 and low == 0.0:
        n -= 1
        x, y = high, partials[n]
        high = x + y
        low = y - (high - x)
    if n > 0 and (low > 0.0) == (partials[n - 1] > 0.0):
        twice = 2.0 * low
        x = high + twice
        if x - high == twice:
            high = x
    return high
