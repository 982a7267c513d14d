"""The function that texts of solvers for sparse matrices call: a primitive
(``core/prims_sparse.py``)."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from pullback.core.sparse_solutions import sparse_solution
from pullback.core.types import F64, I64
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import Specialiser, Static, TupleV, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import array_of, run_program
from pullback.frontend.library.numpy.sort import as_type
from pullback.frontend.library.text import sparse_entries


def solve(values: Any, row: Any, col: Any, right: Any, columns: int, turned: int) -> Any:
    """Return the solution of A x = b, row by row, for a matrix with these entries, and b row by
    row."""
    reals = np.concatenate((values, right))
    return sparse_solution(reals, np.concatenate(([columns], row, col)), turned)


@register(solve)
def _solve(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    values, row, col, right, columns, turned = args
    if not sp.lapack:
        return run_program(sp, sparse_entries.dense_solution, args, node)
    how = sp.static_int(turned, node, "a direction")
    reals = sp.call(Static(np.concatenate), (TupleV((values, right)),), node)
    head = sp.call(Static(np.array), (TupleV((columns,), True),), node)
    words = sp.call(Static(np.concatenate), (TupleV((head, row, col)),), node)
    (size,) = ext.extents(sp, array_of(right))
    given = (
        as_type(sp, array_of(reals), F64, node).atom, as_type(sp, array_of(words), I64, node).atom
    )  # fmt: skip
    made = sp.b.prim("sparse_solve", *given, size, static=(how,), site=sp.site(node))
    return ext.note(sp, sp.fresh(made, node), (size,))


__all__ = ["solve"]
