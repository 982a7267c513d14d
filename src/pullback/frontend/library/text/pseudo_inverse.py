"""``np.linalg.pinv`` as plain Python that the front end compiles.

With the vectors u, v of the singular values s that are not 0, as constants, a is the product of the
thin matrices b = a v / s and c = u.T a / s around the inverse of m = u.T a v / s^2, for every
a of this rank near the one that is given. All three are close to orthonormal, or diagonal, so
nothing is lost by what is exact for them: c.T (c c.T)^-1 m (b.T b)^-1 b.T.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.text.domains import Matrix


def pinv(a: Matrix, rcond: Any = None, hermitian: bool = False) -> Matrix:
    """Return the pseudo-inverse; its derivative is that among matrices of the same rank."""
    matrix = np.asarray(a)
    if matrix.ndim > 2:
        size, (rows, columns) = 1, matrix.shape[-2:]
        for n in matrix.shape[:-2]:
            size *= n
        stack = np.reshape(matrix, (size, rows, columns))
        found = np.array([pinv(m, rcond, hermitian) for m in stack])
        return np.reshape(found, (*matrix.shape[:-2], columns, rows))
    if hermitian:  # one triangle of the matrix is read
        low = np.tril(matrix)
        matrix = low + np.tril(matrix, -1).T
    u, s, vt = np.linalg.svd(stop_gradient(matrix), full_matrices=False)
    if len(s) == 0:
        return np.zeros_like(matrix.T)
    cutoff = (1e-15 if rcond is None else rcond) * np.max(s)
    rank = int(np.sum(s > cutoff))
    s = s[:rank]
    left, right = u[:, :rank].T, vt[:rank].T / s
    b = matrix @ right
    c = (left @ matrix) / s[:, None]
    m = (left @ b) / s[:, None]
    return c.T @ np.linalg.solve(c @ c.T, m @ np.linalg.solve(b.T @ b, b.T))
