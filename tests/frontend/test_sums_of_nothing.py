"""The sum of no floats is the int 0: what would tell it from 0.0 is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pullback.errors import PullbackError
from tests.frontend.harness import agrees, run


def asked(x: float) -> float:
    s = sum([t for t in [x, 2.0] if t > 100.0])
    return x if isinstance(s, int) else -x


def matched(x: float) -> float:
    match sum(t for t in [x, 2.0] if t > 100.0):
        case float():
            return -x
        case _:
            return x


@pytest.mark.parametrize("f", [asked, matched], ids=lambda f: f.__name__)
def test_refused(f: Callable[[float], float]) -> None:
    with pytest.raises(PullbackError, match="the sum of no floats is the int 0") as caught:
        run(f, 1.5)
    assert "sum(xs, 0.0)" in str(caught.value)


def from_a_float(x: float) -> float:
    s = sum([t for t in [x, 2.0] if t > 100.0], 0.0)
    return x if isinstance(s, int) else -x


def of_some(x: float) -> float:
    s = sum(x * k for k in range(3))
    return x if isinstance(s, float) else -x


def number_of_any_class(x: float) -> float:
    s = sum(t for t in [x, 2.0] if t > 100.0)
    return x if isinstance(s, (int, float)) else -x


@pytest.mark.parametrize(
    "f", [from_a_float, of_some, number_of_any_class], ids=lambda f: f.__name__
)
def test_as_in_python(f: Callable[[float], float]) -> None:
    agrees(f, 1.5)
