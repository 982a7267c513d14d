"""Arithmetic with what is in exceptions, differentiated, beside plain Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pullback as pb
from pullback.core.eval import evaluate
from tests import campaign, harness
from tests.frontend import exception_loop_programs, exception_results, random_exits
from tests.frontend.exception_programs import (
    E1,
    PROGRAMS,
    Bound,
    Reset,
)
from tests.frontend.harness import compiled, rerun, same

POINTS = (0.3, 0.7, 1.3, 2.25)
ALL = [*PROGRAMS, *exception_loop_programs.PROGRAMS, *exception_results.PROGRAMS]


@pytest.mark.parametrize("f", campaign.part("values", ALL, 2), ids=lambda f: f.__name__)
def test_values(f: Callable[..., Any]) -> None:
    made = compiled(f, POINTS[0])
    for x in POINTS:
        same(rerun(made, f, x), f(x))


@pytest.mark.parametrize("f", campaign.part("random", ALL, 9), ids=lambda f: f.__name__)
def test_derivatives(f: Callable[..., Any]) -> None:
    slope = pb.grad(f)
    for x in POINTS:
        wanted = harness.difference(f, (x,), (1.0,))
        assert math.isclose(slope(x), wanted, rel_tol=1e-5, abs_tol=1e-6)


def leaves(x):
    try:
        if x > 1.0:
            raise Bound(x)
        raise Reset(2.0 * x)
    except Bound as e:
        raise ValueError(e.value * 2.0, "doubled") from e


@pytest.mark.parametrize("x", [0.5, 1.5])
def test_what_leaves_is_pythons_own(x: float) -> None:
    with pytest.raises(Exception) as wanted:
        leaves(x)
    with pytest.raises(wanted.type) as found:
        pb.jit(leaves)(x)
    assert found.value.args == wanted.value.args
    assert vars(found.value) == vars(wanted.value)
    assert type(found.value.__cause__) is type(wanted.value.__cause__)


class Conditional(Exception):
    def __init__(self, v):
        self.v = v
        if v > 1.0:
            super().__init__(3.0)


class Hooked(Exception):
    def __new__(cls, v):
        return super().__new__(cls, 2.0 * v)

    def __init__(self, v):
        self.v = v


def args_set_on_a_path(x):
    try:
        raise Conditional(x)
    except Conditional as e:
        return e.args[0] * 2.0


def class_with_a_hook(x):
    try:
        raise Hooked(x)
    except Hooked as e:
        return e.v * 2.0


@pytest.mark.parametrize(
    ("f", "reason"),
    [(args_set_on_a_path, "self.value = value"), (class_with_a_hook, "__init__, methods")],
)
def test_refused(f: Callable[..., Any], reason: str) -> None:
    with pytest.raises(pb.PullbackError) as refusal:
        pb.jit(f)(1.5)
    assert reason in f"{refusal.value}{refusal.value.__notes__}"


def kept(x, n):
    errors = []
    for i in range(n):
        try:
            raise E1(x * i)
        except E1 as e:
            errors.append(e)
    total = 0.0
    for e in errors:
        total += e.v * e.v
    return total


def test_exceptions_in_a_list_cost_what_they_are() -> None:
    steps = []
    for n in (100, 200):
        made = compiled(kept, 1.5, n)
        steps.append(evaluate(made.program, [1.5, n])[1])
    assert steps[1] < 2.1 * steps[0]


def kept_from_loops(x, n):
    errors = []
    for _ in range(n):
        try:
            exception_loop_programs.grow(x + 3.0, 0)
        except exception_loop_programs.Diverged as e:
            errors.append(e)
    return sum(e.x * e.x for e in errors)


@pytest.mark.parametrize("method", [None, "chad", "dual"])
def test_exceptions_from_loops_cost_what_they_are(method: str | None) -> None:
    one, two = (pb.cost(kept_from_loops, 1.5, n, method=method) for n in (30, 60))
    assert two < 2.1 * one


@pytest.mark.parametrize("seed", campaign.seeds("random", 3, 3, 400))
def test_random(seed: int, tmp_path: Path) -> None:
    f = random_exits.function(seed, tmp_path / f"told_{seed}.py", told=True)
    try:
        made = compiled(f, 1.5, 0)
    except pb.PullbackError as refusal:
        reason = f"{refusal}{getattr(refusal, '__notes__', '')}"
        known = "raise after it has changed|the head of a|on every way out of a function"
        assert re.search(known, reason), reason
        return
    for x in (1.5, -0.5):
        for k in range(4):
            same(rerun(made, f, x, k), f(x, k))
