"""Updates and errors, against plain Python."""

from __future__ import annotations

import math

import numpy as np

from tests.frontend.harness import agrees

# --- updates --------------------------------------------------------------------------------------


def prefix_sums(x):
    out = np.zeros(len(x))
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = out[i - 1] + x[i]
    return out


def histogram(idx, n):
    counts = np.zeros(n)
    for i in range(len(idx)):
        counts[idx[i]] += 1.0
    return counts


def table(n, m):
    a = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if i == 0 or j == 0:
                a[i, j] = i + j
            else:
                a[i][j] = a[i - 1, j] + a[i, j - 1]
    return a


def double_buffer(x, steps):
    a, b = x.copy(), np.zeros(len(x))
    for _ in range(steps):
        for i in range(1, len(x) - 1):
            b[i] = 0.5 * (a[i - 1] + a[i + 1])
        a, b = b, a
    return a


def made_by_helper(x):
    def fresh(n):
        a = np.ones(n)
        a[0] = 5.0
        return a

    y = fresh(len(x))
    y[1] += x[0]
    return y


def test_updates():
    x = np.array([1.0, 2.0, 4.0, 8.0])
    agrees(prefix_sums, x)
    agrees(histogram, np.array([0, 2, 2, 1]), 3)
    agrees(table, 3, 4)
    agrees(double_buffer, x, 3)
    agrees(made_by_helper, x)


# --- raising --------------------------------------------------------------------------------------


def checks(x, n):
    assert n > 0, "n must be positive"
    if x < 0.0:
        raise ValueError("x must not be negative")
    elif x == 0.0:
        raise ZeroDivisionError
    return math.sqrt(x) / n


def deep_raise(x):
    y = 1.0 if x > 0 else complain(x)
    return y * x


def complain(x):
    raise RuntimeError("no")


def test_raises():
    for x, n in ((4.0, 2), (4.0, 0), (-1.0, 1), (0.0, 1)):
        agrees(checks, x, n)
    agrees(deep_raise, 1.0)
    agrees(deep_raise, -1.0)
    agrees(lambda x: x[5], np.zeros(3))
