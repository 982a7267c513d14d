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
import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import CellType, FunctionType
from typing import Any

import numpy as np

from pullback.core.build import boolean
from pullback.core.frozen import dataclass, field
from pullback.errors import MutationError
from pullback.frontend.derivatives.gradients import refuse_unread, unread_in
from pullback.frontend.functions.scopes import ATTRIBUTE, Path, Scope, outermost
from pullback.frontend.interpret.showing import is_put_back
from pullback.frontend.kinds.kinds import ListK, RecordK, ScalarK, StaticK
from pullback.frontend.kinds.values import (
    UNSET,
    ArrayV,
    ClosureV,
    FunctionV,
    HashV,
    LambdaSetV,
    ListV,
    MaybeV,
    OperatorV,
    OptionalV,
    Owner,
    RecordV,
    Specialiser,
    Static,
    TupleV,
    Value,
    is_unread,
    register,
)
from pullback.frontend.memory import given_containers, hash_methods, hash_tables, holding, ownership
from pullback.frontend.memory.dict_views import view_of
from pullback.frontend.memory.owners import memory_of
from pullback.frontend.memory.updates import ITEMS, KEYS
from pullback.frontend.own_copies import Copies
from pullback.frontend.python.container_bases import held_by
from pullback.frontend.python.guards import is_stream
from pullback.frontend.python.object_classes import LooseDict, is_object_class
from pullback.frontend.python.paths import MISSING, Attribute, Namespace
from pullback.frontend.python.python_values import Taken
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.python.reached_globals import helpers_of
from pullback.frontend.python.streams import STREAMS
from pullback.frontend.python.syntax import declared_outside
from pullback.frontend.run import Run
from pullback.frontend.store.door import Graph
from pullback.frontend.store.shared_memory import has_references

Captured = str | Attribute
"""A variable around a function, or an attribute of a class or module."""


@dataclass(frozen=True, slots=True)
class Outside:
    """The positions of the arguments that a function updates; ``deep``: also what is in them.
    ``aux``: its result is a pair (value, auxiliary data), of which the second part gets what has
    changed. ``captured``: the variables around the function, and attributes of classes and modules,
    that it changes. ``derived``: for a
    derivative, which needs the result also where it is an argument. ``silent``: what has changed is
    not told. ``graph``: the objects of the arguments are rows of columns, and so are those of the
    result (``store.door``)."""

    arguments: tuple[int, ...]
    deep: bool = False
    aux: bool = False
    derived: bool = False
    captured: tuple[Captured, ...] = ()
    silent: bool = False
    graph: Graph | None = None

    def among(self, count: int) -> tuple[int, ...]:
        """Return the positions among so many arguments: a function of ``*args`` may have been
        called with more."""
        return tuple(i for i in self.arguments if i < count)

    def learns_from(self, error: Exception) -> bool:
        """Whether an error says of another argument that it is updated: the caller asks again."""
        return isinstance(error, MutationError) and not {*error.arguments} <= {*self.arguments}


NOTHING = Outside(())


def updated_by(error: MutationError, args: Sequence[Value]) -> tuple[int, ...]:
    """Return the positions of the arguments of whose update this is the refusal."""
    return tuple(i for i, value in enumerate(args) if _is_in(error.updated, value))


def _is_in(part: object, value: Value) -> bool:
    items = value.items if isinstance(value, TupleV) else ()
    return value is part or any(_is_in(part, item) for item in items)


IMMUTABLE = (bool, int, float, complex, str, bytes, type(None), type, np.generic)

SET, CHANGED = 0, 1
"""What has been done to a part: another one was put in its place, or it was updated itself."""


def variable(function: FunctionType, name: Captured) -> tuple[object, CellType | None]:
    """Return what a variable around a function holds, and its cell if it is not global; or what
    an attribute holds (None if it is not there)."""
    if isinstance(name, Attribute):
        return (None if name.value is MISSING or is_stream(name) else name.value), None
    free = function.__code__.co_freevars
    if name in free:
        cell = (function.__closure__ or ())[free.index(name)]
        return cell.cell_contents, cell
    return function.__globals__[name], None


class UntoldError(MutationError):
    """What has changed cannot be told in the result; the plain run can tell."""


