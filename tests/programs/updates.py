"""Element updates of arrays that the function made itself: O(1) in both directions."""

import math

import numpy as np

from tests.programs import Program


def filled(xs):
    ys = np.zeros(len(xs))
    for i in range(len(xs)):
        ys[i] = xs[i] * xs[i] + i
    return np.sum(ys * ys)


def accumulated(xs, idx):
    """A histogram: several updates of one place."""
    bins = np.zeros(4)
    for i in range(len(xs)):
        bins[idx[i]] += xs[i] * (i + 1)
    return np.sum(bins * bins)


def update_loop(xs, idx):
    """n updates y[i] = g(y[j]), each reading a place written before."""
    y = np.zeros(len(xs) + 1)
    y[0] = 1.0
    for i in range(len(xs)):
        y[i + 1] = math.sin(y[idx[i]]) + xs[i]
    return y[len(xs)] + y[len(xs) // 2]


def overwritten(xs):
    """What was overwritten no longer matters; what was read before it does."""
    y = np.zeros(2)
    y[0] = xs[0]
    before = y[0] * y[0]
    y[0] = xs[1] * 3.0
    y[1] += y[0]
    y[1] += xs[2]
    return before + y[0] * y[1]


def in_place_prefix_sums(xs):
    y = np.zeros(len(xs))
    y[0] = xs[0]
    for i in range(1, len(xs)):
        y[i] = y[i - 1] * 0.5 + xs[i]
    return np.sum(np.sin(y))


def table(a, b):
    """A dynamic program over a two-dimensional table (soft edit distance)."""
    n, m = len(a), len(b)
    t = np.zeros((n + 1, m + 1))
    for i in range(n):
        t[i + 1, 0] = i + 1.0
    for j in range(m):
        t[0, j + 1] = j + 1.0
    for i in range(n):
        for j in range(m):
            cost = (a[i] - b[j]) ** 2
            up, left, both = t[i, j + 1] + 1.0, t[i + 1, j] + 1.0, t[i, j] + cost
            weight = math.exp(-up) + math.exp(-left) + math.exp(-both)
            t[i + 1, j + 1] = -math.log(weight)
    return t[n, m]


def gather_args(rng, n):
    return rng.normal(size=n), np.array([rng.integers(0, i + 1) for i in range(n)])


def vector(rng, n):
    return (rng.normal(size=n),)


PROGRAMS = [
    Program("filled", filled, vector),
    Program("accumulated", accumulated, lambda r, n: (r.normal(size=n), r.integers(0, 4, size=n))),
    Program("update_loop", update_loop, gather_args),
    Program("overwritten", overwritten, vector),
    Program("in_place_prefix_sums", in_place_prefix_sums, vector),
    Program(
        "table", table, lambda r, n: (r.normal(size=n), r.normal(size=n)), (0, 1), sizes=(2, 4, 8)
    ),
]
