"""Updates of arguments that the caller sees: the entry updates an object of its own, and gives
beside its result what has changed.

    def f(a): a *= 2.0; return a.sum()      main(a) = (f's result, what a is at the end)

Whoever calls the entry (``call.outside``) writes this into the objects that it was given. So the
entry is as pure as any other, and its derivatives are those by the values at its begin.

An object of its own is one level deep: an array, a list or dict of numbers and texts, an object
with its attributes; what is in these may be replaced, but not updated. If the function updates that
too, it is ``deep``. Whether a part has been replaced or updated is known by its owners. Arguments
that share memory are the caller's business: compiled code takes them for different ones.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from pullback.errors import MutationError
from pullback.frontend.functions.scopes import Scope
from pullback.frontend.kinds.coerce import copied, new_owner
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    Owner,
    RecordV,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.memory import holding, ownership
from pullback.frontend.memory.owners import memory_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run


@dataclass(frozen=True, slots=True)
class Outside:
    """The positions of the arguments that a function updates; ``deep``: also what is in them.
    ``aux``: its result is a pair (value, auxiliary data), of which the second part gets what has
    changed. ``derived``: for a derivative, which needs the result also where it is an argument."""

    arguments: tuple[int, ...]
    deep: bool = False
    aux: bool = False
    derived: bool = False


NOTHING = Outside(())


def updated_by(error: MutationError, args: Sequence[Value]) -> tuple[int, ...]:
    """Return the positions of the arguments of whose update this is the refusal."""
    return tuple(i for i, value in enumerate(args) if value is error.updated)


SET, CHANGED = 0, 1
"""What has been done to a part: another one was put in its place, or it was updated itself."""


class Updates:
    """The arguments that one entry updates."""

    def __init__(self, run: Run, outside: Outside, args: list[Value], node: ast.AST) -> None:
        self.run, self.outside, self.node = run, outside, node
        self.own = {i: self._own(args[i]) for i in outside.arguments}
        for i, value in self.own.items():
            args[i] = value

    def bind(self, scope: Scope) -> None:
        """Let the entry have the objects as variables, which get what they are at the end."""
        for i, value in self.own.items():
            scope.names[_name(i)] = value

    def whole(self, scope: Scope, result: Value) -> Value:
        """Return the result of the entry: that of the function, and (what has become of the
        arguments; where they are in the result, as paths and positions)."""
        value, aux = None, result
        if self.outside.aux:
            if not isinstance(result, TupleV) or len(result.items) != 2:
                self._refuse("returns no pair (value, auxiliary data)", "return value, aux")
            value, aux = result.items
        ends = {i: scope.names[_name(i)] for i in self.own}
        places: list[Value] = []
        if self.outside.aux or not self.outside.derived:
            aux = _without(ends, aux, (), places)
        mine = _Mine()
        told = TupleV(tuple(self._told(self.own[i], end, mine) for i, end in ends.items()))
        if memory_of(aux) & mine.owners and not (self.outside.derived and value is None):
            self._refuse("returns a part of what it updates", "return a copy of it")
        if not ownership.is_unshared(TupleV(tuple(mine.put))):
            self._refuse("puts what others hold into its arguments", "put a copy there")
        beside = TupleV((told, TupleV(tuple(places))))
        return TupleV((aux, beside) if value is None else (value, TupleV((aux, beside))))

    def _refuse(self, what: str, rewrite: str) -> NoReturn:
        reason = f"a function that updates its arguments and {what}"
        self.run.refuse(self.node, reason, rewrite, error=MutationError)

    def _own(self, value: Value) -> Value:
        """Return an object of its own, with the same parts."""
        made = self._copy(value)
        if made is None:
            what = self.run.describe(value)
            reason = f"an update of an argument that is {what}"
            self.run.refuse(self.node, reason, "return what is new", error=MutationError)
        return made

    def _copy(self, value: Value) -> Value | None:
        run, node = self.run, self.node
        owners, fresh = new_owner()
        match value:
            case ArrayV(atom):
                return run.fresh(run.b.prim("copy", atom), node)
            case ListV(elem=elem) if not holding.holds_memory(elem):
                return copied(run, value)
            case TupleV(items, True) if not any(map(holding.is_updated_in_place, items)):
                return TupleV(items, True, owners, fresh)
            case RecordV(cls, fields) if holding.is_updated_in_place(value) or cls is dict:
                parts = {n: self._part(v) for n, v in fields.items()}
                return RecordV(cls, parts, None, owners, fresh)
            case _:
                return None

    def _part(self, value: Value) -> Value:
        made = self._copy(value) if self.outside.deep else None
        return value if made is None else made

    def _told(self, own: Value, end: Value, mine: _Mine) -> Value:
        """Return what is told of an object at the end: an array or list as it is; of an object the
        attributes that were set or updated, and those of a dict with the order of its keys."""
        mine.owners |= own.owners if ownership.is_root(own) else frozenset()
        match own, end:
            case RecordV(cls, before), RecordV(_, after):
                parts = {n: self._part_told(before.get(n), v, mine) for n, v in after.items()}
                told = RecordV(dict, {n: v for n, v in parts.items() if v is not None})
                if cls is dict:
                    return TupleV((told, TupleV(tuple(Static(k) for k in after))))
                if not before.keys() <= after.keys():
                    self._refuse("deletes an attribute", "set it to None")
                return told
            case (ArrayV() | ListV() | TupleV()), (ArrayV() | ListV() | TupleV()):
                return end
            case _:
                what = self.run.describe(end)
                self._refuse(f"makes one of them {what}", "return what is new")

    def _part_told(self, before: Value | None, after: Value, mine: _Mine) -> Value | None:
        if before is after:
            return None
        old = frozenset() if before is None else memory_of(before)
        if before is not None and old and old == memory_of(after):
            if not (ownership.is_root(before) and before.fresh):
                return None  # it is what it was, carried through a loop
            if ownership.is_root(after) and after.owners == before.owners:
                return TupleV((Static(CHANGED), self._told(before, after, mine)))
        if old & memory_of(after):
            self._refuse(
                "replaces what is in an attribute, on some paths only or by a part of it",
                "put a copy there, on all paths: o.v = o.v.copy()",
            )
        if memory_of(after) or ownership.is_root(after):
            mine.put.append(after)
            mine.owners |= memory_of(after)
        return TupleV((Static(SET), after))


@dataclass(slots=True)
class _Mine:
    """The memory of the objects that are updated and of what is put into them; ``put``: the
    latter."""

    owners: frozenset[Owner] = frozenset()
    put: list[Value] = field(default_factory=list)


def _without(
    ends: dict[int, Value], result: Value, path: tuple[int, ...], places: list[Value]
) -> Value:
    """Return a result without the arguments in it, and note at which places they are."""
    for i, end in ends.items():
        if end is result:
            places.append(TupleV((TupleV(tuple(map(Static, path))), Static(i))))
            return Static(None)
    if isinstance(result, TupleV):
        items = (_without(ends, v, (*path, k), places) for k, v in enumerate(result.items))
        return replace(result, items=tuple(items))
    return result


def _name(i: int) -> str:
    return f".argument.{i}"


__all__ = ["CHANGED", "NOTHING", "SET", "Outside", "Updates", "updated_by"]
