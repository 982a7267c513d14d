"""Objects that a function finds around it, where they meet objects of their class that it makes:
a global ``ORIGIN`` before a loop that makes points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    def moved(self, d):
        return Point(self.x + d, self.y)


ORIGIN = Point(0.5, 0.25)
UP = Point(0, 1)


class Body:
    kind = "body"

    def __init__(self, v, name, fixed=False):
        self.v, self.name, self.fixed = v, name, fixed
        self.at, self.marks, self.by_name = Point(1.0, 2.0), [1.0, 2.0], {"k": 1.5}
        self.parent = None

    def total(self):
        own = sum(self.v) + sum(self.marks) + self.at.x * self.by_name["k"] + len(self.name)
        return own + (0.0 if self.parent is None else 1.0)


EARTH = Body(np.array([1.0, 2.0]), "earth")
MOON = Body(np.array([3.0, 2.0, 1.0]), "moon", True)


def before_a_loop(x):
    p = ORIGIN
    for k in range(3):
        p = Point(x[0] * k + p.x, x[1])
    return p.dot(p)


def in_a_branch(x):
    p = ORIGIN
    if x[0] > 0.5:
        p = Point(x[0], x[1])
    return p.dot(UP) + p.x


class World:
    up = UP

    def __init__(self, at=ORIGIN):
        self.up, self.at = World.up, at

    def tilt(self, a):
        if a > 0.5:
            self.up = Point(a, self.up.y)
        return self


def as_attributes(x):
    w = World()
    for v in x:
        w.tilt(v)
        w.at = w.at.moved(v)
    return w.up.dot(Point(1.0, 2.0)) + World.up.y + w.at.dot(UP) + w.at.x


def in_a_comprehension(x):
    ps = [Point(x[1], v) if v > 0.5 else ORIGIN for v in x]
    return sum(p.dot(p) for p in ps) + ps[-1].x


def returned_on_some_paths(x):
    def pick(i):
        if i == 0:
            return ORIGIN
        return UP if i == 1 else Point(x[0], x[1])

    return sum(pick(i).x * (i + 1) for i in range(4))


def under_try(x):
    total = 0.0
    for v in x:
        try:
            p = ORIGIN
            if v > 1.0:
                raise ValueError
        except ValueError:
            p = Point(v * v, x[2])
        total += p.dot(ORIGIN)
    return total


def beside_none(x):
    best = None
    for v in x:
        p = Point(v, 1.0) if v > 0.5 else ORIGIN
        if best is None or p.dot(UP) + p.x > best.dot(UP) + best.x:
            best = p
    return best.x * 2.0 + best.y


def swapped(x):
    a, b = ORIGIN, Point(x[0], x[1])
    for _ in range(3):
        a, b = b, a
    return a.x + 2.0 * b.x


def bound_by_a_function_inside(x):
    axis = UP

    def turn(k):
        nonlocal axis
        axis = Point(axis.y * k, x[0])

    for k in range(3):
        turn(k)
    return axis.dot(ORIGIN)


def with_other_attributes(x):
    """Arrays of two lengths, texts, bools, None, lists, dicts and objects."""
    b = EARTH if x[0] > 0.5 else MOON
    c = MOON
    if x[1] > 1.0:
        c = Body(np.array([x[0], x[1]]), "sun")
    return (b.total() + c.total()) * x[0] + (1.0 if b.fixed else 2.0) + len(b.kind)


PROGRAMS = [
    before_a_loop, in_a_branch, as_attributes, in_a_comprehension, returned_on_some_paths,
    under_try, beside_none, swapped, bound_by_a_function_inside, with_other_attributes,
]  # fmt: skip
X = np.array([0.7, 1.3, 0.4])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f: Callable[[Any], Any]) -> None:
    assert pb.jit(f)(X) == pytest.approx(f(X), rel=1e-14)
    d = np.array([0.3, -0.2, 0.5])
    difference = (f(X + 1e-6 * d) - f(X - 1e-6 * d)) / 2e-6
    ways = [pb.grad(f)(X) @ d, pb.grad(f, method="dual")(X) @ d, pb.jvp(f, (X,), (d,))[1]]
    assert ways == pytest.approx([difference] * 3, rel=1e-6, abs=1e-9)
    both = np.stack([X, X[::-1]])
    assert pb.vmap(f)(both) == pytest.approx([f(X), f(X[::-1])], rel=1e-14)


@pytest.fixture
def origin() -> Iterator[Point]:
    kept = vars(ORIGIN).copy()
    yield ORIGIN
    vars(ORIGIN).clear()
    vars(ORIGIN).update(kept)


def test_attributes_are_those_of_the_call(origin: Point) -> None:
    f, x = pb.jit(in_a_branch), np.array([0.2, 1.0, 0.0])
    for name, value in [("x", 2.5), ("y", 3), ("z", "more"), ("y", np.float32(1.5)), ("x", 0.125)]:
        setattr(origin, name, value)
        assert f(x) == in_a_branch(x)


def test_updates_are_seen(origin: Point) -> None:
    def f(x: Any) -> Any:
        ORIGIN.x = ORIGIN.x + x[0]
        p = ORIGIN
        if x[0] > 5.0:
            p = Point(x[0], x[1])
        return p.x * x[1]

    assert pb.jit(f)(X) == 1.2 * 1.3
    assert origin.x == 1.2


def written(x):
    p = ORIGIN
    if x[0] > 5.0:
        p = Point(x[0], x[1])
    p.x = x[2]
    return ORIGIN.x


def written_in_a_list(x):
    ps = [Point(x[1], v) if v > 1.0 else ORIGIN for v in x]
    ps[0].x = x[0] * 10.0
    return ps[2].x


def an_array_of_it(x):
    b = EARTH
    if x[0] > 5.0:
        b = Body(x * 2.0, "sun")
    b.v[0] = x[0]
    return EARTH.v[0]


@pytest.mark.parametrize("f", [written, written_in_a_list, an_array_of_it])
def test_it_is_not_updated_by_another_name(f: Callable[[Any], Any]) -> None:
    with pytest.raises(pb.PullbackError, match="update refused"):
        pb.grad(f)(X)


def test_which_object_it_is_only_the_run_knows() -> None:
    def f(x: Any) -> Any:
        p = ORIGIN
        if x[0] > 5.0:
            p = Point(x[0], x[1])
        return x[1] if p is ORIGIN else x[2]

    with pytest.raises(pb.PullbackError, match="identity of objects"):
        pb.jit(f)(X)
