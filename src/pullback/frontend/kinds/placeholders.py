"""Arrays of nothing but None, which stand in an attribute until there are numbers:
``self.z = np.array([[None] * n])``. They may be kept beside arrays, and asked whether they are
None; nothing is computed with them, and nobody sees how large they are."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from typing import NoReturn

import numpy as np

from pullback.frontend.kinds.kinds import Kind, StaticK, parts
from pullback.frontend.kinds.values import ListV, Specialiser, Static, TupleV, Value
from pullback.frontend.python.bare_objects import is_placeholder


@functools.cache
def placeholder(rank: int) -> Static:
    """Return the array of None of a rank: one object, so that it is of one kind everywhere."""
    made = np.full((0,) * rank, None)
    made.flags.writeable = False
    return Static(made)


def of_none(value: Value) -> Static | None:
    """Return the array that NumPy makes of lists of None; None: there is something else in them."""
    rank = _rank(value)
    return placeholder(rank) if rank else None


def _rank(value: Value) -> int | None:
    match value:
        case Static(None):
            return 0
        case ListV(elem=StaticK(_, None)):
            return 1
        case TupleV((only,)):
            rank = _rank(only)
            return None if rank is None else rank + 1
        case TupleV((Static(None), *rest)) if all(_rank(v) == 0 for v in rest):
            return 1
        case _:
            return None


def refuse(run: Specialiser, what: str, node: ast.AST) -> NoReturn:
    """Refuse something that asks what is in such an array."""
    run.refuse(node, f"{what} an array of None", "write np.zeros(...) for what comes later")


def check_known(run: Specialiser, values: Iterable[Value], node: ast.AST) -> None:
    """Refuse a text or a bool that is made of such an array."""
    if any(isinstance(v, Static) and is_placeholder(v.value) for v in values):
        refuse(run, "a text or a truth value of", node)


def check_placeholders(run: Specialiser, kinds: Iterable[Kind], node: ast.AST) -> None:
    """Refuse what callers see, of these kinds, if there is an array of None in it."""
    if any(_holds_placeholder(k) for k in kinds):
        refuse(run, "a result, or an update that others see, with", node)


def _holds_placeholder(kind: Kind) -> bool:
    if isinstance(kind, StaticK):
        return is_placeholder(kind.value)
    return any(map(_holds_placeholder, parts(kind)))


__all__ = ["check_known", "check_placeholders", "of_none", "placeholder", "refuse"]
