"""Objects that meet with an attribute of other types: ``self.y`` is a column before the first
measurement and a vector after it. The attribute cannot be read where they have met, before it is
assigned again; everything else of the object is as it was."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pullback.frontend.kinds.descriptions import describe_both
from pullback.frontend.kinds.joined_fields import joined_fields
from pullback.frontend.kinds.kinds import Kind, RecordK, StaleK, parts
from pullback.frontend.kinds.values import RecordV, Specialiser, Stale, Value
from pullback.frontend.python.object_classes import is_object_class

_REWRITE = "let the attribute have one type from the start"


def parted(
    a: Kind, b: Kind, join: Callable[[Kind, Kind], Kind | None], node: ast.AST
) -> Kind | None:
    """Return the kind of an object that comes from two places, whose kinds do not join, with those
    of its attributes unusable that are the cause; None: they are no objects of one class."""

    def field(x: Kind, y: Kind) -> Kind:
        for k in (x, y):
            if isinstance(k, StaleK):
                return k
        both = join(x, y) or parted(x, y, join, node)
        if both is not None:
            return both
        one, another = describe_both(x, y)
        return StaleK(f"is {one} on one path to here and {another} on another", node)

    match a, b:
        case RecordK(cls, _, here), RecordK(other, _, there) if (
            cls is other and here == there and is_object_class(cls)
        ):
            return joined_fields(a, b, field)
        case _:
            return None


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


__all__ = ["check_parted", "parted", "usable"]
