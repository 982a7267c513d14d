"""Decompositions of complex matrices as plain Python that the front end compiles.

NumPy's values are taken as they are (``matrix_values``), with LAPACK's phases; what is here gives
them derivatives, as ``spectral`` does for real matrices. Matrices are pairs of their real and
imaginary parts here.

    eigh    in the basis v of the eigenvectors the matrix is diagonal, and nearly so beside it; four
            steps of Ogita and Aishima diagonalise it
    svd     the same for the Gram matrix of the columns of a v
    qr      of the real matrix in which each number x + iy is a block [x -y; y x]: its factor R is
            triangular, as the diagonal of LAPACK's R is real. So is that of Cholesky's factor

A phase of eigenvectors, and of left and right singular vectors together, is free. LAPACK makes one
item of each vector real: the first one of an eigenvector (the last one, if it reads the upper
triangle), the first one of a right singular vector (of a left one, if the matrix has fewer rows
than columns). It stays real; the derivatives are those of NumPy's vectors.

Where a derivative does not exist (equal eigenvalues, a singular value 0, dependent columns in qr),
results that depend on it become infinite or NaN (``unknown``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import matrix_values
from pullback.frontend.library.compiled_text import known, unknown
from pullback.frontend.library.text import matrix_stacks
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.eigenvalues import _narrow, _wide
from pullback.frontend.library.text.spectral import (
    equal_columns,
    equal_pairs,
    largest_of,
    made_orthonormal,
    product,
)
from pullback.frontend.library.text_helpers import unsupported

EighResult = type(np.linalg.eigh(np.eye(1)))
SVDResult = type(np.linalg.svd(np.eye(1)))
QRResult = type(np.linalg.qr(np.eye(1)))
SlogdetResult = type(np.linalg.slogdet(np.eye(1)))

Pair = tuple[Any, Any]


def of_parts(real: Array, imag: Array) -> Array:
    """Return the complex array of these parts."""
    return real + 1j * imag


def parts_of(a: Matrix) -> Pair:
    """Return the parts of a matrix, in double precision."""
    wide = _wide(a)
    return np.real(wide), np.imag(wide)


def _matrix(a: Matrix) -> Matrix:
    """Return the matrix, which must be square."""
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return a


def _times(a: Pair, b: Pair) -> Pair:
    real = product(a[0], b[0]) - product(a[1], b[1])
    return real, product(a[0], b[1]) + product(a[1], b[0])


def _turned(a: Pair) -> Pair:
    """Return the conjugate transpose."""
    return a[0].T, -a[1].T


def _known(a: Pair, v: Pair) -> Pair:
    return known(a[0], v[0]), known(a[1], v[1])


def _diagonalised(b: Pair, equal: Matrix) -> tuple[Vector, Pair]:
    """Return the eigenvalues and eigenvectors of a nearly diagonal Hermitian matrix: four steps
    from the identity. Vectors of equal eigenvalues are not turned into each other."""
    one = np.eye(b[0].shape[0])
    w = np.diag(b[0])
    back = np.where(equal, 0.0, 1.0 / np.where(equal, 1.0, w[None, :] - w[:, None]))
    x = one + b[0] * back, b[1] * back
    for _ in range(3):
        p = _times(_turned(x), x)
        s = _times(_turned(x), _times(b, x))
        r = one - p[0], -p[1]
        w = np.diag(s[0]) / (1.0 - np.diag(r[0]))
        gap = np.where(equal, 1.0, w[None, :] - w[:, None])
        e = (
            np.where(equal, 0.5 * r[0], (s[0] + w[None, :] * r[0]) / gap),
            np.where(equal, 0.5 * r[1], (s[1] + w[None, :] * r[1]) / gap),
        )
        step = _times(x, e)
        x = x[0] + step[0], x[1] + step[1]
    return w, x


def _where_known(x: Pair, b: Pair, equal: Matrix) -> Pair:
    """Return x, without a derivative in those directions of b that turn vectors of equal
    eigenvalues: there it does not exist."""
    n = equal.shape[0]
    real, imag = x[0].copy(), x[1].copy()
    for i in range(n):
        for j in range(n):
            if i != j and equal[i, j]:
                real[i, j] = unknown(unknown(real[i, j], b[0][i, j]), b[1][i, j])
                imag[i, j] = unknown(unknown(imag[i, j], b[0][i, j]), b[1][i, j])
    return real, imag


def _phases(x: Pair, still: Pair, row: int) -> Pair:
    """Return the phases by which columns x beside those of ``still`` are multiplied: the item in
    this row stays real; where it is 0, the largest that is real."""
    n = still[0].shape[1]
    sizes = np.where(np.abs(still[1]) <= 1e-15, np.abs(still[0]), -1.0)
    p, q = np.ones(n), np.zeros(n)
    for j in range(n):
        k = row if abs(still[0][row, j]) > 1e-12 else np.argmax(sizes[:, j])
        u, t = x[0][k, j], x[1][k, j]
        side = np.copysign(1.0, still[0][k, j]) / np.sqrt(u * u + t * t)
        p[j], q[j] = u * side, -t * side
    return p, q


def _multiplied(x: Pair, phases: Pair) -> Pair:
    p, q = phases
    return x[0] * p - x[1] * q, x[0] * q + x[1] * p


# --- Hermitian matrices --------------------------------------------------------------------------


def _hermitian(a: Pair, lower: bool) -> Pair:
    """Return the Hermitian matrix with this triangle; the diagonal counts as real."""
    x, y = a
    if lower:
        return np.tril(x) + np.tril(x, -1).T, np.tril(y, -1) - np.tril(y, -1).T
    return np.triu(x) + np.triu(x, 1).T, np.triu(y, 1) - np.triu(y, 1).T


def _spectrum(whole: Pair, lower: bool, name: str = "hermitian vectors") -> tuple[Any, ...]:
    """Return whether there are eigenvalues, these and eigenvectors as they are, then the Hermitian
    matrix in the basis of the vectors, which values count as equal, and its own values and
    vectors."""
    n = whole[0].shape[0]
    found, w, real, imag = matrix_values(
        name, whole, 0 if lower else 1, ((n,), (n, n), (n, n))
    )
    b = _times(_turned((real, imag)), _times(whole, (real, imag)))
    equal = equal_pairs(w, largest_of(np.abs(w)))
    moved, x = _diagonalised(b, equal)
    return found, w, (real, imag), b, equal, moved, x


def _is_lower(uplo: str) -> bool:
    if uplo not in ("L", "U", "l", "u"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return uplo == "L" or uplo == "l"


def eigh(a: Matrix, UPLO: str = "L") -> Any:
    """Return the eigenvalues and eigenvectors of a Hermitian matrix, from one triangle."""
    if a.ndim > 2:
        return matrix_stacks.eigh(a, UPLO)
    return EighResult(*_vectors(_matrix(a), _is_lower(UPLO), "hermitian vectors"))


def scipys_eigh(a: Matrix, lower: bool) -> tuple[Vector, Matrix]:
    """Return the same as SciPy's routine finds it."""
    return _vectors(a, lower, "scipys hermitian vectors")


