"""Frozen dataclasses as keys of dicts and items of sets. The programs take one number."""

import heapq
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class P:
    x: int
    y: int

    def __add__(self, o):
        return P(self.x + o.x, self.y + o.y)

    def near(self):
        return [self + d for d in DIRS]

    @property
    def r(self):
        return abs(self.x) + abs(self.y)


DIRS = [P(0, 1), P(1, 0), P(0, -1), P(-1, 0)]


@dataclass(frozen=True, order=True)
class Key:
    name: str
    at: P = P(0, 0)


@dataclass(frozen=True)
class Sub(P):
    pass


@dataclass(frozen=True)
class Skip:
    i: int
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class OwnEq:
    i: int

    def __eq__(self, o):
        return self.i % 3 == o.i % 3

    def __hash__(self):
        return self.i % 3


def flooded(x):
    seen = {P(0, 0)}
    q = deque([(P(0, 0), 0)])
    t = 0.0
    while q:
        p, d = q.popleft()
        t += x**d * 0.1 * (p.r + 1)
        for n in p.near():
            if n not in seen and n.r < 4:
                seen.add(n)
                q.append((n, d + 1))
    return t + len(seen)


def taken_out(x):
    g = {P(i, j): x * i + j for i in range(4) for j in range(4)}
    del g[P(1, 1)]
    g.pop(P(2, 2))
    g[P(9, 9)] = x * x
    t = 0.0
    for p, v in g.items():
        t = t * 0.99 + v * p.x - p.y
        if p + P(1, 0) in g:
            t += g[p + P(1, 0)]
    return t + len(g)


def counted(x):
    c = Counter(P(k % 2, k % 3) for k in range(10))
    (p, n), *_ = c.most_common(1)
    return n * x + p.x + p.y


def in_tuples(x):
    d = {}
    for k in range(8):
        d[(P(k % 2, 1), k % 3)] = x * k
    return sum(v * (p.x + j) for (p, j), v in d.items())


def of_lists(x):
    d = {}
    for k in range(8):
        d.setdefault(P(k % 2, 0), []).append(x * k)
    return sum(sum(v) * (p.x + 1) for p, v in d.items())


def shortest(x):
    dist = {P(0, 0): 0.0}
    q = [(0.0, 0, P(0, 0))]
    n = 0
    while q:
        d, _, p = heapq.heappop(q)
        if d > dist[p]:
            continue
        for m in p.near():
            if 0 <= m.x < 3 and 0 <= m.y < 3:
                w = d + x * (1 + m.x * 0.7) + 0.3 * m.y
                if w < dist.get(m, 1e9):
                    dist[m] = w
                    n += 1
                    heapq.heappush(q, (w, n, m))
    return dist[P(2, 2)] + dist[P(0, 2)]


def not_there(x):
    d = {P(0, 0): x}
    try:
        return d[P(1, 1)]
    except KeyError as e:
        return x * len(str(e))


def of_a_subclass(x):
    d = {P(1, 1): x}
    return d.get(Sub(1, 1), 5.0) + (1.0 if Sub(1, 1) in d else 0.0)


def some_fields_are_not_compared(x):
    d = {Skip(1, "a"): x}
    d[Skip(1, "b")] = 2 * x
    return sum(v * len(k.note) for k, v in d.items()) + len(d)


def by_an_own_method(x):
    d = {}
    for k in range(6):
        d[OwnEq(k)] = x * k
    return sum(d.values()) + len(d)


def kept_results(x):
    seen = {}

    def go(p):
        if p.x < 0 or p.y < 0:
            return 0.0
        if p == P(0, 0):
            return x
        if p not in seen:
            seen[p] = go(p + P(-1, 0)) + go(p + P(0, -1)) * 0.5
        return seen[p]

    return go(P(4, 4)) + len(seen)


def sets_of_points(x):
    a = {P(k, k) for k in range(4)}
    b = {P(k, 2) for k in range(4)}
    return x * len(a & b) + len(a | b) * x * x + (1.0 if P(2, 2) in a - b else 0.0)


def of_two_sorts(x):
    d = {P(1, 1): x, (1, 1): 2.0}
    return d[P(1, 1)] + d[(1, 1)] * 10


class Pair(NamedTuple):
    a: int
    b: int


def of_named_tuples_and_tuples(x):
    d = {}
    for i in range(3):
        d[Pair(i, 1)] = x
        d[(i, 1)] = 2.0 * x
    return d[Pair(1, 1)] + len(d)


def a_result(x):
    return {P(i, 1): x * i for i in range(3)}


PROGRAMS = [
    flooded, taken_out, counted, in_tuples, of_lists, shortest, not_there, kept_results,
    sets_of_points, of_two_sorts, some_fields_are_not_compared, by_an_own_method,
]  # fmt: skip
REFUSED = [of_a_subclass, of_named_tuples_and_tuples]
