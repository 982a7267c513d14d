"""Compile operators on arrays; all elementwise code is made here.

An elementwise operation on arrays is one ``Build`` over the broadcast extents whose body reads an
element of each operand and computes with scalars. Broadcasting costs nothing where extents are
evidently equal or literally 1; otherwise it is decided at run time:

    result extent  = da == 1 ? db : da          require(da == db or da == 1 or db == 1)
    element of a   = a[da == 1 ? 0 : i]         if a was built here (so that it can be fused)
                   = broadcast(a, extents)[i]   else: a view that has stride 0 along such an axis
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence

import numpy as np

from pullback.core.build import boolean
from pullback.core.messages import Limit
from pullback.core.terms import Atom, Lit
from pullback.core.types import BOOL, Int, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret.scalars import large_as_float
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.dtypes import compared
from pullback.frontend.kinds.optionals import is_none
from pullback.frontend.kinds.values import (
    ArrayV,
    Indexed,
    Items,
    ListV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library.numpy.broadcasting import Indices, Read, broadcast, scalars
from pullback.frontend.library.numpy.subscripts import store, subscript

__all__ = [
    "Read", "binop", "broadcast", "compare", "elementwise", "iterate", "scalars", "store",
    "subscript", "unary",
]  # fmt: skip

# --- broadcasting --------------------------------------------------------------------------------


# --- elementwise ---------------------------------------------------------------------------------


def elementwise(
    sp: Specialiser,
    operands: Sequence[Value],
    fn: Callable[[Sequence[Value]], Value],
    node: ast.AST,
) -> Value:
    """Return ``fn`` of the numbers, or of every element of the broadcast arrays; it returns a
    number.

    In an array operation ``fn`` gets NumPy Scalars for elements, and the other operands as they
    are.
    """
    values = [scalars(sp, v, node) for v in operands]
    arrays = [v for v in values if isinstance(v, ArrayV)]
    if not arrays:
        return fn(values)
    extents, reads = broadcast(sp, arrays, node)

    def element_at(indices: Indices) -> Atom:
        readers = iter(reads)
        items = [next(readers)(indices) if isinstance(v, ArrayV) else v for v in values]
        return sp.scalar(fn(items), node).atom

    return ext.note(sp, sp.array(extents, element_at, node), extents, built=True)


# --- operators -----------------------------------------------------------------------------------


def binop(sp: Specialiser, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Return ``left op right``, where one operand is an array."""
    if op == "**":
        _no_square_of_bools(sp, left, right, node)
        return power(sp, left, right, node)
    return elementwise(sp, (left, right), lambda v: sp.binop(op, v[0], v[1], node), node)


def _no_square_of_bools(sp: Specialiser, left: Value, right: Value, node: ast.AST) -> None:
    """Refuse ``a ** 2`` of a boolean array: NumPy gives int8, and int64 for other exponents."""
    if not (isinstance(left, ArrayV) and left.elem == BOOL and isinstance(right, (Scalar, Static))):
        return
    k = sp.scalar(right, node)
    if not (k.py and isinstance(k.type, Int)):
        return
    reason = "NumPy squares a boolean array in int8"
    if k.atom == Lit(2, k.type):
        sp.refuse(node, reason, "convert it: a.astype(int) ** 2", error=ArgumentTypeError)
    if not isinstance(k.atom, Lit):
        other = sp.b.prim("ne", k.atom, Lit(2, k.type))
        text = f"{reason} (write a.astype(int) ** k)"
        sp.require(other, Limit("NotImplementedError"), text, node)


def power(sp: Specialiser, left: Value, right: Value, node: ast.AST) -> Value:
    """Return np.power. A single exponent 0.5 makes it np.sqrt, also of -0.0 and -inf."""
    if isinstance(right, Static) and right.value == 0.5:
        return sp.call(Static(np.sqrt), (left,), node)

    def one(v: Sequence[Value]) -> Value:
        result = sp.scalar(sp.binop("**", v[0], v[1], node), node)
        t = result.type
        if isinstance(right, (ArrayV, TupleV, ListV, Static)) or not isinstance(t, Real):
            return result
        x, y = (sp.convert(u, t, node) for u in v)
        low = sp.b.prim("eq", x, Lit(-math.inf, t))
        root = sp.b.prim("or", sp.b.prim("eq", x, Lit(0.0, t)), low)
        root = sp.b.prim("and", root, sp.b.prim("eq", y, Lit(0.5, t)))
        chosen = sp.b.prim("select", root, sp.b.prim("sqrt", x), result.atom)
        return Scalar(chosen, py=False)

    return elementwise(sp, (left, right), one, node)


def unary(sp: Specialiser, op: str, operand: Value, node: ast.AST) -> Value:
    """Return ``op operand`` of an array, for the operators - + ~."""
    assert isinstance(operand, ArrayV)
    if op == "~" and isinstance(operand.elem, Real):
        sp.refuse(node, "~ is not defined for arrays of floats", error=ArgumentTypeError)
    return elementwise(sp, (operand,), lambda v: unary_number(sp, op, v[0], node), node)


def unary_number(sp: Specialiser, op: str, value: Value, node: ast.AST) -> Value:
    """Return ``op`` of one element."""
    x = sp.scalar(value, node)
    if op == "-" and x.type == BOOL:
        reason = "- is not defined for boolean arrays"
        sp.refuse(node, reason, "use ~, or a.astype(int)", error=ArgumentTypeError)
    match op:
        case "-":
            return Scalar(sp.b.prim("neg", x.atom), py=False)
        case "~":
            return Scalar(sp.b.prim("not" if x.type == BOOL else "invert", x.atom), py=False)
        case _:
            if x.type == BOOL:
                reason = "+ is not defined for boolean arrays"
                sp.refuse(node, reason, "use x.astype(int)", error=ArgumentTypeError)
            return x


def compare(sp: Specialiser, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Return the array of truth values ``left op right``."""
    if op in ("==", "!=") and (is_none(left) or is_none(right)):
        unlike = Scalar(boolean(op == "!="), py=False)
        return elementwise(sp, (left if is_none(right) else right,), lambda _: unlike, node)
    return elementwise(sp, (left, right), lambda v: compare_numbers(sp, op, v, node), node)


_COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def compare_numbers(sp: Specialiser, op: str, values: Sequence[Value], node: ast.AST) -> Scalar:
    """Return the comparison of two elements, a NumPy bool."""
    values = large_as_float(values[0], values[1]), large_as_float(values[1], values[0])
    common = compared(sp, values, node)
    a, b = (sp.convert(v, common, node) for v in values)
    return Scalar(sp.b.prim(_COMPARE[op], a, b), py=False)


def iterate(sp: Specialiser, array: ArrayV, node: ast.AST) -> Items:
    """Return the rows (or the elements) of an array."""
    own = ext.extents(sp, array)

    def at(index: Atom) -> Value:
        if array.rank == 1:
            return Scalar(sp.b.index(array.atom, (index,), checked=False), py=False)
        row = sp.view(sp.b.prim("pick", array.atom, index, static=(0,)), array)
        return ext.note(sp, row, own[1:])

    return Indexed(own[0], at)
