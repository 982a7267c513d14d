"""Linear algebra of stacks of matrices, matrix by matrix, as plain Python that the front end
compiles (``library/wider_calls.py``). A stack is an array whose last two axes are matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg._linalg import EighResult, QRResult, SlogdetResult, SVDResult

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import known, unsupported


def _number(sizes: tuple[int, ...]) -> int:
    result = 1
    for n in sizes:
        result *= n
    return result


def _matrices(a: Array) -> Array:
    """Return the matrices of a stack along one axis."""
    return np.reshape(a, (_number(a.shape[:-2]), a.shape[-2], a.shape[-1]))


def inv(a: Array) -> Array:
    return np.reshape(np.array([np.linalg.inv(m) for m in _matrices(a)]), a.shape)


def det(a: Array) -> Array:
    return np.reshape(np.array([np.linalg.det(m) for m in _matrices(a)]), a.shape[:-2])


def slogdet(a: Array) -> Any:
    """Return the signs of the determinants, and the logarithms of their absolute values."""
    found = [np.linalg.slogdet(m) for m in _matrices(a)]
    signs, logs = np.array([r[0] for r in found]), np.array([r[1] for r in found])
    lead = a.shape[:-2]
    return SlogdetResult(np.reshape(signs, lead), np.reshape(logs, lead))


def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    if np.ndim(a) == 2:
        return _cholesky(a, upper)
    return np.reshape(np.array([_cholesky(m, upper) for m in _matrices(a)]), a.shape)


def _cholesky(a: Array, upper: bool) -> Array:
    """Return the factor of one matrix."""
    return np.linalg.cholesky(a.T).T if upper else np.linalg.cholesky(a)


def solve(a: Array, b: Array) -> Array:
    """Return the solutions for the matrices and right sides, whose stacks are broadcast; a vector
    is the right side of all matrices."""
    left, right = np.asarray(a), np.asarray(b)
    if right.ndim == 1:
        return solve(left, right[:, None])[..., 0]
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(m,m),(m,n)->(m,n) (size {right.shape[-2]} is different from {left.shape[-1]})"
        )
    lead = np.broadcast_arrays(left[..., 0, 0], right[..., 0, 0])[0].shape
    lefts = _matrices(np.broadcast_to(left, (*lead, *left.shape[-2:])))
    rights = _matrices(np.broadcast_to(right, (*lead, *right.shape[-2:])))
    found = np.array([np.linalg.solve(lefts[k], rights[k]) for k in range(len(lefts))])
    return np.reshape(found, (*lead, *right.shape[-2:]))


def eigvalsh(a: Array, UPLO: Any = "L") -> Array:
    found = np.array([np.linalg.eigvalsh(m, UPLO) for m in _matrices(a)])
    return np.reshape(found, a.shape[:-1])


def eigh(a: Array, UPLO: Any = "L") -> Any:
    """Return the eigenvalues and eigenvectors of symmetric matrices."""
    found = [np.linalg.eigh(m, UPLO) for m in _matrices(a)]
    values, vectors = np.array([r[0] for r in found]), np.array([r[1] for r in found])
    return EighResult(np.reshape(values, a.shape[:-1]), np.reshape(vectors, a.shape))


def svdvals(x: Array, /) -> Array:
    found = np.array([np.linalg.svdvals(m) for m in _matrices(x)])
    return np.reshape(found, (*x.shape[:-2], min(x.shape[-2], x.shape[-1])))


def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular vectors and values of matrices."""
    if not compute_uv:
        return np.linalg.svdvals(a)
    lead, rows, columns = a.shape[:-2], a.shape[-2], a.shape[-1]
    least = min(rows, columns)
    found = [np.linalg.svd(m, full_matrices) for m in _matrices(a)]
    u, s = np.array([r[0] for r in found]), np.array([r[1] for r in found])
    vh = np.array([r[2] for r in found])
    return SVDResult(
        np.reshape(u, (*lead, rows, rows if full_matrices else least)),
        np.reshape(s, (*lead, least)),
        np.reshape(vh, (*lead, columns if full_matrices else least, columns)),
    )


def qr(a: Array, mode: str = "reduced") -> Any:
    """Return the factors of matrices."""
    if mode not in ("reduced", "complete", "r"):
        unsupported(f"np.linalg.qr with mode={mode!r}", "use 'reduced'")
    lead, rows, columns = a.shape[:-2], a.shape[-2], a.shape[-1]
    least = rows if mode == "complete" else min(rows, columns)
    found = [np.linalg.qr(m, "complete" if mode == "complete" else "reduced") for m in _matrices(a)]
    q, r = np.array([p[0] for p in found]), np.array([p[1] for p in found])
    upper = np.reshape(r, (*lead, least, columns))
    return upper if mode == "r" else QRResult(np.reshape(q, (*lead, rows, least)), upper)


def matrix_power(a: Array, n: int) -> Array:
    found = np.array([np.linalg.matrix_power(m, n) for m in _matrices(a)])
    return np.reshape(found, a.shape)


def norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """Return norms of another order of vectors, and norms of matrices along two axes."""
    items = np.asarray(x)
    if axis is None:
        if items.ndim == 2:
            return _matrix_norm(items, ord, (0, 1), keepdims)
        if items.ndim > 2:
            raise ValueError("Improper number of dimensions to norm.")
    elif not isinstance(axis, int):
        if len(axis) == 2:
            return _matrix_norm(items, ord, axis, keepdims)
        if len(axis) != 1:
            raise ValueError("Improper number of dimensions to norm.")
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    sizes = np.abs(items)
    if ord == 0:
        there = (items != 0).astype(np.float32 if items.dtype == np.float32 else float)
        return np.sum(there, axis, keepdims=keepdims)
    if ord == -1:
        return 1.0 / np.sum(1.0 / sizes, axis, keepdims=keepdims)
    return np.sum(sizes**ord, axis, keepdims=keepdims) ** (1.0 / ord)


def _matrix_norm(items: Array, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Array:
    first, second = known(axes[0]) % items.ndim, known(axes[1]) % items.ndim
    if first == second:
        raise ValueError("Duplicate axes given.")
    moved = np.moveaxis(items, (first, second), (-2, -1))
    if ord is None or ord == "fro":
        found = np.sqrt(np.sum(moved * moved, (-2, -1)))
    elif ord == 1:
        found = np.max(np.sum(np.abs(moved), -2), -1)
    elif ord == -1:
        found = np.min(np.sum(np.abs(moved), -2), -1)
    elif ord == np.inf:
        found = np.max(np.sum(np.abs(moved), -1), -1)
    elif ord == -np.inf:
        found = np.min(np.sum(np.abs(moved), -1), -1)
    elif ord == 2:
        found = np.max(np.linalg.svdvals(moved), -1)
    elif ord == -2:
        found = np.min(np.linalg.svdvals(moved), -1)
    elif ord == "nuc":
        found = np.sum(np.linalg.svdvals(moved), -1)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return np.expand_dims(found, axes) if keepdims else found
