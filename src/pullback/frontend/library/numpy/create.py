"""Compile NumPy's functions that make arrays: from shapes, ranges, lists, and like other arrays."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence

import numpy as np

from pullback.core.build import boolean, lit
from pullback.core.terms import Atom, Lit
from pullback.core.types import BOOL, F32, F64, I32, I64, Int, Real
from pullback.errors import ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.dtypes import Element, element, parse_dtype, promote, real_of
from pullback.frontend.kinds.placeholders import of_none
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
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, flag, is_none
from pullback.frontend.library.numpy.elementwise import numpy_scalar, without_axes
from pullback.frontend.library.numpy.sequences import filled, to_array
from pullback.frontend.library.numpy.views import in_rows, lies_in_rows
from pullback.frontend.library.told import negative_samples, told

# --- shapes --------------------------------------------------------------------------------------


def shape_of(sp: Specialiser, value: Value, node: ast.AST) -> tuple[Atom, ...]:
    """Return the extents that a shape argument names (an int or a tuple of ints)."""
    if isinstance(value, (ListV, ArrayV)):
        sp.refuse(
            node, "the number of dimensions of the shape is not known", "write a tuple of ints"
        )
    items: Sequence[Value] = value.items if isinstance(value, TupleV) else (value,)
    result = []
    for item in items:
        extent = ext.int_atom(sp, item, node, "an extent")
        if isinstance(extent, Lit) and int(extent.value) < 0:
            sp.require(boolean(False), "ValueError", _NEGATIVE, node)
        elif not ext.never_negative(sp, extent):
            cond = sp.b.prim("ge", extent, ext.ZERO)
            sp.require(cond, "ValueError", _NEGATIVE, node)
        result.append(extent)
    return tuple(result)


def allocated(sp: Specialiser, value: Value, node: ast.AST) -> tuple[Atom, ...]:
    """Return the extents of a new array, after the check that memory has room for so many
    elements."""
    result = shape_of(sp, value, node)
    limited(sp, result, node)
    return result


def limited(sp: Specialiser, extents: Sequence[Atom], node: ast.AST) -> None:
    """Emit a check that memory can hold an array of these extents. The extents of existing arrays
    are small enough."""
    known = [int(e.value) for e in extents if isinstance(e, Lit)]
    others = [e for e in extents if not isinstance(e, Lit)]
    if math.prod(known) < _MOST and all(ext.never_negative(sp, e) for e in others):
        return
    size: Atom = lit(float(math.prod(known)), F64)
    for e in others:
        size = sp.b.prim("mul", size, sp.b.prim("to_real", e, static=(F64,)))
    for most, error, message in (
        (2.0**60, "ValueError", "array is too big"),
        (float(_MOST), "MemoryError", "Unable to allocate an array of this shape"),
    ):
        sp.require(sp.b.prim("lt", size, lit(most, F64)), error, message, node)


_MOST = 2**44  # elements of 8 bytes in the 47 bits of addresses
_NEGATIVE = "negative dimensions are not allowed"


def full(
    sp: Specialiser, extents: Sequence[Atom], value: Value, t: Element, node: ast.AST
) -> Value:
    """Return an array with ``value`` everywhere; without extents it is the number itself."""
    if not extents:
        return without_axes(sp.convert(value, t, node))
    return filled(sp, extents, value, t, node)


def _register_constant(function: Callable[..., object], value: int) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        shape, dtype, order = bind(
            sp, function.__name__, args, kwargs, node, shape=MISSING, dtype=NONE, order=Static("C")
        )
        t = parse_dtype(sp, dtype, node) or F64
        made = full(sp, allocated(sp, shape, node), Static(value), t, node)
        return in_rows(made) if by_rows(sp, order, node) else made


def by_rows(sp: Specialiser, order: Value, node: ast.AST) -> bool:
    """Whether the elements of a new array are to lie row by row; how they lie is not seen but by
    updates of views."""
    return sp.static(order, node, "order") == "C"


def _register_constant_like(function: Callable[..., object], value: int) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        like, dtype, _, _, shape = bind(
            sp, function.__name__, args, kwargs, node,
            a=MISSING, dtype=NONE, order=NONE, subok=NONE, shape=NONE,
        )  # fmt: skip
        if not is_none(shape):
            t = parse_dtype(sp, dtype, node) or element(sp, to_array(sp, like, node), node)
            return full(sp, allocated(sp, shape, node), Static(value), t, node)
        return _like(sp, like, Static(value), dtype, node)


def _like(sp: Specialiser, like: Value, value: Value, dtype: Value, node: ast.AST) -> Value:
    like = to_array(sp, like, node)
    t = parse_dtype(sp, dtype, node) or element(sp, like, node)
    extents = ext.extents(sp, like) if isinstance(like, ArrayV) else ()
    return full(sp, extents, value, t, node)


# np.empty promises nothing about the contents, so it gives zeros.
_register_constant(np.zeros, 0)
_register_constant(np.ones, 1)
_register_constant(np.empty, 0)
_register_constant(np.ndarray, 0)
_register_constant_like(np.zeros_like, 0)
_register_constant_like(np.ones_like, 1)
_register_constant_like(np.empty_like, 0)


@register(np.full)
def np_full(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    shape, value, dtype, order = bind(
        sp, "np.full", args, kwargs, node,
        shape=MISSING, fill_value=MISSING, dtype=NONE, order=Static("C"),
    )  # fmt: skip
    t = parse_dtype(sp, dtype, node) or element(sp, value, node)
    made = full(sp, allocated(sp, shape, node), _cut(sp, value, t, node), t, node)
    return in_rows(made) if by_rows(sp, order, node) else made


def _cut(sp: Specialiser, value: Value, t: Element, node: ast.AST) -> Value:
    """Return a float that fills an array of ints, truncated as elements of arrays are, without an
    error."""
    if isinstance(t, Int) and isinstance(element(sp, value, node), Real):
        return Scalar(sp.scalar(value, node).atom, py=False)
    return value


@register(np.full_like)
def np_full_like(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    like, value, dtype = bind(
        sp, "np.full_like", args, kwargs, node, a=MISSING, fill_value=MISSING, dtype=NONE
    )
    t = parse_dtype(sp, dtype, node) or element(sp, to_array(sp, like, node), node)
    return _like(sp, like, _cut(sp, value, t, node), dtype, node)


# --- ranges --------------------------------------------------------------------------------------


@register(np.arange)
def arange(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.arange(stop), (start, stop), (start, stop, step): ints, or reals if one of them is."""
    first, second, step, dtype = bind(
        sp, "np.arange", args, kwargs, node, start=MISSING, stop=NONE, step=Static(1), dtype=NONE
    )
    start, stop = (Static(0), first) if is_none(second) else (first, second)
    t = promote(sp, (start, stop, step), node)
    t = F64 if isinstance(t, Real) else I64  # also of float32 numbers
    result = parse_dtype(sp, dtype, node) or t
    message = "Maximum allowed size exceeded"
    a = sp.convert(start, t, node)
    d: Atom
    count: Atom
    if isinstance(t, Real):  # the length and the second element have the types of the numbers
        ratio = sp.binop("/", sp.binop("-", stop, start, node), step, node)
        steps = sp.b.prim("ceil", sp.convert(ratio, t, node))
        following = sp.convert(sp.binop("+", start, step, node), t, node)
        sp.require(sp.b.prim("lt", steps, lit(2.0**63, t)), "ValueError", message, node)
        count = ext.larger(sp, sp.b.prim("to_int", steps, static=(I64,)), ext.ZERO)
        d = sp.b.prim("sub", following, a)
    else:
        b, d = (sp.convert(v, t, node) for v in (stop, step))
        if not isinstance(d, Lit):
            some = sp.b.prim("ne", d, ext.ZERO)
            sp.require(some, "ZeroDivisionError", "division by zero", node)
        count = range_length(sp, a, b, d)
    limited(sp, (count,), node)
    between = _between(sp, a, d) if isinstance(t, Real) else d

    def item(indices: tuple[Atom, ...]) -> Atom:
        i = sp.convert(numpy_scalar(indices[0]), t, node)
        if not isinstance(t, Real):
            value = ext.add(sp, a, ext.mul(sp, i, d))
        else:
            value = sp.b.prim("add", a, sp.b.prim("mul", i, between))
        return sp.convert(numpy_scalar(value), result, node)

    extents = (count,)
    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


