"""What texts of solvers say of a solution that a search has found: by which equation it is defined.

``root_of(f, y)`` is y, which solves f(y) = 0, and ``least_of(f, y)`` is y, where f has its minimum.
The derivative is that of the implicit function theorem by all that ``f`` has captured
(``derivatives/implicit.py``). The search itself gets ``constant(f)``, so nothing of it is
differentiated.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from pullback.core.build import lit
from pullback.core.terms import Atom
from pullback.core.types import F64, Array, Real, Type
from pullback.frontend.kinds.flatten import flatten, rebuild
from pullback.frontend.kinds.values import (
    REGISTRY,
    ArrayV,
    FunctionV,
    OperatorV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import run_program, unknown
from pullback.frontend.python.source import definition_of

_APPLIED = "function of what it captured"
SLOPES = "gradient by forward mode"
ALONG = "derivative along a direction"
_STILL = "constant function"


def constant(x: Any) -> Any:
    """Return x, a function or data, with the same numbers in it, of which nothing has a derivative;
    what the function gives has none either."""
    return x


def root_of(f: Callable[[Any], Any], y: Any, near: Any = None) -> Any:
    """Return y, a solution of ``f(y) = 0``. With ``near`` its derivative is NaN where a step of
    Newton's method from y is longer: the search was stopped, or there is a kink."""
    return y


def least_of(f: Callable[[Any], Any], y: Any, near: Any = None) -> Any:
    """Return y, at which the gradient of ``f`` is 0."""
    return y


def underway(given: Any, y: Any) -> Any:
    """Return y, a number or an array that a search has met on its way: its derivative by the real
    numbers in ``given``, and by all that functions in it have captured, is not known (NaN)."""
    return y


def with_slope(f: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
    """Return the function that gives the value of ``f`` and its gradient."""
    raise NotImplementedError("only the compiler has the gradient")


def slope_of(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the gradient of ``f`` by forward mode, which an equation may ask for."""
    raise NotImplementedError("only the compiler has the gradient")


def along(f: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the function that gives the derivative of ``f`` at a place along a direction."""
    raise NotImplementedError("only the compiler has the derivative")


@register(slope_of)
def _slope_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (f,) = args
    return _of(SLOPES, f, (0, False))


@register(along)
def _along(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (f,) = args
    return _of(ALONG, f)


@register(with_slope)
def _with_slope(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (f,) = args
    return _of("value_and_grad", f, (0, False))


def _of(name: str, f: Value, options: tuple[object, ...] = ()) -> Value:
    """Return a derivative of a function; that of a constant function is one, and not 0."""
    if isinstance(f, OperatorV) and f.name == _STILL:
        return OperatorV(_STILL, _of(name, f.function, options))
    return OperatorV(name, f, options)


def _is_real(t: Type) -> bool:
    return isinstance(t, Real) or (isinstance(t, Array) and isinstance(t.elem, Real))


def stopped(sp: Specialiser, value: Value) -> Value:
    """Return a value with the same numbers, of which none has a derivative."""
    flat = flatten(value)
    still = (sp.b.prim("stop_gradient", a) if _is_real(a.type) else a for a in flat.atoms)
    owned = iter(flat.owned)
    return rebuild(flat.kind, still, lambda: next(owned))


@register(constant)
def _constant(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (value,) = args
    still = stopped(sp, value)
    return OperatorV(_STILL, still) if isinstance(value, (FunctionV, OperatorV)) else still


def _still(
    sp: Specialiser, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """Call a function that is a constant. Lists and rows inside of it would count as something
    with a derivative, so its result is a constant, too."""
    return stopped(sp, sp.call(operator.function, args, node, kwargs))


REGISTRY.operators[_STILL] = _still


def _moved(y: Any, change: float) -> Any:
    return y + unknown(0.0, change)


@register(underway)
def _underway(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given, y = args
    change: Value = Scalar(lit(0.0, F64), False)
    for a in flatten(given).atoms:
        if _is_real(a.type):
            whole = Scalar(a, True) if isinstance(a.type, Real) else ArrayV(a)
            total = sp.call(Static(np.sum), (whole,), node)
            change = sp.binop("+", change, total, node)
    return run_program(sp, _moved, (y, change), node)


def found(y: Any, captured: Any) -> Any:
    """Return what the search has found."""
    return y


def _defined(sp: Specialiser, rule: str, args: Args, node: ast.AST) -> Value:
    """Return the solution, as a call of a function with an implicit derivative: its arguments are
    the solution and the real numbers that the equation has captured."""
    f, y = args[:2]
    captured: list[Value] = []
    for a in flatten(f).atoms:
        if isinstance(a.type, Real):
            captured.append(Scalar(a, True))
        elif _is_real(a.type):
            captured.append(ArrayV(a))
    equation = OperatorV(_APPLIED, stopped(sp, TupleV((f, *args[2:]))))
    assert isinstance(found, FunctionType)
    text = FunctionV(definition_of(found), None)
    operator = OperatorV(rule, TupleV((text, equation)), ((),))
    given = (stopped(sp, y), TupleV(tuple(captured)))
    return REGISTRY.operators[rule](sp, operator, given, {}, node)


@register(root_of)
def _root_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _defined(sp, "implicit_root", args, node)


@register(least_of)
def _least_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _defined(sp, "implicit_minimum", args, node)


def of_solver(equation: Value) -> bool:
    """Whether a solver of the library asks, and not ``pb.implicit_root`` or the like."""
    return isinstance(equation, OperatorV) and equation.name == _APPLIED


def nearness(equation: Value) -> Value | None:
    """Return how far a solver's solution may lie from that of its equation, if it says so."""
    if not of_solver(equation):
        return None
    assert isinstance(equation, OperatorV) and isinstance(equation.function, TupleV)
    return equation.function.items[1] if len(equation.function.items) == 2 else None


def _apply(
    sp: Specialiser, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """Call ``f(y)`` with these numbers in the place of those that it captured."""
    y, _, captured = args
    given = iter(flatten(captured).atoms)
    assert isinstance(operator.function, TupleV)
    flat = flatten(operator.function.items[0])
    owned = iter(flat.owned)
    f = rebuild(flat.kind, _replaced(flat.atoms, given), lambda: next(owned))
    return sp.call(f, (y,), node)


def _replaced(atoms: Sequence[Atom], given: Iterator[Atom]) -> Iterator[Atom]:
    return (next(given) if _is_real(a.type) else a for a in atoms)


REGISTRY.operators[_APPLIED] = _apply

__all__ = [
    "along", "constant", "least_of", "nearness", "of_solver", "root_of", "slope_of", "stopped",
    "underway", "with_slope",
]  # fmt: skip
