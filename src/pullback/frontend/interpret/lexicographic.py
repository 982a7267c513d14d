"""The order of lists and tuples of which the run knows the length."""

from __future__ import annotations

import ast
import operator

from pullback.frontend.interpret.symbol_values import METHODS
from pullback.frontend.kinds.values import ListV, Static, TupleV, Value
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import counting
from pullback.frontend.memory.long_tuples import told_apart
from pullback.frontend.run import Run


def by_any_items(run: Run, op: str, xs: Value, ys: Value, node: ast.AST) -> Value | None:
    """Return the order of two lists or tuples; None: they are none."""
    if not isinstance(xs, (TupleV, ListV)) or not isinstance(ys, (TupleV, ListV)):
        return None
    told_apart(run, xs, (list,), node)
    told_apart(run, ys, (list,), node)
    if xs.cls is not ys.cls:
        return None
    given = xs, ys, Static(getattr(operator, METHODS[op]))
    return run_program(run, counting.in_order, given, node)
