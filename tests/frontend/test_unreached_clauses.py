"""Clauses that nothing reaches, and exceptions that get attributes, beside plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import unreached_clauses
from tests.frontend.harness import agrees

PROGRAMS = unreached_clauses.PROGRAMS


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values(f: Callable[..., Any]) -> None:
    for x in (1.5, 0.7):
        agrees(f, x)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f: Callable[..., Any]) -> None:
    slope = harness.difference(f, (1.3,), (1.0,))
    for method in campaign.rotated("random", f.__name__, ("chad", "dual")):
        assert math.isclose(pb.grad(f, method=method)(1.3), slope, rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("x", [1.5, 0.5])
@pytest.mark.parametrize(
    "f", [unreached_clauses.leaves_with_all, unreached_clauses.set_on_some_paths]
)
def test_what_leaves_has_its_attributes_and_notes(f: Callable[..., Any], x: float) -> None:
    left = []
    for g in (f, pb.jit(f)):
        try:
            left.append(g(x))
        except Exception as error:
            found = {n: v for n, v in vars(error).items() if not n.startswith("_pullback")}
            left.append((type(error), error.args, found, repr(error.__context__)))
    assert left[0] == left[1]


@pytest.mark.parametrize("f", unreached_clauses.REFUSED, ids=lambda f: f.__name__)
def test_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(pb.PullbackError):
        pb.jit(f)(1.5)
