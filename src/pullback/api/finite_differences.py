"""Derivatives by differences: Richardson's extrapolation with an estimate of its error (Ridders,
1982), and what the two sides say about a kink."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

FIRST, RATIO, STEPS = 0.02, 2.5, 8
"""The longest step (of the size of what moves), how much shorter each next one is, how many."""


@dataclass(frozen=True)
class Slope:
    """The derivative of a function of one number at 0, by differences: its value, an estimate of
    its error, and the slopes to the left and to the right if these are two, at a distance of
    ``near`` or less."""

    value: float
    error: float
    left: float = math.nan
    right: float = math.nan
    near: float = math.nan

    @property
    def kink(self) -> bool:
        """Whether the function has a kink near 0."""
        return not math.isnan(self.left)


def slope_of(at: Callable[[float], float], size: float, noise: float) -> Slope:
    """Return the derivative at 0 of ``at``, by differences. The argument of ``at`` moves values of
    this ``size``; its results have a relative error of ``noise``."""
    here = at(0.0)
    steps, sides = [], []
    for k in range(STEPS):
        h = FIRST * size / RATIO**k
        try:
            low, high = at(-h), at(h)
        except (ArithmeticError, ValueError, IndexError):  # beyond its domain
            continue
        if math.isfinite(low) and math.isfinite(high):
            steps.append(h)
            sides.append(((here - low) / h, (high - here) / h))
    if not steps:
        return Slope(math.nan, math.inf)
    value, error = _extrapolated(
        [(low + high) / 2 for low, high in sides], abs(here) * noise / steps[-1]
    )
    return _with_kink(Slope(value, error), steps, sides, abs(here) * noise)


def fixed(at: Callable[[float], float], h: float) -> Slope:
    """Return the derivative by one step and its double."""
    one, two = ((at(k * h) - at(-k * h)) / (2 * k * h) for k in (1, 2))
    return Slope((4 * one - two) / 3, abs(one - two))


def _extrapolated(central: list[float], noise: float) -> tuple[float, float]:
    """Return the best entry of Neville's table of central differences, and its distance from the
    entries beside it."""
    best, least = central[-1], math.inf
    row: list[float] = []
    for first in central:
        new = [first]
        factor = RATIO * RATIO
        for k, old in enumerate(row):
            new.append(new[k] + (new[k] - old) / (factor - 1))
            factor *= RATIO * RATIO
            error = max(abs(new[k + 1] - new[k]), abs(new[k + 1] - old))
            if error <= least:
                best, least = new[k + 1], error
        row = new
    return best, least if len(central) > 1 else abs(best) + noise


def _with_kink(
    found: Slope, steps: list[float], sides: list[tuple[float, float]], noise: float
) -> Slope:
    """Return the slope, with the slopes of the two sides if three steps agree on each of these and
    the two differ."""
    for end in range(len(steps), 2, -1):
        left, right = ([side[k] for side in sides[end - 3 : end]] for k in (0, 1))
        gaps = [high - low for low, high in zip(left, right, strict=True)]
        sizes = [abs(low) + abs(high) for low, high in zip(left, right, strict=True)]
        still = max(abs(left[2] - left[0]), abs(right[2] - right[0]))
        alike = max(sizes) < 2.0 * min(sizes) and (min(gaps) > 0.0 or max(gaps) < 0.0)
        rough = 4 * noise / steps[end - 1] + 1e-6 * sizes[2]
        sure = (alike and abs(gaps[2]) > 2.0 * still) or _jumps(left) or _jumps(right)
        if sure and abs(gaps[2]) > rough:
            return Slope(found.value, found.error, left[2], right[2], steps[end - 1])
    return found


def _jumps(slopes: list[float]) -> bool:
    """Whether slopes grow as the steps become shorter: there is a jump on this side."""
    growth = [b / a if a else 0.0 for a, b in pairwise(slopes)]
    return all(0.9 * RATIO < g < 1.1 * RATIO for g in growth)


__all__ = ["Slope", "fixed", "slope_of"]
