"""The check of a pass that all tests share: programs are well-formed before and after it, and give
the same results."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pullback.core.check import check
from pullback.core.eval import Node, evaluate
from pullback.core.terms import Dialect, Index, Op, Prim, Program
from pullback.core.traverse import all_lets

Pass = Callable[[Program], Program]


def agree(
    passes: Pass | Sequence[Pass],
    p: Program,
    *runs: Sequence[Any],
    dialect: Dialect = Dialect.FLAT,
) -> Program:
    """Return the program after the passes, compared with the one before on every list of
    arguments."""
    check(p, dialect)
    q = p
    for f in passes if isinstance(passes, list | tuple) else [passes]:
        q = f(q)
        check(q, dialect)
    for args in runs:
        assert outcome(q, args) == outcome(p, args)
    return q


def outcome(p: Program, args: Sequence[Any]) -> Any:
    """Return the results, or the error, in a form that can be compared."""
    try:
        return comparable(evaluate(p, copy.deepcopy(list(args)))[0])
    except (ArithmeticError, LookupError, ValueError) as e:
        return type(e), str(e)


def comparable(x: Any) -> Any:
    if isinstance(x, Node):
        return x.tag, comparable(x.fields)
    if isinstance(x, list | tuple):
        return tuple(comparable(y) for y in x)
    if isinstance(x, np.ndarray):
        return x.shape, comparable(x.ravel().tolist())
    return repr(float(x)) if isinstance(x, float | np.floating) else x


def cost(p: Program, args: Sequence[Any]) -> int:
    return evaluate(p, copy.deepcopy(list(args)))[1]


def ops(p: Program, kind: type[Any] = object) -> list[Any]:
    """Return all ops of a kind, in all functions."""
    return [
        let.op for f in p.functions.values() for let in all_lets(f.body) if isinstance(let.op, kind)
    ]


def prims(p: Program) -> list[str]:
    """Return the names of all primitives that are used, sorted."""
    return sorted(op.name for op in ops(p, Prim))


def checked(p: Program) -> int:
    """Return the number of accesses that are still checked."""
    return sum(isinstance(op, Index) and op.checked for op in ops(p))


__all__ = ["Op", "agree", "checked", "comparable", "cost", "ops", "outcome", "prims"]
