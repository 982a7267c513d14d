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
    Owner,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Unrolled,
    Value,
    method,
)
from pullback.frontend.memory import counters
from pullback.frontend.memory import hash_changes as changes
from pullback.frontend.memory import hash_tables as tables
from pullback.frontend.memory.dict_views import is_view, seen_by, word_of
from pullback.frontend.memory.hash_changes import Table
from pullback.frontend.memory.hash_methods import (
    UPDATES,
    Args,
    Change,
    Kwargs,
    arguments,
    clear,
    contains,
    folded,
    items_of_set,
    iterate,
    pop,
    taken_out,
    with_items,
)
from pullback.frontend.memory.hash_tables import is_set
from pullback.frontend.memory.made_sets import add, copied, known_as_table, size_of, with_all
from pullback.frontend.memory.ownership import refuse_captured
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_NONE = Static(None)

def remove(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    (key, _) = arguments(run, "remove", args, kwargs, 1, 1, node)
    return taken_out(run, d, (key,), {}, node)[0], _NONE


def discard(run: Run, d: HashV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    (key, _) = arguments(run, "discard", args, kwargs, 1, 1, node)
    return taken_out(run, d, (key, _NONE), {}, node)[0], _NONE


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
    if op not in _OPERATIONS:
        run.refuse(node, f"{op} is not defined for sets", error=ArgumentTypeError)
    return _OPERATIONS[op](run, a, b, node)


def _union(run: Run, a: HashV, b: Value, node: ast.AST) -> HashV:
    return with_all(run, copied(run, a, node), b, node)


def _intersection(run: Run, a: HashV, b: Value, node: ast.AST) -> HashV:
    """Return what is in both: of two sets the smaller one is gone through."""
    if not isinstance(b, HashV) or not is_set(b):
        return _kept(run, b, a, True, node)
    if not (tables.has_order(a) or tables.has_order(b)):
        return _kept(run, a, b, True, node)
    made = run.branch(
        run.b.prim("gt", b.live, a.live),
        lambda: _kept(run, a, b, True, node),
        lambda: replace(_kept(run, b, a, True, node), cls=a.cls),
        node,
    )
    assert isinstance(made, HashV)
    return replace(made, owners=frozenset({Owner("a set")}), fresh=True)


def _difference(run: Run, a: HashV, b: Value, node: ast.AST) -> HashV:
    """Return what is in the first only: a copy of which the others are taken out if it is much
    larger."""
    is_other = isinstance(b, HashV) and is_set(b)
    count = b.live if isinstance(b, HashV) and is_other else size_of(b)
    if count is None:
        return _without(run, copied(run, a, node), b, node)
    if not tables.has_order(a):
        return _kept(run, a, as_set(run, b, node), False, node)
    made = run.branch(
        run.b.prim("gt", run.b.prim("shr", a.live, i64(2)), count),
        lambda: _without(run, copied(run, a, node), b, node),
        lambda: _kept(run, a, as_set(run, b, node), False, node),
        node,
    )
    assert isinstance(made, HashV)
    return replace(made, owners=frozenset({Owner("a set")}), fresh=True)


def _without(run: Run, d: HashV, value: Value, node: ast.AST) -> HashV:
    """Return the set without the items of a value, which are taken out one by one."""
    if isinstance(value, HashV) and d.index is value.index:
        return clear(run, d, (), {}, node)[0]
    d = tables.with_holes(run, d, node)

    def one(d: HashV, item: Value) -> HashV:
        return discard(run, d, (item,), {}, node)[0]

    made = folded(run, d, items_of_set(run, value, node), one, node)
    return changes.remade(run, made, Table.tidy, node) if tables.has_order(made) else made


def _symmetric(run: Run, a: HashV, b: Value, node: ast.AST) -> HashV:
    made = copied(run, b, node) if isinstance(b, HashV) and is_set(b) else as_set(run, b, node)
    return replace(_toggled(run, made, a, node), cls=a.cls)


def _toggled(run: Run, d: HashV, value: Value, node: ast.AST) -> HashV:
    """Return the set with the items of a value that it does not have, and without the others."""
    if isinstance(value, HashV) and d.index is value.index:
        return clear(run, d, (), {}, node)[0]
    once = isinstance(value, HashV) or size_of(value) is not None
    items = items_of_set(run, value if once else as_set(run, value, node), node)
    d = tables.with_holes(run, d, node)
    return folded(run, d, items, lambda d, v: changes.without_or_with(run, d, v, node), node)


_OPERATIONS: dict[str, Callable[[Run, HashV, Value, ast.AST], HashV]] = {
    "|": _union, "&": _intersection, "-": _difference, "^": _symmetric,
}  # fmt: skip


def of_views(run: Run, op: str, a: Value, b: Value, node: ast.AST) -> HashV:
    """Compile ``a & b`` and the like, where one of them at least is a view of a dict."""
    if any(is_view(v) and word_of(v) == "values" for v in (a, b)) or op not in _OPERATIONS:
        run.refuse(node, f"{op} is not defined for dict_values", error=ArgumentTypeError)
    if op != "&":
        return _CHANGES[op](run, _set_of_view(run, a, node), b, node)
    if not is_view(a):
        a, b = b, a
    x, y = _set_of_view(run, a, node), _set_of_view(run, b, node)
    less = run.b.prim("le" if not is_view(b) else "lt", x.live, y.live)
    made = run.branch(
        less, lambda: _kept(run, a, y, True, node), lambda: _kept(run, b, x, True, node), node
    )
    assert isinstance(made, HashV)
    return replace(made, owners=frozenset({Owner("a set")}), fresh=True)


def _set_of_view(run: Run, value: Value, node: ast.AST) -> HashV:
    """Return a set of what is in a view, or another iterable."""
    if is_view(value) and word_of(value) == "keys":
        return with_all(run, tables.empty(run, set), opened(run, seen_by(value), node), node)
    return with_all(run, tables.empty(run, set), value, node)


def _kept(run: Run, given: Value, b: HashV, those: bool, node: ast.AST) -> HashV:
    """Return the set of the items of a value that are in ``b``, or of those that are not."""
    cls = given.cls if isinstance(given, HashV) and is_set(given) else b.cls
    items = items_of_set(run, given, node)
    if not isinstance(items, Indexed):
        items = items_of_set(run, run.to_list(given, node), node)
    if isinstance(items, Unrolled) and not items.items:
        return tables.empty(run, cls)
    assert isinstance(items, Indexed)
    every = items

    def keep(i: Atom) -> Atom:
        def asked() -> Atom:
            inside = run.bool_atom(run.truth(contains(run, b, every.at(i), node), node))
            return inside if those else run.b.prim("not", inside)

        if every.keep is None:
            return asked()
        then = run.block(lambda: (asked(),))
        orelse = run.block(lambda: (run.bool_atom(False),))
        return run.b.let(If(every.keep(i), then, orelse), (BOOL,))[0]

    return with_items(run, tables.empty(run, cls), replace(every, keep=keep), node)


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
    if not args:
        return copied(run, d, node)
    made = _OPERATIONS[op](run, d, args[0], node)
    then = _intersection if op == "&" else _CHANGES[op]
    for other in args[1:]:
        made = then(run, made, other, node)
    return made


@method("set", "copy")
def _copy(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, HashV)
    return copied(cast("Run", sp), d, node)


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
    made = d
    with noted.midway(run.frame):
        for other in args:
            made = _CHANGES[op](run, made, other, node)
    return replace(made, owners=d.owners, fresh=d.fresh), _NONE


def _intersect(run: Run, d: HashV, value: Value, node: ast.AST) -> HashV:
    """Return a set after ``d &= ...``: where ``pop`` goes on stays."""
    made = _intersection(run, d, value, node)
    if not (tables.has_order(d) and d.holes):
        return made
    made = tables.with_holes(run, made, node)
    return replace(made, counts=(*made.counts[:2], d.start)) if made.holes else made


_CHANGES: dict[str, Callable[[Run, HashV, Value, ast.AST], HashV]] = {
    "|": with_all, "-": _without, "&": _intersect, "^": _toggled,
}  # fmt: skip


IN_PLACE = {
    "|": "update", "-": "difference_update", "&": "intersection_update",
    "^": "symmetric_difference_update",
}  # fmt: skip
"""The methods that ``s |= t`` and the like are."""


def in_place_of(cls: type) -> dict[str, str]:
    """Return the updates that ``d |= e`` and the like are of a dict or set of a class."""
    return counters.IN_PLACE if cls is Counter else IN_PLACE


SET_UPDATES: dict[str, Callable[[Run, HashV, Args, Kwargs, ast.AST], Change]] = {
    "add": add, "discard": discard, "remove": remove, "pop": pop, "clear": clear,
    **{name: partial(_in_place, op) for op, name in IN_PLACE.items()},
}  # fmt: skip


def updates_of(d: HashV) -> dict[str, Callable[[Run, HashV, Args, Kwargs, ast.AST], Change]]:
    if d.cls is Counter:
        return counters.COUNTER_UPDATES
    return SET_UPDATES if is_set(d) else UPDATES
