"""Algorithms with loops over numbers and lists, as in text books."""

import math


def trapezoid(a, b, n):
    h = (b - a) / n
    s = 0.5 * (math.exp(-a * a) + math.exp(-b * b))
    for i in range(1, n):
        x = a + i * h
        s += math.exp(-x * x)
    return s * h


def simpson(a, b, n):
    if n % 2 == 1:
        n += 1
    h = (b - a) / n
    total = math.sin(a) + math.sin(b)
    for i in range(1, n):
        if i % 2 == 0:
            total += 2 * math.sin(a + i * h)
        else:
            total += 4 * math.sin(a + i * h)
    return total * h / 3


def newton_sqrt(value, tolerance=1e-12):
    guess = value if value > 1 else 1.0
    while abs(guess * guess - value) > tolerance:
        guess = (guess + value / guess) / 2
    return guess


def bisect_root(target):
    lo, hi = 0.0, 10.0
    while True:
        mid = (lo + hi) / 2
        if hi - lo < 1e-10:
            break
        if mid**3 + mid > target:
            hi = mid
        else:
            lo = mid
    return mid * target


def horner(coefficients, x):
    result = 0
    for c in reversed(coefficients):
        result = result * x + c
    return result


def lagrange(xs, ys, x):
    total = 0.0
    for i in range(len(xs)):
        term = ys[i]
        for j in range(len(xs)):
            if j != i:
                term *= (x - xs[j]) / (xs[i] - xs[j])
        total += term
    return total


def newton_divided(xs, ys, x):
    n = len(xs)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        table[i][0] = ys[i]
    for j in range(1, n):
        for i in range(n - j):
            table[i][j] = (table[i + 1][j - 1] - table[i][j - 1]) / (xs[i + j] - xs[i])
    result, factor = 0.0, 1.0
    for j in range(n):
        result += table[0][j] * factor
        factor *= x - xs[j]
    return result


def gauss_solve(a, b):
    n = len(b)
    a = [row[:] for row in a]
    b = b[:]
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[pivot][k]):
                pivot = i
        a[k], a[pivot] = a[pivot], a[k]
        b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= factor * a[k][j]
            b[i] -= factor * b[k]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= a[i][j] * x[j]
        x[i] = s / a[i][i]
    return sum(v * v for v in x)


def thomas(lower, main, upper, rhs):
    n = len(main)
    c = upper[:]
    d = rhs[:]
    c[0] /= main[0]
    d[0] /= main[0]
    for i in range(1, n):
        m = main[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] /= m
        d[i] = (d[i] - lower[i - 1] * d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def bubble_sort_weighted(values):
    xs = list(values)
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    total = 0
    for rank, v in enumerate(xs, start=1):
        total += rank * v
    return total


def longest_common_subsequence_score(a, b, bonus):
    rows, cols = len(a) + 1, len(b) + 1
    dp = [[0.0 for _ in range(cols)] for _ in range(rows)]
    for i in range(1, rows):
        for j in range(1, cols):
            if a[i - 1] == b[j - 1]:
                dp[i][j] = dp[i - 1][j - 1] + bonus
            else:
                dp[i][j] = max(dp[i - 1][j], dp[i][j - 1])
    return dp[-1][-1]


def knapsack(values, weights, capacity):
    best = [0.0] * (capacity + 1)
    for v, w in zip(values, weights):
        for c in range(capacity, w - 1, -1):
            candidate = best[c - w] + v
            if candidate > best[c]:
                best[c] = candidate
    return best[capacity]


def max_subarray(xs):
    best = current = xs[0]
    for x in xs[1:]:
        current = max(x, current + x)
        best = max(best, current)
    return best


def running_variance(xs):
    count = 0
    mean = 0.0
    m2 = 0.0
    for x in xs:
        count += 1
        delta = x - mean
        mean += delta / count
        m2 += delta * (x - mean)
    if count < 2:
        return float("nan")
    return m2 / (count - 1)


def rk4_pendulum(theta, omega, dt, steps):
    g, length = 9.81, 1.0
    for _ in range(steps):
        k1t, k1o = omega, -g / length * math.sin(theta)
        k2t, k2o = omega + 0.5 * dt * k1o, -g / length * math.sin(theta + 0.5 * dt * k1t)
        k3t, k3o = omega + 0.5 * dt * k2o, -g / length * math.sin(theta + 0.5 * dt * k2t)
        k4t, k4o = omega + dt * k3o, -g / length * math.sin(theta + dt * k3t)
        theta += dt * (k1t + 2 * k2t + 2 * k3t + k4t) / 6
        omega += dt * (k1o + 2 * k2o + 2 * k3o + k4o) / 6
    return theta, omega


def collatz_weighted(n, weight):
    steps = 0
    acc = 0.0
    while n != 1:
        if n & 1:
            n = 3 * n + 1
        else:
            n >>= 1
        steps += 1
        acc += weight / steps
    return acc


def moving_average(xs, window):
    out = []
    for i in range(len(xs)):
        lo = max(0, i - window + 1)
        chunk = xs[lo : i + 1]
        out.append(sum(chunk) / len(chunk))
    return out


def convolve(a, b):
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def power_iteration(matrix, rounds):
    n = len(matrix)
    v = [1.0] * n
    value = 0.0
    for _ in range(rounds):
        w = []
        for row in matrix:
            acc = 0.0
            for m, x in zip(row, v):
                acc += m * x
            w.append(acc)
        value = max(abs(x) for x in w)
        v = [x / value for x in w]
    return value


def agm(a, b):
    while abs(a - b) > 1e-14 * abs(a):
        a, b = (a + b) / 2, math.sqrt(a * b)
    else:
        done = a
    return done


CASES = [
    (trapezoid, (0.0, 1.5, 20)),
    (simpson, (0.2, 2.0, 11)),
    (newton_sqrt, (7.0,)),
    (bisect_root, (5.0,)),
    (horner, ([1.0, -2.0, 0.5, 3.0], 1.3)),
    (lagrange, ([0.0, 1.0, 2.5], [1.0, 3.0, -1.0], 1.7)),
    (newton_divided, ([0.0, 1.0, 2.5], [1.0, 3.0, -1.0], 1.7)),
    (gauss_solve, ([[2.0, 1.0, 0.5], [4.0, -6.0, 0.0], [-2.0, 7.0, 2.0]], [5.0, -2.0, 9.0])),
    (thomas, ([1.0, 1.0], [4.0, 4.0, 4.0], [1.0, 1.0], [1.0, 2.0, 3.0])),
    (bubble_sort_weighted, ([3.0, 1.0, 2.5, -1.0],)),
    (longest_common_subsequence_score, ("pullback", "backpull", 1.5)),
    (knapsack, ([6.0, 10.0, 12.0], [1, 2, 3], 5)),
    (max_subarray, ([1.0, -3.0, 4.0, -1.0, 2.0],)),
    (running_variance, ([1.0, 2.0, 4.0, 8.0],)),
    (rk4_pendulum, (0.5, 0.1, 0.01, 20)),
    (collatz_weighted, (27, 0.3)),
    (moving_average, ([1.0, 2.0, 4.0, 8.0], 2)),
    (convolve, ([1.0, 2.0, 3.0], [0.5, -1.0])),
    (power_iteration, ([[2.0, 1.0], [1.0, 3.0]], 12)),
    (agm, (1.0, 2.0)),
]
