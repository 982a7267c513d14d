"""The argument of a derivative inside, with nodes where the annotations of its records say so.

A record that the program makes is its fields, as long as its class is known. From outside a field
that is declared ``A | B`` holds a node, and a node that is shared is one variable. So where two
such fields of an argument may hold one record, what they hold becomes nodes first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from operator import is_
from typing import TYPE_CHECKING

from pullback.frontend.derivatives.identity import is_one
from pullback.frontend.interpret.objects import node_kind
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import kind_of
from pullback.frontend.kinds.join import generalise
from pullback.frontend.kinds.kinds import Kind, ListK, RecordK, parts
from pullback.frontend.kinds.values import ListV, RecordV, Static, TupleV, UnionV, Value
from pullback.frontend.python import records

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def with_numbers(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the argument with numbers for the literals in it: a derivative is by these too."""
    match value:
        case Static(float()):
            return coerce(run, value, generalise(kind_of(value)), node)
        case TupleV(items):
            new = tuple(with_numbers(run, v, node) for v in items)
            return value if all(map(is_, new, items)) else replace(value, items=new)
        case RecordV(_, fields, None):
            made = {n: with_numbers(run, v, node) for n, v in fields.items()}
            same = all(made[n] is v for n, v in fields.items())
            return value if same else replace(value, fields=made)
        case _:
            return value


def with_nodes(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the argument as one from outside: an object that may be in it twice is a node."""
    if any(map(_holds_declared, _lists(value))):
        run.refuse(
            node,
            "a derivative inside by a list of records with fields that are declared as unions",
            "write a function for one record, or pass the list to the compiled function",
        )
    places = list(_places(value))
    made = [r for r in places if isinstance(r, RecordV)]
    apart = len(set(made)) == len(places)  # each a record of its own, and no node
    apart = apart and all(r.node is None and is_one(run, r) for r in made)
    return value if apart or len(places) < 2 else _boxed(run, value, node)


def _group(cls: type, name: str) -> tuple[type, ...] | None:
    """Return the classes of the union that a field is declared to be of."""
    if not is_dataclass(cls) and not hasattr(cls, "_fields"):
        return None  # a dict, or an object of a plain class: nothing is declared
    return records.mentions_union(records.annotations_of(cls).get(name))


def _places(value: Value) -> Iterator[Value]:
    """Return the places at which a union is declared."""
    match value:
        case UnionV():
            yield value
        case TupleV(items):
            for item in items:
                yield from _places(item)
        case RecordV(cls, fields):
            for name, part in fields.items():
                if _group(cls, name) is not None and isinstance(part, RecordV):
                    yield part
                yield from _places(part)
        case _:
            return


def _lists(value: Value) -> Iterator[Kind]:
    """Iterate over the kinds of the items of the lists in it."""
    match value:
        case ListV(_, elem):
            yield elem
        case TupleV(items):
            for item in items:
                yield from _lists(item)
        case RecordV(_, fields):
            for part in fields.values():
                yield from _lists(part)
        case _:
            return


def _holds_declared(kind: Kind) -> bool:
    """Whether a record in it has a record, no node, where a union is declared."""
    match kind:
        case RecordK(cls, fields):
            inside = any(isinstance(k, RecordK) and _group(cls, n) is not None for n, k in fields)
            return inside or any(_holds_declared(k) for _, k in fields)
        case ListK(elem):
            return _holds_declared(elem)
        case _:
            return any(map(_holds_declared, parts(kind)))


def _boxed(run: Run, value: Value, node: ast.AST) -> Value:
    match value:
        case TupleV(items):
            return replace(value, items=tuple(_boxed(run, v, node) for v in items))
        case RecordV(cls, fields):
            new = {n: _field(run, _group(cls, n), v, node) for n, v in fields.items()}
            return replace(value, fields=new)
        case _:
            return value


def _field(run: Run, group: tuple[type, ...] | None, value: Value, node: ast.AST) -> Value:
    if group is None or not isinstance(value, RecordV):
        return _boxed(run, value, node)
    kind = node_kind(run, records.canonical(group), value, None, node)
    return value if kind is None else coerce(run, value, kind, node)


__all__ = ["with_nodes"]
