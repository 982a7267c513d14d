"""Compile ``np.pad`` and ``np.kron``."""

from __future__ import annotations

import ast

import numpy as np

from pullback.core.terms import Atom
from pullback.core.types import Real
from pullback.errors import ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.library.numpy.elementwise import strong
from pullback.frontend.library.numpy.rearrange import as_array

Indices = tuple[Atom, ...]
_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


@register(np.pad)
def pad(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, width, kind, constant = bind(
        sp, "np.pad", args, kwargs, node, array=MISSING, pad_width=MISSING,
        mode=Static("constant"), constant_values=Static(0),
    )  # fmt: skip
    array = as_array(sp, x, node)
    mode = sp.static(kind, node, "the mode of np.pad")
    if mode not in _MODES:
        sp.refuse(node, f"np.pad with mode={mode!r}", f"use one of {', '.join(_MODES)}")
    if isinstance(constant, (TupleV, ListV, ArrayV)):
        sp.refuse(node, "np.pad with several constant_values", "give one number")
    own = ext.extents(sp, array)
    widths = _widths(sp, width, array.rank, node)
    for sides in widths:
        for side in sides:
            message = "index can't contain negative values"
            sp.require(sp.b.prim("ge", side, ext.ZERO), "ValueError", message, node)
    extents = tuple(
        ext.add(sp, ext.add(sp, a, n), b) for n, (a, b) in zip(own, widths, strict=True)
    )
    if mode == "constant":
        return _with_constant(sp, array, constant, extents, widths, node)
    for k, n in enumerate(own):
        message = (
            f"can't extend empty axis {k} using modes other than 'constant' or 'empty'"
        )
        sp.require(sp.b.prim("gt", n, ext.ZERO), "ValueError", message, node)

    def item(i: Indices) -> Atom:
        at = (
            _source(sp, str(mode), sp.b.prim("sub", j, a), n)
            for j, n, (a, _) in zip(i, own, widths, strict=True)
        )
        return sp.b.index(array.atom, tuple(at), checked=False)

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


def _source(sp: Specialiser, mode: str, i: Atom, n: Atom) -> Atom:
    """Return the position, in an axis of n elements, of the element that is padded to ``i`` places
    after the first one."""
    b = sp.b
    last = b.prim("sub", n, ext.ONE)
    match mode:
        case "edge":
            return b.prim("min", b.prim("max", i, ext.ZERO), last)
        case "wrap":
            return b.prim("mod", i, n)
        case "reflect":  # back and forth, without the ends twice
            period = b.prim("max", b.prim("add", last, last), ext.ONE)
            j = b.prim("mod", i, period)
            return b.prim("min", j, b.prim("sub", period, j))
        case _:
            period = b.prim("add", n, n)
            j = b.prim("mod", i, period)
            return b.prim("min", j, b.prim("sub", b.prim("sub", period, j), ext.ONE))


def _with_constant(
    sp: Specialiser,
    array: ArrayV,
    constant: Value,
    extents: Indices,
    widths: list[tuple[Atom, Atom]],
    node: ast.AST,
) -> Value:
    given = sp.scalar(constant, node)
    if isinstance(given.type, Real) and not isinstance(array.elem, Real):
        sp.refuse(
            node,
            "np.pad of whole numbers with a float, which would be cut off",
            "make the array one of floats: a.astype(np.float64)",
        )
    outside = Scalar(sp.convert(given, array.elem, node), False)
    own = ext.extents(sp, array)

    def item(i: Indices) -> Atom:
        at = tuple(sp.b.prim("sub", j, a) for j, (a, _) in zip(i, widths, strict=True))
        tests = [
            sp.b.prim("and", sp.b.prim("ge", j, ext.ZERO), sp.b.prim("lt", j, n))
            for j, n in zip(at, own, strict=True)
        ]
        inside = tests[0]
        for test in tests[1:]:
            inside = sp.b.prim("and", inside, test)
        found = sp.branch(
            inside,
            lambda: Scalar(sp.b.index(array.atom, at, checked=False), False),
            lambda: outside,
            node,
        )
        return sp.scalar(found, node).atom

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


def _widths(
    sp: Specialiser, width: Value, rank: int, node: ast.AST
) -> list[tuple[Atom, Atom]]:
    """Return the numbers of elements before and after each axis, from n, (n, m), or a pair for each
    axis."""

    def number(v: Value) -> Atom:
        return ext.int_atom(sp, v, node, "pad_width")

    def pair(v: Value) -> tuple[Atom, Atom]:
        match v:
            case TupleV((a, b)):
                return number(a), number(b)
            case TupleV((a,)):
                return number(a), number(a)
            case _:
                return number(v), number(v)

    match width:
        case TupleV(items) if any(isinstance(v, TupleV) for v in items):
            if len(items) not in (1, rank):
                sp.refuse(
                    node, f"np.pad of {rank} axes with {len(items)} widths",
                    error=ArgumentValueError,
                )
            return [pair(v) for v in (items * rank if len(items) == 1 else items)]
        case _:
            return [pair(width)] * rank


@register(np.kron)
def kron(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    a, b = bind(sp, "np.kron", args, kwargs, node, a=MISSING, b=MISSING)
    if not all(isinstance(v, (ArrayV, TupleV, ListV)) for v in (a, b)):
        return sp.call(Static(np.multiply), [strong(sp, v, node) for v in (a, b)], node)
    x, y = as_array(sp, a, node), as_array(sp, b, node)
    rank = max(x.rank, y.rank)
    outer, inner = _filled(sp, x, rank), _filled(sp, y, rank)
    extents = tuple(ext.mul(sp, m, n) for m, n in zip(outer, inner, strict=False))

    def item(i: Indices) -> Atom:
        left = tuple(ext.floordiv(sp, j, n) for j, n in zip(i, inner, strict=False))[
            rank - x.rank :
        ]
        right = tuple(ext.mod(sp, j, n) for j, n in zip(i, inner, strict=False))[rank - y.rank :]
        p, q = (
            Scalar(sp.b.index(array.atom, at, checked=False), False)
            for array, at in ((x, left), (y, right))
        )
        return sp.scalar(sp.binop("*", p, q, node), node).atom

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


def _filled(sp: Specialiser, x: ArrayV, rank: int) -> Indices:
    return (*(ext.ONE,) * (rank - x.rank), *ext.extents(sp, x))


__all__ = ["kron", "pad"]
