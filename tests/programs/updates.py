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


def swapped_in_place(x):
    """Pairs of elements change places."""
    a = x * 1.0
    n = len(a)
    for i in range(n // 2):
        a[i], a[n - 1 - i] = a[n - 1 - i] * 2.0, a[i]
    return np.sum(a * np.arange(n))


def smoothed_in_place(x):
    """Every element reads what the round has already changed."""
    a = x.copy()
    for _ in range(3):
        for i in range(1, len(a) - 1):
            a[i] = 0.5 * (a[i - 1] + a[i + 1]) + math.sin(a[i])
    return np.sum(a * a)


def best_so_far(x):
    """A table of values and one of integers, updated on a condition."""
    best, where = np.full(len(x), -1e9), np.zeros(len(x), dtype=np.int64)
    for i in range(len(x)):
        for j in range(i + 1):
            v = x[i] * x[j] - 0.1 * (i - j)
            if v > best[i]:
                best[i] = v
                where[i] = j
    return np.sum(best * where) + best[where[-1]]


def added_at(x, idx):
    """``np.add.at``: repeated places count as often as they are named."""
    a = np.zeros(4)
    np.add.at(a, idx, x * x)
    np.subtract.at(a, [0, 0], 1.0)
    np.multiply.at(a, idx, 1.0 + 0.1 * x)
    b = np.ones((4, 2))
    np.add.at(b, idx, x[:2])
    np.add.at(b, (idx, idx % 2), x)
    np.add.at(b, 1, x[0])
    np.add.at(b, b[:, 0] > 1.0, 0.5)
    return np.sum(a * np.arange(4.0)) + np.sum(b * b)


def _add_at(a, idx, v):
    np.add.at(a, idx, v)


def added_at_in_lists(x, idx):
    t = [np.zeros(4) for _ in range(3)]
    for k in range(3):
        np.add.at(t[k], idx, x * k)
        _add_at(t[k], k, x[0])
    for a in t:
        np.add.at(a, idx, x)
        _add_at(a, idx, np.sin(x))
    return sum(np.sum(a * a) for a in t)


def extended_by_rows(x):
    """A list extended by one that is in the same list, or by itself."""
    t = [[v] for v in x]
    for k in range(1, len(t)):
        t[0].extend(t[k])
        t[k] += t[k - 1][:2]
    t[1] += t[1]
    ys = [v for row in t for v in row]
    ys.extend(ys)
    ys += ys[1:3]
    return sum(math.sin(v) * k for k, v in enumerate(ys))


def gather_args(rng, n):
    return rng.normal(size=n), np.array([rng.integers(0, i + 1) for i in range(n)])


def vector(rng, n):
    return (rng.normal(size=n),)


PROGRAMS = [
    Program("filled", filled, vector),
    Program("added_at", added_at, lambda r, n: (r.normal(size=n), r.integers(0, 4, size=n))),
    Program("added_at_in_lists", added_at_in_lists,
            lambda r, n: (r.normal(size=n), r.integers(-4, 4, size=n))),
    Program("extended_by_rows", extended_by_rows, vector),
    Program("accumulated", accumulated, lambda r, n: (r.normal(size=n), r.integers(0, 4, size=n))),
    Program("update_loop", update_loop, gather_args),
    Program("overwritten", overwritten, vector),
    Program("swapped_in_place", swapped_in_place, vector),
    Program("smoothed_in_place", smoothed_in_place, vector),
    Program("best_so_far", best_so_far, vector),
    Program("in_place_prefix_sums", in_place_prefix_sums, vector),
    Program(
        "table", table, lambda r, n: (r.normal(size=n), r.normal(size=n)), (0, 1), sizes=(2, 4, 8)
    ),
]  # fmt: skip
