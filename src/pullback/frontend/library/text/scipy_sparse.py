"""Functions of ``scipy.sparse``, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.sparse_entries import Entries
from pullback.frontend.library.text.sparse_matrices import (
    Sparse,
    coo_array,
    coo_matrix,
    csr_array,
    csr_matrix,
    dia_array,
    dia_matrix,
    sparray,
    spmatrix,
)
from pullback.frontend.library.text.sparse_products import kronecker
from pullback.frontend.library.text_helpers import unsupported


def issparse(x: Any) -> bool:
    return isinstance(x, Sparse)


def isspmatrix(x: Any) -> bool:
    return isinstance(x, Sparse) and isinstance(x, spmatrix)


_COMMON = "common"
"""The type of floats in which all diagonals fit, as in SciPy until it takes that of the diagonals.
"""


def diags(
    diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = _COMMON
) -> Any:
    return dia_matrix(_diagonals(diagonals, offsets, shape, dtype)).asformat(format)


def diags_array(
    diagonals: Any, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = _COMMON
) -> Any:
    return dia_array(_diagonals(diagonals, offsets, shape, dtype)).asformat(format)


def _diagonals(diagonals: Any, offsets: Any, shape: Any, dtype: Any) -> Entries:
    """Return the entries of diagonals, each of its length, or one number for all of it."""
    if np.ndim(offsets) == 0:
        if np.ndim(diagonals) > 1:
            raise ValueError("Different number of diagonals and offsets.")
        return _several((diagonals,), (offsets,), shape, dtype)
    return _several(diagonals, offsets, shape, dtype)


def _several(diagonals: Any, offsets: Any, shape: Any, dtype: Any) -> Entries:
    if len(diagonals) != len(offsets):
        raise ValueError("Different number of diagonals and offsets.")
    if shape is None:
        m = np.size(diagonals[0]) + abs(offsets[0])
        shape = m, m
    rows, cols = shape
    values, row, col = [], [], []
    for index, (diagonal, k) in enumerate(zip(diagonals, offsets, strict=True)):
        length = min(rows + k, cols - k, rows, cols)
        if length < 0:
            raise ValueError(f"Offset {k} (index {index}) out of bounds")
        items = np.asarray(diagonal)
        if items.ndim == 0:
            items = np.full(length, diagonal)
        elif len(items) == 1:
            items = np.full(length, items[0])
        elif len(items) < length:
            raise ValueError(
                f"Diagonal length (index {index}: {len(items)} at offset {k}) does not agree with "
                f"array size ({rows}, {cols})."
            )
        at = np.arange(length)
        values.append(items[:length])
        row.append(at + max(-k, 0))
        col.append(at + max(k, 0))
    whole = np.concatenate(values)
    if isinstance(dtype, str) and dtype == "common":
        whole = whole if whole.dtype.kind == "f" else whole.astype(float)
    elif dtype is not None:
        whole = whole.astype(dtype)
    return Entries(whole, np.concatenate(row), np.concatenate(col), shape, "")


def eye(m: int, n: Any = None, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    return dia_matrix(_ones(m, n, k, dtype)).asformat(format)


def eye_array(m: int, n: Any = None, *, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    return dia_array(_ones(m, n, k, dtype)).asformat(format)


def identity(n: int, dtype: Any = "d", format: Any = None) -> Any:
    return dia_matrix(_ones(n, None, 0, float if dtype == "d" else dtype)).asformat(format)


def _ones(m: int, n: Any, k: int, dtype: Any) -> Entries:
    cols = m if n is None else n
    length = max(0, min(m + k, cols - k, m, cols))
    at = np.arange(length)
    return Entries(
        np.ones(length, dtype=dtype), at + max(-k, 0), at + max(k, 0), (m, cols), ""
    )


def spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    shape = (m, n) if n is not None else m
    if shape is None:
        shape = len(data[0]), len(data[0])
    return dia_matrix((np.asarray(data), diags), shape=shape).asformat(format)


# --- matrices of others ---------------------------------------------------------------------------


def _sparse(x: Any) -> Any:
    return x if isinstance(x, Sparse) else coo_matrix(np.atleast_2d(np.asarray(x)))


def kron(A: Any, B: Any, format: Any = None) -> Any:
    if format == "bsr":
        unsupported("a sparse matrix in blocks", 'format="csr"')
    a, b = _sparse(A), _sparse(B)
    filled = len(b._values) if isinstance(B, Sparse) else np.count_nonzero(b._values)
    if format is None and 2 * filled >= b.shape[0] * b.shape[1]:
        raise NotImplementedError('kron in blocks, as the second matrix is dense: format="csr"')
    made = coo_array if isinstance(a, sparray) or isinstance(b, sparray) else coo_matrix
    return made(kronecker(a._all, b._all)).asformat(format)


def kronsum(A: Any, B: Any, format: Any = None) -> Any:
    a, b = _sparse(A), _sparse(B)
    if a.shape[0] != a.shape[1]:
        raise ValueError("A is not square")
    if b.shape[0] != b.shape[1]:
        raise ValueError("B is not square")
    one, other = identity(b.shape[0], dtype=None), identity(a.shape[0], dtype=None)
    arrays = isinstance(a, sparray) or isinstance(b, sparray)
    left, right = kronecker(one._all, a._all), kronecker(b._all, other._all)
    whole = (csr_array(left) + csr_array(right)) if arrays else csr_matrix(left) + csr_matrix(right)
    return whole.asformat(format)


def tril(A: Any, k: int = 0, format: Any = None) -> Any:
    return _where(A, lambda row, col: row + k >= col, format)


def triu(A: Any, k: int = 0, format: Any = None) -> Any:
    return _where(A, lambda row, col: row + k <= col, format)


def _where(A: Any, chosen: Any, format: Any) -> Any:
    """Return the matrix of some entries."""
    a = _sparse(A)
    there = chosen(a._row, a._col)
    made = coo_array if isinstance(a, sparray) else coo_matrix
    entries = Entries(a._values[there], a._row[there], a._col[there], a.shape, "")
    return made(entries).asformat(format)


def hstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return _joined([_sparse(b).T for b in blocks], format, dtype, True)


def vstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    return _joined([_sparse(b) for b in blocks], format, dtype, False)


def _joined(blocks: Any, format: Any, dtype: Any, turned: bool) -> Any:
    """Return matrices one below the other, or the transposed of that."""
    values, row, col, rows, cols = [], [], [], 0, blocks[0].shape[1]
    arrays, quick = False, True
    for b in blocks:
        if b.shape[1] != cols:
            raise NotImplementedError("blocks of a sparse matrix that do not fit")
        arrays = arrays or isinstance(b, sparray)
        quick = quick and b.format == "csr"
        values.append(b._values)
        row.append(b._row + rows)
        col.append(b._col)
        rows += b.shape[0]
    whole = np.concatenate(values)
    if dtype is not None:
        whole = whole.astype(dtype)
    entries = Entries(whole, np.concatenate(row), np.concatenate(col), (rows, cols), "")
    made: Any = coo_array(entries) if arrays else coo_matrix(entries)
    if quick and format is None:
        made = csr_array(entries) if arrays else csr_matrix(entries)
    found = made.T if turned else made
    return found if format is None else found.asformat(format)


def block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    values, row, col, rows, cols, arrays = [], [], [], 0, 0, False
    for m in mats:
        b = _sparse(m)
        arrays = arrays or isinstance(b, sparray)
        values.append(b._values)
        row.append(b._row + rows)
        col.append(b._col + cols)
        rows += b.shape[0]
        cols += b.shape[1]
    whole = np.concatenate(values)
    if dtype is not None:
        whole = whole.astype(dtype)
    entries = Entries(whole, np.concatenate(row), np.concatenate(col), (rows, cols), "")
    made = coo_array(entries) if arrays else coo_matrix(entries)
    return made if format is None else made.asformat(format)


def block_array(blocks: Any, *, format: Any = None, dtype: Any = None) -> Any:
    entries, _, quick = _blocks(blocks, dtype)
    made: Any = csr_array(entries) if quick and format is None else coo_array(entries)
    return made if format is None else made.asformat(format)


def bmat(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    entries, arrays, quick = _blocks(blocks, dtype)
    if quick and format is None:
        return csr_array(entries) if arrays else csr_matrix(entries)
    made: Any = coo_array(entries) if arrays else coo_matrix(entries)
    return made if format is None else made.asformat(format)


def _blocks(blocks: Any, dtype: Any) -> Any:
    """Return the entries of blocks side by side and below each other, whether one of them is a
    sparse array, and whether all lie in rows."""
    values, row, col, arrays, quick, slow = [], [], [], False, True, True
    heights, widths = [0] * len(blocks), [0] * len(blocks[0])
    for i, line in enumerate(blocks):
        for j, block in enumerate(line):
            if block is not None:
                heights[i], widths[j] = _sparse(block).shape
    for i, line in enumerate(blocks):
        for j, block in enumerate(line):
            if block is None:
                quick = slow = False
            else:
                b = _sparse(block)
                if b.shape[0] != heights[i] or b.shape[1] != widths[j]:
                    raise ValueError("blocks of a sparse matrix that do not fit")
                arrays = arrays or isinstance(b, sparray)
                quick, slow = quick and b.format == "csr", slow and b.format == "csc"
                values.append(b._values)
                row.append(b._row + sum(heights[:i]))
                col.append(b._col + sum(widths[:j]))
    if slow:
        raise NotImplementedError('blocks of which all are csc: format="csr"')
    whole = np.concatenate(values)
    if dtype is not None:
        whole = whole.astype(dtype)
    shape = sum(heights), sum(widths)
    return Entries(whole, np.concatenate(row), np.concatenate(col), shape, ""), arrays, quick
