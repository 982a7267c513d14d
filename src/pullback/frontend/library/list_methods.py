"""Compile sorting and searching of lists: ``sorted``, ``.sort()``, ``.index()``, ``.count()``,
``==``.

A list is sorted by its keys: the stable order of their indices is computed first, and then the
items are read in that order; so each cotangent goes to the place from which its item came.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from pullback.core.build import boolean, i64
from pullback.core.messages import Message
from pullback.core.terms import Atom
from pullback.core.types import BOOL, I64, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret import made_texts
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.flatten import example
from pullback.frontend.kinds.kinds import Kind, ScalarK, TupleK
from pullback.frontend.kinds.values import (
    ArrayV,
    FunctionV,
    ListV,
    RecordV,
    RefV,
    Scalar,
    Specialiser,
    Static,
    SymbolV,
    TupleV,
    Unrolled,
    Value,
    index_scalar,
    method,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, flag, is_none
from pullback.frontend.library.compiled_text import array_of, run_program
from pullback.frontend.library.text import sorting
from pullback.frontend.library.told import not_in_list, told
from pullback.frontend.memory.dict_views import is_view, word_of
from pullback.frontend.python.container_bases import is_tuple_class, order_of
from pullback.frontend.python.source import definition_of
from pullback.frontend.run import Run
from pullback.frontend.signals import Unreachable
from pullback.frontend.store.shared_memory import in_full


@register(sorted)
def sorted_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """sorted(items, key=None, reverse=False): stable, as in Python"""
    items, key, reverse = bind(
        sp, "sorted", args, kwargs, node, iterable=MISSING, key=NONE, reverse=Static(False)
    )
    return in_order(sp, items, key, flag(sp, reverse, node, "reverse"), node)


def in_order(
    sp: Specialiser, items: Value, key: Value, reverse: bool, node: ast.AST
) -> ListV | TupleV:
    """Return a new list or tuple of the items in the order of their keys."""
    is_dict = isinstance(items, RecordV) and items.cls is dict
    if is_dict or is_view(items) or (isinstance(items, Static) and isinstance(items.value, str)):
        assert isinstance(sp, Run)
        each = sp.iterate(items, node)  # keys or letters that are known one by one
        items = TupleV(each.items) if isinstance(each, Unrolled) else items
    if isinstance(items, TupleV):
        known = _known_order(sp, items.items, key, reverse, node)
        if known is not None:
            return TupleV(tuple(items.items[k] for k in known), is_list=True)
    pairs = is_view(items) and word_of(items) == "items" and is_none(key)
    whole = sp.to_list(items, node)

    def key_of(i: Atom) -> Value:
        item = sp.element(whole, i, node, checked=False)
        if pairs and isinstance(item, TupleV):
            return item.items[0]  # no two keys of a dict are equal: their values are not compared
        return item if is_none(key) else sp.call(key, (item,), node)

    keys = _compared(sp, sp.sequence(whole.length, key_of, node), node)
    order: ArrayV | None = None
    if _has_own_order(_example(keys.elem)):
        less = sorting.is_greater if reverse else sorting.is_less
        assert isinstance(less, FunctionType)
        before = FunctionV(definition_of(less), None)
        order = array_of(run_program(sp, sorting.places_in_order, (keys, before), node))
    else:
        for column in reversed(_columns(sp, keys, node)):
            order = _refined(sp, column, order, reverse, node)
    if order is None:  # all keys are the same constant
        _check_order(sp, whole, _example(keys.elem), node)
        return sp.copied(whole)
    places = order.atom
    made = sp.sequence(
        whole.length,
        lambda i: sp.element(whole, sp.b.index(places, (i,), checked=False), node, False),
        node,
    )
    if isinstance(items, TupleV) and len(items.items) <= _MOST_KNOWN:
        one_by_one = (sp.element(made, i64(k), node, False) for k, _ in enumerate(items.items))
        return TupleV(tuple(one_by_one), is_list=True)
    return made


def _compared(sp: Specialiser, keys: ListV, node: ast.AST) -> ListV:
    """Return keys with the lists that references among them lead to: their items are compared."""
    assert isinstance(sp, Run)
    made = in_full(sp, keys, node)
    assert isinstance(made, ListV)
    return made


_MOST_KNOWN = 4
"""The items of a short list in order are known one by one, as those of the list were: such a list
is taken apart, or made a key (``tuple(sorted((a, b)))``)."""


def _check_order(sp: Specialiser, items: ListV, key: Value, node: ast.AST) -> None:
    """Raise TypeError for several items with a key that has no order, which Python compares."""
    constants: list[Any] = [key.value] * 2 if isinstance(key, Static) else []
    try:
        sorted(constants)
    except TypeError as e:
        few = sp.b.prim("lt", items.length, i64(2))
        sp.require(few, "TypeError", str(e), node)


def _known_order(
    sp: Specialiser, items: Sequence[Value], key: Value, reverse: bool, node: ast.AST
) -> list[int] | None:
    """Return the order of items whose keys are constants."""
    keys = [v if is_none(key) else sp.call(key, (v,), node) for v in items]
    if len(items) < 2:
        return list(range(len(items)))
    if not all(isinstance(k, Static) for k in keys):
        return None
    values = [k.value for k in keys if isinstance(k, Static)]
    places = range(len(items))
    try:
        by_value: Callable[[int], Any] = values.__getitem__
        return sorted(places, key=by_value, reverse=reverse)
    except TypeError as e:
        sp.never("TypeError", str(e), node, ArgumentTypeError)


def _columns(sp: Specialiser, keys: ListV, node: ast.AST) -> list[ListV]:
    """Return the numbers by which the keys are compared, the most important column first."""
    found: list[ListV] = []

    def walk(item: Value, path: tuple[int, ...]) -> None:
        match item:
            case Scalar():
                found.append(sp.sequence(keys.length, lambda i: at(i, path), node))
            case SymbolV() if item.cls is str:
                assert isinstance(sp, Run)
                texts = sp.sequence(keys.length, lambda i: at(i, path), node)
                rank = made_texts.ranks(sp, texts, node)
                found.append(sp.sequence(keys.length, rank, node))
            case Static():
                return
            case TupleV() | RecordV() if _parts(item) is not None:
                for k, part in enumerate(_parts(item) or ()):
                    walk(part, (*path, k))
            case _:
                sp.refuse(
                    node,
                    f"items cannot be sorted by {sp.describe(item)}",
                    "sort by numbers, or tuples of them: key=lambda x: ...",
                    error=ArgumentTypeError,
                )

    def at(i: Atom, path: tuple[int, ...]) -> Value:
        value = sp.element(keys, i, node, checked=False)
        for k in path:
            parts = _parts(value)
            assert parts is not None
            value = parts[k]
        return value

    walk(_example(keys.elem), ())
    return found


def _parts(value: Value) -> tuple[Value, ...] | None:
    """Return the items of a value that is compared item by item."""
    if isinstance(value, TupleV):
        return value.items
    if isinstance(value, RecordV) and is_tuple_class(value.cls):
        return tuple(value.fields.values())
    return None


def _has_own_order(item: Value) -> bool:
    """Whether items are compared as a whole: lists, and objects by a method."""
    if isinstance(item, ListV):
        return True
    parts = _parts(item)
    if parts is not None:
        return any(map(_has_own_order, parts))
    if not isinstance(item, (RecordV, RefV)):
        return False
    return any("__lt__" in vars(c) for c in order_of(item.cls)[:-1])


def _example(kind: Kind) -> Value:
    return example(kind)


def _refined(
    sp: Specialiser, keys: ListV, before: ArrayV | None, reverse: bool, node: ast.AST
) -> ArrayV:
    """Return the order that sorts by ``keys``, of items that stand in the order ``before``; those
    with equal keys keep that order."""
    assert isinstance(keys.elem, ScalarK)
    t = keys.elem.type

    def key(indices: tuple[Atom, ...]) -> Atom:
        at = indices[0] if before is None else sp.b.index(before.atom, indices, checked=False)
        x = sp.b.index(keys.atoms[0], (at,), checked=False)
        if t == BOOL:
            x = sp.b.prim("to_int", x, static=(I64,))
        if not reverse:
            return x
        return sp.b.prim("neg" if isinstance(t, Real) else "invert", x)  # this reverses the order

    column = sp.array((keys.length,), key, node)
    found = sp.call(Static(np.argsort), (column,), node)
    assert isinstance(found, ArrayV)
    if before is None:
        return found
    return sp.array(
        (keys.length,),
        lambda i: sp.b.index(before.atom, (sp.b.index(found.atom, i, False),), False),
        node,
    )


@method("list", "copy")
def copy(sp: Specialiser, items: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """xs.copy()"""
    bind(sp, "copy", args, kwargs, node)
    if isinstance(items, TupleV):
        return TupleV(items.items, is_list=True)
    assert isinstance(items, ListV)
    return sp.copied(items)


# --- searching -----------------------------------------------------------------------------------


Text = tuple[str | Message, list[Atom]]
"""The message of an error, and what is recorded for it."""


@method("list", "index")
@method("tuple", "index")
def index(sp: Specialiser, items: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return xs.index(v); ValueError at run time if v is not in the list."""
    (wanted,) = bind(sp, "index", args, kwargs, node, value=MISSING)
    return found_at(sp, items, wanted, _not_there(sp, items, wanted, node), node)


