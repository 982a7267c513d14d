"""Persistent data structures: heaps, balanced trees and trees of sums, updated by new paths."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

from tests.programs import real
from tests.programs.codata import Done, More, run


@dataclass(frozen=True)
class Heap:
    rank: int
    key: float
    left: Optional[Heap]
    right: Optional[Heap]


def rank(h):
    return 0 if h is None else h.rank


def heap(key, a, b):
    return Heap(rank(b) + 1, key, a, b) if rank(a) >= rank(b) else Heap(rank(a) + 1, key, b, a)


def merge(a, b):
    """Leftist heaps."""
    if a is None:
        return b
    if b is None:
        return a
    if a.key <= b.key:
        return heap(a.key, a.left, merge(a.right, b))
    return heap(b.key, b.left, merge(a, b.right))


def heap_order(xs):
    """The elements in order, the small ones with more weight."""
    h = None
    for x in xs:
        h = merge(Heap(1, x, None, None), h)
    total, i = 0.0, 0
    while h is not None:
        total += h.key / (1.0 + i)
        i += 1
        h = merge(h.left, h.right)
    return total


@dataclass(frozen=True)
class RedBlack:
    red: bool
    left: Optional[RedBlack]
    key: float
    value: float
    right: Optional[RedBlack]


def balance(red, left, key, value, right):
    """Okasaki's four cases of a red child with a red child."""
    if not red:
        match (left, right):
            case (RedBlack(True, RedBlack(True, a, xk, xv, b), yk, yv, c), d):
                low, high = RedBlack(False, a, xk, xv, b), RedBlack(False, c, key, value, d)
                return RedBlack(True, low, yk, yv, high)
            case (RedBlack(True, a, xk, xv, RedBlack(True, b, yk, yv, c)), d):
                low, high = RedBlack(False, a, xk, xv, b), RedBlack(False, c, key, value, d)
                return RedBlack(True, low, yk, yv, high)
            case (a, RedBlack(True, RedBlack(True, b, yk, yv, c), zk, zv, d)):
                low, high = RedBlack(False, a, key, value, b), RedBlack(False, c, zk, zv, d)
                return RedBlack(True, low, yk, yv, high)
            case (a, RedBlack(True, b, yk, yv, RedBlack(True, c, zk, zv, d))):
                low, high = RedBlack(False, a, key, value, b), RedBlack(False, c, zk, zv, d)
                return RedBlack(True, low, yk, yv, high)
    return RedBlack(red, left, key, value, right)


def inserted(t, key, value):
    if t is None:
        return RedBlack(True, None, key, value, None)
    if key < t.key:
        return balance(t.red, inserted(t.left, key, value), t.key, t.value, t.right)
    if key > t.key:
        return balance(t.red, t.left, t.key, t.value, inserted(t.right, key, value))
    return RedBlack(t.red, t.left, key, t.value + value, t.right)


def blackened(t):
    return RedBlack(False, t.left, t.key, t.value, t.right)


def fold(t, f, start):
    return start if t is None else fold(t.right, f, f(fold(t.left, f, start), t.value))


def red_black(xs):
    """Values by keys, in the order of the keys, each with less weight than the next."""
    t = None
    for i, x in enumerate(xs):
        t = blackened(inserted(t, math.sin(7.0 * i), x * x))
    return fold(t, lambda total, value: 0.9 * total + value, 0.0)


@dataclass(frozen=True)
class Segment:
    total: float
    left: Optional[Segment]
    right: Optional[Segment]


def segments(xs, a, b):
    if b - a == 1:
        return Segment(xs[a], None, None)
    middle = (a + b) // 2
    left, right = segments(xs, a, middle), segments(xs, middle, b)
    return Segment(0.5 * left.total + right.total, left, right)


def changed(t, a, b, i, x):
    if b - a == 1:
        return Segment(x, None, None)
    middle = (a + b) // 2
    if i < middle:
        left, right = changed(t.left, a, middle, i, x), t.right
    else:
        left, right = t.left, changed(t.right, middle, b, i, x)
    return Segment(0.5 * left.total + right.total, left, right)


def segment_tree(xs):
    """Every change depends on the sum of all that came before."""
    n = len(xs)
    t, total = segments(xs, 0, n), 0.0
    for i in range(n):
        t = changed(t, 0, n, (7 * i) % n, math.sin(t.total) + xs[i])
        total += t.total
    return total / n


@dataclass(frozen=True)
class Twig:
    value: float
    left: Optional[Twig]
    right: Optional[Twig]


def grown(n, x):
    if n == 0:
        return None
    half = (n - 1) // 2
    return Twig(x + 0.01 * n, grown(half, 0.9 * x), grown(n - 1 - half, 1.05 * x))


def added(t, then):
    """The sum over a tree by continuations, one step at a time: no stack grows."""
    if t is None:
        return More(lambda: then(0.0))
    return More(
        lambda: added(
            t.left,
            lambda a: More(lambda: added(t.right, lambda b: then(a + b + math.sin(t.value)))),
        )
    )


def sum_by_continuations(x, n):
    return run(added(grown(n, x), lambda total: Done(total)))


PROGRAMS = [
    real("heap_order", heap_order, lambda r, n: (r.normal(size=n),), (0,), (1, 6)),
    real("red_black", red_black, lambda r, n: (r.normal(size=n),), (0,), (1, 9)),
    real("segment_tree", segment_tree, lambda r, n: (r.normal(size=n),), (0,), (1, 6)),
    real("sum_by_continuations", sum_by_continuations, lambda r, n: (0.3, n), (0,), (0, 5)),
]
