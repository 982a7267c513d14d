"""Functions of ``scipy.linalg`` of complex matrices as plain Python that the front end compiles.
Vectors have the phases that SciPy's LAPACK routines give them (``complex_matrices``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import matrix_values
from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.text import complex_matrices
from pullback.frontend.library.text.complex_matrices import of_parts, parts_of
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.scipy_matrix_functions import qr_of
from pullback.frontend.library.text_helpers import unsupported

_EPS = 2.0**-52


def _given(a: Matrix, square: bool) -> Matrix:
    if a.ndim != 2:
        unsupported("scipy.linalg of other than a matrix", "a comprehension over the matrices")
    if not (np.all(np.isfinite(np.real(a))) and np.all(np.isfinite(np.imag(a)))):
        raise ValueError("array must not contain infs or NaNs")
    if square and a.shape[0] != a.shape[1]:
        raise ValueError("expected square matrix")
    return a


def _turned(a: Matrix) -> Matrix:
    return np.conjugate(a.T)


def _hermitian(a: Matrix, lower: bool) -> Matrix:
    """Return the Hermitian matrix with this triangle."""
    x, y = complex_matrices._hermitian(parts_of(a), lower)
    return of_parts(x, y)


def _reduced(a: Matrix, b: Matrix, lower: bool) -> tuple[Matrix, Matrix]:
    """Return a matrix whose eigenvalues solve a v = w b v, and by what its eigenvectors are to be
    multiplied."""
    half = np.linalg.inv(np.linalg.cholesky(_hermitian(b, lower)))
    return half @ _hermitian(a, lower) @ _turned(half), _turned(half)


def eigh(a: Matrix, b: Matrix | None = None, *, lower: bool = True,
         eigvals_only: bool = False) -> Any:  # fmt: skip
    """Return the eigenvalues, growing, and the eigenvectors of a Hermitian matrix, or of two."""
    matrix = _given(a, True)
    if eigvals_only:
        return eigvalsh(matrix, b, lower=lower)
    if b is not None:
        reduced, back = _reduced(matrix, b, lower)
        values, vectors = np.linalg.eigh(reduced)
        return values, back @ vectors
    return complex_matrices.scipys_eigh(matrix, lower)


def eigvalsh(a: Matrix, b: Matrix | None = None, *, lower: bool = True) -> Vector:
    matrix = _given(a, True)
    if b is not None:
        return np.linalg.eigvalsh(_reduced(matrix, b, lower)[0])
    return np.linalg.eigvalsh(matrix, "L" if lower else "U")


def svd(a: Matrix, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular vectors and values."""
    matrix = _given(a, False)
    if not compute_uv:
        return np.linalg.svdvals(matrix)
    u, s, vh = np.linalg.svd(matrix, full_matrices)
    return u, s, vh


def svdvals(a: Matrix) -> Vector:
    return np.linalg.svdvals(_given(a, False))


def qr(a: Matrix, overwrite_a: bool = False, lwork: None = None, mode: str = "full",
       pivoting: bool = False, check_finite: bool = True) -> Any:  # fmt: skip
    return qr_of(_given(a, False), mode, pivoting)


def pinv(a: Matrix) -> Matrix:
    x = _given(a, False)
    return np.linalg.pinv(x, rcond=max(x.shape[0], x.shape[1]) * _EPS)


def pinvh(a: Matrix) -> Matrix:
    """Return the pseudo-inverse of a Hermitian matrix, of which one triangle is read."""
    x = _given(a, True)
    return np.linalg.pinv(_hermitian(x, True), x.shape[0] * _EPS)


def cholesky(a: Matrix, lower: bool = False) -> Matrix:
    matrix = _given(a, True)
    try:
        return np.linalg.cholesky(matrix, upper=not lower)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            "a leading minor of the array is not positive definite"
        ) from None


def cho_factor(a: Matrix, lower: bool = False) -> Any:
    return cholesky(a, lower), lower


def cho_solve(c_and_lower: Any, b: Array) -> Array:
    c, lower = c_and_lower
    low = c if lower else _turned(c)
    return np.linalg.solve(_turned(low), np.linalg.solve(low, b))


def solve_triangular(a: Matrix, b: Array, trans: Any = 0, lower: bool = False,
                     unit_diagonal: bool = False) -> Array:  # fmt: skip
    """Return the solution of a system of which one triangle is read."""
    matrix = _given(a, True)
    triangle = np.tril(matrix, -1) if lower else np.triu(matrix, 1)
    diagonal = np.diagonal(matrix)
    if unit_diagonal:
        diagonal = np.ones_like(diagonal)
    elif np.any(diagonal == 0):
        raise np.linalg.LinAlgError("singular matrix")
    whole = triangle + np.diag(diagonal)
    if trans == 1 or trans == "T":
        return np.linalg.solve(whole.T, b)
    if trans == 2 or trans == "C":
        return np.linalg.solve(_turned(whole), b)
    return np.linalg.solve(whole, b)


def inv(a: Matrix) -> Matrix:
    return np.linalg.inv(_given(a, True))


def det(a: Matrix) -> Any:
    return np.linalg.det(_given(a, True))


def norm(a: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    if isinstance(ord, float):
        return scipy.linalg.norm(np.abs(a), ord, axis, keepdims)
    return np.linalg.norm(a, ord, axis, keepdims)


def polar(a: Matrix, side: str = "right") -> tuple[Matrix, Matrix]:
    """Return the unitary and the positive factor of a matrix."""
    if side != "right" and side != "left":
        raise ValueError("`side` must be either 'right' or 'left'")
    w, s, vh = np.linalg.svd(_given(a, False), full_matrices=False)
    if side == "right":
        return w @ vh, (_turned(vh) * s) @ vh
    return w @ vh, (w * s) @ _turned(w)


def orth(A: Matrix, rcond: Any = None) -> Matrix:
    """Return an orthonormal basis of the columns: the left singular vectors."""
    a = _given(A, False)
    u, s, _ = np.linalg.svd(a, full_matrices=False)
    return u[:, : _rank(a, s, rcond)]


def null_space(A: Matrix, rcond: Any = None) -> Matrix:
    """Return an orthonormal basis of what the matrix maps to 0. It has no derivative: its phase is
    not that of an item."""
    a = _given(A, False)
    n = a.shape[1]
    real, imag = parts_of(a)
    found, x, y = matrix_values("complex null space", (real, imag), 0, ((n, n), (n, n)))
    if not found:
        raise np.linalg.LinAlgError("SVD did not converge")
    rank = _rank(a, np.linalg.svdvals(stop_gradient(a)), rcond)
    lost = unknown(0.0, np.sum(real) + np.sum(imag))
    return of_parts(x[:, rank:] + lost, y[:, rank:] + lost)


def _rank(a: Matrix, s: Vector, rcond: Any) -> int:
    limit = _EPS * max(a.shape[0], a.shape[1]) if rcond is None else rcond
    return int(np.sum(s > np.max(s, initial=0.0) * limit))
