"""Dicts of which only the run knows which of their keys they have: read, asked, updated by key."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn, TypeGuard, cast

from pullback.core.build import boolean, i64
from pullback.core.messages import of_key
from pullback.core.terms import Atom
from pullback.errors import StaticKeyError
from pullback.frontend.kinds.values import (
    MaybeV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    Value,
    method,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.python.object_classes import LooseDict

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def is_loose(value: Value) -> TypeGuard[RecordV]:
    return isinstance(value, RecordV) and value.cls is LooseDict


def _key(run: Run, key: Value, node: ast.AST) -> str:
    """Return a key, which must be known. Those that are no strings are in no such dict."""
    known = run.static(key, node, "the key of a dict that may lack keys")
    try:
        hash(known)
    except TypeError:
        run.refuse(node, f"unhashable type: {type(known).__name__!r}")
    return cast("str", known)


def there(run: Run, d: RecordV, key: Value, node: ast.AST) -> bool | Atom:
    """Whether the dict has a key."""
    part = d.fields.get(_key(run, key, node))
    return part.bound if isinstance(part, MaybeV) else part is not None


def contains(run: Run, d: RecordV, key: Value, node: ast.AST) -> Value:
    """Compile ``key in d``."""
    found = there(run, d, key, node)
    return Static(found) if isinstance(found, bool) else Scalar(found, True, 1)


def get_item(run: Run, d: RecordV, key: Value, node: ast.AST) -> Value:
    """Compile ``d[key]``."""
    known = _key(run, key, node)
    part = d.fields.get(known)
    if part is None:
        run.never("KeyError", of_key(known), node, StaticKeyError)
    if not isinstance(part, MaybeV):
        return part
    run.require(part.bound, "KeyError", of_key(known), node)
    return part.value


def part_of(run: Run, value: RecordV, name: str, node: ast.AST) -> Value:
    """Return a part that may be missing: of such a dict, or the attribute of an object."""
    if is_loose(value):
        return get_item(run, value, Static(name), node)
    return run.attribute(value, name, node)


@method("loose dict", "get")
def get(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Compile ``d.get(key, default)``."""
    assert isinstance(d, RecordV)
    run = cast("Run", sp)
    if kwargs or not 1 <= len(args) <= 2:
        run.refuse(node, "get takes a key and a default")
    default = args[1] if len(args) == 2 else Static(None)
    part = d.fields.get(_key(run, args[0], node))
    if isinstance(part, MaybeV):
        inner = part.value
        return run.branch(part.bound, lambda: inner, lambda: default, node)
    return default if part is None else part


def store_at(
    run: Run, d: RecordV, index: Value, value: Callable[[Callable[[], Value]], Value], node: ast.AST
) -> RecordV:
    """Compile ``d[key] = v``; ``value`` may ask for the old value."""
    known = _key(run, index, node)
    if type(known) is not str:
        refuse(run, node)
    new = value(lambda: get_item(run, d, index, node))
    return replace(d, fields={**d.fields, known: new})


def _others(sp: Specialiser, d: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    refuse(sp, node)


for _name in ("copy", "items", "keys", "pop", "popitem", "setdefault", "update", "values"):
    method("loose dict", _name)(_others)


def truth(run: Run, d: RecordV) -> bool | Atom:
    """Whether the dict has keys."""
    bound = [v.bound for v in d.fields.values() if isinstance(v, MaybeV)]
    if len(bound) < len(d.fields):
        return True
    some: Atom = boolean(False)
    for test in bound:
        some = run.b.prim("or", some, test)
    return some


def length(run: Specialiser, d: RecordV) -> Value:
    """Return how many keys the dict has."""
    bound = [v.bound for v in d.fields.values() if isinstance(v, MaybeV)]
    count: Atom = i64(len(d.fields) - len(bound))
    for test in bound:
        more = run.b.prim("select", test, i64(1), i64(0))
        count = run.b.prim("add", count, more)
    return Scalar(count, True, 31)


def refuse(run: Specialiser, node: ast.AST) -> NoReturn:
    """Refuse what asks for more than the values of known keys."""
    run.refuse(
        node,
        "which keys this dict has, and in which order, only the run knows: it is read, asked and "
        "updated by its keys",
        "give the dicts the same keys, or use a dataclass for each of them",
    )


__all__ = [
    "contains", "get", "get_item", "is_loose", "length", "part_of", "refuse", "store_at", "truth",
]  # fmt: skip
