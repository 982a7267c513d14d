"""Programs that show which methods Python asks of an object whose class is derived from a
container, and which it does not."""

import bisect
import copy
import heapq
import math

import numpy as np


class Odd(list):
    def __getitem__(self, i):
        return 10.0 * super().__getitem__(i)

    def __len__(self):
        return 2

    def __iter__(self):
        for k in range(super().__len__()):
            yield super().__getitem__(k) + 100.0


def odd(x):
    o = Odd([x, 2 * x, 3.0])
    t = sum(o) + len(o) + o[0] + (x in o) + list(o)[1] + max(o)
    a, b, c = o
    y = [*o, 1.0]
    z = sorted(o)
    t += a * b * c + sum(y) + z[0] + o.count(x) + o.index(3.0)
    return t + (o == [x, 2 * x, 3.0]) + bool(o)


def odd2(x):
    o = Odd([x, 2 * x, 3.0])
    p = o + [1.0]
    q = [1.0] + o
    r = o * 2
    s = o.copy()
    e = [0.0]
    e.extend(o)
    e += o
    f = list(reversed(o))
    return sum(p) + 2 * sum(q) + 3 * sum(r) + 4 * sum(s) + 5 * sum(e) + sum(f) * f[0]


class OddD(dict):
    def __getitem__(self, k):
        return 10.0 * super().__getitem__(k)

    def __contains__(self, k):
        return True

    def keys(self):
        return ["a"]


def oddd(x):
    d = OddD(a=x, b=2 * x)
    e = dict(d)
    f = {**d}
    g = {}
    g.update(d)
    t = d.get("a") + d["b"] + ("zzz" in d) + e["a"] + f["b"] + g["b"] + len(e) + len(d)
    for k in d:
        t += d[k]
    for _, v in d.items():
        t += v
    return t + sum(d.values()) + len(d.keys())


class It(dict):
    def __iter__(self):
        yield "a"


def itd(x):
    d = It(a=x, b=2 * x)
    return sum(dict.values(d)) + len(list(d)) + d["b"]


class Sorted(list):
    def append(self, v):
        bisect.insort(self, v)


def sortedl(x):
    s = Sorted()
    for v in (3.0, x, 2.0, -x):
        s.append(v)
    return s[0] + 2 * s[1] + 3 * s[2] + 4 * s[3]


class Heap(list):
    def push(self, v):
        heapq.heappush(self, v)

    def pop(self):
        return heapq.heappop(self)


def heap(x):
    h = Heap()
    for v in (3.0, x, 2.0, x * x):
        h.push(v)
    return h.pop() + 2 * h[0] + len(h)


class Named(list):
    def __init__(self, name, *a):
        super().__init__(*a)
        self.name = name


def copies(x):
    n = Named("q", [x, 2.0])
    m = copy.copy(n)
    m.append(x * x)
    d = copy.deepcopy(n)
    d[0] = 5.0
    return sum(n) + 10 * sum(m) + 100 * sum(d) + len(m.name)


def matches(x):
    n = Named("q", [x, 2.0])
    match n:
        case [a, b]:
            t = a * b
        case _:
            t = 0.0
    match n:
        case list():
            t += 1.0
    match n:
        case Named(name="q"):
            t += 3.0
    return t


def npuse(x):
    n = Named("q", [x, 2.0, x * x])
    a = np.array(n)
    return np.sum(a * a) + np.dot(n, n) + np.mean(n) + math.fsum(n) + math.prod(n)


def strings(x):
    n = Named("q", [1, 2])
    t = len(str(n)) + len(f"{n}") + x * isinstance(n, list) + (type(n) is Named)
    return t + (type(n) is list) + issubclass(Named, list)


def alias(x):
    n = Named("q", [x])
    m = n
    m.append(2.0)
    k = [n, n]
    k[0].append(x * x)
    return sum(n) + len(k[1])


def zips(x):
    n = Named("q", [x, 2.0])
    t = 0.0
    for i, (a, b) in enumerate(zip(n, n[::-1])):
        t += a * b * (i + 1)
    return t + sum(map(lambda v: v * v, n)) + len(list(filter(None, n))) + any(v > 3 for v in n)


def delslice(x):
    n = Named("q", [x, 2.0, 3.0, 4.0])
    del n[0]
    n[0:2] = [x, x]
    n.insert(0, 7.0)
    n.remove(4.0)
    n.reverse()
    n.sort(key=lambda v: -v)
    n *= 2
    n += (1.0,)
    return sum(v * (k + 1) for k, v in enumerate(n))


class KD(dict):
    def __missing__(self, k):
        return k * 2.0


def fmtmap(x):
    d = KD({1: x})
    return d[1] + d[5] + d.get(5, 1.0) + d.setdefault(7, x) + d.pop(7) + len(d) + (5 in d)


class Node:
    def __init__(self, value):
        self.value = value
        self.next = None


class Short(list):
    def __len__(self):
        return 5

    def __bool__(self):
        return False


def with_references(x):
    """A program that has no form without references."""
    a, b = Node(x), Node(2 * x)
    a.next, b.next = b, a
    q = Short([x, 2.0])
    p = [q, q]
    p[0].append(x * x)
    t = a.next.next.value + len(q) + bool(q) + isinstance(q, Short) + (type(q) is Short)
    if q or not p[1]:
        t += 100.0
    return t + len(list(q)) + sum(p[1]) + q.index(2.0) + (x in q) + q[0]


def copies_with_references(x):
    a, b = Node(x), Node(2 * x)
    a.next, b.next = b, a
    q = Short([x, 2.0])
    r, d = copy.copy(q), copy.deepcopy(q)
    r.append(3.0)
    d[0] = 7.0
    return sum(r) + 10 * sum(q) + a.next.value + isinstance(r, Short) + 100 * sum(d)



PROGRAMS = [
    odd, odd2, oddd, itd, sortedl, heap, copies, matches, npuse, strings, alias, zips, delslice,
    fmtmap, with_references, copies_with_references,
]  # fmt: skip
