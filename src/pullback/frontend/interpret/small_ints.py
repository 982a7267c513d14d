"""Numbers and arrays of small NumPy integers (uint8, int16, ...), which are data: arrays are read
where they lie, item by item, as signed numbers of as many bits.

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
"""Methods that give items of the array; those that do not look at them, as other attributes:"""
_PLACES = {
    "T", "copy", "flatten", "ravel", "reshape", "squeeze", "transpose", "ndim", "shape", "size"
}  # fmt: skip
_WIDE = {"all", "any", "argmax", "argmin", "astype", "mean", "ndim", "shape", "size", "tolist"}
"""Attributes and methods whose results do not show the dtype; so do these functions:"""
_WIDE_CALLS: set[object] = {
    bool, float, int, range, any, all, np.float64, np.int64, np.ndim, np.shape, np.size,
    *(getattr(np, name) for name in ("all", "any", "argmax", "argmin", "mean")),
    *(f for f in vars(math).values() if callable(f)),
}  # fmt: skip
_ITEM_CALLS: set[object] = {max, min, np.max, np.min, np.ravel, np.reshape, np.transpose}
_PLACE_CALLS: set[object] = {np.ravel, np.reshape, np.transpose}
_PRODUCTS: set[object] = {np.dot, np.inner, np.matmul, np.outer}
_PASSED: set[object] = {
    enumerate, filter, isinstance, iter, len, list, map, next, reversed, tuple, zip
}  # fmt: skip


def wide(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a value, or an index of several, as int64."""
    match value:
        case SmallV(held, dtype):
            return _widened(run, held, dtype, node)
        case TupleV(items) if not value.is_list:
            return replace(value, items=tuple(wide(run, v, node) for v in items))
        case SliceV(start, stop, step):
            return SliceV(*(wide(run, v, node) for v in (start, stop, step)))
        case _:
            return value


def _widened(run: Run, held: Value, dtype: str, node: ast.AST) -> Value:
    """Return a number or an array in int64: the signed items, or their bits for unsigned ones."""
    match held:
        case ArrayV() if held.elem != I64:
            astype = run.attribute(held, "astype", node)
            signed = run.call(astype, (Static(np.int64),), node, {})
        case Scalar() if held.type != I64:
            signed = Scalar(run.convert(held, I64, node), py=False)
        case _:
            return held
    if np.dtype(dtype).kind != "u":
        return signed
    return run.binop("&", signed, Static(int(np.iinfo(dtype).max)), node)


def small(run: Run, value: Value, dtype: str, node: ast.AST) -> Value:
    """Return an item or a part of an array that was held as small."""
    if isinstance(value, Scalar):
        value = _widened(run, value, dtype, node)
    return SmallV(value, dtype) if isinstance(value, (Scalar, ArrayV)) else value


def binop(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Compile ``left op right``, of which one is small."""
    mine, other = (left, right) if isinstance(left, SmallV) else (right, left)
    stays = mine is left and _stays(op, other)
    if not stays and not _is_exact(op, other):
        _refuse(run, f"{op} of {run.describe(left)} and {run.describe(right)}", mine, node)
    made = run.binop(op, wide(run, left, node), wide(run, right, node), node)
    return small(run, made, mine.dtype, node) if stays and isinstance(mine, SmallV) else made


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
    items = run.iterate(value.held, node)
    assert isinstance(items, Indexed)
    at = items.at
    return replace(items, at=lambda i: small(run, at(i), value.dtype, node))


def subscript(run: Run, value: SmallV, index: Value, node: ast.AST) -> Value:
    """Compile ``value[index]``."""
    return small(run, run.subscript(value.held, index, node), value.dtype, node)


def attribute(run: Run, value: SmallV, name: str, node: ast.AST) -> Value:
    """Return an attribute or a method."""
    if name not in {"T"} | _ITEMS | _WIDE:
        _refuse(run, f"{name!r} of {run.describe(value)}", value, node)
    as_it_lies = name in _PLACES
    found = run.attribute(value.held if as_it_lies else wide(run, value, node), name, node)
    if name == "T":
        return small(run, found, value.dtype, node)
    return OperatorV("small", found, (value.dtype,)) if name in _ITEMS else found


def _call_small(
    run: Run, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """A call of a method that gives items of the array."""
    (dtype,) = operator.options
    return small(run, run.call(operator.function, args, node, kwargs), str(dtype), node)


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
    as_it_lies = items and function in _PLACE_CALLS
    passed = [found.held if as_it_lies and v is found else wide(run, v, node) for v in args]
    made = run.call(Static(function), passed, node, kwargs)
    return small(run, made, found.dtype, node) if items else made


def is_instance(run: Run, value: SmallV, classes: tuple[type, ...], node: ast.AST) -> Value:
    """Compile ``isinstance``, where the answer is the same for int64."""
    if isinstance(value.held, ArrayV):
        return Static(issubclass(np.ndarray, classes))
    found = issubclass(np.dtype(value.dtype).type, classes)
    if found != issubclass(np.int64, classes):
        _refuse(run, f"isinstance of {run.describe(value)}", value, node)
    return Static(found)


def _refuse(run: Run, what: str, value: Value, node: ast.AST) -> NoReturn:
    assert isinstance(value, SmallV)
    run.refuse(node, f"{what}: NumPy computes in {value.dtype}, where numbers wrap", REWRITE)
