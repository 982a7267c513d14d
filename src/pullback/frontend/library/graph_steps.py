"""What ``text/graph_copies`` asks of references and of the values that have them in them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from pullback.frontend.kinds.coerce import new_owner
from pullback.frontend.kinds.kinds import holds_references
from pullback.frontend.kinds.values import (
    HashV,
    ListV,
    RecordV,
    RefV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.memory.holding import is_tuple
from pullback.frontend.python.object_classes import changes
from pullback.frontend.run import Run
from pullback.frontend.store.shared_memory import is_shared, opened


def sort_of(x: Any) -> str:
    """Return how a value is copied; a word of ``text/graph_copies``."""
    raise AssertionError("compiled code has a rule for it")


def name_of(x: Any) -> tuple[int, int]:
    """Return the numbers of the region and the row of an object."""
    raise AssertionError("compiled code has a rule for it")


def row_of(x: Any) -> int:
    """Return the number of the row of an object."""
    raise AssertionError("compiled code has a rule for it")


def renamed(x: Any, row: int) -> Any:
    """Return the object of this row, in the region of ``x``."""
    raise AssertionError("compiled code has a rule for it")


def copied_row(x: Any) -> Any:
    """Return a new object with copies of the fields; those with references are the same."""
    raise AssertionError("compiled code has a rule for it")


def fields_with_references(x: Any) -> tuple[str, ...]:
    """Return the names of the fields of an object that have references in them."""
    raise AssertionError("compiled code has a rule for it")


def put(x: Any, name: str, value: Any) -> None:
    """Assign a field of an object, whatever its class says of assignments."""
    raise AssertionError("compiled code has a rule for it")


def fields_of(x: Any) -> tuple[Any, ...]:
    """Return what a record or dict with known keys holds."""
    raise AssertionError("compiled code has a rule for it")


def with_fields(x: Any, values: tuple[Any, ...]) -> Any:
    """Return a new record or dict with these values."""
    raise AssertionError("compiled code has a rule for it")


def own(x: Any) -> Any:
    """Return a deep copy of a value without references."""
    raise AssertionError("compiled code has a rule for it")


@register(sort_of)
def _sort_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    return Static(_sort(sp, args[0], node))


def _sort(run: Run, value: Value, node: ast.AST) -> str:
    if not holds_references(run.kind(value, node)):
        return "without references"
    if isinstance(value, RefV) and is_shared(value):
        inside = opened(run, value, node)
        if not holds_references(run.kind(inside, node)):
            return "memory"
        if isinstance(inside, (ListV, TupleV)):
            return "list"
        if isinstance(inside, (HashV, RecordV)) and _has_plain_keys(run, inside, node):
            return "dict"
    match value:
        case RefV() if not is_shared(value):
            return "object"
        case TupleV(is_list=is_list):
            return "few items" if is_list else "tuple"
        case RecordV():
            return "record"
        case ListV() if not is_tuple(value):
            return "items"
        case HashV(cls) if cls is dict and _has_plain_keys(run, value, node):
            return "entries"
        case _:
            reason = f"a deep copy of {run.describe(value)} with objects in it"
            run.refuse(node, reason, "make new objects of its parts")


def _has_plain_keys(run: Run, table: HashV | RecordV, node: ast.AST) -> bool:
    return isinstance(table, RecordV) or not holds_references(table.elem.items[0])


@register(name_of)
def _name_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run, ref = _reference(sp, args[0])
    number = next(k for k, g in enumerate(run.rows.regions) if g.reference is ref.cls)
    return TupleV((Static(number), Scalar(ref.atom, True)))


@register(row_of)
def _row_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Scalar(_reference(sp, args[0])[1].atom, True)


@register(renamed)
def _renamed(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    _, ref = _reference(sp, args[0])
    return RefV(sp.scalar(args[1], node).atom, ref.cls)


@register(copied_row)
def _copied_row(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run, ref = _reference(sp, args[0])
    return run.rows.copied(ref, lambda v: run.call(Static(own), (v,), node), node)


@register(fields_with_references)
def _fields_with_references(
    sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    run, ref = _reference(sp, args[0])
    fields = run.rows.group(ref).fields
    return TupleV(tuple(Static(n) for n, kind in fields.items() if holds_references(kind)))


@register(put)
def _put(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run, ref = _reference(sp, args[0])
    name = run.static(args[1], node, "the name of a field")
    assert isinstance(name, str)
    run.rows.write(ref, name, args[2], node)
    return Static(None)


@register(fields_of)
def _fields_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (record,) = args
    assert isinstance(record, RecordV)
    return TupleV(tuple(record.fields.values()))


@register(with_fields)
def _with_fields(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    record, values = args
    assert isinstance(record, RecordV) and isinstance(values, TupleV)
    fields = dict(zip(record.fields, values.items, strict=True))
    if not changes(record.cls):
        return replace(record, fields=fields, node=None)
    owners, fresh = new_owner()
    return RecordV(record.cls, fields, None, owners, fresh)


TAKING_NONE = own, put
"""The functions whose arguments may be None."""


def _reference(sp: Specialiser, value: Value) -> tuple[Run, RefV]:
    assert isinstance(sp, Run) and isinstance(value, RefV)
    return sp, value


__all__ = [
    "TAKING_NONE", "copied_row", "fields_of", "fields_with_references", "name_of", "own", "put",
    "renamed", "row_of", "sort_of", "with_fields",
]  # fmt: skip
