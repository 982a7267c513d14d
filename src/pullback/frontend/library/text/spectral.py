"""Eigenvalues, singular values and QR as plain Python (see ``compiled_text``).

The algorithms are iterations, or reflections whose derivatives would be wrong where a reflection is
left out. So the vectors are first computed as constants (``stop_gradient``), by LAPACK or by the
programs here; what remains, in the basis of these vectors, is a smooth function close to the
identity:

    eigh    b = v.T a v is nearly diagonal. Four steps of Ogita and Aishima (2018), each of which
            squares the error, diagonalise it: derivatives are exact up to the fifteenth, deeper
            than derivatives may be nested (``ad.nesting``).
    svd     the columns of a v are nearly orthogonal; they are made so by the steps for their Gram
            matrix.
    qr      c = a r^-1 is nearly orthonormal; the Cholesky factor of c.T c makes it so, exactly.

Where the derivative does not exist (equal eigenvalues, a singular value 0, dependent columns in qr)
the values are right, and results that depend on derivatives of these vectors become infinite or NaN
(``unknown``). The eigenvalues themselves are differentiated as if the vectors of equal ones stood
still.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.combinators import stop_gradient
from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.compiled_text import known, unknown
from pullback.frontend.library.text.linear_algebra import cholesky, solve_lower
from pullback.frontend.library.text.sorting import argsort

Matrix = Any
"""A NumPy array; mypy would demand casts that plain Python does not need."""
Vector = Any

CLOSE = 1e-12
"""Eigenvalues whose difference is smaller, relative to the largest, count as equal."""
MAX_SWEEPS = 60

# --- symmetric eigenvalues -----------------------------------------------------------------------


def jacobi(a: Matrix) -> tuple[Matrix, bool]:
    """Return the eigenvectors of a symmetric matrix, ascending by eigenvalue (cyclic Jacobi)."""
    n = a.shape[0]
    m = a.copy()
    v = np.eye(n, dtype=a.dtype)
    total = np.sum(m * m)
    sweeps = 0
    rotated = True
    while rotated and sweeps < MAX_SWEEPS:
        rotated = False
        sweeps += 1
        for p in range(n):
            for q in range(p + 1, n):
                x = m[p, q]
                if x * x > 1e-34 * total and abs(x) > 1e-17 * np.sqrt(abs(m[p, p] * m[q, q])):
                    rotated = True
                    theta = (m[q, q] - m[p, p]) / (2.0 * x)
                    t = np.copysign(1.0, theta) / (abs(theta) + np.hypot(theta, 1.0))
                    c = 1.0 / np.hypot(t, 1.0)
                    s = t * c
                    for k in range(n):
                        y, z = m[k, p], m[k, q]
                        m[k, p] = c * y - s * z
                        m[k, q] = s * y + c * z
                    for k in range(n):
                        y, z = m[p, k], m[q, k]
                        m[p, k] = c * y - s * z
                        m[q, k] = s * y + c * z
                        y, z = v[k, p], v[k, q]
                        v[k, p] = c * y - s * z
                        v[k, q] = s * y + c * z
    converged = not rotated and total - total == 0.0
    return v[:, argsort(np.diag(m))], converged


def eigenvectors(a: Matrix) -> tuple[Matrix, bool]:
    """Return the eigenvectors of a symmetric matrix, ascending by eigenvalue, and whether the
    iteration converged. LAPACK computes them; methods without LAPACK run this program."""
    return own_eigenvectors(a)


def own_eigenvectors(a: Matrix) -> tuple[Matrix, bool]:
    """Return the same without LAPACK, but with its signs."""
    v, converged = jacobi(a)
    return like_numpys(v, "numpys eigenvectors", a), converged


def like_numpys(x: Matrix, name: str, a: Matrix) -> Matrix:
    """Return vectors in columns with the signs that NumPy's vectors of this name have."""
    still = library_value(name, a, a.shape, x.shape[0] * x.shape[1]).reshape(x.shape)
    return np.where(np.sum(stop_gradient(x) * still, axis=0) < 0.0, -x, x)


