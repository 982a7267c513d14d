"""What refusals of generators, iterators and what is caught advise, followed."""

from __future__ import annotations

import copy
import itertools
import math
from collections import defaultdict

import numpy as np

import pullback as pb
from pullback.errors import ArgumentTypeError, EndlessError, MutationError, UnsupportedError
from tests.frontend.mended import mends


def advanced(it):
    return next(it)


def advanced_if_it_can(it):
    return next(it, 0.0)


def inverse(v):
    return 1 / v


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


def guarded(xs, log):
    try:
        for x in xs:
            yield x * x
    finally:
        log.append(1.0)


def shown(xs):
    try:
        yield from xs
    finally:
        print(end="")


def refused_up_to_nan(x):
    numbers = [x, math.nan]
    return sum(iter(lambda: numbers.pop(0), math.nan))


@mends(
    refused_up_to_nan, (2.0,), "while True: v = f(); if math.isnan(v): break", UnsupportedError
)
def mended_up_to_nan(x):
    numbers = [x, math.nan]
    total = 0.0
    while True:
        v = numbers.pop(0)
        if math.isnan(v):
            break
        total += v
    return total


def refused_in_a_dict(xs):
    each = {"all": shown(xs)}
    return next(each["all"])


@mends(
    refused_in_a_dict, ([1.0, 2.0],), "give it one name, in the function that goes through it",
    UnsupportedError,
)  # fmt: skip
def mended_in_a_dict(xs):
    g = shown(xs)
    return next(g)


def refused_left_by_an_exception(xs):
    g = shown(xs)
    total = 0.0
    for v in g:
        total += 1 / v
    return total


@mends(
    refused_left_by_an_exception, ([1.0, 2.0],), "close it here: try: ... finally: g.close()",
    UnsupportedError,
)  # fmt: skip
def mended_left_by_an_exception(xs):
    g = shown(xs)
    total = 0.0
    try:
        for v in g:
            total += 1 / v
    finally:
        g.close()
    return total


def refused_close(xs):
    squares = map(lambda v: v * v, xs)
    total = next(squares)
    squares.close()
    return total


@mends(refused_close, ([1.0, 2.0],), "leave it out", ArgumentTypeError, AttributeError)
def mended_close(xs):
    squares = map(lambda v: v * v, xs)
    return next(squares)


def refused_left_by_name(xs):
    log = []
    squares = guarded(xs, log)
    for y in squares:
        if y > 1.0:
            break
    return y + len(log)


@mends(
    refused_left_by_name, ([0.5, 1.5, 2.5],), "call it where it is used: for v in items(xs): ...",
    MutationError, differs=True,
)  # fmt: skip
def mended_left_by_name(xs):
    def squares():
        try:
            for x in xs:
                yield x * x
        finally:
            log.append(1.0)

    log = []
    for y in squares():
        if y > 1.0:
            break
    return y + len(log)


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


def scaled(k, f):
    if k > 0:
        for v in scaled(k - 1, f):
            try:
                yield f(v)
            except ValueError:
                return
    else:
        yield 1.0


def handed_on(k, x, w):
    if k > 0:
        yield from handed_on(k - 1, x, w * x)
    else:
        yield w


def refused_inside_itself(x, n):
    return sum(scaled(n, lambda v: v * x))


@mends(
    refused_inside_itself, (2.0, 3), "hand the items on as they are (yield from)", EndlessError
)
def mended_inside_itself(x, n):
    return sum(handed_on(n, x, 1.0))


# --- what is caught -------------------------------------------------------------------------------


def checked(x):
    if x < 0.0:
        raise ValueError("negative")
    return x


def refused_head(xs):
    n = 0
    try:
        while checked(xs[n]) > 1.0:
            n += 1
        else:
            n += 2
    except ValueError:
        n -= 1
    return n * xs[0]


@mends(refused_head, ([2.0, -2.0],), "compute it in a statement of its own", UnsupportedError)
def mended_head(xs):
    n = 0
    try:
        while True:
            v = checked(xs[n])
            if not v > 1.0:
                n += 2
                break
            n += 1
    except ValueError:
        n -= 1
    return n * xs[0]


NAMED = (ValueError, "ZeroDivisionError")


def refused_classes(x):
    try:
        return checked(x)
    except NAMED:
        return 0.0


@mends(
    refused_classes, (2.0,), "name the classes: except (ValueError, ZeroDivisionError): ...",
    UnsupportedError,
)  # fmt: skip
def mended_classes(x):
    try:
        return checked(x)
    except (ValueError, ZeroDivisionError):
        return 0.0


# --- derivatives of lists -------------------------------------------------------------------------


