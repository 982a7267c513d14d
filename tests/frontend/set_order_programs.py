"""Programs that go through sets of ints and of tuples of them: in the order of CPython's table."""

import copy

import numpy as np

KNOWN = {5, 3, 99, 1000, 64}
FROZEN = frozenset(range(0, 100, 7))
PAIRS = {(1, 2), (3, 4), (0, 0)}


def listed(*sets):
    """Return the items of all sets, with a mark behind each of them."""
    found = []
    for s in sets:
        for v in s:
            found.append(v)
        found.append(99999)
    return found


def added(xs, ys):
    """Return what is put in one by one, and by a comprehension, a list, a generator."""
    s = set()
    for x in xs:
        s.add(x)
    return listed(s, {x // 2 for x in xs}, set(xs), set(y for y in ys), {*s, 7, *ys})


def changed(xs, ys):
    """Return what is left after items were taken out, also by ``pop``."""
    s, found = set(xs), []
    for y in ys:
        if y % 3 == 0 and y - 1 in s:
            s.remove(y - 1)
        elif y % 7 == 0 and len(s) > 0:
            found.append(s.pop())
        elif y % 5 == 0:
            s.discard(y + 2)
        else:
            s.add(y)
    return [*found, *listed(s)]


def combined(xs, ys):
    """Return what operators and methods of two sets give."""
    a, b = set(xs), set()
    for y in ys:
        b.add(y)
    for y in ys[::2]:
        b.discard(y)
    found = listed(a | b, a & b, a - b, b - a, a ^ b, set(a), a.copy(), b.union(xs, a))
    found += listed(a.difference(ys), a.intersection(ys), a.symmetric_difference(ys))
    found += listed(a.difference(b, xs[:2]), frozenset(b) | a, a.intersection(b, ys))
    return found


def updated(xs, ys):
    """Return sets after they were updated by others, and what ``pop`` takes out between."""
    a, b = set(xs), set(ys)
    c, found = a - b, []
    a |= b
    found += listed(a)
    a -= c
    if a:
        found.append(a.pop())
    a ^= b
    found += listed(a)
    if a:
        found.append(a.pop())
    b &= a | c
    found += listed(b)
    b.difference_update(xs)
    b.update(ys, a)
    found += listed(b)
    b.intersection_update(xs, a)
    b.symmetric_difference_update(xs)
    return [*found, *listed(b, copy.copy(b), copy.deepcopy(b))]


def of_dicts(xs, ys):
    """Return sets that are made of dicts and of views of them."""
    d = {x: 1.0 for x in xs}
    e = {y: 2.0 for y in ys}
    s = set(ys)
    found = listed(set(d), set(d.keys()), frozenset(e), d.keys() & s, s & d.keys(), d.keys() - s)
    found += listed(s - d.keys(), d.keys() ^ s, s | d.keys(), d.keys() & e.keys(), d.keys() | e)
    s.update(d)
    return [*found, *listed(s)]


def of_pairs(xs, ys):
    """Return sets of tuples, of a known length and of any."""
    s = set()
    for x in xs:
        s.add((x, x * 7 - 3))
    t = {(x, (x + 1, -x)) for x in ys}
    u = {tuple(range(abs(x) % 5)) for x in ys}
    found = [len(v) for v in {(xs[0], 2), (3, 4), (1, 2, xs[-1]), (0, 0, 9)}]
    found += [a for a, _ in s] + [b for _, (b, _) in t]
    return found + [len(v) for v in u]


def consumed(xs, ys):
    """Return what other consumers of a set see first."""
    s = set(xs) | set(ys)
    first, *rest = s
    found = [first, next(iter(s)), max(s, key=lambda v: v % 3), min(s, key=lambda v: v % 2)]
    found += [i + v for i, v in enumerate(s)] + [v - w for v, w in zip(s, rest)]
    found += list(s) + list(tuple(s)) + sorted(s) + sorted(s, key=lambda v: v % 4)
    d = {v: 1 for v in s}
    return found + list(d) + [v for v in s if v > 3] + [int(v) for v in np.array(list(s))]


def advanced(xs, ys):
    """Return what iterators over sets, and over a dict that lost a key, give by ``next``."""
    items, others = iter(set(xs)), iter({y % 5 for y in ys})
    found = [next(items), *(v - w for v, w in zip(items, others)), *items]
    d = {y: y + 1 for y in ys}
    del d[ys[0]]
    for k, v in (rest := iter(d.items())):
        found += [k, v, next(rest, (0, 7))[1]]
    return found


def constants(xs, ys):
    """Return sets that stand in the text, whole ones and with what the run knows."""
    found, k = [], xs[0]
    for v in {8, 0, 16}:
        found.append(v)
    found += [v for v in {100, 3, 77, 64, 5, 1000}]
    a = {100, 3, 77, 64, 5, 1000}
    found += listed(a, {k, 3, 8, 0}, {-1, -2, 8, 0}, {v * 3 for v in a}, KNOWN, FROZEN)
    found += listed(KNOWN | FROZEN, FROZEN - a, a & FROZEN)
    found += listed({2 * 8, 1, 2, 3, 20}, {1 << 5, -7, 3, 64, 2 + 2, k - k})
    for v in {4 * 8, 0, 3 - 1}:
        found.append(v)
    a.add(k)
    return found + listed(a) + [p * 10 + q for p, q in PAIRS]


PROGRAMS = (
    added, changed, combined, updated, of_dicts, of_pairs, consumed, advanced, constants,
)  # fmt: skip


def given(s, t, xs):
    """Return what is seen of two sets that are arguments, and update the first one."""
    found = listed(s, t, s | t, s - t, t - s, s ^ t, s & t, set(s), frozenset(t))
    u = set(s)
    for x in xs:
        u.add(x)
    found += listed(u)
    found.append(u.pop())
    for x in xs:
        s.add(x)
    for x in xs[::3]:
        s.discard(x)
    found += listed(s)
    if s:
        found.append(s.pop())
    return found


def weighted(x, xs):
    """Return a sum that depends on the order by its rounding, and by what it is multiplied with."""
    s, total = set(xs), 0.1 * x
    for v in s:
        total = total * 0.9 + x / (v + 0.3)
    return total


def visited(x, edges):
    """Return a cost that follows from the order in which a search takes nodes from a set."""
    waiting, seen, cost = {0}, set(), 0.0
    while waiting:
        node = waiting.pop()
        seen.add(node)
        cost = cost * x + node
        for a, b in edges:
            if a == node and b not in seen:
                waiting.add(b)
    return cost