def all_finite(v: Matrix) -> bool:
    """Whether LAPACK has succeeded: it leaves NaN where it has not."""
    return bool(np.all(np.isfinite(v)))


def goes_through(a: Matrix) -> bool:
    """Whether LAPACK gives NaN for a matrix that is not finite, instead of failing: it has an
    infinity, and no NaN."""
    return not bool(np.any(np.isnan(a)) or np.all(np.isfinite(a)))


def largest_of(x: Vector) -> float:
    """Return the largest of numbers that are not negative; 0 if there are none."""
    result = 0.0
    for i in range(x.shape[0]):
        result = max(result, x[i])
    return result


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return the product of two matrices that fit. It is BLAS's whatever their size: that is less
    code than what ``@`` becomes."""
    return a @ b


def equal_pairs(w: Vector, floor: float) -> Matrix:
    """Return which eigenvalues count as equal, pair by pair: by their difference relative to
    ``floor``."""
    gap = np.abs(w[:, None] - w[None, :])
    return gap <= CLOSE * floor


def diagonalise(b: Matrix, equal: Matrix) -> tuple[Vector, Matrix]:
    """Return the eigenvalues and eigenvectors of a nearly diagonal matrix: four steps from the
    identity.

    Vectors of equal eigenvalues are not rotated into each other."""
    n = b.shape[0]
    one = np.eye(n, dtype=b.dtype)
    d = np.diag(b)
    x = one + np.where(equal, 0.0, b / np.where(equal, 1.0, d[None, :] - d[:, None]))
    w = d
    for _ in range(3):
        r = one - product(x.T, x)
        s = product(x.T, product(b, x))
        w = np.diag(s) / (1.0 - np.diag(r))
        gap = np.where(equal, 1.0, w[None, :] - w[:, None])
        e = np.where(equal, 0.5 * r, (s + w[None, :] * r) / gap)
        x = x + product(x, e)
    return w, x


def without_derivative(x: Matrix, b: Matrix, equal: Matrix) -> Matrix:
    """Return x, without a derivative in those directions of b that rotate vectors of equal
    eigenvalues: there it does not exist."""
    n = x.shape[0]
    y = x.copy()
    for i in range(n):
        for j in range(n):
            if i != j and equal[i, j]:
                y[i, j] = unknown(x[i, j], b[i, j])
    return y


def symmetric(a: Matrix, lower: bool) -> Matrix:
    """Return the symmetric matrix with this triangle."""
    if lower:
        return np.tril(a) + np.tril(a, -1).T
    return np.triu(a) + np.triu(a, 1).T


def eigvalsh(a: Matrix, lower: bool) -> tuple[Vector, bool]:
    """Return the eigenvalues in ascending order; False if the iteration did not converge."""
    a = symmetric(a, lower)
    v, converged = eigenvectors(stop_gradient(a))
    b = product(v.T, product(a, v))
    d = np.diag(stop_gradient(b))
    w, _ = diagonalise(b, equal_pairs(d, largest_of(np.abs(d))))
    return w, converged or a.shape[0] <= 2 or goes_through(a)


def known_eigvalsh(a: Matrix, lower: bool) -> tuple[Vector, bool]:
    """Return the same, as LAPACK finds it without vectors: these are there for the derivative."""
    w = symmetric_values(stop_gradient(symmetric(a, lower)))
    x, _ = eigvalsh(a, lower)
    return known(x, w), all_finite(w) or a.shape[0] <= 2 or goes_through(a)


def symmetric_values(a: Matrix) -> Vector:
    """Return the eigenvalues of a symmetric matrix; NaN where there are none. LAPACK computes
    them."""
    return np.linalg.eigvalsh(a)


def eigh(a: Matrix, lower: bool) -> tuple[Vector, Matrix, bool]:
    """Return the eigenvalues and eigenvectors, and whether the iteration converged."""
    a = symmetric(a, lower)
    v, converged = eigenvectors(stop_gradient(a))
    b = product(v.T, product(a, v))
    d = np.diag(stop_gradient(b))
    equal = equal_pairs(d, largest_of(np.abs(d)))
    w, x = diagonalise(b, equal)
    found = converged or a.shape[0] <= 2 or goes_through(a)
    return known(w, d), known(product(v, without_derivative(x, b, equal)), v), found


# --- singular values -----------------------------------------------------------------------------


def one_sided_jacobi(a: Matrix) -> tuple[Matrix, bool]:
    """Return v such that the columns of a v are orthogonal, the longest first (Hestenes)."""
    rows, n = a.shape
    m = a.copy()
    v = np.eye(n, dtype=a.dtype)
    total = np.sum(m * m)
    sweeps = 0
    rotated = True
    while rotated and sweeps < MAX_SWEEPS:
        rotated = False
        sweeps += 1
        for p in range(n):
            for q in range(p + 1, n):
                x, y, z = 0.0, 0.0, 0.0
                for k in range(rows):
                    x = x + m[k, p] * m[k, p]
                    y = y + m[k, q] * m[k, q]
                    z = z + m[k, p] * m[k, q]
                if abs(z) > 1e-15 * np.sqrt(x * y) and abs(z) > 1e-36 * total:
                    rotated = True
                    theta = (y - x) / (2.0 * z)
                    t = np.copysign(1.0, theta) / (abs(theta) + np.hypot(theta, 1.0))
                    c = 1.0 / np.hypot(t, 1.0)
                    s = t * c
                    for k in range(rows):
                        y, z = m[k, p], m[k, q]
                        m[k, p] = c * y - s * z
                        m[k, q] = s * y + c * z
                    for k in range(n):
                        y, z = v[k, p], v[k, q]
                        v[k, p] = c * y - s * z
                        v[k, q] = s * y + c * z
    converged = not rotated and total - total == 0.0
    return v[:, argsort(-np.sum(m * m, axis=0))], converged


def right_vectors(a: Matrix) -> tuple[Matrix, bool]:
    """Return the right singular vectors in columns, that of the largest value first. LAPACK
    computes them; methods without LAPACK run this program."""
    return own_right_vectors(a)


def own_right_vectors(a: Matrix) -> tuple[Matrix, bool]:
    """Return the same without LAPACK, but with its signs."""
    v, converged = one_sided_jacobi(a)
    return like_numpys(v, "numpys right", a), converged


_ROUNDED = 1e-3
"""Columns whose product is larger than this, relative to the difference of their squares, are
nothing but rounding: they are as orthogonal as they get, and their values count as equal."""


def equal_columns(b: Matrix) -> Matrix:
    """Return which columns, pair by pair, have singular values that count as equal, by the
    absolute values of the items of their Gram matrix."""
    d = np.diag(b)
    pairs = np.maximum(np.maximum(d[:, None], d[None, :]), 1e-20 * largest_of(d))
    gap = np.abs(d[:, None] - d[None, :])
    return (gap <= CLOSE * pairs) | (b > _ROUNDED * gap)


def orthogonal_columns(a: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix, bool]:
    """Return (a v x, v, x, b, equal, converged): the columns of the first one are orthogonal, the
    longest first."""
    v, converged = right_vectors(stop_gradient(a))
    m = product(a, v)
    b = product(m.T, m)
    equal = equal_columns(np.abs(stop_gradient(b)))
    _, x = diagonalise(b, equal)
    return product(m, x), v, x, b, equal, converged


def lengths(m: Matrix) -> Vector:
    """Return the lengths of the columns."""
    n = m.shape[1]
    s = np.zeros(n, dtype=m.dtype)
    for j in range(n):
        s[j] = np.linalg.norm(m[:, j])
    return s


def singular_values(a: Matrix) -> tuple[Vector, bool]:
    """Return the singular values in descending order, and whether the iteration converged."""
    rows, n = a.shape
    if rows < n:
        a = a.T
    y, _, _, _, _, converged = orthogonal_columns(a)
    return lengths(y), converged or goes_through(a)


def known_singular_values(a: Matrix) -> tuple[Vector, bool]:
    """Return the same, as LAPACK finds it without vectors: these are there for the derivative."""
    s = _known_values(a) if a.shape[0] >= a.shape[1] else _known_values(a.T)
    return s, all_finite(stop_gradient(s)) or goes_through(a)


def _known_values(a: Matrix) -> Vector:
    return known(lengths(orthogonal_columns(a)[0]), tall_values(stop_gradient(a)))


def tall_values(a: Matrix) -> Vector:
    """Return the singular values of a tall matrix; NaN where there are none. LAPACK computes
    them."""
    return np.linalg.svd(a, compute_uv=False)


def svd(a: Matrix, full: bool) -> tuple[Matrix, Vector, Matrix, bool]:
    """Return (u, s, v.T, converged); ``full``: with orthonormal columns added until u and v are
    square."""
    rows, n = a.shape
    if rows < n:
        v, s, x, converged = svd_tall(a.T, full)
        u = like_numpys(x, "numpys left", a)
        for j in range(rows):
            if np.sum(stop_gradient(u[:, j] * x[:, j])) < 0.0:
                v[:, j] = -v[:, j]
    else:
        u, s, v, converged = svd_tall(a, full)
    return u, s, v.T, converged


def svd_tall(a: Matrix, full: bool) -> tuple[Matrix, Vector, Matrix, bool]:
    """Return (u, s, v, converged) of a matrix with at least as many rows as columns."""
    rows, n = a.shape
    _, v, x, b, equal, converged = orthogonal_columns(a)
    x = without_derivative(x, b, equal)
    v = product(v, x)
    m = product(a, v)
    s = lengths(m)
    width = rows if full else n
    u = np.zeros((rows, width), dtype=a.dtype)
    tiny = 1e-15 * max(rows, n) * largest_of(stop_gradient(s))
    for j in range(width):
        if j < n and not s[min(j, n - 1)] <= tiny:
            for i in range(rows):
                u[i, j] = m[i, j] / s[j]
        else:
            column = completed(stop_gradient(u), j)
            change = np.sum(a)
            for i in range(rows):
                u[i, j] = unknown(column[i], change)
    if n > 0 and 1e4 * s[n - 1] < s[0]:  # the quotients are not orthogonal to the last digits
        q, r = orthonormal(stop_gradient(u))
        u = known(u, q * np.where(np.diag(r) < 0.0, -1.0, 1.0))
    return u, s, v, converged or goes_through(a)


def completed(u: Matrix, count: int) -> Vector:
    """Return a unit vector that is orthogonal to the first ``count`` columns of u."""
    rows = u.shape[0]
    best = np.zeros(rows, dtype=u.dtype)
    longest = 0.0
    for k in range(rows):
        x = np.zeros(rows, dtype=u.dtype)
        x[k] = 1.0
        for _ in range(2):
            for j in range(count):
                dot = 0.0
                for i in range(rows):
                    dot = dot + u[i, j] * x[i]
                for i in range(rows):
                    x[i] = x[i] - dot * u[i, j]
        length = np.sqrt(np.sum(x * x))
        if length > longest:
            longest = length
            for i in range(rows):
                best[i] = x[i]
    return best / longest


# --- QR ------------------------------------------------------------------------------------------


def householder(a: Matrix) -> tuple[Matrix, Matrix]:
    """Return (q, r) of a tall matrix by reflections, with LAPACK's signs."""
    rows, n = a.shape
    r = a.copy()
    tau = np.zeros(n, dtype=a.dtype)
    for j in range(n):
        below = 0.0
        for i in range(j + 1, rows):
            below = below + r[i, j] * r[i, j]
        if below > 0.0:
            alpha = r[j, j]
            beta = -np.copysign(np.sqrt(alpha * alpha + below), alpha)
            tau[j] = (beta - alpha) / beta
            for i in range(j + 1, rows):
                r[i, j] = r[i, j] / (alpha - beta)
            r[j, j] = beta
            for k in range(j + 1, n):
                dot = r[j, k]
                for i in range(j + 1, rows):
                    dot = dot + r[i, j] * r[i, k]
                r[j, k] = r[j, k] - tau[j] * dot
                for i in range(j + 1, rows):
                    r[i, k] = r[i, k] - tau[j] * dot * r[i, j]
    q = np.zeros((rows, n), dtype=a.dtype)
    for k in range(n):
        q[k, k] = 1.0
        for back in range(n):
            j = n - 1 - back
            dot = q[j, k]
            for i in range(j + 1, rows):
                dot = dot + r[i, j] * q[i, k]
            q[j, k] = q[j, k] - tau[j] * dot
            for i in range(j + 1, rows):
                q[i, k] = q[i, k] - tau[j] * dot * r[i, j]
    return q, np.triu(r[:n])


