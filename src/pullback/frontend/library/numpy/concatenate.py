"""Compile NumPy's functions that join arrays. A list of unknown length is joined by a loop
(``text.sorting``)."""

from __future__ import annotations

import ast

import numpy as np

from pullback.errors import ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.kinds import ArrayK, ScalarK
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    RecordV,
    SliceV,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.compiled_text import array_of, run_program
from pullback.frontend.library.numpy.rearrange import as_array, at_least_1d, ravel, transpose
from pullback.frontend.library.numpy.reduce import one_axis
from pullback.frontend.library.numpy.sequences import concatenate, stack, to_array
from pullback.frontend.library.text import sorting

_ALL = SliceV(NONE, NONE, NONE)


def _parts(sp: Specialiser, value: Value, node: ast.AST) -> list[Value]:
    """Return the arrays of a tuple or list of known length."""
    if isinstance(value, RecordV) and issubclass(value.cls, tuple):
        value = sp.call(Static(tuple), (value,), node)
    if isinstance(value, TupleV):
        return [to_array(sp, v, node) for v in value.items]
    if isinstance(value, ListV) and isinstance(value.elem, ScalarK):
        reason = "zero-dimensional arrays cannot be concatenated"
        sp.refuse(node, reason, "make one array: np.array(xs)", error=ArgumentValueError)
    sp.refuse(
        node,
        f"{sp.describe(value)}: the number of arrays to join is not known",
        "make arrays of them: [np.array(x) for x in xs]",
    )


def _listed(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return the parts of an array as a list."""
    if isinstance(value, ArrayV) and value.rank > 1:
        return sp.call(Static(list), (value,), node)
    return value


def _one_axis(sp: Specialiser, axis: Value, rank: int, node: ast.AST) -> int:
    if is_none(axis):
        sp.refuse(node, "axis=None is not supported here", "ravel the arrays first")
    k = one_axis(sp, axis, rank, node)
    return k


@register(np.stack)
def np_stack(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    arrays, axis = bind(sp, "np.stack", args, kwargs, node, arrays=MISSING, axis=Static(0))
    if isinstance(arrays, (ListV, ArrayV)):
        array = _not_empty(sp, as_array(sp, arrays, node), "stack", node)
        k = _one_axis(sp, axis, array.rank, node)
        perm = list(range(1, array.rank))
        perm.insert(k, 0)
        return transpose(sp, array, perm, node)
    parts = _parts(sp, arrays, node)
    if not any(isinstance(p, ArrayV) for p in parts):
        return to_array(sp, TupleV(tuple(parts)), node)
    rank = max(p.rank for p in parts if isinstance(p, ArrayV))
    message = "all input arrays must have the same shape"
    return stack(sp, parts, _one_axis(sp, axis, rank + 1, node), node, message=message)


def _joined(sp: Specialiser, value: Value, axis: Value, node: ast.AST) -> ArrayV:
    if isinstance(value, ListV) and isinstance(value.elem, ArrayK):
        k = _one_axis(sp, axis, value.elem.rank, node)
        if k == 0:
            return array_of(run_program(sp, sorting.joined, (value,), node))
        return array_of(run_program(sp, sorting.joined_along, (value, Static(k)), node))
    entered = at_least_1d if is_none(axis) else as_array
    parts = [entered(sp, p, node) for p in _parts(sp, value, node)]
    if not parts:
        sp.refuse(node, "need at least one array to concatenate", error=ArgumentValueError)
    if len({p.rank for p in parts}) > 1:
        reason = "the arrays have different numbers of dimensions"
        sp.refuse(node, reason, error=ArgumentValueError)
    return concatenate(sp, parts, _one_axis(sp, axis, parts[0].rank, node), node)


@register(np.concatenate)
def np_concatenate(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    arrays, axis = bind(sp, "np.concatenate", args, kwargs, node, arrays=MISSING, axis=Static(0))
    arrays = _listed(sp, arrays, node)
    if is_none(axis):
        if isinstance(arrays, ListV) and isinstance(arrays.elem, ArrayK):
            return run_program(sp, sorting.joined_flat, (arrays,), node)
        arrays = TupleV(tuple(ravel(sp, (p,), {}, node) for p in _parts(sp, arrays, node)))
        axis = Static(0)
    return _joined(sp, arrays, axis, node)


@register(np.hstack)
def hstack(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (arrays,) = bind(sp, "np.hstack", args, kwargs, node, tup=MISSING)
    arrays = _listed(sp, arrays, node)
    if isinstance(arrays, ListV) and isinstance(arrays.elem, ArrayK):
        return _joined(sp, arrays, Static(int(arrays.elem.rank > 1)), node)
    if isinstance(arrays, ListV) and isinstance(arrays.elem, ScalarK):
        return _not_empty(sp, as_array(sp, arrays, node), "concatenate", node)
    parts = [at_least_1d(sp, p, node) for p in _parts(sp, arrays, node)]
    axis = 0 if parts and parts[0].rank == 1 else 1
    return _joined(sp, TupleV(tuple(parts)), Static(axis), node)


def _not_empty(sp: Specialiser, array: ArrayV, what: str, node: ast.AST) -> ArrayV:
    """Return the array of a list of arrays, after the check that it has one."""
    some = sp.b.prim("gt", ext.extents(sp, array)[0], ext.ZERO)
    sp.require(some, "ValueError", f"need at least one array to {what}", node)
    return array


@register(np.vstack)
def vstack(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (arrays,) = bind(sp, "np.vstack", args, kwargs, node, tup=MISSING)
    arrays = _listed(sp, arrays, node)
    if isinstance(arrays, ListV) and isinstance(arrays.elem, (ScalarK, ArrayK)):
        if isinstance(arrays.elem, ScalarK) or arrays.elem.rank == 1:
            whole = _not_empty(sp, as_array(sp, arrays, node), "concatenate", node)
            return whole if whole.rank == 2 else sp.subscript(whole, TupleV((_ALL, NONE)), node)
        return _joined(sp, arrays, Static(0), node)
    parts = [at_least_1d(sp, p, node) for p in _parts(sp, arrays, node)]
    if all(p.rank == 1 for p in parts):
        return stack(sp, parts, 0, node, joined=1)
    rows = [sp.subscript(p, NONE, node) if p.rank == 1 else p for p in parts]
    return _joined(sp, TupleV(tuple(rows)), Static(0), node)


@register(np.column_stack)
def column_stack(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (arrays,) = bind(sp, "np.column_stack", args, kwargs, node, tup=MISSING)
    arrays = _listed(sp, arrays, node)
    if isinstance(arrays, ListV) and isinstance(arrays.elem, ArrayK):
        if arrays.elem.rank > 1:
            return _joined(sp, arrays, Static(1), node)
        rows = _not_empty(sp, as_array(sp, arrays, node), "concatenate", node)
        return np_stack(sp, (rows, Static(1)), {}, node)
    parts = [at_least_1d(sp, p, node) for p in _parts(sp, arrays, node)]
    if all(p.rank == 1 for p in parts):
        return stack(sp, parts, 1, node, joined=0)
    columns = [sp.subscript(p, TupleV((_ALL, NONE)), node) if p.rank == 1 else p for p in parts]
    return _joined(sp, TupleV(tuple(columns)), Static(1), node)
