"""Products and parts of sparse matrices, by their entries, as plain Python that the front end
compiles. The result may have several entries at one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text.sparse_entries import Entries


def _by_rows(row: Vector, rows: int) -> tuple[Vector, Vector]:
    """Return where the entries of each row begin among the numbers of all entries in the order of
    rows, and these."""
    first = np.zeros(rows + 1, dtype=np.int64)
    for k in range(len(row)):
        first[row[k] + 1] += 1
    first = np.cumsum(first)
    free, order = first.copy(), np.zeros(len(row), dtype=np.int64)
    for k in range(len(row)):
        order[free[row[k]]] = k
        free[row[k]] += 1
    return first, order


def product(a: Any, b: Any) -> Entries:
    """Return the entries of a matrix product."""
    first, order = _by_rows(b.row, b.shape[0])
    total = 0
    for k in range(len(a.values)):
        total += first[a.col[k] + 1] - first[a.col[k]]
    values = np.zeros(total, dtype=np.result_type(a.values, b.values))
    row, col = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=np.int64)
    at = 0
    for k in range(len(a.values)):
        for j in range(first[a.col[k]], first[a.col[k] + 1]):
            other = order[j]
            values[at] = a.values[k] * b.values[other]
            row[at], col[at] = a.row[k], b.col[other]
            at += 1
    return Entries(values, row, col, (a.shape[0], b.shape[1]), "")


def matched(a: Any, b: Any) -> Entries:
    """Return the entries of the product element by element: those of the first matrix, each times
    what the other one has there."""
    first, order = _by_rows(b.row, b.shape[0])
    values = np.zeros(len(a.values), dtype=np.result_type(a.values, b.values))
    for k in range(len(a.values)):
        for j in range(first[a.row[k]], first[a.row[k] + 1]):
            if b.col[order[j]] == a.col[k]:
                values[k] += a.values[k] * b.values[order[j]]
    return Entries(values, a.row, a.col, a.shape, "")


def kronecker(a: Any, b: Any) -> Entries:
    """Return the entries of the Kronecker product."""
    n, m = len(a.values), len(b.values)
    values = np.ravel(a.values[:, None] * b.values)
    row = np.ravel((a.row * b.shape[0])[:, None] + b.row)
    col = np.ravel((a.col * b.shape[1])[:, None] + b.col)
    shape = a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]
    return Entries(values.reshape(n * m), row, col, shape, "")


def item(a: Any, i: int, j: int) -> Any:
    """Return the sum of the entries at one place."""
    row, col = _inside(i, a.shape[0]), _inside(j, a.shape[1])
    total = np.zeros(1, dtype=a.values.dtype)
    for k in range(len(a.values)):
        if a.row[k] == row and a.col[k] == col:
            total[0] += a.values[k]
    return total[0]


def _inside(i: int, n: int) -> int:
    if i < -n or i >= n:
        raise IndexError(f"index ({i}) out of range")
    return i + n if i < 0 else i


def _bounds(key: Any, n: int) -> tuple[int, int]:
    """Return the first place of a part of an axis, and the one behind its last."""
    if not isinstance(key, tuple):
        i = _inside(key, n)
        return i, i + 1
    start, stop, step = key
    if step is not None and step != 1:
        raise NotImplementedError("a part of a sparse matrix with a step")
    first = 0 if start is None else start
    last = n if stop is None else stop
    first = max(first + n, 0) if first < 0 else min(first, n)
    last = max(last + n, 0) if last < 0 else min(last, n)
    return first, max(first, last)


def part(a: Any, rows: Any, cols: Any) -> Entries:
    """Return the entries in some rows and columns."""
    top, bottom = _bounds(rows, a.shape[0])
    left, right = _bounds(cols, a.shape[1])
    inside = (a.row >= top) & (a.row < bottom) & (a.col >= left) & (a.col < right)
    shape = bottom - top, right - left
    return Entries(a.values[inside], a.row[inside] - top, a.col[inside] - left, shape, "")
