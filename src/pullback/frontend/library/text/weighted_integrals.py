"""Integrals with a weight of ``scipy.integrate.quad``, as plain Python that the front end compiles:
SciPy's value, and the derivative of an integral that is the same. The ends of infinite ones are
sums of alternating terms (H. Cohen, F. Rodriguez Villegas and D. Zagier, "Convergence acceleration
of alternating series", 2000)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text.solver_answers import answered, packed

Integral = Callable[[Any, Any, Any], Any]
"""The integral of a function between two numbers."""

_TERMS = 24


def _waves(g: Any, a: Any, weight: str, by: Any, over: Integral) -> Any:
    """Return the integral from a on of a function that is multiplied by a wave."""
    size = np.abs(constant(by))
    wide = (2 * np.floor(size) + 1) * math.pi / size

    def f(x: float) -> float:
        y: float = g(x) * (np.sin(by * x) if weight == "sin" else np.cos(by * x))
        return y

    d = (3.0 + math.sqrt(8.0)) ** _TERMS
    d = (d + 1.0 / d) / 2.0
    b, c, total = -1.0, -d, 0.0 * by
    for k in range(_TERMS):
        c = b - c
        sign = 1.0 if k % 2 == 0 else -1.0
        total = total + c * sign * over(f, a + k * wide, a + (k + 1) * wide)
        b = (k + _TERMS) * (k - _TERMS) * b / ((k + 0.5) * (k + 1.0))
    return total / d


def _at_end(h: Any, power: Any, logs: bool, wide: Any, over: Integral) -> Any:
    """Return the integral of h(x) x^power, also times log(x), from 0 to ``wide``."""
    inverse = 1.0 / (1.0 + power)

    def f(u: float) -> float:
        x = u**inverse
        y: float = h(x) * inverse * (np.log(x) if logs else 1.0)
        return y

    return over(f, 0.0, wide ** (1.0 + power))


def _algebraic(g: Any, a: Any, b: Any, weight: str, powers: Any, over: Integral) -> Any:
    """Return the integral of a function times powers of the distances from both ends."""
    alpha, beta = powers
    half = 0.5 * (b - a)
    first, second = weight in ("alg-loga", "alg-log"), weight in ("alg-logb", "alg-log")

    def left(x: float) -> float:
        rest = b - a - x
        y: float = g(a + x) * rest**beta * (np.log(rest) if second else 1.0)
        return y

    def right(x: float) -> float:
        rest = b - a - x
        y: float = g(b - x) * rest**alpha * (np.log(rest) if first else 1.0)
        return y

    return _at_end(left, alpha, first, half, over) + _at_end(right, beta, second, half, over)


def _pole(g: Any, a: Any, b: Any, at: Any, over: Integral) -> Any:
    """Return the principal value of the integral of g(x) / (x - at)."""
    there = g(at)
    if not constant(a) < constant(at) < constant(b):
        return over(lambda x: g(x) / (x - at), a, b)

    def f(x: float) -> float:
        y: float = (g(x) - there) / (x - at)
        return y

    return over(f, a, at) + over(f, at, b) + there * np.log((b - at) / (at - a))


def weighted(g: Any, a: Any, b: Any, weight: str, wvar: Any, numbers: Any,
             over: Integral) -> tuple[float, float]:  # fmt: skip
    """Return the integral of a function times a weight, and its error."""
    if weight not in ("cos", "sin", "alg", "alg-loga", "alg-logb", "alg-log", "cauchy"):
        raise ValueError(f"{weight} not a recognized weighting function.")

    def answer(kind: int, x: Vector) -> Vector:
        return np.array([g(x[0])])

    told = packed((a, b, np.asarray(wvar) * 1.0, *numbers))
    found = answered(described("weighted", weight), constant(told), constant(answer))
    if weight == "cos" or weight == "sin":
        below, above = constant(a) == -np.inf, constant(b) == np.inf
        if below:
            sign = -1.0 if weight == "sin" else 1.0
            own = _waves(lambda x: sign * g(-x), -b, weight, wvar, over)
        elif above:
            own = _waves(g, a, weight, wvar, over)
        else:
            wave = np.sin if weight == "sin" else np.cos
            own = over(lambda x: g(x) * wave(wvar * x), a, b)
    elif weight == "cauchy":
        own = _pole(g, a, b, wvar, over)
    else:
        own = _algebraic(g, a, b, weight, wvar, over)
    return float(found[0] + (own - constant(own))), float(found[1])
