"""Functions of ``scipy.linalg`` as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import known, unsupported


def norm(a: Array, ord: Any = None, axis: Any = None, keepdims: bool = False,
         check_finite: bool = True) -> Array:  # fmt: skip
    if isinstance(ord, float):
        if axis is None and np.ndim(a) == 2:
            found = np.linalg.matrix_norm(a, ord=ord, keepdims=keepdims)
            return found if keepdims else float(found)  # as LAPACK gives it
        return np.linalg.vector_norm(a, axis=axis, ord=ord, keepdims=keepdims)
    return np.linalg.norm(a, ord, axis, keepdims)


def _reduced(a: Matrix, b: Matrix, lower: bool) -> tuple[Matrix, Matrix]:
    """Return a matrix whose eigenvalues solve a v = w b v, and by what its eigenvectors are to be
    multiplied; read are the triangles that are named."""
    low = a if lower else a.T
    half = np.linalg.inv(np.linalg.cholesky(b if lower else b.T))
    return half @ (np.tril(low) + np.tril(low, -1).T) @ half.T, half.T


def eigh(a: Matrix, b: Matrix | None = None, *, lower: bool = True, eigvals_only: bool = False,
         subset_by_index: Any = None) -> Any:  # fmt: skip
    """Return the eigenvalues, growing, and the eigenvectors of a symmetric matrix, or of two."""
    if eigvals_only and b is None:
        values = np.linalg.eigvalsh(a, "L" if lower else "U")
        return values if subset_by_index is None else _chosen(values, subset_by_index)
    values, vectors = _eigh(a, b, lower)
    if subset_by_index is not None:
        values = _chosen(values, subset_by_index)
        vectors = _chosen(vectors.T, subset_by_index).T
    return values if eigvals_only else (values, vectors)


def _chosen(values: Array, subset: Any) -> Array:
    return values[subset[0] : subset[1] + 1]


def _eigh(a: Matrix, b: Matrix | None, lower: bool) -> tuple[Vector, Matrix]:
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
    for a in blocks:
        n, m = a.shape
        whole[i : i + n, j : j + m] = a
        i, j = i + n, j + m
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
    if a.dtype == np.float32:
        return expm(a.astype(np.float64)).astype(np.float32)
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


def _matrix(a: Matrix) -> Matrix:
    matrix = np.asarray(a)
    if matrix.ndim != 2:
        unsupported("a decomposition of other than a matrix", "a comprehension over the matrices")
    if matrix.dtype != np.float64 and matrix.dtype != np.int64:
        unsupported("a decomposition of other numbers", "convert it to float64")
    if not np.all(np.isfinite(matrix)):
        raise ValueError("array must not contain infs or NaNs")
    return 1.0 * matrix


def svd(a: Matrix, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular vectors and values."""
    if not compute_uv:
        return np.linalg.svd(_matrix(a), compute_uv=False)
    u, s, vh = np.linalg.svd(_matrix(a), full_matrices)
    return u, s, vh


def pinv(a: Matrix) -> Matrix:
    x = _matrix(a)
    return np.linalg.pinv(x, rcond=max(x.shape[0], x.shape[1]) * 2.220446049250313e-16)


def hankel(c: Vector, r: Vector | None = None) -> Matrix:
    """Return the matrix with equal items along every line from below to above: its first column is
    c, its last row c[-1] and the rest of r."""
    column = np.asarray(c)
    row = np.zeros_like(column) if r is None else np.asarray(r)
    if column.ndim != 1 or row.ndim != 1:
        unsupported("hankel of other than vectors", "make them vectors")
    line = np.concatenate((column, row[1:]))
    return line[np.arange(column.shape[0])[:, None] + np.arange(row.shape[0])]


def companion(a: Vector) -> Matrix:
    """Return the matrix whose eigenvalues are the roots of a polynomial."""
    c = np.atleast_1d(a)
    if c.ndim != 1 or (c.dtype != np.float64 and c.dtype != np.int64):
        unsupported("companion of other than a vector of floats", "convert it to float64")
    n = c.shape[0]
    if n < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if c[0] == 0:
        raise ValueError(
            "The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero."
        )
    whole = np.eye(n - 1, k=-1)
    whole[0] = -c[1:] / (1.0 * c[0])
    return whole


