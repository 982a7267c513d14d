"""Attributes: assigned by methods of the class, deleted, in the dict of the object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

import pullback as pb
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend import attribute_dicts, attribute_programs, bare_objects

PROGRAMS = [
    *attribute_programs.PROGRAMS, *attribute_dicts.PROGRAMS, *bare_objects.PROGRAMS,
]  # fmt: skip


@pytest.mark.parametrize("f", part("values", PROGRAMS, 3), ids=lambda f: f.__name__)
def test_as_in_python(f: Callable[..., Any]) -> None:
    is_right(f, (1.3,))


class Plain:
    def __init__(self, x: Any) -> None:
        self.a = x
        self.b = 2.0


class Slots:
    __slots__ = ("a",)

    def __init__(self, x: Any) -> None:
        self.a = x


def two_orders(x: Any) -> Any:
    if x > 1:
        p = Plain(x)
        del p.a
        p.a = 3.0
    else:
        p = Plain(x)
    t = 0.0
    for v in vars(p).values():
        t = t * 3 + v
    return t


def perhaps_missing(x: Any) -> Any:
    p = Plain(x)
    if x > 1:
        p.c = x
    return sum(vars(p).values())


def another_dict(x: Any) -> Any:
    p = Plain(x)
    p.__dict__ = {"a": 1.0}
    return p.a * x


def another_class(x: Any) -> Any:
    p: Any = Plain(x)
    p.__class__ = Slots
    return p.a


def no_dict(x: Any) -> Any:
    return vars(Slots(x))["a"]


def the_dict_itself(x: Any) -> Any:
    return vars(Plain(x))


def emptied(x: Any) -> Any:
    p = Plain(x)
    p.__dict__.clear()
    return x


REFUSED = {
    two_orders: "in two orders", perhaps_missing: "'c' may be missing",
    another_dict: "__dict__ of an object is assigned",
    another_class: "__class__ of an object is assigned",
    no_dict: "vars() argument must have __dict__", the_dict_itself: "a view of a dict as a result",
    emptied: "cannot be updated",
}  # fmt: skip


@pytest.mark.parametrize(("f", "words"), REFUSED.items(), ids=lambda f: str(f)[:20])
def test_refused(f: Callable[..., Any], words: str) -> None:
    with pytest.raises(pb.PullbackError, match=r"test_attribute_updates\.py") as caught:
        pb.jit(f)(1.3)
    assert words in caught.value.reason


def less(p: Any, x: Any) -> Any:
    del p.b
    p.c = x
    return p.a * x


def through_the_dict(p: Any, x: Any) -> Any:
    vars(p)["a"] += x
    p.__dict__.update(b=x, z=2 * x)
    return sum(vars(p).values())


@pytest.mark.parametrize("f", [less, through_the_dict], ids=lambda f: f.__name__)
def test_the_caller_sees_it(f: Callable[..., Any]) -> None:
    given, other = Plain(1.5), Plain(1.5)
    assert pb.jit(f)(given, 1.3) == f(other, 1.3)
    assert list(vars(given).items()) == list(vars(other).items())
    by_object, by_number = pb.grad(f, (0, 1))(Plain(1.5), 1.3)
    wanted = (1.3, 1.5) if f is less else (1.0, 4.0)
    assert (by_object.a, by_number) == pytest.approx(wanted)


KEPT: Any = Plain(2.0)


def test_a_global_object_that_gets_another_attribute() -> None:
    f = pb.jit(lambda x: sum(vars(KEPT).values()) * x)
    assert f(1.5) == 6.0
    KEPT.more = 3.0
    assert f(1.5) == 10.5
    del KEPT.more
    assert f(1.5) == 6.0


class Single:
    only: Any = None

    def __new__(cls) -> Any:
        if cls.only is None:
            cls.only = super().__new__(cls)
            cls.only.v = 0.0
        return cls.only


class Interned:
    known: ClassVar[dict[str, Any]] = {}

    def __new__(cls, name: str) -> Any:
        if name not in cls.known:
            made: Any = super().__new__(cls)
            made.n = 0
            cls.known[name] = made
        return cls.known[name]


def adds(x: Any) -> Any:
    s: Any = Single()
    s.v += x
    a, b = Interned("a"), Interned("a")
    a.n += 1
    return Single().v * 2 + b.n * x + (1.0 if a is b else 2.0)


def test_objects_of_which_there_is_one() -> None:
    plain = [adds(1.3), adds(2.0)]
    left = Single.only.v, Interned.known["a"].n
    Single.only, Interned.known = None, {}
    assert [pb.jit(adds)(1.3), pb.jit(adds)(2.0)] == plain
    assert (Single.only.v, Interned.known["a"].n) == left
    assert pb.grad(adds)(1.5) == 2.0 + 3


class Solver:
    def __init__(self, rhs: Callable[[Any], Any]) -> None:
        self.rhs = rhs
        self.steps = 0

    def step(self, y: Any) -> Any:
        self.steps += 1
        return y + 0.1 * self.rhs(y)


SOLVER = Solver(lambda y: -2.0 * y)


def stepped(x: Any) -> Any:
    for _ in range(5):
        x = SOLVER.step(x)
    return x


def test_a_global_object_that_keeps_a_function_is_updated() -> None:
    rhs, wanted = SOLVER.rhs, stepped(1.3)
    assert pb.jit(stepped)(1.3) == wanted and pb.grad(stepped)(1.3) == pytest.approx(0.8**5)
    assert SOLVER.steps == 15 and SOLVER.rhs is rhs
