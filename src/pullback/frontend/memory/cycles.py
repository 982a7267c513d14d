"""Objects that would have themselves in them: refused where they are stored.

An object is a value in one place here. What is stored into an object, list or dict is the value
that it had then: if that is the object itself, or has it in it (``a.next = a``; ``b.parent = a``
and then ``a.child = b``), an update by one way would not be seen by the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pullback.errors import MutationError
from pullback.frontend.functions.scopes import shown
from pullback.frontend.kinds.flatten import captured_value, captures_of
from pullback.frontend.kinds.values import (
    ArrayV,
    FunctionV,
    HashV,
    ListV,
    MaybeV,
    OptionalV,
    Owner,
    RecordV,
    Scalar,
    TupleV,
    Value,
)
from pullback.frontend.memory import holding
from pullback.frontend.memory.owners import owners_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Owners = frozenset[Owner]


def check(run: Run, name: str, old: Value, new: Value, node: ast.AST) -> None:
    """Refuse an update of the object called ``name`` that puts it into itself."""
    if any(owners & above for owners, above in _put_in(old, new, frozenset())):
        run.refuse(
            node,
            f"{shown(name)!r} would have itself in it: objects that lead to each other in a circle "
            "are not supported",
            "keep the objects in a list, and in each the number of the other one: "
            "nodes[i].next = j",
            error=MutationError,
        )


def _put_in(old: Value | None, new: Value, above: Owners) -> Iterator[tuple[Owners, Owners]]:
    """Return the owners of each value that an update has put in, with those of the objects around
    it."""
    if new is old:
        return
    if holding.is_updated_in_place(new):
        if not holding.is_updated_in_place(old) or old.owners != new.owners:
            yield new.owners, above
        above |= new.owners
    match new:
        case ListV(elem=elem, inner=inner) | HashV(elem=elem, inner=inner):
            if holding.holds_memory(elem):
                yield inner - _inside(old), above
        case TupleV(items):
            before = old.items if isinstance(old, TupleV) else ()
            for k, item in enumerate(items):
                yield from _put_in(before[k] if k < len(before) else None, item, above)
        case RecordV(_, fields):
            known = old.fields if isinstance(old, RecordV) else {}
            for field, item in fields.items():
                yield from _put_in(known.get(field), item, above)
        case OptionalV(_, inside, other):
            both = (old.value, old.other) if isinstance(old, OptionalV) else None
            yield from _put_in(both and both[0], inside, above)
            yield from _put_in(both and both[1], other, above)
        case MaybeV(_, inside):
            yield from _put_in(old.value if isinstance(old, MaybeV) else None, inside, above)
        case FunctionV():
            captured = (captured_value(*c) for c in captures_of(new))
            yield owners_of(new).union(*map(owners_of, captured)), above
        case ArrayV() | Scalar():
            return
        case _:
            yield owners_of(new), above


def _inside(value: Value | None) -> Owners:
    """Return the owners of what is in a list, dict or set."""
    match value:
        case ListV(inner=inner) | HashV(inner=inner):
            return inner
        case TupleV(items):
            return frozenset(o for item in items for o in owners_of(item))
        case RecordV(_, fields):
            return frozenset(o for item in fields.values() for o in owners_of(item))
        case _:
            return frozenset()
