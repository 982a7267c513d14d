"""Functions of a module that one factory or decorator made, of which the run chooses one: they have
one text, and captured variables of their own."""

from __future__ import annotations

import functools
import math
from functools import partial

TABLE = {}


def times(w):
    def inner(v):
        return w * v

    return inner


def composed(f, g):
    return lambda v: f(g(v))


def registered(name, weight):
    def decorate(f):
        @functools.wraps(f)
        def inner(*args):
            return weight * f(*args)

        TABLE[name] = inner
        return inner

    return decorate


@registered("square", 2.0)
def square(v):
    return v * v


@registered("same", 3.0)
def same(v):
    return v


def power(w, v, p=1.0):
    return w * v**2 * p


TWICE, THRICE = times(2.0), times(3.0)
LISTED = [times(k) for k in (2.0, 3.0, 4.0)]
WITH_DEFAULTS = [lambda v, k=k: k * v for k in (2.0, 3.0, 4.0)]
TOGETHER = [composed(TWICE, math.sin), composed(THRICE, math.cos), composed(TWICE, THRICE)]
PARTIALS = partial(power, 2.0, p=5.0), partial(power, 2.0, p=7.0)


class Holder:
    def __init__(self, f):
        self.f = f


def registry(xs):
    return sum(TABLE["square" if x > 0.4 else "same"](x) for x in xs)


def one_of_two(xs):
    total = 0.0
    for x in xs:
        f = TWICE if x > 0.4 else THRICE
        total += f(x) + (PARTIALS[0] if x > 0.4 else PARTIALS[1])(x)
    return total


def by_index(xs):
    fs = [LISTED, WITH_DEFAULTS, TOGETHER]
    return sum(f[i % 3](x) for f in fs for i, x in enumerate(xs))


def carried_and_kept(xs):
    f, fs, holders = TWICE, [], [Holder(LISTED[2]), Holder(TWICE)]
    for x in xs:
        fs.append(f)
        f = composed(f, THRICE if x > 0.4 else LISTED[2])
    holders[0].f = THRICE
    holders.append(holders[0])
    kept = sum(h.f(x) for h, x in zip(holders, xs, strict=False))
    return f(xs[0]) + fs[1](xs[1]) + kept


RIGHT = [registry, one_of_two, by_index, carried_and_kept]
