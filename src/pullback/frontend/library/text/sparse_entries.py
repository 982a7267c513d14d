"""The entries of sparse matrices: the arrays of the formats of ``scipy.sparse``, as values with
their rows and columns, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text_helpers import known, unsupported


@dataclass(frozen=True)
class Entries:
    """The entries of a matrix: values, rows and columns, and its shape. ``order``: the format of
    which they are, in its order, all the entries; "" if there may be several at one place, "dense"
    if all numbers of an array are there, of which SciPy has those that are not 0."""

    values: Any
    row: Any
    col: Any
    shape: Any
    order: Any


class OneByOne:
    """Functions of each entry, which are 0 where an entry is 0."""

    def _singly(self: Any, f: Any) -> Any:
        """Return the matrix of f of each entry."""
        self._require_entries("a function of the entries")
        if len(np.unique(self._row * self._cols + self._col)) < len(self._values):
            raise NotImplementedError("a function of a sparse matrix with entries at one place")
        return self._like(f(self._values))

    def __abs__(self: Any) -> Any:
        return self._singly(np.abs)

    def power(self: Any, n: Any, dtype: None = None) -> Any:
        if n <= 0:
            raise NotImplementedError("a power of a sparse matrix that is not above 0")
        return self._singly(lambda v: v**n)

    def sqrt(self: Any) -> Any:
        return self._singly(np.sqrt)

    def sign(self: Any) -> Any:
        return self._singly(np.sign)

    def sin(self: Any) -> Any:
        return self._singly(np.sin)

    def sinh(self: Any) -> Any:
        return self._singly(np.sinh)

    def tan(self: Any) -> Any:
        return self._singly(np.tan)

    def tanh(self: Any) -> Any:
        return self._singly(np.tanh)

    def arctan(self: Any) -> Any:
        return self._singly(np.arctan)

    def expm1(self: Any) -> Any:
        return self._singly(np.expm1)

    def log1p(self: Any) -> Any:
        return self._singly(np.log1p)


class sparray:
    """The base class of the arrays."""

    _of_arrays = True


class spmatrix:
    """The base class of the matrices."""

    _of_arrays = False

    def getnnz(self: Any) -> Any:
        return self.nnz

    def get_shape(self: Any) -> Any:
        return self.shape

    def getformat(self: Any) -> Any:
        return self.format


NO_PLACES = np.zeros(0, dtype=np.int64)


def require_inside(places: Vector, count: int, what: str, axis: int) -> None:
    if len(places) > 0 and np.max(places) >= count:
        raise ValueError(f"axis {axis} index {np.max(places)} exceeds matrix dimension {count}")
    if len(places) > 0 and np.min(places) < 0:
        raise ValueError(f"negative axis {axis} index: {np.min(places)}")


def of_dense(x: Any) -> Any:
    """Return all entries of an array: those that are zero have a derivative, too."""
    if x.ndim != 2:
        unsupported("a sparse matrix of an array that has not two axes", "x[None, :]")
    at = np.arange(x.size)
    return Entries(x.ravel(), at // x.shape[1], at % x.shape[1], x.shape, "dense")


def rows_of(indptr: Vector, count: int) -> Vector:
    """Return the row of each entry of a compressed format."""
    rows = np.zeros(count, dtype=np.int64)
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            rows[k] = i
    return rows


def pointers(places: Vector, count: int) -> Vector:
    """Return where each row begins, of entries that are in the order of rows."""
    found = np.zeros(count + 1, dtype=np.int32)
    for k in range(len(places)):
        found[places[k] + 1] += 1
    return np.cumsum(found).astype(np.int32)


def type_of_sum(values: Vector) -> Any:
    """Return the type of a sum."""
    return np.sum(values[:0]).dtype


def same_extent(given: int, wanted: int) -> None:
    """Require that an extent is the wanted one, or 1."""
    if given != wanted and given != 1:
        raise ValueError("inconsistent shapes")


def require_pointers(indptr: Vector, entries: int, count: int) -> None:
    if len(indptr) != count + 1:
        raise ValueError(f"index pointer size {len(indptr)} should be {count + 1}")
    if indptr[-1] > entries:
        raise ValueError(
            f"Last value of index pointer ({indptr[-1]}) should be less than or equal to the size "
            "of the index and data arrays"
        )


def of_diagonals(data: Any, offsets: Vector, shape: Any) -> Entries:
    """Return the entries of diagonals: an item of ``data`` is in the column of its place."""
    rows, cols = shape
    count = 0
    for k in range(len(offsets)):
        first, last = _span(offsets[k], data.shape[1], rows, cols)
        count += last - first
    values = np.zeros(count, dtype=data.dtype)
    row, col = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    at = 0
    for k in range(len(offsets)):
        first, last = _span(offsets[k], data.shape[1], rows, cols)
        for j in range(first, last):
            values[at + j - first] = data[k, j]
            row[at + j - first] = j - offsets[k]
            col[at + j - first] = j
        at += last - first
    return Entries(values, row, col, shape, "")


def _span(offset: int, width: int, rows: int, cols: int) -> tuple[int, int]:
    """Return the first column of a diagonal, and the one behind its last."""
    first = max(offset, 0)
    return first, max(first, min(rows + offset, cols, width))


# --- what comes from outside ----------------------------------------------------------------------


def from_rows(cls: Any, data: Vector, indices: Vector, indptr: Vector, shape: Any) -> Any:
    """Return the matrix of these arrays, compressed by rows."""
    return cls(Entries(data, rows_of(indptr, len(indices)), indices, shape, "csr"))


def from_columns(cls: Any, data: Vector, indices: Vector, indptr: Vector, shape: Any) -> Any:
    """Return the matrix of these arrays, compressed by columns."""
    return cls(Entries(data, indices, rows_of(indptr, len(indices)), shape, "csc"))


def from_entries(cls: Any, data: Vector, row: Vector, col: Vector, shape: Any) -> Any:
    """Return the matrix of these entries."""
    return cls(Entries(data, row, col, shape, "coo"))


def from_diagonals(cls: Any, data: Any, offsets: Vector, shape: Any) -> Any:
    """Return the matrix of these diagonals."""
    return cls(of_diagonals(data, offsets, shape))


def dense_solution(
    values: Vector, row: Vector, col: Vector, right: Vector, columns: int, turned: int
) -> Vector:
    """Return the solution of sparse equations where nothing but plain code may be run."""
    n = len(right) // columns
    a = np.zeros((n, n))
    for k in range(len(values)):
        a[row[k], col[k]] += values[k]
    return np.linalg.solve(a.T if known(turned) == 1 else a, right.reshape(n, columns)).ravel()


MADE = {"csr": from_rows, "csc": from_columns, "coo": from_entries, "dia": from_diagonals}
"""What makes a matrix of the arrays of its format."""

__all__ = [
    "MADE", "NO_PLACES", "Entries", "OneByOne", "dense_solution", "from_columns", "from_diagonals",
    "from_entries", "from_rows", "of_dense", "of_diagonals", "pointers", "require_inside",
    "require_pointers", "rows_of", "same_extent", "sparray", "spmatrix", "type_of_sum",
]  # fmt: skip
