"""The steps of ``text.hashing`` that are less than Python would do: no index is out of range."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from pullback.core.build import boolean, i64
from pullback.core.terms import Atom
from pullback.core.types import I64
from pullback.frontend.kinds.flatten import flatten
from pullback.frontend.kinds.values import (
    ListV,
    Scalar,
    Specialiser,
    Value,
    index_scalar,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs

_ROUND = 0x9E3779B97F4A7C15 - (1 << 64)
"""The golden ratio in 64 bits, as a signed number: neighbours are put far apart."""


def code(key: Any) -> int:
    """Return a number that follows from a key."""
    return hash(key)


@register(code)
def _code(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (key,) = args
    found: Atom = i64(_ROUND)
    for leaf in flatten(key).atoms:
        number = sp.convert(Scalar(leaf, True), I64, node)
        mixed = sp.b.prim("mul", sp.b.prim("xor", found, number), i64(_ROUND))
        found = sp.b.prim("xor", mixed, sp.b.prim("shr", mixed, i64(32)))
    return Scalar(found, True)


def first(code: int, index: list[int]) -> int:
    """Return the place of the index where the search for a key of this code begins."""
    return code % len(index)


@register(first)
def _first(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    number, index = args
    assert isinstance(index, ListV)
    last = sp.b.prim("sub", index.length, i64(1))
    return index_scalar(sp.b.prim("and", sp.scalar(number, node).atom, last))


def after(at: int, index: list[int]) -> int:
    """Return the next place of the index."""
    return (at + 1) % len(index)


@register(after)
def _after(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    at, index = args
    assert isinstance(index, ListV)
    following = sp.b.prim("add", sp.scalar(at, node).atom, i64(1))
    return index_scalar(sp.b.prim("and", following, sp.b.prim("sub", index.length, i64(1))))


def number(index: list[int], at: int) -> int:
    """Return what stands at a place of the index."""
    return index[at]


@register(number)
def _number(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    index, at = args
    assert isinstance(index, ListV)
    return index_scalar(sp.b.index(index.atoms[0], (sp.scalar(at, node).atom,), checked=False))


def same(keys: Sequence[Any], e: int, key: Any) -> bool:
    """Whether entry e has this key."""
    return bool(keys[e] == key)


@register(same)
def _same(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    keys, e, key = args
    assert isinstance(keys, ListV)
    at = sp.scalar(e, node).atom
    found: Atom | None = None
    for leaf, column in zip(flatten(key).atoms, keys.atoms, strict=True):
        equal = sp.b.prim("eq", sp.b.index(column, (at,), checked=False), leaf)
        found = equal if found is None else sp.b.prim("and", found, equal)
    return Scalar(boolean(True) if found is None else found, True, 1)
