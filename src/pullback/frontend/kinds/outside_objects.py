"""The kinds of objects that a program finds outside, where they meet others of their class: a
global ``ORIGIN`` before a loop that makes points.

Such an object has no fields, since its attributes are read when they are asked for. What comes out
where it meets another one has them: all attributes are read there. It may still be the object that
others know, so it is not updated.
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.kinds import Kind, RecordK

Join = Callable[[Kind, Kind], Kind | None]


def joined_outside(a: RecordK, b: RecordK, join: Join) -> Kind | None:
    """Return the join of the kinds of two objects of which one at least is from outside; None:
    there is none, or they have no attributes (they are marks)."""
    x, y = _with_fields(a), _with_fields(b)
    return None if a.cls is not b.cls or x is None or y is None else join(x, y)


def _with_fields(kind: RecordK) -> RecordK | None:
    """Return the kind with the attributes that the object has as fields."""
    if kind.outside is None:
        return kind
    try:
        found = kind.outside.type_of(kind.outside.value)
    except (ArgumentTypeError, RecursionError):  # one may lead to itself
        return None
    return found if isinstance(found, RecordK) and found.fields else None


__all__ = ["joined_outside"]
