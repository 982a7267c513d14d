"""Changes of hash tables: ``d[k] = v``, ``del d[k]``, of a variable or inside of another container.

A table is changed where it lies (``Table``): its leaves are variables, or items of the buffers
of the list (or table) around it, at a path of indices. So nothing is taken out, and nothing is
copied. What is done for tables of one kind is one function of Core.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from pullback.core.build import boolean, i64
from pullback.core.terms import Atom, Call, Function, If, Update, Var
from pullback.core.types import Bool, Int, Real
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import flatten, kind_of, rebuild
from pullback.frontend.kinds.kinds import HashK, Kind, leaf_types
from pullback.frontend.kinds.table_keys import has_methods
from pullback.frontend.kinds.values import (
    GeneratorV,
    HashV,
    ListV,
    RecordV,
    Scalar,
    Static,
    Value,
    index_scalar,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import hashing
from pullback.frontend.memory import hash_tables as tables
from pullback.frontend.memory import lists
from pullback.frontend.memory.chosen_keys import known_item
from pullback.frontend.memory.keys_by_methods import fitted, own_key, plain
from pullback.frontend.python.set_tables import uses_again

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Change = Callable[["Table", Sequence[Value]], Atom]


class Table:
    """A hash table of this kind; its leaves are ``atoms``, or stand in these at the path ``at``."""

    def __init__(
        self, run: Run, kind: HashK, atoms: Sequence[Atom], at: tuple[Atom, ...], node: ast.AST
    ) -> None:
        self.run, self.kind, self.at, self.node = run, kind, at, node
        self.atoms = list(atoms)
        self.first = kind.heads  # the first leaf of an entry
        self.value = self.first + len(list(leaf_types(kind.elem.items[0])))

    def view(self) -> HashV:
        """Return the table, to be read."""
        leaves = []
        for a in self.atoms:
            for i in self.at:
                a = self.run.b.index(a, (i,), False)
            leaves.append(a)
        made = rebuild(replace(self.kind, factory=_NOTHING), iter(leaves))
        assert isinstance(made, HashV)
        return made

    def put(self, k: int, leaf: Atom, *index: Atom) -> None:
        """Put this in the place of a leaf, or of an item of it."""
        path, old = (*self.at, *index), self.atoms[k]
        if path:
            op = Update(old, path, leaf, False)
            (leaf,) = self.run.b.let(op, (old.type,), self.run.site(self.node))
        self.atoms[k] = leaf

    def either(self, test: Atom, then: Callable[[], None], orelse: Callable[[], None]) -> None:
        """Make one of two changes."""
        before = list(self.atoms)

        def arm(change: Callable[[], None]) -> Sequence[Atom]:
            self.atoms = list(before)
            change()
            return self.atoms

        blocks = [self.run.block(partial(arm, change)) for change in (then, orelse)]
        types = tuple(a.type for a in before)
        self.atoms = list(self.run.b.let(If(test, *blocks), types))

    def store(self, key: Value, value: Value) -> Atom:
        """Compile ``d[key] = value``."""
        entry = tables.found(self.run, self.view(), key, self.node)

        def replaced() -> None:
            for k, leaf in enumerate(flatten(value).atoms, self.value):
                self.put(k, leaf, entry)

        test = tables.is_found(self.run, entry)
        self.either(test, replaced, lambda: self.add(key, value))
        return entry

    def ensure(self, key: Value, value: Value) -> Atom:
        """Put in the key with this value, unless it is there; give the number of the entry."""
        run = self.run
        entry = tables.found(run, self.view(), key, self.node)
        test = tables.is_found(run, entry)
        self.either(test, lambda: None, lambda: self.add(key, value))
        last = run.b.prim("sub", self.view().length, i64(1))
        return run.b.prim("select", test, entry, last)

    def add(self, key: Value, value: Value) -> None:
        """Put in a key that is not there."""
        run, node, one, d = self.run, self.node, i64(1), self.view()
        ordered = tables.has_order(d)
        if ordered:
            none = run.b.prim("eq", run.b.dim(d.index, 0), i64(0))
            self.either(none, self.make_room, lambda: None)
        else:
            twice = run.b.prim("mul", run.b.prim("add", d.used, one), i64(2))
            full = run.b.prim("gt", twice, run.b.dim(d.index, 0))
            self.either(full, self.make_room, lambda: None)
        d = self.view()
        again = self.kind.holes and ordered and uses_again()
        pythons = Static(tables.is_set(d))
        text = hashing.free_again if again else hashing.free
        place = run_program(run, text, (tables.index_of(run, d.index), key, pythons), node)
        at = run.scalar(place, node).atom
        entry, more, new = d.length, cast("Atom", one), cast("Atom", boolean(True))
        if again:  # in the place of an entry that has been deleted
            old = run.b.index(d.index, (at,), False)
            new = run.b.prim("eq", old, i64(0))
            entry = run.b.prim("select", new, entry, run.b.prim("sub", i64(-1), old))
            more = run.b.prim("select", new, one, i64(0))
        self.put(1, run.b.prim("add", entry, one), at)
        there = (boolean(True),) if self.kind.holes else ()
        leaves = [*flatten(key).atoms, *flatten(value).atoms, *there]
        outer = self.atoms[self.first :]
        self.atoms[self.first :] = lists.with_room(run, d.length, d.atoms, leaves, outer, self.at)
        for k, leaf in enumerate(leaves, self.first):
            self.put(k, leaf, entry)
        counts = zip((0, 2, 3), (d.length, *d.counts), (more, one, more), strict=False)
        for k, count, added in counts:
            self.put(k, run.b.prim("add", count, added))
        if ordered:  # as Python: behind the item that fills it
            d = self.view()
            at_end = self.is_full(d.used, run.b.dim(d.index, 0))
            at_end = run.b.prim("and", new, at_end) if again else at_end
            self.either(at_end, self.make_room, lambda: None)

    def is_full(self, used: Atom, size: Atom) -> Atom:
        """Whether an index of which so many places are used is made anew."""
        b = self.run.b
        last = b.prim("mul", b.prim("sub", size, i64(1)), i64(3))
        return b.prim("ge", b.prim("mul", used, i64(5)), last)

    def make_room(self) -> None:
        """Leave out deleted entries, and make a larger index."""
        live = (index_scalar(self.view().live),)
        self.resize(run_program(self.run, hashing.size_after, live, self.node))

    def resize(self, size: Value) -> None:
        """Leave out deleted entries, and make an index of this size. In a set whose items have
        Python's order they are put in in that."""
        changed(self.run, "resize", self, (size,), resize)

    def make_index(self, size: Value) -> Atom:
        """Do this here; give the number of entries."""
        run, node, d = self.run, self.node, self.view()
        if d.holes or tables.has_order(d):
            entries = run.to_list(GeneratorV(node, tables.left(run, d, node)), node)
            n = entries.length
            start = d.start if d.holes and tables.has_order(d) else i64(0)
            counts = (n, n, start) if d.holes else ()
            for k, atom in enumerate((n, None, *counts, *entries.atoms)):
                if atom is not None:
                    self.put(k, atom)
        given = tables.keys_of(self.view()), size, Static(tables.is_set(d))
        made = run_program(run, hashing.indexed, given, node)
        assert isinstance(made, ListV)
        self.put(1, made.atoms[0])
        return self.view().live

    def settle(self) -> None:
        """Make the index of a copy as Python's: it has another one if that would be smaller, or if
        entries have been deleted."""
        run, node, d = self.run, self.node, self.view()
        size = run_program(run, hashing.size_of_copy, (index_scalar(d.live),), node)
        other = run.b.prim("ne", run.scalar(size, node).atom, run.b.dim(d.index, 0))
        full = run.b.prim("ne", d.used, d.live)
        self.either(run.b.prim("or", other, full), lambda: self.resize(size), lambda: None)
        if self.kind.holes:
            self.put(4, i64(0))

    def reserve(self, count: Atom) -> None:
        """Make room for so many entries, before those of another table are put in."""
        run, node, d = self.run, self.node, self.view()
        size = run.b.prim("max", run.b.dim(d.index, 0), i64(8))
        used, all_ = (run.b.prim("add", n, count) for n in (d.used, d.live))
        full = self.is_full(used, size)
        twice = index_scalar(run.b.prim("mul", all_, i64(2)))
        larger = run_program(run, hashing.size_above, (twice,), node)
        self.either(full, lambda: self.resize(larger), lambda: None)

    def tidy(self) -> None:
        """Make the index anew if more than a quarter of it is of deleted entries."""
        run, node, d = self.run, self.node, self.view()
        given = (index_scalar(n) for n in (d.used, d.live, run.b.dim(d.index, 0)))
        sparse = run.scalar(run_program(run, hashing.is_sparse, tuple(given), node), node).atom
        self.either(sparse, self.make_room, lambda: None)

    def toggle(self, key: Value, value: Value) -> Atom:
        """Put in a key, or leave it out if it is there; give the number of its entry, or -1."""
        entry = tables.found(self.run, self.view(), key, self.node)
        test = tables.is_found(self.run, entry)
        self.either(test, lambda: self.take_out(entry, key), lambda: self.add(key, value))
        return entry

    def delete(self, key: Value, may: Value) -> Atom:
        """Leave out a key, if it is there and ``may`` be; give the number of its entry, or -1."""
        entry = tables.found(self.run, self.view(), key, self.node)
        if isinstance(may, Scalar):
            entry = self.run.b.prim("select", may.atom, entry, i64(-1))
        test = tables.is_found(self.run, entry)
        self.either(test, lambda: self.take_out(entry, key), lambda: None)
        return entry

    def take_out(self, entry: Atom, key: Value) -> None:
        """Leave out the entry of a key."""
        run, node, d = self.run, self.node, self.view()
        pythons = Static(tables.is_set(d))
        args = tables.keys_of(d), tables.index_of(run, d.index), key, pythons
        at = run.scalar(run_program(run, hashing.place, args, node), node).atom
        self.put(1, run.b.prim("sub", i64(-1), entry), at)
        self.put(self.first + tables.alive_leaf(d), boolean(False), entry)
        self.put(2, run.b.prim("sub", d.live, i64(1)))
        if tables.has_order(d):
            return
        first = run.b.prim("eq", entry, d.start)
        self.put(4, run.b.prim("select", first, run.b.prim("add", entry, i64(1)), d.start))

    def take_out_last(self) -> Atom:
        """Leave out the entry that was put in last; give its number."""
        start = self.view().start
        entry = self._alive(hashing.last)
        self.put(0, entry)
        self.put(4, start)  # the next entry comes where this one was
        return entry

    def take_out_first(self) -> Atom:
        """Leave out the entry that was put in first; give its number."""
        entry = self._alive(hashing.following)
        self.put(4, self.run.b.prim("add", entry, i64(1)))
        return entry

    def take_out_next(self) -> Atom:
        """Leave out the entry of a set that ``pop`` takes; give its number."""
        run, node, d = self.run, self.node, self.view()
        index = tables.index_of(run, d.index)
        found = run_program(run, hashing.following_place, (index, index_scalar(d.start)), node)
        at = run.scalar(found, node).atom
        entry = run.b.prim("sub", run.b.index(d.index, (at,), False), i64(1))
        self.take_out(entry, plain(run, tables.own_key_at(run, d, entry, node)))
        self.put(4, run.b.prim("add", at, i64(1)))
        return entry

    def _alive(self, text: Callable[[list[bool], int], int]) -> Atom:
        """Leave out the entry that a text finds; give its number."""
        run, node, d = self.run, self.node, self.view()
        there = ListV(d.length, d.elem.items[2], (d.atoms[tables.alive_leaf(d)],), spare=True)
        found = run_program(run, text, (there, Scalar(d.start, True, 31)), node)
        entry = run.scalar(found, node).atom
        self.take_out(entry, plain(run, tables.own_key_at(run, d, entry, node)))
        return entry


