"""Iterators of the library, columns of tables, arrays with borders."""

from __future__ import annotations

import math
from itertools import count, dropwhile, takewhile

import numpy as np

from tests.programs import Program


def first_terms(x):
    """A power series, as far as its terms matter."""
    return sum(
        t * t
        for t in takewhile(
            lambda t: abs(t) > 1e-3, (x**k / math.factorial(k % 20) for k in count())
        )
    )


def rising(xs):
    """What comes before the first large number, and what from there on."""
    before = sum(x * x for x in takewhile(lambda x: x < 0.9, xs))
    after = [x * k for k, x in enumerate(dropwhile(lambda x: x < 0.9, xs))]
    return before + sum(after)


def columns(rows):
    """Products along the columns of a table; the shortest row says how many there are."""
    total = 0.0
    for k, column in enumerate(zip(*rows)):
        total += (k + 1) * math.prod(column) + column[-1]
    return total


def turned(pairs):
    xs, ys = zip(*pairs)
    return sum(x * y for x, y in zip(xs, reversed(ys))) + max(xs) * min(ys)


def bordered(a, b):
    """A filter over an array with each kind of border."""
    total = 0.0
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        wide = np.pad(a, ((1, 1), (2, 0)), mode=mode)
        total += np.sum(wide[1:, 1:] * wide[:-1, :-1] * b)
    return total + np.sum(np.pad(a[0], (0, 2), constant_values=b) ** 2)


def product_of_grids(a, b):
    return np.sum(np.sin(np.kron(a, b)) * np.kron(b, a[0])[0, 0])


def quantised(xs):
    """Rounding to tenths is constant: only what it is multiplied with has a derivative."""
    return sum(round(float(x), 1) * x * x for x in xs)


PROGRAMS = [
    Program("first_terms", first_terms, lambda r, n: (0.37,), sizes=(1,)),
    Program("rising", rising, lambda r, n: (r.uniform(0.0, 1.5, size=n),), sizes=(3, 8)),
    Program(
        "columns",
        columns,
        lambda r, n: ([r.normal(size=n + k % 2).tolist() for k in range(3)],),
        sizes=(2, 5),
    ),
    Program(
        "turned", turned, lambda r, n: ([(float(a), float(b)) for a, b in r.normal(size=(n, 2))],),
        sizes=(2, 5),
    ),
    Program("bordered", bordered, lambda r, n: (r.normal(size=(n, 3)), 0.7), (0, 1), (2, 4)),
    Program(
        "product_of_grids", product_of_grids,
        lambda r, n: (r.normal(size=(2, n)), r.normal(size=(n, 2))), (0, 1), (2, 3),
    ),
    Program("quantised", quantised, lambda r, n: (r.normal(size=n),), sizes=(3, 9)),
]
