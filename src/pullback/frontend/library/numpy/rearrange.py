"""Compile NumPy's functions that rearrange arrays: their shapes and axes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pullback.core.build import i64
from pullback.core.later import Later
from pullback.core.terms import Atom, Lit
from pullback.errors import ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    ArrayV,
    Owner,
    Scalar,
    SliceV,
    Specialiser,
    Static,
    TupleV,
    Value,
    ViewStep,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy import views
from pullback.frontend.library.numpy.broadcasting import reader
from pullback.frontend.library.numpy.create import shape_of
from pullback.frontend.library.numpy.reduce import axes_of, named_axes, one_axis
from pullback.frontend.library.numpy.sequences import to_array
from pullback.frontend.library.told import not_requested, not_reshaped, told

Indices = tuple[Atom, ...]


def as_array(sp: Specialiser, value: Value, node: ast.AST) -> ArrayV:
    """Return an array, also for a list; a number is refused."""
    value = to_array(sp, value, node)
    if isinstance(value, ArrayV):
        return value
    sp.refuse(node, f"an array is needed here, not {sp.describe(value)}")


def at_least_1d(sp: Specialiser, value: Value, node: ast.AST) -> ArrayV:
    """Return an array; a number becomes one of rank 1."""
    value = to_array(sp, value, node)
    if isinstance(value, ArrayV):
        return value
    number = sp.scalar(value, node)
    one = sp.array((ext.ONE,), lambda _: number.atom, node)
    if number.rank0:  # it may be a view
        one = replace(one, owners=one.owners | number.owners, fresh=False)
    return ext.note(sp, one, (ext.ONE,), built=True)


def _build(
    sp: Specialiser, extents: Sequence[Atom], item: Callable[[Indices], Atom], node: ast.AST
) -> ArrayV:
    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


# --- reshape -------------------------------------------------------------------------------------


def reshape(sp: Specialiser, array: ArrayV, shape: Value, node: ast.AST) -> ArrayV:
    """Return ``array.reshape(shape)``; one extent may be -1. ValueError at run time if the sizes
    differ."""
    own = ext.extents(sp, array)
    items = shape.items if isinstance(shape, TupleV) else (shape,)
    extents: list[Atom | None] = []
    for item in items:
        extent = ext.int_atom(sp, item, node, "an extent")
        inferred = isinstance(extent, Lit) and int(extent.value) == -1
        extents.append(None if inferred else extent)
    size = ext.product(sp, own)
    wanted_shape = [i64(-1) if e is None else e for e in extents]
    message, shown = told(not_reshaped, "cannot reshape array", size, wanted_shape)
    given = ext.product(sp, [e for e in extents if e is not None])
    if extents.count(None) > 1:
        sp.refuse(node, "can only specify one unknown dimension", error=ArgumentValueError)
    if None in extents:
        rest = ext.floordiv(sp, size, given)
        if not isinstance(given, Lit) or int(given.value) != 1:
            back = ext.mul(sp, rest, given)
            sp.require(sp.b.prim("eq", back, size), "ValueError", message, node, *shown)
        extents = [rest if e is None else e for e in extents]
    elif not _evidently_equal_sizes(sp, own, extents):
        sp.require(sp.b.prim("eq", given, size), "ValueError", message, node, *shown)
        for one in extents:
            if one is not None and not isinstance(one, Lit):
                fits = sp.b.prim("ge", one, ext.ZERO)
                sp.require(fits, "ValueError", message, node, *shown)
    wanted = tuple(e for e in extents if e is not None)
    return views.view(sp, array, ViewStep("reshape", wanted), node)


def _evidently_equal_sizes(
    sp: Specialiser, own: Sequence[Atom], extents: Sequence[Atom | None]
) -> bool:
    mine = [ext.key(sp, e) for e in own if not ext.same(sp, e, ext.ONE)]
    theirs = [ext.key(sp, e) for e in extents if e is not None and not ext.same(sp, e, ext.ONE)]
    return len(mine) == len(theirs) and all(mine.count(k) == theirs.count(k) for k in mine)


@register(np.reshape)
def np_reshape(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, shape, order = bind(
        sp, "np.reshape", args, kwargs, node, a=MISSING, shape=MISSING, order=Static("C")
    )
    made = in_order(sp, at_least_1d(sp, x, node), shape, order, node)
    return Scalar(made.atom, False) if isinstance(made, Scalar) and _is_number(x) else made


def _is_number(x: Value) -> bool:
    """Whether a value is a number of NumPy's, whose methods give no arrays without axes."""
    return isinstance(x, Scalar) and not x.py and not x.rank0