_NONE = Static(None)
_NOTHING: Kind = kind_of(_NONE)


def changed(
    run: Run, name: str, table: Table, values: Sequence[Value], change: Change
) -> Atom:
    """Change a table by the function of Core for tables of its kind. Return the result of that. A
    value that has memory of its own is put in here: a function would have to copy it; and so is one
    in a table whose keys are compared by methods, which may look at any object."""
    flats = [flatten(v) for v in values]
    if has_methods(table.kind.elem) or not all(
        isinstance(a.type, (Real, Int, Bool)) for f in flats for a in f.atoms
    ):
        return change(table, values)
    place = name, replace(table.kind, factory=_NOTHING), len(table.at), *(f.kind for f in flats)
    if place not in run.shared:
        given = [Var("p", a.type) for a in (*table.atoms, *table.at)]
        n = len(table.atoms)
        params = [Var("p", a.type) for f in flats for a in f.atoms]
        inner = Table(run, table.kind, given[:n], tuple(given[n:]), table.node)
        atoms = iter(params)
        others = [rebuild(f.kind, atoms) for f in flats]

        def body() -> Sequence[Atom]:
            result = change(inner, others)
            return (*inner.atoms, result)

        block = run.block(body)
        function = f"{name}.table.{len(run.shared)}"
        types = tuple(a.type for a in block.results)
        run.functions[function] = Function(function, (*given, *params), block, types)
        run.shared[place] = function
    function = run.shared[place]
    passed = (*table.atoms, *table.at, *(a for f in flats for a in f.atoms))
    *made, result = run.b.let(Call(function, passed), run.functions[function].results)
    table.atoms = list(made)
    return result


