"""Loops whose rounds may raise what is caught: they end with the number of the clause."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.core.build import Builder, boolean, i64
from pullback.core.terms import Atom, Block, Build, If, Let, Loop, Prim, Update, Var, While
from pullback.core.types import BOOL, I64, Array, Type

Tagged = Callable[[Block, Sequence[Type]], Block]
"""Gives a block that gives the number before its results, which are of these types."""
AnyOf = Callable[[Builder, Type], Atom]
"""Any value of a type, made by a builder."""


def build(
    tagged: Tagged, any_of: AnyOf, b: Builder, extents: tuple[Atom, ...],
    indices: tuple[Var, ...], body: Block, types: Sequence[Type],
) -> tuple[Atom, ...]:  # fmt: skip
    """Return the results of a ``Build``, which is filled point by point."""
    starts = _blank(any_of, b, extents, types)
    arrays = tuple(Var("a", t) for t in types)

    def put(each: Builder, values: Sequence[Atom]) -> list[Atom]:
        return _put(each, arrays, indices, values)

    return points(tagged, b, extents, indices, arrays, starts, body, put)


def emitting(
    tagged: Tagged, any_of: AnyOf, b: Builder, loop: Loop, types: Sequence[Type]
) -> tuple[Atom, ...]:
    """Return the results of a counted loop, of these types; what it emits is put into arrays."""
    count = len(loop.carried)
    starts = _blank(any_of, b, (loop.count,), types[count:])
    arrays = tuple(Var("a", t) for t in types[count:])
    each = Builder()
    each.lets += loop.body.lets
    new, emitted = loop.body.results[:count], loop.body.results[count:]
    body = each.block((*new, *_put(each, arrays, (loop.index,), emitted)))
    state, inits = (*loop.carried, *arrays), (*loop.inits, *starts)
    return rounds(tagged, b, loop.count, loop.index, state, inits, body)


def _blank(
    any_of: AnyOf, b: Builder, extents: tuple[Atom, ...], types: Sequence[Type]
) -> list[Atom]:
    """Return arrays of these types, with anything in them."""
    made: list[Atom] = []
    for t in types:
        assert isinstance(t, Array)
        at, blank = tuple(Var("i", I64) for _ in extents), Builder()
        made += b.let(Build(extents, at, blank.block((any_of(blank, t.elem),))), (t,))
    return made


def _put(
    each: Builder, arrays: Sequence[Var], indices: tuple[Atom, ...], values: Sequence[Atom]
) -> list[Atom]:
    """Return the arrays with these values at an index."""
    return [
        each.let(Update(a, indices, v, False), (a.type,))[0]
        for a, v in zip(arrays, values, strict=True)
    ]


def points(
    tagged: Tagged, b: Builder, extents: Sequence[Atom], indices: Sequence[Var],
    state: tuple[Var, ...], starts: Sequence[Atom], body: Block,
    take: Callable[[Builder, Sequence[Atom]], Sequence[Atom]],
) -> tuple[Atom, ...]:  # fmt: skip
    """Return the points of a ``Build`` or a sum one after the other."""
    total: Atom = i64(1)
    for n in extents:
        total = b.prim("mul", total, n)
    point = indices[0] if len(indices) == 1 else Var("k", I64)
    each = Builder()
    if len(indices) != 1:
        left: Atom = point
        for i, n in list(zip(indices, extents, strict=True))[::-1]:
            each.lets.append(Let((i,), Prim("mod", (left, n))))
            left = each.prim("floordiv", left, n)
    each.lets += body.lets
    new = take(each, body.results)
    return rounds(tagged, b, total, point, state, starts, each.block(tuple(new)))


def rounds(
    tagged: Tagged, b: Builder, n: Atom, i: Var, carried: tuple[Var, ...], inits: Sequence[Atom],
    body: Block,
) -> tuple[Atom, ...]:  # fmt: skip
    """Return a counted loop that ends when something is caught."""
    types = tuple(v.type for v in carried)
    tag = Var("caught", I64)
    test, step = Builder(), Builder()
    fine = test.prim("eq", tag, i64(0))
    cond = test.block((test.prim("and", test.prim("lt", i, n), fine),))
    results = step.extend(tagged(body, types))
    again = step.block((step.prim("add", i, i64(1)), *results))
    loop = While((i, tag, *carried), (i64(0), i64(0), *inits), cond, again)
    _, *made = b.let(loop, (I64, I64, *types))
    return tuple(made)


def while_(
    tagged: Tagged, b: Builder, carried: tuple[Var, ...], inits: Sequence[Atom], cond: Block,
    body: Block,
) -> tuple[Atom, ...]:  # fmt: skip
    """Return ``while cond: body`` as ``go = True; while go: go = cond; if go: body``."""
    types = tuple(v.type for v in carried)
    tag, go = Var("caught", I64), Var("go", BOOL)
    step, ends = Builder(), (I64, BOOL, *types)
    tested, more = step.extend(tagged(cond, (BOOL,)))
    then, stop = Builder(), Builder()
    first, *new = then.extend(tagged(body, types))
    fine = then.prim("eq", first, i64(0))
    again = then.block((first, fine, *new))
    left = stop.block((tested, boolean(False), *carried))
    goes = step.prim("and", step.prim("eq", tested, i64(0)), more)
    end = step.block(tuple(step.let(If(goes, again, left), ends)))
    loop = While(
        (tag, go, *carried), (i64(0), boolean(True), *inits), Builder().block((go,)), end
    )
    made, _, *values = b.let(loop, ends)
    return (made, *values)
