"""Objects as keys that methods of their classes compare: ``__hash__`` and ``__eq__`` that a user or
``@dataclass`` wrote. The programs take one number."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __hash__(self):
        return hash((self.x, self.y))


class State:
    def __init__(self, a, b):
        self._key = (a, b)

    def __eq__(self, other):
        return isinstance(other, State) and self._key == other._key

    def __hash__(self):
        return hash(self._key)

    def __lt__(self, other):
        return self._key < other._key

    def following(self):
        a, b = self._key
        return [State(a + 1, b), State(a, b + 1)]


class Word:
    """Equal objects may have other numbers."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return len(self.text) == len(other.text)

    def __hash__(self):
        return hash(self.text)


class Collides:
    def __init__(self, k, w):
        self.k = k
        self.w = w

    def __eq__(self, other):
        if not isinstance(other, Collides):
            return NotImplemented
        return self.k == other.k

    def __hash__(self):
        return 1


class Raises:
    def __init__(self, k):
        self.k = k

    def __eq__(self, other):
        if self.k != other.k:
            raise ValueError("they differ")
        return True

    def __hash__(self):
        return hash(self.k % 2)


@dataclass(unsafe_hash=True)
class Unit:
    name: str
    at: Point
    score: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class Noted:
    a: int
    note: float = field(compare=False)


class Pair(NamedTuple):
    i: int
    j: int


class Named:
    def __init__(self, name, of=None):
        self.name = name
        self.of = of

    def __eq__(self, other):
        return self.name == other.name and self.of == other.of

    def __hash__(self):
        return hash(self.name) * 31 + hash(self.of)


def visited(x):
    seen, t = set(), 0.0
    for i in range(8):
        p = Point(i % 3, i % 2)
        if p in seen:
            t += x
        seen.add(p)
        t += i * x
    return t + len(seen)


def shortest(x):
    start = State(0, 0)
    dist, previous, heap = {start: 0.0}, {start: None}, [(0.0, start)]
    while heap:
        d, s = heapq.heappop(heap)
        if d > dist[s]:
            continue
        for m in s.following():
            if m._key[0] > 3 or m._key[1] > 3:
                continue
            w = d + x * (1 + m._key[0] * m._key[1])
            if m not in dist or w < dist[m]:
                dist[m] = w
                previous[m] = s
                heapq.heappush(heap, (w, m))
    n = State(3, 3)
    t = dist[n]
    while n is not None:
        t += 0.1 * n._key[0] * x
        n = previous[n]
    return t


def changed_later(x):
    """Who changes a key looks for it in vain, until it is what it was."""
    d, p = {}, Point(1, 2)
    d[p] = x
    p.x = 5
    t = 1.0 if p in d else 2.0
    t += 10.0 if Point(1, 2) in d else 20.0
    t += 100.0 if Point(5, 2) in d else 200.0
    p.x = 1
    return t + d[Point(1, 2)]


def other_numbers(x):
    d = {}
    for s in ["ab", "cd", "ab", "e"]:
        w = Word(s)
        d[w] = d.get(w, 0.0) + x
    t = 0.0
    for k, v in d.items():
        t = t * 2 + v * len(k.text)
    return t + len(d)


def the_first_one_stays(x):
    d = {}
    for i in range(7):
        d[Collides(i % 3, x * i)] = i * x
    t = 0.0
    for k in d:
        k.w += 1.0
    del d[Collides(1, 0.0)]
    d[Collides(1, 9.0)] = x
    for k, v in d.items():
        t = t * 1.5 + k.w * v
    return t


def raises_in_a_comparison(x):
    s, t = set(), 0.0
    for i in [1, 2, 1, 3, 4, 2]:
        try:
            s.add(Raises(i))
            t += x
        except ValueError:
            t += 10 * x
    return t + len(s)


def containers(x):
    d = defaultdict(list)
    c = Counter()
    for i in range(6):
        d[Point(i % 2, 0)].append(x * i)
        c[Point(i % 3, 1)] += 1
    e = dict(zip([Point(0, 0), Point(1, 0)], [x, 2 * x]))
    e = {**e, Point(7, 7): x * x}
    f = {p: v * v for p, v in e.items()}
    return sum(d[Point(1, 0)]) + c[Point(2, 1)] + sum(f.values()) + e.pop(Point(1, 0)) + len(e)


