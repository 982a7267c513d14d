"""Eigenvalues by ``scipy.linalg`` as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text_helpers import unsupported


def _given(a: Matrix, b: Any, homogeneous_eigvals: bool) -> Matrix:
    matrix = np.asarray(a)
    if b is not None:
        unsupported("eig of two matrices", "solve with the second one, and take those of that")
    if homogeneous_eigvals:
        unsupported("eig with homogeneous_eigvals=True", "leave it away")
    if matrix.ndim != 2:
        unsupported("eig of other than a matrix", "a comprehension over the matrices")
    if not np.all(np.isfinite(matrix)):
        raise ValueError("array must not contain infs or NaNs")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError("expected square matrix")
    return matrix


def eig(a: Matrix, b: Any = None, left: bool = False, right: bool = True,
        overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
        homogeneous_eigvals: bool = False) -> Any:  # fmt: skip
    """Return the eigenvalues, and the eigenvectors, in columns, if they are asked for."""
    matrix = _given(a, b, homogeneous_eigvals)
    if left:
        unsupported("eig with left=True", "take the right vectors of the conjugate transpose")
    if not right:
        return np.linalg.eigvals(matrix)
    w, v = np.linalg.eig(matrix)
    return w, v


def eigvals(a: Matrix, b: Any = None, overwrite_a: bool = False, check_finite: bool = True,
            homogeneous_eigvals: bool = False) -> Vector:  # fmt: skip
    return np.linalg.eigvals(_given(a, b, homogeneous_eigvals))
