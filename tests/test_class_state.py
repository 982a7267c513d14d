"""Attributes of classes and modules that compiled functions assign, as Python has them then."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.outside import Updating
from pullback.call.request import Request, What
from pullback.frontend.seen_outside import How, without_updates
from tests import campaign
from tests import class_state_programs as programs

Function = Callable[[float], Any]
POINTS = 0.7, 1.5, 1.7


def told(x: Any) -> str:
    return repr(x)


def runs(f: Function, points: tuple[float, ...] = POINTS) -> list[tuple[str, str]]:
    """What a function gives in some calls, and what there is after each."""
    programs.begin()
    out = []
    for x in points:
        try:
            found = told(f(x))
        except pb.PullbackError:
            raise
        except Exception as error:
            found = repr(error)
        out.append((found, told(programs.state())))
    return out


def once(f: Function, x: float) -> Any:
    programs.begin()
    return f(x)


@pytest.mark.parametrize("f", programs.RIGHT, ids=lambda f: f.__name__)
def test_values_and_what_is_left(f: Function) -> None:
    assert runs(pb.jit(f)) == runs(f)


def evaluated(f: Function, x: float) -> Any:
    """The value by the evaluator."""
    found = Updating(f, Request(What.VALUE)).outside
    how = type("Here", (How,), {"outside": dataclasses.replace(found, silent=True), "function": f})
    return driver.run(without_updates(f, how, ()), (x,), tier="eval")


@pytest.mark.parametrize(
    "f", campaign.part("values", programs.RIGHT, 3), ids=lambda f: f.__name__
)
def test_derivatives(f: Function) -> None:
    """By both methods and forward, by the values before; what is left is left once."""
    x, h = 1.5, 1e-6
    want, after = once(f, x), told(programs.state())
    slope = (once(f, x + h) - once(f, x - h)) / (2.0 * h)
    once(pb.jit(f), x)
    assert once(lambda x: evaluated(f, x), x) == pytest.approx(want)
    for operate in (
        lambda x: pb.value_and_grad(f)(x),
        lambda x: (want, pb.grad(f, method="dual")(x)),
        lambda x: pb.jvp(f, (x,), (1.0,)),
    ):
        value, derivative = once(operate, x)
        assert told(programs.state()) == after
        assert value == pytest.approx(want)
        assert derivative == pytest.approx(slope, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("f", programs.REFUSED, ids=lambda f: f.__name__)
def test_refused(f: Function) -> None:
    programs.begin()
    before = told(programs.state())
    with pytest.raises(pb.PullbackError):
        pb.jit(f)(1.5)
    assert told(programs.state()) == before


def test_what_is_none_aside() -> None:
    """Auxiliary data may be None, and needs no derivative."""

    def f(x: float) -> Any:
        return x * x, (x if x > 5.0 else None)

    assert [pb.grad(f, has_aux=True)(x) for x in (7.0, 1.0)] == [(14.0, 7.0), (2.0, None)]


def test_the_same_objects() -> None:
    programs.begin()
    kept = programs.Counter.log, programs.Counter.table, programs.Counter.model
    for f in (programs.appended, programs.array_of_a_class, programs.in_an_object):
        pb.jit(f)(1.5)
    now = programs.Counter.log, programs.Counter.table, programs.Counter.model
    assert all(a is b for a, b in zip(kept, now, strict=True))
    assert np.all(kept[1] == [3.0, 2.0, 2.0])


class Above:
    total, scale = 1.0, 2.0


class Below(Above):
    """Has what the class above it has, until it gets an attribute of its own."""


def read_below(x):
    Above.total += x
    return Below.total * x


def given_below(x):
    Below.total = x
    b = Below()
    return b.total * b.scale


def read_by_an_object(x):
    Above.total += x
    b = Below()
    return b.total * x * b.scale


def test_a_class_that_gets_and_loses_an_attribute_between_calls():
    programs = read_below, given_below, read_by_an_object
    compiled = [*map(pb.jit, programs)]
    changes = [(), (Below, "total", 7.0), (Below, "scale", 9.0), (Above, "scale", 5.0), ()]
    for change in changes:
        found = []
        for fs in (programs, compiled):
            for f in fs:
                Above.total, Above.scale = 1.0, 2.0
                for name in {"total", "scale"} & vars(Below).keys():
                    delattr(Below, name)
                if change:
                    setattr(*change)
                found.append((f(2.0), Above.total, vars(Below).get("total")))
        assert found[:3] == found[3:], change