def in_order(
    sp: Specialiser, array: ArrayV, shape: Value, order: Value, node: ast.AST
) -> Value:
    """Return the array in another shape, of its elements in an order; column by column ("F") it is
    the transpose in the reversed shape, transposed."""
    if isinstance(shape, TupleV) and not shape.items:
        return _without_axes(sp, array, node)
    flat = not (isinstance(shape, TupleV) and len(shape.items) > 1)
    if sp.static(order, node, "order") != "F" or (array.rank < 2 and flat):
        refuse_order(sp, order, array, node, flat)
        return reshape(sp, array, shape, node)
    turned = transpose(sp, array, list(reversed(range(array.rank))), node)
    if not isinstance(shape, TupleV):
        return reshape(sp, turned, shape, node)
    made = reshape(sp, turned, TupleV(tuple(reversed(shape.items))), node)
    return transpose(sp, made, list(reversed(range(made.rank))), node)


def _without_axes(sp: Specialiser, array: ArrayV, node: ast.AST) -> Scalar:
    """Return the element of an array that has one, as an array of rank 0."""
    size = ext.product(sp, ext.extents(sp, array))
    message, shown = told(not_reshaped, "cannot reshape array", size, [])
    sp.require(sp.b.prim("eq", size, ext.ONE), "ValueError", message, node, *shown)
    item = sp.b.index(array.atom, (ext.ZERO,) * array.rank, checked=False)
    return Scalar(item, py=False, rank0=True, owners=array.owners)


def refuse_order(
    sp: Specialiser, order: Value, array: ArrayV, node: ast.AST, flat: bool = True
) -> None:
    """Refuse another order of elements than that of the indices: "F", and also "A" and "K", which
    depend on how the array lies in memory. A vector has one order, unless (not ``flat``) it becomes
    a matrix."""
    wanted = sp.static(order, node, "order")
    if wanted == "C" or (array.rank < 2 and wanted in (("F", "A", "K") if flat else ("A",))):
        return
    if wanted in ("A", "K"):
        reason = f"order={wanted!r} depends on how the array lies in memory"
        sp.refuse(node, reason, "write order='C', or x.T.ravel() for the other order")
    reason = f"order must be one of 'C', 'F', 'A', or 'K' (got {wanted!r})"
    sp.refuse(node, reason, error=ArgumentValueError)


