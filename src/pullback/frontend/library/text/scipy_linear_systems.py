"""Factors and linear equations of ``scipy.linalg`` as plain Python that the front end compiles. The
rows that are exchanged have no derivative; that of the factors is that of the elimination."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.asked_values import library_value, matrix_values
from pullback.frontend.library.compiled_text import packed_lu
from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text_helpers import unsupported


def _given(a: Matrix) -> Matrix:
    matrix = 1.0 * np.asarray(a)
    if matrix.ndim != 2:
        unsupported("equations of other than a matrix", "a comprehension over the matrices")
    if matrix.dtype == np.float32 or matrix.dtype == np.complex64:
        unsupported("factors in single precision", "convert it to float64")
    if not np.all(np.isfinite(matrix)):
        raise ValueError("array must not contain infs or NaNs")
    return matrix


def _order(pivots: Vector, n: int) -> Vector:
    """Return the rows in their new order."""
    order = np.arange(n)
    for k in range(len(pivots)):
        j = pivots[k]
        order[k], order[j] = order[j], order[k]
    return order


def _pivots(matrix: Matrix) -> Vector:
    """Return with which row LAPACK exchanges each row."""
    m, n = matrix.shape
    if np.iscomplexobj(matrix):
        parts = np.real(matrix), np.imag(matrix)
        return matrix_values("complex pivots", parts, 0, ((min(m, n),),))[1].astype(np.int64)
    if m == n:
        return constant(packed_lu(constant(matrix)))[:, n].astype(np.int64) - 1
    return library_value("pivots", matrix, (m, n), min(m, n)).astype(np.int64)


def lu_factor(a: Matrix, overwrite_a: bool = False,
              check_finite: bool = True) -> tuple[Matrix, Vector]:  # fmt: skip
    matrix = _given(a)
    pivots = _pivots(matrix)
    lu = matrix[_order(pivots, len(matrix))]
    for k in range(min(matrix.shape[0], matrix.shape[1])):
        if lu[k, k] != 0.0:
            lu[k + 1 :, k] = lu[k + 1 :, k] / lu[k, k]
        rest = np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
        lu[k + 1 :, k + 1 :] = lu[k + 1 :, k + 1 :] - rest
    return lu, pivots.astype(np.int32)


def lu_solve(lu_and_piv: Any, b: Array, trans: int = 0, overwrite_b: bool = False,
             check_finite: bool = True) -> Array:  # fmt: skip
    lu, pivots = lu_and_piv
    order = _order(pivots.astype(np.int64), len(pivots))
    given = np.asarray(b)
    if given.shape[0] != lu.shape[0]:
        raise ValueError("Shapes of lu and b are incompatible")
    if np.any(np.diagonal(lu) == 0.0):
        raise NotImplementedError("lu_solve of a singular matrix, which gives infinities")
    if trans == 0:
        y = scipy.linalg.solve_triangular(lu, given[order], lower=True, unit_diagonal=True)
        return scipy.linalg.solve_triangular(lu, y)
    turned = np.conjugate(lu.T) if trans == 2 else lu.T
    y = scipy.linalg.solve_triangular(turned, given, lower=True)
    y = scipy.linalg.solve_triangular(turned, y, unit_diagonal=True)
    return y[np.argsort(order)]


def lu(a: Matrix, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True,
       p_indices: bool = False) -> Any:  # fmt: skip
    packed, pivots = lu_factor(a)
    m, n = packed.shape
    order, k = _order(pivots.astype(np.int64), m), min(m, n)
    low, back = np.tril(packed[:, :k], -1) + np.eye(m, k), np.argsort(order)
    if permute_l:
        return low[back], np.triu(packed[:k])
    if p_indices:
        return back.astype(np.int32), low, np.triu(packed[:k])
    return np.eye(m)[back], low, np.triu(packed[:k])


def _of_bands(low: int, high: int, bands: Matrix) -> Matrix:
    """Return the matrix that has these diagonals, from the highest to the lowest."""
    n = bands.shape[1]
    i, j = np.arange(n)[:, None], np.arange(n)[None]
    k = high + i - j
    kept = (k >= 0) & (k <= low + high)
    return np.where(kept, bands[np.where(kept, k, 0), np.zeros((n, 1), dtype=np.int64) + j], 0.0)


_PARTS = {
    "diagonal": "diagonal", "tridiagonal": "tridiagonal", "banded": "general", "gen": "general",
    "general": "general", "upper triangular": "upper", "lower triangular": "lower",
    "sym": "symmetric", "symmetric": "symmetric", "her": "hermitian", "hermitian": "hermitian",
    "pos": "positive", "positive definite": "positive",
}  # fmt: skip
"""What ``solve`` reads of a matrix, by what is assumed of it."""


def _assumed(a: Array, part: str, lower: bool) -> Array:
    """Return the matrices that the part stands for which SciPy reads of these."""
    if part == "diagonal":
        return np.triu(np.tril(a))
    if part == "tridiagonal":
        return np.triu(np.tril(a, 1), -1)
    if part == "upper":
        return np.triu(a)
    if part == "lower":
        return np.tril(a)
    above = np.swapaxes(np.tril(a, -1), -1, -2) if lower else np.triu(a, 1)
    diagonal = np.triu(np.tril(a))
    if part == "symmetric" or not np.iscomplexobj(a):
        return above + diagonal + np.swapaxes(above, -1, -2)
    if lower:
        above = np.conj(above)
    return above + np.real(diagonal) + np.conj(np.swapaxes(above, -1, -2))


_SINGULAR = "A singular matrix detected: slice(s) [0] are singular."


def _positive(a: Array) -> None:
    try:
        np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(_SINGULAR) from None


def solve(a: Array, b: Array, lower: bool = False, overwrite_a: bool = False,
          overwrite_b: bool = False, check_finite: bool = True, assume_a: Any = None,
          transposed: bool = False) -> Array:  # fmt: skip
    """Return x with a x = b; of the matrix counts what ``assume_a`` says of it."""
    assumed, of = "general" if assume_a is None else assume_a, np.asarray(a)
    if assumed not in _PARTS:
        raise ValueError(f"{assumed} is not a recognized matrix structure")
    part = _PARTS[assumed]
    if check_finite and not (np.all(np.isfinite(of)) and np.all(np.isfinite(b))):
        raise ValueError("array must not contain infs or NaNs")
    if part != "general":
        of = _assumed(of, part, lower)
    if part == "positive":
        _positive(of)
    if transposed and np.iscomplexobj(of):
        raise NotImplementedError(
            "scipy.linalg.solve can currently not solve a^T x = b or a^H x = b for complex "
            "matrices."
        )
    try:
        return np.linalg.solve(np.swapaxes(of, -1, -2) if transposed else of, b)
    except np.linalg.LinAlgError:
        one = "A singular matrix detected."
        raise np.linalg.LinAlgError(one if of.size == 1 else _SINGULAR) from None


def solve_banded(l_and_u: Any, ab: Matrix, b: Array, overwrite_ab: bool = False,
                 overwrite_b: bool = False, check_finite: bool = True) -> Array:  # fmt: skip
    low, high = l_and_u
    bands, given = np.asarray(ab), np.asarray(b)
    if bands.shape[-1] != given.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    if low + high + 1 != bands.shape[0]:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 "
            f"({low + high + 1}) does not equal ab.shape[0] ({bands.shape[0]})"
        )
    return np.linalg.solve(_of_bands(low, high, bands), given)


def solveh_banded(ab: Matrix, b: Array, overwrite_ab: bool = False, overwrite_b: bool = False,
                  lower: bool = False, check_finite: bool = True) -> Array:  # fmt: skip
    bands, given = np.asarray(ab), np.asarray(b)
    if bands.shape[-1] != given.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    n = bands.shape[0] - 1
    half = _of_bands(n, 0, bands) if lower else _of_bands(0, n, bands).T
    root = np.linalg.cholesky(half + np.tril(half, -1).T)
    return scipy.linalg.solve_triangular(
        root.T, scipy.linalg.solve_triangular(root, given, lower=True)
    )


def solve_sylvester(a: Matrix, b: Matrix, q: Matrix) -> Matrix:
    """Return X with a X + X b = q, by the equations of all its numbers."""
    left, right, wanted = np.asarray(a), np.asarray(b), np.asarray(q)
    m, n = left.shape[0], right.shape[0]
    system = np.kron(left, np.eye(n)) + np.kron(np.eye(m), right.T)
    try:
        return np.linalg.solve(system, np.ravel(wanted)).reshape(m, n)
    except np.linalg.LinAlgError:
        raise NotImplementedError("equations of a X + X b = q that are singular") from None


def solve_continuous_lyapunov(a: Matrix, q: Matrix) -> Matrix:
    """Return X with a X + X a^H = q."""
    matrix = np.asarray(a)
    return solve_sylvester(matrix, np.conjugate(matrix.T), q)


def solve_discrete_lyapunov(a: Matrix, q: Matrix, method: Any = None) -> Matrix:
    """Return X with a X a^H - X + q = 0."""
    matrix, given = np.asarray(a), np.asarray(q)
    n = matrix.shape[0]
    system = np.eye(n * n) - np.kron(matrix, np.conjugate(matrix))
    return scipy.linalg.solve(system, np.ravel(given)).reshape(n, n)


def polar(a: Matrix, side: str = "right") -> tuple[Matrix, Matrix]:
    """Return the unitary and the positive factor of a matrix."""
    if side != "right" and side != "left":
        raise ValueError("`side` must be either 'right' or 'left'")
    w, s, vh = np.linalg.svd(np.asarray(a), full_matrices=False)
    if side == "right":
        return w @ vh, (vh.T * s) @ vh
    return w @ vh, (w * s) @ w.T