def sets(x):
    a = {Point(i, 0) for i in range(4)}
    b = {Point(i, 0) for i in range(2, 6)}
    t = len(a | b) + 10 * len(a & b) + 100 * len(a - b) + 1000 * len(a ^ b)
    a.remove(Point(0, 0))
    a.discard(Point(9, 9))
    return t * x + len(a) + (Point(1, 0) in a - b)


def made_by_dataclass(x):
    d = {}
    for i in range(6):
        u = Unit("ab"[i % 2], Point(i % 3, 0), x)
        u.score += i
        d[u] = d.get(u, 0.0) + u.score
    for u in d:
        u.score = 0.5 * x
    return sum(u.score * v for u, v in d.items()) + len(d)


def frozen_with_a_note(x):
    d = {}
    for i in range(5):
        k = Noted(i % 2, x * i)
        d[k] = d.get(k, 0.0) + k.note
    return sum(k.note * v for k, v in d.items())


def floats(x):
    d = {}
    for i in range(4):
        for j in range(3):
            p = Point(0.5 * i, x * j)
            d[p] = d.get(p, 0.0) + x * i
    t = d[Point(1.0, x * 2)] + len(d)
    s = {Point(0.0, -0.0), Point(0, 0), Point(-0.0, 1e300), Point(0.0, 1e300), Point(0.0, 2e300)}
    nan = float("nan")
    q = Point(nan, 0.0)
    s.add(q)
    t += len(s) + (5 if Point(1, 0.0) in d else 0)
    t += (7 if q in s else 0) + (11 if Point(nan, 0.0) in s else 0)
    return t + sum(p.y * v for p, v in d.items())


def in_tuples(x):
    d = {}
    for i in range(4):
        for j in range(2):
            d[Point(i, 0), j] = x * (i + j)
    return d[Point(2, 0), 1] + len(d) + ((Point(9, 0), 1) in d)


def named_tuples(x):
    d = {Pair(1, 2): x, Pair(3, 4): 2 * x}
    t = d[1, 2] + (1 if (3, 4) in d else 0) + (10 if (3, 5) in d else 0)
    e = {(1, 2): x * x}
    t += e[Pair(1, 2)]
    for k in range(5):
        d[Pair(k % 2, 0)] = x * k
    return t + sum(p.j * v for p, v in d.items()) + len(d)


def none_in_a_key(x):
    d = {Named("u"): x, Named("v", "w"): 2 * x}
    return d[Named("u")] + d[Named("v", "w")] + len(d)


def is_no_key(x):
    class Bare:
        def __init__(self, k):
            self.k = k

        def __eq__(self, other):
            return self.k == other.k

    try:
        s = {Bare(1)}
    except TypeError:
        return 2 * x
    return x * len(s)


PROGRAMS = [
    visited, shortest, changed_later, other_numbers, the_first_one_stays, raises_in_a_comparison,
    containers, sets, made_by_dataclass, frozen_with_a_note, floats, in_tuples, named_tuples,
    none_in_a_key, is_no_key,
]  # fmt: skip


class Keeps:
    def __init__(self, k):
        self.k = k
        self.number = None

    def __eq__(self, other):
        return self.k == other.k

    def __hash__(self):
        if self.number is None:
            self.number = hash(self.k)
        return self.number


class Mixed:
    def __init__(self, k):
        self.k = k

    def __eq__(self, other):
        return self.k == (other if isinstance(other, int) else other.k)

    def __hash__(self):
        return self.k


def a_number_that_is_kept(x):
    return x * len({Keeps(1), Keeps(1)})


def of_another_class(x):
    s = {Mixed(3), Mixed(4)}
    return x if 3 in s else 2 * x


def asked_for_its_number(x):
    return x * (Point(1, 2).__hash__() % 7)


def number_of_a_text(x):
    return x * (hash("a") % 7)


def a_result(x):
    return {Noted(i, x): x for i in range(3)}


def in_an_order(x):
    return sum(p.x * x for p in {Point(1, 2), Point(3, 4)})


REFUSED = {
    a_number_that_is_kept: "keeps a number", of_another_class: "an int as a key beside a Mixed",
    asked_for_its_number: "the number that hash() gives",
    number_of_a_text: "the number that hash() gives", a_result: "as a result",
    in_an_order: "the order of objects in a set",
}  # fmt: skip
