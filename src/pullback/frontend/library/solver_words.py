"""What texts say of a call of a solver of SciPy, as whole numbers (``core/solver_calls.py``), and
the errors of solvers."""

from __future__ import annotations

import ast
import builtins
import json
from typing import Any

import numpy as np

from pullback.core.reverse_communication import NAMED_ERRORS, message
from pullback.core.terms import Lit
from pullback.frontend.kinds.values import Scalar, Specialiser, Static, TupleV, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import run_program, truth_of
from pullback.frontend.library.told import require


def described(*said: Any) -> tuple[int, ...]:
    """Return what is said, which is known at compile time (texts, truth values, None, tuples), as
    the letters of a JSON text."""
    return tuple(json.dumps(said).encode())


@register(described)
def _described(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return TupleV(tuple(map(Static, described(*(_plain(sp, v, node) for v in args)))))


def going_on(at: Any) -> bool:
    """Return whether a solver asks for something; raise the error with which it has ended."""
    if at[1] < 0.0:
        name = NAMED_ERRORS[int(at[2])]
        raise getattr(builtins, name, np.linalg.LinAlgError)(message(at[0]))
    return bool(at[1] > 0.0)


@register(going_on)
def _going_on(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (at,) = args
    number, kind, which = (sp.subscript(at, Static(k), node) for k in range(3))
    for k, name in enumerate(NAMED_ERRORS):
        fine = run_program(sp, _is_fine, (kind, which, Static(float(k))), node)
        require(sp, truth_of(fine), name, message, "an error of a solver", node,
                sp.scalar(number, node).atom)  # fmt: skip
    return run_program(sp, _is_positive, (kind,), node)


def _is_fine(kind: float, which: float, k: float) -> bool:
    return kind >= 0.0 or which != k


def _is_positive(kind: float) -> bool:
    return kind > 0.0


def _plain(sp: Specialiser, value: Value, node: ast.AST) -> object:
    if isinstance(value, TupleV):
        return [_plain(sp, v, node) for v in value.items]
    if isinstance(value, Scalar) and isinstance(value.atom, Lit):
        return value.atom.value
    return sp.static(value, node, "what a solver is told")


__all__ = ["described", "going_on"]
