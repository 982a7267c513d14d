"""Compile NumPy's reductions, with ``axis`` and ``keepdims``: functions and methods of arrays.

A reduction over some axes is a ``Build`` over the others of a kernel that reduces; over all axes
it is the kernel alone, and the result is a number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import numpy as np

from pullback.core.build import i64, lit
from pullback.core.later import SPECIAL, Later
from pullback.core.terms import Atom
from pullback.core.types import BOOL, F64, I64, Bool, Real
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.dtypes import Element, parse_dtype, real_of
from pullback.frontend.kinds.values import (
    ArrayV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, flag, is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy.elementwise import numpy_scalar
from pullback.frontend.library.numpy.reductions import (
    Indices,
    Read,
    linear,
    place_of,
    product_of,
    sum_of,
    test_of,
)
from pullback.frontend.library.numpy.sequences import to_array

Kernel = Callable[[tuple[Atom, ...], Read], Atom]
"""A function from the reduced extents, and a reader of elements there, to the reduced number."""

FALSE = Static(False)


def axes_of(sp: Specialiser, axis: Value, rank: int, node: ast.AST) -> tuple[int, ...]:
    """Return the axes that ``axis=`` names, counted from 0, in ascending order."""
    if is_none(axis):
        return tuple(range(rank))
    return tuple(sorted(named_axes(sp, axis, rank, node)))


def _no_axis(sp: Specialiser, axis: Value, node: ast.AST, fine: tuple[int, ...]) -> None:
    """Refuse an axis of a number, except for those that NumPy ignores."""
    if not is_none(axis) and not (isinstance(axis, Static) and axis.value in fine):
        sp.refuse(node, "a number has no axis", "leave axis= out", error=ArgumentValueError)


def one_axis(sp: Specialiser, axis: Value, rank: int, node: ast.AST) -> int:
    """Return the axis that ``axis=`` names, counted from 0; several are refused."""
    found = named_axes(sp, axis, rank, node)
    if isinstance(axis, TupleV):
        sp.refuse(node, "one axis is needed, not a tuple", error=ArgumentTypeError)
    return found[0]


def named_axes(sp: Specialiser, axis: Value, rank: int, node: ast.AST) -> tuple[int, ...]:
    """Return the axes that ``axis=`` names, counted from 0, in the order in which they are
    named."""
    if isinstance(axis, TupleV):
        wanted = [sp.static_int(a, node, "axis") for a in axis.items]
    else:
        wanted = [sp.static_int(axis, node, "axis")]
    for a in wanted:
        if not -rank <= a < rank:
            reason = f"axis {a} is out of bounds for an array of dimension {rank}"
            sp.refuse(node, reason, error=ArgumentValueError)
    found = tuple(a % rank for a in wanted)
    if len(set(found)) < len(found):
        sp.refuse(node, "duplicate value in 'axis'", error=ArgumentValueError)
    return found


def reduce(
    sp: Specialiser, array: ArrayV, axes: Sequence[int], keepdims: bool, kernel: Kernel,
    node: ast.AST,
) -> Value:  # fmt: skip
    """Reduce by ``kernel`` over ``axes``, for all indices of the other axes."""
    own = ext.extents(sp, array)
    kept = [k for k in range(array.rank) if k not in axes]
    inner = tuple(own[k] for k in axes)

    def at(outer: dict[int, Atom]) -> Atom:
        def read(indices: Indices) -> Atom:
            place = outer | dict(zip(axes, indices, strict=True))
            full = tuple(place[k] for k in range(array.rank))
            return sp.b.index(array.atom, full, checked=False)

        return kernel(inner, read)

    if not kept and not keepdims:
        return numpy_scalar(at({}))
    if keepdims:
        extents = tuple(ext.ONE if k in axes else own[k] for k in range(array.rank))
        result = sp.array(extents, lambda i: at({k: i[k] for k in kept}), node)
    else:
        extents = tuple(own[k] for k in kept)
        result = sp.array(extents, lambda i: at(dict(zip(kept, i, strict=True))), node)
    return ext.note(sp, result, extents, built=True)


def _as_type(sp: Specialiser, read: Read, t: Element, node: ast.AST) -> Read:
    return lambda indices: sp.convert(numpy_scalar(read(indices)), t, node)


def _wide(t: Element) -> Element:
    """Return the type of sums of elements of type ``t``."""
    return t if isinstance(t, Real) else I64


def _operand(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return the array to reduce; a number is an array of rank 0."""
    value = to_array(sp, value, node)
    return value if isinstance(value, ArrayV) else Scalar(sp.scalar(value, node).atom, py=False)


