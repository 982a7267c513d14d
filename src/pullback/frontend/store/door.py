"""Objects of the caller as rows: how they come in, and how what has become of them goes out.

The caller (``call.graphs``) numbers the objects that arguments lead to. The first argument comes
with their columns in front of it, each a list, and a reference is a number in all arguments and
columns. ``Mark`` says where: it is what a kind of plain data says, with references in it.

    f(a, b)      a, b objects of Node          f(((tags, (values, nexts), ...), 0), 1)

The result is (the result, the columns at the end, the marks and classes in these): all plain data,
of which the caller makes objects again.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass
from pullback.core.types import BOOL, I64, Int
from pullback.errors import MutationError
from pullback.frontend.functions.scopes import shown
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import flatten, rebuild
from pullback.frontend.kinds.kinds import (
    Kind,
    ListK,
    OptionalK,
    RefK,
    ScalarK,
    StaticK,
    TupleK,
    holds_references,
)
from pullback.frontend.kinds.undefined import dummy
from pullback.frontend.kinds.values import ListV, Owner, Static, TupleV, Value
from pullback.frontend.memory import holding
from pullback.frontend.memory.owners import memory_of
from pullback.frontend.python.container_bases import held_by

if TYPE_CHECKING:
    from pullback.frontend.functions.scopes import Scope
    from pullback.frontend.run import Run
    from pullback.frontend.store.columns import Columns

_TOLD = ScalarK(BOOL, True)

Mark = int | tuple["Mark", ...] | None
"""Where references are: in a value itself, of a group; in the items of a list (one mark) or of a
tuple; nowhere."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The groups of classes of the objects of a call, the marks of their fields, and those of the
    arguments."""

    groups: tuple[tuple[type, ...], ...]
    fields: tuple[tuple[tuple[str, Mark], ...], ...]
    args: tuple[Mark, ...]


def entered(
    run: Run, store: Columns, graph: Graph, scope: Scope, args: list[Value], node: ast.AST
) -> list[Value]:
    """Fill the columns with the objects of the caller; return the arguments with references."""
    if not args:
        return args
    first = args[0]
    assert isinstance(first, TupleV)
    given, args = first.items[0], [first.items[1], *args[1:]]
    assert isinstance(given, TupleV)
    for group, fields, columns in zip(store.regions, graph.fields, given.items, strict=False):
        assert isinstance(columns, TupleV)
        tags, held, told = columns.items
        assert isinstance(held, TupleV) and isinstance(told, TupleV)
        scope.names[group.tags] = _column(run, tags, ScalarK(I64, True), node)
        for (name, mark), column, has in zip(fields, held.items, told.items, strict=True):
            whole = _marked(run, store, column, (mark,), node)
            known = run.kind(whole, node)
            if not isinstance(known, ListK):
                reason = f"what {group.name}.{name} holds has several types"
                run.refuse(node, reason, "let it have one")
            store.learn(group, name, known.elem, node)
            if store.facts.grew:
                store.facts.again()
            if name not in group.outside and holding.holds_memory(known.elem):
                group.outside.add(name)
                store.facts.again()
            scope.names[group.column(name)] = _column(run, whole, group.fields[name], node)
            if name in group.unset:
                scope.names[group.told(name)] = _column(run, has, _TOLD, node)
            if name in group.outside:
                scope.names[group.put(name)] = _same(run, tags, Static(False), _TOLD, node)
        for name, kind in group.fields.items():
            if name not in dict(fields):
                nothing = rebuild(kind, iter(flatten(dummy(run, kind)).atoms))
                scope.names[group.column(name)] = _same(run, tags, nothing, kind, node)
                scope.names[group.told(name)] = _same(run, tags, Static(False), _TOLD, node)
    return [_marked(run, store, v, m, node) for v, m in zip(args, graph.args, strict=True)]


def _same(run: Run, tags: Value, item: Value, kind: Kind, node: ast.AST) -> Value:
    """Return a column with one value for all objects of the caller."""
    assert isinstance(tags, ListV)
    return _column(run, run.sequence(tags.length, lambda _: item, node), kind, node)


def _column(run: Run, items: Value, kind: Kind, node: ast.AST) -> Value:
    """Return a column of the function's own."""
    made = coerce(run, items, ListK(kind, True), node)
    assert isinstance(made, ListV)
    return replace(run.copied(made), sole=True, inner=frozenset({Owner("an object")}))


