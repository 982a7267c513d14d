"""``np.linalg.pinv`` as plain Python that the front end compiles.

With the vectors u, v of the singular values s that are not 0, as constants, a is the product of the
thin matrices b = a v / s and c = u.T a / s around the inverse of m = u.T a v / s^2, for every
a of this rank near the one that is given. All three are close to orthonormal, or diagonal, so
nothing is lost by what is exact for them: c.T (c c.T)^-1 m (b.T b)^-1 b.T. (Of complex matrices
all transposes are conjugate ones.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import matrix_values
from pullback.frontend.library.text.domains import Matrix, Vector


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
        matrix = low + np.tril(matrix, -1).conj().T
    u, s, vt = _constant_svd(stop_gradient(matrix))
    if len(s) == 0:
        return np.zeros_like(matrix.T)
    cutoff = (1e-15 if rcond is None else rcond) * np.max(s)
    rank = int(np.sum(s > cutoff))
    s = s[:rank]
    left, right = u[:, :rank].conj().T, vt[:rank].conj().T / s
    b = matrix @ right
    c = (left @ matrix) / s[:, None]
    m = (left @ b) / s[:, None]
    other, back = c.conj().T, b.conj().T
    return other @ np.linalg.solve(c @ other, m @ np.linalg.solve(back @ b, back))


def _constant_svd(a: Matrix) -> tuple[Matrix, Vector, Matrix]:
    """Return thin singular vectors, and values, without derivatives."""
    if not np.iscomplexobj(a):
        u, s, vt = np.linalg.svd(a, full_matrices=False)
        return u, s, vt
    m, n = a.shape
    k = min(m, n)
    shapes = ((m, k), (m, k), (k,), (k, n), (k, n))
    found, x, y, s, p, q = matrix_values("complex svd", (np.real(a), np.imag(a)), 0, shapes)
    if not found:
        raise np.linalg.LinAlgError("SVD did not converge")
    return x + 1j * y, s, p + 1j * q
