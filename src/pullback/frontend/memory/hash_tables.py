"""Hash tables: dicts and sets whose keys only the run knows (``HashV``).

The entries are a list that grows, in the order in which they were put in, so that cotangents follow
entries. Beside it is an index, an array of the numbers of entries (``library.text.hashing``); it
is made anew, of twice the size, when half of it is in use, so n updates cost O(n), and so does
their reverse sweep. A deleted entry stays where it is until then.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.build import boolean, i64
from pullback.core.messages import Message
from pullback.core.terms import Atom, Call, Function, If, Prim, Update, Var
from pullback.core.types import I64, Array, Bool, Real
from pullback.errors import ArgumentTypeError, TypesDoNotMeetError
from pullback.frontend.interpret.messages import Recorder
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import flatten, kind_of, rebuild
from pullback.frontend.kinds.join import generalise, join, keeps_classes, key_kind
from pullback.frontend.kinds.kinds import (
    HashK,
    Kind,
    ScalarK,
    TupleK,
    describe,
    leaf_types,
    without_spare,
)
from pullback.frontend.kinds.undefined import dummy_atom
from pullback.frontend.kinds.values import (
    GeneratorV,
    HashV,
    Indexed,
    ListV,
    Owner,
    RecordV,
    Scalar,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import hashing
from pullback.frontend.memory import lists
from pullback.frontend.memory.ownership import owners_of
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_NONE = Static(None)
_UNTYPED = TupleK(())


def empty(run: Run, cls: type, factory: Value = _NONE) -> HashV:
    """Return a new table of which neither keys nor values are known yet."""
    owner = frozenset({Owner(f"a {cls.__name__}")})
    index = dummy_atom(run, Array(I64, 1))
    return HashV(
        cls, i64(0), index, (), _UNTYPED, (), owner, True, frozenset(), True, True, factory
    )


def of_record(run: Run, d: RecordV, kind: HashK, node: ast.AST) -> HashV:
    """Return a dict with known keys as a hash table: its keys are put in, in order."""
    made = empty(run, kind.cls)
    wide = coerce(run, made, replace(kind, spare=True), node)
    assert isinstance(wide, HashV)
    for key, value in d.fields.items():
        wide = put(run, wide, Static(key), value, node)
    made = replace(wide, owners=d.owners, fresh=d.fresh)
    done = coerce(run, made, kind, node)
    assert isinstance(done, HashV)
    return done


def table_for(run: Run, d: RecordV, key: Value, value: Value | None, node: ast.AST) -> HashV:
    """Return a dict with known keys as a hash table that can have this item too."""
    made = empty(run, d.cls)
    for k, v in d.fields.items():
        made = put(run, made, Static(k), v, node)
    if value is not None:
        made = fitted(run, made, own_key(run, key, node), value, node)
    return replace(made, owners=d.owners, fresh=d.fresh)


# --- keys -----------------------------------------------------------------------------------------


def own_key(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a key as a value that only the run knows; refused if it cannot be one."""
    known = run.kind(value, node)
    kind = key_kind(known)
    if kind is None:
        is_float = any(isinstance(t, Real) for t in leaf_types(known))
        run.refuse(
            node,
            f"{run.describe(value)} as a key" + (
                ": two equal floats may have different derivatives" if is_float else ""
            ),
            "use ints, bools, strings, members of an enum, or tuples of them",
            error=ArgumentTypeError,
        )
    return coerce(run, value, kind, node)


def _asked(run: Run, d: HashV, value: Value, node: ast.AST) -> Value:
    """Return a key that is looked for, in the form of the keys of a table."""
    if isinstance(value, Static) and isinstance(value.value, float) and value.value.is_integer():
        value = Static(int(value.value))
    return coerce(run, own_key(run, value, node), d.elem.items[0], node)


def keys_of(d: HashV) -> ListV:
    """Return the keys of all entries."""
    kind = d.elem.items[0]
    atoms = d.atoms[: len(list(leaf_types(kind)))]
    return ListV(d.length, kind, atoms, spare=d.spare)


def _index_of(run: Run, index: Atom) -> ListV:
    return ListV(run.b.dim(index, 0), ScalarK(I64, True, 31), (index,))


def entries_of(d: HashV) -> ListV:
    """Return the entries as a list that nobody else sees."""
    own = frozenset[Owner](), True
    return ListV(d.length, d.elem, d.atoms, *own, d.inner, d.spare, d.sole)