def _arguments(
    sp: Specialiser, name: str, args: Args, kwargs: Kwargs, node: ast.AST, **more: Value
) -> tuple[Value, ...]:
    """Return the array, the axis, the values of the parameters ``more``, and whether axes are
    kept."""
    *found, _, keepdims = bind(
        sp, name, args, kwargs, node, a=MISSING, axis=NONE, **more, out=NONE, keepdims=FALSE
    )
    return (*found, keepdims)


# --- sum, product, mean, variance ----------------------------------------------------------------


def total(
    sp: Specialiser, x: Value, axis: Value, dtype: Value, keepdims: Value, node: ast.AST,
    product: bool = False,
) -> Value:  # fmt: skip
    x = _operand(sp, x, node)
    elem = x.elem if isinstance(x, ArrayV) else sp.scalar(x, node).type
    t = parse_dtype(sp, dtype, node) or _wide(elem)
    if isinstance(t, Bool):
        sp.refuse(node, "sums of dtype bool are not supported", "use np.any")
    if not isinstance(x, ArrayV):
        _no_axis(sp, axis, node, (0, -1))
        return numpy_scalar(sp.convert(x, t, node))

    def kernel(inner: tuple[Atom, ...], read: Read) -> Atom:
        if elem == BOOL and t == I64 and not product:  # sums of reals have lanes, and are exact
            count = sum_of(sp, inner, _as_type(sp, read, F64, node), F64, node)
            return sp.convert(numpy_scalar(count), t, node)
        item = _as_type(sp, read, t, node)
        return product_of(sp, inner, item, t) if product else sum_of(sp, inner, item, t, node)

    axes = axes_of(sp, axis, x.rank, node)
    return reduce(sp, x, axes, flag(sp, keepdims, node, "keepdims"), kernel, node)


def mean(sp: Specialiser, x: Value, axis: Value, keepdims: Value, node: ast.AST) -> Value:
    x = _operand(sp, x, node)
    if not isinstance(x, ArrayV):
        _no_axis(sp, axis, node, ())
        return numpy_scalar(sp.convert(x, real_of(sp.scalar(x, node).type), node))
    t = real_of(x.elem)

    def kernel(inner: tuple[Atom, ...], read: Read) -> Atom:
        return _mean(sp, inner, _as_type(sp, read, t, node), t, 0, node)

    axes = axes_of(sp, axis, x.rank, node)
    return reduce(sp, x, axes, flag(sp, keepdims, node, "keepdims"), kernel, node)


def _mean(
    sp: Specialiser, inner: tuple[Atom, ...], read: Read, t: Real, ddof: int, node: ast.AST
) -> Atom:
    count = ext.sub(sp, ext.product(sp, inner), i64(ddof))
    if ddof:
        count = ext.larger(sp, count, ext.ZERO)
    n = sp.convert(numpy_scalar(count), t, node)
    return sp.b.prim("div", sum_of(sp, inner, read, t, node), n)


