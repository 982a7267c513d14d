"""Two names for one container: an update by one of them is seen by the other, as in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.foreign.__main__ import is_right
from tests.frontend import owner_programs
from tests.frontend.alias_programs import PROGRAMS, REFUSED

XS = [1.0, 2.0, 3.0]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivative(f: Callable[..., Any]) -> None:
    is_right(f, (XS,))


@pytest.mark.parametrize(("f", "text"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(PullbackError, match=text):
        pb.jit(f)(XS)


@pytest.mark.parametrize("f", owner_programs.RIGHT, ids=lambda f: f.__name__)
def test_lists_with_several_owners(f: Callable[..., Any]) -> None:
    is_right(f, ([0.4, 0.7, 0.9],))


@pytest.mark.parametrize("f", owner_programs.REFUSED, ids=lambda f: f.__name__)
def test_lists_with_several_owners_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(PullbackError, match="Instead:") as caught:
        pb.jit(f)([0.4, 0.7, 0.9])
    assert "owner_programs.py" in str(caught.value)


def test_lists_with_several_owners_take_constant_time() -> None:
    f = owner_programs.many_rows
    few, more, many = (pb.cost(f, 0.3, n) for n in (50, 100, 200))
    assert many - more < 2.1 * (more - few)
    slopes = [pb.cost(f, 0.3, n, method="chad") for n in (50, 200)]
    assert slopes[1] < 4.2 * slopes[0] and slopes[1] < 8 * many
