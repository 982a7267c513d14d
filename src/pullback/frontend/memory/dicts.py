"""Dicts with constant keys: records whose class is ``dict`` and whose fields are the keys.

Keys are strings, ints and members of enums that are known when the function is compiled, so a dict
costs nothing: what is in it is found at compile time, and loops over it are unrolled. A dict that
the function made may be updated, by the ownership rule of lists.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from pullback.errors import ArgumentTypeError, ArgumentValueError, MutationError, StaticKeyError
from pullback.frontend.interpret import comprehensions
from pullback.frontend.kinds.values import (
    Owner,
    RecordV,
    Specialiser,
    Static,
    TupleV,
    Unrolled,
    Value,
    method,
    register,
)
from pullback.frontend.memory import chosen_keys
from pullback.frontend.python.records import is_key

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Args = Sequence[Value]
Kwargs = dict[str, Value]
Change = tuple[RecordV, Value]
_NONE = Static(None)


def made(fields: dict[str, Value]) -> RecordV:
    """A new dict."""
    return RecordV(dict, fields, None, frozenset({Owner("a dict")}), True)


def is_dict(value: Value) -> bool:
    return isinstance(value, RecordV) and value.cls is dict


def key_of(run: Specialiser, value: Value, node: ast.AST) -> str:
    """A key, which must be known. (Keys that are no strings stand where names do as they are.)"""
    rewrite = "loop over the dict itself (d.items(), d.values()), or use a list or an array"
    key = run.static(value, node, "the key of a dict", rewrite)
    if not is_key(key):
        run.refuse(
            node,
            f"a dict with the key {key!r}",
            "use strings, ints or members of an enum as keys",
            error=ArgumentTypeError,
        )
    return cast("str", key)


def display(run: Run, node: ast.Dict) -> Value:
    """``{k: v, **d}``"""

    fields: dict[str, Value] = {}
    for k, v in zip(node.keys, node.values, strict=False):
        with run.holding(*fields.values()):
            if k is None:
                fields |= _fields(run, run.evaluate(v), v)
            else:
                key = key_of(run, run.evaluate(k), k)
                fields[key] = run.evaluate(v)
    return made(fields)


def comprehension(run: Run, node: ast.DictComp) -> Value:
    """``{k: v for ...}`` over items that are known one by one."""
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node.value)
    items = comprehensions.items_of(run, node.generators, pair, node)
    if not isinstance(items, Unrolled):
        run.refuse(
            node,
            "a dict with keys that only the run knows",
            "loop over a tuple, a list display or another dict; or make a list",
        )
    return _of_pairs(run, items.items, node)


def _of_pairs(run: Specialiser, pairs: Sequence[Value], node: ast.AST) -> RecordV:
    fields: dict[str, Value] = {}
    for pair in pairs:
        items = run.iterate(pair, node)
        if not isinstance(items, Unrolled) or len(items.items) != 2:
            run.refuse(node, "a dict is made of pairs", error=ArgumentValueError)
        key, value = items.items
        fields[key_of(run, key, node)] = value
    return made(fields)


def _fields(run: Specialiser, value: Value, node: ast.AST) -> dict[str, Value]:
    if isinstance(value, RecordV) and value.cls is dict:
        return dict(value.fields)
    items = run.iterate(value, node)
    if not isinstance(items, Unrolled):
        run.refuse(node, f"a dict made of {run.describe(value)}", "write its keys")
    return _of_pairs(run, items.items, node).fields


@register(dict)
def dict_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if len(args) > 1:
        sp.refuse(node, "dict expected at most 1 argument", error=ArgumentTypeError)
    given = _fields(sp, args[0], node) if args else {}
    return made({**given, **kwargs})


def get_item(run: Run, value: RecordV, index: Value, node: ast.AST) -> Value:
    """``d[k]``"""
    if chosen_keys.is_chosen(index):
        missing = partial(chosen_keys.missing_key, run, value, index, node)
        return chosen_keys.item(run, value, index, missing, node)
    key = key_of(run, index, node)
    if key not in value.fields:
        run.never("KeyError", repr(key), node, StaticKeyError)
    return value.fields[key]


def union(left: RecordV, right: RecordV) -> Value:
    """``d | e``"""
    return made({**left.fields, **right.fields})


@method("dict", "get")
def get(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, RecordV)
    if kwargs or not 1 <= len(args) <= 2:
        sp.refuse(node, "get takes a key and a default", error=ArgumentTypeError)
    default = args[1] if len(args) == 2 else _NONE
    if chosen_keys.is_chosen(args[0]):
        return chosen_keys.item(cast("Run", sp), d, args[0], lambda: default, node)
    return d.fields.get(key_of(sp, args[0], node), default)


@method("dict", "items", "keys", "values", "copy")
def views(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(d, RecordV) and isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    if args or kwargs:
        sp.refuse(node, f"{name} takes no arguments", error=ArgumentTypeError)
    match name:
        case "keys":
            return TupleV(tuple(map(Static, d.fields)))
        case "values":
            return TupleV(tuple(d.fields.values()))
        case "items":
            return TupleV(tuple(TupleV((Static(k), v)) for k, v in d.fields.items()))
        case _:
            return made(dict(d.fields))


# --- updates -------------------------------------------------------------------------------------


def store_at(
    run: Run,
    d: RecordV,
    index: Value,
    value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> RecordV:
    """``d[k] = v``; ``value`` may ask for the old value."""
    if chosen_keys.is_chosen(index):
        return _stored_by_choice(run, d, index, value, node)
    key = key_of(run, index, node)
    new = value(lambda: get_item(run, d, index, node))
    return replace(d, fields={**d.fields, key: new})


def _stored_by_choice(
    run: Run,
    d: RecordV,
    index: Value,
    value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> RecordV:
    was_read = False

    def old() -> Value:
        nonlocal was_read
        was_read = True
        return get_item(run, d, index, node)

    new = value(old)
    return replace(d, fields=chosen_keys.stored(run, d, index, new, was_read, node))


def pop(run: Run, d: RecordV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    if kwargs or not 1 <= len(args) <= 2:
        run.refuse(node, "pop takes a key and a default", error=ArgumentTypeError)
    key = key_of(run, args[0], node)
    if key not in d.fields and len(args) == 2:
        return d, args[1]
    value = get_item(run, d, args[0], node)
    return replace(d, fields={k: v for k, v in d.fields.items() if k != key}), value


def update(run: Run, d: RecordV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    if len(args) > 1:
        run.refuse(node, "update takes one dict", error=ArgumentTypeError)
    new = _fields(run, args[0], node) if args else {}
    return replace(d, fields={**d.fields, **new, **kwargs}), _NONE


def setdefault(run: Run, d: RecordV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    if kwargs or not 1 <= len(args) <= 2:
        run.refuse(node, "setdefault takes a key and a default", error=ArgumentTypeError)
    key = key_of(run, args[0], node)
    if key in d.fields:
        return d, d.fields[key]
    value = args[1] if len(args) == 2 else _NONE
    return replace(d, fields={**d.fields, key: value}), value


def clear(run: Run, d: RecordV, args: Args, kwargs: Kwargs, node: ast.AST) -> Change:
    if args or kwargs:
        run.refuse(node, "clear takes no arguments", error=ArgumentTypeError)
    return replace(d, fields={}), _NONE


UPDATES: dict[str, Callable[[Run, RecordV, Args, Kwargs, ast.AST], Change]] = {
    "pop": pop, "update": update, "setdefault": setdefault, "clear": clear,
}  # fmt: skip

__all__ = ["UPDATES", "MutationError", "comprehension", "display", "get_item", "store_at", "union"]
