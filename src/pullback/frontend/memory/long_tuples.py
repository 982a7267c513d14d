"""Tuples of a length that only the run knows are lists, but for what would tell the two apart.

``tuple(f(x) for x in xs)`` is the same data as a list, and is given back as one. A program in which
there is such a tuple, and which asks whether a sequence of unknown length is a list or a tuple
(``isinstance``, ``type``, a class pattern, ``==``), is refused where it asks: the answer would be
that of a list.
"""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pullback.errors import PullbackError
from pullback.frontend.interface import Specialiser
from pullback.frontend.kinds.values import ListV, Scalar, Value
from pullback.frontend.python.annotations import is_tuple_of_any_length
from pullback.frontend.python.records import Union, annotations_of
from pullback.frontend.run import Run

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def made(sp: Specialiser) -> None:
    """Note that the program has such a tuple."""
    _run(sp).long_tuples = True


def told_apart(
    sp: Specialiser, value: Value, classes: tuple[type, ...], node: ast.AST
) -> None:
    """Note that the program asks at ``node`` whether the value is an instance of these classes."""
    run = _run(sp)
    if (
        isinstance(value, Scalar)
        and value.is_int is not None
        and issubclass(int, classes) != issubclass(float, classes)
    ):
        run.refuse(
            node,
            "an int and a float have met here: whether this is a float is not known",
            "write 1.0 for 1, sum(xs, 0.0) for sum(xs), or ask isinstance(x, int)",
        )
    if isinstance(value, ListV) and issubclass(list, classes) != issubclass(tuple, classes):
        try:
            run.refuse(
                node,
                "the program also has tuples of a length that only the run knows, which are lists "
                "here: whether this is a list or a tuple is not known",
                "use lists, or let the program say which it is (a field, two functions)",
            )
        except PullbackError as e:
            run.list_or_tuple = run.list_or_tuple or e


def _run(sp: Specialiser) -> Run:
    assert isinstance(sp, Run)
    return sp


def settle(run: Run, unions: Iterable[Union]) -> None:
    """Refuse the program, at its end, if it has told such tuples from lists."""
    if run.list_or_tuple is not None and (run.long_tuples or any(map(_holds, unions))):
        raise run.list_or_tuple


def _holds(union: Union) -> bool:
    return any(_may_be(a) for cls in union.classes for a in annotations_of(cls).values())


def _may_be(annotation: object) -> bool:
    """Whether the annotation lets a tuple of any length be there or inside."""
    if is_tuple_of_any_length(annotation) or typing.get_origin(annotation) is Sequence:
        return True
    return any(map(_may_be, typing.get_args(annotation)))
