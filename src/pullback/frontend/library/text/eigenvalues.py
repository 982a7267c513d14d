"""Eigenvalues of matrices that need not be symmetric, as plain Python that the front end compiles.

LAPACK gives the values w and the vectors v, as constants. In the basis of the vectors the matrix is
diagonal at this place, and nearly so beside it: b = v^-1 a v. Steps of Newton's method, each of
which squares the error, find its eigenvectors x from the identity: with y = x^-1 b x the next x is
x (1 + e), e_ij = y_ij / (y_jj - y_ii). So derivatives are exact up to the fifteenth, deeper than
derivatives may be nested (``ad.nesting``). The values themselves are LAPACK's to the bit.

Results are complex, also where NumPy finds that all are real, and makes real ones of them. A column
of the vectors has the norm 1, and the item is real that LAPACK has made real, as in NumPy. Where
eigenvalues are equal, the derivative of their vectors does not exist, and that of the values is
what it is for vectors that stand still; where there is no basis of vectors, none exists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.spectral import CLOSE
from pullback.frontend.library.text_helpers import unsupported

EigResult = type(np.linalg.eig(np.eye(1)))

Pair = tuple[Any, Any]
_STEPS = 4


def _spectrum(a: Matrix, vectors: bool) -> tuple[Any, ...]:
    """Return the real and imaginary parts of the eigenvalues, and of the vectors, if asked for."""
    n = a.shape[0]
    if a.shape[1] != n:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    real, imag = np.real(a), np.imag(a)
    if not (np.all(np.isfinite(real)) and np.all(np.isfinite(imag))):
        raise np.linalg.LinAlgError("Array must not contain infs or NaNs")
    is_complex = 1 if np.iscomplexobj(a) else 0
    parts = np.concatenate((np.ravel(real), np.ravel(imag)))
    found = library_value("eigen", parts, (n, is_complex), 2 + 2 * n + 4 * n * n)
    if found[0] == 0.0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    w_real, w_imag = found[2 : 2 + n], found[2 + n : 2 + 2 * n]
    v_real, v_imag, back_real, back_imag = found[2 + 2 * n :].reshape(4, n, n)
    b = _doubled(back_real, back_imag) @ (_doubled(real, imag) @ _doubled(v_real, v_imag))
    change = 0.0
    if found[1] == 0.0:  # there is no basis of vectors
        change = np.sum(real) + np.sum(imag)
        b = _doubled(np.diag(w_real), np.diag(w_imag))
    gap = np.hypot(w_real[:, None] - w_real, w_imag[:, None] - w_imag)
    equal = gap <= CLOSE * np.max(np.hypot(w_real, w_imag), initial=0.0)
    y, x = _diagonalised(b, equal)
    values = tuple(
        np.array([unknown(z, change) for z in w + _moved(m)])
        for w, m in ((w_real, np.diag(y[:n, :n])), (w_imag, np.diag(y[n:, :n])))
    )
    if not vectors:
        return values
    turned = _doubled(v_real, v_imag) @ _where_known(x, b, equal)
    made = _normalised(v_real, v_imag, turned[:n, :n], turned[n:, :n])
    found = tuple(
        np.array([[unknown(z, change) for z in row] for row in v + _moved(m)])
        for v, m in zip((v_real, v_imag), made, strict=True)
    )
    return (*values, *found)


def _moved(x: Array) -> Array:
    """Return 0, with the derivative of x."""
    return x - stop_gradient(x)


def _doubled(real: Matrix, imag: Matrix) -> Matrix:
    """Return the real matrix of twice the size whose products are those of a complex one."""
    upper = np.concatenate((real, -imag), axis=1)
    return np.concatenate((upper, np.concatenate((imag, real), axis=1)), axis=0)


def _diagonalised(b: Matrix, equal: Matrix) -> tuple[Matrix, Matrix]:
    """Return eigenvalues, as a diagonal, and eigenvectors of a nearly diagonal matrix."""
    x, y = np.eye(b.shape[0]), b
    for _ in range(_STEPS):
        x = x + x @ _turn(y, equal)
        y = np.linalg.solve(x, b @ x)
    return y, x


def _turn(y: Matrix, equal: Matrix) -> Matrix:
    """Return the vectors of a nearly diagonal matrix, less the identity."""
    n = equal.shape[0]
    real, imag = y[:n, :n], y[n:, :n]
    p, q = np.diag(real), np.diag(imag)
    u = np.where(equal, 1.0, p - p[:, None])
    v = np.where(equal, 0.0, q - q[:, None])
    size = u * u + v * v
    return _doubled(
        np.where(equal, 0.0, (real * u + imag * v) / size),
        np.where(equal, 0.0, (imag * u - real * v) / size),
    )


def _where_known(x: Matrix, b: Matrix, equal: Matrix) -> Matrix:
    """Return x, without a derivative in those directions of b that mix vectors of equal
    eigenvalues."""
    n = equal.shape[0]
    y = x.copy()
    for i in range(n):
        for j in range(n):
            if i != j and equal[i, j]:
                y[i, j] = unknown(unknown(x[i, j], b[i, j]), b[n + i, j])
                y[n + i, j] = unknown(unknown(x[n + i, j], b[i, j]), b[n + i, j])
    return y


def _normalised(x: Matrix, y: Matrix, real: Matrix, imag: Matrix) -> tuple[Matrix, Matrix]:
    """Return the parts of vectors beside those of x + iy, scaled as these are: of norm 1, and real
    where the largest of their real items is."""
    n = x.shape[0]
    sizes = np.where(y == 0.0, np.abs(x), -1.0)
    p, q = np.ones(n), np.zeros(n)
    for j in range(n):
        k = np.argmax(sizes[:, j])
        u, t = real[k, j], imag[k, j]
        length = np.sqrt(np.sum(real[:, j] ** 2 + imag[:, j] ** 2) * (u * u + t * t))
        side = np.copysign(1.0, x[k, j]) / length
        p[j], q[j] = u * side, -t * side
    return real * p - imag * q, real * q + imag * p


def eigvals(a: Matrix) -> Vector:
    """Return the eigenvalues, in LAPACK's order."""
    matrix = np.asarray(a)
    if matrix.ndim > 2:
        return np.array([eigvals(m) for m in matrix])
    real, imag = _spectrum(_wide(matrix), False)
    return _narrow(real + 1j * imag, matrix)


def eig(a: Matrix) -> Any:
    """Return the eigenvalues and the eigenvectors, in columns."""
    matrix = np.asarray(a)
    if matrix.ndim != 2:
        unsupported("eig of other than a matrix", "a comprehension over the matrices")
    w_real, w_imag, v_real, v_imag = _spectrum(_wide(matrix), True)
    w, v = w_real + 1j * w_imag, v_real + 1j * v_imag
    return EigResult(_narrow(w, matrix), _narrow(v, matrix))


def _wide(matrix: Matrix) -> Matrix:
    return matrix.astype(np.complex128 if np.iscomplexobj(matrix) else np.float64)


def _narrow(z: Array, matrix: Matrix) -> Array:
    single = matrix.dtype == np.float32 or matrix.dtype == np.complex64
    return z.astype(np.complex64) if single else z
