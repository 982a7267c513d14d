"""Functions of ``scipy.linalg`` as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text_helpers import times


def norm(a: Array, ord: Any = None, axis: Any = None, keepdims: bool = False,
         check_finite: bool = True) -> Array:  # fmt: skip
    return np.linalg.norm(a, ord, axis, keepdims)


def _reduced(a: Matrix, b: Matrix, lower: bool) -> tuple[Matrix, Matrix]:
    """Return a matrix whose eigenvalues solve a v = w b v, and by what its eigenvectors are to be
    multiplied; read are the triangles that are named."""
    low = a if lower else a.T
    half = np.linalg.inv(np.linalg.cholesky(b if lower else b.T))
    return half @ (np.tril(low) + np.tril(low, -1).T) @ half.T, half.T


def eigh(a: Matrix, b: Matrix | None = None, *, lower: bool = True) -> tuple[Vector, Matrix]:
    """Return the eigenvalues, growing, and the eigenvectors of a symmetric matrix, or of two."""
    if b is not None:
        reduced, back = _reduced(a, b, lower)
        values, vectors = np.linalg.eigh(reduced)
        return values, back @ vectors
    return np.linalg.eigh(a, "L" if lower else "U")


def eigvalsh(a: Matrix, b: Matrix | None = None, *, lower: bool = True) -> Vector:
    if b is not None:
        return np.linalg.eigvalsh(_reduced(a, b, lower)[0])
    return np.linalg.eigvalsh(a, "L" if lower else "U")


def block_diag(*arrs: Array) -> Matrix:
    """Return the matrix with these blocks along its diagonal."""
    blocks = tuple(np.atleast_2d(a) for a in arrs)
    rows = sum(a.shape[0] for a in blocks)
    columns = sum(a.shape[1] for a in blocks)
    whole = np.zeros((rows, columns))
    i, j = 0, 0
    for _ in times(len(blocks)):
        n, m = blocks[0].shape
        whole[i : i + n, j : j + m] = blocks[0]
        i, j, blocks = i + n, j + m, blocks[1:]
    return whole


def toeplitz(c: Vector, r: Vector | None = None) -> Matrix:
    """Return the matrix with equal items along every diagonal: its first column is c, its first row
    c[0] and the rest of r (without r: c)."""
    column = np.ravel(c)
    row = column if r is None else np.ravel(r)
    n, m = len(column), len(row)
    line = np.concatenate((column[::-1], row[1:]))
    return line[n - 1 - np.arange(n)[:, None] + np.arange(m)]


def circulant(c: Vector) -> Matrix:
    """Return the matrix whose columns are c, each turned one place further."""
    column = np.ravel(c)
    n = len(column)
    return column[(np.arange(n)[:, None] - np.arange(n)) % max(n, 1)]


def solve_toeplitz(c_or_cr: Any, b: Array) -> Array:
    """Return the solution of a Toeplitz system, by the solver for all matrices."""
    if isinstance(c_or_cr, tuple):
        return np.linalg.solve(toeplitz(c_or_cr[0], c_or_cr[1]), b)
    return np.linalg.solve(toeplitz(c_or_cr), b)


def expm(A: Matrix) -> Matrix:
    """Return the exponential of a matrix: Pade's approximation of degree 13 for a part 2^-s of it,
    squared s times (Higham, "The scaling and squaring method for the matrix exponential
    revisited", 2005)."""
    a = 1.0 * np.asarray(A)
    n = a.shape[0]
    if a.ndim != 2 or a.shape[1] != n:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    size, squarings = np.max(np.sum(np.abs(a), axis=0)) if n > 0 else 0.0, 0
    while size > 5.371920351148152:
        size, squarings = size / 2.0, squarings + 1
    a = a / 2.0**squarings
    one = np.eye(n)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a2 @ a4
    odd = a @ (a6 @ (a6 + 16380.0 * a4 + 40840800.0 * a2)
               + 33522128640.0 * a6 + 10559470521600.0 * a4 + 1187353796428800.0 * a2
               + 32382376266240000.0 * one)  # fmt: skip
    even = (a6 @ (182.0 * a6 + 960960.0 * a4 + 1323241920.0 * a2)
            + 670442572800.0 * a6 + 129060195264000.0 * a4 + 7771770303897600.0 * a2
            + 64764752532480000.0 * one)  # fmt: skip
    result = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        result = result @ result
    return result
