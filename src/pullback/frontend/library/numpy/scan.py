"""Compile NumPy's running sums, and functions that shift, mirror, repeat or mask the elements of
arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from pullback.core.build import i64, lit
from pullback.core.terms import Atom, Build, Lit, Loop, Var
from pullback.core.types import I64, Array, Real
from pullback.errors import ArgumentValueError, UnsupportedError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.dtypes import Element
from pullback.frontend.kinds.values import (
    ArrayV,
    Scalar,
    SliceV,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy.create import limited, shape_of
from pullback.frontend.library.numpy.elementwise import numpy_scalar
from pullback.frontend.library.numpy.rearrange import as_array, at_least_1d, ravel, transpose
from pullback.frontend.library.numpy.reduce import axes_of, named_axes, one_axis
from pullback.frontend.library.numpy.sequences import stack_lines
from pullback.frontend.library.text import wider_arrays

Indices = tuple[Atom, ...]
_ALL = SliceV(NONE, NONE, NONE)


# --- running sums and products -------------------------------------------------------------------


def running(sp: Specialiser, count: Atom, init: Atom, step: Callable[[Atom, Atom], Atom]) -> Var:
    """Return the array of all ``s = step(i, s)``: a Loop that emits every state."""
    index, state = Var("i", I64), Var("s", init.type)

    def body() -> tuple[Atom, Atom]:
        new = step(index, state)
        return new, new

    op = Loop(count, index, (state,), (init,), sp.block(body))
    return sp.b.let(op, (init.type, Array(init.type, 1)))[1]


def cumulative(sp: Specialiser, x: ArrayV, axis: int, name: str, node: ast.AST) -> ArrayV:
    """Return running sums ("add") or products ("mul") along an axis."""
    t: Element = x.elem if isinstance(x.elem, Real) else I64
    own = ext.extents(sp, x)
    init = lit(0 if name == "add" else 1, t)
    others = [k for k in range(x.rank) if k != axis]

    def line(outer: Indices) -> Var:
        def step(i: Atom, s: Atom) -> Atom:
            at = dict(zip(others, outer, strict=False)) | {axis: i}
            item = sp.b.index(x.atom, tuple(at[k] for k in range(x.rank)), checked=False)
            return sp.b.prim(name, s, sp.convert(numpy_scalar(item), t, node))

        return running(sp, own[axis], init, step)

    if not others:
        return ext.note(sp, sp.fresh(line(()), node), own)
    indices = tuple(Var("i", I64) for _ in others)
    outer = tuple(own[k] for k in others)
    block = sp.block(lambda: (line(indices),))
    (lines,) = sp.b.let(Build(outer, indices, block), (Array(Array(t, 1), len(others)),))
    made = stack_lines(sp, lines, (*outer, own[axis]), node)
    order = [*others, axis]
    return transpose(sp, made, [order.index(k) for k in range(x.rank)], node)


def _register_cumulative(function: Callable[..., object], name: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, axis = bind(sp, function.__name__, args, kwargs, node, a=MISSING, axis=NONE)
        x = at_least_1d(sp, x, node)
        if is_none(axis) and x.rank > 1:
            flat = ravel(sp, (x,), {}, node)
            assert isinstance(flat, ArrayV)
            x = flat
        k = 0 if is_none(axis) else one_axis(sp, axis, x.rank, node)
        return cumulative(sp, x, k, name, node)


_register_cumulative(np.cumsum, "add")
_register_cumulative(np.cumprod, "mul")


# --- differences, mirrors, shifts ----------------------------------------------------------------


@register(np.flip)
def flip(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis = bind(sp, "np.flip", args, kwargs, node, m=MISSING, axis=NONE)
    array = as_array(sp, x, node)
    axes = axes_of(sp, axis, array.rank, node)
    back = SliceV(NONE, NONE, Static(-1))
    index = tuple(back if k in axes else _ALL for k in range(array.rank))
    return sp.subscript(array, TupleV(index), node)


@register(np.roll)
def roll(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, shift, axis = bind(sp, "np.roll", args, kwargs, node, a=MISSING, shift=MISSING, axis=NONE)
    array = as_array(sp, x, node)
    if is_none(axis) and array.rank > 1:
        return run_program(sp, wider_arrays.roll, (array, shift), node)
    axes = (0,) if is_none(axis) else named_axes(sp, axis, array.rank, node)
    shifts = _shifts(sp, shift, len(axes), node)
    if len(shifts) == 1:
        shifts = tuple(shifts) * len(axes)
    if len(axes) == 1:
        axes = axes * len(shifts)
    if len(shifts) != len(axes):
        sp.refuse(node, "np.roll of shifts and axes of different numbers", error=ArgumentValueError)
    own = ext.extents(sp, array)
    by: dict[int, Atom] = {}
    for k, s in zip(axes, shifts, strict=True):
        n = ext.larger(sp, own[k], ext.ONE)
        more = ext.mod(sp, ext.int_atom(sp, s, node, "shift"), n)
        by[k] = ext.mod(sp, ext.add(sp, by[k], more), n) if k in by else more

    def source(k: int, j: Atom) -> Atom:
        at = ext.sub(sp, j, by[k])
        return sp.b.prim("select", sp.b.prim("lt", j, by[k]), ext.add(sp, at, own[k]), at)

    def item(i: Indices) -> Atom:
        at = (source(k, j) if k in by else j for k, j in enumerate(i))
        return sp.b.index(array.atom, tuple(at), checked=False)

    return ext.note(sp, sp.array(own, item, node), own, built=True)


def _shifts(sp: Specialiser, shift: Value, count: int, node: ast.AST) -> tuple[Value, ...]:
    """Return by how much ``count`` axes are rolled: one axis by the sum of an array."""
    if isinstance(shift, TupleV):
        return shift.items
    if not isinstance(shift, ArrayV) or shift.rank != 1:
        return (shift,)
    if count == 1:
        return (sp.call(Static(np.sum), (shift,), node),)
    fits = sp.b.prim("eq", ext.extents(sp, shift)[0], i64(count))
    reason = "np.roll of shifts and axes of different numbers"
    sp.require(fits, UnsupportedError, reason, node)
    return tuple(sp.subscript(shift, Static(k), node) for k in range(count))


@register(np.tile)
def tile(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.tile(x, n) of a vector, or np.tile(x, (m, n, ...))."""
    x, reps = bind(sp, "np.tile", args, kwargs, node, A=MISSING, reps=MISSING)
    array = at_least_1d(sp, x, node)
    items = list(reps.items) if isinstance(reps, TupleV) else [reps]
    counts: list[Atom] = [ext.ONE] * (array.rank - len(items))
    counts += shape_of(sp, TupleV(tuple(items)), node)
    missing = len(counts) - array.rank
    own = ext.extents(sp, array)
    base = (*(ext.ONE,) * missing, *own)
    limited(sp, (*counts, *own), node)
    extents = tuple(ext.mul(sp, c, e) for c, e in zip(counts, base, strict=True))

    def item(i: Indices) -> Atom:
        places = zip(i[missing:], own, counts[missing:], strict=True)
        at = tuple(_in_one_copy(sp, j, e, c) for j, e, c in places)
        return sp.b.index(array.atom, at, checked=False)

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


