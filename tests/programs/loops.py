"""``for``, comprehensions, and Python's own functions of sequences."""

import math

import numpy as np

import pullback as pb
from tests.programs import Program


def loop_over_range(x, n):
    y = x
    for i in range(1, n + 1):
        y = math.sin(y) + x / i
    return y


def loop_over_steps(x, n):
    total = 0.0
    for i in range(2 * n, 0, -2):
        total += x**2 / i
    return total


def loop_over_array(xs):
    total, product = 0.0, 1.0
    for x in xs:
        total += x
        product *= 1.0 + 0.1 * x
    return total * product


def loop_over_rows(m):
    total = 0.0
    for row in m:
        total += row[0] * np.sum(row)
    return total


def sum_of_squares(xs):
    return sum(x * x for x in xs)


def nested_sums(xs, ys):
    """All pairs; nothing of size n * n is ever stored."""
    return sum(
        sum(math.exp(-((xs[i] - ys[j]) ** 2)) for j in range(len(ys))) for i in range(len(xs))
    )


def comprehension(xs):
    ys = np.array([math.sin(x) * x for x in xs])
    return sum(ys) * ys[0]


def comprehension_of_rows(xs):
    n = len(xs)
    m = np.array([[xs[i] * xs[j] + i for j in range(n)] for i in range(n)])
    return np.sum(m * m)


def filtered(xs):
    return sum(x * x for x in xs if x > 0.0)


def zipped(xs, ys):
    return sum(x * y for x, y in zip(xs, ys))


def enumerated(xs):
    total = 0.0
    for i, x in enumerate(xs):
        total += (i + 1) * x * x
    return total


def extremes(xs):
    return max(xs) * min(xs) + max(xs[0], 0.25) + min(2.0, xs[1], xs[2])


def extreme_of_generator(xs):
    return max(math.sin(x) for x in xs) - min(x * x for x in xs)


def length(xs):
    return sum(xs) / len(xs)


def log_sum_exp(xs):
    top = max(xs)
    return top + math.log(sum(math.exp(x - top) for x in xs))


def matrix_product_by_hand(a, b):
    n, k = a.shape
    m = b.shape[1]
    c = np.array([[sum(a[i, p] * b[p, j] for p in range(k)) for j in range(m)] for i in range(n)])
    return sum(c[i, i] for i in range(min(n, m)))


def gather(xs, idx):
    """n reads at given places: O(1) each in reverse, however long xs is."""
    total = 0.0
    for i in range(len(idx)):
        total += xs[idx[i]] * (i + 1)
    return total


def running_state(xs):
    """A linear recurrence whose every state matters."""
    state, best = 0.0, 0.0
    for x in xs:
        state = 0.9 * state + x
        best = best + state * state
    return best


def triangular(xs):
    return sum(sum(xs[i] * xs[j] for j in range(i + 1)) for i in range(len(xs)))


def vector(rng, n):
    return (rng.normal(size=n),)


def two_vectors(rng, n):
    return rng.normal(size=n), rng.normal(size=n)


def gradient_in_loop(xs, idx):
    """A derivative in a loop, of a function that captures an array: O(1) a round in reverse too."""
    total = 0.0
    for i in range(len(idx)):
        total += pb.grad(lambda v: v * v * xs[idx[i]])(xs[i])
    return total


def gather_args(rng, n):
    return rng.normal(size=n), rng.integers(0, n, size=n)


def fast_transform(x, steps):
    """The iterative FFT, real parts and imaginary parts apart: steps of ranges grow by doubling."""
    n = 1 << steps
    re, im = x[:n].copy(), np.zeros(n)
    length = n
    while length >= 2:
        half = length // 2
        for start in range(0, n, length):
            for k in range(half):
                p, q = start + k, start + k + half
                c, s = math.cos(2 * math.pi * k / length), -math.sin(2 * math.pi * k / length)
                u, v = re[p] - re[q], im[p] - im[q]
                re[p], im[p] = re[p] + re[q], im[p] + im[q]
                re[q], im[q] = u * c - v * s, u * s + v * c
        length = half
    return np.sum(np.arange(n) * (re * re + im * im)) + re[0]


def weights_of_primes(xs):
    n, total = len(xs), 0.0
    prime = [True] * n
    for p in range(2, n):
        if prime[p]:
            total += xs[p] ** 2
            for multiple in range(p * p, n, p):
                prime[multiple] = False
    for step in range(-3, 4):
        if step:
            for i in range(n - 1 if step < 0 else 0, -1 if step < 0 else n, step):
                total = 0.9 * total + xs[i] * step
    return total


PROGRAMS = [
    Program("loop_over_range", loop_over_range, lambda rng, n: (rng.normal(), n)),
    Program("loop_over_steps", loop_over_steps, lambda rng, n: (rng.normal(), n)),
    Program("loop_over_array", loop_over_array, vector),
    Program("loop_over_rows", loop_over_rows, lambda rng, n: (rng.normal(size=(n, 4)),)),
    Program("sum_of_squares", sum_of_squares, vector),
    Program("nested_sums", nested_sums, two_vectors, (0, 1)),
    Program("comprehension", comprehension, vector),
    Program("comprehension_of_rows", comprehension_of_rows, vector, sizes=(2, 4, 8)),
    Program("filtered", filtered, vector),
    Program("zipped", zipped, two_vectors, (0, 1)),
    Program("enumerated", enumerated, vector),
    Program("extremes", extremes, vector),
    Program("extreme_of_generator", extreme_of_generator, vector),
    Program("length", length, vector),
    Program("log_sum_exp", log_sum_exp, vector),
    Program(
        "matrix_product_by_hand",
        matrix_product_by_hand,
        lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=(3, n))),
        (0, 1),
        sizes=(2, 4, 8),
    ),
    Program("gather", gather, gather_args),
    Program(
        "fast_transform", fast_transform, lambda rng, n: (rng.normal(size=16), n), sizes=(1, 2, 4)
    ),
    Program("weights_of_primes", weights_of_primes, vector),
    Program("gradient_in_loop", gradient_in_loop, gather_args),
    Program("running_state", running_state, vector),
    Program("triangular", triangular, vector, sizes=(2, 5, 12)),
]
