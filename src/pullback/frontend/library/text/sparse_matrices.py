"""The sparse matrices and arrays of ``scipy.sparse``, as plain classes that the front end compiles.

An object has its entries one by one: value, row and column, in the order in which the format has
them. What is made of several matrices, or of another format, has the entries of these in their
order, and perhaps several at one place; then the arrays of the format are not known (``_order``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text.sparse_entries import (
    NO_PLACES,
    Entries,
    OneByOne,
    of_dense,
    of_diagonals,
    pointers,
    require_inside,
    require_pointers,
    rows_of,
    same_extent,
    sparray,
    spmatrix,
    type_of_sum,
)
from pullback.frontend.library.text.sparse_products import item, matched, part, product
from pullback.frontend.library.text_helpers import known, unsupported


class Sparse(OneByOne):
    """What the formats have in common."""

    format = ""
    ndim = 2
    _of_arrays = True
    _parts_as_tuples = True  # an index is a tuple, and a slice in it one of its three parts
    __array_ufunc__ = None  # NumPy leaves operators with an array on the left to it

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> None:
        made = arg1 if isinstance(arg1, Entries) else self._read(arg1, shape, dtype)
        self._values = made.values
        self._row = made.row
        self._col = made.col
        self._rows, self._cols = made.shape
        self._order = made.order

    def _read(self, arg1: Any, shape: Any, dtype: Any) -> Any:
        """Return the entries of what SciPy takes in the place of a matrix."""
        found = self._entries(arg1, shape)
        if dtype is None:
            return found
        values = found.values.astype(dtype)
        return Entries(values, found.row, found.col, found.shape, found.order)

    def _entries(self, arg1: Any, shape: Any) -> Any:
        if isinstance(arg1, Sparse):
            return Entries(arg1._values, arg1._row, arg1._col, arg1.shape, arg1._order)
        if isinstance(arg1, tuple):
            return self._of_tuple(arg1, shape)
        if shape is not None:
            unsupported("a sparse matrix of an array with shape=", "leave shape= away")
        return of_dense(np.asarray(arg1))

    def _of_tuple(self, arg1: Any, shape: Any) -> Entries:
        parts = known(len(arg1))
        if parts == 2 and isinstance(arg1[1], tuple):
            row, col = np.asarray(arg1[1][0]), np.asarray(arg1[1][1])
            values = np.asarray(arg1[0])
            if len(row) != len(values) or len(col) != len(values):
                raise ValueError("all index and data arrays must have the same length")
            if shape is None:
                shape = int(np.max(row)) + 1, int(np.max(col)) + 1
            require_inside(row, shape[0], "row", 0)
            require_inside(col, shape[1], "column", 1)
            return Entries(values, row, col, shape, "coo")
        if parts == 2:
            return Entries(np.zeros(0), NO_PLACES, NO_PLACES, arg1, self.format)
        return self._of_arrays_of_format(arg1, shape)

    def _of_arrays_of_format(self, arg1: Any, shape: Any) -> Entries:
        return unsupported(f"a {self.format} matrix of three arrays", "csr_array or csc_array")

    # --- what is asked of it ---

    @property
    def shape(self) -> tuple[int, int]:
        return self._rows, self._cols

    @property
    def dtype(self) -> Any:
        return self._values.dtype

    @property
    def nnz(self) -> int:
        self._require_entries("nnz")
        return len(self._values)

    @property
    def size(self) -> int:
        return self.nnz

    def _require_entries(self, what: str) -> None:
        if self._order != self.format:
            unsupported(
                f"{what} of a sparse matrix that was made of others or converted",
                "make it outside and pass it in",
            )

    def _require_array(self, what: str) -> None:
        if not self._of_arrays:
            unsupported(
                f"{what} of a sparse matrix, an np.matrix",
                "of an array: sp.csr_array(S), and S.toarray() or S.sum(axis=0) of this",
            )

    @property
    def _all(self) -> Entries:
        return Entries(self._values, self._row, self._col, (self._rows, self._cols), self._order)

    def _item(self, key: Any) -> Any:
        """Return an item, or a part in some rows and columns."""
        whole: Any = (None, None, None)
        rows, cols = key if len(key) == 2 else (key[0], whole)
        is_row, is_col = not isinstance(rows, tuple), not isinstance(cols, tuple)
        if is_row and is_col and np.ndim(rows) == 0 and np.ndim(cols) == 0:
            return item(self._all, rows, cols)
        if (is_row and np.ndim(rows) > 0) or (is_col and np.ndim(cols) > 0):
            unsupported("a sparse matrix indexed by an array", "index S.toarray()")
        if (is_row or is_col) and self._of_arrays:
            unsupported("a part of a sparse array with one axis", "a slice has two: S[i : i + 1]")
        return type(self)(part(self._all, rows, cols))

    # --- the same entries in another matrix ---

    def _like(self, values: Vector) -> Any:
        made = Entries(values, self._row, self._col, (self._rows, self._cols), self._order)
        return type(self)(made)

    def copy(self) -> Any:
        return self._like(self._values.copy())

    def astype(self, dtype: Any) -> Any:
        return self._like(self._values.astype(dtype))

    def conj(self) -> Any:
        return self._like(np.conj(self._values))

    def __neg__(self) -> Any:
        return self._like(-self._values)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) > 0 or isinstance(other, Sparse):
            unsupported("a sparse matrix divided by an array", "S.multiply(1.0 / x)")
        return self._like(self._values / other)

    # --- products ---

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, Sparse) and np.ndim(other) == 0:
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.dot(other)

    def __rmatmul__(self, other: Any) -> Any:
        x = np.asarray(other)
        if x.ndim == 0:
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        turned = self.transpose()
        return turned.dot(x) if x.ndim == 1 else turned.dot(x.T).T

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Sparse) and np.ndim(other) == 0:
            return self._like(self._values * other)
        return self.multiply(other) if self._of_arrays else self.dot(other)

    def __rmul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return self._like(other * self._values)
        return self.multiply(other) if self._of_arrays else self.__rmatmul__(other)

    def dot(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            if self._cols != other._rows:
                raise ValueError(
                    f"matmul: dimension mismatch with signature (n,k={self._cols}),"
                    f"(k={other._rows},m)->(n,m)"
                )
            return self._format_of_sum(other.format)(product(self._all, other._all))
        x = np.asarray(other)
        if x.ndim == 0:
            return self._like(self._values * other)
        if x.ndim > 2:
            unsupported("a sparse matrix times a stack of matrices", "a loop over the stack")
        if np.iscomplexobj(x):
            return self.dot(x.real) + 1j * self.dot(x.imag)
        if x.ndim == 1:
            if len(x) != self._cols:
                raise ValueError(
                    f"matmul: dimension mismatch with signature (n,k={self._cols}),"
                    f"(k={len(x)},1?)->(n,1?)"
                )
            return self._of_vector(x)
        if len(x) != self._cols:
            raise ValueError(
                f"matmul: dimension mismatch with signature (n,k={self._cols}),(k={len(x)},m)"
                "->(n,m)"
            )
        return self._of_matrix(x)

    def _of_vector(self, x: Vector) -> Vector:
        values, row, col = self._values, self._row, self._col
        y = np.zeros(self._rows, dtype=np.result_type(values, x))
        for k in range(len(values)):
            y[row[k]] += values[k] * x[col[k]]
        return y

    def _of_matrix(self, x: Any) -> Any:
        values, row, col = self._values, self._row, self._col
        y = np.zeros((self._rows, x.shape[1]), dtype=np.result_type(values, x))
        for k in range(len(values)):
            for j in range(x.shape[1]):
                y[row[k], j] += values[k] * x[col[k], j]
        return y

    def multiply(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            if self._rows != other._rows or self._cols != other._cols:
                raise NotImplementedError("sparse times sparse of another shape")
            return self._format_of_sum(other.format)(matched(self._all, other._all))
        x = np.asarray(other)
        if x.ndim == 0:
            return self._like(self._values * other)
        if x.ndim > 2:
            unsupported("a sparse matrix times a stack of matrices", "a loop over the stack")
        if x.ndim == 1:
            x = x[None, :]
        same_extent(x.shape[0], self._rows)
        same_extent(x.shape[1], self._cols)
        row = self._row if x.shape[0] != 1 else 0 * self._row
        col = self._col if x.shape[1] != 1 else 0 * self._col
        values = self._values * x[row, col]
        made = coo_array if self._of_arrays else coo_matrix
        shape = self._rows, self._cols
        return made(Entries(values, self._row, self._col, shape, self._order))

    # --- sums ---

    def __add__(self, other: Any) -> Any:
        return self._sum(other, 1)

    def __radd__(self, other: Any) -> Any:
        return self._sum(other, 1)

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._sum(other, 1)

    def _sum(self, other: Any, sign: int) -> Any:
        if not isinstance(other, Sparse):
            if np.ndim(other) == 0:
                unsupported("a number added to a sparse matrix", "S.toarray() + x")
            self._require_array("the sum with an array")
            return self.toarray() + sign * other
        if self._rows != other._rows or self._cols != other._cols:
            raise ValueError("inconsistent shapes")
        values = np.concatenate((self._values, sign * other._values))
        row = np.concatenate((self._row, other._row))
        col = np.concatenate((self._col, other._col))
        made = self._format_of_sum(other.format)
        return made(Entries(values, row, col, (self._rows, self._cols), ""))

    def _format_of_sum(self, other: str) -> Any:
        if self.format == "csc":
            return csc_array if self._of_arrays else csc_matrix
        if self.format == "dia" and other == "dia":
            return dia_array if self._of_arrays else dia_matrix
        return csr_array if self._of_arrays else csr_matrix

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if dtype is not None or out is not None:
            unsupported("sum of a sparse matrix with dtype= or out=", "S.sum().astype(dtype)")
        if axis is None:
            return np.sum(self._values)
        self._require_array("the sum along an axis")
        if known(axis) not in (0, 1, -1, -2):
            raise ValueError("axis out of range")
        across = known(axis) in (0, -2)
        y = np.zeros(self._cols if across else self._rows, dtype=type_of_sum(self._values))
        place = self._col if across else self._row
        for k in range(len(place)):
            y[place[k]] += self._values[k]
        return y

    def mean(self, axis: Any = None) -> Any:
        if axis is None:
            return self.sum() / (self._rows * self._cols)
        return self.sum(axis) / (self._rows if known(axis) in (0, -2) else self._cols)

    def diagonal(self, k: int = 0) -> Vector:
        first, last = max(-k, 0), min(self._rows, self._cols - k)
        if k <= -self._rows or k >= self._cols:
            return np.zeros(0, dtype=self._values.dtype)
        y = np.zeros(last - first, dtype=self._values.dtype)
        for at in range(len(self._values)):
            if self._col[at] - self._row[at] == k:
                y[self._row[at] - first] += self._values[at]
        return y

    def trace(self, offset: int = 0) -> Any:
        return self.diagonal(offset).sum()

    # --- other forms ---

    def toarray(self) -> Any:
        y = np.zeros((self._rows, self._cols), dtype=self._values.dtype)
        for k in range(len(self._values)):
            y[self._row[k], self._col[k]] += self._values[k]
        return y

    def todense(self) -> Any:
        self._require_array("todense")
        return self.toarray()

    def tocsr(self) -> Any:
        return self._made(csr_array if self._of_arrays else csr_matrix)

    def tocsc(self) -> Any:
        return self._made(csc_array if self._of_arrays else csc_matrix)

    def tocoo(self) -> Any:
        return self._made(coo_array if self._of_arrays else coo_matrix)

    def todia(self) -> Any:
        return self._made(dia_array if self._of_arrays else dia_matrix)

    def asformat(self, format: Any) -> Any:
        if format == "csr":
            return self.tocsr()
        if format == "csc":
            return self.tocsc()
        if format == "coo":
            return self.tocoo()
        if format == "dia":
            return self.todia()
        if format is None:
            return self
        return unsupported(f"the sparse format {format!r}", "csr, csc, coo or dia")

    def _made(self, cls: Any) -> Any:
        return cls(Entries(self._values, self._row, self._col, self.shape, self._order))

    @property
    def T(self) -> Any:
        return self.transpose()

    def transpose(self) -> Any:
        made = self._turned_class()
        shape, order = (self._cols, self._rows), self._order
        if order not in ("coo", "", "dense"):
            order = "csc" if order == "csr" else "csr"
        return made(Entries(self._values, self._col, self._row, shape, order))

    def _turned_class(self) -> Any:
        if self.format == "csr":
            return csc_array if self._of_arrays else csc_matrix
        if self.format == "csc":
            return csr_array if self._of_arrays else csr_matrix
        return type(self)


class _Compressed(Sparse):
    @property
    def data(self) -> Vector:
        self._require_entries("data")
        return self._values


class _csr(_Compressed):
    format = "csr"

    def __getitem__(self, key: Any) -> Any:
        return self._item(key)

    @property
    def indices(self) -> Vector:
        self._require_entries("indices")
        return self._col

    @property
    def indptr(self) -> Vector:
        self._require_entries("indptr")
        return pointers(self._row, self._rows)

    def _of_arrays_of_format(self, arg1: Any, shape: Any) -> Entries:
        values, col, indptr = (np.asarray(x) for x in arg1)
        rows = len(indptr) - 1
        shape = (rows, int(np.max(col)) + 1) if shape is None else shape
        require_pointers(indptr, len(col), shape[0])
        return Entries(values, rows_of(indptr, len(col)), col, shape, "csr")


class _csc(_Compressed):
    format = "csc"

    def __getitem__(self, key: Any) -> Any:
        return self._item(key)

    @property
    def indices(self) -> Vector:
        self._require_entries("indices")
        return self._row

    @property
    def indptr(self) -> Vector:
        self._require_entries("indptr")
        return pointers(self._col, self._cols)

    def _of_arrays_of_format(self, arg1: Any, shape: Any) -> Entries:
        values, row, indptr = (np.asarray(x) for x in arg1)
        cols = len(indptr) - 1
        shape = (int(np.max(row)) + 1, cols) if shape is None else shape
        require_pointers(indptr, len(row), shape[1])
        return Entries(values, row, rows_of(indptr, len(row)), shape, "csc")


class _coo(_Compressed):
    format = "coo"

    @property
    def row(self) -> Vector:
        self._require_entries("row")
        return self._row

    @property
    def col(self) -> Vector:
        self._require_entries("col")
        return self._col


class _dia(Sparse):
    format = "dia"

    @property
    def data(self) -> Any:
        return unsupported("data of a sparse matrix in the format dia", "S.tocsr(), made outside")

    @property
    def offsets(self) -> Any:
        return unsupported("offsets of a sparse matrix", "S.tocsr(), made outside")

    def _of_tuple(self, arg1: Any, shape: Any) -> Entries:
        if shape is None:
            raise ValueError("expected a shape argument")
        data, offsets = np.asarray(arg1[0]), np.asarray(arg1[1])
        return of_diagonals(data if data.ndim == 2 else data[None, :], np.ravel(offsets), shape)


class csr_array(_csr, sparray): ...


class csc_array(_csc, sparray): ...


class coo_array(_coo, sparray): ...


class dia_array(_dia, sparray): ...


class csr_matrix(_csr, spmatrix):
    _of_arrays = False


class csc_matrix(_csc, spmatrix):
    _of_arrays = False


class coo_matrix(_coo, spmatrix):
    _of_arrays = False


class dia_matrix(_dia, spmatrix):
    _of_arrays = False


__all__ = [
    "Sparse", "coo_array", "coo_matrix", "csc_array", "csc_matrix", "csr_array", "csr_matrix",
    "dia_array", "dia_matrix", "sparray", "spmatrix",
]  # fmt: skip
