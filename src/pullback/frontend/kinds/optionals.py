"""Operations on values that may be None.

Where Python raises TypeError (or AttributeError) because an operand is None, compiled code does so
too."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Hashable
from types import NoneType
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.types import Bool, Int, Real
from pullback.errors import ArgumentTypeError, UnknownAttributeError
from pullback.frontend.kinds.values import (
    ArrayV,
    CaughtV,
    HashV,
    ListV,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    Static,
    SymbolV,
    TupleV,
    Value,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def class_of(value: Value) -> type | None:
    """Return the class of a record or of None."""
    match value:
        case RecordV(cls):
            return cls
        case Static(v):
            return type(v)
        case _:
            return None


def class_name(value: Value) -> str:
    """Return the name of the Python class of a value, for the message of an error."""
    match value:
        case OptionalV():
            return "NoneType"
        case Static(v):
            return type(v).__name__
        case Scalar(_, py):
            match value.type:
                case Real(bits):
                    return "float" if py else f"numpy.float{bits}"
                case Int(bits):
                    return "int" if py else f"numpy.int{bits}"
                case Bool():
                    return "bool" if py else "numpy.bool"
        case ArrayV():
            return "numpy.ndarray"
        case ListV(cls=cls) | TupleV(cls=cls) | RecordV(cls) | HashV(cls) | RefV(cls=cls):
            return cls.__name__
        case SymbolV(_, cls):
            return cls.__name__
        case CaughtV(_, ()):
            return "Exception"
        case _:
            return "object"


def present(
    run: Run, value: Value, message: str, node: ast.AST, exception: str = "TypeError"
) -> Value:
    """Return the value of an optional one, after a check at run time that raises if it is None. If
    it is known to be None, it raises whenever it is reached."""
    while isinstance(value, OptionalV):
        run.require(value.there, exception, message, node)
        value = value.value
    if is_none(value):
        run.never(exception, message, node, _ERRORS[exception])
    return value


_ERRORS = {"TypeError": ArgumentTypeError, "AttributeError": UnknownAttributeError}


def is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def may_be_none(value: Value) -> bool:
    return isinstance(value, OptionalV) or is_none(value)


def meet_none(left: Value, right: Value) -> bool:
    """Whether one of two operands may be None; known to be None only beside a number."""
    if isinstance(left, OptionalV) or isinstance(right, OptionalV):
        return True
    other = right if is_none(left) else left
    number = isinstance(other, Scalar) or (
        isinstance(other, Static) and isinstance(other.value, (int, float, NoneType))
    )
    return number and (is_none(left) or is_none(right))


def operands(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> tuple[Value, Value]:
    """Return the operands of an arithmetic operator, after the checks that they are not None."""
    names = f"{class_name(left)!r} and {class_name(right)!r}"
    word = "** or pow()" if op == "**" else op
    word = f"{op}=" if isinstance(node, ast.AugAssign) else word
    message = f"unsupported operand type(s) for {word}: {names}"
    return present(run, left, message, node), present(run, right, message, node)


def compared(
    run: Run,
    op: str,
    left: Value,
    right: Value,
    node: ast.AST,
    compare: Callable[[Value, Value], Value],
) -> Value:
    """Return ``==``, ``<``, ``<=``, ``>`` or ``>=`` of values that may be None; ``compare`` does it
    for values that are not."""
    if op == "==":
        return _same(run, left, right, node, compare)
    message = (
        f"{op!r} not supported between instances of {class_name(left)!r} and {class_name(right)!r}"
    )
    return compare(present(run, left, message, node), present(run, right, message, node))


def _same(
    run: Run, a: Value, b: Value, node: ast.AST, compare: Callable[[Value, Value], Value]
) -> Value:
    """Return whether two values are equal, where None is equal to None only."""
    if not isinstance(a, OptionalV):
        a, b = b, a
    assert isinstance(a, OptionalV)
    here = a.value
    if isinstance(b, Static) and b.value is None:
        return Scalar(run.b.prim("not", a.there), True, 1)
    if isinstance(b, OptionalV):
        other = b.value
        both = run.b.prim("and", a.there, b.there)
        alike = Scalar(run.b.prim("eq", a.there, b.there), True, 1)
        return run.branch(both, lambda: compare(here, other), lambda: alike, node)
    return run.branch(a.there, lambda: compare(here, b), lambda: Static(False), node)


ITERATES = frozenset(
    {sorted, any, all, sum, list, tuple, set, dict, iter, zip, enumerate, reversed}
)
"""The functions that go through their argument before they do anything else."""

_TOLD_OF_NONE = {
    abs: "bad operand type for abs(): 'NoneType'",
    float: "float() argument must be a string or a real number, not 'NoneType'",
    int: "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'",
    len: "object of type 'NoneType' has no len()",
    round: "type NoneType doesn't define __round__ method",
    **dict.fromkeys(
        (*ITERATES, math.fsum, math.prod), "'NoneType' object is not iterable"
    ),
}


def told_of_none(obj: Hashable) -> str:
    """Return what Python says where None is given to a function that takes no None first."""
    if obj in _TOLD_OF_NONE:
        return _TOLD_OF_NONE[obj]
    if isinstance(obj, np.ufunc) and obj.nin == 1:
        return ("loop of ufunc does not support argument 0 of type NoneType which has no callable "
                f"{obj.__name__} method")  # fmt: skip
    if getattr(obj, "__module__", "") == "math":
        return "must be real number, not NoneType"
    return ""


__all__ = ["class_name", "class_of", "compared", "operands", "present", "told_of_none"]