def refused_list_moved(x, n):
    def path(x):
        ys = []
        for k in range(n):
            ys.append(x * k)
        return ys

    return sum(pb.jvp(path, (x,), (1.0,))[1])


@mends(
    refused_list_moved, (2.0, 3), "let it return np.array(...) of the numbers", UnsupportedError
)
def mended_list_moved(x, n):
    def path(x):
        ys = []
        for k in range(n):
            ys.append(x * k)
        return np.array(ys)

    return sum(pb.jvp(path, (x,), (1.0,))[1])


# --- iterators with a name ------------------------------------------------------------------------


def refused_named_pairs(xs):
    pairs = itertools.product(xs, xs)
    return sum(a * b for a, b in pairs)


@mends(
    refused_named_pairs, ([1.0, 2.0],), "use it where it is made, or make a list of it",
    UnsupportedError,
)  # fmt: skip
def mended_named_pairs(xs):
    return sum(a * b for a, b in itertools.product(xs, xs))


def multiples(x):
    for k in range(6):
        yield k * x


def first(g):
    for v in g:
        return v
    return 0.0


def refused_late_row(x, n):
    rows = [(j * k * x for j in range(3)) for k in range(n)]
    return sum(rows[0]) + sum(rows[1])


@mends(
    refused_late_row, (2.0, 3), "make a list of it: [... for ...]", UnsupportedError, differs=True
)
def mended_late_row(x, n):
    rows = [[j * k * x for j in range(3)] for k in range(n)]
    return sum(rows[0]) + sum(rows[1])


def refused_begun(x, n):
    def multiples():
        k = -1

        def another():
            nonlocal k
            k += 1
            return k

        while another() < 5:
            yield k * x

    d = {"g": multiples()}
    total = sum(next(d["g"]) for _ in range(n))
    return total + next(d["g"])


@mends(refused_begun, (2.0, 2), "or make a new generator here", UnsupportedError)
def mended_begun(x, n):
    items = [j * x for j in range(5)]
    return sum(items[k] for k in range(n)) + items[n]


def refused_longer(xs):
    return sum(u * v for u, v in zip(map(inverse, [xs[0], xs[1], xs[2]]), [1.0, 2.0]))


@mends(
    refused_longer, ([1.0, 2.0, 4.0],),
    "put what has the fewest items first, or make a list of the iterator: list(...)",
    UnsupportedError,
)  # fmt: skip
def mended_longer(xs):
    return sum(u * v for v, u in zip([1.0, 2.0], map(inverse, [xs[0], xs[1], xs[2]])))


def refused_generators_object(x):
    def items():
        yield x
        return lambda y: y * x

    it = items()
    total = next(it)
    total += next(it)
    return total


@mends(
    refused_generators_object, (1.5,), "yield it as the last item, or give next() a default",
    UnsupportedError, StopIteration, differs=True,
)  # fmt: skip
def mended_generators_object(x):
    def items():
        yield x
        return lambda y: y * x

    it = items()
    total = next(it, 0.0)
    total += next(it, 2.0)
    return total


def refused_factory(x):
    out = defaultdict(lambda: 1.0)
    out[int(x)] += x
    return out


@mends(
    refused_factory, (1.5,), "return dict(d), or let a class be the factory", UnsupportedError,
    differs=True,
)  # fmt: skip
def mended_factory(x):
    out = defaultdict(lambda: 1.0)
    out[int(x)] += x
    return dict(out)


class Found(Exception):
    pass


def refused_text_or_number(x):
    try:
        if x > 1.0:
            raise Found(x)
        raise Found("nothing")
    except Found as e:
        return e.args[0]


@mends(
    refused_text_or_number, (1.5,), "return numbers that the program has computed: "
    "return float(e.args[0])", UnsupportedError, differs=True,
)  # fmt: skip
def mended_text_or_number(x):
    try:
        if x > 1.0:
            raise Found(x)
        raise Found(0.0)
    except Found as e:
        return float(e.args[0])


class Falling:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return self

    def __next__(self):
        if self.x < 0.0:
            raise StopIteration
        self.x -= 1.0
        return self.x


def refused_object_of_its_own(x):
    def halves():
        source = Falling(x)
        for v in source:
            yield v / 2.0

    it = halves()
    return next(it) + 10.0 * next(it)


@mends(
    refused_object_of_its_own, (3.5,),
    "make the iterator where the loop begins: for v in iter(items)", UnsupportedError,
)  # fmt: skip
def mended_object_of_its_own(x):
    def halves():
        source = Falling(x)
        for v in iter(source):
            yield v / 2.0

    it = halves()
    return next(it) + 10.0 * next(it)
