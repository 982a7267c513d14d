"""Hash tables: dicts and sets whose keys only the run knows (``HashV``).

The entries are a list that grows, in the order in which they were put in, so that cotangents follow
entries. Beside it is an index, an array of the numbers of entries (``library.text.hashing``); it
is made anew, of twice the size, when half of it is in use, so n updates cost O(n), and so does
their reverse sweep. A deleted entry stays where it is until then.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.build import boolean, i64
from pullback.core.messages import Message
from pullback.core.terms import Atom
from pullback.core.types import I64, Array, Bool, Real
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.interpret.messages import Recorder
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import flatten, kind_of
from pullback.frontend.kinds.join import generalise, join, keeps_classes
from pullback.frontend.kinds.key_numbers import has_pythons
from pullback.frontend.kinds.kinds import (
    HashK,
    Kind,
    OptionalK,
    RecordK,
    ScalarK,
    SymbolK,
    TupleK,
    leaf_types,
    without_spare,
)
from pullback.frontend.kinds.parted import met_kind
from pullback.frontend.kinds.sum_kinds import alternatives, is_mark
from pullback.frontend.kinds.table_keys import Hashed, has_methods, item_kind, key_kind
from pullback.frontend.kinds.undefined import dummy, dummy_atom
from pullback.frontend.kinds.values import (
    HashV,
    Indexed,
    ListV,
    OptionalV,
    Owner,
    RecordV,
    Scalar,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.kinds.widening import is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import hashing
from pullback.frontend.memory import keys_by_methods
from pullback.frontend.memory.keys_by_methods import LEAST, of_run, own_key
from pullback.frontend.python.set_tables import are_known

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


# --- keys -----------------------------------------------------------------------------------------


def asked(run: Run, d: HashV, value: Value, node: ast.AST) -> tuple[Value, Value]:
    """Return a key that is looked for, in the form of the keys of a table, and whether it may be
    one of them (what may be None is none where no key is)."""
    if isinstance(value, Static) and isinstance(value.value, float) and value.value.is_integer():
        value = Static(int(value.value))
    kind, tests = d.elem.items[0], list[Atom]()
    value = _apart(run, value, kind, tests, node)
    own = own_key(run, keys_by_methods.as_tuple_of(value, kind), node)
    if item_kind(kind_of(own)) is not None and item_kind(kind) is None:
        listed = keys_by_methods.held(own)
        assert isinstance(listed, ListV)
        own, test = _of_length(run, listed, kind, node)
        tests.append(test)
    own = _narrowed(run, own, kind, tests)
    may: Value = Static(True)
    if tests:
        may = Scalar(functools.reduce(partial(run.b.prim, "and"), tests), True, 1)
    return keys_by_methods.plain(run, coerce(run, own, kind, node)), may


def _apart(run: Run, value: Value, kind: Kind, tests: list[Atom], node: ast.AST) -> Value:
    """Return what may be a key of this kind, of something that may be no key as well."""
    while isinstance(value, OptionalV) and key_kind(run.kind(value, node)) is None:
        other = key_kind(run.kind(value.other, node))
        if other is not None and not _differ(other, kind):
            tests.append(run.b.prim("not", value.there))
            value = value.other
        else:
            tests.append(value.there)
            value = value.value
    return value


def _of_length(run: Run, listed: ListV, kind: Kind, node: ast.AST) -> tuple[Value, Atom]:
    """Return a tuple of any length that is looked for among keys of this kind as one of them, and
    whether it may be one."""
    if isinstance(kind, OptionalK):
        first, one = _of_length(run, listed, kind.inner, node)
        second, other = _of_length(run, listed, kind.other, node)
        return OptionalV(one, first, second), run.b.prim("or", one, other)
    elem = key_kind(listed.elem)
    if not isinstance(kind, TupleK) or elem is None or any(_differ(k, elem) for k in kind.items):
        return dummy(run, kind), boolean(False)

    def items() -> Value:
        each = (run.element(listed, i64(k), node, False) for k in range(len(kind.items)))
        return coerce(run, TupleV(tuple(each)), kind, node)

    test = run.b.prim("eq", listed.length, i64(len(kind.items)))
    return run.branch(test, items, lambda: dummy(run, kind), node), test


def _narrowed(run: Run, value: Value, kind: Kind, tests: list[Atom]) -> Value:
    """Return a key without what may be None where keys of this kind are not; ``tests`` has what is
    then asked of it."""
    match value, kind:
        case OptionalV(there, inner, other), _:
            if not _fits(other, kind):
                tests.append(there)
                return _narrowed(run, inner, kind, tests)
            instead = run.b.prim("not", there)
            if not any(_fits(v, kind) for v in _each(inner)):
                tests.append(instead)
                return _narrowed(run, other, kind, tests)
            asked = list[Atom]()
            present = _narrowed(run, inner, kind, asked)
            tests += [run.b.prim("or", instead, test) for test in asked]
            return OptionalV(there, present, _narrowed(run, other, kind, tests))
        case TupleV(items), TupleK(kinds):
            parts = zip(items, kinds, strict=True)
            return replace(value, items=tuple(_narrowed(run, v, k, tests) for v, k in parts))
        case RecordV(fields=fields), RecordK(fields=of):
            kinds_of = dict(of)
            parts_of = {n: _narrowed(run, v, kinds_of[n], tests) for n, v in fields.items()}
            return replace(value, fields=parts_of)
        case _:
            return value


def _each(value: Value) -> Iterator[Value]:
    """Iterate over what a value may be."""
    while isinstance(value, OptionalV):
        yield value.other
        value = value.value
    yield value


def _fits(value: Value, kind: Kind) -> bool:
    """Whether a value may be equal to a key of this kind."""
    own = key_kind(kind_of(value))
    return own is not None and not _differ(own, kind)


def keys_of(d: HashV) -> ListV:
    """Return the keys of all entries."""
    kind = d.elem.items[0]
    atoms = d.atoms[: len(list(leaf_types(kind)))]
    return ListV(d.length, kind, atoms, spare=d.spare)


def index_of(run: Run, index: Atom) -> ListV:
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
    if is_no_key(run, d, key, node):
        return i64(-1)
    if not d.elem.items:
        own_key(run, key, node)
        return i64(-1)
    own, may = asked(run, d, key, node)
    entry = found(run, d, own, node)
    return run.b.prim("select", may.atom, entry, i64(-1)) if isinstance(may, Scalar) else entry


def has_none(kind: Kind) -> bool:
    """Whether None may be among keys of a kind."""
    held = kind.fields[1][1] if isinstance(kind, RecordK) and kind.cls is Hashed else kind
    return any(map(is_none, alternatives(held)))


def is_no_key(run: Run, d: HashV, value: Value, node: ast.AST) -> bool:
    """Whether a value that may be a key of other tables is equal to none that this one can have."""
    match value:
        case Static(int(n)) if not LEAST <= n < -LEAST:
            return True
        case Static(float(x)) if not x.is_integer():
            return True
        case Static(known) if is_mark(known):
            return True
        case Scalar(py=True) if isinstance(value.type, Real) and _has_texts(d):
            return True
        case Static(None):
            return not d.elem.items or not has_none(d.elem.items[0])
        case _:
            kind = key_kind(run.kind(of_run(value), node))
            if kind is None or not d.elem.items:
                return False
            if _asks_methods(kind) != _asks_methods(d.elem.items[0]):
                keys_by_methods.refuse_others(run, kind, d.elem.items[0], node)
            return _differ(kind, d.elem.items[0])


def _asks_methods(kind: Kind) -> bool:
    return has_methods(kind) and item_kind(kind) is None


def _has_texts(d: HashV) -> bool:
    return bool(d.elem.items) and d.elem.items[0] == SymbolK(str)


def _differ(a: Kind, b: Kind) -> bool:
    """Whether no key of the one kind is equal to one of the other."""
    match a, b:
        case (OptionalK(), _) | (_, OptionalK()):
            return all(_differ(x, y) for x in alternatives(a) for y in alternatives(b))
        case TupleK(xs), TupleK(ys):
            return len(xs) != len(ys) or any(map(_differ, xs, ys))
        case TupleK(xs), RecordK() if (elem := item_kind(b)) is not None:
            return any(_differ(x, elem) for x in xs)
        case RecordK(), TupleK() if item_kind(a) is not None:
            return _differ(b, a)
        case RecordK(), (RecordK() | TupleK()):
            mine, theirs = map(keys_by_methods.items_of, (a, b))
            if mine is None or theirs is None:
                return type(a) is not type(b)
            return _differ(mine, theirs)
        case TupleK(), RecordK():
            return _differ(b, a)
        case SymbolK(one), SymbolK(other):
            return one is not other and not (issubclass(one, str) and issubclass(other, str))
        case _:
            return type(a) is not type(b)


def found(run: Run, d: HashV, key: Value, node: ast.AST) -> Atom:
    entry = known(d, key)
    if entry is not None:
        return entry
    args = keys_of(d), index_of(run, d.index), key, Static(d.holes), Static(is_set(d))
    return run.scalar(run_program(run, hashing.find, args, node), node).atom


def known(d: HashV, key: Value) -> Atom | None:
    """Return the entry of a key that the table has just been given."""
    return d.known[1] if d.known is not None and d.known[0] == (*flatten(key).atoms,) else None


def is_found(run: Run, entry: Atom) -> Atom:
    """Whether a look-up has found an entry."""
    return run.b.prim("ge", entry, i64(0))


def check_key(run: Run, key: Value, found: Atom, node: ast.AST) -> None:
    """Raise KeyError unless the key was found."""
    recorder = Recorder(run, node)
    shown = recorder.value(key)
    plain = "a key that the dict does not have"
    if shown is None:
        run.require(found, "KeyError", plain, node)
        return
    message = Message((shown,), len(recorder.leaves), plain)
    run.require(found, "KeyError", message, node, *recorder.leaves)


def value_at(run: Run, d: HashV, entry: Atom, node: ast.AST) -> Value:
    """Return the value of an entry that there is."""
    item = run.element(entries_of(d), entry, node, False)
    assert isinstance(item, TupleV)
    return item.items[1]


def key_at(run: Run, d: HashV, entry: Atom, node: ast.AST) -> Value:
    """Return the key of an entry that there is."""
    return keys_by_methods.held(own_key_at(run, d, entry, node))


def own_key_at(run: Run, d: HashV, entry: Atom, node: ast.AST) -> Value:
    """Return the same as the table has it."""
    return run.element(keys_of(d), entry, node, False)


# --- changes --------------------------------------------------------------------------------------


def fitted(run: Run, d: HashV, key: Value, value: Value, node: ast.AST) -> HashV:
    """Return the table as one that can have this item, with room to grow."""
    entry = TupleK((kind_of(key), without_spare(generalise(run.kind(value, node)))))
    old = kind_of(d)
    assert isinstance(old, HashK)
    wanted = join(old, HashK(d.cls, entry, True, old.factory))
    if wanted is None and old.typed:
        both = met_kind(old.elem.items[1], entry.items[1], join)
        if both is not None:
            wider = TupleK((entry.items[0], both))
            wanted = join(old, HashK(d.cls, wider, True, old.factory))
    if wanted is None:
        what = [describe(k) for k in entry.items]
        have = [describe(k) for k in old.elem.items]
        both = join(old.elem.items[0], entry.items[0])
        keys = both is not None and key_kind(both) is not None
        kept = both is not None and all(keeps_classes(k.items[0], both) for k in (entry, old.elem))
        part = 1 if keys and kept else 0
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


def is_set(d: HashV) -> bool:
    return issubclass(d.cls, (set, frozenset))


def has_order(d: HashV) -> bool:
    """Whether it is a set whose items have the order of CPython's own table, which its index is."""
    return is_set(d) and bool(d.elem.items) and has_pythons(d.elem.items[0]) and are_known()


