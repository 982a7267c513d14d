"""Generators, and conditions of loops, that change what others read in turns."""

from __future__ import annotations

import itertools
from functools import reduce
from heapq import heapify, heappop


def counts_in_turns(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            n += 1
            yield (x * n)
    t = 0.0
    for v in g():
        t += v * n
        n += 1
    return t + n


def appends_between(xs):
    log = []

    def g():
        for x in xs:
            log.append(x * 2.0)
            yield x
    t = 0.0
    for v in g():
        t += v * log[-1] + len(log)
    return t + sum(log)


def reads_what_the_body_appends(xs):
    kept = []

    def fresh():
        for x in xs:
            if x not in kept:
                yield x
    for x in fresh():
        kept.append(x)
    return sum(kept) + len(kept)


def sum_of_counted(xs):
    n = 0.0

    def g():
        nonlocal n
        for x in xs:
            n += x
            yield (n * x)
    return sum(g()) * n


def any_counts_what_it_asked(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            n += 1
            yield (x > 1.0)
    a = any(g())
    return n * 2.0 + (1.0 if a else 0.0) + xs[0]


def body_rebinds_a_limit(xs):
    lim = 10.0

    def g():
        for x in xs:
            if x < lim:
                yield x
    t = 0.0
    for v in g():
        lim = v * 1.01
        t += v * lim
    return t


def recursive_walk_that_counts(xs):
    calls = 0

    def walk(lo, hi):
        nonlocal calls
        calls += 1
        if hi - lo == 1:
            yield xs[lo]
        else:
            m = (lo + hi) // 2
            yield from walk(lo, m)
            yield from walk(m, hi)
    t = 0.0
    for v in walk(0, len(xs)):
        t = t * 0.5 + v * calls
    return t + calls


def endless_counter(xs):
    n = 0

    def g():
        nonlocal n
        while True:
            n += 1
            yield (n * xs[0])
    for v in g():
        if v > 5.0:
            break
    return v + n


def returns_from_the_loop(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            n += 1
            yield x

    def first(lim):
        for v in g():
            if v > lim:
                return v * n
        return -1.0
    return first(0.8) + n + first(5.0) * n


def int_becomes_float(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            yield n
            n = x
    t = 0.0
    for v in g():
        t += v * n
    return t + n


def body_makes_it_float(xs):
    n = 0

    def g():
        for x in xs:
            yield (n * x)
    t = 0.0
    for v in g():
        n = v + 0.5
        t += v
    return t + n


def generator_given_to_a_function(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            n += 1
            yield x

    def use(it):
        nonlocal n
        t = 0.0
        for v in it:
            t += v * n
        return t
    return use(g()) + n


def expression_reads_it(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            n += 1
            yield x
    return sum(v * n for v in g()) + n


def generator_over_a_generator(xs):
    log = []

    def inner():
        for x in xs:
            log.append(x)
            yield x

    def outer():
        for v in inner():
            log.append(v * 10.0)
            yield (v + len(log))
    t = 0.0
    for v in outer():
        t += v * len(log)
        log.append(0.5)
    return t + sum(log)


def reduce_that_counts(xs):
    n = 0.0

    def g():
        for x in xs:
            yield x * x

    def add(a, b):
        nonlocal n
        n += 1.0
        return a + b * n
    return reduce(add, g(), 0.0) * n


def drains_a_heap(xs):
    h = list(xs)
    heapify(h)

    def drain():
        while h:
            yield heappop(h)
    t = 0.0
    for v in drain():
        t = t * 0.5 + v * len(h)
    return t


def queue_that_the_body_fills(xs):
    edges = [[1, 2], [3], [3], []]
    queue = [0]

    def visit():
        while queue:
            yield queue.pop(0)
    t = 0.0
    for v in visit():
        t = t * 0.7 + xs[v % 3]
        for w in edges[v]:
            queue.append(w)
    return t


def sets_a_name_first(xs):

    def g():
        nonlocal last
        for x in xs:
            last = x
            yield x
    last = 0.0
    for v in g():
        last += v
    return last


def chain_of_two(xs):
    log = []

    def g(v):
        for x in xs:
            log.append(v)
            yield (x * len(log))
    return sum(itertools.chain(g(1.0), g(2.0))) + sum(log)


def map_over_a_generator(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return v * n

    def g():
        for x in xs:
            yield x * x
    return sum(map(k, g())) + n


def walrus_in_a_condition(xs):
    i = 0
    t = 0.0
    while (i := (i + 1)) < 3:
        t += xs[i] * i
    return t + i


def walrus_with_break_and_else(xs):
    x = xs[0] * 10
    n = 0
    while (x := (x * 0.5)) > 0.1:
        n += 1
        if n > 3:
            break
    else:
        n += 100
    return x * n


def call_in_a_condition(xs):
    k = 0

    def more():
        nonlocal k
        k += 1
        return k < 3
    t = 0.0
    while more():
        if k == 1:
            continue
        t += xs[k] * k
    return t + k


def pop_in_a_condition(xs):
    st = [1.0, 2.0, 3.0]
    t = 0.0
    while st and (v := st.pop()) > 1.5:
        t += v * xs[0]
    return t + len(st)


def two_generators_side_by_side(xs):
    n = 0

    def g():
        nonlocal n
        for x in xs:
            n += 1
            yield (x * n)
    return sum((a * b for a, b in zip(g(), g())))


def counter_chosen_at_run_time(xs):

    def make(k):
        n = k

        def f(v):
            nonlocal n
            n += 1.0
            return v * n
        return f
    a = make(0.0)
    b = make(1.0)
    f = a if xs[0] > 0.5 else b
    return f(xs[1]) + a(xs[0])


def best_row_updated(xs):
    rows = [[x, x * 2] for x in xs]
    best = rows[0]
    for r in rows:
        if r[1] > best[1]:
            best = r
    best[0] += 5.0
    return sum(r[0] * r[1] for r in rows)


def row_given_back(xs):
    rows = [[x, x * 2] for x in xs]

    def pick(k):
        return rows[k]
    r = pick(1)
    r[0] += 2.0
    return sum(r[0] * r[1] for r in rows)


def row_given_back_at_once(xs):

    def pick(rows, k):
        return rows[k]
    rows = [[x, x * 2] for x in xs]
    pick(rows, 1)[0] += 2.0
    return sum(r[0] * r[1] for r in rows)


def bound_method_in_a_map(xs):
    out = []
    list(map(out.append, xs))
    return sum(out)


def dict_comprehension_that_counts(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return v * n
    d = {s: k(xs[0]) for s in ('a', 'b')}
    return d['a'] + d['b'] * n


PROGRAMS = [
    dict_comprehension_that_counts,
    row_given_back, row_given_back_at_once, bound_method_in_a_map,
    two_generators_side_by_side, counter_chosen_at_run_time, best_row_updated,
    counts_in_turns, appends_between, reads_what_the_body_appends, sum_of_counted,
    any_counts_what_it_asked, body_rebinds_a_limit, recursive_walk_that_counts, endless_counter,
    returns_from_the_loop, int_becomes_float, body_makes_it_float,
    generator_given_to_a_function, expression_reads_it, generator_over_a_generator,
    reduce_that_counts, drains_a_heap, queue_that_the_body_fills, sets_a_name_first,
    chain_of_two, map_over_a_generator, walrus_in_a_condition, walrus_with_break_and_else,
    call_in_a_condition, pop_in_a_condition,
]  # fmt: skip
