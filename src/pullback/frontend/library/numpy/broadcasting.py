"""Broadcast operands: compute their common extents, and read each of them at indices of the
result."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pullback.core.messages import Message
from pullback.core.terms import Atom, Lit
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import ArrayV, ListV, Scalar, Specialiser, Static, TupleV, Value
from pullback.frontend.library.numpy.sequences import to_array
from pullback.frontend.library.told import not_broadcast, told

Indices = tuple[Atom, ...]


Read = Callable[[Indices], Scalar]
"""A function that emits an operand's element for the element of the result at these indices."""


def broadcast(
    sp: Specialiser, arrays: Sequence[ArrayV], node: ast.AST, message: str = ext.NO_BROADCAST,
    text: Callable[..., str] = not_broadcast, exception: str = "ValueError",
) -> tuple[Indices, list[Read]]:  # fmt: skip
    """Return the broadcast extents of the arrays, and a reader for each of them. What ``a += b``
    updates is for NumPy an operand once more."""
    shapes = [ext.extents(sp, a) for a in arrays]
    rank = max(len(s) for s in shapes)
    again = shapes[:1] if isinstance(node, ast.AugAssign) and text is not_broadcast else []
    shown, leaves = told(text, message, *shapes, *again)
    result = tuple(
        common_extent(
            sp, [s[k - rank] for s in shapes if len(s) >= rank - k], node, shown, leaves, exception
        )
        for k in range(rank)
    )
    return result, [reader(sp, a, s, result) for a, s in zip(arrays, shapes, strict=True)]


def common_extent(
    sp: Specialiser, extents: Sequence[Atom], node: ast.AST,
    message: str | Message = ext.NO_BROADCAST, leaves: Sequence[Atom] = (),
    exception: str = "ValueError",
) -> Atom:  # fmt: skip
    """Return the extent to which extents along one axis broadcast; ValueError, or another
    ``exception``, at run time if they do not."""
    result: Atom = ext.ONE
    for extent in extents:
        if ext.same(sp, extent, ext.ONE) or ext.same(sp, extent, result):
            continue
        if ext.same(sp, result, ext.ONE):
            result = extent
            continue
        if sp.assume_equal:
            ext.check_equal(sp, result, extent, ext.NO_BROADCAST, node)
            if isinstance(extent, Lit):
                result = extent
            continue
        fits = sp.b.prim("eq", result, extent)
        loose = [e for e in (result, extent) if not isinstance(e, Lit)]
        ones = [sp.b.prim("eq", e, ext.ONE) for e in loose]
        for one in ones:
            fits = sp.b.prim("or", fits, one)
        sp.require(fits, exception, message, node, *leaves)
        if isinstance(extent, Lit):
            result = extent
        elif not isinstance(result, Lit):
            result = sp.b.prim("select", ones[0], extent, result)
    return result


def reader(sp: Specialiser, array: ArrayV, own: Indices, result: Indices) -> Read:
    """Return a reader of the elements of ``array`` (of extents ``own``) at indices of the
    result."""
    lead = len(result) - len(own)
    axes = range(len(own))
    single = [ext.same(sp, own[k], ext.ONE) and not _literal_one(result[lead + k]) for k in axes]
    unsure = [not single[k] and not ext.same(sp, own[k], result[lead + k]) for k in axes]
    atom, gates = array.atom, {}
    if any(unsure):
        if array.atom in ext.facts(sp).built:
            gates = {k: sp.b.prim("eq", own[k], ext.ONE) for k in axes if unsure[k]}
        else:
            wanted = [result[lead + k] if unsure[k] else own[k] for k in axes]
            atom = sp.b.prim("broadcast", atom, *wanted)

    def read(indices: Indices) -> Scalar:
        at: list[Atom] = []
        for k in axes:
            index = indices[lead + k]
            if single[k]:
                index = ext.ZERO
            elif k in gates:
                index = sp.b.prim("select", gates[k], ext.ZERO, index)
            at.append(index)
        return Scalar(sp.b.index(atom, tuple(at), checked=False), py=False)

    return read


def _literal_one(extent: Atom) -> bool:
    return isinstance(extent, Lit) and int(extent.value) == 1


def scalars(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return an operand of an elementwise operation: an array or a number (a list becomes an
    array)."""
    if isinstance(value, (TupleV, ListV)):
        return to_array(sp, value, node)
    if not isinstance(value, ArrayV):
        return sp.scalar(value, node) if not isinstance(value, Static) else value
    return value

