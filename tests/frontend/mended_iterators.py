"""What refusals of generators, iterators and what is caught advise, followed."""

from __future__ import annotations

import copy

import numpy as np

from pullback.errors import ArgumentTypeError, MutationError, UnsupportedError
from tests.frontend.mended import X, mends


def advanced(it):
    return next(it)


def advanced_if_it_can(it):
    return next(it, 0.0)


def refused_stop(xs):
    def products():
        it = iter(xs)
        for x in it:
            yield x * advanced(it)

    return sum(products())


@mends(
    refused_stop, ([1.0, 2.0, 3.0],), "give next() a default: next(it, None)", UnsupportedError,
    RuntimeError,
)  # fmt: skip
def mended_stop(xs):
    def products():
        it = iter(xs)
        for x in it:
            yield x * advanced_if_it_can(it)

    return sum(products())


def refused_chosen(xs, n):
    evens = (x for x in xs)
    odds = (2.0 * x for x in xs)
    both = evens if n > 0 else odds
    return sum(x * y for x, y in zip(both, evens))


@mends(
    refused_chosen, ([1.0, 2.0, 3.0, 4.0], 1), "make a list of its items first: xs = list(...)",
    UnsupportedError, differs=True,
)  # fmt: skip
def mended_chosen(xs, n):
    evens = list(x for x in xs)
    odds = list(2.0 * x for x in xs)
    both = evens if n > 0 else odds
    return sum(x * y for x, y in zip(both, evens))


def refused_copy(x, n):
    g = (k * x for k in range(n))
    return sum(copy.copy(g))


@mends(refused_copy, (2.0, 3), "make a new one: [... for ...]", UnsupportedError, TypeError)
def mended_copy(x, n):
    return sum([k * x for k in range(n)])


def refused_next(xs):
    return next(xs)


@mends(
    refused_next, ([2.0, 1.0],), "write next(iter(xs)), or xs[0]", ArgumentTypeError, TypeError
)
def mended_next(xs):
    return next(iter(xs))


def refused_kept_slices(a, n):
    parts = [slice(0, k + 1) for k in range(n)]
    return np.sum(a[parts[1]])


@mends(refused_kept_slices, (X, 3), "write a[start:stop] where it is used", UnsupportedError)
def mended_kept_slices(a, n):
    stops = [k + 1 for k in range(n)]
    return np.sum(a[0 : stops[1]])


def refused_kept_generators(x, n):
    rows = [(j * x for j in range(k)) for k in range(n)]
    return sum(rows[2])


@mends(refused_kept_generators, (2.0, 4), "make a list of it: [... for ...]", UnsupportedError)
def mended_kept_generators(x, n):
    rows = [[j * x for j in range(k)] for k in range(n)]
    return sum(rows[2])


def refused_drained(xs):
    def drained(ys):
        while ys:
            yield ys.pop()

    ys = [x * x for x in xs]
    return sum(drained(ys))


@mends(
    refused_drained, ([1.0, 2.0],), "let it work on a copy: ys = list(ys)", MutationError
)
def mended_drained(xs):
    def drained(ys):
        ys = list(ys)
        while ys:
            yield ys.pop()

    ys = [x * x for x in xs]
    return sum(drained(ys))


def refused_late_yield(x):
    def lines():
        for k in range(3):
            yield lambda v: v * k

    return [f(x) for f in list(lines())]


@mends(
    refused_late_yield, (2.0,), "bind the value now: yield lambda ..., k=k: ...", UnsupportedError,
    differs=True,
)  # fmt: skip
def mended_late_yield(x):
    def lines():
        for k in range(3):
            yield lambda v, k=k: v * k

    return [f(x) for f in list(lines())]
