"""Programs that get objects which lead to each other, or give some; arguments are made anew."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


class Node:
    def __init__(self, v: Any, next: Any = None) -> None:  # as people call it
        self.v, self.next, self.name, self.k, self.on = v, next, "n", 2, True
        self.items, self.arr, self.other = [v, 1.0], np.array([v, 2.0]), None


class Tree:
    def __init__(self, key: Any, left: Any = None, right: Any = None) -> None:
        self.key, self.left, self.right = key, left, right


@dataclass
class Part:
    v: float
    kids: list[Any] = field(default_factory=list)
    up: Any = None


class Slots:
    __slots__ = ("next", "v")

    def __init__(self, v: Any, next: Any = None) -> None:
        self.v, self.next = v, next


class Shape:
    def __init__(self) -> None:
        self.other = None


class Square(Shape):
    def __init__(self, a: Any) -> None:
        super().__init__()
        self.a = a

    def area(self) -> Any:
        return self.a * self.a


class Circle(Shape):
    def __init__(self, r: Any) -> None:
        super().__init__()
        self.r = r

    def area(self) -> Any:
        return 3.0 * self.r * self.r


@dataclass(frozen=True)
class Rate:
    k: float


def ring(x: float) -> Node:
    a, b = Node(x), Node(2.0)
    a.next, b.next = b, a
    return a


def chain(x: float, n: int = 12) -> Any:
    head = None
    for k in range(n):
        head = Slots(x * k, head)
    return head


def tree(x: float) -> Tree:
    return Tree(x, Tree(1.0, None, Tree(x * x)), Tree(3.0))


def parts(x: float) -> Part:
    root = Part(x)
    for k in range(3):
        root.kids.append(Part(x * k, [], root))
    return root


def shapes(x: float) -> list[Any]:
    a, b = Square(x), Circle(2.0)
    a.other, b.other = b, a
    return [a, b, a]


def inserted(t, key):
    if t is None:
        return Tree(key)
    if key < t.key:
        t.left = inserted(t.left, key)
    else:
        t.right = inserted(t.right, key)
    return t


def total(t):
    return 0.0 if t is None else t.key * t.key + total(t.left) + total(t.right)


def grown(t):
    inserted(t, 2.5)
    inserted(t, 0.1)
    return total(t) + t.right.left.key


def summed(n):
    s = 0.0
    while n is not None:
        s += n.v * n.v
        n.v *= 2.0
        n = n.next
    return s


def put_between(a):
    new = Node(a.v * 3.0, a.next)
    a.next.next, a.next = new, new
    return a.next.v * a.next.next.v * a.next.next.next.v


def two(a, b):
    a.v += b.next.v
    return a.v * b.v * a.next.v


def identity(a, b):
    return a.v * b.v + (1.0 if a.next is b.next else 0.0) + (2.0 if a is b.next else 0.0)


def arrays(a):
    a.arr[0] += a.next.v
    a.next.arr *= 2.0
    return a.arr.sum() + a.next.next.arr[1]


def lists(a):
    a.items.append(a.v * 2.0)
    a.next.items[0] = 5.0
    return sum(a.items) + len(a.next.items) * a.next.items[0]


def put_lists(a):
    if a.v > 1.3:
        a.items = [a.v * 3.0]
    else:
        a.items.append(1.0)
    a.next.arr = a.next.arr + a.v
    return sum(a.items) + a.next.arr.sum()


def others(a, rate):
    a.name = "x" if a.v > 1.3 else a.next.name + "y"
    a.next.k += 3
    a.on = not a.on
    a.other = a.next.v * rate.k
    a.extra = a.next
    return a.other * a.next.k


def raises(a):
    a.v += 1.0
    a.next.items.append(2.0)
    if a.v > 2.0:
        raise ValueError("too large")
    return a.v * a.next.v


def up_and_down(p):
    for k in range(len(p.kids)):
        c = p.kids[k]
        c.v += c.up.v * k
    p.kids.pop()
    p.kids[0].kids.append(Part(p.v, [], p.kids[1]))
    return p.v * sum(c.v for c in p.kids) + p.kids[0].kids[0].up.v


def areas(ss):
    new = Square(ss[0].area())
    new.other, ss[0].other = ss[0].other, new
    return sum(s.area() for s in ss) + ss[2].other.area()


UPDATES: list[tuple[Callable[..., Any], Callable[[float], tuple[Any, ...]]]] = [
    (grown, lambda x: (tree(x),)),
    (summed, lambda x: (chain(x),)),
    (put_between, lambda x: (ring(x),)),
    (two, lambda x: (ring(x), ring(2.0 * x))),
    (identity, lambda x: (ring(x), ring(2.0 * x))),
    (arrays, lambda x: (ring(x),)),
    (lists, lambda x: (ring(x),)),
    (put_lists, lambda x: (ring(x),)),
    (others, lambda x: (ring(x), Rate(1.5))),
    (raises, lambda x: (ring(x),)),
    (up_and_down, lambda x: (parts(x),)),
    (areas, lambda x: (shapes(x),)),
]


def shared(x: float) -> tuple[Any, ...]:
    a = ring(x)
    return a, a.next


def views(x: float) -> tuple[Any, ...]:
    a, base = ring(x), np.zeros(3)
    a.arr, a.next.arr = base[:2], base[1:]
    return (a,)


def one_list(x: float) -> tuple[Any, ...]:
    a = ring(x)
    a.next.items = a.items
    return (a,)


KNOWN = ring(1.0)


def by_its_name(a):
    a.v += 1.0
    return KNOWN.v * a.v


PLAIN: list[tuple[Callable[..., Any], Callable[[float], tuple[Any, ...]]]] = [
    (two, shared), (identity, shared), (lists, one_list), (by_its_name, lambda x: (KNOWN,)),
]
"""What is shared between arguments, or with what is around."""


# --- results --------------------------------------------------------------------------------------


def linked(x, y):
    head = None
    for k in range(4):
        head = Slots(x * k + y, head)
    return head


def searched(x, y):
    t = None
    for v in (x, y, x * y, 0.1, x + y, -1.0):
        t = inserted(t, v)
    return t


def pair(x, y):
    a, b = Part(x), Part(y)
    a.kids, b.kids, b.up = [b, b], [a], a
    return a, [b, a], x * y


def perhaps(x, y):
    a = Slots(x)
    a.next = Slots(y, a)
    return None if x > 1.3 else a.next


def drawn(x, y):
    made = [Square(x), Circle(y), Square(y)]
    for s in made:
        s.other = made[0]
    return made


def largest(x, y):
    ns = [Slots(x), Slots(y), Slots(x * y)]
    for a, b in itertools.pairwise(ns):
        a.next = b
    return max(ns, key=lambda n: n.v)


RESULTS = [linked, searched, pair, perhaps, drawn, largest]


def given_back(a):
    a.v *= 2.0
    return a.next


def with_a_new_one(a):
    return [a, Node(a.v, a), a.next]


GIVEN = [given_back, with_a_new_one]


# --- refused --------------------------------------------------------------------------------------


def gives_its_list(a):
    a.items.append(1.0)
    return a.items, a


def keeps_a_list(a, xs):
    a.items = xs
    return sum(a.items) + a.next.v


def list_of_objects(ns):
    ns.append(ns[0].next)
    return ns[0].v


TABLE = np.array([1.0, 2.0, 3.0])


class Holder:
    def __init__(self, arr, next):
        self.arr, self.next = arr, next


def part_of_a_table(n):
    n.next.arr[0] = 7.0
    s = 0.0
    while n is not None:
        s += n.arr[0]
        n = n.next
    return s + TABLE[0] * 10


def over_a_table(x):
    TABLE[:] = x, 2.0, 3.0
    a = None
    for _ in range(12):
        a = Holder(np.ones(2), a)
    a.next.arr = TABLE[:2]
    return a


def negated(n):
    while n is not None:
        n.arr, n = -n.arr, n.next
    return 1.0


def zeros(x):
    a = None
    for k in range(12):
        a = Holder(0.0 * x if k % 2 else -0.0, a)
    return a


PLAIN += [
    (part_of_a_table, lambda x: (over_a_table(x),)),
    (negated, lambda x: (zeros(x),)),
    (gives_its_list, lambda x: (ring(x),)),
    (keeps_a_list, lambda x: (ring(x), [1.0, x])),
    (list_of_objects, lambda x: ([ring(x)],)),
]

REFUSED: list[tuple[Callable[..., Any], Callable[[float], tuple[Any, ...]]]] = [(arrays, views)]