def _vectors(a: Matrix, lower: bool, name: str) -> tuple[Vector, Matrix]:
    n = a.shape[0]
    found, w, v, b, equal, moved, x = _spectrum(_hermitian(parts_of(a), lower), lower, name)
    turned = _times(v, _where_known(x, b, equal))
    real, imag = _known(_multiplied(turned, _phases(turned, v, 0 if lower else n - 1)), v)
    if not found:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return _single(known(moved, w), a), _narrow(of_parts(real, imag), a)


def eigvalsh(a: Matrix, UPLO: str = "L") -> Vector:
    """Return the eigenvalues of a Hermitian matrix, from one triangle."""
    if a.ndim > 2:
        return matrix_stacks.eigvalsh(a, UPLO)
    lower = _is_lower(UPLO)
    whole = _hermitian(parts_of(_matrix(a)), lower)
    found, w = matrix_values("hermitian values", whole, 0 if lower else 1, ((a.shape[0],),))
    if not found:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return _single(known(_spectrum(whole, lower)[5], w), a)


def _single(x: Array, a: Matrix) -> Array:
    """Return real results as NumPy does: in the precision of the matrix."""
    return x.astype(np.float32) if a.dtype == np.complex64 else x


# --- singular values -----------------------------------------------------------------------------


def _gram(a: Pair, v: Pair) -> tuple[Pair, Matrix, Pair, Vector]:
    """Return the Gram matrix b of the columns of a v, which of its eigenvalues count as equal, its
    eigenvectors x, and the lengths of the columns of a v x."""
    m = _times(a, v)
    b = _times(_turned(m), m)
    equal = equal_columns(np.hypot(stop_gradient(b[0]), stop_gradient(b[1])))
    x = _diagonalised(b, equal)[1]
    return b, equal, x, _lengths(_times(m, x))


