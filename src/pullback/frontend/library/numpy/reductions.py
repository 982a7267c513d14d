"""Reduce over index spaces: sums, products, tests, and the place of the largest element.

A sum of reals is a ``Sum_`` (parallel, lanes). All others are nested ``Loop``s. For a maximum the
*place* is computed first, and then read: its derivative is the derivative of that read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pullback.core.build import boolean, lit
from pullback.core.terms import Atom, Loop, Var
from pullback.core.types import I64, Real, Type
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.dtypes import Element
from pullback.frontend.kinds.values import Specialiser

Indices = tuple[Atom, ...]
Read = Callable[[Indices], Atom]


def nest(
    sp: Specialiser,
    extents: Sequence[Atom],
    inits: Sequence[Atom],
    step: Callable[[Indices, Sequence[Atom]], Sequence[Atom]],
    indices: Indices = (),
) -> list[Atom]:
    """Emit ``state = step(indices, state)`` for all indices below ``extents``, the last one
    fastest. Return the last state."""
    if not extents:
        return list(step(indices, inits))
    index = Var("i", I64)
    carried = tuple(Var("s", a.type) for a in inits)
    body = sp.block(lambda: nest(sp, extents[1:], carried, step, (*indices, index)))
    types: tuple[Type, ...] = tuple(a.type for a in inits)
    return list(sp.b.let(Loop(extents[0], index, carried, tuple(inits), body), types))


def sum_of(sp: Specialiser, extents: Sequence[Atom], read: Read, t: Element, node: ast.AST) -> Atom:
    """Return the sum of ``read(indices)``, numbers of type ``t`` (not Bool). Ints wrap, as NumPy's
    do."""
    if isinstance(t, Real):
        return sp.sum(extents, read, node)

    def step(indices: Indices, state: Sequence[Atom]) -> Sequence[Atom]:
        return [sp.b.prim("add", state[0], read(indices))]

    return nest(sp, extents, [lit(0, t)], step)[0]


def product_of(sp: Specialiser, extents: Sequence[Atom], read: Read, t: Element) -> Atom:
    """Return the product of ``read(indices)``, numbers of type ``t``."""

    def step(indices: Indices, state: Sequence[Atom]) -> Sequence[Atom]:
        return [sp.b.prim("mul", state[0], read(indices))]

    return nest(sp, extents, [lit(1, t)], step)[0]


def test_of(sp: Specialiser, extents: Sequence[Atom], read: Read, name: str) -> Atom:
    """Return whether all of the truth values hold (``name`` is "and"), or any of them ("or")."""

    def step(indices: Indices, state: Sequence[Atom]) -> Sequence[Atom]:
        return [sp.b.prim(name, state[0], read(indices))]

    return nest(sp, extents, [boolean(name == "and")], step)[0]


def place_of(
    sp: Specialiser, extents: Sequence[Atom], read: Read, largest: bool, python: bool = False
) -> Indices:
    """Return the indices of the first largest (or smallest) element; there must be one.

    A NaN wins as in NumPy; with ``python`` comparisons decide as in Python's max and min."""
    zeros: Indices = (ext.ZERO,) * len(extents)

    def better(x: Atom, best: Atom) -> Atom:
        if python or not isinstance(x.type, Real):
            return sp.b.prim("gt" if largest else "lt", x, best)
        loses = sp.b.prim("le" if largest else "ge", x, best)
        return sp.b.prim("and", sp.b.prim("not", loses), sp.b.prim("eq", best, best))

    def value(indices: Indices) -> Atom:
        x = read(indices)
        return sp.b.prim("stop_gradient", x) if isinstance(x.type, Real) else x

    def step(indices: Indices, state: Sequence[Atom]) -> Sequence[Atom]:
        x = value(indices)
        wins = better(x, state[0])
        places = [
            sp.b.prim("select", wins, i, old) for i, old in zip(indices, state[1:], strict=True)
        ]
        return [sp.b.prim("select", wins, x, state[0]), *places]

    return tuple(nest(sp, extents, [value(zeros), *zeros], step)[1:])


def linear(sp: Specialiser, extents: Sequence[Atom], indices: Indices) -> Atom:
    """Return the position of an element in C order."""
    position: Atom = ext.ZERO
    for extent, index in zip(extents, indices, strict=False):
        position = ext.add(sp, ext.mul(sp, position, extent), index)
    return position