def _in_one_copy(sp: Specialiser, j: Atom, extent: Atom, count: Atom) -> Atom:
    """Return a place among copies side by side as one in the first: for few copies without a
    remainder, so that the loop is divided where a copy begins."""
    if not isinstance(count, Lit) or count.value > _FEW_COPIES:
        return ext.mod(sp, j, extent)
    at = j
    for k in range(1, int(count.value)):
        before = ext.mul(sp, lit(k, I64), extent)
        at = sp.b.prim("select", sp.b.prim("ge", j, before), ext.sub(sp, j, before), at)
    return at


_FEW_COPIES = 4


@register(np.repeat)
def repeat(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.repeat(x, n, axis): every element n times."""
    x, repeats, axis = bind(
        sp, "np.repeat", args, kwargs, node, a=MISSING, repeats=MISSING, axis=NONE
    )
    if isinstance(repeats, (ArrayV, TupleV)):
        sp.refuse(node, "np.repeat with several counts is not supported", "give one int")
    array = at_least_1d(sp, x, node)
    if is_none(axis) and array.rank > 1:
        flat = ravel(sp, (array,), {}, node)
        assert isinstance(flat, ArrayV)
        array = flat
    k = 0 if is_none(axis) else one_axis(sp, axis, array.rank, node)
    (count,) = shape_of(sp, repeats, node)
    own = ext.extents(sp, array)
    limited(sp, (count, *own), node)
    extents = (*own[:k], ext.mul(sp, own[k], count), *own[k + 1 :])

    def item(i: Indices) -> Atom:
        at = (*i[:k], ext.floordiv(sp, i[k], count), *i[k + 1 :])
        return sp.b.index(array.atom, at, checked=False)

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


# --- diagonals and triangles ---------------------------------------------------------------------


@register(np.diag)
def diag(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.diag(v): the matrix with that diagonal; np.diag(m): the diagonal of a matrix."""
    (x,) = bind(sp, "np.diag", args, kwargs, node, v=MISSING)
    array = as_array(sp, x, node)
    if array.rank == 2:
        return diagonal(sp, (array,), {}, node)
    if array.rank > 2:
        sp.refuse(node, "input must be 1- or 2-dimensional")
    (n,) = ext.extents(sp, array)

    def item(i: Indices) -> Atom:
        on = sp.b.prim("eq", i[0], i[1])
        zero = Scalar(sp.convert(Static(0), array.elem, node), py=False)

        def there() -> Value:
            return Scalar(sp.b.index(array.atom, (i[0],), checked=False), py=False)

        return sp.scalar(sp.branch(on, there, lambda: zero, node), node).atom

    return ext.note(sp, sp.array((n, n), item, node), (n, n), built=True)


@register(np.diagonal)
def diagonal(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "np.diagonal", args, kwargs, node, a=MISSING)
    array = as_array(sp, x, node)
    if array.rank != 2:
        sp.refuse(node, "np.diagonal is supported for matrices")
    rows, columns = ext.extents(sp, array)
    n = rows if ext.same(sp, rows, columns) else ext.smaller(sp, rows, columns)

    def item(i: Indices) -> Atom:
        return sp.b.index(array.atom, (i[0], i[0]), checked=False)

    made = ext.note(sp, sp.array((n,), item, node), (n,), built=True)
    return sp.view(made.atom, array)  # in NumPy it is a view, which may not be updated


def _register_triangle(function: Callable[..., object], lower: bool) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, k = bind(sp, function.__name__, args, kwargs, node, m=MISSING, k=Static(0))
        array = as_array(sp, x, node)
        shift = ext.int_atom(sp, k, node, "k")
        own = ext.extents(sp, array)
        if array.rank < 2:
            sp.refuse(node, f"{function.__name__} is supported for matrices")

        def item(i: Indices) -> Atom:
            edge = ext.add(sp, i[-2], shift)
            inside = sp.b.prim("le" if lower else "ge", i[-1], edge)
            zero = Scalar(sp.convert(Static(0), array.elem, node), py=False)

            def there() -> Value:
                return Scalar(sp.b.index(array.atom, i, checked=False), py=False)

            return sp.scalar(sp.branch(inside, there, lambda: zero, node), node).atom

        return ext.note(sp, sp.array(own, item, node), own, built=True)


_register_triangle(np.tril, True)
_register_triangle(np.triu, False)
