"""Numbers and arrays of small NumPy integers (uint8, int16, ...), which are data: they are read as
int64.

With int64 and with floats NumPy computes what it computes of the same values in int64, and so do
comparisons, indices and conversions: there the value is its ``wide`` form. What NumPy computes in
the small dtype itself, where numbers wrap, is refused, as is what would show the dtype.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from pullback.core.types import F64, I64
from pullback.frontend.kinds.values import (
    REGISTRY,
    ArrayV,
    Indexed,
    Items,
    OperatorV,
    Scalar,
    SliceV,
    SmallV,
    Static,
    TupleV,
    Value,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run

REWRITE = "convert it first: a.astype(float), a.astype(np.int64), int(v), float(v)"
_ITEMS = {"copy", "flatten", "max", "min", "ravel", "reshape", "squeeze", "transpose"}
"""Methods that give items of the array."""
_WIDE = {"all", "any", "argmax", "argmin", "astype", "mean", "ndim", "shape", "size", "tolist"}
"""Attributes and methods whose results do not show the dtype; so do these functions:"""
_WIDE_CALLS: set[object] = {
    bool, float, int, range, any, all, np.float64, np.int64, np.ndim, np.shape, np.size,
    *(getattr(np, name) for name in ("all", "any", "argmax", "argmin", "mean")),
    *(f for f in vars(math).values() if callable(f)),
}  # fmt: skip
_ITEM_CALLS: set[object] = {max, min, np.max, np.min, np.ravel, np.reshape, np.transpose}
_PRODUCTS: set[object] = {np.dot, np.inner, np.matmul, np.outer}
_PASSED: set[object] = {
    enumerate, filter, isinstance, iter, len, list, map, next, reversed, tuple, zip
}  # fmt: skip


def wide(value: Value) -> Value:
    """Return a value, or an index of several, as int64."""
    match value:
        case SmallV(inside):
            return inside
        case TupleV(items) if not value.is_list:
            return replace(value, items=tuple(map(wide, items)))
        case SliceV(start, stop, step):
            return SliceV(wide(start), wide(stop), wide(step))
        case _:
            return value


def _small(value: Value, dtype: str) -> Value:
    return SmallV(value, dtype) if isinstance(value, Scalar | ArrayV) else value


def binop(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Compile ``left op right``, of which one is small."""
    small, other = (left, right) if isinstance(left, SmallV) else (right, left)
    stays = small is left and _stays(op, other)
    if not stays and not _is_exact(op, other):
        _refuse(run, f"{op} of {run.describe(left)} and {run.describe(right)}", small, node)
    made = run.binop(op, wide(left), wide(right), node)
    return _small(made, small.dtype) if stays and isinstance(small, SmallV) else made


def _stays(op: str, other: Value) -> bool:
    """Whether the result is of the small dtype, where no number wraps."""
    match other:
        case Static(int(v)):
            return op in ("%", "//", "&") and type(v) is int and 0 < v < 128
        case _:
            return False


def _is_exact(op: str, other: Value) -> bool:
    """Whether the result is that of int64, of the same dtype."""
    match other:
        case SmallV():
            return op == "/"
        case ArrayV():
            return other.elem in (F64, I64)
        case Scalar(_, py):
            return other.type == F64 or (other.type == I64 and (not py or op == "/"))
        case Static(float()):
            return True
        case Static(v):
            return type(v) is int and op == "/"
        case _:
            return False


def unary(run: Run, op: str, operand: SmallV, node: ast.AST) -> NoReturn:
    """Refuse ``- + ~``."""
    _refuse(run, f"{op} of {run.describe(operand)}", operand, node)


def iterate(run: Run, value: SmallV, node: ast.AST) -> Items:
    """Return the items of an array."""
    items = run.iterate(value.wide, node)
    assert isinstance(items, Indexed)
    at = items.at
    return replace(items, at=lambda i: _small(at(i), value.dtype))


def subscript(run: Run, value: SmallV, index: Value, node: ast.AST) -> Value:
    """Compile ``value[index]``."""
    return _small(run.subscript(value.wide, index, node), value.dtype)


def attribute(run: Run, value: SmallV, name: str, node: ast.AST) -> Value:
    """Return an attribute or a method."""
    if name not in {"T"} | _ITEMS | _WIDE:
        _refuse(run, f"{name!r} of {run.describe(value)}", value, node)
    found = run.attribute(value.wide, name, node)
    if name == "T":
        return _small(found, value.dtype)
    return OperatorV("small", found, (value.dtype,)) if name in _ITEMS else found


def _call_small(
    run: Run, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """A call of a method that gives items of the array."""
    (dtype,) = operator.options
    return _small(run.call(operator.function, args, node, kwargs), str(dtype))


REGISTRY.operators["small"] = _call_small


def called(
    run: Run, function: Hashable, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """Return the result of a library function of small values; None: it can be given them."""
    given = (*args, *kwargs.values())
    found = next((v for v in given if isinstance(v, SmallV)), None)
    if found is None or function in _PASSED:
        return None
    known = function in _WIDE_CALLS
    if function in (np.array, np.asarray):
        known = len(args) > 1 or "dtype" in kwargs
    elif function in _PRODUCTS:
        known = any(isinstance(v, ArrayV) and _is_exact("@", v) for v in given)
    count = 2 if function is np.reshape else 1
    items = function in _ITEM_CALLS and found is args[0] and len(args) == count
    if not (known or items):
        name = getattr(function, "__name__", str(function))
        _refuse(run, f"{name} of {run.describe(found)}", found, node)
    made = run.call(Static(function), [wide(v) for v in args], node, kwargs)
    return _small(made, found.dtype) if items else made


def is_instance(run: Run, value: SmallV, classes: tuple[type, ...], node: ast.AST) -> Value:
    """Compile ``isinstance``, where the answer is the same for int64."""
    if isinstance(value.wide, ArrayV):
        return Static(issubclass(np.ndarray, classes))
    found = issubclass(np.dtype(value.dtype).type, classes)
    if found != issubclass(np.int64, classes):
        _refuse(run, f"isinstance of {run.describe(value)}", value, node)
    return Static(found)


def _refuse(run: Run, what: str, value: Value, node: ast.AST) -> NoReturn:
    assert isinstance(value, SmallV)
    run.refuse(node, f"{what}: NumPy computes in {value.dtype}, where numbers wrap", REWRITE)
