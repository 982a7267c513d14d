"""``copy.copy`` and ``copy.deepcopy``."""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret.fallbacks import check_container_copied, check_copied
from pullback.frontend.kinds.coerce import copied, new_owner
from pullback.frontend.kinds.kinds import Kind, holds_references
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    Stale,
    Static,
    SymbolV,
    TupleV,
    Value,
    is_unread,
    register,
)
from pullback.frontend.library import graph_steps
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy.elementwise import without_axes
from pullback.frontend.library.text import deep_copies, graph_copies
from pullback.frontend.memory import hash_tables, holding, made_sets, ownership
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.python.container_bases import held_by, is_tuple_class
from pullback.frontend.python.object_classes import changes
from pullback.frontend.python.objects_outside import with_attributes
from pullback.frontend.run import Run

if TYPE_CHECKING:
    from pullback.frontend.interface import Specialiser


@register(copy.copy)
def copy_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return a new object with the same parts."""
    return _copied(sp, args, kwargs, False, node)


@register(copy.deepcopy)
def deepcopy(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return a new object whose parts are new ones too."""
    return _copied(sp, args, kwargs, True, node)


def deepcopy_apart(x: Value) -> Value:
    """Return a deep copy of an object in which no part stands twice."""
    return copy.deepcopy(x)


def _holds_objects(kind: Kind) -> bool:
    return holding.holds_memory(kind) or holds_references(kind)


@register(deepcopy_apart)
def _deepcopy_apart(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    return _Copy(sp, True, node, apart=True).of(args[0])


def _copied(sp: Specialiser, args: Args, kwargs: Kwargs, deep: bool, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    if len(args) != 1 or kwargs:
        sp.refuse(node, "copy takes one argument", error=ArgumentTypeError)
    whole = with_attributes(sp, args[0], node)
    if deep and sp.store is not None and holds_references(sp.kind(whole, node)):
        return run_program(sp, graph_copies.of_graph, (whole,), node)
    return _Copy(sp, deep, node).of(whole)


@register(graph_steps.own)
def _own(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    return _Copy(sp, True, node, apart=True).of(args[0])


class _Copy:
    """One copy of a structure. A part that stands in it twice is copied once; ``apart``: there is
    none."""

    def __init__(self, run: Run, deep: bool, node: ast.AST, apart: bool = False) -> None:
        self.run, self.deep, self.node, self.apart = run, deep, node, apart
        self.done: list[tuple[holding.Updatable, Value]] = []

    def part(self, value: Value) -> Value:
        if not self.deep:
            return value
        if not holding.is_updated_in_place(value):
            return self.of(value)
        for old, made in self.done:
            if old is value:
                return made
            if not self.apart and (old.owners & value.owners or not self.are_apart(old, value)):
                reason = "a deep copy of a structure in which two parts may be one object"
                self.run.refuse(self.node, reason, "copy the parts, and put the copies together")
        made = self.of(value)
        self.done.append((value, made))
        return made

    def are_apart(self, *parts: Value) -> bool:
        """Whether these parts, or the items of a list, are objects of their own. Those that are
        made here are; of what a variable has got from outside that is asked for, as if it were
        updated here."""
        if any(getattr(part, "fresh", True) for part in parts):
            return True
        match self.node:
            case ast.Call(args=[root]):
                while isinstance(root, (ast.Attribute, ast.Subscript)):
                    root = root.value
                if isinstance(root, ast.Name):
                    ownership.updatable(self.run, root.id, self.node, nested=True)
                    return True
        return False

    def of(self, value: Value) -> Value:
        run, node = self.run, self.node
        match value:
            case ArrayV(atom):
                return run.fresh(run.b.prim("copy", atom), node)
            case TupleV(items, is_list):
                return TupleV(tuple(map(self.part, items)), is_list)
            case ListV(_, elem) if not self.deep or not _holds_objects(elem):
                return copied(run, value)
            case ListV() if self.apart or (value.sole and self.are_apart(value)):
                apart = Static(deepcopy_apart if self.apart else copy.deepcopy)
                made = run_program(run, deep_copies.of_items, (value, apart), node)
                return as_class(made, value.cls)
            case HashV() if hash_tables.has_order(value):
                return made_sets.copied(run, value, node, self.deep)
            case HashV(elem=elem) if not self.deep or not _holds_objects(elem):
                return hash_tables.copied(run, value)
            case HashV(cls) if self.apart and issubclass(cls, dict):
                given = value, Static(deepcopy_apart)
                made = run_program(run, deep_copies.of_entries, given, node)
                assert isinstance(made, HashV)
                return replace(made, cls=cls, factory=value.factory)
            case RefV() if not self.deep:
                return run.rows.copied(value, None, node)
            case RecordV(cls, fields) if value.outside is None:
                if not self.apart and any(map(is_unread, fields.values())):
                    reason = "a copy of an object with an attribute that is no argument"
                    run.refuse(node, reason, "make a new one of its numbers")
                if cls is not dict and not is_tuple_class(cls):
                    check_copied(run, cls, fields, node)
                if held := held_by(cls):
                    check_container_copied(run, cls, node, "__dict__" in fields)
                new = {n: self.of(v) if n in held else self.part(v) for n, v in fields.items()}
                if not changes(cls):
                    return replace(value, fields=new, node=None)
                owners, fresh = new_owner()
                return RecordV(cls, new, None, owners, fresh)
            case OptionalV(_, inner, other):
                of = self.part if self.deep else self.of
                return replace(value, value=of(inner), other=of(other))
            case Scalar(rank0=True):
                return without_axes(value.atom)
            case Scalar() | Static() | SymbolV() | Stale():
                return value
            case _:
                reason = f"a copy of {run.describe(value)}"
                run.refuse(node, reason, "make a new one: [... for ...]")


__all__ = ["copy_", "deepcopy", "deepcopy_apart"]
