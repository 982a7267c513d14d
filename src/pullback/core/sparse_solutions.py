"""Solutions of systems of equations with sparse matrices, which SciPy computes.

    sparse_solution(reals, words, turned)    x with A x = b, row by row; NaN if A is singular

``reals`` has the values of the entries of A, then b, row by row; ``words`` the number of columns of
b, then the rows of the entries, then their columns. ``turned``: of the transpose of A."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

import numpy as np

from pullback.core.later import Later

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Words = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

_sparse = Later("scipy.sparse")
_solvers = Later("scipy.sparse.linalg")

MOST = 8
_factors: OrderedDict[tuple[bytes, bytes, int], Any] = OrderedDict()
"""The factors of the last few matrices: one is solved with several right sides, and with those of a
reverse sweep."""


def sparse_solution(reals: Floats, words: Words, turned: int) -> Floats:
    """Return the solution."""
    columns, count = int(words[0]), len(words) // 2
    values, right = reals[:count], reals[count:]
    n = len(right) // max(columns, 1)
    factor = _factor(values, words[1:], n)
    if factor is None:
        return np.full(len(right), np.nan)
    found = factor.solve(right.reshape(n, columns), "T" if turned else "N")
    return np.ravel(found)


def _factor(values: Floats, places: Words, n: int) -> Any:
    """Return the factors of a matrix; None if it is singular."""
    key = values.tobytes(), places.tobytes(), n
    if key not in _factors:
        row, col = np.split(places, 2)
        matrix = _sparse.csc_matrix((values, (row, col)), shape=(n, n))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _factors[key] = _solvers.splu(matrix)
        except RuntimeError:  # "Factor is exactly singular"
            _factors[key] = None
        while len(_factors) > MOST:
            _factors.popitem(last=False)
    return _factors[key]


def solved(reals: Floats, words: Words) -> Floats:
    """Return the solution for A."""
    return sparse_solution(reals, words, 0)


def solved_turned(reals: Floats, words: Words) -> Floats:
    """Return the solution for the transpose of A."""
    return sparse_solution(reals, words, 1)


__all__ = ["solved", "solved_turned", "sparse_solution"]
