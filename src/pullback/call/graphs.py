"""Calls of functions that get objects which lead to each other, or give such objects.

The objects are numbered, class by class, and their attributes put into columns (``store.door``);
compiled code takes and gives these. What has changed is written into the objects afterwards, once:
numbers and references where they differ, lists and arrays in place, unless others were assigned.
Rows that the function has made become objects where they are reached. A gradient is made of
objects of the same classes, which lead to each other as the arguments do.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from itertools import starmap
from types import FunctionType, MethodType, NoneType
from typing import Any

import numpy as np

from pullback.call.binding import bind
from pullback.call.deferred import driver
from pullback.call.leaving import on_purpose
from pullback.call.plain_runs import run_again
from pullback.call.request import Request, What
from pullback.call.write_back import are_numbers, changed_floats, number_now
from pullback.core.frozen import dataclass, field
from pullback.core.held import is_of_program
from pullback.errors import MutationError, PullbackError
from pullback.frontend.python.annotations import field_names, is_frozen, is_record_class
from pullback.frontend.python.instances import is_inside
from pullback.frontend.python.object_classes import attributes_of, is_container_class
from pullback.frontend.python.paths import read
from pullback.frontend.seen_outside import Outside
from pullback.frontend.store.door import Graph, Mark
from pullback.frontend.store.facts import Facts, can_be_shared
from pullback.native.runtime import is_limit

_NO_OBJECTS = (bool, int, float, str, np.generic, FunctionType, Enum)
_WHATS = What.VALUE, What.GRADIENT, What.VALUE_AND_GRADIENT


def is_row(cls: type) -> bool:
    """Whether objects of a class of the caller may be rows of a region. (Those that are containers
    are not: what they hold is no attribute.)"""
    return can_be_shared(cls) and not is_container_class(cls)


class NotRowsError(Exception):
    """Something in the arguments has no form as rows of columns."""


@dataclass(slots=True)
class _Rows:
    """The objects of a call, by group, and what they hold."""

    facts: Facts = field(default_factory=Facts)
    names: list[str] = field(default_factory=list)
    objects: list[list[Any]] = field(default_factory=list)
    rows: dict[int, tuple[int, int]] = field(default_factory=dict)
    held: dict[int, Any] = field(default_factory=dict)
    """The lists, dicts and arrays that are met."""
    sorts: dict[type, int | None] = field(default_factory=dict)
    """The number of the group of each class; None: its objects are no rows."""
    attributes: list[list[dict[str, Any]]] = field(default_factory=list)
    """What the objects of each group hold."""

    @classmethod
    def of(cls, args: Sequence[Any]) -> _Rows:
        """Number the objects that arguments lead to."""
        rows, values, todo = cls(), set[int](), [*reversed(args)]
        while todo:
            x = todo.pop()
            kind = type(x)
            if x is None or kind is float or id(x) in rows.rows or isinstance(x, _NO_OBJECTS):
                continue
            if rows.sorts.get(kind) is not None:
                todo += reversed(rows._parts(x, kind))
                continue
            if is_record_class(kind) and is_frozen(kind):
                parts = [getattr(x, n) for n in field_names(kind)] if id(x) not in values else []
                values.add(id(x))
                if any(is_row(type(v)) for v in parts):
                    raise NotRowsError  # an object in what is a value
                todo += reversed(parts)
                continue
            if kind in (list, dict, np.ndarray):
                if id(x) in rows.held:
                    raise NotRowsError  # a list or array in two places
                rows.held[id(x)] = x
            if kind is not np.ndarray:
                todo += reversed([*rows._parts(x, kind)])
        arrays = [x for x in rows.held.values() if type(x) is np.ndarray]
        views = [x for x in arrays if x.base is not None]
        pairs = ((a, b) for a in views for b in arrays if a is not b)
        if not all(x.flags.writeable for x in arrays) or any(starmap(np.may_share_memory, pairs)):
            raise NotRowsError
        return rows

    def _parts(self, x: Any, cls: type) -> Sequence[Any]:
        """Return what is in a value, which is numbered if it is an object that may change."""
        if cls in (list, tuple):
            return tuple(x)
        if cls is dict:
            return tuple(x.values())
        if (k := self._sort(cls)) is not None:
            attributes = attributes_of(x)
            self.rows[id(x)] = k, len(self.objects[k])
            self.objects[k].append(x)
            self.attributes[k].append(attributes)
            held = [*attributes.values()]
            for v in held:  # of lists in lists columns do not tell which of them are which
                inside: Any = v if type(v) in (list, tuple) else ()
                inside = v.values() if isinstance(v, dict) else inside
                if any(type(w) in (list, dict, np.ndarray) for w in inside):
                    raise NotRowsError
            return held
        raise NotRowsError

    def _sort(self, cls: type) -> int | None:
        """Return the number of the group of a class; None: its objects are no rows."""
        if cls in self.sorts:
            return self.sorts[cls]
        if not is_row(cls):
            return self.sorts.setdefault(cls, None)
        if cls not in self.facts.groups:
            self.facts.enter(cls)
        name = self.facts.groups[cls].name
        if name not in self.names:
            self.names.append(name)
            self.objects.append([])
            self.attributes.append([])
        return self.sorts.setdefault(cls, self.names.index(name))

    def column(self, values: list[Any]) -> tuple[list[Any], list[Mark]]:
        """Return values of objects with numbers for objects, and where these are."""
        classes = set(map(type, values)) - {NoneType}
        if are_numbers(values):
            return values, [None] * len(values)
        if all(self.sorts.get(c) is not None for c in classes):
            rows = [None if v is None else self.rows[id(v)] for v in values]
            return [r and r[1] for r in rows], [r and r[0] for r in rows]
        found = [self.plain(v) for v in values]
        return [v for v, _ in found], [m for _, m in found]

    def are_read_beside(self, f: Any, given: Sequence[Any], request: Request) -> bool:
        """Whether a function reads something of the objects by another name than its arguments."""
        function, unit = driver.found(f, given, request)
        special, args = unit.special.special, tuple(given)
        known = [h.path for h in special.hidden] + [g.path for g in special.guards]
        through = {p[:k] for p in known if p[0][0] != "arg" for k in range(1, len(p) + 1)}
        objects = [read(p, function, args) for p in through]
        arrays = [x for x in objects if isinstance(x, np.ndarray)]
        mine = [x for x in self.held.values() if isinstance(x, np.ndarray)]
        return any(id(x) in self.rows or id(x) in self.held for x in objects) or any(
            np.may_share_memory(x, y) for x in arrays for y in mine
        )

    def plain(self, x: Any) -> tuple[Any, Mark]:
        """Return a value with numbers for objects, and where these are."""
        if id(x) in self.rows:
            group, row = self.rows[id(x)]
            return row, group
        if isinstance(x, (list, tuple)):
            each = [self.plain(v) for v in x]
            if isinstance(x, tuple):
                marks = tuple(m for _, m in each)
                values = tuple(v for v, _ in each)
                return values, None if all(m is None for m in marks) else marks
            mark = _one([m for (_, m), v in zip(each, x, strict=True) if v is not None])
            return [v for v, _ in each], None if mark is None else (mark,)
        if isinstance(x, dict) and self.plain([*x.values()])[1] is not None:
            raise NotRowsError
        return x, None


def _one(marks: Sequence[Mark]) -> Mark:
    """Return the mark that all of some values have."""
    if not marks:
        return None
    first = marks[0]
    if marks.count(first) == len(marks):
        return first
    lists = [m for m in marks if m is not None]  # an empty list has none
    if all(isinstance(m, tuple) and len(m) == 1 and m == lists[0] for m in lists):
        return lists[0]
    raise NotRowsError


def _columns(rows: _Rows) -> tuple[Any, tuple[tuple[tuple[str, Mark], ...], ...]]:
    """Return the columns of all groups, and the marks of their fields."""
    store, marks = [], []
    for name, objects, held in zip(rows.names, rows.objects, rows.attributes, strict=True):
        group = next(g for g in rows.facts.groups.values() if g.name == name)
        fields = dict.fromkeys(n for h in held for n in h)
        if any(group.always - h.keys() for h in held):
            raise NotRowsError  # an attribute has been deleted
        columns, told, mine = [], [], []
        for n in fields:
            some = next(h[n] for h in held if n in h)
            values, marked = rows.column([h.get(n, some) for h in held])
            there = [m for m, h in zip(marked, held, strict=True) if h.get(n) is not None]
            columns.append(values)
            told.append([n in h for h in held])
            mine.append((n, _one(there)))
        tags = [group.classes.index(type(x)) for x in objects]
        store.append((tags, tuple(columns), tuple(told)))
        marks.append(tuple(mine))
    return tuple(store), tuple(marks)


_DEEP, _MOST_LOOKED_AT = 8, 400


def is_deep(args: Sequence[Any]) -> bool:
    """Whether objects of one class lead to each other so often that a kind with all of them in it
    would be too large."""
    level = [x for x in args if is_row(type(x))]
    level += [x for a in args if type(a) is list for x in a[:1] if is_row(type(x))]
    seen, classes = set[int](), {type(x) for x in level}
    for _ in range(_DEEP):
        seen |= {id(x) for x in level}
        held = [v for x in level for v in attributes_of(x).values()]
        held += [v for xs in held if type(xs) is list for v in xs[:4]]
        level = [v for v in held if type(v) in classes and id(v) not in seen]
        if len(seen) > _MOST_LOOKED_AT:
            return True
    return bool(level)


def graph_call(
    f: Callable[..., Any], request: Request, args: Sequence[Any], makes_objects: bool
) -> GraphCall | None:
    """Return the call of a function that gets objects, or ``makes_objects``."""
    call = GraphCall(f, request)
    if request.what not in _WHATS or not isinstance(call.f, FunctionType):
        return None
    try:
        found = _Rows.of([*call.first, *args])
    except NotRowsError:
        return None
    return call if found.rows or makes_objects else None


class GraphCall:
    """An operator of a function that gets or gives objects, called as a compiled entry is."""

    def __init__(self, f: Any, request: Request) -> None:
        self.first: tuple[Any, ...] = ()
        if isinstance(f, MethodType):
            self.first, f = (f.__self__,), f.__func__
        argnums = tuple(k + len(self.first) for k in request.argnums)
        self.f, self.request = f, replace(request, argnums=argnums)

    def __call__(self, *args: Any) -> Any:
        """Return what the operator gives; NotImplemented where this is no such call."""
        try:
            return self._called((*self.first, *args))
        except PullbackError:
            return NotImplemented

    def _called(self, args: tuple[Any, ...]) -> Any:
        request, derived = self.request, self.request.what is not What.VALUE
        try:
            rows = _Rows.of(args)
            store, marks = _columns(rows)
            plain = [rows.plain(a) for a in args]
        except NotRowsError:
            return NotImplemented
        groups = tuple(
            tuple(c for c, g in rows.facts.groups.items() if g.name == n) for n in rows.names
        )
        graph = Graph(groups, marks, tuple(m for _, m in plain))
        given = [v for v, _ in plain]
        outside = Outside((), aux=derived and request.has_aux, derived=derived, graph=graph)
        apart = {k for k in request.argnums if plain[k][1] is None or _has_reals(plain[k][0])}
        by = tuple(sorted({0, *apart})) if derived else ()
        asked = replace(request, outside=outside, has_aux=derived, alone=False, argnums=by)
        if given:
            given[0] = store, given[0]
        try:
            if rows.are_read_beside(self.f, given, asked):
                return NotImplemented if derived else self.f(*args)
            found: Any = bind(self.f, given, asked)[1]
        except PullbackError:
            raise
        except Exception as error:
            if is_limit(error) or not is_of_program(error):
                raise
            again = run_again(self.f, args)
            raise (error if again is None else on_purpose(again)) from None
        if not derived:
            return _After(rows, store, found).value
        value: Any = None
        if request.what is What.GRADIENT:
            grads, beside = found
        else:
            (value, beside), grads = found
        each = dict(zip(by, grads, strict=True))
        gradient = _Gradient(rows, each[0][0])
        each[0] = each[0][1]
        whole = tuple(gradient.of(args[k], each.get(k)) for k in request.argnums)
        gradient.check([args[k] for k in request.argnums])
        aux = _After(rows, store, beside).value
        made: Any = whole[0] if request.alone else whole
        if request.what is What.GRADIENT:
            return (made, aux) if request.has_aux else made
        return ((value, aux) if request.has_aux else value), made


def _has_reals(x: Any) -> bool:
    """Whether there are numbers to differentiate by in a value without objects."""
    if isinstance(x, (list, tuple)):
        return any(map(_has_reals, x))
    return isinstance(x, (float, np.floating, np.ndarray))


class _After:
    """What has become of the objects, and the result."""

    def __init__(self, rows: _Rows, before: Any, found: Any) -> None:
        plain, (self.store, how, self.classes) = found
        mark, self.marks = ast.literal_eval(how)
        self.made: list[dict[int, Any]] = [dict(enumerate(xs)) for xs in rows.objects]
        self.made += [{} for _ in self.store[len(self.made) :]]
        self.known = [[h.keys() for h in held] for held in rows.attributes]
        self.waiting: list[tuple[int, int]] = []
        writes: list[Callable[[], None]] = []
        for k, columns in enumerate(before):
            writes += self._writes(k, columns)
        for write in writes:
            write()
        self.value = self.of(plain, mark)
        while self.waiting:
            self._fill(*self.waiting.pop())

    def of(self, x: Any, mark: Mark) -> Any:
        """Return a value with objects for their numbers."""
        if mark is None or x is None:
            return x
        if isinstance(mark, int):
            return self._object(mark, x)
        if isinstance(x, tuple):
            marks = mark if len(mark) == len(x) else mark * len(x)
            return tuple(self.of(v, m) for v, m in zip(x, marks, strict=True))
        return [self.of(v, mark[0]) for v in x]

    def _object(self, group: int, row: int) -> Any:
        made = self.made[group]
        if row not in made:
            cls = self.classes[group][self.store[group][0][row]]
            made[row] = object.__new__(cls)
            self.waiting.append((group, row))
        return made[row]

    def _fields(self, group: int) -> Iterator[tuple[str, Mark, Any, Any, Any]]:
        _, columns, told = self.store[group]
        for (name, mark), column, (has, put) in zip(self.marks[group], columns, told, strict=True):
            if not is_inside(name):
                yield name, mark and mark[0], column, has, put

    def _fill(self, group: int, row: int) -> None:
        for name, mark, column, has, _ in self._fields(group):
            if has is None or has[row]:
                object.__setattr__(self.made[group][row], name, self.of(column[row], mark))

    def _writes(self, group: int, before: Any) -> Iterator[Callable[[], None]]:
        """What differs, to be written into the objects of the caller."""
        tags, columns, _ = before
        names = self.known[group]
        known = dict.fromkeys(n for ns in names for n in ns)
        old = dict(zip(known, columns, strict=True))
        for name, mark, column, has, put in self._fields(group):
            rows: Iterable[int] = range(len(tags))
            everywhere = put is None and all(name in held for held in names)
            if everywhere and {*map(type, old[name]), *map(type, column)} == {float}:
                rows = changed_floats(old[name], column)
            for row in rows:
                if has is not None and not has[row]:
                    continue
                x, new = self.made[group][row], column[row]
                if name not in names[row] or (put is not None and put[row]):
                    yield partial(object.__setattr__, x, name, self.of(new, mark))
                elif not _same(old[name][row], new):
                    if isinstance(old[name][row], dict):
                        raise MutationError("a dict in an object is updated", "return it")
                    yield partial(self._change, x, name, self.of(new, mark))

    def _change(self, x: Any, name: str, new: Any) -> None:
        held = getattr(x, name)
        if isinstance(held, list) and isinstance(new, list):
            held[:] = new
        elif isinstance(held, np.ndarray):
            held[...] = new
        else:
            object.__setattr__(x, name, new)


def _same(a: Any, b: Any) -> bool:
    """Whether a part is what it was, to the sign of a zero."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    return number_now(a, b) is a