def khatri_rao(a: Matrix, b: Matrix) -> Matrix:
    """Return the Kronecker products of the columns of two matrices."""
    x, y = np.asarray(a), np.asarray(b)
    if x.ndim != 2 or y.ndim != 2:
        raise ValueError("The both arrays should be 2-dimensional.")
    if x.shape[1] != y.shape[1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    return (x[:, None] * y[None]).reshape(x.shape[0] * y.shape[0], x.shape[1])


class _Least:
    """What ``lstsq`` gives: its parts by their places. Whether there are residuals of one right
    side, which are a number then, only the run knows: it refuses if there are none."""

    _items_by_place = 4

    def __init__(self, a: Any, b: Any, found: Any) -> None:
        self._a = a
        self._b = b
        self._found = found

    def __getitem__(self, k: int) -> Any:
        if known(k) in (1, -3):
            x, _, rank, _ = self._found
            tall = rank == len(x) and len(self._a) > len(x)
            whole = np.iscomplexobj(x)  # then the array of no residuals is one of complex numbers
            if (self._b.ndim == 1 or whole) and not tall:
                raise NotImplementedError("no residual of lstsq: take the solution, lstsq(a, b)[0]")
            rest = self._b - self._a @ x
            squares = np.sum(np.real(rest * np.conjugate(rest)), axis=0)
            if self._b.ndim == 1:
                return squares
            return squares if tall else squares[:0]
        return int(self._found[2]) if known(k) in (2, -2) else self._found[k]

    def __len__(self) -> int:
        return 4


def lstsq(a: Any, b: Any, cond: Any = None, overwrite_a: bool = False, overwrite_b: bool = False,
          check_finite: bool = True, lapack_driver: Any = None) -> Any:  # fmt: skip
    if lapack_driver is not None and lapack_driver != "gelsd":
        unsupported("lstsq by another driver", "leave it away")
    matrix, right = np.asarray(a), np.asarray(b)
    if matrix.shape[0] != right.shape[0]:
        raise ValueError(
            f"Shape mismatch: a and b should have the same number of rows ({matrix.shape[0]} != "
            f"{right.shape[0]})."
        )
    least = np.finfo(np.float64).eps if cond is None else cond
    return _Least(matrix, right, np.linalg.lstsq(matrix, right, least))


def _riccati(name: str, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> Any:
    if e is not None or s is not None:
        unsupported("a Riccati equation with e or s", "leave them away")
    given = [np.atleast_2d(np.asarray(m)) * 1.0 for m in (a, b, q, r)]
    n, m = given[1].shape
    numbers = packed([np.array([1.0 * n, 1.0 * m]), *given])
    return given, told(described("are", name), constant(numbers)), n


def solve_continuous_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None,
                         balanced: bool = True) -> Any:  # fmt: skip
    (A, B, Q, R), x, n = _riccati("solve_continuous_are", a, b, q, r, e, s)

    def equations(z: Any) -> Any:
        y = z.reshape(n, n)
        left = A.T @ y + y @ A - y @ B @ np.linalg.solve(R, B.T @ y) + Q
        return np.ravel(left)

    return root_of(equations, x).reshape(n, n)


def solve_discrete_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None,
                       balanced: bool = True) -> Any:  # fmt: skip
    (A, B, Q, R), x, n = _riccati("solve_discrete_are", a, b, q, r, e, s)

    def equations(z: Any) -> Any:
        y = z.reshape(n, n)
        inner = np.linalg.solve(R + B.T @ y @ B, B.T @ y @ A)
        return np.ravel(A.T @ y @ A - y - A.T @ y @ B @ inner + Q)

    return root_of(equations, x).reshape(n, n)


def dft(n: int, scale: Any = None) -> Any:
    if scale is not None and scale != "sqrtn" and scale != "n":
        raise ValueError("scale must be None, 'sqrtn', or 'n'; " + f"{scale!r} is not valid.")
    at = np.arange(n)
    m = np.exp(-2j * np.pi * np.outer(at, at) / n)
    if scale is None:
        return m
    return m / np.sqrt(n) if scale == "sqrtn" else m / n
