"""What Python does with sets: hash tables whose values are None."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from pullback.core.build import i64
from pullback.core.terms import Atom, If
from pullback.core.types import BOOL
from pullback.errors import ArgumentTypeError, MutationError
from pullback.frontend.functions import noted
from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.kinds.values import (
    METHODS,
    HashV,
    Indexed,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Unrolled,
    Value,
    method,
    register,
)
from pullback.frontend.memory import counters
from pullback.frontend.memory import hash_changes as changes
from pullback.frontend.memory import hash_tables as tables
from pullback.frontend.memory.chosen_keys import known_item
from pullback.frontend.memory.dict_views import is_view, word_of
from pullback.frontend.memory.hash_methods import (
    UPDATES,
    Args,
    Change,
    Kwargs,
    arguments,
    as_dict,
    clear,
    contains,
    is_set,
    items_of_set,
    iterate,
    pop,
    update,
    with_items,
)
from pullback.frontend.memory.ownership import refuse_captured

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_NONE = Static(None)


def add(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    (key, _) = arguments(run, "add", args, kwargs, 1, 1, node)
    return changes.with_key(run, d, key, _NONE, node)[0], _NONE


def remove(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    (key, _) = arguments(run, "remove", args, kwargs, 1, 1, node)
    made, _ = pop(run, as_dict(d), (key,), {}, node)
    return replace(made, cls=d.cls), _NONE


def discard(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    (key, _) = arguments(run, "discard", args, kwargs, 1, 1, node)
    made, _ = pop(run, as_dict(d), (key, _NONE), {}, node)
    return replace(made, cls=d.cls), _NONE


def display(run: Run, node: ast.Set) -> Value:
    """Compile ``{a, b}``."""
    made = tables.empty(run, set)
    for e in node.elts:
        with run.holding(made):
            item = run.evaluate(e)
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
    return made if items is None else with_items(run, made, items_of_set(run, items, node), node)


def known_as_table(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a set that is known as one that the run makes, for what only reads it, and other
    values as they are. (Its items have an order that is the same in all processes.)"""
    if not isinstance(value, Static) or not isinstance(value.value, (set, frozenset)):
        return value
    items = tuple(map(known_item, sorted(value.value, key=repr)))
    return with_items(run, tables.empty(run, type(value.value)), Unrolled(items), node)


def of_method(run: Run, receiver: Value, name: str, node: ast.AST) -> Value:
    """Return the receiver of a method: of a set that is known, the set that it is."""
    if name in SET_UPDATES:
        require_own(run, receiver, node)
    return known_as_table(run, receiver, node) if ("set", name) in METHODS else receiver


def require_own(run: Run, value: Value, node: ast.AST) -> None:
    """Refuse an update of a set that is known: it is outside of compiled code. (If the set is that
    of a variable, the caller may make the update possible.)"""
    if not isinstance(value, Static) or not isinstance(value.value, set):
        return
    reason = "the set is outside of compiled code: updating it would be seen there"
    rewrite = "update a copy of it, and return that: s = set(s)"
    match node:
        case ast.Call(ast.Attribute(ast.Name(name))) if name not in function_scope(run.scope).names:
            refuse_captured(run, name, node, reason, rewrite)
        case _:
            run.refuse(node, reason, rewrite, error=MutationError)


def as_set(run: Run, value: Value, node: ast.AST) -> HashV:
    if isinstance(value, HashV) and is_set(value):
        return value
    return with_items(run, tables.empty(run, set), items_of_set(run, value, node), node)


def combined(run: Run, op: str, a: HashV, b: HashV, node: ast.AST) -> HashV:
    """Compile ``a | b``, ``a & b``, ``a - b``, ``a ^ b`` of two sets."""
    if op == "|":
        return with_items(run, tables.copied(run, a), items_of_set(run, b, node), node)
    if op == "^":
        both = (_kept(run, x, y, False, node) for x, y in ((a, b), (b, a)))
        first, second = both
        return with_items(run, first, items_of_set(run, second, node), node)
    if op not in ("&", "-"):
        run.refuse(node, f"{op} is not defined for sets", error=ArgumentTypeError)
    return _kept(run, a, b, op == "&", node)


def of_views(run: Run, op: str, a: Value, b: Value, node: ast.AST) -> HashV:
    """Compile ``a & b`` and the like, where one of them at least is a view of a dict."""
    if any(is_view(v) and word_of(v) == "values" for v in (a, b)):
        run.refuse(node, f"{op} is not defined for dict_values", error=ArgumentTypeError)
    return combined(run, op, as_set(run, a, node), as_set(run, b, node), node)


