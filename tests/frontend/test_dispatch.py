"""``functools.singledispatch`` and its likes, and users' operators in Python's order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests.frontend import dispatch_programs, operator_order, union_operators
from tests.frontend.harness import agrees
from tests.frontend.test_decorated_functions import derivatives_agree


@pytest.mark.parametrize(
    "f", [*dispatch_programs.PROGRAMS, *operator_order.PROGRAMS, *union_operators.PROGRAMS]
)
def test_as_python(f: Callable[..., Any]) -> None:
    agrees(f, 0.7)
    derivatives_agree(f)


def test_a_function_that_is_registered_later_is_seen() -> None:
    class Late:
        pass

    def f(x: float) -> float:
        return float(dispatch_programs.kind(Late())) + x

    compiled = pb.jit(f)
    assert compiled(1.0) == 1.0
    dispatch_programs.kind.register(Late, lambda v: 5.0)
    assert compiled(1.0) == 6.0


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (dispatch_programs.of_two_bases, "a function for Right and one for Left, and Both is both"),
        (union_operators.equal_in_some, "of which only some have a method for it"),
        (operator_order.array_of_objects, "for each item of the array on the left"),
    ],
)
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(pb.PullbackError, match=text):
        pb.jit(f)(1.3)
