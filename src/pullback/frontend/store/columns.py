"""References to shared objects: what is read and stored by them, and how objects are made.

The columns are variables of the entry, and of every function of the program ones that it captures
(``captured_variables``): branches, loops and calls carry what becomes of them as that of any list
that a function around them has. Nothing else in the front end knows that they are columns.
(Regions: Tofte and Talpin, Region-Based Memory Management, 1997; here with one region for a class.)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.core.types import BOOL, I64
from pullback.errors import MutationError, TypesDoNotMeetError
from pullback.frontend.functions import ambient
from pullback.frontend.functions.captured_variables import APART, KEPT
from pullback.frontend.functions.lambda_sets import LambdaSet, tie
from pullback.frontend.functions.scopes import COLUMN, Scope, chain, function_scope
from pullback.frontend.interpret.fallbacks import check_container_copied, check_copied
from pullback.frontend.kinds.coerce import coerce, copied
from pullback.frontend.kinds.descriptions import describe_both
from pullback.frontend.kinds.flatten import NoKindError, flatten, kind_of, rebuild
from pullback.frontend.kinds.kinds import (
    ClosureK,
    FunctionK,
    GeneratorK,
    Kind,
    LambdaSetK,
    ListK,
    OperatorK,
    RefK,
    ScalarK,
    SharedMemory,
    StaleK,
    holds_references,
    parts,
)
from pullback.frontend.kinds.undefined import any_of_kind, dummy
from pullback.frontend.kinds.values import (
    FunctionV,
    HashV,
    ListV,
    Owner,
    PlaceV,
    RefV,
    Scalar,
    Static,
    Value,
    index_scalar,
)
from pullback.frontend.library.text import masked_arrays, masked_functions, shared_iterators
from pullback.frontend.memory import hash_tables, ownership, updates
from pullback.frontend.memory.holding import holds_memory
from pullback.frontend.memory.object_dicts import OwnName
from pullback.frontend.memory.owners import owners_of
from pullback.frontend.memory.places import Step
from pullback.frontend.python.container_bases import held_by, is_hidden
from pullback.frontend.python.python_values import is_library
from pullback.frontend.state import facts
from pullback.frontend.store.facts import ITEMS, Facts, Group, holds_functions
from pullback.frontend.store.shared_memory import has_references, kept_kind

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_TAG = ScalarK(I64, True)
_TOLD = ScalarK(BOOL, True)


HELD = "$object"
"""The name of an object that a method or ``write`` stores into."""


class Columns:
    """The columns of a run."""

    def __init__(self, run: Run, facts: Facts) -> None:
        self.run, self.facts = run, facts
        self._begun: dict[str, Kind] | None = None
        """The columns that this run has, and the kinds of their items."""
        self._rows: set[tuple[str, Atom]] = set()
        """Numbers of rows, each with the name of a column of its region."""
        self.given_away: list[Value] = []
        """The arguments of the call being made that the function may keep as its own."""
        self._calls_apart = False
        """Whether the function called next has columns of its own, if it gets no reference."""

    @property
    def regions(self) -> list[Group]:
        return list(dict.fromkeys(self.facts.groups.values()))

    def columns(self) -> Iterator[tuple[str, Kind]]:
        """Return the names of all columns and the kinds of their items."""
        for group in self.regions:
            if group.base is not SharedMemory:
                yield group.tags, _TAG
            for name, kind in group.fields.items():
                yield group.column(name), self.run.lambda_sets.current(kind)
                if name in group.unset:
                    yield group.told(name), _TOLD
                if name in group.outside:
                    yield group.put(name), _TOLD

    def begin(self, scope: Scope) -> None:
        """Give a function columns of its own."""
        if self._begun is None:
            self._begun = dict(self.columns())
        scope.names |= {name: _empty(self.run, kind) for name, kind in self._begun.items()}
        scope.always |= frozenset(self._begun)

    def _has(self, column: str, kind: Kind) -> bool:
        """Whether this run has a column, and its items are of the kind that is known by now."""
        begun = (self._begun or {}).get(column)
        current = self.run.lambda_sets.current
        return begun is not None and (begun == kind or current(begun) == current(kind))

    def _any(self, kind: Kind, node: ast.AST) -> Value:
        """Return any value of a kind, of which nothing is known: this run has no such column."""
        items = _empty(self.run, self.run.lambda_sets.current(kind))
        assert isinstance(items, ListV)
        return self.run.element(items, i64(0), node, checked=False)

    def _any_row(self, group: Group, node: ast.AST) -> RefV:
        return RefV(self.run.scalar(self._any(_TAG, node), node).atom, group.reference)

    def apart(
        self, f: FunctionV, args: dict[str, Value]
    ) -> tuple[FunctionV, dict[str, Value]]:
        """Return a function that is differentiated, and its arguments: with columns of its own, if
        it gets no reference."""
        if any(map(has_references, (f, *args.values()))):
            return self.within(f), args
        return f, {**args, APART: facts((APART,))}

    @contextmanager
    def apart_next(self) -> Iterator[None]:
        """Let the function that is called next have columns of its own, if it gets no reference."""
        self._calls_apart = True
        try:
            yield
        finally:
            self._calls_apart = False

    def within(self, f: FunctionV) -> FunctionV:
        """Return a function as it is called here: it captures the columns."""
        return ambient.within(self.run.scope, f)

    def called(self, f: FunctionV, args: dict[str, Value]) -> (
        tuple[FunctionV, dict[str, Value]]
    ):
        """Return a function that is called, with the columns around it (not one of the library that
        can have nothing to do with objects), and what it is told of the arguments that are given
        away."""
        alone, self._calls_apart = self._calls_apart, False
        if alone and not any(map(has_references, (f, *args.values()))):
            return f, {APART: facts((APART,))}
        given, self.given_away = self.given_away, []
        names = tuple(n for n, v in args.items() if any(v is g for g in given))
        told: dict[str, Value] = {KEPT: facts(names)} if names else {}
        taken = self.run.taken
        closed = is_library(f.definition.globals) and f.scope is None
        closed = closed and (taken is None or not taken.variables) and not _makes_objects(f)
        if closed and not any(map(_can_touch, (*f.bound, *args.values()))):
            return f, told
        return self.within(f), told

    def _here(self) -> dict[str, str]:
        """Return the names that the columns have in this frame."""
        return ambient.names_here(self.run.scope)

    def name(self, column: str, node: ast.AST) -> str:
        """Return the name of a column in this frame."""
        found = self._here().get(column)
        if found is None:
            spec = self.run.frame.spec
            scopes = () if spec is None else spec.function.scopes
            held = (k for s in scopes for n, k in s.names if n == column)
            stale = next((k.reason for k in held if isinstance(k, StaleK)), "")
            self.run.refuse(
                node, stale or "an object with several names is used in a function that is given "
                "to a function of a library", "call the function by its name", error=MutationError,
            )  # fmt: skip
        return found

    def list_at(self, column: str, node: ast.AST) -> ListV:
        """Return a column as it is now."""
        items = self.run.lookup(self.name(column, node), node)
        assert isinstance(items, ListV)
        return items

    # --- objects ----------------------------------------------------------------------------------

    def made(self, cls: type, node: ast.AST) -> RefV:
        """Return a new object, whose fields have no value yet."""
        run, group = self.run, self.facts.groups[cls]
        if not self._has(group.tags, _TAG):
            return self._any_row(group, node)
        row = self.list_at(group.tags, node).length
        tag = Static(group.classes.index(cls))
        self._append(group.tags, coerce(run, tag, _TAG, node), node)
        for name, kind in group.fields.items():
            if not self._has(group.column(name), kind):
                continue
            self._append(group.column(name), any_of_kind(run, kind), node)
            if name in group.unset:
                self._append(group.told(name), Static(False), node)
            if name in group.outside:
                self._append(group.put(name), Static(True), node)
        return RefV(row, group.reference, (cls,) if len(group.classes) > 1 else ())

    def copied(
        self, ref: RefV, copy: Callable[[Value], Value] | None, node: ast.AST
    ) -> RefV:
        """Return a new object of the same class with the same fields, or with copies of those that
        have no references in them; what has both waits to be assigned."""
        run, group = self.run, self.group(ref)
        is_memory = group.base is SharedMemory
        for cls in () if is_memory else group.classes:
            check_copied(run, cls, group.fields, node)
            if held_by(cls):
                check_container_copied(run, cls, node, "__dict__" in group.fields)
        columns: dict[str, Kind] = {} if is_memory else {group.tags: _TAG}
        contents = {group.column(n) for n in group.fields if is_hidden(n)}
        for name, kind in group.fields.items():
            columns[group.column(name)] = kind
            columns |= {group.told(name): _TOLD} if name in group.unset else {}
            columns |= {group.put(name): _TOLD} if name in group.outside else {}
        if not columns or not all(self._has(c, kind) for c, kind in columns.items()):
            return self._any_row(group, node)
        row = self.list_at(next(iter(columns)), node).length
        for column, kind in columns.items():
            value = self._item(column, kind, ref, node)
            whole = is_memory or (copy is None and column in contents)
            if whole and isinstance(value, HashV):
                value = hash_tables.copied(run, value)
            elif whole and isinstance(value, ListV):
                value = copied(run, value)
            elif holds_memory(kind):
                if copy is None:
                    self._refuse_copy(group, node)
                value = any_of_kind(run, kind) if holds_references(kind) else copy(value)
            with run.holding(value):
                self._append(column, coerce(run, value, kind, node), node)
        return replace(ref, atom=row)

    def _refuse_copy(self, group: Group, node: ast.AST) -> NoReturn:
        reason = f"a copy of a {group.name} that has the same lists or arrays"
        self.run.refuse(node, reason, "use copy.deepcopy", error=MutationError)

    def empty(self, cls: type, node: ast.AST) -> RefV:
        """Return a new object without attributes."""
        if cls not in self.facts.groups:
            self.facts.add(cls)
        group = self.facts.groups[cls]
        for name in group.always:
            self.facts.removed(group, name)
        return self.made(cls, node)

    def known(self, cls: type, fields: dict[str, Value], node: ast.AST) -> RefV:
        """Return a new object with these fields."""
        if cls not in self.facts.groups:
            self.facts.add(cls)
        if self.facts.groups[cls].always - fields.keys():
            reason = f"an object of {cls.__name__} whose attribute has been deleted"
            self.run.refuse(node, reason, "let it have all that __init__ sets")
        with self.run.holding(*fields.values()):
            new = self.made(cls, node)
        for name, value in fields.items():
            self.write(new, name, value, node)
        return new

    def new_memory(self, value: Value, cls: type, made_at: Hashable, node: ast.AST) -> RefV:
        """Return a reference to a list, dict or array that was made here."""
        run, group = self.run, self.facts.region_of(made_at, cls)
        if isinstance(value, ListV) and not value.fresh:
            value = run.copied(value)  # a slice, which is a list of its own
        kind = run.kind(value, node)
        self.learn(group, ITEMS, kind if cls is tuple else kept_kind(kind, group), node)
        column = group.column(ITEMS)
        if not self._has(column, group.fields[ITEMS]):
            return self._any_row(group, node)
        row = self.list_at(column, node).length
        with run.holding(value):
            self._append(column, coerce(run, value, group.fields[ITEMS], node), node)
        return RefV(row, group.reference)

    def region(self, variable: str) -> Group | None:
        """Return the region of lists that a variable is the column of, if it is one."""
        found = self.facts.group_of(variable.partition("@")[0]) if COLUMN in variable else None
        return found[0] if found is not None and found[0].base is SharedMemory else None

    def let_be_lists(self, place: PlaceV | None) -> None:
        """Begin anew with a region whose lists are of any length, if what is at this place is one
        of its lists of ints and floats, each of which has its type so far."""
        group = None if place is None or len(place.steps) != 1 else self.region(place.root)
        if group is not None and not group.one_type:
            group.one_type = True
            del group.fields[ITEMS]
            self.facts.again()

    def are_in_regions(self, owners: frozenset[Owner]) -> bool:
        """Whether a list of these owners may be one of those that may have several owners."""
        names = function_scope(self.run.scope).names
        columns = [names[n] for n in self._here().values() if self.region(n) is not None]
        return any(isinstance(c, ListV) and c.inner & owners for c in columns)

    def _append(self, column: str, value: Value, node: ast.AST) -> None:
        self._change(column, updates.Method("append", (value,), {}), node)

    def _change(self, column: str, change: updates.Op, node: ast.AST) -> None:
        run, name = self.run, self.name(column, node)
        old = ownership.updatable(run, name, node)
        with run.holding(old):
            made, _ = updates.apply(run, old, change, node)
        assert isinstance(made, ListV)
        moved = updates.moved_by(old, (), change)
        ownership.bind_updated(run, name, old, made, node, moved=moved)

    def temporaries(self, args: Sequence[Value]) -> list[Value]:
        """Return the arguments that nobody else has: the new object may keep them as its own."""
        run = self.run
        names = [v for s in chain(run.scope) for v in s.names.values()]
        held = [owners_of(v) for v in (*names, *run.pending)]
        mine = [owners_of(v) for v in args]
        return [
            v for k, v in enumerate(args)
            if ownership.is_object(v) and v.fresh and ownership.is_unshared(v)
            and not any(mine[k] & o for o in (*held, *mine[:k], *mine[k + 1 :]))
        ]  # fmt: skip

    def group(self, ref: RefV) -> Group:
        return next(g for g in self.regions if g.reference is ref.cls)

    def classes(self, ref: RefV) -> tuple[type, ...]:
        """Return the classes that an object can be of."""
        return ref.among or tuple(self.group(ref).classes)

    def among(self, ref: RefV, classes: Collection[type]) -> RefV:
        """Return a reference to an object that is known to be of one of these classes."""
        whole = self.group(ref).classes
        some = tuple(c for c in whole if c in classes)
        return replace(ref, among=some if len(some) < len(whole) else ())

    def item(self, ref: RefV, name: str, node: ast.AST) -> Value:
        """Return a field of an object that has it."""
        group = self.group(ref)
        return self._item(group.column(name), group.fields[name], ref, node)

    def is_set(self, ref: RefV, name: str, node: ast.AST) -> Atom:
        """Return whether an object has a field."""
        held = self._item(self.group(ref).told(name), _TOLD, ref, node)
        assert isinstance(held, Scalar)
        return held.atom

    def tag(self, ref: RefV, node: ast.AST) -> Scalar:
        """Return the number of an object's class in its group."""
        held = self._item(self.group(ref).tags, _TAG, ref, node)
        assert isinstance(held, Scalar)
        return held

    def _item(self, column: str, kind: Kind, ref: RefV, node: ast.AST) -> Value:
        if not self._has(column, kind):
            return self._any(kind, node)
        self._rows.add((column, ref.atom))
        return self.run.element(self.list_at(column, node), ref.atom, node, checked=False)

    def is_row(self, items: ListV, index: Atom) -> bool:
        """Whether a list is a column, and an index a row that it has."""
        names = function_scope(self.run.scope).names
        here = self._here().items()
        return any(names[n] is items and (column, index) in self._rows for column, n in here)

    def write(self, ref: RefV, name: str, value: Value, node: ast.AST) -> None:
        """Store a field of an object."""
        run, group = self.run, self.group(ref)
        if name in group.outside and not ownership.is_unshared(value):
            reason = f"{name!r} of an object from outside gets what others may hold"
            run.refuse(node, reason, "put a copy there", error=MutationError)
        self.learn(group, name, run.kind(value, node), node)
        if not self._has(group.column(name), group.fields[name]):
            return
        with run.holding(value):
            new = coerce(run, value, group.fields[name], node)
            at = index_scalar(ref.atom)
            self._rows |= {(c, ref.atom) for c in (group.column(name), group.told(name))}
            self._change(group.column(name), updates.Store(at, lambda _: new), node)
            told = updates.Store(at, lambda _: Static(True))
            if name in group.unset:
                self._change(group.told(name), told, node)
            if name in group.outside:
                self._change(group.put(name), told, node)

    def clear(self, ref: RefV, name: str, node: ast.AST) -> None:
        """Let an object have a field no more."""
        group = self.group(ref)
        if name in group.outside:
            reason = f"del of {name!r} of an object from outside"
            self.run.refuse(node, reason, "set it to None", error=MutationError)
        self.facts.removed(group, name)
        if self._has(group.told(name), _TOLD):
            at, gone = index_scalar(ref.atom), Static(False)
            self._rows.add((group.told(name), ref.atom))
            self._change(group.told(name), updates.Store(at, lambda _: gone), node)

    def bound(self, ref: RefV) -> str:
        """Return a name that holds a reference, for what is stored by ``write`` or a method."""
        self.run.scope.names[HELD] = ref
        return HELD

    def check(self, name: str, made: Value, node: ast.AST) -> None:
        """Learn from a column what has been put into it, or into a list or dict in it."""
        found = self.facts.group_of(name.partition("@")[0])
        if found is not None and isinstance(made, ListV):
            self.learn(*found, made.elem, node)

    def learn(self, group: Group, name: str, kind: Kind, node: ast.AST) -> None:
        """Learn what a field holds."""
        if group.base is SharedMemory and group.of is not tuple and holds_functions(kind):
            self.facts.dissolve(group)
        kind = tie(kind, partial(self._functions, group, name, node))
        if self.facts.learn(group, name, kind):
            return
        known, other = describe_both(group.fields[name], kind)
        what = f"the attribute {name!r} of {group.name}"
        reason = f"{what} is {known} at one place and {other} at another"
        self.run.refuse(node, reason, "let it have one type", error=TypesDoNotMeetError)

    def learn_each(self, group: Group, values: dict[str, Value], node: ast.AST) -> None:
        """Learn what several fields hold."""
        for name, value in values.items():
            self.learn(group, name, self.run.kind(value, node), node)

    def _functions(self, group: Group, name: str, node: ast.AST) -> LambdaSet:
        """Return the set of the functions in a field that have others of their own kind in them."""
        here = self.run.frame.definition
        assert here is not None
        return self.run.lambda_sets.at(("column", group.name, name), here, node)

    def place(
        self, ref: RefV, name: str, last: bool, put: bool, node: ast.AST
    ) -> tuple[str, list[Step]] | None:
        """Return the variable and the steps to a field that is updated in its place; None if it is
        stored by ``write`` (it is the ``last`` step), or may be something else."""
        group = self.group(ref)
        if name not in group.fields or any(
            isinstance(getattr(c, name, None), property) for c in group.classes
        ):
            return None
        if last and put and name in group.outside:
            return None
        if last and not isinstance(name, OwnName) and group.assigns_by_methods:
            return None
        if name in group.unset and (last or any(hasattr(c, name) for c in group.classes)):
            return None
        kind = group.fields[name]
        if not self._has(group.column(name), kind):
            any_items = _empty(self.run, self.run.lambda_sets.current(kind))
            self.run.scope.names[group.column(name)] = any_items  # for what is put in to be learnt
            return group.column(name), [index_scalar(ref.atom)]
        self._rows.add((group.column(name), ref.atom))
        return self.name(group.column(name), node), [index_scalar(ref.atom)]


_MAKERS = shared_iterators, masked_arrays, masked_functions


def _makes_objects(f: FunctionV) -> bool:
    """Whether a function of the library makes objects that may have several names."""
    return any(f.definition.globals is vars(file) for file in _MAKERS)


def _can_touch(value: Value) -> bool:
    """Whether there may be references or functions in a value."""
    try:
        return _is_or_has(kind_of(value))
    except NoKindError:
        return True


def _is_or_has(kind: Kind) -> bool:
    found = isinstance(kind, (RefK, FunctionK, ClosureK, LambdaSetK, OperatorK, GeneratorK))
    return found or any(map(_is_or_has, parts(kind)))


def _empty(run: Run, kind: Kind) -> Value:
    """Return an empty column."""
    atoms = flatten(dummy(run, ListK(kind, True))).atoms
    made = rebuild(ListK(kind, True), iter(atoms), lambda: (frozenset({Owner("an object")}), True))
    assert isinstance(made, ListV)
    return replace(made, sole=True)


__all__ = ["Columns"]
