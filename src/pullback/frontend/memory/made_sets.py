"""How sets are made, as hash tables whose values are None: displays, copies, of other iterables,
and of sets that are known or come from outside. Each has the table that CPython's would have."""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterator
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING, cast

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.frontend.kinds.flatten import kind_of
from pullback.frontend.kinds.key_numbers import has_pythons
from pullback.frontend.kinds.kinds import TupleK, parts
from pullback.frontend.kinds.table_keys import key_kind
from pullback.frontend.kinds.undefined import any_of_kind
from pullback.frontend.kinds.values import (
    HashV,
    Indexed,
    Items,
    ListV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Unrolled,
    Value,
    index_scalar,
    register,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import hashing
from pullback.frontend.memory import hash_changes as changes
from pullback.frontend.memory import hash_tables as tables
from pullback.frontend.memory.chosen_keys import known_item
from pullback.frontend.memory.hash_changes import Table
from pullback.frontend.memory.hash_methods import (
    Args,
    Change,
    Kwargs,
    arguments,
    items_of_set,
    with_items,
)
from pullback.frontend.memory.hash_tables import is_set
from pullback.frontend.memory.keys_by_methods import own_key
from pullback.frontend.python.set_tables import are_known, listed
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_NONE = Static(None)

def add(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    (key, _) = arguments(run, "add", args, kwargs, 1, 1, node)
    return changes.with_key(run, d, key, _NONE, node)[0], _NONE


def gone_through(run: Run, node: ast.expr) -> Value:
    """Return what a loop runs over. (Of a set of constants Python makes a frozenset.)"""
    known = constant_of(run, node)
    return run.evaluate(node) if known is None else Static(known)


def constant_of(run: Run, node: ast.expr) -> frozenset[object] | None:
    """Return the frozenset that the code of Python has in the place of ``{1, 2, 3}``."""
    definition = run.frame.definition
    if not isinstance(node, ast.Set) or definition is None or definition.code is None:
        return None
    items = _constants(node)
    if items is None:
        return None
    kinds = sorted((type(x).__name__, repr(x)) for x in items)
    for c in _frozensets(definition.code):
        if c == items and sorted((type(x).__name__, repr(x)) for x in c) == kinds:
            return c
    return None


def _constants(node: ast.Set) -> frozenset[object] | None:
    """Return what is in a display if Python's compiler finds nothing but constants there, of which
    it also computes some (``{2 * 8, -1}``)."""
    try:
        code = compile(ast.Expression(node), "<set>", "eval")
    except (SyntaxError, ValueError, TypeError):
        return None
    steps = [*dis.get_instructions(code)]
    if not {step.opname for step in steps} <= _OF_CONSTANTS:
        return None
    found = [step.argval for step in steps if step.opname[:5] == "LOAD_"]
    whole = len(found) == 1 and isinstance(found[0], frozenset)
    return found[0] if whole else frozenset(found)


_OF_CONSTANTS = frozenset({
    "RESUME", "LOAD_CONST", "LOAD_SMALL_INT", "BUILD_SET", "SET_UPDATE", "RETURN_VALUE"
})  # fmt: skip
"""The instructions of a display of constants."""


def _frozensets(code: CodeType) -> Iterator[frozenset[object]]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _frozensets(constant)
        elif isinstance(constant, frozenset):
            yield constant


def display(run: Run, node: ast.Set) -> Value:
    """Compile ``{a, b}``. (Of three constants and more Python copies a frozenset.)"""
    known = constant_of(run, node)
    if known is not None and len(node.elts) > 2:
        table = known_as_table(run, Static(known), node)
        assert isinstance(table, HashV)
        return replace(copied(run, table, node), cls=set)
    made = tables.empty(run, set)
    for e in node.elts:
        with run.holding(made):
            item = run.evaluate(e.value if isinstance(e, ast.Starred) else e)
        if isinstance(e, ast.Starred):
            made = with_all(run, made, opened(run, item, node), node)
            continue
        made = add(run, made, (item,), {}, node)[0]
    return made


@register(set)
def _set(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run = cast("Run", sp)
    items, _ = arguments(run, "set", args, kwargs, 0, 1, node)
    return _made(run, set, items, node)


@register(frozenset)
def _frozenset(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run = cast("Run", sp)
    items, _ = arguments(run, "frozenset", args, kwargs, 0, 1, node)
    return _made(run, frozenset, items, node)


def _made(run: Run, cls: type, items: Value | None, node: ast.AST) -> HashV:
    made = tables.empty(run, cls)
    return made if items is None else with_all(run, made, items, node)


def copied(run: Run, a: HashV, node: ast.AST, deep: bool = False) -> HashV:
    """Return a copy of a set. (A deep one is made of a list of the items.)"""
    if deep:
        return with_items(run, tables.empty(run, a.cls), items_of_set(run, a, node), node)
    made = tables.copied(run, a)
    return changes.remade(run, made, Table.settle, node) if tables.has_order(a) else made


def with_all(run: Run, d: HashV, value: Value, node: ast.AST) -> HashV:
    """Return the set with all items of a value, put in as Python does: of a set as it lies, of a
    dict into a table that is made large enough before."""
    if isinstance(value, HashV) and is_set(value):
        return _with_set(run, d, value, node)
    count = size_of(value)
    if count is not None:
        for key in _some_keys(run, value, node):
            d = tables.fitted(run, d, own_key(run, key, node), _NONE, node)
        d = changes.remade(run, d, lambda t: t.reserve(count), node)
    return with_items(run, d, items_of_set(run, value, node), node)


def _some_keys(run: Run, d: Value, node: ast.AST) -> Iterator[Value]:
    """Iterate over keys of all kinds that are in a dict."""
    match d:
        case HashV(elem=TupleK((kind, *_))):
            yield any_of_kind(run, kind)
        case RecordV(fields=fields):
            yield from map(known_item, fields)


def _with_set(run: Run, d: HashV, other: HashV, node: ast.AST) -> HashV:
    if d.index is other.index:  # the same one
        return d
    if not d.elem.items:
        made = replace(copied(run, other, node), cls=d.cls, owners=d.owners, fresh=d.fresh)
        return made
    if not tables.has_order(other):
        return with_items(run, d, items_of_set(run, other, node), node)
    wide = changes.remade(run, d, lambda t: t.reserve(other.live), node)
    b, size = run.b, run.b.prim("max", run.b.dim(wide.index, 0), i64(8))
    same = b.prim("and", b.prim("eq", wide.used, i64(0)), b.prim("eq", size, b.dim(other.index, 0)))
    same = b.prim("and", same, b.prim("eq", other.used, other.live))

    def added() -> Value:
        return with_items(run, wide, items_of_set(run, other, node), node)

    whole = run.branch(same, lambda: replace(tables.copied(run, other), cls=d.cls), added, node)
    assert isinstance(whole, HashV)
    return replace(whole, owners=d.owners, fresh=d.fresh)


def size_of(value: Value) -> Atom | None:
    """Return the number of items of a dict, of that class itself; None: it is something else."""
    match value:
        case HashV(cls) if cls is dict:
            return value.live
        case RecordV(cls, fields) if cls is dict:
            return i64(len(fields))
        case _:
            return None


def known_as_table(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a set that is known as one that the run makes, for what only reads it, and other
    values as they are. (Its items have an order that is the same in all processes.)"""
    if not isinstance(value, Static) or not isinstance(value.value, (set, frozenset)):
        return value
    kind = kind_of(TupleV(tuple(map(known_item, value.value))))
    keys = [key_kind(k) for k in parts(kind)]
    if keys and all(k is not None and has_pythons(k) for k in keys) and are_known():
        each = cast("list[tuple[object, int]]", listed(value.value))
        pairs = (TupleV((known_item(x), Static(n))) for x, n in each)
        items = run.iterate(run.to_list(TupleV(tuple(pairs), is_list=True), node), node)
        return laid_out(run, type(value.value), items, node)
    others = tuple(map(known_item, sorted(value.value, key=repr)))
    return with_items(run, tables.empty(run, type(value.value)), Unrolled(others), node)


def laid_out(run: Run, cls: type, listed: Items, node: ast.AST, flat: bool = False) -> HashV:
    """Return a set whose table is as one of Python's is listed (``set_tables.listed``)."""
    assert isinstance(listed, Indexed)
    found, half = listed, i64(2)
    count = run.b.prim("shr", found.length, i64(1)) if flat else found.length

    def pair(i: Atom) -> tuple[Value, Value]:
        if flat:
            first = run.b.prim("mul", i, half)
            return found.at(first), found.at(run.b.prim("add", first, i64(1)))
        both = found.at(i)
        assert isinstance(both, TupleV)
        return both.items[0], both.items[1]

    def head(k: int) -> Atom:
        return run.scalar(pair(run.b.prim("sub", count, i64(k)))[1], node).atom

    size, live, following = map(head, (3, 2, 1))
    n = run.b.prim("sub", count, i64(3))

    def entry(i: Atom) -> Value:
        item, place = pair(i)
        there = run.b.prim("ge", run.scalar(place, node).atom, i64(0))
        return TupleV((own_key(run, item, node), _NONE, Scalar(there, True, 1)))

    entries = run.sequence(n, entry, node)
    places = run.sequence(n, lambda i: pair(i)[1], node)
    made = run_program(run, hashing.laid_out, (places, index_scalar(size)), node)
    assert isinstance(made, ListV) and isinstance(entries.elem, TupleK)
    table = tables.empty(run, cls)
    return replace(
        table, length=n, index=made.atoms[0], counts=(live, n, following), elem=entries.elem,
        atoms=entries.atoms, spare=False, sole=entries.sole, inner=entries.inner,
    )  # fmt: skip
