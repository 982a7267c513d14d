"""Where in an argument a value is not what it should be: errors get a path as in the user's code.

Conversions stop at the first thing that does not fit and say only what it is; this walks the value
again, to find it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pullback.call.leaves import array, items_of, mismatch, scalar
from pullback.call.marshal import alternative_of
from pullback.errors import ArgumentTypeError, PullbackError
from pullback.frontend.derivatives.homes import Homes, TwoHomesError
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    TupleK,
    UnionK,
)
from pullback.frontend.python.records import Union, field_of


@contextmanager
def located(kinds: Sequence[Kind], values: Sequence[object]) -> Iterator[None]:
    """An error about a value of these kinds says where it is: ``arg0.left.right.value``."""
    try:
        yield
    except ArgumentTypeError as error:
        for i, (kind, value) in enumerate(zip(kinds, values)):
            homes = Homes(kind) if isinstance(error, TwoHomesError) else None
            where = place(kind, value, f"arg{i}", homes)
            if where is not None:
                raise type(error)(f"{error.reason}, at {where}", error.rewrite) from None
        raise


def place(kind: Kind, value: object, start: str, homes: Homes | None = None) -> str | None:
    """The path to the first part that is not of its kind; None: all are. ``homes``: or the paths
    to the first object that is in two unions."""
    todo: list[tuple[Kind, object, str]] = [(kind, value, start)]
    seen: set[tuple[int, Union]] = set()
    while todo:
        k, v, where = todo.pop()
        try:
            if homes is not None and isinstance(k, UnionK):
                homes.enter(k.union, v, where)
            todo += _parts(k, v, where, seen)
        except TwoHomesError as error:
            return f"{error.first} and {where}"
        except (PullbackError, AttributeError, TypeError, ValueError, OverflowError):
            return where
    return None


def _parts(
    kind: Kind, value: object, where: str, seen: set[tuple[int, Union]]
) -> list[tuple[Kind, object, str]]:
    """The parts of a value, the last one first; an error if it is not of its kind."""
    match kind:
        case ScalarK(t):
            scalar(t, value)
            return []
        case ArrayK(elem, rank):
            array(elem, rank, value)
            return []
        case ListK(elem):
            items = items_of(value, kind)
            return [(elem, v, f"{where}[{i}]") for i, v in enumerate(items)][::-1]
        case TupleK(kinds):
            pairs = zip(kinds, items_of(value, kind, len(kinds)), strict=True)
            return [(k, v, f"{where}[{i}]") for i, (k, v) in enumerate(pairs)][::-1]
        case OptionalK(inner):
            return [] if value is None else [(inner, value, where)]
        case RecordK(cls, fields):
            if type(value) is not cls:
                raise mismatch(kind, value)
            named = [(k, field_of(value, cls, n), n) for n, k in fields][::-1]
            return [
                (k, v, f"{where}[{n!r}]" if cls is dict else f"{where}.{n}") for k, v, n in named
            ]
        case UnionK(union):
            known = alternative_of(union, value)
            if value is None or (id(value), union) in seen:
                return []
            seen.add((id(value), union))
            return [(known.kind, value, where)]
        case _:
            return []


__all__ = ["located", "place"]
