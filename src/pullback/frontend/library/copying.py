"""``copy.copy`` and ``copy.deepcopy``."""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.coerce import copied, new_owner
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    OptionalV,
    RecordV,
    Scalar,
    Static,
    SymbolV,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.memory import holding
from pullback.frontend.python.object_classes import changes
from pullback.frontend.run import Run

if TYPE_CHECKING:
    from pullback.frontend.interface import Specialiser

_HOOKS = "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"


@register(copy.copy)
def copy_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return a new object with the same parts."""
    return _copied(sp, args, kwargs, False, node)


@register(copy.deepcopy)
def deepcopy(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return a new object whose parts are new ones too."""
    return _copied(sp, args, kwargs, True, node)


def _copied(sp: Specialiser, args: Args, kwargs: Kwargs, deep: bool, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    if len(args) != 1 or kwargs:
        sp.refuse(node, "copy takes one argument", error=ArgumentTypeError)
    return _new(sp, args[0], deep, node)


def _new(run: Run, value: Value, deep: bool, node: ast.AST) -> Value:
    def part(v: Value) -> Value:
        return _new(run, v, True, node) if deep else v

    match value:
        case ArrayV(atom):
            return run.fresh(run.b.prim("copy", atom), node)
        case TupleV(items, True):
            return TupleV(tuple(map(part, items)), True)
        case TupleV(items):
            return TupleV(tuple(map(part, items)))
        case ListV(_, elem) if not deep or not holding.holds_memory(elem):
            return copied(run, value)
        case RecordV(cls, fields) if value.outside is None:
            written = [n for n in _HOOKS if any(n in vars(c) for c in cls.__mro__[:-1])]
            if written and cls is not dict and not issubclass(cls, tuple):
                run.refuse(node, f"a copy of {cls.__name__}, which has a {written[0]} of its own")
            new = {n: part(v) for n, v in fields.items()}
            if not changes(cls):
                return replace(value, fields=new, node=None)
            owners, fresh = new_owner()
            return RecordV(cls, new, None, owners, fresh)
        case OptionalV(there, inner):
            return OptionalV(there, _new(run, inner, deep, node))
        case Scalar() | Static() | SymbolV():
            return value
        case _:
            run.refuse(node, f"a copy of {run.describe(value)}", "make a new one: [... for ...]")


__all__ = ["copy_", "deepcopy"]