def _not_there(sp: Specialiser, items: Value, wanted: Value, node: ast.AST) -> Text:
    """What Python says of a value that is not in a list or tuple."""
    if isinstance(items, (TupleV, ListV)) and items.cls is tuple:
        return "tuple.index(x): x not in tuple", []
    value = sp.scalar(wanted, node).atom if isinstance(wanted, Scalar) else None
    if isinstance(wanted, Static):
        return f"{wanted.value!r} is not in list", []
    if value is None:
        return "the value is not in the list", []
    return told(not_in_list, "the value is not in the list", value)


def items_equal(sp: Specialiser, item: Value, wanted: Value, node: ast.AST) -> Value:
    """Return ``==`` of an item and what it is compared with. Python asks first whether they are one
    object, which for arrays only the run knows."""
    equal = sp.compare("==", item, wanted, node)
    if isinstance(equal, ArrayV):
        reason = "arrays as items are compared by their identity, then by an ambiguous =="
        sp.refuse(node, reason, "np.array_equal(x, y)")
    return equal


def found_at(sp: Specialiser, items: Value, wanted: Value, text: Text, node: ast.AST) -> Value:
    """Return the place of the first item that is equal; ValueError at run time if there is none."""
    message, leaves = text
    if isinstance(items, TupleV):
        return _index_known(sp, items.items, 0, wanted, text, node)
    whole = sp.to_list(items, node)

    def differs(state: Sequence[Value]) -> Value:
        i = sp.scalar(state[0], node).atom

        def other() -> Value:
            item = sp.element(whole, i, node, checked=False)
            return sp.unary("not", items_equal(sp, item, wanted, node), node)

        more = sp.b.prim("lt", i, whole.length)
        return sp.branch(more, other, lambda: Static(False), node)

    def step(state: Sequence[Value]) -> Sequence[Value]:
        return [index_scalar(sp.b.prim("add", sp.scalar(state[0], node).atom, ext.ONE))]

    (found,) = sp.while_loop([index_scalar(ext.ZERO)], differs, step, node)
    place = sp.scalar(found, node).atom
    sp.require(sp.b.prim("lt", place, whole.length), "ValueError", message, node, *leaves)
    return index_scalar(place)


