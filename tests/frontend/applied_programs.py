"""Comprehensions, and functions given to library functions, that change variables around them."""

from __future__ import annotations

from functools import reduce
from itertools import accumulate, starmap, takewhile

import pullback as pb


def zip_of_a_walrus(xs):
    total = 0.0
    for y, w in zip(((z := x) for x in xs), xs):
        total += y * w
    return total + z


def walrus_over_zip(xs):
    t = 0.0
    s = sum(((t := (t * 0.5 + a * b)) for a, b in zip(xs, xs[1:])))  # noqa: RUF007  # on purpose
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


def best_row_read(xs):
    rows = [[x, x * 2] for x in xs]
    best = rows[0]
    for r in rows:
        if r[1] > best[1]:
            best = r
    return best[0] * best[1]


PROGRAMS = [
    zip_of_a_walrus, walrus_over_zip, walrus_over_enumerate,
    comprehension_that_appends, comprehension_that_counts, expressions_that_count,
    nested_comprehensions_that_count, memo_table_in_a_comprehension, key_that_counts,
    max_by_a_key_that_counts, map_that_counts, list_of_a_map, filter_that_counts,
    max_of_three_by_a_key, min_of_a_tuple_by_a_key, sorted_known_items,
    sort_by_a_key_that_counts, any_of_a_map_over_a_tuple, for_over_a_map, map_over_two_lists,
    accumulate_that_counts, accumulate_from_one, takewhile_that_counts, starmap_that_counts,
    key_that_appends, fold_that_counts, map_of_a_lambda_that_appends, filter_and_body_append,
    reduce_over_a_list, best_row_read,
]  # fmt: skip
