"""``match`` beside Python: class patterns for plain objects, numbers and arrays, sequence patterns
for whatever has items, values that have an ``__eq__``; and objects from outside as whole values."""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.foreign.__main__ import is_right

# mypy: disable-error-code="no-untyped-def"


@dataclass
class Point:
    x: float
    y: float


@dataclass(frozen=True, order=True)
class Fixed:
    x: float
    y: float


@dataclass(order=True)
class Ordered:
    x: float
    y: float


@dataclass(match_args=False)
class ByName:
    a: float


class Plain:
    def __init__(self, v: float) -> None:
        self.v = v


class Link:
    def __init__(self, v: float, next: Any = None) -> None:
        self.v = v
        self.next = next


class Both:
    __match_args__ = ("v", "w")

    def __init__(self, v: float, w: float) -> None:
        self.v = v
        self.w = w

    @property
    def norm(self) -> float:
        return self.v * self.v + self.w


class Inherits(Both):
    pass


class Same:
    def __init__(self, v: float) -> None:
        self.v = v

    def __eq__(self, other: object) -> bool:
        return self.v == other.v if isinstance(other, Same) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it can change


class Known:
    ORIGIN = Point(0.0, 0.0)
    FIXED = Fixed(0.0, 0.0)
    SAME = Same(0.5)


HERE = Point(0.0, 0.5)
HIGH = Ordered(1.0, 2.0)
CHAIN = Link(1.5, Link(2.0))
RING = Link(1.5)
RING.next = RING


def a_plain_object(xs):
    match Plain(xs[0]):
        case Plain(v=v):
            return v * v
        case _:
            return 0.0


def objects_in_objects(xs):
    match Link(xs[0], Link(xs[1])):
        case Link(v=v, next=Link(v=w)):
            return v * w
        case _:
            return 0.0


def names_and_properties(xs):
    match Both(xs[0], xs[1]):
        case Both(v, w) if v < 0:
            return w
        case Both(v, norm=n):
            return v * n


def of_the_base(xs):
    match Inherits(xs[0], xs[1]):
        case Both(v, w):
            return v * w


def without_positions(xs):
    match ByName(xs[0]):
        case ByName(a=x):
            return x * x


def an_attribute_that_is_not_there(xs):
    match ByName(xs[0]):
        case ByName(b=x):
            return x
        case _:
            return xs[1]


def one_that_shared_objects_do_not_have(xs):
    h = Link(xs[0])
    h.next = h
    match h:
        case Link(other=1):
            return 0.0
        case Link(v=v):
            return v * v


def attributes_of_numbers(xs):
    match xs[0]:
        case float(real=r):
            return r * xs[1]
        case _:
            return 0.0


def attributes_of_arrays(xs):
    match np.array(xs):
        case np.ndarray(ndim=2):
            return 0.0
        case np.ndarray(ndim=1, shape=(n,)):
            return n * xs[0] * xs[1]


def a_dict_itself(xs):
    match {"a": xs[0]}:
        case dict(d):
            return d["a"] * xs[1]


def a_tuple_itself(xs):
    match (xs[0], xs[1]):
        case tuple((a, b)):
            return a * b


def equal_to_an_object(xs):
    match Point(len(xs) - 3.0, 0.0):
        case Known.ORIGIN:
            return xs[1] * 2
        case Point(x, y):
            return x + y


def equal_to_a_frozen_one(xs):
    match Fixed(len(xs) - 3.0, 0.0):
        case Known.FIXED:
            return xs[1] * 2
        case Fixed(x, y):
            return x + y


def equal_by_a_method(xs):
    match Same(len(xs) / 6.0):
        case Known.SAME:
            return xs[1] ** 2
        case _:
            return xs[0]


def a_deque(xs):
    match deque(xs):
        case [a, *r]:
            return a * r[0]
        case _:
            return xs[2]


def a_deque_that_shrinks(xs):
    q = deque(xs)
    s = 0.0
    while True:
        match q:
            case []:
                return s
            case [a]:
                s += a
                q.popleft()
            case [a, b, *_]:
                s += a * b
                q.popleft()


def a_range_in_alternatives(xs):
    match range(len(xs)):
        case [0, 1] | [0, 1, 2]:
            return xs[1] * 2
        case _:
            return xs[0]


def what_has_items_but_is_no_sequence(xs):
    match np.array(xs):
        case [_, _, _]:
            return xs[0]
        case _:
            return xs[1] ** 2