def _index_known(
    sp: Specialiser, items: Sequence[Value], k: int, wanted: Value, text: Text, node: ast.AST
) -> Value:
    if k == len(items):
        sp.require(_false(), "ValueError", text[0], node, *text[1])
        raise Unreachable
    same = sp.truth(items_equal(sp, items[k], wanted, node), node)

    def rest() -> Value:
        return _index_known(sp, items, k + 1, wanted, text, node)

    if isinstance(same, bool):
        return Static(k) if same else rest()
    return sp.branch(same, lambda: Static(k), rest, node)


def _false() -> Atom:
    return boolean(False)


@method("list", "count")
@method("tuple", "count")
def count(sp: Specialiser, items: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """xs.count(v)"""
    (wanted,) = bind(sp, "count", args, kwargs, node, value=MISSING)

    def step(state: Sequence[Value], item: Value) -> Sequence[Value]:
        same = sp.truth(items_equal(sp, item, wanted, node), node)
        if isinstance(same, bool):
            same = _false() if not same else sp.b.prim("not", _false())
        one = sp.b.prim("to_int", same, static=(I64,))
        return [index_scalar(sp.b.prim("add", sp.scalar(state[0], node).atom, one))]

    return sp.fold(sp.iterate(items, node), [index_scalar(ext.ZERO)], step, node)[0]


def equal(sp: Specialiser, a: Value, b: Value, node: ast.AST) -> Value:
    """Return ``==`` of two lists: their lengths are equal, and all their items."""
    x, y = sp.to_list(a, node), sp.to_list(b, node)

    def goes_on(state: Sequence[Value]) -> Value:
        i = sp.scalar(state[0], node).atom

        def same() -> Value:
            p, q = (sp.element(v, i, node, checked=False) for v in (x, y))
            return sp.compare("==", p, q, node)

        more = sp.b.prim("lt", i, x.length)
        return sp.branch(more, same, lambda: Static(False), node)

    def step(state: Sequence[Value]) -> Sequence[Value]:
        return [index_scalar(sp.b.prim("add", sp.scalar(state[0], node).atom, ext.ONE))]

    def items_equal() -> Value:
        (end,) = sp.while_loop([index_scalar(ext.ZERO)], goes_on, step, node)
        done = sp.b.prim("eq", sp.scalar(end, node).atom, x.length)
        return Scalar(done, py=True, bits=1)

    lengths = sp.b.prim("eq", x.length, y.length)
    if TupleK(()) in (x.elem, y.elem):  # one list is empty
        return Scalar(lengths, py=True, bits=1)
    return sp.branch(lengths, items_equal, lambda: Static(False), node)


__all__ = ["equal", "in_order"]
