"""Comprehensions, unpacking and built-in functions, as in short scripts."""

import math
import statistics
from collections import Counter


def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def matmul_sum(a, b):
    return sum(map(sum, matmul(a, b)))


def transpose_trace(m):
    t = [list(col) for col in zip(*m)]
    return sum(t[i][i] for i in range(len(t)))


def normalise(xs):
    total = sum(xs)
    return [x / total for x in xs]


def entropy(xs):
    return -sum(p * math.log2(p) for p in normalise(xs) if p > 0)


def correlation(xs, ys):
    n = len(xs)
    mx, my = sum(xs) / n, sum(ys) / n
    num = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    den = math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))
    return num / den


def nested_filter(matrix, t):
    return [x * x for row in matrix for x in row if x > t]


def dict_of_squares(xs):
    d = {i: x * x for i, x in enumerate(xs)}
    return sum(k * v for k, v in d.items())


def grouped_means(pairs):
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {k: sum(v) / len(v) for k, v in sorted(groups.items())}


def median_spread(xs):
    s = sorted(xs)
    n = len(s)
    mid = s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2
    return mid + (s[-1] - s[0])


def polygon_area(points):
    return (
        abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1])))
        / 2
    )


def closest(points, target):
    best = min(points, key=lambda p: math.dist(p, target))
    return math.dist(best, target)


def star_args(first, *rest):
    head, *middle, last = [first, *rest]
    return head * last + sum(middle)


def calls_star(x):
    values = [x, x * 2, 3.0, x**2]
    return star_args(*values)


def top_k(scores, k):
    return sum(sorted(scores, reverse=True)[:k])


def walrus(xs):
    total = 0.0
    return [total := total + x for x in xs][-1] * total


def counted_letters(text, weight):
    return sum(n * weight for _, n in Counter(text).most_common(2))


def weighted_stats(xs):
    return statistics.mean(xs) + statistics.pstdev(xs) + statistics.median(xs)


def ternary_chain(x):
    return [(-x if x < 0 else x**2 if x < 1 else math.sqrt(x)) + k for k in range(3)]


def zip_longest_like(a, b):
    n = max(len(a), len(b))
    pad = lambda v: v + [0.0] * (n - len(v))  # noqa: E731  # as people write it
    return sum(x * y for x, y in zip(pad(a), pad(b)))


def any_index(xs, t):
    i = next((i for i, x in enumerate(xs) if x > t), -1)
    return xs[i] * 2


def tuple_state(x):
    state = (x, 0.0, 1)
    for _ in range(5):
        a, b, k = state
        state = (b + a / k, a, k + 1)
    return sum(state[:2])


CASES = [
    (matmul_sum, ([[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [1.5, 2.0]])),
    (transpose_trace, ([[1.0, 2.0], [3.0, 4.0]],)),
    (entropy, ([1.0, 2.0, 5.0],)),
    (correlation, ([1.0, 2.0, 4.0], [2.0, 1.0, 5.0])),
    (nested_filter, ([[1.0, -2.0], [3.0, 0.5]], 0.7)),
    (dict_of_squares, ([1.0, 2.0, 3.0],)),
    (grouped_means, ([("a", 1.0), ("b", 2.0), ("a", 3.0)],)),
    (median_spread, ([3.0, 1.0, 7.0, 2.0],)),
    (polygon_area, ([(0.0, 0.0), (4.0, 0.5), (3.0, 2.0)],)),
    (closest, ([(0.0, 1.0), (2.0, 2.0)], (1.5, 1.0))),
    (calls_star, (1.5,)),
    (top_k, ([1.0, 5.0, 3.0], 2)),
    (walrus, ([1.0, 2.0, 3.0],)),
    (counted_letters, ("mississippi", 0.5)),
    (weighted_stats, ([1.0, 2.0, 4.0, 9.0],)),
    (ternary_chain, (0.5,)),
    (zip_longest_like, ([1.0, 2.0, 3.0], [4.0])),
    (any_index, ([1.0, 2.0, 3.0], 1.5)),
    (tuple_state, (2.0,)),
    (normalise, ([1.0, 2.0, 5.0],)),
]