def with_entries(d: HashV, entries: ListV) -> HashV:
    """Return the table with what is in its entries changed."""
    assert isinstance(entries.elem, TupleK)
    return replace(
        d, elem=entries.elem, atoms=entries.atoms, inner=entries.inner, sole=entries.sole,
        spare=entries.spare,
    )  # fmt: skip


def lookup(run: Run, d: HashV, key: Value, node: ast.AST) -> Atom:
    """Return the number of the entry with a key, or -1."""
    if not d.elem.items:
        own_key(run, key, node)
        return i64(-1)
    asked = _asked(run, d, key, node)
    return _found(run, d, asked, node)


def _found(run: Run, d: HashV, key: Value, node: ast.AST) -> Atom:
    args = keys_of(d), _index_of(run, d.index), key
    return run.scalar(run_program(run, hashing.find, args, node), node).atom


def is_found(run: Run, entry: Atom) -> Atom:
    """Whether a look-up has found an entry."""
    return run.b.prim("ge", entry, i64(0))


def check_key(run: Run, key: Value, found: Atom, node: ast.AST) -> None:
    """Raise KeyError unless the key was found."""
    recorder = Recorder(run)
    shown = recorder.value(key)
    plain = "a key that the dict does not have"
    if shown is None or not recorder.leaves:
        text = repr(key.value) if isinstance(key, Static) else plain
        run.require(found, "KeyError", text, node)
        return
    message = Message((shown,), len(recorder.leaves), plain)
    run.b.let(Prim("require", (found, *recorder.leaves), ("KeyError", message)), (), run.site(node))


def value_at(run: Run, d: HashV, entry: Atom, node: ast.AST) -> Value:
    """Return the value of an entry that there is."""
    item = run.element(entries_of(d), entry, node, False)
    assert isinstance(item, TupleV)
    return item.items[1]


def key_at(run: Run, d: HashV, entry: Atom, node: ast.AST) -> Value:
    """Return the key of an entry that there is."""
    return run.element(keys_of(d), entry, node, False)


# --- changes --------------------------------------------------------------------------------------


def fitted(run: Run, d: HashV, key: Value, value: Value, node: ast.AST) -> HashV:
    """Return the table as one that can have this item, with room to grow."""
    entry = TupleK((kind_of(key), without_spare(generalise(run.kind(value, node)))))
    old = kind_of(d)
    assert isinstance(old, HashK)
    wanted = join(old, HashK(d.cls, entry, True, old.factory))
    if wanted is None:
        what = [describe(k) for k in entry.items]
        have = [describe(k) for k in old.elem.items]
        both = join(old.elem.items[0], entry.items[0])
        part = 1 if both is not None and keeps_classes(entry.items[0], both) else 0
        run.refuse(
            node,
            f"{what[part]} as a {('key', 'value')[part]} of {describe(old)}: the "
            f"{('keys', 'values')[part]} of a {d.cls.__name__} that only the run knows are of one "
            f"type, here {have[part]}",
            "use two dicts, or a value of one type",
            error=TypesDoNotMeetError,
        )
    made = coerce(run, d, wanted, node)
    assert isinstance(made, HashV)
    return made


def put(run: Run, d: HashV, key: Value, value: Value, node: ast.AST) -> HashV:
    """Return the table after ``d[key] = value``."""
    run.check_captured_in_loop(value, node)
    own = own_key(run, key, node)
    d = fitted(run, d, own, value, node)
    parts = d.elem.items
    own = coerce(run, own, parts[0], node)
    new = coerce(run, value, parts[1], node)

    def stored(d: HashV, own: Value, new: Value) -> tuple[HashV, Atom]:
        entry = _found(run, d, own, node)
        first = len(list(leaf_types(parts[0])))

        def replaced() -> HashV:
            atoms = list(d.atoms)
            for k, leaf in enumerate(flatten(new).atoms, first):
                op = Update(atoms[k], (entry,), leaf, False)
                (atoms[k],) = run.b.let(op, (atoms[k].type,), run.site(node))
            return replace(d, atoms=tuple(atoms))

        test = is_found(run, entry)
        return _either(run, test, replaced, lambda: _added(run, d, own, new, node)), entry

    made, _ = _in_function(run, "put", d, own, new, stored)
    inside = lists.with_item(entries_of(made), value)
    return replace(made, inner=inside.inner, sole=inside.sole)


