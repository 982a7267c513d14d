"""Special functions of SciPy as plain Python that the front end compiles (``compiled_text``).

Series and continued fractions are summed until nothing changes, and differentiated as they stand:
that is how ``gammainc`` has a derivative by its order."""

from __future__ import annotations

import math

import numpy as np
import scipy.special

from pullback.combinators import stop_gradient

EPSILON = 1e-17
TINY = 1e-300
MANY = 100_000


def _rest_of_stirling(x: float) -> float:
    """gammaln(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2), for x >= 15"""
    r = 1.0 / (x * x)
    return (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / x


def betaln(a: float, b: float) -> float:
    """log |B(a, b)|; of large numbers without the difference of large logarithms"""
    small, large = min(a, b), max(a, b)
    if small < 15.0 and (large < 15.0 or small <= 0.0):
        return both_gammas(a, b)
    rest = _rest_of_stirling(large) - _rest_of_stirling(a + b)
    if small < 15.0:
        turned = (large - 0.5) * np.log1p(small / large) + small * np.log(small + large) - small
        return scipy.special.gammaln(small) - turned + rest
    part = small / (small + large)
    sides = (small - 0.5) * np.log(part) - large * np.log1p(small / large)
    return sides - 0.5 * np.log(large) + 0.5 * math.log(2.0 * math.pi) + (
        _rest_of_stirling(small) + rest)  # fmt: skip


def both_gammas(a: float, b: float) -> float:
    return scipy.special.gammaln(a) + scipy.special.gammaln(b) - scipy.special.gammaln(a + b)


def beta(a: float, b: float) -> float:
    """B(a, b)"""
    if a > 0.0 and b > 0.0:
        result = np.exp(betaln(a, b))
    else:
        ratio = scipy.special.gamma(a) / scipy.special.gamma(a + b)
        result = ratio * scipy.special.gamma(b)
    return result


def lower_series(a: float, x: float) -> float:
    """gammainc, for x < a + 1"""
    term, total, k = 1.0 / a, 1.0 / a, 1.0
    while abs(term) > EPSILON * abs(total) and k < MANY:
        term = term * (x / (a + k))
        total = total + term
        k = k + 1.0
    return total * np.exp(a * np.log(x) - x - scipy.special.gammaln(a))


def between(x: float) -> float:
    """Return x, or a number that is far from whole where x is (nearly) whole: there continued
    fractions end early, but not their derivatives."""
    return x + 0.5 if abs(x - np.rint(x)) < 1e-3 else x


def upper_rounds(a: float, x: float) -> float:
    """After how many rounds ``upper_fraction`` has converged, with its derivatives."""
    b = x + 1.0 - a
    c, d, change, k = 1.0 / TINY, 1.0 / b, 2.0, 1.0
    while abs(change - 1.0) > 1e-16 and k < MANY:
        an = k * (a - k)
        b = b + 2.0
        d = an * d + b
        if abs(d) < TINY:
            d = TINY
        c = b + an / c
        if abs(c) < TINY:
            c = TINY
        d = 1.0 / d
        change = d * c
        k = k + 1.0
    return k


def upper_fraction(a: float, x: float) -> float:
    """gammaincc, for x > a + 1: a continued fraction by Lentz's method"""
    least, known = 0.0, stop_gradient(a)
    if between(known) != known:
        least = upper_rounds(between(known), stop_gradient(x))
    b = x + 1.0 - a
    c, d = 1.0 / TINY, 1.0 / b
    h, change, k = d, 2.0, 1.0
    while (abs(change - 1.0) > 1e-16 or k < least) and k < MANY:
        an = k * (a - k)
        b = b + 2.0
        d = an * d + b
        if abs(d) < TINY:
            d = TINY
        c = b + an / c
        if abs(c) < TINY:
            c = TINY
        d = 1.0 / d
        change = d * c
        h = h * change
        k = k + 1.0
    return h * np.exp(a * np.log(x) - x - scipy.special.gammaln(a))


def gammainc(a: float, x: float) -> float:
    """The regularised lower incomplete gamma function"""
    if x < 0.0 or a <= 0.0 or x != x or a != a:
        result = np.nan
    elif x == 0.0:
        result = 0.0 * a
    elif x == np.inf:
        result = 1.0
    elif x < a + 1.0:
        result = lower_series(a, x)
    else:
        result = 1.0 - upper_fraction(a, x)
    return result


def gammaincc(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function"""
    if x < 0.0 or a <= 0.0 or x != x or a != a:
        result = np.nan
    elif x == 0.0:
        result = 1.0
    elif x == np.inf:
        result = 0.0 * a
    elif x < a + 1.0:
        result = 1.0 - lower_series(a, x)
    else:
        result = upper_fraction(a, x)
    return result


def beta_rounds(a: float, b: float, x: float) -> float:
    """After how many rounds ``beta_fraction`` has converged, with its derivatives."""
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    if abs(d) < TINY:
        d = TINY
    d = 1.0 / d
    change, k = 2.0, 1.0
    while abs(change - 1.0) > 1e-16 and k < MANY:
        even = k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k))
        d = 1.0 + even * d
        if abs(d) < TINY:
            d = TINY
        c = 1.0 + even / c
        if abs(c) < TINY:
            c = TINY
        d = 1.0 / d
        odd = -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0))
        d = 1.0 + odd * d
        if abs(d) < TINY:
            d = TINY
        c = 1.0 + odd / c
        if abs(c) < TINY:
            c = TINY
        d = 1.0 / d
        change = d * c
        k = k + 1.0
    return k


def beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of betainc, by Lentz's method, for x < (a + 1) / (a + b + 2)"""
    least, known = 0.0, stop_gradient(b)
    if between(known) != known:
        least = beta_rounds(stop_gradient(a), between(known), stop_gradient(x))
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    if abs(d) < TINY:
        d = TINY
    d = 1.0 / d
    h, change, k = d, 2.0, 1.0
    while (abs(change - 1.0) > 1e-16 or k < least) and k < MANY:
        even = k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k))
        d = 1.0 + even * d
        if abs(d) < TINY:
            d = TINY
        c = 1.0 + even / c
        if abs(c) < TINY:
            c = TINY
        d = 1.0 / d
        h = h * (d * c)
        odd = -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0))
        d = 1.0 + odd * d
        if abs(d) < TINY:
            d = TINY
        c = 1.0 + odd / c
        if abs(c) < TINY:
            c = TINY
        d = 1.0 / d
        change = d * c
        h = h * change
        k = k + 1.0
    return h


