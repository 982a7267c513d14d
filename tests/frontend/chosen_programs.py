"""Functions that are chosen at run time, or kept in data, and change variables around them."""

import numpy as np


def by_a_condition(xs):
    n = 0.0

    def up(v):
        nonlocal n
        n += v
        return n

    def down(v):
        nonlocal n
        n -= 0.5 * v
        return n

    f = up if xs[0] > 0.5 else down
    a = f(2.0 * xs[1])
    return a * 10 + n


def in_a_list(xs):
    n = 0.0

    def up(v):
        nonlocal n
        n += v

    def down(v):
        nonlocal n
        n -= v

    ops = [up, down]
    for k, x in enumerate(xs):
        ops[k % 2](x * (k + 1))
    ops[-1](xs[0])
    return n


def callbacks(xs):
    log = []

    def on_a(v):
        log.append(v)

    def on_b(v):
        log.append(v * 2)

    def each(xs, cb):
        for x in xs:
            cb(x)

    each(xs, on_a)
    each(xs, on_b if xs[0] > 0.1 else on_a)
    return sum(v * k for k, v in enumerate(log))


def observers(xs):
    seen = []
    total = 0.0

    def obs1(v):
        seen.append(v)

    def obs2(v):
        nonlocal total
        total += v * v

    obs = []
    obs.append(obs1)
    obs.append(obs2)
    for x in xs:
        for o in obs:
            o(x)
    return sum(seen) + total


def until_one_is_found(xs):
    n = 0.0

    def small(v):
        nonlocal n
        n += v
        return v > 1.2

    def large(v):
        nonlocal n
        n += 2 * v
        return v < 1.0

    for x in xs:
        for test in (small, large):
            if test(x):
                break
    return n


def in_a_dict(xs):
    out = []
    acts = {"p": lambda v: out.append(v), "q": lambda v: out.append(-v)}
    for k, x in enumerate(xs):
        acts["p" if k % 2 else "q"](x)
    return sum(v * (k + 1) for k, v in enumerate(out))


def optional_callback(xs):
    t = 0.0

    def cb(v):
        nonlocal t
        t += v

    def run(xs, cb=None):
        for x in xs:
            if cb is not None:
                cb(x)

    run(xs, cb)
    run(xs)
    return t


def given_by_a_function(xs):
    n = 0.0

    def a(v):
        nonlocal n
        n += v

    def b(v):
        nonlocal n
        n -= v * v

    def pick(c):
        return a if c else b

    for x in xs:
        pick(x > 1.0)(x)
    return n


def given_by_statements(xs):
    hits = [0.0, 0.0]

    def left(v):
        hits[0] += v

    def right(v):
        hits[1] += v * v

    for x in xs:
        if x > 1.0:
            f = left
        elif x > 0.8:
            f = right
        else:
            continue
        f(x)
    return hits[0] * hits[1] + hits[1]


def two_of_one_factory(xs):
    def make(k):
        n = k

        def count(v):
            nonlocal n
            n += v
            return n

        return count

    a, b = make(1.0), make(2.0)
    f = a if xs[0] > 0.5 else b
    f(xs[1])
    return a(0.0) + 10 * b(0.0) + f(xs[2])


def chosen_twice(xs):
    n = 1.0

    def a(v):
        nonlocal n
        n += v

    def b(v):
        nonlocal n
        n *= v

    def c(v):
        nonlocal n
        n -= v

    f = a if xs[0] > 1.0 else b
    g = f if xs[1] > 1.0 else c
    h = c if xs[2] > 1.0 else g
    f(xs[0])
    g(xs[1])
    h(xs[2])
    return n


def read_between(xs):
    total = 0.0

    def add(v):
        nonlocal total
        total += v

    def drop(v):
        nonlocal total
        total -= v

    f = add if xs[0] > 0.5 else drop
    total = 5.0
    f(xs[1])
    total *= 2.0
    f(xs[2])
    return total


def passed_on_or_nothing(xs):
    out = [xs[0]]

    def f():
        out.append(xs[1])

    twice(f if xs[0] > 0.0 else lambda: None)
    return sum(out)


def twice(f):
    f()
    f()


def array_or_as_it_is(xs):
    a = np.zeros(3)

    def f():
        a[0] = xs[0]
        return a

    b = (f if xs[1] > 0.0 else lambda: a)()
    return b[0] + a[0] * 2.0


PROGRAMS = [
    by_a_condition, in_a_list, callbacks, observers, until_one_is_found, in_a_dict,
    optional_callback, given_by_a_function, given_by_statements, two_of_one_factory, chosen_twice,
    read_between, passed_on_or_nothing, array_or_as_it_is,
]  # fmt: skip
