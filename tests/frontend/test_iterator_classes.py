"""Objects that are iterators by a ``__next__`` of their class, beside plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import iterator_classes
from tests.frontend.harness import agrees

POINTS = (1.5, 0.7)


def name_of(f: Callable[..., Any]) -> str:
    return f.__name__


@pytest.mark.parametrize("f", iterator_classes.PROGRAMS, ids=name_of)
def test_values(f: Callable[..., Any]) -> None:
    made = pb.jit(f)
    for x in POINTS:
        assert math.isclose(made(x), f(x), rel_tol=1e-12)


@pytest.mark.parametrize("f", campaign.part("values", iterator_classes.PROGRAMS, 3), ids=name_of)
def test_derivatives(f: Callable[..., Any]) -> None:
    agrees(f, 1.5)
    slope = harness.difference(f, (1.5,), (1.0,))
    for method in campaign.rotated("values", f.__name__, ("chad", "dual")):
        assert math.isclose(pb.grad(f, method=method)(1.5), slope, rel_tol=1e-6, abs_tol=1e-6)
    assert math.isclose(pb.jvp(f, (1.5,), (1.0,))[1], slope, rel_tol=1e-6, abs_tol=1e-6)


def test_one_that_is_given_goes_on() -> None:
    one, other = iterator_classes.Count(3), iterator_classes.Count(3)
    made = pb.jit(iterator_classes.given)
    for _ in range(3):
        assert made(1.5, one) == iterator_classes.given(1.5, other)
        assert one.i == other.i


def test_items_are_not_kept() -> None:
    costs = [pb.cost(iterator_classes.given, 1.5, iterator_classes.Count(n)) for n in (10, 1000)]
    assert costs[0] == costs[1]
