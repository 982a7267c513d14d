"""Functions chosen by the class of an argument, and what ``functools`` puts into classes."""

from __future__ import annotations

import functools
import numbers
from dataclasses import dataclass

import numpy as np


class Shape:
    pass


@dataclass
class Square(Shape):
    a: float


@dataclass
class Circle(Shape):
    r: float


class Tile(Square):
    pass


class Floor(Tile):
    pass


class Other:
    def __init__(self, v):
        self.v = v


@functools.singledispatch
def area(shape, k=1.0):
    raise TypeError("no area")


@area.register
def _(shape: Square, k=1.0):
    return shape.a**2 * k


@area.register(Circle)
def _(shape, k=2.0):
    return 3.0 * shape.r**2 * k


@area.register
def _(shape: Floor, k=1.0):
    return shape.a * 7.0 + area(Square(shape.a), 3.0)


@area.register
def _(shape: float, k=1.0):
    return shape * 5.0


@area.register(list)
@area.register(tuple)
def _(shapes, k=1.0):
    return sum(area(s) for s in shapes)


@area.register
def _(shape: np.ndarray, k=1.0):
    return shape.sum()


@area.register
def _(shape: Shape, k=1.0):
    return 1.0


def by_class(x):
    return area(Square(x)) + area(Circle(2 * x)) + area(Square(3.0), 2.0) + area(Circle(x), k=x)


def by_base_class(x):
    return area(Tile(x)) + area(Floor(x)) + area(Shape()) * x


def of_numbers_and_lists(x):
    shapes = [x, Square(x), Circle(x)]
    return area(x) + area(shapes) + area((x, [2.0, x])) + area(np.array([x, 2.0]))


def in_a_loop(x):
    return sum(area(s) for s in [Square(x), Circle(2 * x), Square(3.0)])


def the_default_raises(x):
    try:
        return area(Other(x))
    except TypeError:
        return x * 9.0


def as_a_value(x):
    shapes = [Square(x), Circle(x)]
    return sum(map(area, shapes)) + functools.reduce(lambda t, s: t + area(s), shapes, 0.0)


def chosen_when_it_runs(x):
    return area(Square(x) if x > 1.0 else Circle(x))


@dataclass(frozen=True)
class Num:
    v: float


@dataclass(frozen=True)
class Add:
    left: object
    right: object


@dataclass(frozen=True)
class Mul:
    left: object
    right: object


@functools.singledispatch
def value(e):
    raise NotImplementedError(type(e))


@value.register
def _(e: Num):
    return e.v


@value.register
def _(e: Add):
    return value(e.left) + value(e.right)


@value.register
def _(e: Mul):
    return value(e.left) * value(e.right)


def of_a_tree(x):
    return value(Add(Num(x), Mul(Num(3.0), Add(Num(x), Num(1.0)))))


@functools.singledispatch
def kind(v):
    return 0.0


@kind.register
def _(v: int):
    return 1.0


@kind.register
def _(v: bool):
    return 2.0


@kind.register
def _(v: numbers.Real):
    return v * 3.0


@functools.singledispatch
def either(v):
    return 0.0


@either.register
def _(v: int | Square):
    return 1.0


def of_abstract_classes_and_unions(x):
    return kind(3) + kind(True) * 10 + kind(x) * 100 + either(2) * x + either(Square(x)) + either(x)


class Visitor:
    def __init__(self, k):
        self.k = k
        self.n = 0

    @functools.singledispatchmethod
    def visit(self, e):
        raise NotImplementedError

    @visit.register
    def _(self, e: Num):
        self.n += 1
        return e.v * self.k

    @visit.register
    def _(self, e: Add):
        return self.visit(e.left) + self.visit(e.right)

    @visit.register(Mul)
    def _(self, e):
        return self.visit(e.left) * self.visit(e.right)


class Twice(Visitor):
    def both(self, e):
        return self.visit(e) * 2.0


TABLE = ((Num, lambda e: e.v), (Add, lambda e: e.left.v - 2 * e.right.v), (Mul, lambda e: 0.5))


def by_a_table_of_classes(x):
    def of(e):
        for cls, f in TABLE:
            if isinstance(e, cls):
                return f(e)
        return 0.0

    tree = Add(Num(x), Num(3 * x)) if x > 0 else Num(x)
    return of(tree) + of(Num(x)) * of(Mul(Num(x), tree))


def by_a_method(x):
    v = Visitor(x)
    tree = Add(Num(x), Mul(Num(3.0), Num(x)))
    return v.visit(tree) + v.n + sum(map(v.visit, [Num(x), Num(2.0)])) + Twice(x).both(Num(x))


def of_several_objects(x):
    vs = [Visitor(x), Visitor(2.0)]
    return sum(v.visit(Mul(Num(x), Num(2.0))) for v in vs) + vs[0].n


@functools.total_ordering
class ByLess:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __eq__(self, other):
        if not isinstance(other, ByLess):
            return NotImplemented
        return (self.a, self.b) == (other.a, other.b)

    def __lt__(self, other):
        if not isinstance(other, ByLess):
            return NotImplemented
        return (self.a, self.b) < (other.a, other.b)


@functools.total_ordering
class ByAtLeast:
    def __init__(self, a):
        self.a = a

    def __eq__(self, other):
        return self.a == other.a

    def __ge__(self, other):
        return self.a >= other.a


@functools.total_ordering
@dataclass(frozen=True)
class ByMore:
    a: float

    def __gt__(self, other):
        return self.a > other.a


@functools.total_ordering
@dataclass(frozen=True)
class ByAtMost:
    a: float

    def __le__(self, other):
        return self.a <= other.a


def answers(a, b, x):
    known = [a < b, a > b, a <= b, a >= b, a == b, a != b, a <= a, a >= a]
    return sum(2.0**k * x for k, known_k in enumerate(known) if known_k)


def added_comparisons(x):
    total = answers(ByLess(x, 1.0), ByLess(x, 2.0), x) + answers(ByAtLeast(x), ByAtLeast(2 * x), x)
    total += answers(ByMore(2 * x), ByMore(x), x) + answers(ByAtMost(x), ByAtMost(2 * x), x)
    ordered = sorted([ByMore(2 * x), ByMore(x), ByMore(3 * x)])
    return total + ordered[0].a * 3 + max(ordered).a


def not_to_be_compared(x):
    try:
        return x if ByLess(x, x) >= 3.0 else 2 * x
    except TypeError:
        return 3.0 * x


class Scaled:
    def __init__(self, v):
        self.v = v

    def scale(self, k, off=0.0):
        return self.v * k + off

    double = functools.partialmethod(scale, 2.0)
    shift = functools.partialmethod(scale, 1.0, off=5.0)


def partial_methods(x):
    s = Scaled(x)
    return s.double() + s.double(off=x) + s.shift() * s.shift(off=2.0)


PROGRAMS = [
    by_class, by_base_class, of_numbers_and_lists, in_a_loop, the_default_raises, as_a_value,
    chosen_when_it_runs, of_a_tree, of_abstract_classes_and_unions, by_a_method,
    by_a_table_of_classes,
    of_several_objects, added_comparisons, not_to_be_compared, partial_methods,
]  # fmt: skip


class Left:
    pass


class Right:
    pass


class Both(Left, Right):
    pass


@functools.singledispatch
def undecided(v):
    return 0.0


@undecided.register
def _(v: Right):
    return 1.0


@undecided.register
def _(v: Left):
    return 2.0


def of_two_bases(x):
    return undecided(Both()) * x
