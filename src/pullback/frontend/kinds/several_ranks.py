"""Values that may be an array in the place of a number, a list or an array of another rank:
``total = 0`` before a loop that adds arrays to it.

An operation is compiled for each of them (``apart``), as it is for a number, a tuple or an object
in the place of each other. Most give the same of all of them (a number and an array have an array
as their sum), so such values do not live long. What cannot be compiled for one of them is refused
where the run comes there with it: nothing of the program catches that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeGuard, cast

from pullback.core.build import boolean
from pullback.core.messages import Limit
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    MutationError,
    PullbackError,
    StaticIndexError,
    StaticValueError,
    UnknownAttributeError,
    UnsupportedError,
)
from pullback.frontend.kinds.complex_pairs import is_complex_array
from pullback.frontend.kinds.values import ArrayV, OptionalV, Specialiser, Value
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_OF_ONE = (
    ArgumentTypeError, ArgumentValueError, StaticIndexError, UnknownAttributeError,
    UnsupportedError,
)  # fmt: skip
_OF_ALL = (MutationError, StaticValueError)
"""What is refused for one alternative, and what is so for the whole program."""


def is_of_several_ranks(value: object) -> TypeGuard[OptionalV]:
    """Whether a value may be an array in the place of something else than None or a mark."""
    while isinstance(value, OptionalV):
        if isinstance(value.other, ArrayV) or is_complex_array(value.other):
            return True
        value = value.value
    return False


def is_of_one(refusal: PullbackError) -> bool:
    """Whether what is refused may be right for another one of the things that a value may be."""
    return isinstance(refusal, _OF_ONE) and not isinstance(refusal, _OF_ALL)


def apart(
    sp: Specialiser, value: OptionalV, arm: Callable[[Value], Value], node: ast.AST
) -> Value:
    """Return what an operation gives, compiled for each alternative of a value."""
    run = cast("Run", sp)
    refused: list[PullbackError] = []
    compiled: list[Value] = []
    ended: list[Value] = []

    def of_one(v: Value) -> Value:
        if isinstance(v, OptionalV):
            return run.case_value(v, of_one, node)
        try:
            made = arm(v)
        except Unreachable:
            ended.append(v)  # it raises, or is a recursive call of which nothing is known yet
            raise
        except PullbackError as e:
            if not is_of_one(e):
                raise
            refused.append(e)
            message = f"{e.reason} (of {run.describe(v)})"
            run.require(boolean(False), Limit("NotImplementedError"), message, node)
            raise Unreachable from None
        compiled.append(made)
        return made

    try:
        return run.case_value(value, of_one, node)
    except Unreachable:
        if refused and not compiled and not ended:
            raise refused[0] from None
        raise


__all__ = ["apart", "is_of_one", "is_of_several_ranks"]
