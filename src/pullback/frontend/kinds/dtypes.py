"""NumPy's element types, and how they combine (in NumPy 2 Python's numbers are weak)."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from pullback.core.types import BOOL, F32, F64, I32, I64, Array, Bool, Int, Real, Type
from pullback.frontend.kinds.values import ArrayV, Scalar, Specialiser, Static, Value

Element = Real | Int | Bool

DTYPES: dict[Element, np.dtype[np.generic]] = {
    F64: np.dtype(np.float64),
    F32: np.dtype(np.float32),
    I64: np.dtype(np.int64),
    I32: np.dtype(np.int32),
    BOOL: np.dtype(np.bool_),
}


def element(sp: Specialiser, value: Value, node: ast.AST) -> Element:
    """Return the element type with which an array or number takes part in an operation."""
    if isinstance(value, ArrayV):
        return value.elem
    return sp.scalar(value, node).type


def weak(value: Value) -> bool:
    """Whether the value is a number of Python's, which takes the type of the arrays that it
    meets."""
    return isinstance(value, Static) or (isinstance(value, Scalar) and value.py)


def join(a: Element, b: Element) -> Element:
    """Return NumPy's result type of two strong element types."""
    for t, dtype in DTYPES.items():
        if dtype == np.promote_types(DTYPES[a], DTYPES[b]):
            return t
    raise AssertionError(f"no element type for {a} and {b}")


def _rank(t: Element) -> int:
    return 0 if isinstance(t, Bool) else 1 if isinstance(t, Int) else 2


def promote(sp: Specialiser, values: Sequence[Value], node: ast.AST) -> Element:
    """Return the element type of an elementwise operation on these arrays and numbers."""
    strong = [element(sp, v, node) for v in values if not weak(v)]
    loose = [element(sp, v, node) for v in values if weak(v)]
    if not strong:
        return max(loose, key=_rank)
    result = strong[0]
    for t in strong[1:]:
        result = join(result, t)
    for t in loose:
        if _rank(t) > _rank(result):
            result = F64 if isinstance(t, Real) else t
    return result


def compared(sp: Specialiser, values: Sequence[Value], node: ast.AST) -> Element:
    """Return the type in which two numbers are compared: a Python int need not fit into an
    int32."""
    common = promote(sp, values, node)
    return I64 if common == I32 and any(map(weak, values)) else common


def real_of(t: Element) -> Real:
    """Return the type of a mathematical function of elements of type ``t``."""
    return t if isinstance(t, Real) else F64


def parse_dtype(sp: Specialiser, value: Value, node: ast.AST) -> Element | None:
    """Return the element type that a ``dtype=`` argument names; None for None."""
    wanted = sp.static(value, node, "dtype")
    if wanted is None:
        return None
    try:
        dtype = np.dtype(wanted)  # type: ignore[call-overload]  # NumPy refuses others
    except TypeError:
        sp.refuse(node, f"{wanted!r} is not a dtype")
    for t, same in DTYPES.items():
        if same == dtype:
            return t
    known = "use float64, float32, int64, int32 or bool"
    reason = f"arrays of {dtype} are not supported"
    sp.refuse(node, f"{reason} here" if dtype.kind == "c" else reason, known)


def dtype_value(t: Type) -> Static:
    """Return the value of ``x.dtype``."""
    if isinstance(t, Array):
        t = t.elem
    assert isinstance(t, (Real, Int, Bool))
    return Static(DTYPES[t])
