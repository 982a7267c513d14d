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


RIGHT = [by_names, by_classes, sorted_by_areas]
REFUSED = [as_a_value, as_a_key, in_a_text]
