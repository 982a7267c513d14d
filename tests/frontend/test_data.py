"""Tuples, lists, records and unions, against plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import pullback as pb
from tests.frontend.harness import agrees, run, same

# --- data -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 2.0

    def norm(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    @property
    def total(self):
        return self.x + self.y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


@dataclass(frozen=True)
class Body:
    at: Point
    path: np.ndarray
    name: str = "body"


class Pair(NamedTuple):
    first: float
    second: int


def records(p, q):
    r = p + q
    return Point(r.x, p.norm()), r.total, Point(1.0).y


def bodies(b):
    moved = Body(b.at + Point(1.0), b.path * 2.0, b.name)
    return moved, moved.at.x + moved.path[0]


def named(p):
    a, b = p
    return Pair(a * b, b + 1), p.first, p[1]


def tuples(x, t):
    a, (b, *c) = x, t
    u = (a, *c, b)
    return u, u[0], u[-1], u[1:], len(u), (1, 2) + (x,), (x, x) == (x, b)


def comprehensions(x, n):
    squares = [v * v for v in x]
    table = [[i * j for j in range(n)] for i in range(n)]
    return (
        squares[1],
        sum(squares),
        sum(v for v in x if v > 1.0),
        table[n - 1][n - 1],
        len(squares),
        squares,
        [a + b for a, b in zip(x, squares)],
        [i * v for i, v in enumerate(x)],
        [v for v in x if v > 1.0],
        max(v for v in x),
        [k * 2 for k in (1, 2, 3)],
    )


def list_arithmetic(n, x):
    zeros = [0.0] * n
    both = zeros + [x, 2.0]
    return len(both), both[n], both[-1], both


def test_data():
    agrees(records, Point(1.0, 2.0), Point(3.0, 4.0))
    agrees(named, Pair(1.5, 2))
    agrees(tuples, 1.0, (2.0, 3, 4.0))
    agrees(comprehensions, np.array([1.0, 2.0, 3.0]), 3)
    agrees(list_arithmetic, 3, 1.5)
    b = Body(Point(1.0, 2.0), np.array([1.0, 2.0]))
    same(run(bodies, b), bodies(b))


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Fork:
    left: Tree
    right: Tree
    weight: float = 1.0


Tree = Leaf | Fork


@dataclass(frozen=True)
class Cons:
    head: float
    tail: Cons | None


def tree_sum(t):
    match t:
        case Leaf(v):
            return v
        case Fork(left, right, weight=w):
            return w * (tree_sum(left) + tree_sum(right))


def tree_depth(t):
    if isinstance(t, Leaf):
        return 0
    return 1 + max(tree_depth(t.left), tree_depth(t.right))


def tree_map(t, f):
    match t:
        case Leaf(v):
            return Leaf(f(v))
        case Fork(Leaf(a), Leaf(b)):
            return Fork(Leaf(f(a)), Leaf(f(b)), 10.0)
        case Fork(l, r) if isinstance(l, (Leaf, Fork)):
            return Fork(tree_map(l, f), tree_map(r, f))


def list_sum(c):
    s = 0.0
    while c is not None:
        s += c.head
        c = c.tail
    return s


def list_fold(c):
    if c is None:
        return 0.0
    return c.head + 0.5 * list_fold(c.tail)


def build_list(n, x):
    return None if n == 0 else Cons(x * n, build_list(n - 1, x))


def build_and_sum(x, n):
    return list_fold(build_list(n, x))


def test_unions():
    t = Fork(Fork(Leaf(1.0), Leaf(2.0)), Leaf(3.0), 0.5)
    agrees(tree_sum, t)
    agrees(tree_sum, Leaf(2.0))
    agrees(tree_depth, t)
    same(run(tree_map, t, lambda v: v * 2.0), tree_map(t, lambda v: v * 2.0))
    c = Cons(1.0, Cons(2.0, Cons(4.0, None)))
    agrees(list_sum, c)
    agrees(list_fold, c)
    agrees(build_and_sum, 1.5, 4)


def classify(x, y):
    match (x, y):
        case (0, _):
            return 1
        case (a, b) if a > b:
            return a - b
        case (1 | 2, b):
            return b * 10
        case _:
            return -1


def test_match_on_numbers():
    for x in range(4):
        agrees(classify, x, 2)


@dataclass(frozen=True)
class Odd:
    v: float
    rest: Even | None


@dataclass(frozen=True)
class Even:
    v: float
    rest: Odd | None


def odd_total(o: Odd):
    return o.v * o.v + (even_total(o.rest) if o.rest is not None else 0.0)


def even_total(e: Even):
    return 3.0 * e.v + (odd_total(e.rest) if e.rest is not None else 0.0)


def test_classes_that_only_refer_to_each_other_or_none():
    chain = Odd(2.0, Even(1.0, Odd(5.0, None)))
    assert pb.grad(odd_total)(chain) == Odd(4.0, Even(3.0, Odd(10.0, None)))
    assert pb.jit(odd_total)(chain) == odd_total(chain) == 32.0
    assert pb.grad(lambda x: odd_total(Odd(x, Even(x, None))))(2.0) == 7.0