class Updates:
    """The arguments and the variables around it that one entry updates: variables of ``scope``."""

    def __init__(
        self, run: Run, outside: Outside, scope: Scope, args: list[Value], node: ast.AST
    ) -> None:
        self.run, self.outside, self.scope, self.node = run, outside, scope, node
        self.copies = Copies(run, outside.deep, node)
        updated = outside.among(len(args))
        self.own = {_name(i): self._own(i, args[i]) for i in updated}
        self._arguments = tuple(self.own)
        for i in updated:
            args[i] = self.own[_name(i)]
        self.bound: frozenset[str] = frozenset()
        scope.names |= self.own

    def around(self, f: Value, function: FunctionType) -> Value:
        """Return the function with the variables around it that it changes."""
        if not self.outside.captured or not isinstance(f, FunctionV):
            return f
        run, scope, captured = self.run, self.scope, self.outside.captured
        names = [n for n in captured if isinstance(n, str)]
        objects, cells, paths = set[int](), set[int](), set[Path]()
        attributes = [n for n in captured if isinstance(n, Attribute)]
        assigned = dict(map(self._attribute, attributes))
        values = (a.value for a in attributes if not is_stream(a))
        objects |= {id(v) for v in values if not isinstance(v, IMMUTABLE)}
        for name in names:
            held, cell = variable(function, name)
            if cell is None:
                value = run.global_value(function.__globals__, name, self.node)
                path: Path = (("global", Namespace.of(function.__globals__), name),)
                paths.add(path)
            else:
                cells_of = outermost(f.scope)
                assert cells_of is not None
                found = run.cell(cells_of, name, self.node)
                assert found is not None
                value = found
                cells.add(id(cell))
                number = function.__code__.co_freevars.index(name)
                path = (*cells_of.path, ("cell", number))
            value = self._read_anew(value, path)
            if not isinstance(held, IMMUTABLE):
                objects.add(id(held))
            own = self.copies.of(value, (self.node, name))
            self.own[name] = scope.names[name] = value if own is None else own
        helpers = [f]
        for name, helper in helpers_of(function, names).items() if names else ():
            made = run.global_value(function.__globals__, name, self.node)
            if isinstance(made, FunctionV) and helper.__closure__ is None:
                scope.names[name] = replace(made, scope=scope)
                helpers.append(made)
        self.bound = frozenset[str]().union(
            *(declared_outside(h.definition.node) for h in helpers)
        )
        scope.rebound |= self.bound.intersection(names)
        if f.scope is not scope:
            scope.parent = f.scope
        run.taken = Taken(frozenset(objects), frozenset(cells), frozenset(paths), assigned)
        self.own = {k: self.own[k] for k in (*self._arguments, *map(self._key, captured))}
        return replace(f, scope=scope) if names else f

    def _attribute(self, attribute: Attribute) -> tuple[Path, str]:
        """Make an attribute a variable; return its path and the name of the variable."""
        run, held, path = self.run, attribute.value, attribute.path
        name = self._key(attribute)
        if is_stream(attribute):
            value: Value = Static(STREAMS[attribute.name])
        elif held is MISSING:
            run.without_own(path[:-1], attribute.name)
            value = UNSET
        else:
            value = self._read_anew(run.from_python(held, path, self.node), path)
        own = self.copies.of(value, (self.node, name))
        self.own[name] = self.scope.names[name] = value if own is None else own
        self.scope.always |= {name}
        return path, name

    def _key(self, captured: Captured) -> str:
        """Return the name of the variable that holds what is changed."""
        if isinstance(captured, str):
            return captured
        first = _words(captured)
        attributes = [a for a in self.outside.captured if isinstance(a, Attribute)]
        twins = [a for a in attributes if _words(a) == first]
        return ATTRIBUTE + ".".join(first) + "_" * twins.index(captured)

    def _read_anew(self, value: Value, path: Path) -> Value:
        """Return what a variable holds; a set, of which the items would be known, as one that each
        call reads."""
        if not isinstance(value, Static) or type(value.value) is not set:
            return value
        kind = type_of(value.value)
        self.run.guards.pop(path, None)
        return given_containers.given(self.run, self.run.hidden(path, kind), kind, self.node)

    def whole(self, result: Value) -> Value:
        """Return the result of the entry: that of the function, and (what has become of the
        arguments; where they are in the result, as paths and positions), if it is told."""
        if self.outside.silent:
            refuse_unread(self.run, self.run.kind(result, self.node), self.node)
            return result
        if self.copies.are_rows and any(map(has_references, self.own.values())):
            raise UntoldError("is in other places too")
        value, aux = None, result
        if self.outside.aux:
            if not isinstance(result, TupleV) or len(result.items) != 2:
                raise UntoldError("returns no pair (value, auxiliary data)")
            value, aux = result.items
        ends = [self.scope.names[n] for n in self.own]
        places: list[Value] = []
        if self.outside.aux or not self.outside.derived:
            aux = _without(ends, aux, (), places)
        refuse_unread(self.run, self.run.kind(aux, self.node), self.node)
        mine = _Mine()
        n = len(self.outside.arguments)
        both = list(zip(self.own.values(), ends, strict=True))
        told = TupleV((
            *(self._told(own, end, mine) for own, end in both[:n]),
            *map(partial(self._variable_told, mine), self.outside.captured, both[n:]),
        ))  # fmt: skip
        if memory_of(aux) & mine.owners and not (self.outside.derived and value is None):
            raise UntoldError("returns a part of what it updates")
        if not ownership.is_unshared(TupleV(tuple(mine.put))):
            raise UntoldError("puts what others hold into its arguments")
        beside = TupleV((told, TupleV(tuple(places))))
        return TupleV((aux, beside) if value is None else (value, TupleV((aux, beside))))

    def _own(self, i: int, value: Value) -> Value:
        """Return an object of its own, with the same parts."""
        made = self.copies.of(value, (self.node, i))
        if made is None and not holding.may_hold(value):
            return value
        if made is None:
            what = self.run.describe(value)
            reason = f"an update of an argument that is {what}"
            self.run.refuse(self.node, reason, "return what is new", error=MutationError)
        return made

    def _told(self, own: Value, end: Value, mine: _Mine) -> Value:
        """Return what is told of an object at the end: an array or list as it is, one that holds
        others with what may have been put into them; of an object the attributes that were set or
        updated, and those of a dict with the order of its keys."""
        if not holding.may_hold(own):
            return RecordV(dict, {})
        mine.owners |= own.owners if ownership.is_root(own) else frozenset()
        if isinstance(end, RecordV) and end.cls is LooseDict:
            raise UntoldError("gives a dict a key on some paths")
        match own, end:
            case RecordV(cls, _), RecordV() if held_by(cls):
                raise UntoldError(f"updates a {cls.__name__}")
            case RecordV(cls, _), RecordV() if given_containers.library_class(cls):
                return self._whole_told(own, end, mine)
            case RecordV(cls, before), RecordV(_, after):
                kept = cls is not dict or KEYS not in self.run.put_into
                parts = {
                    n: self._part_told(
                        before.get(n), v, mine, kept and n not in self.run.put_into
                    )
                    for n, v in after.items() if not self._is_same_function(n, before.get(n), v)
                }
                told = RecordV(dict, {n: v for n, v in parts.items() if v is not None})
                if cls is dict:
                    return TupleV((told, TupleV(tuple(Static(k) for k in after))))
                if not before.keys() <= after.keys():
                    raise UntoldError("deletes an attribute")
                return told
            case (RecordV() | HashV()), HashV(elem=elem) if (
                issubclass(end.cls, dict) and not holding.holds_memory(elem)
            ):
                views = (view_of(end, word) for word in ("keys", "values"))
                return TupleV(tuple(self.run.to_list(v, self.node) for v in views))
            case HashV(), HashV() if hash_tables.is_set(own):
                return hash_methods.entries_of_set(self.run, end, self.node)
            case ListV(), ListV() if (names := self._columns(own, end)) is not None:
                whole = self.run.coerce_list(end, ListK(end.elem), self.node)
                columns = [ArrayV(whole.atoms[k]) for k in names.values()]
                return TupleV((TupleV(()), TupleV(tuple(map(Static, names))), TupleV((*columns,))))
            case (ListV() | TupleV() | HashV()), _ if (
                self.copies.holds(own) or self.copies.holds(end)
            ):
                return self._whole_told(own, end, mine)
            case (ArrayV() | ListV() | TupleV()), (ArrayV() | ListV() | TupleV()):
                return end
            case _:
                raise UntoldError("makes an object one of another kind")

    def _is_same_function(self, name: str, before: Value | None, after: Value) -> bool:
        """Whether an attribute is a function that nobody has assigned: it is what it was."""
        functions = FunctionV, ClosureV, LambdaSetV, OperatorV
        same = isinstance(before, functions) and isinstance(after, functions)
        return same and name not in self.run.assigned

    def _whole_told(self, own: Value, end: Value, mine: _Mine) -> Value:
        """Return what has been put into places of which kinds, and an object as it is now."""
        if self.run.put_into and any(unread_in(self.run.kind(end, self.node))):
            raise UntoldError("puts an object with an attribute that is no argument somewhere")
        mine.owners |= memory_of(own) | memory_of(end)
        mine.put.append(end)
        return TupleV((TupleV(tuple(map(Static, sorted(self.run.put_into)))), end))

    def _columns(self, own: ListV, end: ListV) -> dict[str, int] | None:
        """Return the attributes that have been assigned of the objects in a list, each with the
        number of its leaf, if the objects are those that were there, and hold numbers only."""
        match own.elem, end.elem:
            case RecordK(cls, before), RecordK(other, after) if cls is other:
                same = [n for n, _ in before] == [n for n, _ in after]
            case _:
                return None
        moved = ITEMS in self.run.put_into | self.run.assigned
        if not same or moved or not is_object_class(cls):
            return None
        leaves = [(n, k) for n, k in after if not isinstance(k, StaticK) or (n, k) not in before]
        if not all(isinstance(k, ScalarK) and k.py and not k.may_be_int for _, k in leaves):
            return None
        return {n: i for i, (n, _) in enumerate(leaves) if n in self.run.assigned} or None

    def _variable_told(self, mine: _Mine, name: Captured, both: tuple[Value, Value]) -> Value:
        """Return what is told of a variable: of one that is never bound anew its object."""
        own, end = both
        if is_stream(name):
            if not is_put_back(self.run, own, end, self.node):
                raise UntoldError("leaves another object as sys.stdout or sys.stderr")
            return Static(None)
        if own is UNSET or isinstance(name, Attribute):
            before = None if own is UNSET else own
            told = None if end is own else self._part_told(before, end, mine)
            return told or Static(None)
        if own is not end and name not in self.bound and ownership.is_root(own):
            return TupleV((Static(CHANGED), self._told(own, end, mine)))
        return self._part_told(own, end, mine) or Static(None)

    def _part_told(
        self, before: Value | None, after: Value, mine: _Mine, kept: bool = False
    ) -> Value | None:
        """Return what is told of a part, at run time None where it was not set; ``kept``: nothing
        has been put into its place."""
        if before is after or (is_unread(before) and is_unread(after)):
            return None
        if isinstance(after, MaybeV):
            if before is not None:
                raise UntoldError("deletes an attribute on some paths")
            told = self._part_told(None, after.value, mine)
            assert told is not None
            return told if after.bound == boolean(True) else OptionalV(after.bound, told)
        if kept and before is not None and memory_of(before):
            if not (ownership.is_root(before) and before.fresh):
                return None
            return TupleV((Static(CHANGED), self._told(before, after, mine)))
        old = frozenset() if before is None else memory_of(before)
        if before is not None and old and old == memory_of(after):
            if not (ownership.is_root(before) and before.fresh):
                return None  # it is what it was, carried through a loop
            if ownership.is_root(after) and after.owners == before.owners:
                return TupleV((Static(CHANGED), self._told(before, after, mine)))
        if old & memory_of(after):
            raise UntoldError("replaces a part on some paths, or by a part of itself")
        if memory_of(after) or ownership.is_root(after):
            if any(unread_in(self.run.kind(after, self.node))):
                raise UntoldError("puts an object with an attribute that is no argument somewhere")
            mine.put.append(after)
            mine.owners |= memory_of(after)
        return TupleV((Static(SET), after))