def _lengths(m: Pair) -> Vector:
    return np.sqrt(np.sum(m[0] * m[0] + m[1] * m[1], axis=0))


def _moved_vectors(a: Pair, u: Pair, v: Pair) -> tuple[Pair, Vector, Pair]:
    """Return the left vectors, singular values and right vectors of a tall matrix, with their
    derivatives."""
    b, equal, x, s = _gram(a, v)
    right = _times(v, _where_known(x, b, equal))
    m = _times(a, right)
    still = stop_gradient(s)
    tiny = still <= 1e-15 * max(a[0].shape[0], a[0].shape[1]) * largest_of(still)
    divisor, change = np.where(tiny, 1.0, s), np.sum(a[0]) + np.sum(a[1])
    lost = np.array([unknown(0.0, change) if t else 0.0 for t in tiny])
    left = (
        np.where(tiny, u[0], m[0] / divisor) + lost, np.where(tiny, u[1], m[1] / divisor) + lost
    )  # fmt: skip
    phases = _phases(right, v, 0)
    return _multiplied(left, phases), s, _multiplied(right, phases)


def svd(a: Matrix, full_matrices: bool = True, compute_uv: bool = True,
        hermitian: bool = False) -> Any:  # fmt: skip
    """Return the singular vectors and values."""
    if hermitian:
        unsupported("svd with hermitian=True", "leave it away, or use eigh")
    if not compute_uv:
        return svdvals(a)
    if a.ndim > 2:
        return matrix_stacks.svd(a, full_matrices)
    whole = parts_of(a)
    rows, columns = a.shape
    least = min(rows, columns)
    wide_u, wide_v = (rows, columns) if full_matrices else (least, least)
    found, u_real, u_imag, s, vh_real, vh_imag = matrix_values(
        "complex svd", whole, 1 if full_matrices else 0,
        ((rows, wide_u), (rows, wide_u), (least,), (wide_v, columns), (wide_v, columns)),
    )  # fmt: skip
    if not found:
        raise np.linalg.LinAlgError("SVD did not converge")
    u, v = (u_real[:, :least], u_imag[:, :least]), (vh_real[:least].T, -vh_imag[:least].T)
    if rows < columns:
        v_moved, s_moved, u_moved = _moved_vectors(_turned(whole), v, u)
    else:
        u_moved, s_moved, v_moved = _moved_vectors(whole, u, v)
    (p, q), (x, y) = _known(u_moved, u), _known(v_moved, v)
    if full_matrices and rows > columns:
        change = np.sum(whole[0]) + np.sum(whole[1])
        p, q = _with_columns(p, u_real, change), _with_columns(q, u_imag, change)
    if full_matrices and rows < columns:
        change = np.sum(whole[0]) + np.sum(whole[1])
        x, y = _with_columns(x, vh_real.T, change), _with_columns(y, -vh_imag.T, change)
    return SVDResult(
        _narrow(of_parts(p, q), a), _single(known(s_moved, s), a), _narrow(of_parts(x.T, -y.T), a)
    )


def _with_columns(x: Matrix, still: Matrix, change: float) -> Matrix:
    """Return a matrix with the columns that it lacks, of which the derivatives are unknown."""
    n = x.shape[1]
    return np.concatenate((x, still[:, n:] + unknown(0.0, change)), axis=1)


def svdvals(x: Matrix, /) -> Vector:
    """Return the singular values, in descending order."""
    if x.ndim > 2:
        return matrix_stacks.svdvals(x)
    whole, least = parts_of(x), min(x.shape[0], x.shape[1])
    found, s = matrix_values("complex singular values", whole, 0, ((least,),))
    if not found:
        raise np.linalg.LinAlgError("SVD did not converge")
    if x.shape[0] < x.shape[1]:
        moved = _moved_lengths(_turned(whole))
    else:
        moved = _moved_lengths(whole)
    return _single(known(moved, s), x)


def _moved_lengths(a: Pair) -> Vector:
    """Return the singular values of a tall matrix, with their derivatives."""
    n = a[0].shape[1]
    _, real, imag = matrix_values("complex right vectors", a, 0, ((n, n), (n, n)))
    return _gram(a, (real, imag))[3]


# --- Cholesky, QR --------------------------------------------------------------------------------


