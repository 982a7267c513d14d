"""The class of lists and tuples of a length that only the run knows, and questions about classes to
which only the run knows the answer, which are refused."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from pullback.frontend.interface import Specialiser
from pullback.frontend.kinds.values import ListV, Scalar, TupleV, Value

_Value = TypeVar("_Value", bound=Value)


def as_class(value: _Value, cls: type) -> _Value:
    """Return the items of a list or tuple as those of a list, or of a tuple."""
    match value:
        case ListV() if value.cls is not cls:
            return replace(value, cls=cls)
        case TupleV() if value.cls is not cls:
            return replace(value, is_list=cls is list)
        case _:
            return value


def told_apart(
    sp: Specialiser, value: Value, classes: tuple[type, ...], node: ast.AST
) -> None:
    """Refuse the program if it asks at ``node`` whether the value is an instance of these classes,
    and only the run knows: of a number that is an int or a float, of a list or tuple."""
    if (
        isinstance(value, Scalar)
        and value.is_int is not None
        and issubclass(int, classes) != issubclass(float, classes)
    ):
        sp.refuse(
            node,
            "an int and a float have met here: whether this is a float is not known",
            "write 1.0 for 1, sum(xs, 0.0) for sum(xs), or ask isinstance(x, int)",
        )
    unknown = isinstance(value, ListV) and value.cls is Sequence
    if unknown and issubclass(list, classes) != issubclass(tuple, classes):
        sp.refuse(
            node,
            "a list and a tuple have met here: which of the two this is, only the run knows",
            "use lists on all paths, or tuples: list(x), tuple(x)",
        )
