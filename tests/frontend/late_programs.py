"""Programs over iterators of displays, whose items Python makes when it is asked for them: what is
captured changes meanwhile, an item that raises is not asked for, and what is printed has an order.
"""

from __future__ import annotations

import functools
import itertools
import math

PROGRAMS = []


def case(*args):
    def enter(f):
        PROGRAMS.append((f, *args))
        return f

    return enter


@case(2.0)
def kept(x):
    it = map(math.sqrt, [x, -1.0])
    return next(it)


@case(2.0)
def never_asked(x):
    it = map(math.sqrt, [x, -1.0])
    return x if x > 0 else sum(it)


@case(1.0)
def bound_anew_before(x):
    a = x
    scaled = map(lambda v: v * a, map(lambda v: v + a, [x, 2.0]))
    a = 100.0
    u, w = scaled
    return u + w


@case(1.0)
def bound_anew_between(x):
    a = x
    t = 0.0
    for v in map(lambda v: v * a, [x, 2.0, 3.0]):
        t += v
        a = a + 10.0
    for k, v in enumerate(v * a for v in [x, 2.0]):
        t += v * (k + 1)
        a = a + 10.0
    return t


@case(1.0)
def several_for(x):
    a = 1.5
    t = 0.0
    for v in (u * v * a for v in [x, 2.0] for u in [3.0, x]):
        t += v
        a = a + 1.0
    return t


@case([1.0, 2.0, 3.0])
def of_a_list(xs):
    a = 1.5
    t = 0.0
    for v in itertools.takewhile(lambda v: v < a, xs):
        t += v
        a = a + 1.0
    for v in itertools.accumulate(xs, lambda u, v: u + a * v):
        t += v
        a = a + 1.0
    return t


@case(1.0)
def begun_later(x):
    a = 5.0
    first = itertools.takewhile(lambda v: v < a, [x, 2.0, 10.0])
    rest = itertools.dropwhile(lambda v: v < a, [x, 2.0, 10.0])
    sums = itertools.accumulate([x, 4.0, 10.0], lambda u, v: u + a * v)
    rows = itertools.starmap(lambda v, w: v * a + w, [(x, 2.0), (2.0, x)])
    a = 1.5
    return sum(first) + 10.0 * sum(rest) + 100.0 * sum(sums) + sum(rows)


@case(2.0)
def returned(x):
    for v in map(math.sqrt, [x, x - 3.0]):
        return v


@case(2.0)
def left(x):
    for v in map(lambda v: math.sqrt(v - 1.5), [x, 1.0]):
        if v:
            break
    for k, w in enumerate(math.sqrt(u - 1.5) for u in [x, 1.0]):
        if w > k:
            break
    return v + w


@case(2.0)
def goes_on(x):
    for v in map(lambda v: math.sqrt(v - 1.5), [x, 1.0]):
        if v > 10.0:
            break
    return v


@case((1.0, 0.0))
def of_a_parameter(t):
    for v in map(lambda v: math.sqrt(v - 0.5), t):
        return v


@case(2.0)
def raised_in_the_body(x):
    for v in map(math.sqrt, [x, -1.0]):
        if v > 0.5:
            raise KeyError(3)
    return x


@case(2.0)
def caught(x):
    it = map(math.sqrt, [x, -1.0, 4.0])
    t = next(it)
    try:
        t += next(it)
    except ValueError:
        t += 100.0
    return t


@case(2.0)
def first_that_decides(x):
    some = any(map(lambda v: math.sqrt(v) > 1.0, [x, -1.0]))
    every = all(math.sqrt(v) > 2.0 for v in [x, -1.0])
    return x + some + 10 * every + 100 * (x in map(lambda v: v / (v - 3.0) * -1.0, [x, 3.0]))


@case(1.0)
def in_iterators(x):
    roots = [x, 4.0, -1.0]
    t = sum(itertools.islice(map(math.sqrt, roots), 2))
    t += sum(itertools.takewhile(lambda v: v < 2.0, map(math.sqrt, roots)))
    for v in itertools.chain([x], map(math.sqrt, [-1.0])):
        t += v
        break
    for a, b in itertools.pairwise(map(math.sqrt, roots)):
        t += a * b
        break
    for v in filter(lambda v: math.sqrt(v) > 0.5, [x, -1.0]):
        t += v
        break
    for a, b in zip([x], map(math.sqrt, [4.0, -1.0])):
        t += a * b
    return t


@case([1.0, -2.0, 3.0])
def sifted(xs):
    for v in (v for v in xs if math.sqrt(v) > 0):
        return v


@case(2.0)
def several_iterables(x):
    for v in map(lambda a, b: math.sqrt(a - b), [x, 1.0], [1.0, x]):
        return v


@case(1.0)
def folded(x):
    def checked(v):
        if v > 2.5:
            raise KeyError
        return v

    def refuses(a, b):
        raise ValueError

    return functools.reduce(refuses, map(checked, [x, 2.0, 3.0]))


@case(1.0)
def spread(x):
    a = x

    def total(u, v, w):
        return u + v + w + a

    return total(*map(lambda v: v * a, [x, 2.0]), (a := 100.0))


def first_of(it):
    return next(it)


@case(1.0)
def handed_on(x):
    it = map(math.sqrt, [x, 4.0, -1.0])
    return first_of(it) + next(it)


class Counted:
    def __init__(self):
        self.n = 0.0

    def __call__(self, v):
        self.n += 1.0
        return v * self.n


@case(1.0)
def called_objects(x):
    counted = Counted()
    it = map(counted, [x, 2.0])
    first = next(it)
    return first + counted.n * 10.0 + next(it) + counted.n * 100.0


@case(1.0)
def printed(x):
    def shown(v):
        print("item", v)
        return v

    it = map(shown, [x, 2.0])
    print("made")
    first = next(it)
    print("between")
    for v in map(shown, [first, 3.0]):
        print("round", v)
    return first + next(it)


@case(3)
def of_several_types(n):
    it = map(float, (n, 2.5, "7"))
    a, b = map(float, (n, 0.5))
    return next(it) + 10.0 * next(it) + 100.0 * next(it) + a * b


@case(1.5)
def without_an_end(x):
    powers = itertools.accumulate(itertools.repeat(x), lambda u, v: u * v)
    t = sum(c * p for c, p in zip([1.0, 2.0, 3.0], powers))
    for c, p in zip([1.0, 2.0], itertools.accumulate(itertools.count(1), lambda u, v: u + v)):
        t += c * p * x
    return t
