"""Compile attributes and methods of arrays, and of NumPy's numbers (reductions are in
``reduce``)."""

from __future__ import annotations

import ast

import numpy as np

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.core.types import BOOL, F64, I64, Int, Real
from pullback.errors import ArgumentValueError, StaticIndexError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.dtypes import DTYPES, dtype_value, parse_dtype
from pullback.frontend.kinds.values import (
    ArrayV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    attribute,
    method,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, flag, is_none
from pullback.frontend.library.numpy import views
from pullback.frontend.library.numpy.create import astype, copied
from pullback.frontend.library.numpy.elementwise import numpy_scalar, without_axes
from pullback.frontend.library.numpy.rearrange import (
    axes_argument,
    in_order,
    transpose,
)
from pullback.frontend.library.numpy.views import in_rows


def _array(value: Value) -> ArrayV:
    assert isinstance(value, ArrayV)
    return value


# --- attributes ----------------------------------------------------------------------------------


@attribute("array", "shape")
def shape(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return ext.shape(sp, _array(receiver))


@attribute("array", "ndim")
def ndim(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return Static(_array(receiver).rank)


@attribute("array", "size")
def size(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return ext.int_value(ext.product(sp, ext.extents(sp, _array(receiver))))


@attribute("array", "dtype")
def dtype(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return dtype_value(_array(receiver).elem)


@attribute("array", "T")
def transposed(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    array = _array(receiver)
    return transpose(sp, array, list(reversed(range(array.rank))), node)


@attribute("array", "mT")
def matrix_transposed(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    array = _array(receiver)
    if array.rank < 2:
        sp.refuse(node, ".mT needs an array of rank 2 or more")
    perm = list(range(array.rank))
    return transpose(sp, array, [*perm[:-2], perm[-1], perm[-2]], node)


@attribute("array", "itemsize")
def itemsize(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return Static(DTYPES[_array(receiver).elem].itemsize)


@attribute("array", "nbytes")
def nbytes(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return sp.binop("*", size(sp, receiver, node), itemsize(sp, receiver, node), node)


@attribute("array", "flat")
def flat(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    """Return the elements in C order, as a view of the array."""
    array = _array(receiver)
    return views.view(sp, array, views.of_attribute(sp, array, "flat"), node, known=True)


@attribute("array", "real")
def real(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return receiver


@attribute("scalar", "shape")
def scalar_shape(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return TupleV(())


@attribute("scalar", "ndim")
def scalar_ndim(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return Static(0)


@attribute("scalar", "size")
def scalar_size(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return Static(1)


@attribute("scalar", "dtype")
def scalar_dtype(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return dtype_value(sp.scalar(receiver, node).type)


@attribute("number", "real")
@attribute("scalar", "T", "real")
def scalar_itself(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    return receiver


# --- methods -------------------------------------------------------------------------------------


@method("array", "reshape")
def array_reshape(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """x.reshape(2, 3) or x.reshape((2, 3))"""
    (order,) = bind(sp, "reshape", (), kwargs, node, order=Static("C"))
    (shape,) = args if len(args) == 1 else (TupleV(tuple(args)),)
    return in_order(sp, _array(receiver), shape, order, node)


@method("array", "ravel")
def array_ravel(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    (order,) = bind(sp, "ravel", args, kwargs, node, order=Static("C"))
    return in_order(sp, _array(receiver), Static(-1), order, node)


@method("array", "flatten")
def array_flatten(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return the elements in a line, like ravel, but always a new array."""
    (order,) = bind(sp, "flatten", args, kwargs, node, order=Static("C"))
    copy = copied(sp, _array(receiver), node)
    if copy.rank == 1:
        return copy
    flat = _array(in_order(sp, copy, Static(-1), order, node))
    return ext.note(sp, sp.fresh(flat.atom, node), ext.extents(sp, flat))


@method("array", "copy")
def array_copy(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    (order,) = bind(sp, "copy", args, kwargs, node, order=Static("C"))
    made = copied(sp, _array(receiver), node)
    return in_rows(made) if sp.static(order, node, "order") == "C" else made


@method("array", "transpose")
def array_transpose(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    bind(sp, "transpose", (), kwargs, node)
    array = _array(receiver)
    one = len(args) == 1 and (isinstance(args[0], TupleV) or is_none(args[0]))
    axes = NONE if not args else args[0] if one else TupleV(tuple(args))
    return transpose(sp, array, axes_argument(sp, axes, array.rank, node), node)


@method("array", "astype")
def array_astype(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    wanted, copy = bind(sp, "astype", args, kwargs, node, dtype=MISSING, copy=Static(True))
    t = parse_dtype(sp, wanted, node)
    assert t is not None
    array = _array(receiver)
    if t == array.elem and not flag(sp, copy, node, "copy"):
        return array
    return astype(sp, array, t, node)


@method("scalar", "astype")
def scalar_astype(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    (wanted,) = bind(sp, "astype", args, kwargs, node, dtype=MISSING)
    t = parse_dtype(sp, wanted, node)
    assert t is not None
    made = sp.convert(receiver, t, node)
    is_array = isinstance(receiver, Scalar) and receiver.rank0
    return without_axes(made) if is_array else numpy_scalar(made)


@method("array", "item")
def array_item(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """The only element, or the one at the given indices, as a Python number."""
    bind(sp, "item", (), kwargs, node)
    array = _array(receiver)
    own = ext.extents(sp, array)
    if len(args) == array.rank:
        return _python(sp, sp.subscript(array, TupleV(tuple(args)), node), node)
    if len(args) == 1:  # a place in C order, or the indices as a tuple
        if isinstance(args[0], TupleV):
            return array_item(sp, receiver, args[0].items, {}, node)
        return array_item(sp, sp.call(Static(np.ravel), (array,), node), args, {}, node)
    if args:
        reason = "incorrect number of indices for array"
        sp.refuse(node, reason, error=ArgumentValueError)
    message = "can only convert an array of size 1 to a Python scalar"
    ext.check_equal(sp, ext.product(sp, own), ext.ONE, message, node)
    at: tuple[Atom, ...] = (i64(0),) * array.rank
    return _python(sp, numpy_scalar(sp.b.index(array.atom, at, checked=False)), node)


def _python(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return a NumPy number as a Python number."""
    scalar = sp.scalar(value, node)
    wide = F64 if isinstance(scalar.type, Real) else I64 if isinstance(scalar.type, Int) else BOOL
    return Scalar(sp.convert(Scalar(scalar.atom, py=False), wide, node), py=True)


def _update(name: str) -> None:
    """Register a method that changes its array (``text.array_updates``)."""

    @method("array", name)
    def update(
        sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
    ) -> Value:
        return sp.call(Static(getattr(np.ndarray, name)), (receiver, *args), node, kwargs)


for _name in ("fill", "partition", "put", "sort"):
    _update(_name)


@method("scalar", "item", "tolist")
def scalar_item(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    bind(sp, "item", args, kwargs, node)
    return _python(sp, receiver, node)


@method("scalar", "flatten", "ravel")
def scalar_ravel(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return the number in an array of one axis."""
    bind(sp, "ravel", args, kwargs, node, order=Static("C"))
    return sp.call(Static(np.reshape), (receiver, Static(-1)), node)


@method("scalar", "reshape")
def scalar_reshape(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return the number in an array of another shape."""
    (shape,) = args if len(args) == 1 else (TupleV(tuple(args)),)
    return sp.call(Static(np.reshape), (receiver, shape), node, kwargs)


_NO_INDEX = "invalid index to scalar variable."


def number_at(sp: Specialiser, receiver: Value, index: Value, node: ast.AST) -> Value:
    """Return x[()], x[None], x[..., None] of a number of NumPy's."""
    items = index.items if isinstance(index, TupleV) and not index.is_list else (index,)
    if not items:
        return numpy_scalar(sp.scalar(receiver, node).atom)
    new = tuple(v for v in items if isinstance(v, Static) and v.value is None)
    dots = [v for v in items if isinstance(v, Static) and v.value is ...]
    if len(new) + len(dots) < len(items) or len(dots) > 1:
        if optionals.plain_class(index) in (bool, np.bool_):  # a mask without axes
            one = sp.call(Static(np.reshape), (receiver, Static(1)), node)
            return sp.subscript(one, sp.call(Static(np.reshape), (index, Static(1)), node), node)
        if isinstance(receiver, Scalar) and receiver.rank0:
            sp.refuse(node, _NO_INDEX, error=StaticIndexError)
        sp.never("IndexError", _NO_INDEX, node, StaticIndexError)
    if not new:
        return sp.call(Static(np.asarray), (receiver,), node)
    return sp.call(Static(np.reshape), (receiver, TupleV((Static(1),) * len(new))), node)


@method("scalar", "squeeze", "transpose")
def scalar_squeeze(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return the receiver: a number, or an array without axes with its memory."""
    return receiver


@method("scalar", "copy")
def scalar_copy(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return the number; an array without axes in a new one."""
    if isinstance(receiver, Scalar) and not receiver.rank0:
        return receiver
    return sp.call(Static(np.array), (receiver,), node)


@method("array", "tolist")
def array_tolist(
    sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """The elements as Python numbers, in lists in lists."""
    array = _array(receiver)
    n = ext.extents(sp, array)[0]

    def item(i: Atom) -> Value:
        if array.rank > 1:
            row = sp.subscript(array, Scalar(i, True), node)
            return array_tolist(sp, row, args, kwargs, node)
        return _python(sp, numpy_scalar(sp.b.index(array.atom, (i,), checked=False)), node)

    return sp.sequence(n, item, node)


def _register_function(name: str, receivers: tuple[str, ...]) -> None:
    """Register ``x.name(...)`` as ``np.name(x, ...)``."""
    function = Static(getattr(np, name))

    def call(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        return sp.call(function, (receiver, *args), node, kwargs)

    for kind in receivers:
        method(kind, name)(call)


for _name in (
    "argpartition", "argsort", "clip", "conj", "cumprod", "cumsum", "diagonal", "dot", "nonzero",
    "repeat", "round", "searchsorted", "squeeze", "swapaxes", "take", "trace",
):  # fmt: skip
    _register_function(_name, ("array",))
for _name in ("all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "sum", "var"):
    _register_function(_name, ("array", "scalar"))
