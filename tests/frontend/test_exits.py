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
from tests.frontend import exit_programs, random_exits
from tests.frontend.harness import agrees, compiled, rerun, same

POINTS = (1.5, 1.2, -0.7, 3.25)


@pytest.mark.parametrize("f", exit_programs.PROGRAMS, ids=lambda f: f.__name__)
def test_values(f: Callable[..., Any]) -> None:
    for x in POINTS:
        agrees(f, x)


@pytest.mark.parametrize(
    "f", campaign.part("random", exit_programs.PROGRAMS, 6), ids=lambda f: f.__name__
)
def test_derivatives(f: Callable[..., Any]) -> None:
    x = float(np.random.default_rng(len(f.__name__)).uniform(1.6, 2.4))
    slope = harness.difference(f, (x,), (1.0,))
    assert math.isclose(pb.grad(f)(x), slope, rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("seed", campaign.seeds("random", 2, 3, 400))
def test_random(seed: int, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        f = random_exits.function(seed, tmp_path / f"exits_{seed}.py")
    made = compiled(f, 1.5, 0)
    for x in (1.5, -0.5):
        for k in range(4):
            same(rerun(made, f, x, k), f(x, k))