def betainc(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function"""
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0):
        result = np.nan
    elif x == 0.0 or x == 1.0:
        result = x
    else:
        front = np.exp(a * np.log(x) + b * np.log1p(-x) - betaln(a, b))
        if x < (a + 1.0) / (a + b + 2.0):
            result = front * beta_fraction(a, b, x) / a
        else:
            result = 1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    return result


def log_ndtr(x: float) -> float:
    """The logarithm of the normal distribution function; an asymptotic series far out"""
    if x > 6.0:
        result = np.log1p(-0.5 * scipy.special.erfc(x * math.sqrt(0.5)))
    elif x > -20.0:
        result = np.log(0.5 * scipy.special.erfc(-x * math.sqrt(0.5)))
    else:
        z = 1.0 / (x * x)
        term, total = 1.0, 1.0
        for k in range(1, 10):
            term = -term * (2 * k - 1) * z
            total = total + term
        result = np.log(total) - 0.5 * x * x - np.log(-x) - 0.5 * math.log(2.0 * math.pi)
    return result


def polygamma(n: float, x: float) -> float:
    """The n-th derivative of digamma"""
    if n == 0.0:
        result = scipy.special.digamma(x)
    else:
        sign = 2.0 * (n % 2.0) - 1.0
        result = sign * scipy.special.gamma(n + 1.0) * scipy.special.zeta(n + 1.0, x)
    return result


def binom(n: float, k: float) -> float:
    """The binomial coefficient, of real numbers"""
    return 1.0 / ((n + 1.0) * beta(n - k + 1.0, k + 1.0))


def entr(x: float) -> float:
    """-x log(x)"""
    result = -np.inf
    if x > 0.0:
        result = -x * np.log(x)
    elif x == 0.0:
        result = 0.0
    elif x != x:
        result = x
    return result


def rel_entr(x: float, y: float) -> float:
    """x log(x / y)"""
    result = np.inf
    if x > 0.0 and y > 0.0:
        result = x * np.log(x / y)
    elif x == 0.0 and y >= 0.0:
        result = 0.0
    elif x != x or y != y:
        result = np.nan
    return result
