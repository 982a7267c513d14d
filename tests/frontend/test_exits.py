"""Exits in every spelling: jumps of ``finally``, ``return`` out of tried loops, exceptions of what
is called; written by hand and at random, beside plain Python."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import (
    exit_programs,
    guarded_generators,
    jumping_clauses,
    left_generators,
    random_exits,
)
from tests.frontend.harness import agrees, compiled, rerun, same

POINTS = (1.5, 1.2, -0.7, 3.25)
PROGRAMS = [
    *exit_programs.PROGRAMS, *guarded_generators.PROGRAMS, *left_generators.PROGRAMS,
    *jumping_clauses.PROGRAMS,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("f", campaign.part("random", PROGRAMS, 2), ids=lambda f: f.__name__)
def test_values(f: Callable[..., Any]) -> None:
    for x in POINTS:
        agrees(f, x)


@pytest.mark.parametrize("f", guarded_generators.SHARED, ids=lambda f: f.__name__)
def test_values_natively(f: Callable[..., Any]) -> None:
    made = pb.jit(f)
    for x in POINTS:
        assert math.isclose(made(x), f(x), rel_tol=1e-12)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("f", campaign.part("random", PROGRAMS, 9), ids=lambda f: f.__name__)
def test_derivatives(f: Callable[..., Any]) -> None:
    x = float(np.random.default_rng(len(f.__name__)).uniform(1.6, 2.4))
    slope = harness.difference(f, (x,), (1.0,))
    for method in campaign.rotated("random", f.__name__, ("chad", "dual")):
        assert math.isclose(pb.grad(f, method=method)(x), slope, rel_tol=1e-6, abs_tol=1e-6)


def test_what_is_printed_where_nobody_catches(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for f in (left_generators.prints_where_nobody_catches,
              pb.jit(left_generators.prints_where_nobody_catches)):  # fmt: skip
        with pytest.raises(ValueError, match=r"3\.0"):
            f(1.5)
        printed.append(capsys.readouterr().out)
    assert printed == ["closed 2\n"] * 2


@pytest.mark.parametrize("f", left_generators.KEPT, ids=lambda f: f.__name__)
def test_a_generator_with_a_name_is_not_closed_yet(f: Callable[..., Any]) -> None:
    with pytest.raises(pb.PullbackError, match=r"may raise after it has changed 'n'|is kept, and"):
        pb.jit(f)(1.5)


@pytest.mark.parametrize(
    ("f", "reason"), guarded_generators.REFUSED, ids=lambda f: getattr(f, "__name__", "")
)
def test_refused(f: Callable[..., Any], reason: str) -> None:
    with pytest.raises(pb.PullbackError, match=reason):
        pb.jit(f)(1.5)


@pytest.mark.parametrize("seed", campaign.seeds("random", 2, 3, 400))
def test_random(seed: int, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        f = random_exits.function(seed, tmp_path / f"exits_{seed}.py")
    try:
        made = compiled(f, 1.5, 0)
    except pb.PullbackError as refusal:  # what a generator does when it is closed, read by a clause
        assert "in guarded(" in random_exits.source(seed)
        assert "raise after it has changed" in str(refusal) or "the head of a" in str(refusal)
        return
    for x in (1.5, -0.5):
        for k in range(4):
            same(rerun(made, f, x, k), f(x, k))
