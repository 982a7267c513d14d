"""Complex Schur forms and ordered ones of two matrices of ``scipy.linalg`` as plain Python that the
front end compiles.

SciPy finds the form, and the equations that define it give its derivative (``scipy_schur``). What
they leave open are the phases of the vectors: LAPACK's choice, whose derivative is not known. So
the diagonals have a derivative; what depends on a phase has an infinite one or NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.solver_answers import packed, told


def _parts(a: Matrix) -> tuple[Matrix, Matrix]:
    return np.real(a) * 1.0, np.imag(a) * 1.0


def _product(a: Any, b: Any) -> tuple[Matrix, Matrix]:
    """Return the parts of a product of matrices that are given by their parts."""
    return a[0] @ b[0] - a[1] @ b[1], a[0] @ b[1] + a[1] @ b[0]


def _apart(a: Any, b: Any) -> tuple[Matrix, Matrix]:
    return a[0] - b[0], a[1] - b[1]


def _shape(upper: Any, side: Any, phase: Vector) -> tuple[Matrix, Matrix]:
    """Return what is 0 where one matrix is triangular, the columns of the other one are orthogonal
    and long 1, and n numbers are 0."""
    n = len(phase)
    rows, cols = np.arange(n)[:, None], np.arange(n)[None]
    real, imag = side
    gram = real.T @ real + imag.T @ imag - np.eye(n)
    turned = real.T @ imag - imag.T @ real
    below = np.where(rows == cols, np.diag(phase), upper[1])
    return np.where(rows <= cols, gram, upper[0]), np.where(rows < cols, turned, below)


def _phases(side: Any, before: Any) -> Vector:
    """Return how far each column has turned."""
    return np.sum(before[0] * side[1] - before[1] * side[0], axis=0)


def _turns(given: Any, n: int) -> Vector:
    """Return zeros whose derivative by the given numbers is not known."""
    change = 0.0
    for part in given:
        change = change + np.sum(part * np.sqrt(np.arange(part.size) + 2.0).reshape(part.shape))
    return np.array([unknown(0.0, change) for _ in range(n)])


def _turned(upper: Any, turns: Vector) -> Matrix:
    """Return a triangular matrix in the basis that has been turned; its diagonal stays."""
    by = np.where(np.eye(len(turns)) == 1.0, 0.0, turns[None] - turns[:, None])
    return (upper[0] - upper[1] * by) + 1j * (upper[1] + upper[0] * by)


def _columns(side: Any, turns: Vector) -> Matrix:
    return (side[0] - side[1] * turns) + 1j * (side[1] + side[0] * turns)


def complex_schur(matrix: Matrix, sort: Any) -> Any:
    """Return the triangular matrix, the unitary one, and how many eigenvalues come first."""
    given, n = _parts(matrix), matrix.shape[0]
    found = told(described("complex schur", sort), constant(packed(given)))
    still = found[: 4 * n * n].reshape(4, n, n)

    def equations(every: Any) -> Any:
        y = every.reshape(4, n, n)
        upper, side = (y[0], y[1]), (y[2], y[3])
        same = _apart(_product(given, side), _product(side, upper))
        shape = _shape(upper, side, _phases(side, (still[2], still[3])))
        return np.stack((*same, *shape)).ravel()

    y = root_of(equations, np.ravel(still)).reshape(4, n, n)
    turns = _turns(given, n)
    made = _turned((y[0], y[1]), turns), _columns((y[2], y[3]), turns)
    return made if sort is None else (*made, int(found[4 * n * n]))


def complex_qz(first: Matrix, second: Matrix, sort: Any) -> Any:
    """Return the two triangular matrices and the two unitary ones; ``sort``: what comes first."""
    a, b, n = _parts(first), _parts(second), first.shape[0]
    found = told(described("complex qz", sort), constant(packed((*a, *b))))
    still = found.reshape(8, n, n)

    def equations(every: Any) -> Any:
        y = every.reshape(8, n, n)
        aa, bb, q, z = (y[0], y[1]), (y[2], y[3]), (y[4], y[5]), (y[6], y[7])
        same = _apart(_product(a, z), _product(q, aa))
        also = _apart(_product(b, z), _product(q, bb))
        left = _shape(aa, q, np.diag(bb[1]))
        right = _shape(bb, z, _phases(z, (still[6], still[7])))
        return np.stack((*same, *also, *left, *right)).ravel()

    y = root_of(equations, np.ravel(still)).reshape(8, n, n)
    turns = _turns((*a, *b), n)
    upper = _turned((y[0], y[1]), turns), _turned((y[2], y[3]), turns)
    return *upper, _columns((y[4], y[5]), turns), _columns((y[6], y[7]), turns)
