"""Attributes of Python's own objects that are tuples: they are tuples in compiled code."""

from __future__ import annotations

from enum import Enum

import numpy as np
import pytest

import pullback as pb

Float = np.float16 | np.float32 | np.float64


class Planet(Enum):
    MERCURY = (3.3e23, 2.4e6)
    EARTH = (6.0e24, 6.4e6)

    def mass(self):
        return self.value[0]


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


def among_types(x):
    return x * len(Float.__args__) if np.float64 in Float.__args__ else -x


def not_among_types(x):
    return x if np.int8 not in Float.__args__ else -x


def members(x):
    mass, radius = Planet.EARTH.value
    total = x * mass / radius**2
    for p in Planet:
        total += p.value[1] * x + p.mass() * 1e-20
    return total


def named_by_slots(x):
    s = Slots(x, 2.0)
    return sum(getattr(s, n) for n in Slots.__slots__) * x


@pytest.mark.parametrize("f", [among_types, not_among_types, members, named_by_slots])
def test_as_in_python(f):
    h = 1e-6
    assert pb.jit(f)(1.5) == f(1.5)
    slope = (f(1.5 + h) - f(1.5 - h)) / (2 * h)
    for method in ("chad", "dual"):
        assert pb.grad(f, method=method)(1.5) == pytest.approx(slope, rel=1e-6)
