"""Functions that keep their results: of floats, and such as forget."""

from __future__ import annotations

import math
from functools import cache, lru_cache


def legendre(x):
    @cache
    def p(n, x):
        if n < 2:
            return x if n else 1.0
        return ((2 * n - 1) * x * p(n - 1, x) - (n - 1) * p(n - 2, x)) / n

    return p(30, x) + p(7, x) * p(7, x / 2)


def splines(x):
    @lru_cache(None)
    def basis(i, k, t):
        if k == 0:
            return 1.0 if i <= t < i + 1 else 0.0
        left = (t - i) / k * basis(i, k - 1, t)
        return left + (i + k + 1 - t) / k * basis(i + 1, k - 1, t)

    return sum(basis(0, 3, t) for t in [x, 2 * x, x, 3 * x])


def equal_points(x):
    """Equal floats with different derivatives: no dict may have them as keys."""

    @cache
    def square(v):
        return v * v

    return square(x) + square(1.3 + 3 * (x - 1.3))


@lru_cache(maxsize=128)
def bell(x, width):
    return math.exp(-x * x / width)


@lru_cache(None)
def chebyshev(n, x, scale=1.0):
    if n < 2:
        return scale * x if n else scale
    return 2 * x * chebyshev(n - 1, x, scale=scale) - chebyshev(n - 2, x, scale)


def of_the_module(x):
    return bell(x, 0.7) * bell(2 * x, x) + chebyshev(20, x) + chebyshev(3, 0.5, 2.0)


def by_an_outer_number(x):
    width = 2 * x

    @cache
    def scaled(t):
        return t * width

    return scaled(x) + scaled(3.0)


def forgets(x):
    """What is forgotten is computed anew, by what the variables around hold then."""
    w, ws = x, [x]

    @lru_cache(maxsize=1)
    def f(k):
        return w * k

    @lru_cache(maxsize=1)
    def g(k):
        return ws[0] * k

    a = f(1) + g(1)
    f(2)
    g(2)
    w, ws[0] = 5 * x, 7 * x
    return a + f(1) * g(1)


RIGHT = [
    legendre, splines, equal_points, of_the_module, by_an_outer_number, forgets,
]  # fmt: skip


def changed_between(x):
    """Python keeps the result of the first call, in which the width is another one."""
    width = 2.0

    @cache
    def scaled(t):
        return t * width

    a = scaled(x)
    width = 3.0
    return a + scaled(x)


def a_list_between(x):
    widths = [2.0]

    @cache
    def scaled(t):
        return t * widths[0]

    a = scaled(x)
    widths[0] = 3.0
    return a + scaled(x)


def halved(x):
    @cache
    def f(t):
        return t if t < 0.1 else f(t / 2) + f(t / 3)

    return f(x)


SCALE = 1.0


@lru_cache(maxsize=1)
def scaled(k):
    return SCALE * k


def with_scale(v):
    global SCALE
    SCALE = v


def forgets_in_a_module(x):
    a = scaled(3) + scaled(4)
    with_scale(5.0)
    b = scaled(3)
    with_scale(1.0)
    return (a + b) * x


def by_each_other(x):
    """Without what they keep, these would take exponentially long."""

    @cache
    def even(n, x):
        return x if n == 0 else odd(n - 1, x) + odd(n - 1, x)

    @cache
    def odd(n, x):
        return 1.0 if n == 0 else even(n - 1, x) * x + even(n - 1, x)

    return even(6, x)


def of_a_list(x):
    @cache
    def f(v):
        return sum(v)

    return f([x, x])


REFUSED = [
    changed_between, a_list_between, halved, forgets_in_a_module, by_each_other, of_a_list,
]  # fmt: skip
