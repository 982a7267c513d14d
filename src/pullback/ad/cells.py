"""Emit loops over the cells of accumulators: gather, scatter, add, and the cell that nobody reads.

An accumulator has cells of float64; ``AccRead`` and ``AccTake`` convert to the type of the array.
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.build import Builder, i64, lit
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    Atom,
    Block,
    Build,
    Index,
    Let,
    Sum_,
    Var,
)
from pullback.core.types import I64, Array, Handle, Real, Type


def array_type(t: Type) -> Array:
    """Return the type, which must be an array."""
    assert isinstance(t, Array), t
    return t


def real_type(t: Type) -> Real:
    """Return the type, which must be a real."""
    assert isinstance(t, Real), t
    return t


def seeded(t: Type) -> bool:
    """Whether a result has a seed: a real, or an array of (arrays of) reals."""
    while isinstance(t, Array):
        t = t.elem
    return isinstance(t, Real)


def extents_of(b: Builder, a: Atom) -> tuple[Atom, ...]:
    """Return the shape of an array or handle."""
    assert isinstance(a.type, (Array, Handle))
    return tuple(b.dim(a, axis) for axis in range(a.type.rank))


def indices(rank: int) -> tuple[Var, ...]:
    """Return fresh index variables."""
    return tuple(Var("i", I64) for _ in range(rank))


def null_handle(b: Builder, array: Atom) -> Atom:
    """Emit a handle of the shape of the array whose cells are all the one cell that nobody reads.
    """
    t = array_type(array.type)
    (cell,) = b.let(AccNew((i64(1),) * t.rank), (Handle(t.rank),))
    return b.prim("broadcast", cell, *extents_of(b, array))


def zeros_like(
    b: Builder, array: Atom, like: Type | None = None,
    place: Callable[[Atom], Atom] = lambda one: one,
) -> Atom:
    """Emit zeros of the shape of an array, stored in one cell (for an array of arrays: all of
    them), of the element type of the array or of ``like``; ``place`` says where the cell lies."""
    t = array_type(array.type)
    elem = like or t.elem
    if isinstance(t.elem, Array):
        idx, body = indices(t.rank), Builder()
        inner = zeros_like(body, body.index(array, idx, checked=False))
        return b.let(Build(extents_of(b, array), idx, body.block((inner,))), (t,))[0]
    zero = Block((), (lit(0.0, elem),))
    (one,) = b.let(Build((i64(1),) * t.rank, indices(t.rank), zero), (Array(elem, t.rank),))
    return b.prim("broadcast", place(one), *extents_of(b, array))


def zeros(b: Builder, array: Atom, like: Type | None = None) -> Atom:
    """Emit a fresh array of zeros of the shape of an array."""
    t = array_type(array.type)
    elem = like or t.elem
    zero = Block((), (lit(0.0, elem),))
    made = Array(elem, t.rank)
    return b.let(Build(extents_of(b, array), indices(t.rank), zero), (made,))[0]


def gather(b: Builder, h: Atom, t: Array) -> Atom:
    """Emit a fresh array of the values in the cells of a handle."""
    real = real_type(t.elem)
    idx, body = indices(t.rank), Builder()
    (d,) = body.let(AccRead(h, idx, real.bits), (real,))
    return b.let(Build(extents_of(b, h), idx, body.block((d,))), (t,))[0]


def scatter(b: Builder, array: Atom, h: Atom) -> None:
    """Add an array into the cells of a handle of its shape; arrays of arrays into the cells of
    each."""
    t = array_type(array.type)
    idx, body = indices(t.rank), Builder()
    d = body.index(array, idx, checked=False)
    if isinstance(h.type, Handle):
        body.lets.append(Let((), AccAdd(h, idx, d)))
    else:
        (inner,) = body.let(Index(h, idx, False), (array_type(h.type).elem,))
        scatter(body, d, inner)
    b.lets.append(Let((), Sum_(extents_of(b, array), idx, body.block())))


def add_all(b: Builder, source: Atom, target: Atom, real: Real, flat: bool = False) -> None:
    """Emit target[...] += source[...] for all cells; with ``flat`` the shapes may differ, and cells
    meet in C order."""
    assert isinstance(source.type, Handle)
    idx, body = indices(source.type.rank), Builder()
    extents = extents_of(b, source)
    (d,) = body.let(AccRead(source, idx, real.bits), (real,))
    where: tuple[Atom, ...] = idx
    if flat:
        where = _unflatten(body, flatten(body, idx, extents), target)
    body.lets.append(Let((), AccAdd(target, where, d)))
    b.lets.append(Let((), Sum_(extents, idx, body.block())))


def flatten(b: Builder, idx: tuple[Atom, ...], extents: tuple[Atom, ...]) -> Atom:
    """Return the position of an index in C order."""
    k = idx[0]
    for i, n in zip(idx[1:], extents[1:], strict=True):
        k = b.prim("add", b.prim("mul", k, n), i)
    return k


def _unflatten(b: Builder, k: Atom, like: Atom) -> tuple[Atom, ...]:
    """The indices of position ``k`` in C order of the shape of a handle."""
    assert isinstance(like.type, Handle)
    out: list[Atom] = []
    for axis in range(like.type.rank - 1, 0, -1):
        n = b.dim(like, axis)
        out.append(b.prim("mod", k, n))
        k = b.prim("floordiv", k, n)
    return (k, *reversed(out))