def _in_function(
    run: Run, name: str, d: HashV, key: Value, value: Value,
    change: Callable[[HashV, Value, Value], tuple[HashV, Atom]],
) -> tuple[HashV, Atom]:  # fmt: skip
    """Return the result of a change, which is compiled once for tables of the same kind."""
    values = replace(d, factory=_NONE), key, value
    flats = [flatten(v) for v in values]
    place = name, *(flat.kind for flat in flats)
    if place not in run.shared:
        params = [Var("p", a.type) for flat in flats for a in flat.atoms]
        atoms = iter(params)
        table, *others = (rebuild(flat.kind, atoms) for flat in flats)

        def body() -> Sequence[Atom]:
            assert isinstance(table, HashV)
            made, entry = change(table, *others)
            return (*_state(made), entry)

        block = run.block(body)
        function = f"{name}.table.{len(run.shared)}"
        types = tuple(a.type for a in block.results)
        run.functions[function] = Function(function, tuple(params), block, types)
        run.shared[place] = function
    function = run.shared[place]
    given = tuple(a for flat in flats for a in flat.atoms)
    results = run.functions[function].results
    *state, entry = run.b.let(Call(function, given), results)
    return _with_state(d, state), entry


def with_key(
    run: Run, d: HashV, key: Value, default: Value, node: ast.AST
) -> tuple[HashV, Atom]:
    """Return the table with an entry for the key (with this value, if there was none), and the
    number of the entry."""
    own = own_key(run, key, node)
    d = fitted(run, d, own, default, node)
    parts = d.elem.items
    own, new = coerce(run, own, parts[0], node), coerce(run, default, parts[1], node)

    def ensured(d: HashV, own: Value, new: Value) -> tuple[HashV, Atom]:
        entry = _found(run, d, own, node)
        found = is_found(run, entry)
        made = _either(run, found, lambda: d, lambda: _added(run, d, own, new, node))
        last = run.b.prim("sub", made.length, i64(1))
        return made, run.b.prim("select", found, entry, last)

    made, entry = _in_function(run, "ensure", d, own, new, ensured)
    inside = lists.with_item(entries_of(made), default)
    return replace(made, inner=inside.inner, sole=inside.sole), entry


def _either(run: Run, test: Atom, then: Callable[[], HashV], orelse: Callable[[], HashV]) -> HashV:
    """Return one of two tables of the same kind."""
    made: list[HashV] = []

    def arm(table: Callable[[], HashV]) -> Callable[[], Sequence[Atom]]:
        def atoms() -> Sequence[Atom]:
            made.append(table())
            return _state(made[-1])

        return atoms

    blocks = run.block(arm(then)), run.block(arm(orelse))
    types = tuple(a.type for a in _state(made[0]))
    assert types == tuple(a.type for a in _state(made[-1]))
    return _with_state(made[0], run.b.let(If(test, *blocks), types))


def _state(d: HashV) -> Sequence[Atom]:
    return (d.length, d.index, *d.counts, *d.atoms)


def _with_state(d: HashV, atoms: Sequence[Atom]) -> HashV:
    n = 2 + len(d.counts)
    return replace(
        d, length=atoms[0], index=atoms[1], counts=tuple(atoms[2:n]), atoms=tuple(atoms[n:])
    )


def _added(run: Run, d: HashV, key: Value, value: Value, node: ast.AST) -> HashV:
    """Return the table with one entry more."""
    one = i64(1)
    limit = run.b.prim("mul", run.b.prim("add", d.used, one), i64(2))
    full = run.b.prim("gt", limit, run.b.dim(d.index, 0))
    d = _either(run, full, lambda: _with_room(run, d, node), lambda: d)
    at = run_program(run, hashing.free, (_index_of(run, d.index), key), node)
    after = run.b.prim("add", d.length, one)
    op = Update(d.index, (run.scalar(at, node).atom,), after, False)
    (index,) = run.b.let(op, (d.index.type,), run.site(node))
    there = (Scalar(boolean(True), True, 1),) if d.holes else ()
    made, _ = lists.append(run, entries_of(d), (TupleV((key, value, *there)),), node)
    assert isinstance(made, ListV)
    assert made.elem == d.elem
    counts = tuple(run.b.prim("add", c, one) for c in d.counts)
    return replace(d, length=made.length, index=index, counts=counts, atoms=made.atoms)