def orthonormal(a: Matrix) -> tuple[Matrix, Matrix]:
    """Return (q, r) of a tall matrix. LAPACK computes them; methods without LAPACK run this
    program."""
    return householder(a)


def triangle(q: Matrix, a: Matrix) -> Matrix:
    """Return the r that belongs to q."""
    return np.triu(product(q.T, a))


def upper_factor(a: Matrix) -> Matrix:
    """Return r of a tall matrix. LAPACK computes it."""
    return np.linalg.qr(a, mode="r")


def known_r(a: Matrix) -> Matrix:
    """Return r as LAPACK finds it without q, which is there for the derivative."""
    if a.shape[0] < a.shape[1]:
        r = qr(a)[1]
    else:
        r = known(qr_tall(a)[1], upper_factor(stop_gradient(a)))
    return r


def qr(a: Matrix) -> tuple[Matrix, Matrix]:
    """Return (q, r)."""
    rows, n = a.shape
    if rows < n:
        q, _ = qr_tall(a[:, :rows])
        r = np.triu(product(q.T, a))
    else:
        q, r = qr_tall(a)
    return q, r


def qr_tall(a: Matrix) -> tuple[Matrix, Matrix]:
    """Return (q, r) of a matrix with independent columns; otherwise the derivative is unknown."""
    q, r = orthonormal(stop_gradient(a))
    return made_orthonormal(a, q, r)


def made_orthonormal(a: Matrix, q: Matrix, r: Matrix) -> tuple[Matrix, Matrix]:
    """Return q and r, which are known, with the derivatives that they have as those of a."""
    n = a.shape[1]
    largest, smallest = 0.0, np.inf
    for j in range(n):
        largest = max(largest, abs(r[j, j]))
        smallest = min(smallest, abs(r[j, j]))
    if smallest > 1e-14 * largest:
        c = below(r.T, a.T).T  # a r^-1, nearly orthonormal
        low = factor(product(c.T, c))
        near, upper = below(low, c.T).T, np.triu(product(low.T, r))
    else:
        change = np.sum(a)
        near = np.array([[unknown(x, change) for x in row] for row in q])
        upper = np.array([[unknown(x, change) for x in row] for row in r])
    return known(near, q), known(upper, r)


def below(m: Matrix, b: Matrix) -> Matrix:
    """Return x with L x = b, where L is the lower triangle of m."""
    return solve_lower(m, b, False)


def factor(a: Matrix) -> Matrix:
    """Return the lower Cholesky factor of a positive definite matrix."""
    return cholesky(a)[0]
