"""Functions of matrices, and decompositions, of ``scipy.linalg`` as plain Python that the front end
compiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.compiled_text import unknown
from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import unsupported

_EPS = 2.0**-52


def _square(A: Matrix) -> Matrix:
    a = np.asarray(A)
    if a.ndim != 2:
        unsupported("a function of other than a matrix", "a comprehension over the matrices")
    if a.dtype == np.float32:
        unsupported("this function of a matrix of float32", "a.astype(float), and the result back")
    if a.shape[0] != a.shape[1]:
        raise ValueError("expected square array_like input")
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a.astype(np.complex128) if np.iscomplexobj(a) else a.astype(np.float64)


def _root(a: Matrix) -> Matrix:
    """Return the square root, by the coupled iteration of Denman and Beavers (1976) with scaling by
    determinants (Higham, *Functions of Matrices*, section 6.3). When it has converged, so have the
    derivatives of first order; each further round doubles the order up to which they have."""
    n, x, y, more = a.shape[0], a, np.eye(a.shape[0], dtype=a.dtype), 0
    for k in range(100):
        by = 1.0
        if k < 20 and more == 0:
            sign, size = np.linalg.slogdet(stop_gradient(x))
            other = np.linalg.slogdet(stop_gradient(y))[1]
            by = np.exp(-(size + other) / (2.0 * n))
            by = by if abs(by - 1.0) > 0.01 and sign != 0.0 else 1.0
        p, q = np.linalg.inv(y), np.linalg.inv(x)
        after = 0.5 * (by * x + p / by)
        step = np.max(np.abs(stop_gradient(after - x)))
        x, y = after, 0.5 * (by * y + q / by)
        if more > 0 or step <= 1e-7 * np.max(np.abs(stop_gradient(x))):
            more += 1
        if more == 5:
            break
    return x


def _without_negative(a: Matrix, what: str) -> None:
    """Raise an error if an eigenvalue is 0, or negative: the result would be complex."""
    w = np.linalg.eigvals(stop_gradient(a))
    least = 1e-14 * np.max(np.abs(w), initial=0.0)
    if np.any((np.real(w) <= least) & (np.abs(np.imag(w)) <= least)):
        raise NotImplementedError(
            f"{what} of a matrix with an eigenvalue that is 0 or negative is not supported"
        )


def sqrtm(A: Matrix) -> Matrix:
    if np.ndim(A) == 2 and np.shape(A)[0] != np.shape(A)[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    a = _square(A)
    if a.shape[0] == 0:
        return a
    _without_negative(a, "sqrtm")
    return _root(a)


def logm(A: Matrix, disp: bool = True) -> Matrix:
    """Return the logarithm: roots are taken until the matrix is near 1, and there it is an integral
    by the points of Gauss."""
    if not disp:
        unsupported("logm with disp=False", "leave it away")
    a = _square(A)
    n = a.shape[0]
    if n == 0:
        return a
    _without_negative(a, "logm")
    doublings, one = 0, np.eye(n)
    while np.max(np.sum(np.abs(stop_gradient(a) - one), axis=0)) > 0.25:
        a = _root(a)
        doublings += 1
    d, total = a - one, np.zeros((n, n), a.dtype)
    points, weights = np.polynomial.legendre.leggauss(8)
    for k in range(8):
        t = 0.5 * (points[k] + 1.0)
        total = total + 0.5 * weights[k] * np.linalg.solve(one + t * d, d)
    return total * 2.0**doublings


def fractional_matrix_power(A: Matrix, t: float) -> Matrix:
    a = _square(A)
    if isinstance(t, int):
        return np.linalg.matrix_power(a, t)
    return scipy.linalg.expm(t * logm(a))


def expm_frechet(A: Matrix, E: Matrix, method: None = None, compute_expm: bool = True,
                 check_finite: bool = True) -> Any:  # fmt: skip
    """Return the exponential, and its derivative along a direction: both are blocks of the
    exponential of a matrix of twice the size."""
    a, e = np.asarray(A).astype(np.float64), np.asarray(E).astype(np.float64)
    n = a.shape[0]
    if a.ndim != 2 or a.shape[1] != n:
        raise ValueError("expected A to be a square matrix")
    if e.ndim != 2 or e.shape[0] != e.shape[1]:
        raise ValueError("expected E to be a square matrix")
    if e.shape[0] != n:
        raise ValueError("expected A and E to be the same shape")
    upper = np.concatenate((a, e), axis=1)
    whole = scipy.linalg.expm(
        np.concatenate((upper, np.concatenate((np.zeros((n, n)), a), axis=1)), axis=0)
    )
    return (whole[:n, :n], whole[:n, n:]) if compute_expm else whole[:n, n:]


def _circular(a: Matrix) -> tuple[Matrix, Matrix]:
    """Return the cosine and the sine."""
    whole = scipy.linalg.expm(1j * a)
    if np.iscomplexobj(a):
        back = scipy.linalg.expm(-1j * a)
        return 0.5 * (whole + back), -0.5j * (whole - back)
    return np.real(whole), np.imag(whole)


def cosm(A: Matrix) -> Matrix:
    return _circular(_square(A))[0]


def sinm(A: Matrix) -> Matrix:
    return _circular(_square(A))[1]


def tanm(A: Matrix) -> Matrix:
    cosine, sine = _circular(_square(A))
    return np.linalg.solve(cosine, sine)


def coshm(A: Matrix) -> Matrix:
    a = _square(A)
    return 0.5 * (scipy.linalg.expm(a) + scipy.linalg.expm(-a))


def sinhm(A: Matrix) -> Matrix:
    a = _square(A)
    return 0.5 * (scipy.linalg.expm(a) - scipy.linalg.expm(-a))


def tanhm(A: Matrix) -> Matrix:
    a = _square(A)
    up, down = scipy.linalg.expm(a), scipy.linalg.expm(-a)
    return np.linalg.solve(up + down, up - down)


# --- decompositions -------------------------------------------------------------------------------


def _matrix(a: Matrix) -> Matrix:
    x = np.asarray(a)
    if np.iscomplexobj(x):
        unsupported("a decomposition of a complex matrix", "take that of NumPy")
    if x.ndim != 2:
        unsupported("a decomposition of other than a matrix", "a comprehension over the matrices")
    if x.dtype == np.float32:
        unsupported("this decomposition of float32", "a.astype(float), and the result back")
    if not np.all(np.isfinite(x)):
        raise ValueError("array must not contain infs or NaNs")
    return x.astype(np.float64)


def qr(a: Matrix, overwrite_a: bool = False, lwork: None = None, mode: str = "full",
       pivoting: bool = False, check_finite: bool = True) -> Any:  # fmt: skip
    x = np.asarray(a)
    if x.dtype == np.float32:
        if pivoting:
            unsupported("qr with pivoting=True of float32", "a.astype(float), and the result back")
        found = qr_of(_matrix(x.astype(float)), mode, pivoting)
        return tuple([p.astype(np.float32) for p in found])
    return qr_of(_matrix(x), mode, pivoting)


def qr_of(x: Matrix, mode: str, pivoting: bool) -> Any:
    """Return the factors of a real or complex matrix as SciPy's ``qr`` does."""
    if pivoting:
        if np.iscomplexobj(x):
            unsupported("qr with pivoting=True of a complex matrix", "leave it away")
        given = constant(packed((1.0 * x.shape[0], x)))
        order = told(described("pivots"), given).astype(np.int64)
        return *qr_of(x[:, order], mode, False), order.astype(np.int32)
    if mode not in ("full", "qr", "r", "economic", "raw"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic', 'raw']")
    if mode == "raw":
        unsupported("qr with mode='raw'", "take the economic one")
    if mode == "r":
        rest = np.zeros((max(x.shape[0] - x.shape[1], 0), x.shape[1]), x.dtype)
        return (np.concatenate((np.linalg.qr(x, mode="r"), rest), axis=0),)
    q, r = np.linalg.qr(x) if mode == "economic" else np.linalg.qr(x, mode="complete")
    return q, r


def pinvh(a: Matrix) -> Matrix:
    """Return the pseudo-inverse of a symmetric matrix, of which one triangle is read."""
    x = _matrix(a)
    low = np.tril(x) + np.tril(x, -1).T
    return np.linalg.pinv(low, max(x.shape[0], x.shape[1]) * _EPS)


def eigvalsh_tridiagonal(d: Vector, e: Vector) -> Vector:
    return np.linalg.eigvalsh(_tridiagonal(d, e))


def eigh_tridiagonal(d: Vector, e: Vector, eigvals_only: bool = False) -> Any:
    """Return the eigenvalues, growing, of a symmetric matrix that is given by its diagonal and the
    one beside it, and the eigenvectors, with SciPy's signs."""
    a = _tridiagonal(d, e)
    if eigvals_only:
        return np.linalg.eigvalsh(a)
    n = a.shape[0]
    w, v = np.linalg.eigh(a)
    parts = np.concatenate((np.diag(a), np.diag(a, -1)))
    still = library_value("tridiagonal vectors", parts, (n,), n * n).reshape(n, n)
    along = np.sum(stop_gradient(v) * still, axis=0)
    if np.any(np.abs(along) < 0.999):
        raise NotImplementedError("eigenvectors of equal eigenvalues")
    return w, np.where(along < 0.0, -v, v)


def _tridiagonal(d: Vector, e: Vector) -> Matrix:
    middle, beside = np.asarray(d).astype(np.float64), np.asarray(e).astype(np.float64)
    if middle.ndim != 1 or beside.ndim != 1:
        raise ValueError("expected a 1-D array")
    if len(middle) != len(beside) + 1:
        raise ValueError(
            f"d ({len(middle)}) must have one more element than e ({len(beside)})"
        )
    if not (np.all(np.isfinite(middle)) and np.all(np.isfinite(beside))):
        raise ValueError("array must not contain infs or NaNs")
    return np.diag(middle) + np.diag(beside, 1) + np.diag(beside, -1)


def orth(A: Matrix, rcond: Any = None) -> Matrix:
    """Return an orthonormal basis of the columns: the singular vectors, with LAPACK's signs."""
    a = _matrix(A)
    u, s, _ = np.linalg.svd(a, full_matrices=False)
    limit = _EPS * max(a.shape[0], a.shape[1]) if rcond is None else rcond
    rank = int(np.sum(s > np.max(s, initial=0.0) * limit))
    still = library_value("left_vectors", a, a.shape, len(a) * min(a.shape[0], a.shape[1]))
    still = still.reshape(len(a), -1)
    turned = np.sum(stop_gradient(u) * still, axis=0) < 0.0
    return np.where(turned, -u, u)[:, :rank]


def null_space(A: Matrix, rcond: Any = None) -> Matrix:
    """Return an orthonormal basis of what the matrix maps to 0. It has a derivative if it is one
    vector: several may be turned into each other."""
    a = _matrix(A)
    m, n = a.shape
    limit = _EPS * max(m, n) if rcond is None else rcond
    found = library_value("right_vectors", a, (m, n), n * n)
    s = np.linalg.svdvals(stop_gradient(a))
    rank = int(np.sum(s > np.max(s, initial=0.0) * limit))
    still = found.reshape(n, n)[:, rank:]
    width = n - rank
    if width == 1:
        x = still - np.linalg.pinv(a, limit) @ (a @ still)
        x = x / np.sqrt(np.sum(x * x))
        return still + (x - stop_gradient(x))
    change = np.sum(a)
    return np.array([[unknown(v, change) for v in row] for row in still]).reshape(n, width)


def orthogonal_procrustes(A: Matrix, B: Matrix, check_finite: bool = True) -> Any:
    """Return the turn that maps one matrix best to another one, and the sum of the singular
    values."""
    a, b = _matrix(A), _matrix(B)
    if a.shape[0] != b.shape[0] or a.shape[1] != b.shape[1]:
        raise ValueError(f"the shapes of A and B differ ({a.shape} vs {b.shape})")
    u, s, vt = np.linalg.svd((b.T @ a).T, full_matrices=False)
    return u @ vt, np.sum(s)


def subspace_angles(A: Matrix, B: Matrix) -> Vector:
    """Return the angles between what the columns of two matrices span, the largest one first."""
    a, b = orth(A), orth(B)
    if a.shape[0] != b.shape[0]:
        raise ValueError("A and B must have the same number of rows")
    both = a.T @ b
    s = np.linalg.svdvals(both)
    if a.shape[1] >= b.shape[1]:
        rest = b - a @ both
    else:
        rest = a - b @ both.T
    low = np.linalg.svdvals(rest)[::-1]
    near = s * s >= 0.5
    sines = np.where(near, np.arcsin(np.where(near, np.minimum(low[: len(s)], 1.0), 0.0)), 0.0)
    cosines = np.arccos(np.where(near, 0.0, np.minimum(s, 1.0)))
    return np.where(near, sines, cosines)[::-1]


def solve_circulant(c: Vector, b: Array) -> Array:
    return np.linalg.solve(scipy.linalg.circulant(c), b)


def convolution_matrix(a: Vector, n: int, mode: str = "full") -> Matrix:
    """Return the matrix whose product with a vector is the convolution."""
    x = np.asarray(a)
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    if x.ndim != 1:
        raise ValueError("convolution_matrix expects a one-dimensional array as input")
    m = len(x)
    k = np.arange(n + m - 1)[:, None] - np.arange(n)
    whole = np.where((k >= 0) & (k < m), x[np.minimum(np.maximum(k, 0), m - 1)], 0.0)
    if mode == "full":
        return whole
    if mode == "same":
        cut = min(m, n) - 1
        first, last = cut // 2, (cut + 1) // 2
        return whole[first : len(whole) - last]
    if mode != "valid":
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    cut = min(m, n) - 1
    return whole[cut : len(whole) - cut]


def fiedler(a: Vector) -> Matrix:
    x = np.atleast_1d(a)
    return np.abs(x[:, None] - x)


def leslie(f: Vector, s: Vector) -> Matrix:
    """Return the matrix of a population of several ages."""
    births, rest = np.atleast_1d(f), np.atleast_1d(s)
    n = len(births)
    if len(rest) != n - 1:
        raise ValueError("Incorrect lengths for f and s. The length of s along the last axis must "
                         "be one less than the length of f.")  # fmt: skip
    whole = np.zeros((n, n))
    whole[0] = births
    for k in range(n - 1):
        whole[k + 1, k] = rest[k]
    return whole