def left(run: Run, d: HashV, node: ast.AST) -> Indexed:
    """Return the entries that are left, in order."""
    return seen(run, d, lambda i: run.element(entries_of(d), i, node, False))


def seen(run: Run, d: HashV, at: Callable[[Atom], Value]) -> Indexed:
    """Return what follows from the entries that are left, in order."""
    if has_order(d):
        places = run.b.dim(d.index, 0)

        def entry(i: Atom) -> Atom:
            return run.b.prim("sub", run.b.index(d.index, (i,), False), i64(1))

        return Indexed(
            places, lambda i: at(entry(i)), lambda i: run.b.prim("ge", entry(i), i64(0))
        )
    return Indexed(d.length, at, (lambda i: is_there(run, d, i)) if d.holes else None)


def is_there(run: Run, d: HashV, entry: Atom) -> Atom:
    """Whether an entry has not been deleted."""
    return run.b.index(d.atoms[alive_leaf(d)], (entry,), False)


def alive_leaf(d: HashV) -> int:
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


def copied(run: Run, d: HashV) -> HashV:
    """Return a new table with the same entries."""
    entries = run.copied(entries_of(d)) if d.atoms else entries_of(d)
    return replace(
        d, index=run.b.prim("copy", d.index), atoms=entries.atoms, inner=entries.inner,
        sole=entries.sole, spare=entries.spare, owners=frozenset({Owner("a dict")}), fresh=True,
    )  # fmt: skip