def store(table: Table, values: Sequence[Value]) -> Atom:
    return table.store(*values)


def ensure(table: Table, values: Sequence[Value]) -> Atom:
    return table.ensure(*values)


def delete(table: Table, values: Sequence[Value]) -> Atom:
    return table.delete(*values)


def resize(table: Table, values: Sequence[Value]) -> Atom:
    return table.make_index(*values)


def toggle(table: Table, values: Sequence[Value]) -> Atom:
    return table.toggle(*values)


# --- tables that variables hold -------------------------------------------------------------------


def _of(run: Run, d: HashV, node: ast.AST) -> Table:
    kind = kind_of(d)
    assert isinstance(kind, HashK)
    return Table(run, kind, (d.length, d.index, *d.counts, *d.atoms), (), node)


def _made(d: HashV, table: Table) -> HashV:
    length, index, *rest = table.atoms
    n = table.first - 2
    return replace(
        d, length=length, index=index, counts=tuple(rest[:n]), atoms=tuple(rest[n:]), known=None
    )


def put(run: Run, d: HashV, key: Value, value: Value, node: ast.AST) -> HashV:
    """Return the table after ``d[key] = value``."""
    return _with(run, d, key, value, "put", store, node)[0]


def with_key(
    run: Run, d: HashV, key: Value, default: Value, node: ast.AST
) -> tuple[HashV, Atom]:
    """Return the table with an entry for the key (with this value, if there was none), and the
    number of the entry."""
    return _with(run, d, key, default, "ensure", ensure, node)


