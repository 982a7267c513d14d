"""Compile ``combinations``, ``permutations`` and ``combinations_with_replacement``.

Those of a sequence of known length are unrolled. Of any other one each pair can be asked for by its
number; larger selections come one after the other (``text/selections``)."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from contextlib import suppress

from pullback.core.build import i64, lit
from pullback.core.terms import Atom
from pullback.core.types import F64, I64
from pullback.errors import StaticValueError
from pullback.frontend.interpret.iteration import iterator
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    Indexed,
    Specialiser,
    Static,
    TupleV,
    Unrolled,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.itertools_functions import (
    MOST_UNROLLED,
    indexed_items,
    plain_items,
)
from pullback.frontend.library.text import selections
from pullback.frontend.memory.long_tuples import as_class

_SIZES = range(33)
"""The tuples of larger selections have a length that only the run knows."""


def _register_selection(
    function: Callable[..., object], pairs: Callable[[Specialiser, Indexed], Indexed]
) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        name = function.__name__
        default = MISSING if name != "permutations" else NONE
        values, r = bind(sp, name, args, kwargs, node, iterable=MISSING, r=default)
        items = plain_items(sp, values, node)
        size = None
        if not is_none(r):
            with suppress(StaticValueError):  # only the run knows it
                size = sp.static_int(r, node, f"the size r of {name}")
        known = is_none(r) or (size is not None and size >= 0)
        if isinstance(items, Unrolled) and known:
            width = len(items.items) if size is None else size
            rows = list(function(items.items, width))  # type: ignore[call-overload]  # tuples
            if len(rows) <= MOST_UNROLLED:
                return TupleV(tuple(TupleV(row) for row in rows))
        if size != 2:
            given = r if size is None else Static(size)
            return _selected(sp, function, items, given, node)
        items = indexed_items(sp, items, node)
        return iterator(pairs(sp, items), node)


def _selected(
    sp: Specialiser, function: object, items: Unrolled | Indexed, r: Value, node: ast.AST
) -> Value:
    """Return the selections of any size, one after the other."""
    found = indexed_items(sp, items, node)
    pool = as_class(sp.sequence(found.length, found.at, node), tuple)
    r = sp.length(pool, node) if is_none(r) else r
    least = sp.b.prim("ge", ext.int_atom(sp, r, node, "the size r"), ext.ZERO)
    sp.require(least, "ValueError", "r must be non-negative", node)
    count = r.value if isinstance(r, Static) else None
    slots = TupleV((NONE,) * count) if isinstance(count, int) and count in _SIZES else NONE
    if function is itertools.permutations:
        return run_program(sp, selections.permutations, (pool, r, slots), node)
    again = Static(function is not itertools.combinations)
    return run_program(sp, selections.combinations, (pool, r, slots, again), node)


def _ordered_pairs(sp: Specialiser, items: Indexed) -> Indexed:
    """Return ``permutations(xs, 2)``: item k is in row k // (n-1)."""
    n = items.length
    others = ext.sub(sp, n, ext.ONE)

    def at(k: Atom) -> Value:
        i, j = sp.b.prim("floordiv", k, others), sp.b.prim("mod", k, others)
        after = sp.b.prim("to_int", sp.b.prim("ge", j, i), static=(I64,))
        return TupleV((items.at(i), items.at(sp.b.prim("add", j, after))))

    return Indexed(sp.b.prim("mul.ck", n, others), at)


def _pairs(diagonal: bool) -> Callable[[Specialiser, Indexed], Indexed]:
    """Return ``combinations(xs, 2)``: row i has n-1-i items (with replacement: n-i). Counted from
    the end, item r is in the row of the largest triangular number t(m) = m(m+1)/2 that is at most
    r."""

    def pairs(sp: Specialiser, items: Indexed) -> Indexed:
        b, n = sp.b, items.length
        m = ext.add(sp, n, ext.ONE) if diagonal else n
        total = b.prim("floordiv", b.prim("mul.ck", m, b.prim("sub", m, ext.ONE)), i64(2))

        def triangular(k: Atom) -> Atom:
            twice = sp.b.prim("mul", k, sp.b.prim("add", k, ext.ONE))
            return sp.b.prim("floordiv", twice, i64(2))

        def at(k: Atom) -> Value:
            b = sp.b
            r = b.prim("sub", b.prim("sub", total, k), ext.ONE)
            real = b.prim("to_real", r, static=(F64,))
            root = b.prim("sqrt", b.prim("add", b.prim("mul", real, lit(8.0, F64)), lit(1.0, F64)))
            guess = b.prim("mul", b.prim("sub", root, lit(1.0, F64)), lit(0.5, F64))
            row = b.prim("to_int", b.prim("floor", guess), static=(I64,))
            for test, step in (("gt", "sub"), ("le", "add")):  # the root is rounded
                place = row if test == "gt" else b.prim("add", row, ext.ONE)
                off = b.prim(test, triangular(place), r)
                row = b.prim(step, row, b.prim("to_int", off, static=(I64,)))
            within = b.prim("sub", r, triangular(row))
            last = ext.sub(sp, n, ext.ONE)
            i = b.prim("sub", b.prim("sub", last, row), i64(0 if diagonal else 1))
            j = b.prim("sub", last, within)
            return TupleV((items.at(i), items.at(j)))

        return Indexed(total, at)

    return pairs


_register_selection(itertools.permutations, _ordered_pairs)
_register_selection(itertools.combinations, _pairs(diagonal=False))
_register_selection(itertools.combinations_with_replacement, _pairs(diagonal=True))