def _with_room(run: Run, d: HashV, node: ast.AST) -> HashV:
    """Return the table without the deleted entries, and with a larger index."""
    if d.holes:
        made = run.to_list(GeneratorV(node, left(run, d, node)), node)
        n = made.length
        d = replace(d, length=n, counts=(n, n), atoms=made.atoms)
    size = run_program(run, hashing.size_for, (Scalar(d.length, True, 31),), node)
    index = run_program(run, hashing.indexed, (keys_of(d), size), node)
    assert isinstance(index, ListV)
    return replace(d, index=index.atoms[0])


def left(run: Run, d: HashV, node: ast.AST) -> Indexed:
    """Return the entries that are left, in order."""

    def at(i: Atom) -> Value:
        return run.element(entries_of(d), i, node, False)

    return Indexed(d.length, at, (lambda i: is_there(run, d, i)) if d.holes else None)


def is_there(run: Run, d: HashV, entry: Atom) -> Atom:
    """Whether an entry has not been deleted."""
    return run.b.index(d.atoms[_alive(d)], (entry,), False)


def _alive(d: HashV) -> int:
    return sum(len(list(leaf_types(k))) for k in d.elem.items[:2])


def with_holes(run: Run, d: HashV, node: ast.AST) -> HashV:
    """Return the table as one of which entries can be deleted."""
    if d.holes or not d.elem.items:
        return d
    kind = kind_of(d)
    assert isinstance(kind, HashK)
    there: Kind = ScalarK(Bool(), True)
    elem = TupleK((*d.elem.items, there))
    made = coerce(run, d, HashK(d.cls, elem, True, kind.factory), node)
    assert isinstance(made, HashV)
    return made


def deleted(run: Run, d: HashV, key: Value, entry: Atom, node: ast.AST) -> HashV:
    """Return the table without the entry, if there is one (it is not -1)."""

    def gone() -> HashV:
        asked = _asked(run, d, key, node)
        args = keys_of(d), _index_of(run, d.index), asked
        at = run.scalar(run_program(run, hashing.place, args, node), node).atom
        return without(run, d, entry, at, node)

    return _either(run, is_found(run, entry), gone, lambda: d)


def without(run: Run, d: HashV, entry: Atom, at: Atom, node: ast.AST) -> HashV:
    """Return the table without an entry that stands at this place of the index."""
    site, atoms, k = run.site(node), list(d.atoms), _alive(d)
    (index,) = run.b.let(Update(d.index, (at,), i64(-1), False), (d.index.type,), site)
    op = Update(atoms[k], (entry,), boolean(False), False)
    (atoms[k],) = run.b.let(op, (atoms[k].type,), site)
    live, used = d.counts
    counts = run.b.prim("sub", live, i64(1)), used
    return replace(d, index=index, counts=counts, atoms=tuple(atoms))


def without_last(run: Run, d: HashV, node: ast.AST) -> tuple[HashV, Atom]:
    """Return the table without the entry that was put in last, and the number of that."""
    there = ListV(d.length, d.elem.items[2], (d.atoms[_alive(d)],), spare=d.spare)
    entry = run.scalar(run_program(run, hashing.last, (there,), node), node).atom
    key = key_at(run, d, entry, node)
    args = keys_of(d), _index_of(run, d.index), key
    at = run.scalar(run_program(run, hashing.place, args, node), node).atom
    return replace(without(run, d, entry, at, node), length=entry), entry


def copied(run: Run, d: HashV) -> HashV:
    """Return a new table with the same entries."""
    entries = run.copied(entries_of(d)) if d.atoms else entries_of(d)
    return replace(
        d, index=run.b.prim("copy", d.index), atoms=entries.atoms, inner=entries.inner,
        sole=entries.sole, spare=entries.spare, owners=frozenset({Owner("a dict")}), fresh=True,
    )  # fmt: skip


__all__ = [
    "Unreachable", "check_key", "copied", "deleted", "empty", "fitted", "is_found", "key_at",
    "keys_of", "left", "lookup", "of_record", "own_key", "owners_of", "put", "table_for",
    "value_at", "with_holes", "with_key", "without", "without_last",
]  # fmt: skip
