"""Dynamic programming with memo tables: dicts, lru_cache, tables in closures."""

import math
from collections import defaultdict
from functools import cache, lru_cache


@lru_cache(maxsize=None)
def fib_cached(n):
    return n if n < 2 else fib_cached(n - 1) + fib_cached(n - 2)


def fib_weighted(x, n):
    return x * fib_cached(n)


def stairs(p, n):
    memo = {0: 1.0, 1: p}

    def ways(k):
        if k not in memo:
            memo[k] = p * ways(k - 1) + (1 - p) * ways(k - 2)
        return memo[k]

    return ways(n)


def edit_distance(a, b, cost):
    @cache
    def go(i, j):
        if i == 0:
            return j * 1.0
        if j == 0:
            return i * 1.0
        if a[i - 1] == b[j - 1]:
            return go(i - 1, j - 1)
        return min(go(i - 1, j) + 1.0, go(i, j - 1) + 1.0, go(i - 1, j - 1) + cost)

    return go(len(a), len(b))


def grid_paths(costs):
    rows, cols = len(costs), len(costs[0])
    memo = {}

    def best(i, j):
        if (i, j) in memo:
            return memo[(i, j)]
        if i == rows - 1 and j == cols - 1:
            result = costs[i][j]
        elif i == rows - 1:
            result = costs[i][j] + best(i, j + 1)
        elif j == cols - 1:
            result = costs[i][j] + best(i + 1, j)
        else:
            result = costs[i][j] + min(best(i + 1, j), best(i, j + 1))
        memo[i, j] = result
        return result

    return best(0, 0)


def rod_cutting(prices, n, memo=None):
    if memo is None:
        memo = {}
    if n == 0:
        return 0.0
    if n in memo:
        return memo[n]
    memo[n] = max(
        prices[k - 1] + rod_cutting(prices, n - k, memo) for k in range(1, min(n, len(prices)) + 1)
    )
    return memo[n]


def legendre(n, x):
    table = [None] * (n + 1)
    table[0] = 1.0
    if n > 0:
        table[1] = x
    for k in range(2, n + 1):
        table[k] = ((2 * k - 1) * x * table[k - 1] - (k - 1) * table[k - 2]) / k
    return table[n]


def word_scores(text, weight):
    counts = defaultdict(int)
    for ch in text:
        counts[ch] += 1
    return sum(weight**n for n in counts.values())


def shortest(graph, source, target, scale):
    dist = {node: math.inf for node in graph}
    dist[source] = 0.0
    todo = set(graph)
    while todo:
        node = min(todo, key=lambda v: dist[v])
        todo.remove(node)
        for other, w in graph[node].items():
            dist[other] = min(dist[other], dist[node] + scale * w)
    return dist[target]


def partition_count(total, coins):
    ways = [1.0] + [0.0] * total
    for c, w in coins:
        for v in range(c, total + 1):
            ways[v] += w * ways[v - c]
    return ways[total]


@cache
def binomial(n, k):
    if k in (0, n):
        return 1
    return binomial(n - 1, k - 1) + binomial(n - 1, k)


def bernstein(coefficients, t):
    n = len(coefficients) - 1
    return sum(c * binomial(n, i) * t**i * (1 - t) ** (n - i) for i, c in enumerate(coefficients))


def matrix_chain(dims, price):
    n = len(dims) - 1
    memo = {}

    def cost(i, j):
        if i == j:
            return 0.0
        key = (i, j)
        if key in memo:
            return memo[key]
        best = float("inf")
        for k in range(i, j):
            c = cost(i, k) + cost(k + 1, j) + price * dims[i] * dims[k + 1] * dims[j + 1]
            if c < best:
                best = c
        memo[key] = best
        return best

    return cost(0, n - 1)


