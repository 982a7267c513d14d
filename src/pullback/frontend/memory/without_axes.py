"""Items that are put into arrays without axes: ``a[()] = v``, ``a[...] = v``, ``a[mask] = v``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.types import Real
from pullback.errors import ArgumentTypeError, ArgumentValueError, MutationError, StaticIndexError
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.values import ArrayV, Scalar, Static, TupleV, Value
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import into

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_TOO_MANY = "too many indices for array: array is 0-dimensional, but {} were indexed"


def store(
    run: Run, array: Scalar, index: Value, value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> Scalar:  # fmt: skip
    """Return an array without axes after ``array[index] = value``."""
    new = value(lambda: run.subscript(array, index, node))
    if optionals.plain_class(index) in (bool, np.bool_):
        text = into.one_where if isinstance(new, ArrayV) else into.where_alone
        new = run_program(run, text, (Scalar(array.atom, False), index, new), node)
    elif not _is_whole(index):
        count = len(index.items) if isinstance(index, TupleV) else 1
        run.never("IndexError", _TOO_MANY.format(count), node, StaticIndexError)
    return updated(run, array, new, node)


def updated(run: Run, array: Scalar, new: Value, node: ast.AST) -> Scalar:
    """Return an array without axes after its number has been replaced."""
    if array.owners & run.as_numbers:
        reason = "an array without axes that has met a number, which would not see this update"
        run.refuse(node, reason, "make a new one", error=MutationError)
    if isinstance(new, ArrayV):
        reason = "an array with axes cannot be put into one without axes"
        run.refuse(node, reason, "index it", error=ArgumentValueError)
    made = run.scalar(new, node)
    if type(made.type) is not type(array.type) and not isinstance(array.type, Real):
        reason = f"{run.describe(made)} is put into {run.describe(array)}"
        run.refuse(node, reason, "give both one type", error=ArgumentTypeError)
    return replace(array, atom=run.convert(Scalar(made.atom, False), array.type, node))


def _is_whole(index: Value) -> bool:
    """Whether an index is ``()`` or ``...``."""
    items = index.items if isinstance(index, TupleV) else (index,)
    return len(items) < 2 and all(isinstance(v, Static) and v.value is ... for v in items)


__all__ = ["store", "updated"]
