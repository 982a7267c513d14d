"""Attributes: assigned by methods of the class, deleted, in the dict of the object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend import attribute_dicts, attribute_programs

PROGRAMS = [*attribute_programs.PROGRAMS, *attribute_dicts.PROGRAMS]


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
