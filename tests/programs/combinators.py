"""Pullback's own combinators, each with its plain Python meaning."""

import math

import numpy as np

import pullback as pb
from tests.programs import Program


def built(xs):
    ys = pb.build(len(xs), lambda i: xs[i] * xs[0] + i)
    return np.sum(ys * ys)


def built_rows(xs):
    m = pb.build(len(xs), lambda i: xs[i] * xs)
    return np.sum(m[0]) + m[-1, 0] * np.sum(m)


def mapped(xs, ys, a):
    return np.sum(pb.map(lambda x: math.sin(a * x), xs)) + sum(pb.map(lambda u, v: u * v, xs, ys))


def folded(xs):
    return pb.fold(lambda a, b: a * b, 1.0, xs) + pb.fold(lambda a, b: a + b, 0.0, xs)


def looped(x, n):
    return pb.loop(n, lambda i, s: math.sin(s) + x * i, x)


def looped_pair(x, n):
    a, b = pb.loop(n, lambda i, s: (s[1], s[0] * 0.5 + x), (x, 1.0))
    return a * b


def vector(rng, n):
    return (rng.uniform(0.5, 1.5, size=n),)


PROGRAMS = [
    Program("built", built, vector),
    Program("built_rows", built_rows, vector, sizes=(2, 4, 8)),
    Program("mapped", mapped, lambda rng, n: (*vector(rng, n), *vector(rng, n), 0.7), (0, 1, 2)),
    Program("folded", folded, vector),
    Program("looped", looped, lambda rng, n: (rng.normal(), n)),
    Program("looped_pair", looped_pair, lambda rng, n: (rng.normal(), n)),
]
