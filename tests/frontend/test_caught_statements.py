"""A clause sees what a statement had changed when it raised, as in Python, with derivatives."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import caught_programs
from tests.frontend.caught_statements import REFUSED, STATEMENTS, functions
from tests.frontend.harness import agrees

STATES = list(itertools.product(range(5), range(5)))


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """Return what a function gives, or what it raises."""
    try:
        return f(*args)
    except pb.PullbackError:
        raise
    except Exception as error:
        return type(error).__name__, str(error)


def alike(a: Any, b: Any) -> bool:
    """Whether two outcomes are the same, numbers up to rounding."""
    pairs = zip(a, b, strict=True)
    return all(
        x == y or (isinstance(x, float) and math.isclose(x, y, rel_tol=1e-9)) for x, y in pairs
    )


def test_as_in_python(tmp_path: Path) -> None:
    some = campaign.part("random", STATEMENTS, 24, core=range(0, len(STATEMENTS), 48))
    for statement, f in zip(some, functions(some, tmp_path / "statements.py"), strict=True):
        compiled = pb.jit(f)
        for i, j in STATES:
            assert alike(outcome(f, 1.5, i, j), outcome(compiled, 1.5, i, j)), (statement, i, j)


def test_derivatives(tmp_path: Path) -> None:
    some = campaign.part("random", STATEMENTS, 40, core=[])
    for statement, f in zip(some, functions(some, tmp_path / "derived.py"), strict=True):
        (i, j) = next(
            state for state in STATES if not isinstance(outcome(f, 1.5, *state)[0], str)
        )

        def shown(y: float, f: Any = f, i: int = i, j: int = j) -> Any:
            return f(y, i, j)[1] if len(f(y, i, j)) > 1 else 0.0 * y

        slope = harness.difference(shown, (1.5,), (1.0,))
        assert math.isclose(pb.grad(shown)(1.5), slope, rel_tol=1e-6, abs_tol=1e-6), statement


def test_refused(tmp_path: Path) -> None:
    for f in functions(REFUSED, tmp_path / "refused.py"):
        with pytest.raises(pb.PullbackError, match="may raise after it has changed"):
            pb.jit(f)(1.5, 0, 3)


@pytest.mark.parametrize("f", caught_programs.PROGRAMS, ids=lambda f: f.__name__)
def test_the_work_grows_with_the_program_only(f: Callable[..., Any]) -> None:
    """No list or array is copied where a clause may see it: steps against size, also backward."""
    agrees(f, 1.5, 30)
    for operator in (lambda f: f, pb.grad):
        small, large = (pb.cost(operator(f), 1.5, n) for n in (300, 600))
        assert large < 2.05 * small


@pytest.mark.parametrize("method", ["chad", "dual"])
@pytest.mark.parametrize("f", caught_programs.PROGRAMS, ids=lambda f: f.__name__)
def test_both_methods(f: Callable[..., Any], method: str) -> None:
    value, gradient = harness.gradient(f, (1.5, 7), (0,), "native", method)
    assert value == pytest.approx(f(1.5, 7), rel=1e-12)
    slope = harness.difference(lambda x: f(x, 7), (1.5,), (1.0,))
    assert gradient == pytest.approx((slope,), rel=1e-6)
