"""Objects that a program finds outside have no fields: their attributes are read when they are
asked for. Here is what looks at all of them."""

from __future__ import annotations

import ast
import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.errors import PullbackError
from pullback.frontend.kinds.kinds import Kind, RecordK, parts
from pullback.frontend.kinds.values import OptionalV, RecordV, TupleV, Value
from pullback.frontend.kinds.wrapped import WRAPPERS
from pullback.frontend.python.container_bases import held_by, step_to
from pullback.frontend.python.object_classes import attributes_of
from pullback.frontend.python.pytypes import type_of

if TYPE_CHECKING:
    from pullback.frontend.functions.scopes import Outside
    from pullback.frontend.python.python_values import PythonValues
    from pullback.frontend.run import Run


def fields_of(run: Run, value: RecordV, node: ast.AST) -> dict[str, Value]:
    """Return the fields of a record; of an object from outside, its attributes."""
    if value.outside is None:
        return value.fields
    run.has_no_others(value.outside)
    held = attributes_of(value.outside.value)
    place = value.outside
    return {n: attribute_outside(run, v, place, n, node) for n, v in held.items()}


def attribute_outside(
    run: PythonValues, held: object, of: Outside, name: str, node: ast.AST
) -> Value:
    """Return what an object from outside has in an attribute."""
    path = (*of.path, step_to(name))
    if name in held_by(type(of.value)) and type(held) in WRAPPERS:
        kind = type_of(held)
        return run.given(run.hidden(path, kind), kind, node)
    return run.from_python(held, path, node)


def attributes_at(run: Run, place: Outside, node: ast.AST) -> dict[str, Value]:
    """Return the attributes that an object has now, which are all that it has in every call: those
    that are supported."""
    found = dict[str, Value]()
    run.has_no_others(place)
    for name, value in attributes_of(place.value).items():
        with contextlib.suppress(PullbackError):
            found[name] = attribute_outside(run, value, place, name, node)
    return found


def with_attributes(
    run: Run, value: Value, node: ast.AST, around: tuple[object, ...] = ()
) -> Value:
    """Return the value with the attributes of objects from outside as their fields, for what looks
    at all of them: a derivative by the object, its text, a copy. ``around``: the objects that it is
    in."""
    match value:
        case TupleV(items):
            inner = tuple(with_attributes(run, v, node, around) for v in items)
            same = all(x is y for x, y in zip(inner, items, strict=True))
            return value if same else replace(value, items=inner)
        case RecordV(cls, _, None):
            if value.outside is not None:
                if any(value.outside.value is other for other in around):
                    reason = f"all of {run.describe(value)}, which leads to itself"
                    run.refuse(node, reason, "read the attributes that are needed")
                around = (*around, value.outside.value)
            old = fields_of(run, value, node)
            new = {n: with_attributes(run, v, node, around) for n, v in old.items()}
            if all(new[n] is v for n, v in value.fields.items()) and value.outside is None:
                return value
            return RecordV(cls, new, None, value.owners, value.fresh)
        case OptionalV(there, inner, other):
            present = with_attributes(run, inner, node, around)
            return OptionalV(there, present, with_attributes(run, other, node, around))
        case _:
            return value


def result_of(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the result of a program, with the attributes of objects from outside: they are new
    objects, as the arrays and lists of a result are."""
    whole = with_attributes(run, value, node)
    if _holds_outside(run.kind(whole, node)):
        reason = "a list or a node with an object from outside is returned"
        run.refuse(node, reason, "return what is needed of it: [o.x for o in objects]")
    return whole


def _holds_outside(kind: Kind) -> bool:
    return (isinstance(kind, RecordK) and kind.outside is not None) or any(
        map(_holds_outside, parts(kind))
    )
