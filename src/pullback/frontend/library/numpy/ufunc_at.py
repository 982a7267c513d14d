"""Compile ``np.add.at(a, idx, v)``: an update of the places in ``idx``, each as often as it is
named."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pullback.errors import ArgumentTypeError, MutationError
from pullback.frontend.kinds.values import ArrayV, Static, Value
from pullback.frontend.memory import holding, nested_updates, ownership, updates
from pullback.frontend.memory.owners import owners_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*"}


def operator_of(function: Value) -> str | None:
    """Return the operator of ``np.add.at`` and its like."""
    if not isinstance(function, Static) or getattr(function.value, "__name__", "") != "at":
        return None
    ufunc = getattr(function.value, "__self__", None)
    return _OPERATORS.get(ufunc.__name__) if isinstance(ufunc, np.ufunc) else None


def update(run: Run, op: str, args: Sequence[ast.expr], node: ast.Call) -> Value:
    """Compile the call, which updates the array: a variable, or an item of a list or dict that a
    variable holds."""

    if len(args) != 3 or node.keywords or any(isinstance(a, ast.Starred) for a in args):
        run.refuse(node, "this call of ufunc.at", "write np.add.at(a, indices, values)",
                   error=ArgumentTypeError)  # fmt: skip
    base, steps = nested_updates.base_of(run, args[0]), nested_updates.steps_of(run, args[0])
    array = run.lookup(base.id, base)
    with run.holding(array):
        index = run.evaluate_index(args[1])
        with run.holding(index):
            value = run.evaluate(args[2])
    if isinstance(value, ArrayV) and value.owners & owners_of(array):  # NumPy takes a copy too
        value = run.fresh(run.b.prim("copy", value.atom), node)
    elif owners_of(value) & owners_of(array):
        run.refuse(args[2], "the values share memory with the array that is updated",
                   "give a copy of them", error=MutationError)  # fmt: skip
    change = updates.Store(index, lambda _: value, by=op)
    if steps and not isinstance(array, ArrayV):
        nested_updates.update(run, base, steps, change, node)
        return Static(None)
    array = ownership.updatable(run, base.id, base)
    if not isinstance(array, ArrayV):
        run.refuse(args[0], f"{run.describe(array)} is not an array", error=ArgumentTypeError)
    with run.holding(array):
        made, _ = updates.apply(run, array, updates.combined(run, array, change, steps, node), node)
    assert holding.is_updated_in_place(made)
    ownership.bind_updated(run, base.id, array, made, node)
    return Static(None)
