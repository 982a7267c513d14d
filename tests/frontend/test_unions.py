"""One class in several unions: in programs of their own, and in one program."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pytest

import pullback as pb
from tests import harness

T = TypeVar("T")


@dataclass(frozen=True)
class Num:
    value: float


@dataclass(frozen=True)
class Add:
    left: Num | Add
    right: Num | Add


@dataclass(frozen=True)
class Neg:
    inner: Num | Add | Neg


@dataclass(frozen=True)
class Small:
    tree: Num | Add


@dataclass(frozen=True)
class Large:
    tree: Num | Add | Neg


@dataclass(frozen=True)
class Maybe:
    tree: Num | Add | None


@dataclass(frozen=True)
class Backwards:
    tree: Add | Num


@dataclass(frozen=True)
class Circle:
    radius: float


@dataclass(frozen=True)
class Square:
    side: float


@dataclass(frozen=True)
class Rows:
    rows: np.ndarray


@dataclass(frozen=True)
class Two:
    shape: Circle | Square


@dataclass(frozen=True)
class Three:
    shape: Circle | Square | Rows


class Point(NamedTuple):
    x: float
    y: float


class Origin(NamedTuple):
    scale: float


@dataclass(frozen=True)
class Places:
    place: Point | Origin


class Op(enum.Enum):
    PLUS = 1
    TIMES = 2


@dataclass(frozen=True)
class Binary:
    op: Op
    name: str
    left: Binary | Num | None
    right: Binary | Num | None


@dataclass(frozen=True)
class Vectors:
    rows: np.ndarray
    rest: Vectors | None


Alias = Num | Add


@dataclass(frozen=True)
class Named:
    tree: Alias | None


@dataclass(frozen=True)
class Cons(Generic[T]):
    head: T
    tail: Cons[T] | None


@dataclass(frozen=True)
class Rose:
    value: float
    children: Cons[Rose] | None


def total(t: Any) -> float:
    match t:
        case None:
            return 0.0
        case Num(value):
            return value * value
        case Add(left, right):
            return total(left) * 0.5 + total(right)
        case Neg(inner):
            return -total(inner)


def area(shape: Any) -> float:
    match shape:
        case Circle(radius):
            return 3.0 * radius * radius
        case Square(side):
            return side * side
        case Rows(rows):
            return np.sum(rows * rows)


def small(s: Small) -> float:
    return total(s.tree)


def large(s: Large) -> float:
    return total(s.tree)


def maybe(s: Maybe) -> float:
    return total(s.tree)


def named(s: Named) -> float:
    return total(s.tree)


def backwards(s: Backwards) -> float:
    return total(s.tree)


def widened(s: Small, large: Large) -> float:
    return total(s.tree) * total(large.tree)


def chosen(s: Small, large: Large, x: float) -> float:
    tree = s.tree if x > 0.0 else large.tree
    return total(tree) * x


def all_three(s: Small, m: Maybe, b: Backwards, x: float) -> float:
    found = 0.0
    for tree in (s.tree, m.tree, b.tree):
        found += total(tree) * x
    return found


def wrapped(s: Small, x: float) -> float:
    large = Neg(Num(x) if x < 0.0 else s.tree)
    return total(Neg(Add(s.tree, large.inner)))


def grown(s: Small, n: int) -> float:
    tree = s.tree
    for _ in range(n):
        tree = Add(tree, Num(0.5))
    return total(tree)


def shapes(a: Two, b: Three, x: float) -> float:
    either = a.shape if x > 0.0 else b.shape
    return area(a.shape) + 2.0 * area(b.shape) + area(either) * x


def made(x: float) -> float:
    shape = Circle(x) if x > 0.0 else Square(x * 2.0)
    return area(shape)


def places(p: Places) -> float:
    match p.place:
        case Point(x, y):
            return x * y
        case Origin(scale):
            return scale * scale


def calculated(b: Any) -> float:
    match b:
        case None:
            return 1.0
        case Num(value):
            return value
        case Binary(Op.PLUS, name, left, right):
            return calculated(left) + calculated(right) * (2.0 if name == "twice" else 1.0)
        case Binary(_, _, left, right):
            return calculated(left) * calculated(right)


def rows_of(v: Any) -> float:
    found = 0.0
    while v is not None:
        found += np.sum(v.rows * v.rows)
        v = v.rest
    return found


def rows_and_more(v: Vectors, w: Vectors) -> float:
    return rows_of(v) + 2.0 * rows_of(w)


def rose(r: Rose) -> float:
    found, rest = r.value * r.value, r.children
    while rest is not None:
        found += 0.5 * rose(rest.head)
        rest = rest.tail
    return found


TREE = Add(Num(1.5), Add(Num(2.0), Num(0.5)))
BIG = Neg(Add(Num(1.2), Num(0.7)))

CASES: list[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]] = [
    (small, (Small(TREE),), (0,)),
    (large, (Large(BIG),), (0,)),
    (large, (Large(TREE),), (0,)),
    (maybe, (Maybe(TREE),), (0,)),
    (maybe, (Maybe(None),), ()),
    (named, (Named(TREE),), (0,)),
    (backwards, (Backwards(TREE),), (0,)),
    (widened, (Small(TREE), Large(BIG)), (0, 1)),
    (chosen, (Small(TREE), Large(BIG), 1.5), (0, 1, 2)),
    (chosen, (Small(TREE), Large(BIG), -1.5), (0, 1, 2)),
    (all_three, (Small(TREE), Maybe(TREE), Backwards(TREE), 0.7), (0, 1, 2, 3)),
    (wrapped, (Small(TREE), 1.5), (0, 1)),
    (grown, (Small(TREE), 3), (0,)),
    (shapes, (Two(Circle(1.5)), Three(Rows(np.ones((2, 3)))), 0.5), (0, 1, 2)),
    (shapes, (Two(Circle(1.5)), Three(Square(2.0)), -0.5), (0, 1, 2)),
    (made, (1.5,), (0,)),
    (made, (-1.5,), (0,)),
    (places, (Places(Point(1.5, 2.0)),), (0,)),
    (places, (Places(Origin(1.5)),), (0,)),
    (calculated, (Binary(Op.PLUS, "twice", Num(1.5), Binary(Op.TIMES, "", Num(2.0), None)),), (0,)),
    (rows_and_more, (Vectors(np.ones(3), None), Vectors(np.ones((2, 2)), None)), (0, 1)),
    (rose, (Rose(1.5, Cons(Rose(2.0, None), Cons(Rose(0.5, None), None))),), (0,)),
]


@pytest.mark.parametrize(("f", "args", "argnums"), CASES)
def test_values_and_gradients(
    f: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[int, ...]
) -> None:
    assert np.isclose(pb.jit(f)(*args), f(*args), rtol=1e-12)
    rng = np.random.default_rng(0)
    tangents = tuple(
        harness.direction(rng, a) if k in argnums else harness.still(a) for k, a in enumerate(args)
    )
    if not argnums:
        return
    expected = harness.difference(f, args, tangents)
    for tier, method in (("eval", "chad"), ("native", "chad"), ("native", "dual")):
        value, grads = harness.gradient(f, args, argnums, tier, method)
        assert np.isclose(value, f(*args), rtol=1e-12)
        slope = sum(harness.inner(g, tangents[k]) for g, k in zip(grads, argnums))
        assert np.isclose(slope, expected, rtol=1e-6), method
