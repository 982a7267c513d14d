"""Functions that are decorated where they are defined, and call themselves: the name in the body
means what the decorator returns. And functions that calls gave see variables as these are later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests import harness
from tests.frontend import decorated_programs as programs
from tests.frontend.harness import agrees


def derivatives_agree(f: Callable[..., Any], x: float = 1.3) -> None:
    slope = pytest.approx(harness.difference(f, (x,), (1.0,)), rel=1e-6, abs=1e-8)
    for tier, method in (("native", "chad"), ("native", "dual"), ("eval", "chad")):
        value, (gradient,) = harness.gradient(f, (x,), (0,), tier, method)
        assert value == pytest.approx(f(x), rel=1e-12), (tier, method)
        assert gradient == slope, (tier, method)
    assert harness.forward(f, (x,), (1.0,)) == slope


@pytest.mark.parametrize("f", [*programs.RIGHT, *programs.LATE])
def test_as_python(f: Callable[..., Any]) -> None:
    agrees(f, 1.3)
    agrees(f, 0.7)
    derivatives_agree(f)


def test_what_is_raised_comes_out() -> None:
    agrees(programs.raised_at_the_bottom, 1.3)


def test_a_memo_keeps_its_results() -> None:
    """The steps grow with the number of results, not with that of the calls."""

    def of(n: int) -> int:
        def f(x: float, n: int) -> float:
            @programs.memo
            def fib(k: int) -> float:
                return x if k < 2 else fib(k - 1) + fib(k - 2) * 0.5

            return float(fib(n))

        return harness.steps(f, (1.3, n))

    assert of(80) < 5.0 * of(20)


@pytest.mark.parametrize(("f", "text"), programs.REFUSED)
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(pb.PullbackError, match=text):
        pb.jit(f)(1.3)
