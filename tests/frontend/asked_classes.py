"""Objects of several classes that are asked for their class, and sorted."""

from __future__ import annotations

import itertools
import math


class Shape:
    sides = 4

    def __init__(self, size):
        self.size = size

    def area(self):
        return self.size**2


class Circle(Shape):
    sides = 0

    def area(self):
        return math.pi * self.size**2


class Square(Shape):
    pass


class Strip(Shape):
    def __init__(self, size, length=2.0):
        super().__init__(size)
        self.length = length

    def area(self):
        return self.size * self.length


def _shapes(xs):
    classes = [0, 1, 2, 1]
    return [Circle(x) if k == 0 else Square(x) if k == 1 else Strip(x) for k, x in zip(classes, xs)]


def by_names(xs):
    shapes, areas = _shapes(xs), {}
    for s in shapes:
        name = type(s).__name__
        areas[name] = areas.get(name, 0.0) + s.area() * len(s.__class__.__name__)
    return areas["Square"] * 2.0 + areas["Circle"] + len(f"{type(shapes[0]).__name__}s")


def by_classes(xs):
    shapes, total = _shapes(xs), 0.0
    for a, b in itertools.pairwise(shapes):
        if type(a) is Circle or type(b) == Strip:  # noqa: E721  # as some write it
            total += a.area() * type(b).sides
        if type(a) is not type(b):
            total += type(a)(b.size).area()
    return total


def sorted_by_areas(xs):
    shapes = _shapes(xs)
    shapes.sort(key=lambda s: -s.area())
    for s in shapes:
        s.size *= 2.0 if type(s) is Square else 1.0
    return sum((k + 1.0) * s.area() for k, s in enumerate(sorted(shapes, key=Shape.area)))


def as_a_value(xs):
    cls = type(_shapes(xs)[0])
    return xs[0] if isinstance(cls, tuple) else xs[1]


def as_a_key(xs):
    return {type(s): s.area() for s in _shapes(xs)}[Circle]


def in_a_text(xs):
    return xs[0] * len(f"{type(_shapes(xs)[0])}")


AREAS = {Circle: lambda s: 3.0 * s.size**2, Square: Shape.area, Strip: lambda s: s.length}
HANDLERS = {}


def handles(cls):
    def entered(f):
        HANDLERS[cls] = f
        return f

    return entered


@handles(Circle)
def of_circle(s):
    return s.size * 2.0


@handles(Square)
@handles(Strip)
def of_others(s):
    return s.size**3


def by_a_table_of_classes(xs):
    shapes = _shapes(xs)
    shapes.append(shapes[0])
    shapes[0].size *= 1.5
    return sum(AREAS[type(s)](s) * HANDLERS[type(s)](s) for s in shapes)


def by_a_dict_with_classes(xs):
    weights = {Circle: xs[0], Square: xs[1]}
    total = 0.0
    for s in _shapes(xs):
        total += weights.get(type(s), 0.5) * s.size
        if type(s) in weights:
            total += weights[type(s)] ** 2
    return total + weights[Circle]


RIGHT = [by_names, by_classes, sorted_by_areas, by_a_table_of_classes, by_a_dict_with_classes]
REFUSED = [as_a_value, as_a_key, in_a_text]
