"""Names that some paths set only, read where they have a value."""

import math

import numpy as np

from tests.programs import Program


def last_item(xs):
    for x in xs:
        last = x * x
    return last + x


def last_positive(xs):
    for x in xs:
        if x > 0.0:
            found = x * math.sin(x)
    return found


def differences(xs):
    """The first round sets what the later ones read."""
    total = 0.0
    for i in range(len(xs)):
        if i > 0:
            total += (xs[i] - before) ** 2
        before = xs[i]
    return total


def first_over(xs, limit):
    for k, x in enumerate(xs):
        if x > limit:
            found = x * k
            break
    else:
        found = -xs[0]
    return found * found


def set_by_flag(xs, flag):
    if flag:
        scale = np.sum(xs * xs)
    total = np.sum(xs)
    if flag:
        total = total * scale
    return total


def until_small(x):
    while True:
        x = 0.5 * x
        y = x * x
        if y < 0.01:
            break
    return y


def inner_of_nested(xs, n):
    for i in range(n):
        for x in xs:
            if x > 0.0:
                t = x * i
        u = t * 2.0
    return u + t


def array_of_last_round(x, n):
    for i in range(n):
        a = np.zeros(3)
        a[0] = x * i
    a[1] = x * x
    return np.sum(a * a)


def captured(xs, flag):
    if flag:
        k = xs[0] * 3.0

    def f(z):
        return z * k

    return sum(f(x) for x in xs) if flag else 0.0 * xs[0]


def chosen_by_number(xs, kind):
    match kind:
        case 1:
            ys = np.sin(xs)
        case 2:
            ys = xs * xs
    return np.sum(ys * xs)


def positive_first(rng, n):
    xs = rng.normal(size=n)
    return np.concatenate([[1.0 + rng.uniform()], xs])


PROGRAMS = [
    Program("last_item", last_item, lambda rng, n: (positive_first(rng, n),)),
    Program("last_positive", last_positive, lambda rng, n: (positive_first(rng, n),)),
    Program("differences", differences, lambda rng, n: (rng.normal(size=n),)),
    Program("first_over", first_over, lambda rng, n: (rng.normal(size=n + 1), 1.0)),
    Program("first_over_none", first_over, lambda rng, n: (rng.normal(size=n + 1), 99.0)),
    Program("set_by_flag", set_by_flag, lambda rng, n: (rng.normal(size=n), 1)),
    Program("not_set_by_flag", set_by_flag, lambda rng, n: (rng.normal(size=n), 0)),
    Program("until_small", until_small, lambda rng, n: (rng.uniform(1.0, 9.0),)),
    Program(
        "inner_of_nested",
        inner_of_nested,
        lambda rng, n: (positive_first(rng, n), n),
        sizes=(2, 4, 8),
    ),
    Program("array_of_last_round", array_of_last_round, lambda rng, n: (rng.normal(), n)),
    Program("captured_maybe", captured, lambda rng, n: (rng.normal(size=n), 1)),
    Program("chosen_by_number", chosen_by_number, lambda rng, n: (rng.normal(size=n), 2)),
]