def _kept(run: Run, a: HashV, b: HashV, those: bool, node: ast.AST) -> HashV:
    """Return the set of the items of ``a`` that are in ``b``, or of those that are not."""
    items = items_of_set(run, a, node)
    if isinstance(items, Unrolled):
        return tables.empty(run, a.cls)
    assert isinstance(items, Indexed)
    every = items

    def keep(i: Atom) -> Atom:
        inside = run.bool_atom(run.truth(contains(run, b, every.at(i), node), node))
        wanted = inside if those else run.b.prim("not", inside)
        if every.keep is None:
            return wanted
        then, orelse = run.block(lambda: (wanted,)), run.block(lambda: (run.bool_atom(False),))
        return run.b.let(If(every.keep(i), then, orelse), (BOOL,))[0]

    return with_items(run, tables.empty(run, a.cls), replace(every, keep=keep), node)


def equal(run: Run, a: HashV, b: HashV, node: ast.AST) -> Value:
    """Compile ``a == b`` of two sets, or of two dicts."""
    if is_set(a) != is_set(b):
        return Static(False)
    same = run.b.prim("eq", a.live, b.live)
    if is_set(a):
        more = _kept(run, a, b, False, node).live
        return Scalar(run.b.prim("and", same, run.b.prim("eq", more, i64(0))), True, 1)
    items = iterate(run, a, "items", node)

    def step(state: Sequence[Value], pair: Value) -> Sequence[Value]:
        assert isinstance(pair, TupleV)
        key, value = pair.items
        entry = tables.lookup(run, b, key, node)
        there = run.b.prim("and", run.scalar(state[0], node).atom, tables.is_found(run, entry))
        made = run.branch(
            there,
            lambda: run.compare("==", value, tables.value_at(run, b, entry, node), node),
            lambda: Static(False),
            node,
        )
        return [Scalar(run.bool_atom(run.truth(made, node)), True, 1)]

    return run.fold(items, [Scalar(same, True, 1)], step, node)[0]


def ordered(run: Run, op: str, a: HashV, b: HashV, node: ast.AST) -> Value:
    """Compile ``a < b`` and the like of two sets."""
    if not (is_set(a) and is_set(b)):
        run.refuse(node, f"{op} is not defined for dicts", error=ArgumentTypeError)
    small, large = (a, b) if op in ("<", "<=") else (b, a)
    inside = run.b.prim("eq", _kept(run, small, large, False, node).live, i64(0))
    if op in ("<", ">"):
        inside = run.b.prim("and", inside, run.b.prim("lt", small.live, large.live))
    return Scalar(inside, True, 1)


@method("set", "union", "intersection", "difference", "symmetric_difference")
def _operation(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, HashV) and isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    run = cast("Run", sp)
    op = {"union": "|", "intersection": "&", "difference": "-"}.get(node.func.attr, "^")
    for other in args:
        d = combined(run, op, d, as_set(run, other, node), node)
    return d if args else tables.copied(run, d)


@method("set", "issubset", "issuperset", "isdisjoint")
def _relation(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, HashV) and isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    run = cast("Run", sp)
    given, _ = arguments(run, node.func.attr, args, kwargs, 1, 1, node)
    other = as_set(run, given, node)
    if node.func.attr == "isdisjoint":
        left = _kept(run, d, other, True, node).live
    else:
        small, large = (d, other) if node.func.attr == "issubset" else (other, d)
        left = _kept(run, small, large, False, node).live
    return Scalar(run.b.prim("eq", left, i64(0)), True, 1)


def _in_place(
    op: str, run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST
) -> Change:
    (other, _) = arguments(run, IN_PLACE[op], args, kwargs, 1, 1, node)
    with noted.midway(run.frame):
        made = combined(run, op, d, as_set(run, other, node), node)
    return replace(made, owners=d.owners, fresh=d.fresh), _NONE


IN_PLACE = {
    "|": "update", "-": "difference_update", "&": "intersection_update",
    "^": "symmetric_difference_update",
}  # fmt: skip
"""The methods that ``s |= t`` and the like are."""


def in_place_of(cls: type) -> dict[str, str]:
    """Return the updates that ``d |= e`` and the like are of a dict or set of a class."""
    return counters.IN_PLACE if cls is Counter else IN_PLACE


SET_UPDATES: dict[str, Callable[[Run, HashV, Args, Kwargs, ast.AST], Change]] = {
    "add": add, "discard": discard, "remove": remove, "pop": pop, "clear": clear, "update": update,
    **{name: partial(_in_place, op) for op, name in IN_PLACE.items() if op != "|"},
}  # fmt: skip


def updates_of(d: HashV) -> dict[str, Callable[[Run, HashV, Args, Kwargs, ast.AST], Change]]:
    if d.cls is Counter:
        return counters.COUNTER_UPDATES
    return SET_UPDATES if is_set(d) else UPDATES
