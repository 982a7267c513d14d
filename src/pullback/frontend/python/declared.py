"""Check that the fields of a record hold what their annotations declare.

Records outside of unions are compiled for the values in their fields, so an int in a field that is
declared ``float`` is an int there, and an array may stand for a number. Text, functions, sequences
and other records do not stand for a number, nor for each other. None may stand in every field: a
gradient has it where a value is discrete.
"""

from __future__ import annotations

import collections.abc as abc
import enum
import types
import typing

import numpy as np

from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import (
    ArgType,
    ArrayK,
    ListK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    UnionK,
)
from pullback.frontend.python import records
from pullback.frontend.python.annotations import named, show
from pullback.frontend.python.container_bases import is_tuple_class

_SORTS: dict[object, str] = {
    float: "number", int: "number", bool: "number", np.ndarray: "number",
    np.float64: "number", np.float32: "number", np.int64: "number", np.int32: "number",
    str: "text", types.NoneType: "none", list: "sequence", tuple: "sequence",
    abc.Sequence: "sequence", dict: "dict", abc.Mapping: "dict", abc.Callable: "function",
    types.FunctionType: "function",
}  # fmt: skip


def require_declared(cls: type, name: str, annotation: object, kind: ArgType) -> None:
    """Raise ``ArgumentTypeError`` for a field that holds what its annotation does not declare."""
    if not fits(annotation, kind):
        raise ArgumentTypeError(
            f"{_describe(kind)} in the field {name!r} of {cls.__name__}, which is declared "
            f"{show(annotation)}",
            "declare what it holds",
        )


def fits(annotation: object, kind: ArgType) -> bool:
    """Whether a value of a kind may stand where this annotation is, as far as the two are known."""
    annotation = named(annotation)
    origin, given = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(fits(part, kind) for part in given)
    sort = _SORTS.get(origin or annotation) if _hashable(origin or annotation) else None
    if sort is None or isinstance(kind, UnionK):
        return not (isinstance(annotation, type) and _another_class(annotation, kind))
    if sort != (found := _sort_of(kind)):
        return found is None
    if sort == "sequence":
        return _items_fit(given, kind)
    return True


def _items_fit(given: tuple[object, ...], kind: ArgType) -> bool:
    match kind, given:
        case ListK(elem), (part,) | (part, types.EllipsisType()):
            return fits(part, elem)
        case TupleK(items), (part,) | (part, types.EllipsisType()):
            return all(fits(part, k) for k in items)
        case TupleK(items), _ if len(items) == len(given):
            return all(map(fits, given, items))
        case _:
            return True


def _sort_of(kind: ArgType) -> str | None:
    """Return the sort (number, text, sequence, ...) of the values of a kind; None: not known."""
    match kind:
        case ScalarK() | ArrayK():
            return "number"
        case ListK() | TupleK():
            return "sequence"
        case RecordK(cls):
            return "dict" if cls is dict else "sequence" if is_tuple_class(cls) else "record"
        case StaticK(_, None):
            return None
        case StaticK(_, enum.Enum() as member):
            return "number" if isinstance(member, (int, float)) else (
                "text" if isinstance(member, str) else "enum")  # fmt: skip
        case StaticK(_, str()):
            return "text"
        case StaticK(_, value):
            return None if isinstance(value, type) or not callable(value) else "function"
        case _:
            return None


def _another_class(annotation: type, kind: ArgType) -> bool:
    """Whether the annotation is a record or an enumeration, and the value is certainly not of
    it."""
    if issubclass(annotation, enum.Enum):
        if isinstance(kind, StaticK) and isinstance(kind.value, enum.Enum):
            return not isinstance(kind.value, annotation)
        return _sort_of(kind) is not None
    if not records.is_record_class(annotation) or isinstance(kind, UnionK):
        return False
    if isinstance(kind, RecordK):
        return not issubclass(kind.cls, annotation)
    return _sort_of(kind) is not None


def _describe(kind: ArgType) -> str:
    return "a str" if _sort_of(kind) == "text" else describe(kind)


def _hashable(value: object) -> bool:
    return getattr(value, "__hash__", None) is not None
