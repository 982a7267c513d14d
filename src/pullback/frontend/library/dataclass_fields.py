"""``dataclasses.fields``: the fields of a class are known when a program is compiled."""

from __future__ import annotations

import ast
import dataclasses
from functools import partial
from typing import Any

from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.values import (
    ATTRIBUTES,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    UnionV,
    Value,
    attribute,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.python.object_classes import LOCAL
from pullback.frontend.python.records import plain
from pullback.frontend.run import Run

_PLAIN = (bool, int, float, complex, str, type(None))


@register(dataclasses.fields)
def fields(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return the fields of a dataclass, or of an object of one, as a tuple of known values."""
    assert isinstance(sp, Run)
    (given,) = bind(sp, "fields", args, kwargs, node, class_or_instance=MISSING)
    if isinstance(given, OptionalV):
        message = "must be called with a dataclass type or instance"
        given = optionals.present(sp, given, message, node)
    if isinstance(given, UnionV):
        return sp.case_value(given, lambda v: _fields_of(sp, v, node), node)
    return _fields_of(sp, given, node)


def _fields_of(run: Run, given: Value, node: ast.AST) -> Value:
    cls = _class_of(given)
    if cls is None or not dataclasses.is_dataclass(cls):
        message = "must be called with a dataclass type or instance"
        run.refuse(node, message, error=ArgumentTypeError)
    found: list[Value] = []
    for f in dataclasses.fields(cls):
        path = ("class", cls), ("attr", "__dataclass_fields__"), ("key", f.name)
        found.append(run.from_python(f, path, node, guarded=cls not in LOCAL))
    return TupleV(tuple(found))


@register(dataclasses.is_dataclass)
def is_dataclass(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Whether a value is a dataclass, or an object of one."""
    assert isinstance(sp, Run)
    (given,) = bind(sp, "is_dataclass", args, kwargs, node, obj=MISSING)
    match given:
        case OptionalV(there, inner):
            found = is_dataclass(sp, (inner,), {}, node)
            held = isinstance(found, Static) and found.value is True
            return Scalar(there, True, 1) if held else found
        case UnionV():
            classes = tuple(c for c in given.possible if dataclasses.is_dataclass(c))
            return sp.is_instance(given, classes, node)
        case _:
            cls = _class_of(given)
            return Static(cls is not None and dataclasses.is_dataclass(cls))


def _class_of(value: Value) -> type | None:
    match value:
        case RecordV(cls) | RefV(cls=cls):
            return cls
        case Static(known):
            meant = plain(known)
            return meant if isinstance(meant, type) else None
        case _:
            return None


def _made_by(name: str, sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    """Return ``field.default`` or ``field.default_factory``, or MISSING."""
    assert isinstance(sp, Run)
    field = _field(receiver)
    value = getattr(field, name)
    if type(value) in _PLAIN:  # of the text of the class
        return Static(value)
    return sp.from_python(value, (("class", field), ("attr", name)), node)


for _name in ("default", "default_factory"):
    ATTRIBUTES["field", _name] = partial(_made_by, _name)


@attribute("field", "metadata")
def metadata(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    """Return what the user has noted at a field, as it is in each call."""
    assert isinstance(sp, Run)
    field = _field(receiver)
    return sp.from_python(dict(field.metadata), (("class", field), ("metadata",)), node)


def _field(value: Value) -> dataclasses.Field[Any]:
    assert isinstance(value, Static) and isinstance(value.value, dataclasses.Field)
    return value.value


__all__ = ["fields", "is_dataclass", "metadata"]
