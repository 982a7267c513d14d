"""Dicts and sets whose keys only the run knows, and functions that keep their results."""

import math
from collections import Counter, OrderedDict, defaultdict
from functools import cache, lru_cache

from tests.programs import Program, real


def histogram(xs, width):
    """Bins that appear as they are needed."""
    bins = {}
    for x in xs:
        k = math.floor(x / 0.5)
        bins[k] = bins.get(k, 0.0) + width * x
    return sum(v * v / (1.0 + abs(k)) for k, v in bins.items())


def alignment(gap, match, a, b):
    """Edit distance as people write it: a cached function of two indices."""

    @cache
    def d(i, j):
        if i == 0 or j == 0:
            return gap * (i + j)
        here = 0.0 if a[i - 1] == b[j - 1] else match
        return min(d(i - 1, j) + gap, d(i, j - 1) + gap, d(i - 1, j - 1) + here)

    return d(len(a), len(b))


@lru_cache(maxsize=None)
def binomial(n, k):
    return 1.0 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


def bernstein(weights, t):
    """A cached function of the module, called from a sum."""
    n = len(weights) - 1
    return sum(w * binomial(n, i) * t**i * (1.0 - t) ** (n - i) for i, w in enumerate(weights))


def rod(prices, n, memo=None):
    """A memo that is made where none is given, and passed on."""
    if memo is None:
        memo = {}
    if n == 0:
        return 0.0
    if n not in memo:
        memo[n] = max(
            prices[k - 1] * prices[k - 1] + rod(prices, n - k, memo)
            for k in range(1, min(n, len(prices)) + 1)
        )
    return memo[n]


def groups(xs):
    """Rows that grow in a dict; tuples as keys."""
    rows, sums = defaultdict(list), {}
    for i, x in enumerate(xs):
        rows[i % 3].append(x * i)
        sums.setdefault((i % 2, i % 3 == 0), []).append(math.sin(x))
    total = sum(row[-1] * len(row) * k for k, row in rows.items())
    for (i, third), values in sums.items():
        total += (2.0 if third else i + 0.5) * values[0] * values[-1]
    return total


def queue(xs, room):
    """What is deleted leaves the table, and comes in again at the end."""
    held, out = OrderedDict(), 0.0
    for i, x in enumerate(xs):
        k = i * i % 7
        if k in held:
            held.move_to_end(k)
            held[k] = held[k] * 0.5 + x
        else:
            held[k] = x
        if len(held) > room:
            latest, value = held.popitem()
            out = out * 0.5 + value * latest + held.pop(i % 7, 0.0)
    return out + sum((k + 1) * v for k, v in held.items())


def reachable(start, links, costs):
    """A set of what has been seen, and dicts in a dict."""
    graph = {}
    for (a, b), cost in zip(links, costs):
        graph.setdefault(a, {})[b] = cost * cost
    seen, todo, total = {start}, [(start, 0.0)], 0.0
    while todo:
        node, depth = todo.pop()
        total += depth
        for other, cost in graph.get(node, {}).items():
            if other not in seen:
                seen.add(other)
                todo.append((other, depth + cost))
    return total + len(seen & {0, 1, 2})


def powers(x, words):
    """A Counter of strings."""
    counts = Counter(words)
    counts["a"] += 1
    return sum(x**n for n in counts.values()) + counts["none"]


def _text(rng, n):
    return [int(v) for v in rng.integers(0, 3, size=n)]


def _graph(rng, n):
    links = [(int(a), int(b)) for a, b in rng.integers(0, n, size=(3 * n, 2))]
    return 0, links, [float(v) for v in rng.normal(size=3 * n)]


PROGRAMS = [
    real("histogram_in_a_dict", histogram, lambda rng, n: (rng.normal(size=n) * 5.0, 0.7), (0, 1)),
    real("alignment_with_a_cache", alignment,
         lambda rng, n: (0.9, 1.3, _text(rng, n), _text(rng, n)), (0, 1), growth=(4, 12, 40)),
    Program("bernstein_with_a_cache", bernstein, lambda rng, n: (rng.normal(size=min(n, 9)), 0.3),
            argnums=(0, 1)),
    real("rod_with_a_memo", rod, lambda rng, n: (rng.uniform(0.5, 1.5, size=5), n),
         growth=(8, 40, 200)),
    real("groups_in_a_dict", groups, lambda rng, n: (rng.normal(size=n + 3),)),
    real("queue_in_a_dict", queue, lambda rng, n: (rng.normal(size=n), 4)),
    real("reachable_by_dicts", reachable, _graph, argnums=(2,), growth=(4, 20, 100)),
    Program("powers_of_counts", powers, lambda rng, n: (0.9, ["a", "b", "a", "c"][: n % 5])),
]  # fmt: skip
