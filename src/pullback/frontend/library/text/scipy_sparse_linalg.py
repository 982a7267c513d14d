"""Solvers of ``scipy.sparse.linalg``, as plain Python that the front end compiles: SciPy's own
solution, with the derivative of the equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library import sparse_rows
from pullback.frontend.library.text.sparse_matrices import Sparse
from pullback.frontend.library.text_helpers import unsupported


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    if not isinstance(A, Sparse):
        unsupported("spsolve of a matrix that is not sparse", "np.linalg.solve(a, b)")
    rows, cols = A.shape
    if rows != cols:
        raise ValueError(f"matrix must be square (has shape {(rows, cols)})")
    if isinstance(b, Sparse):
        unsupported("spsolve with a sparse right side", "spsolve(A, b.toarray())")
    right = np.asarray(b)
    if rows != right.shape[0]:
        raise ValueError(
            f"matrix - rhs dimension mismatch ({A.shape} - {right.shape[0]})"
        )
    if right.ndim == 2 and right.shape[1] == 1:
        raise ValueError("spsolve gives a vector for a matrix with one column: give it b[:, 0]")
    return _solved(A, right, 0)


def _solved(A: Any, right: Any, turned: int) -> Any:
    """Return the solution for a vector or a matrix."""
    if np.iscomplexobj(right) or np.iscomplexobj(A._values):
        unsupported("sparse equations with complex numbers", "np.linalg.solve(A.toarray(), b)")
    columns = 1 if right.ndim == 1 else right.shape[1]
    if right.size == 0:
        return np.zeros(right.shape)
    x = sparse_rows.solve(A._values, A._row, A._col, np.ravel(right) * 1.0, columns, turned)
    return x if right.ndim == 1 else x.reshape(right.shape)


class SuperLU:
    """The factors of a matrix: SciPy keeps those of the last few."""

    def __init__(self, A: Any) -> None:
        self._matrix = A
        self.shape = A.shape

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        right = np.asarray(rhs)
        if right.shape[0] != self.shape[0]:
            raise ValueError("rhs is of incompatible size")
        if trans == "N":
            return _solved(self._matrix, right, 0)
        if trans == "T" or trans == "H":
            return _solved(self._matrix, right, 1)
        raise ValueError("trans must be N, T, or H")


def splu(A: Any) -> SuperLU:
    if not isinstance(A, Sparse):
        unsupported("splu of a matrix that is not sparse", "np.linalg.solve(a, b)")
    rows, cols = A.shape
    if rows != cols:
        raise ValueError("can only factor square matrices")
    lu = SuperLU(A)
    if rows > 0 and np.isnan(lu.solve(np.ones(rows))[0]):
        raise RuntimeError("Factor is exactly singular")
    return lu


def factorized(A: Any) -> Callable[[Any], Any]:
    return splu(A).solve
