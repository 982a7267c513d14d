"""The kind of what meets, on two paths or after a round, although its two kinds have no join.

A number, a list and an array, or arrays of two ranks, are alternatives then (``sum_kinds``):
``total = 0`` before a loop that adds arrays. Of objects with an attribute of types that have no
alternatives either (``self.y`` is a dict before, an array after) the attribute cannot be read where
they have met, before it is assigned again; everything else of the object is as it was.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pullback.frontend.kinds.descriptions import describe_both
from pullback.frontend.kinds.joined_fields import joined_fields
from pullback.frontend.kinds.kinds import Kind, MaybeK, RecordK, RefK, StaleK, TupleK, parts
from pullback.frontend.kinds.sum_kinds import joined_ranks
from pullback.frontend.kinds.values import RecordV, Specialiser, Stale, Value
from pullback.frontend.python.object_classes import is_object_class

_REWRITE = "let the attribute have one type from the start"

Join = Callable[[Kind, Kind], Kind | None]


def met_kind(a: Kind, b: Kind, join: Join, node: ast.AST | None = None) -> Kind | None:
    """Return the kind of a value that comes from two places; None: there is none. Without a
    ``node`` that is the place where they meet, no attribute is lost."""
    if isinstance(a, MaybeK) or isinstance(b, MaybeK):
        one, other = (k.inner if isinstance(k, MaybeK) else k for k in (a, b))
        both = met_kind(one, other, join, node)
        return both if both is None or isinstance(both, MaybeK) else MaybeK(both)
    return join(a, b) or joined_ranks(a, b, join) or _parts_met(a, b, join, node)


def _parts_met(a: Kind, b: Kind, join: Join, node: ast.AST | None) -> Kind | None:
    """Return the kind of an object of which attributes have no join, or of a tuple or dict of which
    all parts meet."""

    def part(x: Kind, y: Kind) -> Kind | None:
        return met_kind(x, y, join, node)

    def field(x: Kind, y: Kind) -> Kind | None:
        for k in (x, y):
            if isinstance(k, StaleK):
                return k
        both = part(x, y)
        if both is not None or node is None or _holds_object(x) or _holds_object(y):
            return both
        one, another = describe_both(x, y)
        return StaleK(f"is {one} on one path to here and {another} on another", node)

    match a, b:
        case RecordK(cls, _, here), RecordK(other, _, there) if (
            cls is other and here == there and is_object_class(cls)
        ):
            return joined_fields(a, b, field)
        case RecordK(cls, xs), RecordK(other, ys) if cls is other is dict and (
            [n for n, _ in xs] == [n for n, _ in ys]
        ):
            return joined_fields(a, b, part)
        case TupleK(xs, False), TupleK(ys, False) if len(xs) == len(ys):
            items = tuple(part(x, y) for x, y in zip(xs, ys, strict=True))
            known = tuple(k for k in items if k is not None)
            return TupleK(known, False) if len(known) == len(items) else None
        case _:
            return None


def _holds_object(kind: Kind) -> bool:
    """Whether there is an object in a value, which a program with references can hold."""
    own = isinstance(kind, RefK) or (isinstance(kind, RecordK) and is_object_class(kind.cls))
    return own or any(map(_holds_object, parts(kind)))


def usable(run: Specialiser, obj: RecordV, name: str, node: ast.AST) -> Value:
    """Return an attribute of an object; refuse it where it has met one of another type."""
    found = obj.fields[name]
    if isinstance(found, Stale):
        run.refuse(node, f"{name!r} of a {obj.cls.__name__} {found.reason}", _REWRITE)
    return found


def check_parted(run: Specialiser, kinds: Sequence[Kind], node: ast.AST) -> None:
    """Refuse what callers see, of these kinds, if there is such an attribute in it."""
    for kind in kinds:
        for name, k in kind.fields if isinstance(kind, RecordK) else ():
            if isinstance(k, StaleK):
                run.refuse(node, f"the attribute {name!r} {k.reason}", _REWRITE)
        check_parted(run, tuple(parts(kind)), node)


__all__ = ["check_parted", "met_kind", "usable"]
