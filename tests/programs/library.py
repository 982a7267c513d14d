"""Functions of ``math`` and NumPy that are written in plain Python themselves."""

import math

import numpy as np

from tests.programs import Program


def parts_of_floats(xs, a):
    total = 0.0
    for x in xs:
        fraction, whole = math.modf(3.0 * x)
        mantissa, exponent = math.frexp(a * x)
        total += fraction * a + whole * x + mantissa * exponent + math.cbrt(x)
    return total


def remainders(xs, a):
    total = 0.0
    for x in xs:
        total += math.remainder(7.0 * x, a) ** 2 + math.remainder(x, -a) * x
    return total


def polynomials(p, xs, a):
    return np.sum(np.sin(np.polyval(p, xs))) + np.polyval(p, a) * np.polyval([a, 1.0], xs[0])


def convolutions(xs, ys, a):
    full = np.convolve(xs, ys)
    same = np.convolve(ys, xs * a, mode="same")
    valid = np.convolve(xs, ys, "valid")
    return np.sum(np.sin(full)) + np.sum(np.cos(same)) + np.sum(valid**2)


def gradients(xs, h):
    return np.sum(np.gradient(xs) ** 2) + np.sum(np.sin(np.gradient(xs, h)))


def averages(x, w):
    columns = np.average(x, axis=0, weights=w)
    return np.average(x) + np.average(x, weights=w) ** 2 + np.sum(np.sin(columns))


def sums_without_nan(xs, a):
    some = np.where(xs > 0.0, xs * a, np.nan)
    return np.nansum(some) * np.nansum(some + xs, axis=0)


def rounding_to_tens(n):
    places = [round(k, -1) for k in range(-n, n)]
    return sum(places[i] * i for i in range(2 * n)), round(n * 12345, -3), round(n * 25, -1)


PROGRAMS = [
    Program("parts_of_floats", parts_of_floats, lambda r, n: (r.normal(size=n), 40.0), (0, 1)),
    Program("remainders", remainders, lambda r, n: (r.normal(size=n), 1.3), (0, 1)),
    Program(
        "polynomials",
        polynomials,
        lambda r, n: (r.normal(size=n), r.uniform(-1, 1, n), 0.7),
        (0, 1, 2),
    ),
    Program(
        "convolutions",
        convolutions,
        lambda r, n: (r.normal(size=n + 2), r.normal(size=n // 2 + 1), 0.7),
        (0, 1, 2),
    ),
    Program("gradients", gradients, lambda r, n: (r.normal(size=n), 0.7), (0, 1)),
    Program(
        "averages",
        averages,
        lambda r, n: (r.normal(size=(n, 3)), r.uniform(0.5, 2.0, (n, 3))),
        (0, 1),
    ),
    Program("sums_without_nan", sums_without_nan, lambda r, n: (r.normal(size=n), 0.7), (0, 1)),
    Program("rounding_to_tens", rounding_to_tens, lambda r, n: (n,), ()),
]
