"""``match`` on unions of frozen dataclasses, one of them recursive."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.programs import Program


@dataclass(frozen=True)
class Nil:
    pass


@dataclass(frozen=True)
class Cons:
    head: float
    tail: List


List = Nil | Cons


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Node:
    left: Tree
    weight: float
    right: Tree


Tree = Leaf | Node


@dataclass(frozen=True)
class Circle:
    radius: float


@dataclass(frozen=True)
class Box:
    width: float
    height: float


Shape = Circle | Box


def list_sum(xs: List, a: float) -> float:
    match xs:
        case Nil():
            return 0.0
        case Cons(head, tail):
            return a * head * head + list_sum(tail, a)


def list_loop(xs: List) -> float:
    """A while loop that walks down the list."""
    total, place, going = 1.0, xs, True
    while going:
        match place:
            case Nil():
                going = False
            case Cons(head, tail):
                total = total * (1.0 + 0.1 * head)
                place = tail
    return total


def tree_value(t: Tree, a: float) -> float:
    match t:
        case Leaf(value):
            return math.sin(value * a)
        case Node(left, weight, right):
            return weight * tree_value(left, a) + tree_value(right, a) * tree_value(right, a)


def tree_sum(t: Tree) -> float:
    match t:
        case Leaf(value):
            return value * value
        case Node(left, weight, right):
            return weight * tree_sum(left) + tree_sum(right)


def area(s: Shape) -> float:
    match s:
        case Circle(r):
            return math.pi * r * r
        case Box(w, h):
            return w * h


def made_inside(x, flag):
    """A union made, chosen at run time and taken apart inside."""
    s = Circle(x) if flag else Box(x, 2.0 * x)
    return area(s) + area(Box(x, 1.0))


@dataclass(frozen=True)
class Rose:
    """A tree that can only end in an empty list."""

    weight: float
    children: list[Rose]


def rose_sum(t: Rose) -> float:
    return math.sin(t.weight) + sum(c.weight * rose_sum(c) for c in t.children)


def rose_mapped(t: Rose, a: float) -> Rose:
    return Rose(t.weight * a, [rose_mapped(c, a) for c in t.children])


def roses(t: Rose, a: float) -> float:
    return rose_sum(rose_mapped(t, a)) * a


def rose_grown(a: float, n: int) -> float:
    def grow(depth: int, weight: float) -> Rose:
        return Rose(weight, [grow(depth - 1, weight * a + k) for k in range(depth)])

    return rose_sum(grow(n, a))


def make_rose(rng, n):
    return Rose(rng.normal(), [make_rose(rng, n // 3) for _ in range(3) if n > 2])


def make_list(rng, n):
    xs = Nil()
    for _ in range(n):
        xs = Cons(rng.normal(), xs)
    return xs


def make_tree(rng, n):
    if n <= 1:
        return Leaf(rng.normal())
    return Node(make_tree(rng, n // 2), rng.uniform(0.5, 1.0), make_tree(rng, n - n // 2))


@dataclass(frozen=True)
class Low:
    x: float


@dataclass(frozen=True)
class Middle:
    y: float


@dataclass(frozen=True)
class High:
    z: float


def level(t):
    match t:
        case Low(x):
            return x * x
        case Middle(y):
            return 2.0 * y
        case High(z):
            return z * z * z


def three_classes(x):
    """A union that no annotation names, met two classes at a time."""
    t = Low(x) if x < 0 else (High(x) if x > 1 else Middle(x))
    return level(t) + 1.0


def classes_of_a_loop(x, n):
    """The union grows while the loop is typed."""
    t = Low(x)
    for i in range(n):
        if i % 3 == 1:
            t = Middle(math.sin(level(t)) * x)
        elif i % 3 == 2:
            t = High(math.cos(level(t)))
    return level(t)


@dataclass(frozen=True)
class Nothing:
    pass


@dataclass(frozen=True)
class Point:
    v: float


@dataclass(frozen=True)
class Pair:
    left: Cell
    right: Cell


Cell = Pair | Point | Nothing


def cell_sum(t):
    match t:
        case Nothing():
            return 0.0
        case Point(v):
            return v * v
        case Pair(left, right):
            return cell_sum(left) + 2.0 * cell_sum(right)


def leaves_of_a_tree(x, depth):
    """A function that makes only some of the classes of the union that its results go into."""

    def leaf(i):
        return Nothing() if i % 3 == 0 else Point(x * i)

    def grow(d, i):
        return leaf(i) if d == 0 else Pair(grow(d - 1, i + 1), leaf(i + 2))

    return cell_sum(grow(depth, 1))


PROGRAMS = [
    Program("roses", roses, lambda rng, n: (make_rose(rng, n), rng.normal()), (0, 1)),
    Program("rose_grown", rose_grown, lambda rng, n: (rng.normal(), n), (0,), (1, 4)),
    Program("list_sum", list_sum, lambda rng, n: (make_list(rng, n), rng.normal()), (0, 1)),
    Program("list_loop", list_loop, lambda rng, n: (make_list(rng, n),)),
    Program("tree_value", tree_value, lambda r, n: (make_tree(r, n), r.normal()), (0, 1), (2, 5)),
    Program("tree_sum", tree_sum, lambda rng, n: (make_tree(rng, n),)),
    Program("area_of_circle", area, lambda rng, n: (Circle(rng.uniform(1.0, 2.0)),)),
    Program("area_of_box", area, lambda rng, n: (Box(rng.uniform(1.0, 2.0), 3.0),)),
    Program("made_inside", made_inside, lambda rng, n: (rng.uniform(1.0, 2.0), n // 6)),
    Program("three_classes", three_classes, lambda rng, n: (rng.uniform(-1.0, 3.0),)),
    Program("classes_of_a_loop", classes_of_a_loop, lambda rng, n: (rng.uniform(0.5, 1.5), n)),
    Program("leaves_of_a_tree", leaves_of_a_tree, lambda rng, n: (rng.uniform(0.5, 1.5), n % 7)),
]
