"""What generators are sent, what is thrown into them, and what they return, beside plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import (
    coroutine_programs,
    iterator_objects,
    recursive_generators,
    sent_programs,
    thrown_programs,
)
from tests.frontend.harness import run, same
from tests.frontend.sent_programs import averager, sub
from tests.frontend.thrown_programs import each

REALS = [*sent_programs.PROGRAMS, *thrown_programs.PROGRAMS]
PROGRAMS = [*REALS, *coroutine_programs.PROGRAMS]
Program = Callable[[float], float]


@pytest.mark.parametrize("x", [2.0, 0.7])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values(f: Program, x: float) -> None:
    same(pb.jit(f)(x), f(x))


@pytest.mark.parametrize("f", PROGRAMS[::4], ids=lambda f: f.__name__)
def test_values_in_the_evaluator(f: Program) -> None:
    same(run(f, 2.0), f(2.0))


@pytest.mark.parametrize("f", campaign.part("values", REALS, 5), ids=lambda f: f.__name__)
def test_derivatives(f: Program) -> None:
    for x in (2.2, 0.7):
        wanted = harness.difference(f, (x,), (1.0,))
        for found in (pb.grad(f)(x), pb.grad(f, method="dual")(x), pb.jvp(f, (x,), (1.0,))[1]):
            assert math.isclose(found, wanted, rel_tol=1e-5, abs_tol=1e-6)


OBJECTS = [*iterator_objects.PROGRAMS, *recursive_generators.PROGRAMS]
"""Iterators that are objects (``iterator_rows``)."""


@pytest.mark.parametrize("f", campaign.part("values", OBJECTS, 8), ids=lambda f: f.__name__)
def test_objects(f: Program) -> None:
    made = pb.jit(f)
    for x in (1.5, -0.7):
        same(made(x), f(x))
    if isinstance(f(1.5), float):
        wanted = harness.difference(f, (1.5,), (1.0,))
        for method in campaign.rotated("values", f.__name__, ("chad", "dual")):
            assert math.isclose(pb.grad(f, method=method)(1.5), wanted, rel_tol=1e-5)
        assert math.isclose(pb.jvp(f, (1.5,), (1.0,))[1], wanted, rel_tol=1e-5)


def averaged(x, n):
    a = averager()
    next(a)
    s = 0.0
    for k in range(n):
        s += a.send(x * k)
    return s


def told(x, n):
    def both():
        r = yield from sub(n)
        yield r * x

    s = 0.0
    for v in both():
        s += v * x
    return s


@pytest.mark.parametrize("f", [averaged, told])
def test_an_item_takes_as_long_as_any_other(f: Callable[..., float]) -> None:
    for op in (f, pb.grad(f), pb.grad(f, method="dual")):
        few, some, many = (pb.cost(op, 1.5, n) for n in (100, 200, 400))
        assert many - some == 2 * (some - few)


def to_a_plain_one(x):
    def items():
        yield x
        yield 2.0 * x

    it = items()
    next(it)
    return it.send(x)


def at_its_begin(x):
    total = x
    it = each([x, 2.0])
    for v in it:
        total += v
    return it.throw(ValueError("late")) + total


def in_both_arms(x):
    def items():
        k = yield
        while True:
            k = (yield k * x) if k < 3 else (yield -k)

    it = items()
    next(it)
    return it.send(1.0)


REFUSED = {
    to_a_plain_one: "sent to what takes nothing",
    in_both_arms: "a yield in an expression",
}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_is_refused(f: Program) -> None:
    with pytest.raises(pb.PullbackError, match=REFUSED[f]):
        pb.jit(f)(2.0)


def test_what_is_thrown_comes_out() -> None:
    for f in (at_its_begin, pb.jit(at_its_begin)):
        with pytest.raises(ValueError, match="late"):
            f(2.0)


def printing(x):
    def shown():
        while True:
            v = yield
            print("got", v)

    it = shown()
    next(it)
    for k in range(3):
        it.send(k * x)
    return x


def test_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    pb.jit(printing)(2.0)
    found = capsys.readouterr().out
    printing(2.0)
    assert found == capsys.readouterr().out


class _Holder:
    """What a generator finds itself in."""

    def __init__(self) -> None:
        self.items: Any = None


def advances_itself(x: float) -> float:
    holder = _Holder()

    def items() -> Any:
        yield x
        yield next(holder.items)

    holder.items = items()
    first = next(holder.items)
    return first + next(holder.items)


def goes_on_after_it_raised(x: float) -> float:
    holder = _Holder()

    def items() -> Any:
        yield x
        if x > 0.0:
            raise ValueError(x)
        yield next(holder.items)

    holder.items = items()
    total = 0.0
    for _ in range(3):
        try:
            total += next(holder.items)
        except ValueError:
            total += 10.0
    return total


@pytest.mark.parametrize("f", [advances_itself, goes_on_after_it_raised])
def test_an_object_that_runs_is_not_advanced(f: Callable[[float], float]) -> None:
    """Python says that it runs already, or has ended: here these two are not told apart."""
    with pytest.raises(pb.PullbackError, match="while it runs, or after it has raised"):
        pb.jit(f)(1.5)
