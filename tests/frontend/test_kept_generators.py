"""Named generators that are left inside of a ``try``: what they print and change, and when, is what
it is in Python; where it is not known when they end they are refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import kept_generators
from tests.frontend.harness import agrees

POINTS = (1.5, 1.2)


def name_of(f: Callable[..., Any]) -> str:
    return f.__name__


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("f", campaign.part("values", kept_generators.PROGRAMS, 2), ids=name_of)
def test_values(f: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    made = pb.jit(f)
    for x in POINTS:
        wanted = f(x), capsys.readouterr().out
        assert (pytest.approx(made(x), rel=1e-12), capsys.readouterr().out) == wanted


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("f", campaign.part("values", kept_generators.PROGRAMS, 3), ids=name_of)
def test_derivatives(f: Callable[..., Any]) -> None:
    agrees(f, 1.5)
    slope = harness.difference(f, (1.5,), (1.0,))
    for method in campaign.rotated("values", f.__name__, ("chad", "dual")):
        assert math.isclose(pb.grad(f, method=method)(1.5), slope, rel_tol=1e-6, abs_tol=1e-6)
    tangent = pb.jvp(f, (1.5,), (1.0,))[1]
    assert math.isclose(tangent, slope, rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("f", kept_generators.REFUSED, ids=name_of)
def test_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(pb.PullbackError, match="inside of a try"):
        pb.jit(f)(1.5)