def an_object_from_outside(xs):
    match HERE:
        case Point(x=1.0):
            return 0.0
        case Point(x, y):
            return x + y * xs[0]
        case _:
            return 0.0


def a_chain_from_outside(xs):
    match CHAIN:
        case Link(v=v, next=Link(v=w)):
            return v * w * xs[0]
        case _:
            return 0.0


def a_ring_from_outside(xs):
    match RING:
        case Link(v=v, next=Link(v=w)):
            return v * w * xs[0]
        case _:
            return 0.0


def compared_with_one_from_outside(xs):
    here = Point(0.0, len(xs) / 6.0)
    return xs[1] * (here == HERE) + xs[0] * (here != HERE) + xs[2] * (HERE in [here])


def ordered_after_one_from_outside(xs):
    return xs[0] if Ordered(xs[0], 1.0) < HIGH else xs[1]


def inside_of_others(xs):
    pairs = {"a": Point(0.0, len(xs) / 6.0)}
    return xs[1] * 2 if (pairs == {"a": HERE}) and (pairs["a"], 1) == (HERE, 1) else 0.0


def copied_from_outside(xs):
    mine = copy.copy(HERE)
    mine.x = xs[0]
    other = copy.deepcopy(CHAIN)
    other.next.v = xs[1]
    return mine.x * mine.y + other.v * other.next.v + HERE.x + CHAIN.next.v + replace(HERE).y


def its_text(xs):
    return xs[0] if f"{HERE}" == "Point(x=0.0, y=0.5)" == repr(HERE) else 0.0


def after_an_update(xs):
    HERE.x += xs[0]
    match HERE:
        case Point(x=v):
            r = v * v
    same = Point(xs[1], 0.5) != HERE
    HERE.x -= xs[0]
    return r + same


RIGHT = [
    a_plain_object, objects_in_objects, names_and_properties, of_the_base, without_positions,
    an_attribute_that_is_not_there, one_that_shared_objects_do_not_have, attributes_of_numbers,
    attributes_of_arrays, a_dict_itself, a_tuple_itself, equal_to_an_object, equal_to_a_frozen_one,
    equal_by_a_method, a_deque, a_deque_that_shrinks, a_range_in_alternatives,
    what_has_items_but_is_no_sequence, an_object_from_outside, a_chain_from_outside,
    a_ring_from_outside, compared_with_one_from_outside, ordered_after_one_from_outside,
    inside_of_others, copied_from_outside, its_text,
]  # fmt: skip


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_as_in_python(f) -> None:
    is_right(f, ([0.5, 2.0, 3.0],))


def test_an_object_that_changes_between_calls() -> None:
    f = pb.grad(an_object_from_outside)
    assert f([0.5, 2.0, 3.0]) == [0.5, 0.0, 0.0]
    try:
        HERE.y = 4.0
        assert f([0.5, 2.0, 3.0]) == [4.0, 0.0, 0.0]
        HERE.x = 1.0
        assert f([0.5, 2.0, 3.0]) == [0.0, 0.0, 0.0]
    finally:
        HERE.x, HERE.y = 0.0, 0.5


def test_an_object_that_is_updated_before() -> None:
    xs = [0.5, 2.0, 3.0]
    assert pb.value_and_grad(after_an_update)(xs) == (after_an_update(xs), [1.0, 0.0, 0.0])
    assert Point(0.0, 0.5) == HERE


def test_an_exception_that_shows_one_from_outside() -> None:
    def f(x):
        raise ValueError(HERE, x)

    with pytest.raises(ValueError) as caught:
        pb.jit(f)(1.0)
    assert caught.value.args == (HERE, 1.0)


def too_many_of_a_plain_class(x):
    match Plain(x):
        case Plain(v):
            return v


def too_many_of_a_number(x):
    match x:
        case float(a, b):
            return a + b


def some_of_an_array(x):
    match np.array([x]):
        case np.ndarray(y):
            return y[0]


def all_of_a_ring(x):
    return copy.deepcopy(RING).v * x


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (too_many_of_a_plain_class, r"Plain\(\) accepts 0 positional sub-patterns \(1 given\)"),
        (too_many_of_a_number, r"float\(\) accepts 1 positional sub-pattern \(2 given\)"),
        (some_of_an_array, r"ndarray\(\) accepts 0 positional sub-patterns \(1 given\)"),
        (all_of_a_ring, r"all of a Link, which leads to itself"),
    ],
)
def test_refused(f, words: str) -> None:
    with pytest.raises(pb.PullbackError, match=words):
        pb.jit(f)(0.5)
