"""Generators and itertools, as in data pipelines."""

import itertools
import math
from itertools import accumulate, chain, combinations, count, cycle, islice, product, takewhile


def fibonacci_like(a, b):
    while True:
        yield a
        a, b = b, a + b


def sum_first(a, b, n):
    return sum(islice(fibonacci_like(a, b), n))


def squares(xs):
    for x in xs:
        yield x * x


def odd_ones(xs):
    for i, x in enumerate(xs):
        if i % 2:
            yield x


def pipeline(xs):
    return sum(squares(odd_ones(xs)))


def windows(xs, size):
    for i in range(len(xs) - size + 1):
        yield xs[i : i + size]


def smoothest(xs, size):
    return min(max(w) - min(w) for w in windows(xs, size))


def flatten(tree):
    for item in tree:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item


def flat_sum(tree):
    return sum(flatten(tree))


def pairwise_energy(xs):
    return sum(1.0 / (1.0 + (a - b) ** 2) for a, b in combinations(xs, 2))


def grid_sum(xs, ys):
    return sum(x * y for x, y in product(xs, ys) if x != y)


def running_max(xs):
    return list(accumulate(xs, max))


def discounted(rewards, gamma):
    return sum(
        r * g for r, g in zip(rewards, accumulate(itertools.repeat(gamma), lambda a, b: a * b))
    )


def take_small(xs, limit):
    return sum(takewhile(lambda x: x < limit, xs))


def alternating(xs):
    signs = cycle([1, -1])
    return sum(s * x for s, x in zip(signs, xs))


def series_until(x, eps):
    total = 0.0
    for k in count():
        term = x**k / math.factorial(k)
        if abs(term) < eps:
            break
        total += term
    return total


def batches(xs, n):
    batch = []
    for x in xs:
        batch.append(x)
        if len(batch) == n:
            yield batch
            batch = []
    if batch:
        yield batch


def batch_means(xs, n):
    return [sum(b) / len(b) for b in batches(xs, n)]


def countdown(x):
    while x > 0.5:
        yield x
        x *= 0.7


def halving(x):
    return sum(math.sqrt(v) for v in countdown(x))


def walk(position, moves):
    yield position
    for m in moves:
        position += m
        yield position


def path_extent(moves):
    points = list(walk(0.0, moves))
    return max(points) - min(points)


def chained(a, b, c):
    return sum(w * x for w, x in enumerate(chain(a, b, [c]), 1))


def euler(f, y, h):
    t = 0.0
    while True:
        yield t, y
        y = y + h * f(t, y)
        t += h


def first_crossing(rate, level):
    for t, y in euler(lambda t, y: rate * y, 1.0, 0.05):
        if y > level:
            return t + (y - level)
    return 0.0


def groups(xs):
    total = 0.0
    for key, members in itertools.groupby(xs, key=lambda v: v > 0):
        s = sum(members)
        total += s * s if key else -s
    return total


def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1


def prime_zeta(s, n):
    return sum(p ** (-s) for p in islice(primes(), n))


def merged(xs, ys):
    it = iter(ys)
    total = 0.0
    for x in xs:
        total += x * next(it, 1.0)
    return total


def any_all(xs, t):
    if any(x > t for x in xs) and not all(x > t for x in xs):
        return sum(x for x in xs if x > t)
    return t


CASES = [
    (sum_first, (1.0, 1.5, 8)),
    (pipeline, ([1.0, 2.0, 3.0, 4.0],)),
    (smoothest, ([1.0, 4.0, 2.0, 2.5], 2)),
    (flat_sum, ([1.0, [2.0, [3.0]], 4.0],)),
    (pairwise_energy, ([1.0, 2.0, 4.0],)),
    (grid_sum, ([1.0, 2.0], [2.5, 3.0])),
    (running_max, ([1.0, 3.0, 2.0],)),
    (discounted, ([1.0, 2.0, 3.0], 0.9)),
    (take_small, ([1.0, 2.0, 7.0, 1.0], 5.0)),
    (alternating, ([1.0, 2.0, 7.0],)),
    (series_until, (1.3, 1e-3)),
    (batch_means, ([1.0, 2.0, 3.0, 4.0, 5.0], 2)),
    (halving, (9.0,)),
    (path_extent, ([1.0, -3.0, 2.5],)),
    (chained, ([1.0, 2.0], [3.0], 4.0)),
    (first_crossing, (0.7, 2.0)),
    (groups, ([1.0, 2.0, -1.0, -2.0, 3.0],)),
    (prime_zeta, (2.0, 6)),
    (merged, ([1.0, 2.0, 3.0], [4.0, 5.0])),
    (any_all, ([1.0, 2.0, 3.0], 1.5)),
]
