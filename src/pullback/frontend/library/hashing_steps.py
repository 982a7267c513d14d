"""The steps of ``text.hashing`` that are less than Python would do: no index is out of range."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from pullback.core.build import boolean, i64
from pullback.core.terms import Atom
from pullback.frontend.kinds.flatten import flatten
from pullback.frontend.kinds.key_numbers import number_of
from pullback.frontend.kinds.kinds import Kind, OptionalK, parts
from pullback.frontend.kinds.table_keys import has_methods
from pullback.frontend.kinds.values import (
    ListV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    index_scalar,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.memory import keys_by_methods

if TYPE_CHECKING:
    from pullback.frontend.run import Run

def code(key: Any, pythons: bool) -> int:
    """Return a number that follows from a key: what Python's ``hash`` gives, or of an int another
    one, by which neighbours are far apart."""
    return hash(key)


@register(code)
def _code(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    key, pythons = args
    return Scalar(number_of(sp, key, node, _is_true(pythons)), True)


def first(code: int, index: list[int]) -> int:
    """Return the place of the index where the search for a key of this code begins."""
    return code % len(index)


@register(first)
def _first(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    number, index = args
    assert isinstance(index, ListV)
    last = sp.b.prim("sub", index.length, i64(1))
    return index_scalar(sp.b.prim("and", sp.scalar(number, node).atom, last))


def after(
    at: int, start: int, rest: int, index: list[int], pythons: bool
) -> tuple[int, int, int]:
    """Return the next place of the index, where the run of places began in which it is, and what is
    left of the code: of Python's, one of the nine places behind the first, or another first one."""
    last = len(index) - 1
    if not pythons:
        return (at + 1) & last, start, rest
    if at < start + RUN and start + RUN <= last:
        return at + 1, start, rest
    rest = (rest % (1 << 64)) >> 5
    at = (5 * start + 1 + rest) & last
    return at, at, rest


def _is_true(known: Value) -> bool:
    return isinstance(known, Static) and known.value is True


RUN = 9
"""So many places behind the first one are looked at, unless they are beyond the end."""


@register(after)
def _after(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    at, start, rest = (sp.scalar(v, node).atom for v in args[:3])
    index, b = args[3], sp.b
    assert isinstance(index, ListV)
    last, following = b.prim("sub", index.length, i64(1)), b.prim("add", at, i64(1))
    if not _is_true(args[4]):
        return TupleV((index_scalar(b.prim("and", following, last)), *args[1:3]))
    end = b.prim("add", start, i64(RUN))
    goes_on = b.prim("and", b.prim("lt", at, end), b.prim("le", end, last))
    less = b.prim("and", b.prim("shr", rest, i64(5)), i64((1 << 59) - 1))
    jump = b.prim("add", b.prim("mul", start, i64(5)), b.prim("add", less, i64(1)))
    jump = b.prim("and", jump, last)
    pairs = (following, jump), (start, jump), (rest, less)
    place, first_place, left = (b.prim("select", goes_on, *pair) for pair in pairs)
    return TupleV((index_scalar(place), index_scalar(first_place), Scalar(left, True)))


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
    if has_methods(keys.elem):
        return _same_by_methods(cast("Run", sp), sp.element(keys, at, node, False), key, node)
    read = (sp.b.index(column, (at,), checked=False) for column in keys.atoms)
    stored: Iterator[Atom] = read
    if _is_of_several(keys.elem):
        own = keys_by_methods.plain(cast("Run", sp), sp.element(keys, at, node, False))
        stored = iter(flatten(own).atoms)
    return Scalar(_all_equal(sp, stored, iter(flatten(key).atoms)), True, 1)


def _is_of_several(kind: Kind) -> bool:
    """Whether a key may be one of more than two things: one that was put in when there were fewer
    need not have the same leaves."""
    own = isinstance(kind, OptionalK) and isinstance(kind.inner, OptionalK)
    return own or any(map(_is_of_several, parts(kind)))


def _all_equal(sp: Specialiser, xs: Iterator[Atom], ys: Iterator[Atom]) -> Atom:
    found: Atom | None = None
    for x, y in zip(xs, ys, strict=True):
        equal = sp.b.prim("eq", x, y)
        found = equal if found is None else sp.b.prim("and", found, equal)
    return boolean(True) if found is None else found


def _same_by_methods(run: Run, stored: Value, key: Value, node: ast.AST) -> Value:
    """The same where methods of objects in the keys are to be asked."""
    alike = _all_equal(run, keys_by_methods.leaves(stored), keys_by_methods.leaves(key))
    found: Value = Scalar(alike, True, 1)
    for a, b in keys_by_methods.pairs(stored, key):
        so_far = run.truth(found, node)
        both = partial(keys_by_methods.equal, run, a, b, node)
        found = run.branch(so_far, both, lambda: Static(False), node)
    return found