class _Gradient:
    """Objects of the cotangents of objects."""

    def __init__(self, rows: _Rows, store: Any) -> None:
        self.rows, self.store = rows, store
        self.made: dict[tuple[int, int], Any] = {}
        self.waiting: list[tuple[int, int]] = []

    def of(self, x: Any, cotangent: Any) -> Any:
        found = self._of(x, cotangent)
        while self.waiting:
            group, row = at = self.waiting.pop()
            held = attributes_of(self.rows.objects[group][row])
            names = dict.fromkeys(n for y in self.rows.objects[group] for n in attributes_of(y))
            columns = dict(zip(names, self.store[group][1], strict=True))
            for name, value in held.items():
                column = columns[name]
                mine = None if column is None else column[row]
                object.__setattr__(self.made[at], name, self._of(value, mine))
        return found

    def _of(self, x: Any, cotangent: Any) -> Any:
        at = self.rows.rows.get(id(x))
        if at is not None:
            if at not in self.made:
                self.made[at] = object.__new__(type(x))
                self.waiting.append(at)
            return self.made[at]
        if isinstance(x, (list, tuple)) and any(id(v) in self.rows.rows for v in x):
            return type(x)(self._of(v, None) for v in x)
        return cotangent

    def check(self, args: Sequence[Any]) -> None:
        """Refuse the gradient by two arguments that lead to one object."""
        seen: set[tuple[int, int]] = set()
        for a in args:
            mine = set(_Rows.of([a]).rows) & set(self.rows.rows)
            here = {self.rows.rows[k] for k in mine}
            if here & seen:
                raise MutationError(
                    "the gradient by two arguments that lead to the same object", "pass copies"
                )
            seen |= here


__all__ = ["GraphCall", "graph_call", "is_deep"]
