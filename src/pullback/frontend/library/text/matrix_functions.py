"""Functions of ``numpy.linalg`` that follow from others, as plain Python that the front end
compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.text.domains import Array, Axis, Matrix
from pullback.frontend.library.text.wider_reductions import in_one_axis, kept, norm_of_order
from pullback.frontend.library.text_helpers import known, times, unsupported


def _rounding(a: Array) -> float:
    """Return the distance from 1 to the next number of the array's type."""
    single = a.dtype == np.float32 or a.dtype == np.complex64
    return 2.0**-23 if single else 2.0**-52


def lstsq(a: Matrix, b: Array, rcond: float | None = None) -> Any:
    """Return the solution of least squares of least norm, the sums of squares that are left (none
    if the rank is not full, or nothing can be left), the rank and the singular values."""
    matrix, right = np.asarray(a), np.asarray(b)
    m, n = matrix.shape
    if len(right) != m:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    if not np.all(np.isfinite(matrix)):
        raise np.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    limit = _rounding(matrix) * max(m, n) if rcond is None else rcond
    s = np.linalg.svdvals(matrix)
    rank = np.int32(np.sum(s > limit * np.max(s)) if len(s) > 0 else 0)
    x = np.linalg.pinv(matrix, limit) @ right
    rest = right - matrix @ x
    left = np.sum((rest * rest.conj()).real, axis=0)
    sums = np.atleast_1d(left)
    return x, sums if rank == n and m > n else sums[:0], rank, s


def cond(x: Matrix, p: Any = None) -> Any:
    """Return the norm of a matrix times that of its inverse; for the norm of order 2, which is
    usual, the largest singular value over the least one."""
    matrix = np.asarray(x)
    if p is None or p == 2 or p == -2:
        s = np.linalg.svdvals(matrix)
        if matrix.ndim == 2 and s[0] == 0.0:
            return unknown(np.inf, np.sum(matrix))
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    size = np.linalg.norm(matrix, p, (-2, -1))
    if matrix.ndim > 2:
        return size * np.linalg.norm(np.linalg.inv(matrix), p, (-2, -1))
    try:
        return size * np.linalg.norm(np.linalg.inv(matrix), p, (-2, -1))
    except np.linalg.LinAlgError:
        return unknown(size * 0.0 + np.inf, np.sum(matrix))


def matrix_rank(A: Matrix, tol: float | None = None) -> Any:
    """Return how many singular values are not 0, up to rounding."""
    matrix = np.asarray(A)
    if matrix.ndim < 2:
        return int(not np.all(matrix == 0))
    s = np.linalg.svdvals(matrix)
    longest = max(matrix.shape[-2], matrix.shape[-1])
    least = np.max(s, axis=-1, keepdims=True) * longest * _rounding(matrix)
    return np.sum(s > (least if tol is None else np.asarray(tol)[..., None]), axis=-1)


def tensorsolve(a: Array, b: Array, axes: Any = None) -> Array:
    """Return the array x for which the sum of a * x over the last axes is b."""
    if axes is not None:
        unsupported("np.linalg.tensorsolve with axes=", "move them to the end: np.moveaxis")
    whole, right = np.asarray(a), np.asarray(b)
    shape = whole.shape[np.ndim(b) :]
    size = 1
    for n in shape:
        size *= n
    if size * size != np.size(whole):
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == "
            "prod(a.shape[:b.ndim])"
        )
    return np.reshape(np.linalg.solve(np.reshape(whole, (size, size)), np.ravel(right)), shape)


def tensorinv(a: Array, ind: int = 2) -> Array:
    """Return the inverse of the map from arrays of the last axes to those of the first ones."""
    whole, at = np.asarray(a), known(ind)
    if at <= 0:
        raise ValueError("Invalid ind argument.")
    size = 1
    for n in whole.shape[at:]:
        size *= n
    shape = whole.shape[at:] + whole.shape[:at]
    return np.reshape(np.linalg.inv(np.reshape(whole, (-1, size))), shape)


def multi_dot(arrays: Any) -> Array:
    """Return the product of several matrices; the first and the last one may be vectors."""
    parts = tuple(arrays)
    product = parts[0]
    for _ in times(len(parts) - 1):
        parts = parts[1:]
        product = product @ parts[0]
    return product


def vector_norm(x: Array, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Array:
    """Return the norm of all items as one vector, or along axes."""
    lines = in_one_axis(x, axis)
    if isinstance(ord, float):
        return kept(x, axis, norm_of_order(lines, ord), keepdims)
    return kept(x, axis, np.linalg.norm(lines, ord, -1), keepdims)


def _rows(x: Matrix, ord: float, keepdims: bool) -> Any:
    """Return the norm of matrices that is the largest sum of a row, or the smallest one."""
    sums = np.sum(np.abs(x), -1, keepdims=True)
    if ord == np.inf:
        found = np.max(sums, -2, keepdims=True)
    elif ord == -np.inf:
        found = np.min(sums, -2, keepdims=True)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return found if keepdims else found[..., 0, 0]


def matrix_norm(x: Matrix, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    if isinstance(ord, float):
        return _rows(np.asarray(x), ord, keepdims)
    return np.linalg.norm(x, ord, (-2, -1), keepdims)


def trace(x: Matrix, /, *, offset: int = 0) -> Array:
    return np.sum(diagonal(x, offset=offset), axis=-1)


def diagonal(x: Matrix, /, *, offset: int = 0) -> Array:
    """Return the items whose column is so many places behind their row."""
    matrix = np.asarray(x)
    if matrix.ndim != 2:
        return np.diagonal(matrix, offset, -2, -1)
    return np.diagonal(matrix[:, offset:] if offset >= 0 else matrix[-offset:])


def outer(x1: Array, x2: Array, /) -> Matrix:
    return np.outer(x1, x2)


def cross(x1: Array, x2: Array, /, *, axis: Axis = -1) -> Array:
    return np.cross(x1, x2, axis=axis)


def matmul(x1: Array, x2: Array, /) -> Array:
    return np.asarray(x1) @ np.asarray(x2)


def vecdot(x1: Array, x2: Array, /, *, axis: Axis = -1) -> Array:
    return np.sum(np.conjugate(x1) * np.asarray(x2), axis=axis)


def tensordot(x1: Array, x2: Array, /, *, axes: Any = 2) -> Array:
    return np.tensordot(x1, x2, axes)


def matrix_transpose(x: Matrix, /) -> Matrix:
    return np.matrix_transpose(x)
