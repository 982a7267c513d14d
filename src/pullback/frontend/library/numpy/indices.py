"""Count indices of arrays from the start, and check them."""

from __future__ import annotations

import ast

from pullback.core.build import i64
from pullback.core.messages import Limit
from pullback.core.terms import Atom, Lit
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import OptionalV, Specialiser, Static, Value
from pullback.frontend.library.told import not_inside, told


def without_none(sp: Specialiser, item: Value, node: ast.AST) -> Value:
    """Return an index that may be None as one that is not: None would give a result of another
    rank, which no compiled code has, so this is checked when the program runs."""
    while isinstance(item, OptionalV) and isinstance(item.other, Static) and (
        item.other.value is None
    ):
        sp.require(item.there, Limit("TypeError"), _NONE_ADDS_AN_AXIS, node)
        item = item.value
    return item


_NONE_ADDS_AN_AXIS = (
    "an index of an array is None, which would add an axis: ask first whether it is not None"
)


def in_range(
    sp: Specialiser, index: Atom, extent: Atom, node: ast.AST,
    message: str = "index is out of bounds", axis: int | None = None,
) -> Atom:  # fmt: skip
    """Return the position, counted from the start; IndexError at run time if the array has no such
    position. ``axis``: where it is known, the text names it, the index and the extent."""
    given = () if axis is None else (index, i64(axis), extent)
    shown, leaves = told(not_inside, message, *given) if given else (message, [])
    if (
        isinstance(index, Lit)
        and isinstance(extent, Lit)
        and -int(extent.value) <= int(index.value) < int(extent.value)
    ):
        return i64(int(index.value) % int(extent.value))
    if isinstance(index, Lit):
        position = index if int(index.value) >= 0 else sp.b.prim("add", index, extent)
        below = sp.b.prim("lt", position, extent) if position is index else None
        cond = below if below is not None else sp.b.prim("ge", position, ext.ZERO)
        sp.require(cond, "IndexError", shown, node, *leaves)
        return position
    position = wrapped(sp, index, extent)
    low = None
    if not ext.never_negative(sp, position):
        low = sp.b.prim("ge", position, ext.ZERO)
    inside = sp.b.prim("lt", position, extent)
    if low is not None:
        inside = sp.b.prim("and", low, inside)
    sp.require(inside, "IndexError", shown, node, *leaves)
    ext.note_position(sp, position)
    return position


def wrapped(sp: Specialiser, index: Atom, extent: Atom) -> Atom:
    """Return an index in which a negative one has been counted from the end."""
    if ext.never_negative(sp, index):
        return index
    from_end = sp.b.prim("add", index, extent)
    return sp.b.prim("select", sp.b.prim("lt", index, ext.ZERO), from_end, index)
