"""Compile ``zip(*rows)``: the columns of a table whose number of rows is known at run time only.

Rows that are tuples (``xs, ys = zip(*pairs)``) have a known number of columns, and each column is a
list. Otherwise the columns are items that can be asked for one by one; each is a list of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.kinds import TupleK
from pullback.frontend.kinds.values import (
    ArrayV,
    GeneratorV,
    Indexed,
    ListV,
    Scalar,
    Specialiser,
    TupleV,
    Value,
    index_scalar,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.memory.long_tuples import as_class

_MANY = 1 << 62


def columns(rows: Iterable[object]) -> None:
    """Stand for ``zip`` where it is called with ``*rows``."""


@register(columns)
def _columns(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (rows,) = args
    if isinstance(rows, ArrayV) and rows.rank < 2:
        reason = f"the elements of {sp.describe(rows)} are not iterable"
        sp.refuse(node, reason, "zip(a, b): give the arrays", error=ArgumentTypeError)
    if isinstance(rows, ListV) and isinstance(rows.elem, TupleK) and not rows.elem.is_list:
        return _of_tuples(sp, rows, len(rows.elem.items), node)
    count = ext.int_atom(sp, sp.length(rows, node), node, "len")

    def column(j: Atom) -> Value:
        def item(i: Atom) -> Value:
            return sp.subscript(_row(sp, rows, i, node), index_scalar(j), node)

        return as_class(sp.sequence(count, item, node), tuple)

    width = _shortest(sp, rows, count, node)
    return GeneratorV(node, Indexed(width, column))


def _row(sp: Specialiser, rows: Value, i: Atom, node: ast.AST) -> Value:
    if isinstance(rows, ListV):
        return sp.element(rows, i, node, checked=False)
    return sp.subscript(rows, index_scalar(i), node)


def _shortest(sp: Specialiser, rows: Value, count: Atom, node: ast.AST) -> Atom:
    """Return the number of columns: that of the shortest row, 0 if there is no row."""

    def step(i: Atom, state: Args) -> Args:
        own = ext.int_atom(sp, sp.length(_row(sp, rows, i, node), node), node, "len")
        before = ext.int_atom(sp, state[0], node, "len")
        return [Scalar(sp.b.prim("min", before, own), True)]

    if isinstance(rows, ArrayV):
        found = ext.extents(sp, rows)[1]
    else:
        (least,) = sp.repeat(count, [Scalar(i64(_MANY), True)], step, node)
        found = ext.int_atom(sp, least, node, "len")
    return sp.b.prim("select", sp.b.prim("gt", count, ext.ZERO), found, ext.ZERO)


def _of_tuples(sp: Specialiser, rows: ListV, width: int, node: ast.AST) -> Value:
    some = sp.b.prim("gt", rows.length, ext.ZERO)
    message = f"not enough values to unpack (expected {width}, got 0)"
    sp.require(some, "ValueError", message, node)

    def column(k: int) -> Value:
        def item(i: Atom) -> Value:
            row = sp.element(rows, i, node, checked=False)
            assert isinstance(row, TupleV)
            return row.items[k]

        return as_class(sp.sequence(rows.length, item, node), tuple)

    return TupleV(tuple(map(column, range(width))))


__all__ = ["columns"]