def variance(
    sp: Specialiser, x: Value, axis: Value, ddof: Value, keepdims: Value, node: ast.AST,
    root: bool,
) -> Value:  # fmt: skip
    x = _operand(sp, x, node)
    if not isinstance(x, ArrayV):
        _no_axis(sp, axis, node, ())
        number = sp.scalar(x, node)
        x, axis = sp.array((ext.ONE,), lambda _: number.atom, node), NONE  # or NaN, as NumPy has it
        ext.note(sp, x, (ext.ONE,), built=True)
    t = real_of(x.elem)
    less = sp.static_int(ddof, node, "ddof")

    def kernel(inner: tuple[Atom, ...], read: Read) -> Atom:
        item = _as_type(sp, read, t, node)
        middle = _mean(sp, inner, item, t, 0, node)

        def square(indices: Indices) -> Atom:
            d = sp.b.prim("sub", item(indices), middle)
            return sp.b.prim("mul", d, d)

        result = _mean(sp, inner, square, t, less, node)
        return sp.b.prim("sqrt", result) if root else result

    axes = axes_of(sp, axis, x.rank, node)
    return reduce(sp, x, axes, flag(sp, keepdims, node, "keepdims"), kernel, node)


@register(np.sum)
def np_sum(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis, dtype, keepdims = _arguments(sp, "np.sum", args, kwargs, node, dtype=NONE)
    return total(sp, x, axis, dtype, keepdims, node)


@register(np.prod)
def np_prod(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis, dtype, keepdims = _arguments(sp, "np.prod", args, kwargs, node, dtype=NONE)
    return total(sp, x, axis, dtype, keepdims, node, product=True)


@register(np.mean)
def np_mean(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis, dtype, keepdims = _arguments(sp, "np.mean", args, kwargs, node, dtype=NONE)
    if not is_none(dtype):  # by its position
        return sp.call(Static(np.mean), (x, axis), node, {"dtype": dtype, "keepdims": keepdims})
    return mean(sp, x, axis, keepdims, node)


def _np_variance(root: bool) -> Callable[[Specialiser, Args, Kwargs, ast.AST], Value]:
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, axis, ddof, keepdims = bind(
            sp, "np.std" if root else "np.var", args[:2], _positional(args, kwargs), node,
            a=MISSING, axis=NONE, ddof=Static(0), keepdims=FALSE,
        )  # fmt: skip
        return variance(sp, x, axis, ddof, keepdims, node, root)

    return call


def _positional(args: Args, kwargs: Kwargs) -> Kwargs:
    """Return the arguments by name: those of np.var(a, axis, dtype, out, ddof) beyond the axis."""
    return dict(zip(("dtype", "out", "ddof"), args[2:], strict=False)) | kwargs


register(np.var)(_np_variance(False))
register(np.std)(_np_variance(True))


# --- maximum and minimum -------------------------------------------------------------------------


def extremum(
    sp: Specialiser, x: Value, axis: Value, keepdims: Value, node: ast.AST, largest: bool,
    place: bool = False, python: bool = False,
) -> Value:  # fmt: skip
    """Return the largest (smallest) element, or its ``place`` in C order; ValueError at run time if
    there is none."""
    x = _operand(sp, x, node)
    if not isinstance(x, ArrayV):
        _no_axis(sp, axis, node, (0, -1))
        return numpy_scalar(ext.ZERO) if place else x
    if place and not is_none(axis):
        one_axis(sp, axis, x.rank, node)
    axes = axes_of(sp, axis, x.rank, node)
    own = ext.extents(sp, x)
    message = _empty(largest, place, python)
    for k in axes:
        sp.require(sp.b.prim("gt", own[k], ext.ZERO), "ValueError", message, node)
    bools = x.elem == BOOL

    def kernel(inner: tuple[Atom, ...], read: Read) -> Atom:
        item = _as_type(sp, read, I64, node) if bools else read
        indices = place_of(sp, inner, item, largest, python)
        return linear(sp, inner, indices) if place else read(indices)

    return reduce(sp, x, axes, flag(sp, keepdims, node, "keepdims"), kernel, node)


def _empty(operation: bool | str, place: bool = False, python: bool = False) -> str:
    """What is said of no elements: by the operation, or the maximum (True) or minimum."""
    if place:
        return f"attempt to get arg{'max' if operation else 'min'} of an empty sequence"
    if python:
        return f"{'max' if operation else 'min'}() arg is an empty sequence"
    if isinstance(operation, bool):
        operation = "maximum" if operation else "minimum"
    return f"zero-size array to reduction operation {operation} which has no identity"


def _register_extremum(functions: Sequence[Callable[..., object]], largest: bool) -> None:
    @register(*functions)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, axis, keepdims = _arguments(sp, functions[0].__name__, args, kwargs, node)
        return extremum(sp, x, axis, keepdims, node, largest)


def _register_place(function: Callable[..., object], largest: bool) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, axis, keepdims = _arguments(sp, function.__name__, args, kwargs, node)
        return extremum(sp, x, axis, keepdims, node, largest, place=True)


_register_extremum((np.max, np.amax), True)
_register_extremum((np.min, np.amin), False)
_register_place(np.argmax, True)
_register_place(np.argmin, False)


# --- tests ---------------------------------------------------------------------------------------


def tested(
    sp: Specialiser, x: Value, axis: Value, keepdims: Value, name: str, node: ast.AST
) -> Value:
    x = _operand(sp, x, node)
    if not isinstance(x, ArrayV):
        _no_axis(sp, axis, node, (0, -1))
        return numpy_scalar(sp.convert(x, BOOL, node))

    def kernel(inner: tuple[Atom, ...], read: Read) -> Atom:
        return test_of(sp, inner, _as_type(sp, read, BOOL, node), name)

    axes = axes_of(sp, axis, x.rank, node)
    return reduce(sp, x, axes, flag(sp, keepdims, node, "keepdims"), kernel, node)


def _register_test(function: Callable[..., object], name: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, axis, keepdims = _arguments(sp, function.__name__, args, kwargs, node)
        return tested(sp, x, axis, keepdims, name, node)


_register_test(np.all, "and")
_register_test(np.any, "or")


@register(np.count_nonzero)
def count_nonzero(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, axis, keepdims = bind(
        sp, "np.count_nonzero", args, kwargs, node, a=MISSING, axis=NONE, keepdims=FALSE
    )
    hits = sp.compare("!=", _operand(sp, x, node), Static(0), node)
    return total(sp, hits, axis, NONE, keepdims, node)


_special = Later("pullback.frontend.library.text.scipy_special")


@register(SPECIAL.logsumexp)
def logsumexp(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """log(sum(exp(x))), shifted by the maximum where that is finite."""
    x, axis, weights, keepdims, signed = bind(
        sp, "logsumexp", args, kwargs, node, a=MISSING, axis=NONE, b=NONE, keepdims=FALSE,
        return_sign=FALSE,
    )  # fmt: skip
    if flag(sp, signed, node, "return_sign"):
        text = _special._signed_logsumexp
        return run_program(sp, text, (x, weights, axis, keepdims), node)
    if not is_none(weights):
        text = _special._weighted_logsumexp
        return run_program(sp, text, (x, weights, axis, keepdims), node)
    x = _operand(sp, x, node)
    if not isinstance(x, ArrayV):
        _no_axis(sp, axis, node, ())
        return numpy_scalar(sp.convert(x, real_of(sp.scalar(x, node).type), node))
    t = real_of(x.elem)

    def kernel(inner: tuple[Atom, ...], read: Read) -> Atom:
        item = _as_type(sp, read, t, node)
        # The result does not depend on the shift, so the shift is a constant.
        top = sp.b.prim("stop_gradient", item(place_of(sp, inner, item, True)))
        shift = sp.b.prim("select", sp.b.prim("isfinite", top), top, lit(0.0, t))

        def term(indices: Indices) -> Atom:
            return sp.b.prim("exp", sp.b.prim("sub", item(indices), shift))

        return sp.b.prim("add", shift, sp.b.prim("log", sum_of(sp, inner, term, t, node)))

    axes = axes_of(sp, axis, x.rank, node)
    own = ext.extents(sp, x)
    for k in axes:
        sp.require(sp.b.prim("gt", own[k], ext.ZERO), "ValueError", _empty("logaddexp"), node)
    return reduce(sp, x, axes, flag(sp, keepdims, node, "keepdims"), kernel, node)