def _words(attribute: Attribute) -> tuple[str, str]:
    """Return the name of the holder of an attribute, as a word, and that of the attribute."""
    return attribute.holder.__name__.rpartition(".")[2].strip("<>"), attribute.name


@dataclass(slots=True)
class _Mine:
    """The memory of the objects that are updated and of what is put into them; ``put``: the
    latter."""

    owners: frozenset[Owner] = frozenset()
    put: list[Value] = field(default_factory=list)


class How:
    """``outside`` says what a ``function`` updates, which is there if that is also around it.
    Compiled code knows subclasses as it knows any class."""

    outside = NOTHING
    function: FunctionType | None = None


def called_on_copies(f: Callable[..., Any], how: type[How], *args: Any) -> Any:
    """Return what a function returns, and keep what it updates from the caller."""
    return f(*copy.deepcopy(args))


def without_updates(
    f: Callable[..., Any], how: type[How], first: tuple[Any, ...]
) -> Callable[..., Any]:
    """Return a function that updates copies of its arguments. ``first`` are given before them."""

    def pure(*args: Any) -> Any:
        return called_on_copies(f, how, *first, *args)

    return pure


@register(called_on_copies)
def _called_on_copies(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    assert isinstance(sp, Run)
    f, how, *given = args
    assert isinstance(how, Static) and isinstance(how.value, type) and issubclass(how.value, How)
    taken, sp.taken = sp.taken, None
    updates = Updates(sp, how.value.outside, sp.scope, given, node)
    if how.value.function is not None:
        f = updates.around(f, how.value.function)
    try:
        return sp.call(f, given, node)
    except MutationError as error:
        error.arguments = updated_by(error, given)
        raise
    finally:
        sp.taken = taken


def _without(
    ends: Sequence[Value], result: Value, path: tuple[int, ...], places: list[Value]
) -> Value:
    """Return a result without the arguments in it, and note at which places they are."""
    for i, end in enumerate(ends):
        if end is result and ownership.is_root(end):
            places.append(TupleV((TupleV(tuple(map(Static, path))), Static(i))))
            return Static(None)
    if isinstance(result, TupleV):
        items = (_without(ends, v, (*path, k), places) for k, v in enumerate(result.items))
        return replace(result, items=tuple(items))
    return result


def _name(i: int) -> str:
    return f".argument.{i}"


__all__ = [
    "CHANGED", "IMMUTABLE", "NOTHING", "SET", "How", "Outside", "UntoldError", "Updates",
    "called_on_copies", "updated_by", "variable", "without_updates",
]  # fmt: skip
