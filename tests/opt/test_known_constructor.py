"""A case of what a branch has just made is that branch once more."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.terms import Case, Inject
from pullback.core.types import Sum, Variant
from pullback.opt.control.known_constructor import know_constructors
from tests import campaign
from tests.ad.flatcore import A1, BOOL, F64, program
from tests.harness import difference, direction, distance, forward, gradient, inner, run
from tests.opt.agreement import agree, ops

V = np.array([0.5, -2.0, 3.0, 0.25])


@dataclass(frozen=True)
class Line:
    slope: float


@dataclass(frozen=True)
class Parabola:
    a: float
    b: float


@dataclass(frozen=True)
class Wave:
    heights: np.ndarray


def at(shape: Line | Parabola | Wave, x: float) -> Any:
    match shape:
        case Line(slope):
            return slope * x
        case Parabola(a, b):
            return a * x * x + b
        case Wave(heights):
            return heights[0] * math.sin(x)


def chosen_function(xs, y):
    total = 0.0
    for x in xs:
        f = (lambda u: u * y) if x > 0.0 else (lambda u, x=x: u * u + x)
        total += f(x)
    return total


def three_ways(xs, y):
    total = 0.0
    for x in xs:
        total += at(Line(y) if x < 0.0 else Parabola(x * y, y) if x > 1.0 else Wave(xs), x)
    return total


def fields_made_in_arms(xs, y):
    """Quotients that may only be computed in their own arm."""
    total = 0.0
    for x in xs:
        shape = Line(1.0 / x) if x > 0.3 else Parabola(math.sqrt(0.3 - x), x * y)
        total += at(shape, y) + at(shape, x)
    return total


def called_in_a_loop(xs, y):
    f = (lambda u: u * y) if y > 0.7 else (lambda u: u + xs[0] * y)
    return sum(f(x) for x in xs)


def chosen_from_chosen(xs, y):
    total = 0.0
    for x in xs:
        shape = Line(y) if x > 0.3 else Parabola(x, y)
        match shape:
            case Line(slope):
                other = Parabola(slope, x)
            case Parabola(a, b):
                other = Line(a * b)
        total += at(other, x)
    return total


def optional(xs, y):
    total = 0.0
    for x in xs:
        root = math.sqrt(x) if x >= 0.0 else None
        total += y if root is None else root * y
    return total


def one_variant_twice(xs, y):
    total = 0.0
    for x in xs:
        total += at(Line(y) if x < 0.0 else Parabola(x, y) if x > 1.0 else Line(x), x)
    return total


def arrays_made_in_arms(xs, y):
    total = 0.0
    for x in xs:
        total += at(Wave(xs * x) if x > 0.3 else Line(y), x)
    return total


def array_for_a_loop(xs, y):
    """An array cannot leave the arm that makes it, and the loop cannot go in."""
    shape = Wave(xs * y) if y > 0.7 else Line(y)
    return sum(at(shape, x) for x in xs)


def updated_afterwards(xs, y):
    """The function has captured the array as it was."""
    a = xs.copy()
    shape = Wave(a.copy()) if y > 0.7 else Line(y)
    a[0] = 10.0 * y
    return at(shape, y) + a[0]


GONE = [chosen_function, three_ways, fields_made_in_arms, called_in_a_loop, chosen_from_chosen,
        optional, arrays_made_in_arms]  # fmt: skip
LEFT = [one_variant_twice, array_for_a_loop, updated_afterwards]


WAYS = (("chad", "native"), ("dual", "eval"), ("dual", "native"), ("chad", "eval"))


@pytest.mark.parametrize("f", GONE + LEFT)
@pytest.mark.parametrize("y", [0.5, 1.5])
def test_agreement(f, y) -> None:
    args = (V, y)
    wanted = f(*args)
    steps = tuple(direction(np.random.default_rng(1), a) for a in args)
    slope = difference(f, args, steps)
    for method, tier in campaign.rotated("values", f.__name__, WAYS):
        value, found = gradient(f, args, (0, 1), tier, method)
        assert distance(value, wanted) < 1e-12 and distance(run(f, args, tier), wanted) < 1e-12
        assert math.isclose(inner(found, steps), slope, rel_tol=1e-6), (method, tier)
    assert math.isclose(forward(f, args, steps), slope, rel_tol=1e-6)


@pytest.mark.parametrize("f", GONE)
def test_no_sum_is_made(f) -> None:
    assert "inject" not in pb.show(pb.jit(f), V, 0.5, stage="constructors of halves")


@pytest.mark.parametrize("f", [one_variant_twice, array_for_a_loop])
def test_what_would_be_written_twice_or_needs_an_array_stays(f) -> None:
    assert "inject" in pb.show(pb.jit(f), V, 0.5, stage="constructors of halves")
    assert "inject" in pb.show(pb.grad(f), V, 0.5, stage="constructors of halves")


@pytest.mark.parametrize("f", [three_ways, optional, arrays_made_in_arms])
def test_nothing_is_kept_in_a_sum(f) -> None:
    assert "inject" not in pb.show(pb.grad(f), V, 0.5, stage="constructors of halves")


SHAPE = Sum((Variant("A", (F64,)), Variant("B", (A1, F64)), Variant("C", (F64,))))


@pytest.mark.parametrize("q", [True, False])
def test_what_stands_between_is_done_in_both_arms(q: bool) -> None:
    def body(c, q, x, xs):
        s, y = c.if_(
            q, lambda: (c.inject(SHAPE, 0, x), x * 2.0), lambda: (c.inject(SHAPE, 1, xs, x), x)
        )
        t = c.sin(y)
        return c.case(s, lambda a: a * t, lambda a, b: a.at(0) * b + t, lambda a: t - a) + y

    p = program([BOOL, F64, A1], body)
    assert not ops(agree(know_constructors, p, [q, 0.3, V]), Case)


def test_an_arm_that_ends_in_a_branch() -> None:
    def body(c, q, x, xs):
        def deeper():
            w = c.cos(x)
            s, y = c.if_(
                x > 0.0, lambda: (c.inject(SHAPE, 0, w), w), lambda: (c.inject(SHAPE, 1, xs, x), x)
            )
            return s, y

        s, y = c.if_(q, lambda: (c.inject(SHAPE, 2, x), x * 2.0), deeper)
        t = c.sin(y)
        return c.case(s, lambda a: a * t, lambda a, b: a.at(0) * b + t, lambda a: a - t) + y

    p = program([BOOL, F64, A1], body)
    q = agree(know_constructors, p, *([q, x, V] for q in (True, False) for x in (0.3, -0.3)))
    assert not ops(q, Case | Inject)