def _blocks(a: Pair) -> Matrix:
    """Return the real matrix with a block [x -y; y x] for each number x + iy."""
    x, y = a
    up, down = np.stack((x, -y), axis=-1), np.stack((y, x), axis=-1)
    return np.reshape(np.stack((up, down), axis=1), (2 * x.shape[0], 2 * x.shape[1]))


def _of_blocks(m: Matrix) -> Pair:
    return m[::2, ::2], m[1::2, ::2]


def cholesky(a: Matrix, /, *, upper: bool = False) -> Matrix:
    """Return the lower or upper factor, computed from the lower or upper triangle."""
    if a.ndim > 2:
        return matrix_stacks.cholesky(a, upper=upper)
    x, y = _hermitian(parts_of(_matrix(a)), not upper)
    try:
        low = np.linalg.cholesky(_blocks((x, y)))
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError("Matrix is not positive definite") from None
    real, imag = _of_blocks(low)
    return _narrow(of_parts(real.T, -imag.T) if upper else of_parts(real, imag), a)


def qr(a: Matrix, mode: str = "reduced") -> Any:
    """Return the factors."""
    if mode != "reduced" and mode != "r":
        unsupported(f"np.linalg.qr with mode={mode!r}", "use 'reduced'")
    if a.ndim > 2:
        return matrix_stacks.qr(a, mode)
    whole = parts_of(a)
    rows, columns = a.shape
    least = min(rows, columns)
    square = whole[0][:, :least], whole[1][:, :least]
    _, q_real, q_imag, r_real, r_imag = matrix_values(
        "complex qr", square, 0, ((rows, least), (rows, least), (least, least), (least, least))
    )
    q, r = made_orthonormal(
        _blocks(square), _blocks((q_real, q_imag)), _blocks((r_real, r_imag))
    )
    left, upper = _of_blocks(q), _of_blocks(r)
    if rows < columns:
        both = _times(_turned(left), whole)
        upper = np.triu(both[0]), np.triu(both[1])
    second = _narrow(of_parts(upper[0], upper[1]), a)
    return second if mode == "r" else QRResult(_narrow(of_parts(left[0], left[1]), a), second)


# --- determinants --------------------------------------------------------------------------------


def slogdet(a: Matrix) -> Any:
    """Return the phase of the determinant, and the logarithm of its absolute value. Their
    derivatives are those of the determinant of the matrix times its inverse, a constant."""
    if a.ndim > 2:
        return matrix_stacks.slogdet(a)
    whole, n = parts_of(_matrix(a)), a.shape[0]
    found, real, imag, log, back_real, back_imag = matrix_values(
        "complex determinant", whole, 0, ((1,), (1,), (1,), (n, n), (n, n))
    )
    if not found:
        nothing = np.zeros(1, complex), np.array([-np.inf])
        return SlogdetResult(_narrow(nothing[0], a)[0], _single(nothing[1], a)[0])
    x, y = _determinant(_times((back_real, back_imag), whole))
    size, turn = 0.5 * np.log(x * x + y * y), np.arctan2(y, x)
    c, s = np.cos(turn), np.sin(turn)
    real, imag = known(c * real - s * imag, real), known(c * imag + s * real, imag)
    moved = known(log + size, log)
    return SlogdetResult(_narrow(of_parts(real, imag), a)[0], _single(moved, a)[0])


def _determinant(a: Pair) -> tuple[float, float]:
    """Return the determinant of a matrix close to the identity."""
    x, y = a[0].copy(), a[1].copy()
    n = x.shape[0]
    real, imag = 1.0, 0.0
    for k in range(n):
        c, d = x[k, k], y[k, k]
        real, imag = real * c - imag * d, real * d + imag * c
        whole = c * c + d * d
        for i in range(k + 1, n):
            e = (x[i, k] * c + y[i, k] * d) / whole
            f = (y[i, k] * c - x[i, k] * d) / whole
            for j in range(k + 1, n):
                u, v = x[k, j], y[k, j]
                x[i, j], y[i, j] = x[i, j] - (e * u - f * v), y[i, j] - (e * v + f * u)
    return real, imag


# --- products ------------------------------------------------------------------------------------


def matrix_power(a: Matrix, n: int) -> Matrix:
    if a.ndim > 2:
        return matrix_stacks.matrix_power(a, n)
    base = np.linalg.inv(_matrix(a)) if n < 0 else _matrix(a)
    result, left = np.eye(a.shape[0], dtype=complex), abs(n)
    while left > 0:
        if left % 2 == 1:
            result = result @ base
        base, left = base @ base, left // 2
    return _narrow(result, a)
