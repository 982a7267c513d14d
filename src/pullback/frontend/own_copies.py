"""What an entry makes of an object that it updates: one of its own, with the same contents.

In a program whose lists, dicts and arrays may have several owners (``store.shared_memory``), or
whose objects may have several names, the copies are rows of regions, as if the function had made
them at its begin. A region is known by the place of the copy (``Place``): a row of an argument that
is a list of lists has another one than the list.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from types import FunctionType
from typing import cast

from pullback.errors import MutationError
from pullback.frontend.kinds.coerce import copied, new_owner
from pullback.frontend.kinds.values import (
    ArrayV,
    FunctionV,
    HashV,
    ListV,
    RecordV,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.copying import deepcopy_apart
from pullback.frontend.library.text import deep_copies
from pullback.frontend.memory import hash_tables, holding
from pullback.frontend.memory.given_containers import library_class
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.python.objects_outside import attributes_at
from pullback.frontend.python.source import definition_of
from pullback.frontend.run import Run
from pullback.frontend.store.facts import can_be_shared
from pullback.frontend.store.shared_memory import in_region

Place = tuple[object, ...]
"""Where an object is that is copied: the argument or variable, and the steps from there."""


class Copies:
    """Copies of objects; ``deep``: of what is in them, too."""

    def __init__(self, run: Run, deep: bool, node: ast.AST) -> None:
        self.run, self.deep, self.node = run, deep, node
        self.are_rows = run.store is not None and run.store.facts.given
        self.inside: set[int] = set()
        """The objects from outside in which the one is that is being copied."""

    def of(self, value: Value, at: Place) -> Value | None:
        """Return an object of its own, with the same parts; None of what is not updated."""
        run, made = self.run, self._copy(value, at)
        run.copies = run.copies or made is not None
        if made is None or not self.are_rows:
            return made
        if isinstance(made, RecordV) and can_be_shared(made.cls):
            return run.rows.known(made.cls, made.fields, self.node)
        return in_region(run, made, at, self.node)

    def _copy(self, value: Value, at: Place) -> Value | None:
        run, node = self.run, self.node
        owners, fresh = new_owner()
        match value:
            case ArrayV(atom):
                return run.fresh(run.b.prim("copy", atom), node)
            case ListV(elem=elem) if not holding.holds_memory(elem):
                return copied(run, value)
            case HashV() if not holding.holds_memory(value.elem):
                return hash_tables.copied(run, value)
            case TupleV(items, True) if not self.holds(value):
                return TupleV(items, True, owners, fresh)
            case ListV() if self.deep and self.are_rows:
                text = FunctionV(definition_of(cast("FunctionType", deep_copies.in_order)), None)
                given = value, Static(own_item), Static((*at, "item"))
                made = run.call(run.rows.within(text), given, node)
                return as_class(made, value.cls)
            case TupleV(items, is_list) if self.deep and self.are_rows:
                each = (self._part(v, (*at, k)) for k, v in enumerate(items))
                return TupleV(tuple(each), is_list, owners, fresh)
            case ListV() | TupleV() | HashV() if self.deep and self.holds(value):
                return run.call(Static(deepcopy_apart), (value,), node)
            case RecordV(cls, _, outside=place) if place is not None:
                if id(place.value) in self.inside:
                    what = f"an update of a {cls.__name__} from outside that leads to itself"
                    run.refuse(node, what, "make it in the function", error=MutationError)
                self.inside.add(id(place.value))
                held = attributes_at(run, place, node)
                parts = {n: self._part(v, (*at, n)) for n, v in held.items()}
                self.inside.discard(id(place.value))
                return RecordV(cls, parts, None, owners, fresh)
            case RecordV(cls, fields) if library_class(cls) is not None:
                inside = {n: self.of(v, (*at, n)) or v for n, v in fields.items()}
                return RecordV(cls, inside, None, owners, fresh)
            case RecordV(cls, fields) if holding.is_updated_in_place(value) or self.holds(value):
                parts = {n: self._part(v, (*at, n)) for n, v in fields.items()}
                return RecordV(cls, parts, None, owners, fresh)
            case _:
                return None

    def _part(self, value: Value, at: Place) -> Value:
        made = self.of(value, at) if self.deep else None
        return value if made is None else made

    def holds(self, value: Value) -> bool:
        """Whether there are objects in a list, tuple or record."""
        match value:
            case ListV(elem=elem) | HashV(elem=elem):
                return holding.holds_memory(elem)
            case TupleV(items):
                parts: Iterable[Value] = items
            case RecordV(fields=fields):
                parts = fields.values()
            case _:
                return False
        return any(holding.holds_memory(self.run.kind(v, self.node)) for v in parts)


def own_item(x: Value, at: Place) -> Value:
    """Return a copy of its own of an item of a list that is copied."""
    raise AssertionError(at)  # compiled code has a rule for it


@register(own_item)
def _own_item(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    assert isinstance(sp, Run)
    value, at = args
    assert isinstance(at, Static) and isinstance(at.value, tuple)
    made = Copies(sp, True, node).of(value, at.value)
    return value if made is None else made


__all__ = ["Copies", "Place"]