@register(np.ravel)
def ravel(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, order = bind(sp, "np.ravel", args, kwargs, node, a=MISSING, order=Static("C"))
    return in_order(sp, at_least_1d(sp, x, node), Static(-1), order, node)


# --- axes ----------------------------------------------------------------------------------------


def transpose(sp: Specialiser, array: ArrayV, perm: Sequence[int], node: ast.AST) -> ArrayV:
    if list(perm) == list(range(array.rank)):
        return array
    return views.view(sp, array, ViewStep("transpose", (), tuple(perm)))


def axes_argument(sp: Specialiser, axes: Value, rank: int, node: ast.AST) -> list[int]:
    """Return the permutation that ``axes`` names; None reverses the axes."""
    if is_none(axes):
        return list(reversed(range(rank)))
    items = axes.items if isinstance(axes, TupleV) else (axes,)
    perm = [sp.static_int(a, node, "an axis") for a in items]
    if sorted(p % rank for p in perm) != list(range(rank)):
        sp.refuse(node, "axes don't match the array", error=ArgumentValueError)
    return [p % rank for p in perm]


@register(np.transpose)
def np_transpose(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axes = bind(sp, "np.transpose", args, kwargs, node, a=MISSING, axes=NONE)
    x = to_array(sp, x, node)
    if not isinstance(x, ArrayV):
        return x if _is_number(x) else sp.call(Static(np.asarray), (x,), node)
    return transpose(sp, x, axes_argument(sp, axes, x.rank, node), node)


@register(np.swapaxes)
def swapaxes(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, first, second = bind(
        sp, "np.swapaxes", args, kwargs, node, a=MISSING, axis1=MISSING, axis2=MISSING
    )
    x = as_array(sp, x, node)
    i, j = one_axis(sp, first, x.rank, node), one_axis(sp, second, x.rank, node)
    perm = list(range(x.rank))
    perm[i], perm[j] = j, i
    return transpose(sp, x, perm, node)


@register(np.moveaxis)
def moveaxis(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, source, target = bind(
        sp, "np.moveaxis", args, kwargs, node, a=MISSING, source=MISSING, destination=MISSING
    )
    x = as_array(sp, x, node)
    moved, places = (named_axes(sp, v, x.rank, node) for v in (source, target))
    if len(moved) != len(places):
        reason = "`source` and `destination` arguments must have the same number of elements"
        sp.refuse(node, reason, error=ArgumentValueError)
    perm = [k for k in range(x.rank) if k not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        perm.insert(place, axis)
    return transpose(sp, x, perm, node)


@register(np.expand_dims)
def expand_dims(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis = bind(sp, "np.expand_dims", args, kwargs, node, a=MISSING, axis=MISSING)
    x = to_array(sp, x, node)
    if not isinstance(x, ArrayV):
        named = axis.items if isinstance(axis, TupleV) else (axis,)
        axes_of(sp, axis, len(named), node)
        shape = Static(1) if len(named) == 1 else TupleV((Static(1),) * len(named))
        return sp.call(Static(np.reshape), (x, shape), node)
    count = len(axis.items) if isinstance(axis, TupleV) else 1
    added = axes_of(sp, axis, x.rank + count, node)
    index = tuple(Static(None) if k in added else _ALL for k in range(x.rank + count))
    return sp.subscript(x, TupleV(index), node)


_ALL = SliceV(NONE, NONE, NONE)


_texts = Later("pullback.frontend.library.text.wider_arrays")


def perhaps_single(sp: Specialiser, x: ArrayV) -> tuple[tuple[int, ...], TupleV]:
    """Return the axes that have one item, and, if the run knows whether others have, these and
    those, the last ones first."""
    own = ext.extents(sp, x)
    gone = tuple(k for k in range(x.rank) if ext.same(sp, own[k], ext.ONE))
    unknown = [k for k in range(x.rank) if k not in gone and not isinstance(own[k], Lit)]
    axes = sorted((*gone, *unknown), reverse=True) if unknown else []
    return gone, TupleV(tuple(map(Static, axes)))


@register(np.squeeze)
def squeeze(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis = bind(sp, "np.squeeze", args, kwargs, node, a=MISSING, axis=NONE)
    x = to_array(sp, x, node)
    if not isinstance(x, ArrayV):
        return x if _is_number(x) else sp.call(Static(np.asarray), (x,), node)
    own = ext.extents(sp, x)
    if is_none(axis):
        gone, axes = perhaps_single(sp, x)
        if axes.items:
            return run_program(sp, _texts.squeezed, (x, axes), node)
    else:
        gone = axes_of(sp, axis, x.rank, node)
    message = "cannot select an axis to squeeze out which has size not equal to one"
    for k in gone:
        ext.check_equal(sp, own[k], ext.ONE, message, node)
    index = tuple(Static(0) if k in gone else _ALL for k in range(x.rank))
    return sp.subscript(x, TupleV((*index, Static(...))), node)


@register(np.broadcast_to)
def broadcast_to(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, shape = bind(sp, "np.broadcast_to", args, kwargs, node, array=MISSING, shape=MISSING)
    wanted = shape_of(sp, shape, node)
    if not wanted and isinstance(x, (Scalar, Static)):
        number = sp.scalar(x, node)
        owners = number.owners or frozenset({Owner()})  # in NumPy it is a view
        return Scalar(number.atom, py=False, rank0=True, owners=owners)
    array = at_least_1d(sp, x, node)
    own = ext.extents(sp, array)
    if len(own) > len(wanted):
        reason = "the array has more dimensions than the requested shape"
        sp.refuse(node, reason, error=ArgumentValueError)
    lead = len(wanted) - len(own)
    text, leaves = told(not_requested, ext.NO_BROADCAST, own, wanted)
    for mine, target in zip(own, wanted[lead:], strict=True):
        ext.check_broadcasts(sp, mine, target, text, node, *leaves)
    read = reader(sp, array, own, wanted)
    made = _build(sp, wanted, lambda i: read(i).atom, node)
    return sp.view(made.atom, array)  # in NumPy it is a view, which may not be updated


def _register_atleast(function: Callable[..., object], rank: int) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        if len(args) != 1:
            return TupleV(tuple(call(sp, (x,), kwargs, node) for x in args))
        (x,) = bind(sp, function.__name__, args, kwargs, node, x=MISSING)
        x = at_least_1d(sp, x, node)
        missing = (Static(None),) * max(rank - x.rank, 0)
        index = (*missing, Static(...))
        if rank == 3 and x.rank < 3:  # a vector is a column, a matrix has a third axis
            index = (*missing[1:], Static(...), Static(None))
        return sp.subscript(x, TupleV(index), node) if missing else x


_register_atleast(np.atleast_1d, 1)
_register_atleast(np.atleast_2d, 2)
_register_atleast(np.atleast_3d, 3)
