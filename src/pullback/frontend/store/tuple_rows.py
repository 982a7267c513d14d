"""Tuples in tuples, as deep as the run makes them: trees and linked lists of tuples.

Such a tuple has no kind: a tuple of the next round has it inside. So a tuple that is put into one
lies in the region of all these, and the tuple around it has a reference, the number of its row:

    t = ("node", left, right)    left and right are put into the region; t has their numbers
    l = t[1]                     what is in the row: a name, and an expression, has no reference

Tuples do not change, so it does not matter that ``l`` is not the tuple in the row.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, TypeGuard

from pullback.frontend.kinds.optionals import alternatives, is_row
from pullback.frontend.kinds.values import FunctionV, ListV, OptionalV, RecordV, RefV, TupleV, Value
from pullback.frontend.library.text import nested_tuples
from pullback.frontend.python.object_classes import is_tree_class
from pullback.frontend.python.python_values import is_library
from pullback.frontend.python.source import definition_of
from pullback.frontend.store.facts import ITEMS

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def opened(run: Run, value: Value, node: ast.AST) -> Value:
    """Return an item of a tuple as what it is: a tuple where a reference stands for it."""
    if run.store is None or not run.store.facts.trees or not _may_be_row(value):
        return value
    if isinstance(value, RefV):
        made = run.store.item(value, ITEMS, node)
    else:
        assert isinstance(value, OptionalV)
        made = run.case_value(value, lambda v: opened(run, v, node), node)
    if all(made is not v for v in alternatives(value)):
        run.frame.rows[made] = value
    return made


def _may_be_row(value: Value) -> bool:
    if isinstance(value, OptionalV):
        return _may_be_row(value.value) or _may_be_row(value.other)
    return is_row(value)


def kept(run: Run, made: Value, node: ast.AST) -> Value:
    """Return a tuple that the user's program makes, with references to the tuples in it."""
    store, definition = run.store, run.frame.definition
    if store is None or not store.facts.trees or not _is_tuple(made):
        return made
    if definition is None or is_library(definition.globals):
        return made
    return _with_rows(run, made, (node,), node)


def of_call(run: Run, made: Value, node: ast.AST) -> Value:
    """Return what a call gives, which may have made a named tuple."""
    trees = run.store is not None and run.store.facts.trees
    if trees and isinstance(made, OptionalV) and any(map(_is_tuple, alternatives(made))):
        return run.case_value(made, lambda v: of_call(run, v, node), node)
    return kept(run, made, node) if isinstance(made, RecordV) else made


def given(run: Run, value: Value, node: ast.AST) -> Value:
    """Return an argument of a call: the reference that stood for it in a tuple, if there is one."""
    row = run.frame.rows.get(value)
    return run.handed(value, node) if row is None else row


def taken(run: Run, names: dict[str, Value], node: ast.AST) -> None:
    """Let names of a function that has been called hold tuples where they were given references."""
    for name, value in list(names.items()):
        names[name] = opened(run, value, node)


Place = tuple[Hashable, ...]
"""Where tuples are put into others: the expression, and which item of what it makes."""


def _is_tuple(value: Value) -> TypeGuard[TupleV | RecordV]:
    if isinstance(value, RecordV):
        return is_tree_class(value.cls)
    return isinstance(value, TupleV) and not value.is_list


def _with_rows(run: Run, made: TupleV | RecordV, place: Place, node: ast.AST) -> TupleV | RecordV:
    if isinstance(made, TupleV):
        return TupleV(tuple(_item(run, v, (*place, k), node) for k, v in enumerate(made.items)))
    fields = {n: _item(run, v, (*place, n), node) for n, v in made.fields.items()}
    return replace(made, fields=fields)


def _item(run: Run, value: Value, place: Place, node: ast.AST) -> Value:
    """Return a value that is put into a tuple."""
    if (row := run.frame.rows.get(value)) is not None:
        return row
    match value:
        case TupleV() | RecordV() if _is_tuple(value):
            return run.rows.new_memory(_with_rows(run, value, place, node), tuple, place, node)
        case ListV(cls=cls) if cls is tuple:
            return run.rows.new_memory(value, tuple, place, node)
        case OptionalV():
            return run.case_value(value, lambda v: _item(run, v, place, node), node)
        case _:
            return value


_COMPARED = {
    "==": nested_tuples.equal, "<": nested_tuples.less, "<=": nested_tuples.at_most,
    ">": nested_tuples.greater, ">=": nested_tuples.at_least,
}  # fmt: skip


def compared(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Return a comparison of items of tuples for which references stand: by functions that call
    themselves for what is inside; None if there are no references."""
    if not is_row(left) and not is_row(right):
        return None
    if not is_row(left) or not is_row(right):
        return run.compare(op, opened(run, left, node), opened(run, right, node), node)
    if op == "!=":
        return run.unary("not", run.compare("==", left, right, node), node)
    if op not in _COMPARED:
        return None
    function = _COMPARED[op]
    assert isinstance(function, FunctionType)
    both = TupleV((left,)), TupleV((right,))
    return run.call(FunctionV(definition_of(function), None), both, node)


__all__ = ["compared", "given", "kept", "of_call", "opened", "taken"]
