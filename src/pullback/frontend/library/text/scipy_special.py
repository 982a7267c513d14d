"""Functions of ``scipy.special`` that follow from others, as plain Python that the front end
compiles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import unsupported


def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """Return in how many ways k of N things are chosen."""
    if repetition:
        unsupported("comb with repetition=True", "comb(N + k - 1, k)")
    if exact:
        return math.comb(N, k)
    outside = (np.asarray(k) > N) | (np.asarray(N) < 0) | (np.asarray(k) < 0)
    return np.where(outside, 0.0, scipy.special.binom(N, k))


def factorial(n: Any, exact: bool = False) -> Any:
    """Return the product of the ints from 1 to n; 0 for negative n."""
    if exact:
        return math.factorial(n)
    return np.where(np.asarray(n) < 0, 0.0, scipy.special.gamma(np.asarray(n) + 1.0))


def kl_div(x: Array, y: Array) -> Array:
    return scipy.special.rel_entr(x, y) - x + y


def boxcox(x: Array, lmbda: Array) -> Array:
    """Return (x**lmbda - 1) / lmbda, which is log(x) where lmbda is 0."""
    small = np.abs(lmbda) < 1e-19
    power = np.where(small, 1.0, lmbda)
    return np.where(small, np.log(x), np.expm1(power * np.log(x)) / power)