def _marked(run: Run, store: Columns, value: Value, mark: Mark, node: ast.AST) -> Value:
    """Return a value in which the numbers at the marks are references."""
    if mark is None:
        return value
    flat = flatten(value)
    kind = _with_references(flat.kind, mark, [g.reference for g in store.regions])
    owned = iter(flat.owned)
    return rebuild(kind, iter(flat.atoms), lambda: next(owned))


def _with_references(kind: Kind, mark: Mark, references: list[type]) -> Kind:
    match kind, mark:
        case OptionalK(inner), _:
            return OptionalK(_with_references(inner, mark, references), kind.other)
        case ScalarK(Int()), int(k):
            return RefK(references[k])
        case ListK(elem, spare), (inner,):
            return ListK(_with_references(elem, inner, references), spare)
        case TupleK(items, True), (inner,):
            return TupleK(tuple(_with_references(k, inner, references) for k in items), True)
        case TupleK(items, False), tuple(marks):
            each = zip(items, marks, strict=True)
            return TupleK(tuple(_with_references(k, m, references) for k, m in each))
        case _:
            return kind


# --- out ------------------------------------------------------------------------------------------


def left(run: Run, store: Columns, scope: Scope, result: Value, node: ast.AST) -> Value:
    """Return a result as plain data: with the columns, and where references were."""
    groups = store.regions
    columns_of = {n: scope.names[n] for n, _ in store.columns()}
    if memory_of(result) & frozenset().union(*map(memory_of, columns_of.values())):
        reason = "the result is, or has in it, a list or array that an object holds"
        run.refuse(node, reason, "return a copy of it", error=MutationError)
    met: frozenset[Owner] = memory_of(result)
    for name, held in columns_of.items():
        if isinstance(held, ListV) and holding.holds_memory(held.elem):
            if not held.sole or met & held.inner:
                reason = f"a list or array that {shown(name)!r} and something else hold"
                run.refuse(node, reason, "put a copy there", error=MutationError)
            met |= held.inner
    references = [g.reference for g in groups]
    value, mark = _plain(run, result, references, node)
    columns: list[Value] = []
    marks: list[object] = []
    for group in groups:
        fields: list[Value] = []
        told: list[Value] = []
        names: list[object] = []
        for name in group.fields:
            column, inside = _plain(run, scope.names[group.column(name)], references, node)
            fields.append(column)
            names.append((name, inside))
            has = scope.names[group.told(name)] if name in group.unset else Static(None)
            put = scope.names[group.put(name)] if name in group.outside else Static(None)
            told.append(TupleV((has, put)))
        tags = scope.names[group.tags]
        columns.append(TupleV((tags, TupleV(tuple(fields)), TupleV(tuple(told)))))
        marks.append(names)
    classes = (TupleV(tuple(map(Static, g.classes))) for g in groups)
    how = Static(repr((mark, marks)))
    return TupleV((value, TupleV((TupleV(tuple(columns)), how, TupleV(tuple(classes))))))


def _plain(run: Run, value: Value, references: list[type], node: ast.AST) -> tuple[Value, Mark]:
    flat = flatten(value)
    kind, mark = _without_references(run, flat.kind, references, node)
    owned = iter(flat.owned)
    return rebuild(kind, iter(flat.atoms), lambda: next(owned)), mark


def _without_references(
    run: Run, kind: Kind, references: list[type], node: ast.AST
) -> tuple[Kind, Mark]:
    def inside(k: Kind) -> tuple[Kind, Mark]:
        return _without_references(run, k, references, node)

    match kind:
        case RefK(cls) if held_by(cls):
            reason = f"a {cls.__name__} that an object refers to, seen outside of the function"
            run.refuse(node, reason, "return what is in it", error=MutationError)
        case RefK(cls):
            return ScalarK(I64, True), references.index(cls)
        case OptionalK(inner, other) if not holds_references(other):
            made, mark = inside(inner)
            return OptionalK(made, kind.other), mark
        case ListK(elem, spare):
            made, mark = inside(elem)
            return ListK(made, spare), None if mark is None else (mark,)
        case TupleK(items, is_list):
            each = [inside(k) for k in items]
            marks = tuple(m for _, m in each)
            if is_list and len(set(marks)) > 1:
                run.refuse(node, "a list of objects and other things as a result", "use a tuple")
            own: Mark = None if all(m is None for m in marks) else marks[:1] if is_list else marks
            return TupleK(tuple(k for k, _ in each), is_list), own
        case StaticK() | _ if not holds_references(kind):
            return kind, None
        case _:
            reason = f"an object in {describe(kind)}, seen outside of the function"
            run.refuse(node, reason, "use lists and tuples", error=MutationError)


__all__ = ["Graph", "Mark", "entered", "left"]
