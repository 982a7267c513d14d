"""Programs with ``itertools.groupby`` and ``tee``: iterators that go through one other together."""

from __future__ import annotations

import operator
from itertools import filterfalse, groupby, islice, tee


def numbers(x):
    return [0.53 * x, 0.71 * x, 1.22, 1.91 * x, 1.13, 0.34 * x, 2.55, 2.27 * x]


KEYS = [0, 0, 1, 1, 1, 0, 2, 2]


def items(x):
    return list(zip(KEYS, numbers(x)))


def sums_of_groups(x):
    t = 0.0
    for k, group in groupby(items(x), lambda p: p[0]):
        t += (k + 1) * sum(v for _, v in group) ** 2
    return t


def sorted_before(x):
    t = 0.0
    for k, group in groupby(sorted(items(x), key=lambda p: p[0]), key=operator.itemgetter(0)):
        for _, v in group:
            t = t * 0.5 + v * (k + 1)
    return t


def over_a_generator(x):
    def made():
        for k, v in items(x):
            yield k, v * 2.0

    t = 0.0
    for k, group in groupby(made(), key=lambda p: p[0]):
        first = next(group)[1]
        rest = [v for _, v in group]  # noqa: B031  # it goes on where it was left
        t += first * (1 + len(rest)) + sum(r * r for r in rest)
        if k == 1 and len(rest) > 1:
            break
    return t


def groups_are_over_by_then(x):
    kept = [group for _, group in groupby(KEYS)]
    return x + sum(len(list(group)) for group in kept)


def only_the_last_group_is_left(x):
    pairs = groupby(items(x), lambda p: p[0])
    _, one = next(pairs)
    _, other = next(pairs)
    return x * len(list(one)) + sum(v * v for _, v in other) + len(list(other))


def left_in_the_middle(x):
    for k, group in groupby(items(x), lambda p: p[0]):
        next(group)
        if k == 1:
            break
    return sum(v * v for _, v in group)


def groups_in_groups(x):
    t = 0.0
    for high, outer in groupby(items(x), lambda p: p[0] > 0):
        for k, inner in groupby(outer, lambda p: p[0]):
            s = sum(v for _, v in inner)
            t += s * s if high else -s * (k + 1)
    return t


def two_sorts_of_groups(x):
    t = x
    for k, group in groupby(["a", "a", "b"]):
        t += len(list(group)) * (2.0 if k == "a" else 3.0)
    for k, group in groupby(items(x), lambda p: p[0]):
        t *= 1.0 + k * next(group)[1]
    return t


def key_that_raises(x):
    def key(p):
        if p[0] == 2:
            raise ValueError("too high")
        return p[0]

    t = 0.0
    try:
        for _, group in groupby(items(x), key):
            for _, v in group:
                t += v * v
    except ValueError:
        t += 100.0
    return t


def columns_of_a_group(x):
    t = 0.0
    for _, group in groupby(enumerate(numbers(x)), key=lambda p: KEYS[p[0]]):
        places, values = zip(*group)
        t += sum(values) * places[0]
    return t


def lengths_of_runs(x):
    runs = [(k, sum(1 for _ in group)) for k, group in groupby(KEYS)]
    return x * max(n for _, n in runs) + sum(k * n for k, n in runs)


def pairs(x):
    def pairwise(given):
        a, b = tee(given)
        next(b, None)
        return zip(a, b)

    t = sum((q - p) ** 2 for p, q in pairwise(numbers(x)))
    return t + sum(p * q for p, q in pairwise(v * 2 for v in numbers(x)))


def windows(x):
    def window(given, n):
        several = tee(given, n)
        for k, each in enumerate(several):
            for _ in range(k):
                next(each, None)
        return zip(*several)

    return sum(a * b + c for a, b, c in window(numbers(x), 3))


def mean_and_deviations(x):
    one, other = tee(filter(lambda v: v > 0.0, (v * v for v in numbers(x))))
    mean = sum(one) / len(KEYS)
    return sum((v - mean) ** 2 for v in other)


def two_parts(x):
    one, other = tee(items(x))
    low = filterfalse(lambda p: p[0] > 0, one)
    high = filter(lambda p: p[0] > 0, other)
    return sum(v for _, v in low) * 2 - sum(v * v for _, v in high)


def what_is_under_them_goes_on(x):
    source = iter(numbers(x))
    one, other = tee(source)
    first = next(one)
    skipped = next(source)
    return first * sum(other) + skipped * sum(one)


def copies_of_copies(x):
    one, other = tee(numbers(x))
    next(one)
    third, fourth = tee(one)
    return sum(third) + sum(other) * sum(islice(fourth, 3))


PROGRAMS = [
    sums_of_groups, sorted_before, over_a_generator, groups_are_over_by_then,
    only_the_last_group_is_left, left_in_the_middle, groups_in_groups, two_sorts_of_groups,
    key_that_raises, columns_of_a_group, lengths_of_runs, pairs, windows, mean_and_deviations,
    two_parts, what_is_under_them_goes_on, copies_of_copies,
]  # fmt: skip
