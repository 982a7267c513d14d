"""Generators and iterators that are advanced from outside: by ``next``, beside others, in turns.
Each with its arguments."""

import itertools

import numpy as np

X = [0.3, 0.8, 0.6, 0.1, 0.9, 0.7]


def gen(x, n):
    a = x
    for _k in range(n):
        yield a
        a = a * 1.5


def two_of_five(x):
    it = gen(x, 5)
    a = next(it)
    b = next(it)
    return a + 10 * b


def three(x):
    yield x
    yield (x * x)
    yield (x ** 3)


def dflt(x):
    it = three(x)
    a = next(it)
    b = next(it)
    c = next(it)
    d = next(it, 7.0)
    return a * b + c * d


def the_rest(x):
    it = iter([x, 2 * x, 3 * x, x * x])
    first = next(it)
    t = 0.0
    for v in it:
        t += v * first
    return t


def rest_list(xs):
    it = iter(xs)
    best = next(it)
    for v in it:
        if v > best:
            best = v
    return best


def down(x):
    while x > 0.1:
        yield x
        x = x / 2


def in_a_range_loop(x):
    it = down(x)
    t = 0.0
    for _i in range(3):
        t = t * 0.5 + next(it)
    return t


def two_side_by_side(x):
    return sum((a * b for a, b in zip(gen(x, 5), down(x))))


def filt(xs):
    t = 0.0
    for v in xs:
        t += v
        if v > 0.5:
            yield (v * t)


def filtered_side_by_side(xs):
    t = 0.0
    for a, (i, b) in zip(filt(xs), enumerate(filt(xs))):
        t += a * b * (i + 1)
    return t


def turns(x):
    it = gen(x, 9)
    t = 0.0
    for a in it:
        t += a
        if a > 3:
            break
    for b in it:
        t += b * b
    return t


def pairs(xs):
    it = iter(xs)
    return sum((a * b for a, b in zip(it, it)))


def next_inside_the_loop(xs):
    it = iter(xs)
    t = 0.0
    for a in it:
        b = next(it, 1.0)
        t += a * b
    return t


def nat():
    n = 0
    while True:
        yield n
        n += 1


def infinite(x):
    ns = nat()
    t = 0.0
    while t < 20.0:
        t += next(ns) * x
    return t + next(ns)


def alternating_signs(xs):
    signs = itertools.cycle([1, -1])
    return sum(next(signs) * v for v in xs)


def helper(it):
    return next(it) + 2.0 * next(it)


def passed(x):
    it = gen(x, 8)
    return helper(it) * helper(it)


def map_that_is_advanced(xs):
    it = map(lambda v: v * v, xs)
    a = next(it)
    return a * sum(it)


def zip_that_is_advanced(xs):
    it = zip(xs, reversed(xs))
    a, b = next(it)
    return a * b + sum((p * q for p, q in it))


def enumerate_that_is_advanced(xs):
    it = enumerate(xs)
    next(it)
    t = 0.0
    for k, v in it:
        t += k * v
    return t


def expression_that_is_advanced(xs):
    it = (v * v for v in xs if v > 0.2)
    return next(it) + 3.0 * next(it) + sum(it)


def nonlocal_(x):
    calls = 0.0

    def g():
        nonlocal calls
        while True:
            calls += 1.0
            yield (calls * x)
    it = g()
    a = next(it)
    b = next(it)
    return a + b * calls


def rows_of_a_vector(a):
    it = iter(a)
    m = next(it)
    for v in it:
        m = m * 0.5 + v
    return m


def generators_in_a_row(xs):

    def scaled(src, k):
        for v in src:
            yield (v * k)
    it = scaled(scaled(iter(xs), 2.0), 3.0)
    return next(it) * next(it)


def yield_from_two(xs):

    def both(a, b):
        yield from a
        yield from b
    it = both(xs, [1.0, 2.0])
    t = next(it)
    for v in it:
        t = t * v + 1.0
    return t


def list_that_grows_inside(x):

    def g(x):
        out = []
        while True:
            out.append(x * len(out))
            yield sum(out)
    it = g(x)
    return next(it) + next(it) + next(it)


def captured(x):
    it = gen(x, 6)

    def pull():
        return next(it)
    return pull() + 2 * pull()


def in_loop(x):
    s = 0.0
    for k in range(3):
        it = gen(x + k, 4)
        s += next(it) * next(it)
        for v in it:
            s += v
    return s


def generators_made_inside(xs):

    def outer(ys):
        for k in range(3):
            yield from gen(ys[k], 2)
            yield (-ys[k])
    it = outer(xs)
    t = next(it)
    for v in it:
        t = t * 0.9 + v
    return t


def two_its(xs):
    a, b = (iter(xs), iter(xs))
    next(b)
    return sum((p * q for p, q in zip(a, b)))


def tee_by_hand(xs):
    it = enumerate(iter(xs))
    t = 0.0
    for i, v in it:
        if v > 0.7:
            j, w = next(it)
            t += w * j
        t += v * i
    return t


def matchy(x):

    def g(n):
        while True:
            match n % 3:
                case 0:
                    yield x
                case 1:
                    yield (x * x)
                case _:
                    n += 2
                    continue
            n += 1
    it = g(0)
    return next(it) + 10 * next(it) + 100 * next(it)


PROGRAMS = [
    (two_of_five, 1.3),
    (dflt, 1.3),
    (the_rest, 1.3),
    (rest_list, X),
    (in_a_range_loop, 1.3),
    (two_side_by_side, 1.3),
    (filtered_side_by_side, X),
    (turns, 0.7),
    (pairs, X),
    (next_inside_the_loop, X[:5]),
    (infinite, 1.3),
    (alternating_signs, X),
    (passed, 1.3),
    (map_that_is_advanced, X),
    (zip_that_is_advanced, X),
    (enumerate_that_is_advanced, X),
    (expression_that_is_advanced, X),
    (nonlocal_, 1.3),
    (rows_of_a_vector, np.array(X)),
    (generators_in_a_row, X),
    (yield_from_two, X),
    (list_that_grows_inside, 1.3),
    (captured, 1.3),
    (in_loop, 1.3),
    (generators_made_inside, X),
    (two_its, X),
    (tee_by_hand, X),
    (matchy, 1.3),
]
