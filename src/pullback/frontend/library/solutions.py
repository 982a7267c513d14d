"""What texts of solvers say of a solution that a search has found: by which equation it is defined.

``root_of(f, y)`` is y, which solves f(y) = 0. The derivative is that of the implicit function
theorem by all that ``f`` has captured (``derivatives/implicit.py``). The search itself gets
``constant(f)``, so nothing of it is differentiated.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

from pullback.core.terms import Atom
from pullback.core.types import Array, Real, Type
from pullback.frontend.kinds.flatten import flatten, rebuild
from pullback.frontend.kinds.values import (
    REGISTRY,
    ArrayV,
    FunctionV,
    OperatorV,
    Scalar,
    Specialiser,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.python.source import definition_of

_APPLIED = "function of what it captured"


def constant(x: Any) -> Any:
    """Return x, a function or data, with the same numbers in it, of which nothing has a
    derivative."""
    return x


def root_of(f: Callable[[Any], Any], y: Any) -> Any:
    """Return y, a solution of ``f(y) = 0``."""
    return y


def _is_real(t: Type) -> bool:
    return isinstance(t, Real) or (isinstance(t, Array) and isinstance(t.elem, Real))


def _stopped(sp: Specialiser, value: Value) -> Value:
    flat = flatten(value)
    stopped = (sp.b.prim("stop_gradient", a) if _is_real(a.type) else a for a in flat.atoms)
    owned = iter(flat.owned)
    return rebuild(flat.kind, stopped, lambda: next(owned))


@register(constant)
def _constant(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (value,) = args
    return _stopped(sp, value)


def found(y: Any, captured: Any) -> Any:
    """Return what the search has found."""
    return y


@register(root_of)
def _root_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return the solution, as a call of a function with an implicit derivative: its arguments are
    the solution and the real numbers that the equation has captured."""
    f, y = args
    captured: list[Value] = []
    for a in flatten(f).atoms:
        if isinstance(a.type, Real):
            captured.append(Scalar(a, True))
        elif _is_real(a.type):
            captured.append(ArrayV(a))
    equation = OperatorV(_APPLIED, _stopped(sp, f))
    assert isinstance(found, FunctionType)
    text = FunctionV(definition_of(found), None)
    operator = OperatorV("implicit_root", TupleV((text, equation)), ((),))
    given = (_stopped(sp, y), TupleV(tuple(captured)))
    return REGISTRY.operators["implicit_root"](sp, operator, given, {}, node)


def _apply(
    sp: Specialiser, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """Call ``f(y)`` with these numbers in the place of those that it captured."""
    y, _, captured = args
    given = iter(flatten(captured).atoms)
    flat = flatten(operator.function)
    owned = iter(flat.owned)
    f = rebuild(flat.kind, _replaced(flat.atoms, given), lambda: next(owned))
    return sp.call(f, (y,), node)


def _replaced(atoms: Sequence[Atom], given: Iterator[Atom]) -> Iterator[Atom]:
    return (next(given) if _is_real(a.type) else a for a in atoms)


REGISTRY.operators[_APPLIED] = _apply

__all__ = ["constant", "root_of"]
