"""Two names for one container: an update by one of them is seen by the other, as in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.foreign.__main__ import is_right
from tests.frontend.alias_programs import PROGRAMS, REFUSED

XS = [1.0, 2.0, 3.0]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivative(f: Callable[..., Any]) -> None:
    is_right(f, (XS,))


@pytest.mark.parametrize(("f", "text"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(PullbackError, match=text):
        pb.jit(f)(XS)
