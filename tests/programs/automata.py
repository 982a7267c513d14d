"""Functions in nodes that hold no node of their kind: what a step gives is the next one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import pullback as pb
from tests.programs import Program, real
from tests.programs.codata import account


@dataclass(frozen=True)
class Tree:
    value: float
    left: Tree | None
    right: Tree | None


@dataclass(frozen=True)
class Ended:
    value: float
    at: Tree | None


@dataclass(frozen=True)
class Going:
    next: Callable[[], Going | Ended]


def walk(t: Tree | None, x: float, total: float) -> Going | Ended:
    if t is None or abs(x) > 4.0:
        return Ended(total, t)
    side = t.left if x < t.value else t.right
    return Going(lambda: walk(side, x * 0.7 + t.value, total + x * t.value))


def down(xs, x):
    """The steps are values, what they have of the tree are its nodes."""
    t = None
    for v in xs:
        t = Tree(v, t, Tree(v * x, t, None))
    step = walk(t, x, 0.0)
    while isinstance(step, Going):
        step = step.next()
    return step.value + (0.0 if step.at is None else step.at.value)


@dataclass(frozen=True)
class Filter:
    step: Callable[[float], tuple[float, Filter]]


def lowpass(a, y):
    def step(x):
        out = a * y + (1.0 - a) * x
        return out, lowpass(a, out)

    return Filter(step)


def moving(weights, kept):
    def step(x):
        new = np.concatenate((kept[1:], np.array([x])))
        return float(np.dot(weights, new)), moving(weights, new)

    return Filter(step)


def filtered(xs, a):
    """A filter with a number in it after one with an array in it: two kinds, one class."""
    first, second = moving(np.array([a, 1.0, a * a]), np.zeros(3)), lowpass(a, 0.0)
    total = 0.0
    for x in xs:
        y, first = first.step(x)
        z, second = second.step(y)
        total += z * z
    return total


def whichever(xs, y):
    """A list of them, and one that is chosen late."""
    accounts = [account(x, y) for x in xs]
    best = accounts[0]
    for a in accounts:
        if a.balance() > best.balance():
            best = a
    return best.deposit(y).balance() + sum(a.deposit(2.0 * y).balance() for a in accounts)


@dataclass(frozen=True)
class Sensor:
    read: Callable[[float], Sensor]
    value: float


def sensor(v, k):
    return Sensor(lambda x: sensor(v * k + math.sin(x), k), v)


def readings(xs, k):
    """A derivative inside of the program with respect to what a node has captured."""
    return sum(pb.grad(lambda v: sensor(v, k).read(x).read(v).value)(x * k) for x in xs)


Row = tuple[float, float, float, float, float]


@dataclass(frozen=True)
class Wide:
    first: Row
    second: Row
    third: Row
    fourth: Row
    next: Callable[[], Wide]


def wide(a: Row, b: Row, c: Row, d: Row) -> Wide:
    def after():
        return wide(b, c, d, (a[1] * 0.5, a[2], a[3] + b[0], a[4], a[0]))

    return Wide(a, b, c, d, after)


def widely(xs, y):
    """Twenty numbers in each step."""
    w = wide((y, 1.0, 2.0, y * y, 3.0), (1.0, y, 1.0, 0.0, y), (0.0, xs[0], y, 1.0, 2.0),
             (y, y, y, 1.0, 1.0))  # fmt: skip
    total = 0.0
    for x in xs:
        total += x * w.first[0] * w.fourth[4]
        w = w.next()
    return total


def arrows(xs, a):
    """Signal functions: each gives a number and what it is from then on."""

    def delay(z):
        return Filter(lambda x: (z, delay(x)))

    def series(f, g):
        def step(x):
            u, after_f = f.step(x)
            v, after_g = g.step(u)
            return v, series(after_f, after_g)

        return Filter(step)

    machine = series(lowpass(a, 0.0), series(delay(0.1), lowpass(a * a, 0.0)))
    total = 0.0
    for x in xs:
        y, machine = machine.step(x)
        total += y * y
    return total


def _numbers(r, n):
    return (r.normal(size=n), 0.4)


PROGRAMS = [
    Program("steps_down_a_tree", down, lambda r, n: (r.normal(size=n), 0.8), (0, 1), (1, 4)),
    real("filters", filtered, _numbers, (0, 1), growth=(10, 60, 300)),
    real("arrows", arrows, _numbers, (0, 1), growth=(10, 60, 300)),
    Program("whichever_account", whichever, _numbers, (0, 1), (1, 4)),
    Program("derivative_of_readings", readings, _numbers, (0, 1), (0, 3)),
    Program("wide_steps", widely, _numbers, (0, 1), (1, 5)),
]
