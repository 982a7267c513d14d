"""NumPy's ``polyval``, ``convolve``, ``gradient`` of vectors, ``average`` and ``nansum``
(``text.polynomials``)."""

from __future__ import annotations

import ast

import numpy as np

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.core.types import BOOL, F64, Real
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.dtypes import promote
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    Specialiser,
    Static,
    TupleV,
    Value,
    index_scalar,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, flag, is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.elementwise import numpy_scalar
from pullback.frontend.library.numpy.shape import as_array, at_least_1d
from pullback.frontend.library.numpy.sort import as_type
from pullback.frontend.library.text import polynomials as programs


def _vector(sp: Specialiser, value: Value, name: str, node: ast.AST) -> ArrayV:
    array = as_array(sp, value, node)
    if array.rank != 1:
        sp.refuse(node, f"{name} of arrays of rank {array.rank} is not supported: a vector is")
    return array


@register(np.polyval)
def polyval(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.polyval(p, x): p[0] * x**(n-1) + ... + p[n-1], in float64."""
    p, x = bind(sp, "np.polyval", args, kwargs, node, p=MISSING, x=MISSING)
    coefficients = _vector(sp, p, "np.polyval", node)
    at = x if isinstance(x, ArrayV) or not _is_sequence(x) else as_array(sp, x, node)
    if promote(sp, (coefficients, at), node) != F64:
        sp.refuse(node, "np.polyval is supported for float64", "convert with .astype(float)")
    coefficients = as_type(sp, coefficients, F64, node)

    def one(v: Value) -> Value:
        place = numpy_scalar(sp.convert(v, F64, node))
        return run_program(sp, programs.polyval, (coefficients, place), node)

    return elementwise(sp, (at,), lambda v: one(v[0]), node)


def _is_sequence(value: Value) -> bool:
    return isinstance(value, ListV | TupleV)


@register(np.convolve)
def convolve(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.convolve(a, v, mode='full' | 'same' | 'valid')"""
    given_a, given_v, given_mode = bind(
        sp, "np.convolve", args, kwargs, node, a=MISSING, v=MISSING, mode=Static("full")
    )
    mode = sp.static(given_mode, node, "mode")
    if mode not in ("full", "same", "valid"):
        reason = f"mode must be 'full', 'same' or 'valid', not {mode!r}"
        sp.refuse(node, reason, error=ArgumentValueError)
    a, v = (_vector(sp, x, "np.convolve", node) for x in (given_a, given_v))
    t = promote(sp, (a, v), node)
    if not isinstance(t, Real):
        sp.refuse(node, "np.convolve is supported for floats", "convert with .astype(float)")
    a, v = as_type(sp, a, t, node), as_type(sp, v, t, node)
    (n,), (m,) = ext.extents(sp, a), ext.extents(sp, v)
    for size, name in ((m, "v"), (n, "a")):
        fine = sp.b.prim("gt", size, ext.ZERO)
        sp.require(fine, "ValueError", f"{name} cannot be empty", node)
    longer, shorter = sp.b.prim("max", n, m), sp.b.prim("min", n, m)
    less = ext.sub(sp, shorter, ext.ONE)
    start: Atom = less
    match mode:
        case "full":
            start, count = ext.ZERO, ext.add(sp, longer, less)
        case "same":
            start, count = sp.b.prim("floordiv", less, i64(2)), longer
        case _:
            count = ext.sub(sp, longer, less)
    return run_program(
        sp, programs.convolved, (a, v, index_scalar(start), index_scalar(count)), node
    )


@register(np.gradient)
def gradient(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.gradient(f, h) of a vector, h a number."""
    f, spacing = bind(sp, "np.gradient", args, kwargs, node, f=MISSING, h=Static(1.0))
    if isinstance(spacing, ArrayV) or _is_sequence(spacing):
        sp.refuse(node, "np.gradient with places of the points is not supported", "give a number")
    vector = _vector(sp, f, "np.gradient", node)
    if vector.elem == BOOL:
        sp.refuse(node, "np.gradient of bools is not defined", "convert them: f.astype(float)",
                  error=ArgumentTypeError)  # fmt: skip
    if (isinstance(vector.elem, Real) and vector.elem != F64) or kwargs:
        sp.refuse(node, "np.gradient is supported for float64, without names", "np.gradient(f, h)")
    vector = as_type(sp, vector, F64, node)
    (n,) = ext.extents(sp, vector)
    message = (
        "Shape of array too small to calculate a numerical gradient, "
        "at least (edge_order + 1) elements are required."
    )
    sp.require(sp.b.prim("gt", n, ext.ONE), "ValueError", message, node)
    step = numpy_scalar(sp.convert(spacing, F64, node))
    return run_program(sp, programs.gradient, (vector, step), node)


@register(np.average)
def average(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.average(a, axis, weights): weights in the shape of a."""
    x, axis, weights = bind(
        sp, "np.average", args, kwargs, node, a=MISSING, axis=NONE, weights=NONE
    )
    if is_none(weights):
        mean = sp.call(Static(np.mean), (x, axis), node)
        if isinstance(mean, ArrayV):
            some = sp.b.prim("ne", ext.product(sp, ext.extents(sp, mean)), ext.ZERO)
            sp.require(some, "ZeroDivisionError", "division by zero", node)
        return mean
    a, w = at_least_1d(sp, x, node), at_least_1d(sp, weights, node)
    if a.rank != w.rank:
        sp.refuse(
            node,
            "np.average with weights of another shape is not supported",
            "write np.sum(w * a, axis) / np.sum(w)",
            error=ArgumentTypeError,
        )
    if promote(sp, (a, w), node) != F64:
        sp.refuse(node, "np.average is supported for float64", "convert with .astype(float)")
    for mine, theirs in zip(ext.extents(sp, a), ext.extents(sp, w)):
        ext.check_equal(sp, mine, theirs, "the shapes of a and weights differ", node)
    scale = sp.call(Static(np.sum), (w, axis), node)
    if isinstance(scale, ArrayV):
        zeros = sp.call(Static(np.equal), (scale, Static(0.0)), node)
        zero = sp.call(Static(np.any), (zeros,), node)
    else:
        zero = sp.call(Static(np.equal), (scale, Static(0.0)), node)
    fine = sp.b.prim("not", sp.scalar(zero, node).atom)
    message = "Weights sum to zero, can't be normalized"
    sp.require(fine, "ZeroDivisionError", message, node)
    total = sp.call(Static(np.sum), (sp.binop("*", a, w, node), axis), node)
    return sp.call(Static(np.divide), (total, scale), node)


@register(np.nansum)
def nansum(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.nansum(a, axis, keepdims): NaN counts as 0."""
    x, axis, keepdims = bind(
        sp, "np.nansum", args, kwargs, node, a=MISSING, axis=NONE, keepdims=Static(False)
    )
    array = at_least_1d(sp, x, node)
    if isinstance(array.elem, Real):
        missing = sp.call(Static(np.isnan), (array,), node)
        zero = numpy_scalar(sp.convert(Static(0.0), array.elem, node))
        found = sp.call(Static(np.where), (missing, zero, array), node)
    else:
        found = array
    keep = flag(sp, keepdims, node, "keepdims")
    return sp.call(Static(np.sum), (found, axis), node, {"keepdims": Static(keep)})


@register(np.trapezoid)
def trapezoid(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.trapezoid(y, x, dx) of a vector."""
    y, x, dx = bind(
        sp, "np.trapezoid", args, kwargs, node, y=MISSING, x=NONE, dx=Static(1.0)
    )
    vector = _vector(sp, y, "np.trapezoid", node)
    if is_none(x):
        step = dx
    else:
        step = sp.call(Static(np.diff), (_vector(sp, x, "np.trapezoid", node),), node)
    return run_program(sp, programs.trapezoid, (vector, step), node)
