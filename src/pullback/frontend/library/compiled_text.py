"""Call library functions that are plain Python: the front end compiles them like the user's own.

So they need no rule of their own: evaluator, native code, both modes of differentiation and their
nesting follow from the text. The files in ``text/`` are written in this way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from pullback.core.build import lit
from pullback.core.prims_linear import LINEAR
from pullback.core.terms import Atom, Var
from pullback.core.types import Real
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    ArrayV,
    FunctionV,
    Scalar,
    Specialiser,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.python.source import definition_of

Matrix = Any
"""A NumPy array; mypy would demand casts that plain Python does not need."""


def run_program(
    sp: Specialiser, program: object, args: Sequence[Value], node: ast.AST
) -> Value:
    """Return the result of a call of a Python function that belongs to the library."""
    return sp.call(function_of(program), args, node)


def function_of(program: object) -> FunctionV:
    """Return a Python function that belongs to the library."""
    assert isinstance(program, FunctionType)
    return FunctionV(definition_of(program), None)


def array_of(value: Value) -> ArrayV:
    """Return the array that is the result of a program."""
    assert isinstance(value, ArrayV)
    return value


def items_of(value: Value) -> tuple[Value, ...]:
    """Return the items of the tuple that is the result of a program."""
    assert isinstance(value, TupleV)
    return value.items


def truth_of(value: Value) -> Atom:
    """Return the truth value that is the result of a program."""
    assert isinstance(value, Scalar) and isinstance(value.atom, Var)
    return value.atom


# --- primitives that programs call ---------------------------------------------------------------


def unknown(x: float, change: float) -> float:
    """Return x, whose derivative by ``change`` does not exist: ``change`` is 0, but a cotangent (or
    tangent) that passes here becomes infinite or NaN, unless it is 0."""
    return x


@register(unknown)
def _unknown(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, change = (
        sp.scalar(v, node) for v in bind(sp, "unknown", args, kwargs, node, x=MISSING, c=MISSING)
    )
    if not isinstance(x.type, Real):
        return x
    nothing = sp.b.prim("sub", change.atom, sp.b.prim("stop_gradient", change.atom))
    infinite = sp.b.prim("mulz", lit(float("inf"), x.type), nothing)
    return Scalar(sp.b.prim("add", x.atom, infinite), x.py)


def known(x: Matrix, v: Matrix) -> Matrix:
    """Return v, which is what x is but for rounding, with the derivative of x. Methods without
    LAPACK take x."""
    return v


@register(known)
def _known(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, v = map(array_of, args)
    if not sp.lapack:
        return x
    still = sp.b.prim("stop_gradient", v.atom)
    made = sp.fresh(sp.b.prim("known", x.atom, still), node)
    return ext.note(sp, made, ext.extents(sp, x))


def packed_lu(a: Matrix) -> Matrix:
    """Return L and U packed into one matrix, and a last column with the row exchanges, from 1. It
    has no derivative."""
    return LINEAR.rows["lu"].numpy(a)


@register(packed_lu)
def _packed_lu(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (a,) = args
    return sp.fresh(sp.b.prim("lu", array_of(a).atom), node)


def known_logdet(a: Matrix, v: float) -> float:
    """Return v, which is log |det a| and computed already; only its derivative comes from a."""
    return v


def known_det(a: Matrix, v: float) -> float:
    """Return v, which is det a and computed already; only its derivative comes from a."""
    return v


def _register_known(function: Callable[[Matrix, float], float], name: str) -> None:
    @register(function)
    def known(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        a, v = args
        return Scalar(sp.b.prim(name, array_of(a).atom, sp.scalar(v, node).atom), py=False)


_register_known(known_logdet, "logdet")
_register_known(known_det, "det")