def without_or_with(run: Run, d: HashV, key: Value, node: ast.AST) -> HashV:
    """Return the set without the key if it is there, else with it."""
    d = tables.fitted(run, d, own_key(run, key, node), _NONE, node)
    return _with(run, tables.with_holes(run, d, node), key, _NONE, "toggle", toggle, node)[0]


def remade(run: Run, d: HashV, change: Callable[[Table], None], node: ast.AST) -> HashV:
    """Return the table after a change of its index."""
    if not d.elem.items:
        return d
    table = _of(run, d, node)
    change(table)
    return _made(d, table)


def _with(
    run: Run, d: HashV, key: Value, value: Value, name: str, change: Change, node: ast.AST
) -> tuple[HashV, Atom]:
    run.check_captured_in_loop(value, node)
    own = own_key(run, key, node)
    d = tables.fitted(run, d, own, value, node)
    parts = d.elem.items
    table = _of(run, d, node)
    given = fitted(run, own, parts[0], node), coerce(run, value, parts[1], node)
    entry = changed(run, name, table, given, change)
    made = _made(d, table)
    inside = lists.with_item(tables.entries_of(made), value)
    known = ((*flatten(given[0]).atoms,), entry) if change is ensure else None
    known = None if tables.has_order(made) else known  # it may be in the place of another one
    return replace(made, inner=inside.inner, sole=inside.sole, known=known), entry


def deleted(run: Run, d: HashV, key: Value, node: ast.AST) -> HashV:
    """Return the table without the key, if it is there."""
    table = _of(run, d, node)
    if tables.is_no_key(run, d, key, node):
        return d
    changed(run, "delete", table, tables.asked(run, d, key, node), delete)
    return _made(d, table)


def without_end(run: Run, d: HashV, last: bool, node: ast.AST) -> tuple[HashV, Atom]:
    """Return the table without the entry that was put in last (or first; of a set, that which
    Python's ``pop`` takes), and the number of that."""
    table = _of(run, d, node)
    if tables.has_order(d):
        entry = table.take_out_next()
    else:
        entry = table.take_out_last() if last else table.take_out_first()
    return _made(d, table), entry


def of_record(run: Run, d: RecordV, kind: HashK, node: ast.AST) -> HashV:
    """Return a dict with known keys as a hash table: its keys are put in, in order."""
    made = tables.empty(run, kind.cls)
    wide = coerce(run, made, replace(kind, spare=True), node)
    assert isinstance(wide, HashV)
    for key, value in d.fields.items():
        wide = put(run, wide, known_item(key), value, node)
    made = replace(wide, owners=d.owners, fresh=d.fresh)
    done = coerce(run, made, kind, node)
    assert isinstance(done, HashV)
    return done


def table_for(run: Run, d: RecordV, key: Value, value: Value | None, node: ast.AST) -> HashV:
    """Return a dict with known keys as a hash table that can have this item too."""
    made = tables.empty(run, d.cls)
    for k, v in d.fields.items():
        made = put(run, made, known_item(k), v, node)
    if value is not None:
        made = tables.fitted(run, made, own_key(run, key, node), value, node)
    return replace(made, owners=d.owners, fresh=d.fresh)