def _between(sp: Specialiser, start: Atom, step: Atom) -> Atom:
    """Return the step that NumPy uses: the difference of the first two elements, which are rounded.
    Its derivative is that of the step."""
    second = sp.b.prim("add", start, step)
    rounded = sp.b.prim("sub", sp.b.prim("sub", second, start), step)
    return sp.b.prim("add", step, sp.b.prim("stop_gradient", rounded))


def range_length(sp: Specialiser, start: Atom, stop: Atom, step: Atom) -> Atom:
    """len(range(start, stop, step)) for a step that is not 0."""
    if isinstance(step, Lit) and int(step.value) == 1:
        span = ext.sub(sp, stop, start)
        whole = isinstance(start, Lit) and int(start.value) == 0 and ext.never_negative(sp, stop)
        return span if whole else ext.larger(sp, span, ext.ZERO)
    # ceil((stop - start) / step) = -((start - stop) // step)
    down = ext.floordiv(sp, ext.sub(sp, start, stop), step)
    return ext.larger(sp, ext.sub(sp, ext.ZERO, down), ext.ZERO)


@register(np.linspace)
def linspace(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.linspace(start, stop, num): i * step + start, the last one exactly stop."""
    start, stop, num, endpoint = bind(
        sp, "np.linspace", args, kwargs, node,
        start=MISSING, stop=MISSING, num=Static(50), endpoint=Static(True),
    )  # fmt: skip
    if isinstance(start, ArrayV) or isinstance(stop, ArrayV):
        sp.refuse(node, "np.linspace of arrays is not supported", "give it numbers")
    n = ext.int_atom(sp, num, node, "an extent")
    if not ext.never_negative(sp, n):
        text, leaves = told(negative_samples, "Number of samples must be non-negative.", n)
        sp.require(sp.b.prim("ge", n, ext.ZERO), "ValueError", text, node, *leaves)
    limited(sp, (n,), node)
    closed = flag(sp, endpoint, node, "endpoint")
    t = real_of(promote(sp, (start, stop), node))
    a, b = sp.convert(start, t, node), sp.convert(stop, t, node)
    last = ext.sub(sp, n, ext.ONE)
    gaps = sp.convert(numpy_scalar(ext.larger(sp, last, ext.ONE) if closed else n), t, node)
    whole = sp.b.prim("sub", b, a)
    step = sp.b.prim("div", whole, gaps)
    lost = sp.b.prim("eq", step, lit(0.0, t))  # the range is so small that the step became 0

    def item(indices: tuple[Atom, ...]) -> Atom:
        i = sp.b.prim("to_real", indices[0], static=(t,))
        there = sp.b.prim("select", lost, sp.b.prim("div", i, gaps), i)
        value = sp.b.prim("mul", there, sp.b.prim("select", lost, whole, step))
        value = sp.b.prim("add", value, a)
        if not closed:
            return value
        at_end = sp.b.prim("eq", indices[0], last)
        more = sp.b.prim("gt", last, ext.ZERO)
        return sp.b.prim("select", sp.b.prim("and", at_end, more), b, value)

    return ext.note(sp, sp.array((n,), item, node), (n,), built=True)


# --- matrices ------------------------------------------------------------------------------------


@register(np.eye)
def eye(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    rows, columns, k, dtype = bind(
        sp, "np.eye", args, kwargs, node, N=MISSING, M=NONE, k=Static(0), dtype=NONE
    )
    (n,) = shape_of(sp, rows, node)
    (m,) = (n,) if is_none(columns) else shape_of(sp, columns, node)
    limited(sp, (n, m), node)
    shift = ext.int_atom(sp, k, node, "k")
    t = parse_dtype(sp, dtype, node) or F64

    def item(indices: tuple[Atom, ...]) -> Atom:
        on = sp.b.prim("eq", ext.add(sp, indices[0], shift), indices[1])
        return sp.convert(numpy_scalar(on), t, node)

    return ext.note(sp, sp.array((n, m), item, node), (n, m), built=True)


@register(np.identity)
def identity(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    n, dtype = bind(sp, "np.identity", args, kwargs, node, n=MISSING, dtype=NONE)
    return eye(sp, (n,), {"dtype": dtype}, node)


@register(np.meshgrid)
def meshgrid(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.meshgrid(x, y, ..., indexing="xy"): a list of arrays of all the axes."""
    (indexing,) = bind(sp, "np.meshgrid", (), kwargs, node, indexing=Static("xy"))
    order = sp.static(indexing, node, "indexing")
    arrays = [to_array(sp, a, node) for a in args]
    lines = [a for a in arrays if isinstance(a, ArrayV) and a.rank == 1]
    if len(lines) < len(arrays):
        sp.refuse(node, "np.meshgrid is supported for arrays of rank 1")
    axes = list(range(len(lines)))
    if order == "xy" and len(axes) > 1:
        axes[0], axes[1] = 1, 0
    lengths = [ext.extents(sp, a)[0] for a in lines]
    extents = tuple(lengths[axes.index(k)] for k in range(len(lines)))
    grids = []
    for line, axis in zip(lines, axes, strict=True):

        def item(indices: tuple[Atom, ...], line: ArrayV = line, axis: int = axis) -> Atom:
            return sp.b.index(line.atom, (indices[axis],), checked=False)

        grids.append(ext.note(sp, sp.array(extents, item, node), extents, built=True))
    return TupleV(tuple(grids), is_list=isinstance(np.meshgrid([0.0]), list))  # of this NumPy


# --- from lists and arrays -----------------------------------------------------------------------


def _told_of_copies() -> str:
    """Return what this NumPy says of ``copy=False`` where it has to copy; nothing if it copies."""
    try:
        np.array([1.0], copy=False)
    except ValueError as e:
        return str(e)
    return ""


_COPY_NEEDED = _told_of_copies()


def _is_kept(sp: Specialiser, x: Value, made: Value, node: ast.AST) -> bool:
    """Whether an array of NumPy's becomes one of the same type."""
    if isinstance(x, ArrayV) and isinstance(made, ArrayV):
        return x.elem == made.elem
    return isinstance(x, Scalar) and x.rank0 and sp.scalar(made, node).type == x.type


def _is_temporary(node: ast.AST) -> bool:
    """Whether the first argument is a list made in the call itself, to which nothing else
    refers."""
    return isinstance(node, ast.Call) and bool(node.args) and isinstance(node.args[0], ast.ListComp)


@register(np.array)
def array(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.array(x): always a new array."""
    x, dtype, copy, order, _, least = bind(
        sp, "np.array", args, kwargs, node,
        object=MISSING, dtype=NONE, copy=Static(True), order=NONE, subok=NONE, ndmin=Static(0),
    )  # fmt: skip
    least_rank = sp.static_int(least, node, "ndmin")
    plain = is_none(dtype) and is_none(order) and least_rank == 0
    if plain and (nothing := of_none(x)) is not None:
        return nothing
    new = not is_none(copy) and flag(sp, copy, node, "copy")
    made = _as_array(sp, x, dtype, new, node)
    if not new and not is_none(copy) and _COPY_NEEDED and not _is_kept(sp, x, made, node):
        sp.never("ValueError", _COPY_NEEDED, node, ArgumentValueError, rewrite="use np.asarray(x)")
    if not is_none(order) and not (new and by_rows(sp, order, node)):
        made = _laid(sp, made, order, node)
    rank = made.rank if isinstance(made, ArrayV) else 0
    missing = least_rank - rank
    if missing <= 0:
        return made
    index = (NONE,) * (missing if rank else missing - 1)
    made = made if rank else sp.call(Static(np.reshape), (made, Static(1)), node)
    return sp.subscript(made, TupleV((*index, Static(...))), node) if index else made


def _laid(sp: Specialiser, made: Value, order: Value, node: ast.AST) -> Value:
    """Return an array of which the elements are to lie row by row, or column by column: itself or a
    copy, as they lie. So it cannot be updated, unless its place is known."""
    if not isinstance(made, ArrayV) or (by_rows(sp, order, node) and lies_in_rows(made)):
        return made
    return sp.view(made.atom, made)


@register(np.asarray, np.asanyarray)
def asarray(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return np.asarray(x): an array itself, or a new array of the items of a list."""
    x, dtype, order = bind(
        sp, "np.asarray", args, kwargs, node, a=MISSING, dtype=NONE, order=NONE
    )
    made = _as_array(sp, x, dtype, False, node)
    return made if is_none(order) else _laid(sp, made, order, node)


def _register_contiguous(function: Callable[..., object], order: str) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        x, dtype = bind(sp, function.__name__, args, kwargs, node, a=MISSING, dtype=NONE)
        made = _as_array(sp, x, dtype, False, node)
        if not isinstance(made, ArrayV):  # a number becomes an array of one axis
            return sp.call(Static(np.reshape), (made, Static(1)), node)
        return _laid(sp, made, Static(order), node)


_register_contiguous(np.ascontiguousarray, "C")
_register_contiguous(np.asfortranarray, "F")


def _as_array(sp: Specialiser, x: Value, dtype: Value, copy: bool, node: ast.AST) -> Value:
    t = parse_dtype(sp, dtype, node)
    result = to_array(sp, x, node, temporary=_is_temporary(node))
    if not isinstance(result, ArrayV):
        scalar = sp.scalar(result, node)
        if scalar.rank0 and not copy and t in (None, scalar.type):
            return result
        return without_axes(scalar.atom if t is None else sp.convert(scalar, t, node))
    if isinstance(x, ArrayV):
        if t is not None and t != result.elem:
            return astype(sp, result, t, node)
        return copied(sp, result, node) if copy else result
    if t is not None and t != result.elem:
        result = astype(sp, result, t, node, checked=True)
    return in_rows(result) if isinstance(x, (ListV, TupleV)) else result


def copied(sp: Specialiser, array: ArrayV, node: ast.AST) -> ArrayV:
    """A new array with the same elements."""
    known = ext.extents(sp, array)
    return ext.note(sp, sp.fresh(sp.b.prim("copy", array.atom), node), known)


def astype(
    sp: Specialiser, array: ArrayV, t: Element, node: ast.AST, checked: bool = False
) -> ArrayV:
    """Return a new array with the elements converted (reals to ints: truncated). ``checked``: an
    element that does not fit raises, as an item of a list does."""
    if t == array.elem:
        return copied(sp, array, node)
    extents = ext.extents(sp, array)

    def item(indices: tuple[Atom, ...]) -> Atom:
        return sp.convert(Scalar(sp.b.index(array.atom, indices, checked=False), checked), t, node)

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


# --- NumPy's own numbers -------------------------------------------------------------------------


def _register_type(function: Callable[..., object], t: Element) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (x,) = bind(sp, f"np.{function.__name__}", args, kwargs, node, x=Static(0))
        x = to_array(sp, x, node)
        if isinstance(x, ArrayV):
            made = astype(sp, x, t, node)
            return sp.view(made.atom, x) if x.elem == t else made  # NumPy gives the array itself
        return numpy_scalar(sp.convert(x, t, node))


_register_type(np.float64, F64)
_register_type(np.float32, F32)
_register_type(np.int64, I64)
_register_type(np.int32, I32)
_register_type(np.bool_, BOOL)


@register(np.copy)
def np_copy(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, _ = bind(sp, "np.copy", args, kwargs, node, a=MISSING, order=NONE)
    return _as_array(sp, x, NONE, True, node)


def _register_query(function: Callable[..., object], name: str) -> None:
    """np.shape(x), np.ndim(x), np.size(x): also of numbers and lists."""

    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        (x,) = bind(sp, f"np.{name}", args, kwargs, node, a=MISSING)
        array = to_array(sp, x, node)
        if isinstance(array, ArrayV):
            return sp.attribute(array, name, node)
        if name == "shape":
            return TupleV(())
        return Static(0 if name == "ndim" else 1)


_register_query(np.shape, "shape")
_register_query(np.ndim, "ndim")
_register_query(np.size, "size")
