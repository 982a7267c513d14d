"""Comparisons and operators of tuples and records mean what they mean in Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

import pullback as pb
from pullback.errors import UnsupportedError


@dataclass(frozen=True, eq=False)
class Identity:
    x: float


@dataclass(frozen=True)
class Part:
    x: float
    note: float = field(compare=False, default=0.0)


@dataclass(frozen=True)
class Near:
    x: float

    def __eq__(self, other):
        return abs(self.x - other.x) < 1.0

    def __add__(self, other):
        return Near(self.x + other.x)

    def __radd__(self, other):
        return Near(self.x + other)

    def __neg__(self):
        return Near(-self.x)

    def __lt__(self, other):
        return self.x < other.x


@dataclass(frozen=True)
class FieldsAgain(Near):
    """``@dataclass`` makes an ``__eq__`` of its own."""

    z: float = 0.0


@dataclass(frozen=True, eq=False)
class Inherits(Near):
    z: float = 0.0


@dataclass(frozen=True, order=True)
class Ordered:
    x: float
    y: float


class Point(NamedTuple):
    x: float
    y: float


class Size(NamedTuple):
    x: float
    y: float


CASES = [
    lambda x: Part(x, 1.0) == Part(x, 2.0),
    lambda x: Part(x, 1.0) != Part(x + 1.0, 1.0),
    lambda x: Near(x) == Near(x + 0.5),
    lambda x: Near(x) != Near(x + 0.5),
    lambda x: FieldsAgain(x) == FieldsAgain(x + 0.5),
    lambda x: Inherits(x) == Inherits(x + 0.5),
    lambda x: Inherits(x) != Inherits(x + 0.5),
    lambda x: Near(x + 0.5) in [Near(9.0), Near(x)],
    lambda x: Near(x) == FieldsAgain(x),
    lambda x: Ordered(x, 1.0) < Ordered(x, 2.0),
    lambda x: Ordered(x, 1.0) >= Ordered(x, 1.0),
    lambda x: max(Ordered(x, 1.0), Ordered(x, 3.0)).y == 3.0,
    lambda x: Point(x, 1.0) == Point(x, 1.0),
    lambda x: Point(x, 1.0) == (x, 1.0),
    lambda x: Point(x, 1.0) == Size(x, 1.0),
    lambda x: Point(x, 1.0) < Point(x, 2.0),
    lambda x: Part(x) == (x, 0.0),
    lambda x: (x, 1) < (x, 2),
    lambda x: (x,) < (x, 2),
    lambda x: (x, 2) >= (x, 2),
    lambda x: (x + 1.0, 2) <= (x, 3),
    lambda x: [x, 2.0] <= [x, 1.0],
    lambda x: ("a", x) < ("b", x),
    lambda x: max([(x, 1.0), (x + 1, 0.0), (x + 1, 5.0)])[1] == 5.0,
    lambda x: Near(x) > Near(x - 1.0),
    lambda x: max([Near(x), Near(x + 2.0)]).x == x + 2.0,
    lambda x: (Point(x, 1.0) + (2.0,))[2] == 2.0,
    lambda x: Point(x, 1.0) * 2 == (x, 1.0, x, 1.0),
    lambda x: (Inherits(x) + Inherits(x)).x == 2.0 * x,
    lambda x: (-Inherits(x)).x + (1.0 + Inherits(x)).x == 1.0,
    lambda x: sum([Inherits(x), Inherits(x)]).x == 2.0 * x,
]


@pytest.mark.parametrize("k", range(len(CASES)))
def test_as_python(k):
    f = CASES[k]
    for x in (3.0, -0.25):
        assert pb.jit(f)(x) is f(x)


def test_identity_is_refused():
    with pytest.raises(UnsupportedError, match="eq=False"):
        pb.jit(lambda x: Identity(x) == Identity(x))(1.0)


def test_gradients_go_through_operators_of_a_base_class():
    gradient = pb.grad(lambda x: (Inherits(x * x) + Inherits(x)).x)
    assert gradient(3.0) == 7.0