def histogram_entropy(values, width):
    bins = {}
    for v in values:
        b = int(v // 1.0)
        bins[b] = bins.get(b, 0.0) + width
    total = sum(bins.values())
    return -sum(c / total * math.log(c / total) for c in bins.values()) * width


def catalan_series(x, terms):
    c = [1]
    for n in range(1, terms):
        c.append(sum(c[i] * c[n - 1 - i] for i in range(n)))
    return sum(cn * x**n for n, cn in enumerate(c))


def option_tree(s, u, d, r, strike, depth):
    cache_ = {}

    def value(level, ups):
        if (level, ups) not in cache_:
            if level == depth:
                price = s * u**ups * d ** (level - ups)
                cache_[level, ups] = max(price - strike, 0.0)
            else:
                p = (r - d) / (u - d)
                cache_[level, ups] = (
                    p * value(level + 1, ups + 1) + (1 - p) * value(level + 1, ups)
                ) / r
        return cache_[level, ups]

    return value(0, 0)


def subset_sums(xs):
    sums = {0: 0.0}
    for i, x in enumerate(xs):
        for mask in list(sums):
            sums[mask | (1 << i)] = sums[mask] + x
    return max(sums.values())


def delannoy(x, n):
    memo = [[None] * (n + 1) for _ in range(n + 1)]

    def d(i, j):
        if i == 0 or j == 0:
            return 1.0
        if memo[i][j] is None:
            memo[i][j] = d(i - 1, j) + d(i, j - 1) + x * d(i - 1, j - 1)
        return memo[i][j]

    return d(n, n)


def viterbi(start, trans, emit, seen):
    best = [dict(enumerate(s * e[seen[0]] for s, e in zip(start, emit)))]
    for o in seen[1:]:
        row = {}
        for j in range(len(start)):
            row[j] = max(best[-1][i] * trans[i][j] for i in range(len(start))) * emit[j][o]
        best.append(row)
    return max(best[-1].values())


class Memo:
    def __init__(self, f):
        self.f = f
        self.table = {}

    def __call__(self, n):
        if n not in self.table:
            self.table[n] = self.f(n)
        return self.table[n]


def tribonacci(x, n):
    def raw(k):
        return x if k < 3 else memo(k - 1) + memo(k - 2) + 0.5 * memo(k - 3)

    memo = Memo(raw)
    return memo(n)


def longest_increasing(xs, bonus):
    best = []
    for i, x in enumerate(xs):
        options = [best[j] for j in range(i) if xs[j] < x]
        best.append(x * bonus + (max(options) if options else 0.0))
    return max(best)


def house_robber(values):
    take, skip = 0.0, 0.0
    for v in values:
        take, skip = skip + v, max(take, skip)
    return max(take, skip)


CASES = [
    (fib_weighted, (1.5, 10)),
    (stairs, (0.4, 7)),
    (edit_distance, ("kitten", "sitting", 1.2)),
    (grid_paths, ([[1.0, 3.0, 1.0], [1.0, 5.0, 1.0], [4.0, 2.0, 1.0]],)),
    (rod_cutting, ([1.0, 5.0, 8.0, 9.0], 6)),
    (legendre, (5, 0.3)),
    (word_scores, ("banana", 1.1)),
    (shortest, ({"a": {"b": 1.0, "c": 4.0}, "b": {"c": 2.0}, "c": {}}, "a", "c", 0.7)),
    (partition_count, (6, [(1, 0.5), (2, 1.5)])),
    (bernstein, ([1.0, 2.0, 0.0, -1.0], 0.3)),
    (matrix_chain, ([4, 3, 5, 2], 0.1)),
    (histogram_entropy, ([0.5, 1.5, 1.7, 2.2], 0.5)),
    (catalan_series, (0.1, 8)),
    (option_tree, (100.0, 1.1, 0.9, 1.01, 95.0, 4)),
    (subset_sums, ([1.0, -2.0, 3.0],)),
    (delannoy, (0.5, 4)),
    (
        viterbi,
        ([0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]], [0, 1, 2]),
    ),
    (tribonacci, (1.5, 8)),
    (longest_increasing, ([1.0, 3.0, 2.0, 4.0], 1.1)),
    (house_robber, ([2.0, 7.0, 9.0, 3.0],)),
]
