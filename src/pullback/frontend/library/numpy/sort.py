"""Compile NumPy's functions that sort, search and select (the loops are in ``text.sorting``).

    np.sort argsort take take_along_axis searchsorted digitize interp
    np.median quantile percentile nonzero flatnonzero argwhere where(cond) extract compress

Sorting is stable, and NaN comes last. Cotangents follow the elements that are sorted or selected.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from pullback.core import numpy_sorts
from pullback.core.build import lit
from pullback.core.terms import Atom, Build, Var
from pullback.core.types import BOOL, F32, F64, I64, Array, Int, Real
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.dtypes import Element, promote, real_of
from pullback.frontend.kinds.values import (
    ArrayV,
    Scalar,
    SliceV,
    Specialiser,
    Static,
    TupleV,
    Value,
    method,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, flag, is_none
from pullback.frontend.library.compiled_text import array_of, run_program
from pullback.frontend.library.numpy import scatter
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.create import astype, copied
from pullback.frontend.library.numpy.elementwise import numpy_scalar
from pullback.frontend.library.numpy.rearrange import as_array, at_least_1d, ravel, transpose
from pullback.frontend.library.numpy.reduce import one_axis
from pullback.frontend.library.numpy.sequences import stack_lines
from pullback.frontend.library.text import sorting

Indices = tuple[Atom, ...]


def _line(sp: Specialiser, x: ArrayV, axis: int, outer: Indices) -> ArrayV:
    """Return the view of one line along ``axis``."""
    if x.rank == 1:
        return x
    atom = x.atom
    for k in range(x.rank - 1, -1, -1):
        if k != axis:
            atom = sp.b.prim("pick", atom, outer[k if k < axis else k - 1], static=(k,))
    return ext.note(sp, sp.view(atom, x), (ext.extents(sp, x)[axis],))


def _by_numpy(sp: Specialiser, x: ArrayV) -> bool:
    """Whether NumPy's sorts are called for an array."""
    return x.elem in (F64, F32, I64, BOOL) and bool(sp.lapack) and numpy_sorts.available()


def _places(sp: Specialiser, x: ArrayV, node: ast.AST) -> ArrayV:
    """Return the places of the elements of a vector in ascending order; equal ones in theirs."""
    if not _by_numpy(sp, x):
        return array_of(run_program(sp, sorting.argsort, (x,), node))
    wide = as_type(sp, x, F64 if isinstance(x.elem, Real) else I64, node)
    made = array_of(sp.fresh(sp.b.prim("places", wide.atom), node))
    return ext.note(sp, made, ext.extents(sp, x))


def order_along(sp: Specialiser, x: ArrayV, axis: int, node: ast.AST) -> ArrayV:
    """Return ``np.argsort`` along an axis."""
    own = ext.extents(sp, x)
    if x.rank == 1:
        return _places(sp, x, node)
    others = [k for k in range(x.rank) if k != axis]
    indices = tuple(Var("i", I64) for _ in others)
    outer = tuple(own[k] for k in others)

    def line() -> tuple[Atom, ...]:
        x_line = _line(sp, x, axis, indices)
        return (_places(sp, x_line, node).atom,)

    op = Build(outer, indices, sp.block(line))
    (lines,) = sp.b.let(op, (Array(Array(I64, 1), len(others)),))
    made = stack_lines(sp, lines, (*outer, own[axis]), node)
    order = [*others, axis]
    return transpose(sp, made, [order.index(k) for k in range(x.rank)], node)


def along(sp: Specialiser, x: ArrayV, places: ArrayV, axis: int, node: ast.AST) -> ArrayV:
    """Return ``np.take_along_axis``."""
    own, shape = ext.extents(sp, x), ext.extents(sp, places)

    def item(i: Indices) -> Atom:
        at = sp.convert(numpy_scalar(sp.b.index(places.atom, i, checked=False)), I64, node)
        return sp.b.index(x.atom, (*i[:axis], at, *i[axis + 1 :]), True, sp.site(node))

    extents = (*own[:axis], shape[axis], *own[axis + 1 :])
    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


def _flat(sp: Specialiser, x: ArrayV, axis: Value, node: ast.AST) -> tuple[ArrayV, int]:
    """Return the array and its axis; for axis None all elements in one line."""
    if is_none(axis):
        return (x if x.rank == 1 else array_of(ravel(sp, (x,), {}, node))), 0
    k = one_axis(sp, axis, x.rank, node)
    return x, k


def _sorting(name: str) -> Callable[..., tuple[ArrayV, int]]:
    def arguments(
        sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
    ) -> tuple[ArrayV, int]:
        x, axis, _, _ = bind(
            sp, name, args, kwargs, node, a=MISSING, axis=Static(-1), kind=NONE, stable=NONE
        )
        return _flat(sp, as_array(sp, x, node), axis, node)

    return arguments


