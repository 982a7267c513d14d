"""Programs that change a variable in one place and read it in another, in turns: in generators and
their consumers, in comprehensions, in conditions of loops, in functions that others call."""

from __future__ import annotations

import itertools
from functools import reduce
from heapq import heapify, heappop
from itertools import accumulate, starmap, takewhile

import pullback as pb


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
            yield x

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
    for v in g():
        pass
    last = last
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
            yield x
    return sum(map(k, g())) + n


def zip_of_a_walrus(xs):
    total = 0.0
    for y, w in zip(((z := x) for x in xs), xs):
        total += y * w
    return total + z


def captures_the_last_item(xs):
    return [lambda: x * y for x in xs if (y := x) > 0.0][-1]()


def walrus_over_zip(xs):
    t = 0.0
    s = sum(((t := (t * 0.5 + a * b)) for a, b in zip(xs, xs[1:])))
    return s + t


def walrus_over_enumerate(xs):
    t = 0.0
    s = [(t := (t * 0.5 + a * i)) for i, a in enumerate(xs)]
    return sum(s) + t


def comprehension_that_appends(xs):
    out = []
    [out.append(x * x) for x in xs]
    return sum(out) * len(out)


def comprehension_that_counts(xs):
    n = 0

    def f(v):
        nonlocal n
        n += 1
        return v * n
    ys = [f(x) for x in xs]
    return sum(ys) + n


def expressions_that_count(xs):
    n = 0

    def f(v):
        nonlocal n
        n += 1
        return v * n
    t = sum(f(x) for x in xs)
    u = max(f(x) for x in xs)
    a = any(f(x) > 3.5 for x in xs)
    return t * 2 + u + n + (1.0 if a else 0.0)


def nested_comprehensions_that_count(xs):
    n = 0

    def f(v):
        nonlocal n
        n += 1
        return v * n
    rows = [[f(x * y) for y in xs] for x in xs]
    return sum(sum(r) for r in rows) + n


def memo_table_in_a_comprehension(xs):
    table = [0.0] * 8
    done = [False] * 8

    def fib(k):
        if k < 2:
            return xs[k]
        if not done[k]:
            table[k] = fib(k - 1) * 0.5 + fib(k - 2)
            done[k] = True
        return table[k]
    return sum([fib(k) for k in range(8)])


def key_that_counts(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return -v
    ys = sorted(xs, key=k)
    return ys[0] * 3 + ys[1] + n


def max_by_a_key_that_counts(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return -v
    return max(xs, key=k) * 3 + n


def map_that_counts(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return v * n
    return sum(map(k, xs)) + n


def list_of_a_map(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return v * n
    ys = list(map(k, xs))
    return ys[-1] + n


def filter_that_counts(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return v > 0.8
    ys = list(filter(k, xs))
    return sum(ys) + n


def max_of_three_by_a_key(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return -v
    return max(xs[0], xs[1], xs[2], key=k) * 3 + n


def min_of_a_tuple_by_a_key(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return -v
    return min((xs[0], xs[1], xs[2]), key=k) * 3 + n


def sorted_known_items(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return -v
    return sorted([xs[0], xs[1], xs[2]], key=k)[0] * 3 + n


def sort_by_a_key_that_counts(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return -v
    ys = [xs[0], xs[1], xs[2]]
    ys.sort(key=k)
    return ys[0] * 3 + n


def any_of_a_map_over_a_tuple(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return v > 1.0
    a = any(map(k, (xs[0], xs[1], xs[2])))
    return xs[0] * n + (1.0 if a else 0.0)


def for_over_a_map(xs):
    n = 0

    def k(v):
        nonlocal n
        n += 1
        return v * n
    t = 0.0
    for v in map(k, xs):
        t += v * n
        n += 1
    return t + n


def map_over_two_lists(xs):
    n = 0

    def k(v, w):
        nonlocal n
        n += 1
        return v * n + w
    return sum(map(k, xs, xs[1:])) + n


def accumulate_that_counts(xs):
    n = 0.0

    def k(v, w):
        nonlocal n
        n += 1
        return v * 0.5 + w * n
    return sum(accumulate(xs, k)) + n


def accumulate_from_one(xs):
    n = 0.0

    def k(v, w):
        nonlocal n
        n += 1
        return v * 0.5 + w * n
    return sum(accumulate(xs, k, initial=1.0)) + n


def takewhile_that_counts(xs):
    n = 0.0

    def k(v):
        nonlocal n
        n += 1
        return v < 1.0
    return sum(takewhile(k, xs)) + n


def starmap_that_counts(xs):
    n = 0.0

    def k(v, w):
        nonlocal n
        n += 1
        return v * w * n
    return sum(starmap(k, [(x, x * x) for x in xs])) + n


def key_that_appends(xs):
    seen = []
    ys = sorted(xs, key=lambda v: (seen.append(v), -v)[1])
    return ys[0] * len(seen) + seen[0]


def fold_that_counts(xs):
    n = 0

    def k(s, x):
        nonlocal n
        n += 1
        return s + x * n
    return pb.fold(k, 0.0, xs) + n


def map_of_a_lambda_that_appends(xs):
    out = []
    list(map(lambda v: out.append(v * v), xs))
    return sum(out)


def filter_and_body_append(xs):
    log = []

    def pos(v):
        log.append(v)
        return v > 0.8
    for v in filter(pos, xs):
        log.append(v * 10)
    return sum(log) * len(log)


def reduce_over_a_list(xs):
    n = 0.0

    def add(a, b):
        nonlocal n
        n += 1.0
        return a + b * n
    return reduce(add, xs, 0.0) * n


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


def best_row_read(xs):
    rows = [[x, x * 2] for x in xs]
    best = rows[0]
    for r in rows:
        if r[1] > best[1]:
            best = r
    return best[0] * best[1]


PROGRAMS = [
    counts_in_turns, appends_between, reads_what_the_body_appends, sum_of_counted,
    any_counts_what_it_asked, body_rebinds_a_limit, recursive_walk_that_counts, endless_counter,
    returns_from_the_loop, int_becomes_float, body_makes_it_float,
    generator_given_to_a_function, expression_reads_it, generator_over_a_generator,
    reduce_that_counts, drains_a_heap, queue_that_the_body_fills, sets_a_name_first,
    chain_of_two, map_over_a_generator, zip_of_a_walrus, captures_the_last_item,
    walrus_over_zip, walrus_over_enumerate, comprehension_that_appends,
    comprehension_that_counts, expressions_that_count, nested_comprehensions_that_count,
    memo_table_in_a_comprehension, key_that_counts, max_by_a_key_that_counts, map_that_counts,
    list_of_a_map, filter_that_counts, max_of_three_by_a_key, min_of_a_tuple_by_a_key,
    sorted_known_items, sort_by_a_key_that_counts, any_of_a_map_over_a_tuple, for_over_a_map,
    map_over_two_lists, accumulate_that_counts, accumulate_from_one, takewhile_that_counts,
    starmap_that_counts, key_that_appends, fold_that_counts, map_of_a_lambda_that_appends,
    filter_and_body_append, reduce_over_a_list, walrus_in_a_condition,
    walrus_with_break_and_else, call_in_a_condition, pop_in_a_condition, best_row_read,
]  # fmt: skip
