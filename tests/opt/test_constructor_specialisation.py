"""A sum that a loop carries in one variant all the time is what is in that variant."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign
from tests.harness import difference, direction, distance, forward, gradient, inner, run

V = np.array([0.5, -2.0, 3.0, 0.25, 1.5])


@dataclass(frozen=True)
class Counter:
    add: Callable[[float], Counter]
    reset: Callable[[], Counter]
    value: Callable[[], float]


def linear(v, k):
    return Counter(lambda x: linear(v + k * x, k), lambda: linear(0.0, k), lambda: v)


def squares(v):
    return Counter(lambda x: squares(v + x * x), lambda: squares(1.0), lambda: math.sqrt(v))


def largest(vs):
    return Counter(
        lambda x: largest(np.where(vs > x, vs, 0.5 * (vs + x))),
        lambda: largest(vs * 0.5),
        lambda: vs[0] * vs[1],
    )


def three_counters(xs, k):
    """Each stays what it is, and is reset now and then."""
    a, b, c = linear(0.0, k), squares(1.0), largest(np.array([k, 2.0 * k]))
    total = 0.0
    for x in xs:
        a, b, c = a.add(x), b.add(x * k), c.add(x)
        if x > 2.0:
            a = a.reset()
            b = b.reset().add(a.value() + 0.1)
        total += a.value() * b.value() + c.value()
    return total + a.value()


def while_it_lasts(xs, k):
    """Carried by a while loop, whose condition asks it."""
    c, d, i = linear(k, k), squares(k), 0
    while c.value() < 3.0 and i < len(xs):
        c, i = c.add(abs(xs[i])), i + 1
        d = d.add(c.value())
    return c.value() * d.value()


def inside_of_each_other(xs, k):
    c, d = squares(1.0), linear(k, 2.0)
    for x in xs:
        for y in xs:
            c = c.add(x * y * k)
        d = d.add(c.value())
        c = c.reset()
    return d.value()


def exchanged(xs, k):
    """Neither of the two is always the same."""
    c, d = squares(k), linear(0.0, k)
    for x in xs:
        c, d = d.add(x), c.add(x * k)
    return c.value() - 2.0 * d.value()


def replaced(xs, k):
    """One that changes, and another that the first one makes change."""
    c, d = linear(0.0, k), squares(k)
    for x in xs:
        e = c if x > 0.3 else d
        c = squares(2.0).add(x) if x > 1.0 else c.add(x)
        d = e.add(0.5 * x)
    return c.value() + d.value()


def changed_at_the_end(xs, k):
    c = linear(0.0, k)
    for i, x in enumerate(xs):
        c = c.add(x) if i + 1 < len(xs) else squares(c.value() ** 2).add(x)
    return c.value()


def history(xs, k):
    """The sum is emitted, and used after the loop."""
    c, seen = squares(k), []
    for x in xs:
        seen.append(c)
        c = c.add(x)
    for d in seen:
        c = c.add(d.value())
    return c.value()


STEADY = [three_counters, while_it_lasts, history, inside_of_each_other]
OTHERS = [exchanged, replaced, changed_at_the_end]


WAYS = (("chad", "native"), ("dual", "eval"), ("dual", "native"), ("chad", "eval"))


@pytest.mark.parametrize("f", STEADY + OTHERS)
@pytest.mark.parametrize("xs", [V, V[:1], V[:0]], ids=len)
def test_agreement(f: Callable[..., Any], xs: Any) -> None:
    args = (xs, 0.7)
    wanted = f(*args)
    steps = tuple(direction(np.random.default_rng(1), a) for a in args)
    slope = difference(f, args, steps)
    for method, tier in campaign.rotated("values", f.__name__, WAYS):
        value, found = gradient(f, args, (0, 1), tier, method)
        assert distance(value, wanted) < 1e-12 and distance(run(f, args, tier), wanted) < 1e-12
        assert math.isclose(inner(found, steps), slope, rel_tol=1e-6, abs_tol=1e-9), method
    assert math.isclose(forward(f, args, steps), slope, rel_tol=1e-6, abs_tol=1e-9)


@pytest.mark.parametrize("f", STEADY)
def test_nothing_is_asked_of_what_never_changes(f: Callable[..., Any]) -> None:
    text = pb.show(pb.jit(f), V, 0.7, stage="invariant loads")
    assert "case" not in text and "inject" not in text


@pytest.mark.parametrize("f", OTHERS)
def test_what_changes_is_asked(f: Callable[..., Any]) -> None:
    assert "case" in pb.show(pb.jit(f), V, 0.7, stage="invariant loads")
