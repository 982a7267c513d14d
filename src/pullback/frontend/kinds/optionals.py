"""Operations on values that may be None.

Where Python raises TypeError (or AttributeError) because an operand is None, compiled code does so
too."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.core.types import Bool, Int, Real
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
        case TupleV(_, is_list):
            return "list" if is_list else "tuple"
        case ListV():
            return "list"
        case RecordV(cls) | HashV(cls) | RefV(cls=cls):
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
    """Return the value of an optional one, after a check at run time that raises if it is None."""
    while isinstance(value, OptionalV):
        run.require(value.there, exception, message, node)
        value = value.value
    return value


def operands(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> tuple[Value, Value]:
    """Return the operands of an arithmetic operator, after the checks that they are not None."""
    names = f"{class_name(left)!r} and {class_name(right)!r}"
    word = "** or pow()" if op == "**" else op
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


__all__ = ["class_name", "compared", "operands", "present"]
