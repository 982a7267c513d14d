"""The mark of a choice: a tuple (CHOICE, number, *members) stands for the member of this number.

The members are functions or classes that are known when the program is compiled
(``functions.choices``); a result that has a choice in it has the member there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from pullback.core.types import I64
from pullback.frontend.kinds.kinds import Kind, ScalarK, StaticK, TupleK
from pullback.frontend.kinds.plain_values import INDEX_BITS


class _Choice:
    """The class of the mark."""


CHOICE = _Choice()


def chosen(parts: Iterable[object]) -> object:
    """Return the member that a choice is, of its parts in Python; None in a tangent."""
    _, number, *members = parts
    return members[number] if isinstance(number, int) else None


def is_choice_kind(kind: Kind) -> TypeGuard[TupleK]:
    """Whether a kind is that of choices."""
    first = kind.items[0] if isinstance(kind, TupleK) and kind.items else None
    return isinstance(first, StaticK) and first.value is CHOICE


def constants(kind: Kind) -> tuple[StaticK, ...]:
    """Return the members of a choice among classes and other constants; () of any other kind."""
    found = kind.items[2:] if is_choice_kind(kind) else ()
    known = tuple(k for k in found if isinstance(k, StaticK))
    return known if len(known) == len(found) else ()


NUMBER = ScalarK(I64, True, INDEX_BITS)
"""The kind of the number that says which member a choice is."""

__all__ = ["CHOICE", "NUMBER", "chosen", "constants", "is_choice_kind"]