@register(np.argsort)
def argsort(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return np.argsort(x, axis), always stable (NumPy's default leaves the order of equal elements
    open)."""
    return order_along(sp, *_sorting("np.argsort")(sp, args, kwargs, node), node)


@register(np.sort)
def sort(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis = _sorting("np.sort")(sp, args, kwargs, node)
    return sorted_along(sp, x, axis, node)


def sorted_along(sp: Specialiser, x: ArrayV, axis: int, node: ast.AST) -> ArrayV:
    if x.rank == 1 and x.elem in (F64, I64) and _by_numpy(sp, x):
        made = array_of(sp.fresh(sp.b.prim("ascending", x.atom), node))
        return ext.note(sp, made, ext.extents(sp, x))
    return along(sp, x, order_along(sp, x, axis, node), axis, node)


def as_type(sp: Specialiser, array: ArrayV, t: Element, node: ast.AST) -> ArrayV:
    """Return the array with elements of type ``t``: itself if it has them."""
    return array if array.elem == t else astype(sp, array, t, node)


# --- quantiles -----------------------------------------------------------------------------------


def _ordered(
    sp: Specialiser, x: Value, axis: Value, node: ast.AST, bools: bool = True
) -> tuple[ArrayV, int]:
    if isinstance(x, (Static, Scalar)) and not is_none(axis):
        sp.refuse(node, "a number has no axis", "leave axis= out", error=ArgumentValueError)
    array, k = _flat(sp, at_least_1d(sp, x, node), axis, node)
    if array.elem == BOOL and not bools:
        sp.refuse(node, "quantiles of bools are not defined", "convert them: x.astype(float)",
                  error=ArgumentTypeError)  # fmt: skip
    array = as_type(sp, array, real_of(array.elem), node)
    return sorted_along(sp, array, k, node), k


def _per_line(
    sp: Specialiser, x: ArrayV, axis: int, fn: Callable[[ArrayV], Value], node: ast.AST
) -> Value:
    """Return a number for every line along the axis."""
    if x.rank == 1:
        return fn(x)
    own = ext.extents(sp, x)
    extents = (*own[:axis], *own[axis + 1 :])

    def item(i: Indices) -> Atom:
        return sp.scalar(fn(_line(sp, x, axis, i)), node).atom

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


@register(np.median)
def median(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis = bind(sp, "np.median", args, kwargs, node, a=MISSING, axis=NONE)
    ordered, k = _ordered(sp, x, axis, node)

    def middle(line: ArrayV) -> Value:
        return run_program(sp, sorting.median, (line,), node)

    return _per_line(sp, ordered, k, middle, node)


def _register_quantile(function: Callable[..., object], scale: float) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        name = f"np.{function.__name__}"
        x, q, axis, _, overwrite, rule = bind(
            sp, name, args, kwargs, node,
            a=MISSING, q=MISSING, axis=NONE, out=NONE, overwrite_input=Static(False),
            method=Static("linear"),
        )  # fmt: skip
        if flag(sp, overwrite, node, "overwrite_input"):
            sp.refuse(node, f"{name} with overwrite_input=True is not supported")
        if sp.static(rule, node, "method") != "linear":
            sp.refuse(node, f"{name} is supported with method='linear'")
        ordered, k = _ordered(sp, x, axis, node, bools=False)
        (count,) = ext.extents(sp, ordered)[k : k + 1]
        message = "index -1 is out of bounds for axis 0 with size 0"
        sp.require(sp.b.prim("gt", count, ext.ZERO), "IndexError", message, node)

        def at(place: Value) -> Value:
            part = sp.b.prim("div", sp.convert(place, ordered.elem, node), _f(scale, ordered))
            zero, one = _f(0.0, ordered), _f(1.0, ordered)
            inside = sp.b.prim("and", sp.b.prim("ge", part, zero), sp.b.prim("le", part, one))
            what = "Percentiles" if scale > 1 else "Quantiles"
            top = "[0, 100]" if scale > 1 else "[0, 1]"
            sp.require(inside, "ValueError", f"{what} must be in the range {top}", node)

            def one_line(line: ArrayV) -> Value:
                return run_program(sp, sorting.quantile, (line, numpy_scalar(part)), node)

            return _per_line(sp, ordered, k, one_line, node)

        if isinstance(q, (TupleV, ArrayV)) and ordered.rank > 1:
            sp.refuse(node, f"{name} with several q and an axis is not supported", "call it twice")
        return elementwise(sp, (q,), lambda v: at(v[0]), node)


def _f(value: float, like: ArrayV) -> Atom:
    return lit(value, like.elem)


_register_quantile(np.quantile, 1.0)
_register_quantile(np.percentile, 100.0)


# --- searching -----------------------------------------------------------------------------------


def _sorted_vector(sp: Specialiser, value: Value, node: ast.AST, what: str) -> ArrayV:
    array = as_array(sp, value, node)
    if array.rank != 1:
        sp.refuse(node, f"{what} must have rank 1", error=ArgumentValueError)
    return array


def _search(sp: Specialiser, a: Value, v: Value, right: bool, node: ast.AST) -> Value:
    array = _sorted_vector(sp, a, node, "the sorted array")
    program = sorting.search_right if right else sorting.search_left
    t = promote(sp, (array, v), node)
    array = as_type(sp, array, t, node)

    def one(x: Value) -> Value:
        number = numpy_scalar(sp.convert(x, t, node))
        return numpy_scalar(sp.scalar(run_program(sp, program, (array, number), node), node).atom)

    return elementwise(sp, (v,), lambda x: one(x[0]), node)


@register(np.searchsorted)
def searchsorted(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    a, v, side = bind(
        sp, "np.searchsorted", args, kwargs, node, a=MISSING, v=MISSING, side=Static("left")
    )
    which = sp.static(side, node, "side")
    if which not in ("left", "right"):
        sp.refuse(node, f"side must be 'left' or 'right', not {which!r}", error=ArgumentValueError)
    return _search(sp, a, v, which == "right", node)


@register(np.interp)
def interp(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return np.interp(x, xp, fp, left, right), with derivatives by x, fp and xp; at a point of xp
    the derivative is that of the interval on the right."""
    x, xp, fp, left, right = bind(
        sp, "np.interp", args, kwargs, node,
        x=MISSING, xp=MISSING, fp=MISSING, left=NONE, right=NONE,
    )  # fmt: skip
    points, values = (
        as_type(sp, _sorted_vector(sp, v, node, "xp and fp"), Real(64), node)
        for v in (xp, fp)
    )
    (count,), (other,) = ext.extents(sp, points), ext.extents(sp, values)
    ext.check_equal(sp, count, other, "fp and xp are not of the same length.", node)
    filled = sp.b.prim("gt", count, ext.ZERO)
    sp.require(filled, "ValueError", "array of sample points is empty", node)
    last = ext.sub(sp, count, ext.ONE)
    ends = [
        sp.b.index(values.atom, (at,), checked=False)
        if is_none(v)
        else sp.convert(v, Real(64), node)
        for v, at in ((left, ext.ZERO), (right, last))
    ]

    def one(v: Value) -> Value:
        place = numpy_scalar(sp.convert(v, Real(64), node))
        args = (place, points, values, numpy_scalar(ends[0]), numpy_scalar(ends[1]))
        return run_program(sp, sorting.interpolated, args, node)

    return elementwise(sp, (x,), lambda v: one(v[0]), node)


# --- selecting -----------------------------------------------------------------------------------


def _mask_of(sp: Specialiser, x: Value, node: ast.AST) -> ArrayV:
    array = at_least_1d(sp, x, node)
    return as_type(sp, array, BOOL, node)


@register(np.nonzero)
def nonzero(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "np.nonzero", args, kwargs, node, a=MISSING)
    array = as_array(sp, x, node)
    return TupleV(tuple(scatter.places(sp, _mask_of(sp, array, node), node)))


@register(np.take)
def take(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, places, axis = bind(
        sp, "np.take", args, kwargs, node, a=MISSING, indices=MISSING, axis=NONE
    )
    array, k = _flat(sp, at_least_1d(sp, x, node), axis, node)
    rest = SliceV(NONE, NONE, NONE)
    index = TupleV(tuple(places if i == k else rest for i in range(array.rank)))
    found = sp.subscript(array, index if array.rank > 1 else places, node)
    return copied(sp, found, node) if isinstance(found, ArrayV) and not found.fresh else found


@register(np.take_along_axis)
def take_along_axis(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, places, axis = bind(
        sp, "np.take_along_axis", args, kwargs, node,
        arr=MISSING, indices=MISSING, axis=Static(-1),
    )  # fmt: skip
    array, k = _flat(sp, as_array(sp, x, node), axis, node)
    at = as_array(sp, places, node)
    if at.rank != array.rank:
        reason = "`indices` and `arr` must have the same number of dimensions"
        sp.refuse(node, reason, error=ArgumentValueError)
    if not isinstance(at.elem, Int):
        sp.refuse(node, "`indices` must be an integer array", error=ArgumentTypeError)
    for j, (mine, theirs) in enumerate(
        zip(ext.extents(sp, at), ext.extents(sp, array), strict=False)
    ):
        if j != k:
            ext.check_equal(sp, mine, theirs, "the shapes of indices and array differ", node)
    return along(sp, array, at, k, node)


@method("array", "compress")
def array_compress(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """x.compress(condition, axis): of ``np.compress`` the array is the second argument."""
    if not args:
        return sp.call(Static(np.compress), (), node, {**kwargs, "a": receiver})
    return sp.call(Static(np.compress), (args[0], receiver, *args[1:]), node, kwargs)
