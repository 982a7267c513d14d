"""Solvers of ``scipy.sparse.linalg`` that go step by step, as plain Python that the front end
compiles: SciPy's own solution (``solver_answers``), with the derivative of the equations. What a
method tells of its steps (how many, estimates of norms) has no derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from pullback.frontend.library import sparse_rows
from pullback.frontend.library.compiled_text import known as valued
from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.scipy_sparse_linalg import spsolve
from pullback.frontend.library.text.solver_answers import answered, packed
from pullback.frontend.library.text.sparse_matrices import Sparse
from pullback.frontend.library.text_helpers import known, unsupported


class _Operator:
    """What ``LinearOperator`` gives."""

    ndim = 2

    def __init__(self, shape: Any, matvec: Any, rmatvec: Any) -> None:
        self.shape = shape
        self._product = matvec
        self._turned = rmatvec

    def matvec(self, x: Any) -> Vector:
        return np.ravel(np.asarray(self._product(np.asarray(x))))

    def rmatvec(self, x: Any) -> Vector:
        if self._turned is None:
            raise NotImplementedError("rmatvec is not defined")
        return np.ravel(np.asarray(self._turned(np.asarray(x))))

    def matmat(self, x: Any) -> Matrix:
        return np.stack([self.matvec(c) for c in np.asarray(x).T], axis=1)

    def dot(self, x: Any) -> Any:
        given = np.asarray(x)
        return self.matvec(given) if given.ndim == 1 else self.matmat(given)

    def __matmul__(self, x: Any) -> Any:
        return self.dot(x)

    def __mul__(self, x: Any) -> Any:
        return self.dot(x)

    def __call__(self, x: Any) -> Any:
        return self.dot(x)


def LinearOperator(shape: Any, matvec: Any, rmatvec: Any = None, matmat: Any = None,
                   dtype: Any = None, rmatmat: Any = None) -> _Operator:  # fmt: skip
    return _Operator(shape, matvec, rmatvec)


def aslinearoperator(A: Any) -> Any:
    if isinstance(A, _Operator):
        return A
    matrix = A if isinstance(A, Sparse) else np.asarray(A)
    return _Operator(matrix.shape, lambda v: matrix @ v, lambda v: matrix.T @ v)


def _form(A: Any) -> str:
    return "asked" if isinstance(A, _Operator) else "entries" if isinstance(A, Sparse) else "dense"


def _told(A: Any) -> list[Vector]:
    """Return the numbers of a matrix."""
    rows, cols = A.shape
    numbers = [np.array([1.0 * rows, 1.0 * cols])]
    if isinstance(A, Sparse):
        numbers += [A._values, A._row, A._col]
    elif not isinstance(A, _Operator):
        numbers.append(A)
    return numbers


def _exact(A: Any, b: Vector) -> Vector:
    """Return the solution of equations, for its derivative."""
    if isinstance(A, Sparse):
        return sparse_rows.solve(A._values, A._row, A._col, b, 1, 0)
    return np.linalg.solve(A, b)


def _answer(A: Any, M: Any) -> Callable[[int, Vector], Vector]:
    def answer(kind: int, v: Vector) -> Vector:
        if kind == 3:
            return v if M is None else np.ravel(M @ v)
        if not isinstance(A, _Operator):
            return v
        if kind == 1 or A._turned is None:
            return A.matvec(v)
        return A.rmatvec(v)

    return answer


def _matrix(A: Any) -> Any:
    return A if isinstance(A, (Sparse, _Operator)) else np.asarray(A) * 1.0


def _solved(name: str, A: Any, b: Any, x0: Any, M: Any, callback: Any, names: Any,
            values: Any, shift: Any = None) -> tuple[Vector, int]:  # fmt: skip
    """Return the solution by a method, and how it ended."""
    if callback is not None:
        unsupported(f"{name} with callback", "leave it away")
    matrix, right = _matrix(A), np.ravel(np.asarray(b)) * 1.0
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={matrix.shape}")
    if matrix.shape[0] != len(right):
        raise ValueError(
            f"shapes of A {matrix.shape} and b {np.asarray(b).shape} are incompatible"
        )
    numbers = [*_told(matrix), right]
    if x0 is not None:
        numbers.append(np.asarray(x0) * 1.0)
    for v in values:
        numbers.append(v)
    words = described("iterative", name, _form(matrix), M is not None, x0 is not None, names)
    inside = None if M is None else _matrix(M)
    found = answered(words, constant(packed(numbers)), constant(_answer(matrix, inside)))
    x, ended = found[:-1], int(found[-1])
    near = 1e-3 * (1e-300 + np.max(np.abs(x)))
    if shift is not None:
        return root_of(lambda y: matrix @ y - shift * y - right, x, near), ended
    if isinstance(matrix, _Operator):
        return root_of(lambda y: matrix.matvec(y) - right, x, near), ended
    exact = _exact(matrix, right)
    if np.max(np.abs(exact - x)) > near:
        raise NotImplementedError(f"{name} has not come near a solution: it has no derivative")
    return valued(exact, x), ended


def _options(rtol: Any, atol: Any, maxiter: Any) -> tuple[Any, Any]:
    if maxiter is None:
        return ("rtol", "atol"), (rtol, atol)
    return ("rtol", "atol", "maxiter"), (rtol, atol, maxiter)


def cg(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0,
       maxiter: Any = None, M: Any = None, callback: Any = None) -> tuple[Vector, int]:  # fmt: skip
    return _solved("cg", A, b, x0, M, callback, *_options(rtol, atol, maxiter))


def bicg(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0,
         maxiter: Any = None, M: Any = None,
         callback: Any = None) -> tuple[Vector, int]:  # fmt: skip
    return _solved("bicg", A, b, x0, M, callback, *_options(rtol, atol, maxiter))


def bicgstab(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0,
             maxiter: Any = None, M: Any = None,
             callback: Any = None) -> tuple[Vector, int]:  # fmt: skip
    return _solved("bicgstab", A, b, x0, M, callback, *_options(rtol, atol, maxiter))


def cgs(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0,
        maxiter: Any = None, M: Any = None,
        callback: Any = None) -> tuple[Vector, int]:  # fmt: skip
    return _solved("cgs", A, b, x0, M, callback, *_options(rtol, atol, maxiter))


def tfqmr(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0,
          maxiter: Any = None, M: Any = None,
          callback: Any = None) -> tuple[Vector, int]:  # fmt: skip
    return _solved("tfqmr", A, b, x0, M, callback, *_options(rtol, atol, maxiter))


def gmres(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0,
          restart: Any = None, maxiter: Any = None, M: Any = None, callback: Any = None,
          callback_type: Any = None) -> tuple[Vector, int]:  # fmt: skip
    names, values = _options(rtol, atol, maxiter)
    if restart is not None:
        names, values = (*names, "restart"), (*values, restart)
    return _solved("gmres", A, b, x0, M, callback, names, values)


def lgmres(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0,
           maxiter: int = 1000, M: Any = None,
           callback: Any = None) -> tuple[Vector, int]:  # fmt: skip
    return _solved("lgmres", A, b, x0, M, callback, *_options(rtol, atol, maxiter))


def minres(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, shift: float = 0.0,
           maxiter: Any = None, M: Any = None,
           callback: Any = None) -> tuple[Vector, int]:  # fmt: skip
    names: Any = ("rtol", "shift")
    values: Any = (rtol, shift)
    if maxiter is not None:
        names, values = (*names, "maxiter"), (*values, maxiter)
    return _solved("minres", A, b, x0, M, callback, names, values, shift)


# --- least squares --------------------------------------------------------------------------------


def _least(name: str, A: Any, b: Any, damp: float, x0: Any, names: Any,
           values: Any) -> tuple[Vector, Vector, Vector]:  # fmt: skip
    """Return the solution, what is left, and what SciPy tells."""
    matrix, right = _matrix(A), np.ravel(np.asarray(b)) * 1.0
    if isinstance(matrix, _Operator):
        unsupported(f"{name} of a LinearOperator", "cg of the normal equations, or a matrix")
    if x0 is not None:
        unsupported(f"{name} with x0", "leave it away")
    rows, cols = matrix.shape
    if rows != len(right):
        raise ValueError(f"A and b do not fit: {matrix.shape} and {len(right)}")
    words = described("iterative", name, _form(matrix), False, False, names)
    given = constant(packed([*_told(matrix), right, *values]))
    found = answered(words, given, constant(_answer(matrix, None)))
    x = found[:cols]
    both = np.concatenate((right, np.zeros(cols)))
    if isinstance(matrix, Sparse):
        r, c, v = matrix._row, matrix._col, matrix._values
        i, j = np.arange(rows), np.arange(cols)
        entries = (
            np.concatenate((np.ones(rows), v, v, np.full(cols, -damp * damp))),
            np.concatenate((i, r, c + rows, j + rows)),
            np.concatenate((i, c + rows, r, j + rows)),
        )
        exact = sparse_rows.solve(*entries, both, 1, 0)[rows:]
    else:
        above = np.concatenate((np.eye(rows), matrix), axis=1)
        below = np.concatenate((matrix.T, -damp * damp * np.eye(cols)), axis=1)
        exact = np.linalg.solve(np.concatenate((above, below)), both)[rows:]
    if not np.max(np.abs(exact - x)) <= 1e-3 * (1e-300 + np.max(np.abs(x))):
        raise NotImplementedError(f"{name} has not come near the only solution: no derivative")
    y = valued(exact, x)
    return y, right - matrix @ y, found[cols:]


def lsqr(A: Any, b: Any, damp: float = 0.0, atol: float = 1e-6, btol: float = 1e-6,
         conlim: float = 1e8, iter_lim: Any = None, show: bool = False, calc_var: bool = False,
         x0: Any = None) -> Any:  # fmt: skip
    if show or calc_var or iter_lim is not None:
        unsupported("lsqr with show, calc_var or iter_lim", "leave them away")
    x, rest, told = _least("lsqr", A, b, damp, x0, ("damp", "atol", "btol", "conlim"),
                           (damp, atol, btol, conlim))  # fmt: skip
    size, left = np.sqrt(x @ x), np.sqrt(rest @ rest)
    return (x, int(told[0]), int(told[1]), left, np.sqrt(left**2 + (damp * size) ** 2), told[4],
            told[5], told[6], size, np.zeros(len(x)))  # fmt: skip


def lsmr(A: Any, b: Any, damp: float = 0.0, atol: float = 1e-6, btol: float = 1e-6,
         conlim: float = 1e8, maxiter: Any = None, show: bool = False,
         x0: Any = None) -> Any:  # fmt: skip
    if show or maxiter is not None:
        unsupported("lsmr with show or maxiter", "leave them away")
    x, rest, told = _least("lsmr", A, b, damp, x0, ("damp", "atol", "btol", "conlim"),
                           (damp, atol, btol, conlim))  # fmt: skip
    left = np.sqrt(rest @ rest + damp**2 * (x @ x))
    return x, int(told[0]), int(told[1]), left, told[3], told[4], told[5], np.sqrt(x @ x)


# --- eigenvalues ----------------------------------------------------------------------------------


def _extremes(name: str, A: Any, k: int, M: Any, sigma: Any, which: str, v0: Any, ncv: Any,
              maxiter: Any, tol: Any, vectors: bool = True) -> Vector:  # fmt: skip
    """Return the numbers that SciPy finds. Without the vectors the values have another order."""
    numbers: Any = [*_told(A), k]
    names: Any = ("tol",)
    values: Any = (tol,)
    if ncv is not None:
        names, values = (*names, "ncv"), (*values, ncv)
    if maxiter is not None:
        names, values = (*names, "maxiter"), (*values, maxiter)
    if sigma is not None:
        numbers.append(sigma)
    if v0 is not None:
        numbers.append(np.asarray(v0) * 1.0)
    if M is not None:
        numbers += _told(M)
    mass = None if M is None else _form(M)
    words = described("extreme", name, _form(A), which, sigma is not None, v0 is not None, mass,
                      vectors, names)  # fmt: skip
    return answered(words, constant(packed([*numbers, *values])), constant(_answer(A, None)))


def _mass(M: Any) -> Any:
    """Return the matrix on the right of generalized equations."""
    if isinstance(M, _Operator):
        unsupported("eigenvalues with M as a LinearOperator", "a matrix")
    return None if M is None else _matrix(M)


def eigsh(A: Any, k: int = 6, M: Any = None, sigma: Any = None, which: str = "LM", v0: Any = None,
          ncv: Any = None, maxiter: Any = None, tol: float = 0,
          return_eigenvectors: bool = True) -> Any:  # fmt: skip
    matrix, mass, count = _matrix(A), _mass(M), k
    n = matrix.shape[0]
    found = _extremes("eigsh", matrix, k, mass, sigma, which, v0, ncv, maxiter, tol)
    vectors = found[count:].reshape(n, count)
    values, columns = np.zeros(count), np.zeros((n, count))
    for i in range(count):

        def equations(z: Vector) -> Vector:
            v = z[:n]
            right = v if mass is None else mass @ v
            return np.append(matrix @ v - z[n] * right, 0.5 * (1.0 - v @ right))

        z = root_of(equations, np.append(vectors[:, i], found[i]))
        columns[:, i] = z[:n]
        values[i] = z[n]
    if return_eigenvectors:
        return values, columns
    alone = _extremes("eigsh", matrix, k, mass, sigma, which, v0, ncv, maxiter, tol, False)
    return values[np.argmin(np.abs(alone[:, None] - constant(values)), axis=1)]


def eigs(A: Any, k: int = 6, M: Any = None, sigma: Any = None, which: str = "LM", v0: Any = None,
         ncv: Any = None, maxiter: Any = None, tol: float = 0,
         return_eigenvectors: bool = True) -> Any:  # fmt: skip
    """A vector moves at right angles to itself: its phase is that of the iteration."""
    matrix, mass, count = _matrix(A), _mass(M), k
    if np.iscomplexobj(sigma):
        unsupported("eigs near a complex number", "a real sigma")
    n = matrix.shape[0]
    found = _extremes("eigs", matrix, k, mass, sigma, which, v0, ncv, maxiter, tol)
    x = found[2 * count : (n + 2) * count].reshape(n, count)
    y = found[(n + 2) * count :].reshape(n, count)
    real, imag, above, below = np.zeros(count), np.zeros(count), 0.0 * x, 0.0 * y
    for i in range(count):
        a, b = x[:, i], y[:, i]

        def equations(z: Vector, a: Vector = a, b: Vector = b) -> Vector:
            p, q, r, s = z[:n], z[n : 2 * n], z[2 * n], z[2 * n + 1]
            right, turned = (p, q) if mass is None else (mass @ p, mass @ q)
            first = matrix @ p - r * right + s * turned
            second = matrix @ q - r * turned - s * right
            size = 0.5 * (1.0 - p @ right - q @ turned)
            return np.concatenate((first, second, np.stack((size, a @ q - b @ p))))

        z = root_of(equations, np.concatenate((a, b, found[i : i + 1],
                                               found[count + i : count + i + 1])))  # fmt: skip
        above[:, i], below[:, i] = z[:n], z[n : 2 * n]
        real[i], imag[i] = z[2 * n], z[2 * n + 1]
    if return_eigenvectors:
        return real + 1j * imag, above + 1j * below
    alone = _extremes("eigs", matrix, k, mass, sigma, which, v0, ncv, maxiter, tol, False)
    first, second = alone[:count, None], alone[count:, None]
    apart = np.abs(first - constant(real)) + np.abs(np.abs(second) - np.abs(constant(imag)))
    chosen = np.argmin(apart, axis=1)
    sides = np.where(alone[count:] * constant(imag)[chosen] < 0.0, -1.0, 1.0)
    return real[chosen] + 1j * (sides * imag[chosen])


def svds(A: Any, k: int = 6, ncv: Any = None, tol: float = 0, which: str = "LM", v0: Any = None,
         maxiter: Any = None, return_singular_vectors: Any = True, solver: str = "arpack",
         rng: Any = None, options: Any = None) -> Any:  # fmt: skip
    if options is not None:
        unsupported("svds with options", "leave them away")
    if solver != "arpack" or isinstance(return_singular_vectors, str):
        unsupported("svds by another solver, or with vectors of one side", "leave it away")
    matrix = _matrix(A)
    if isinstance(matrix, _Operator):
        unsupported("svds of a LinearOperator", "a matrix")
    rows, cols = matrix.shape
    found = _extremes("svds", matrix, k, None, None, which, v0, ncv, maxiter, tol)
    left, right = found[: rows * k].reshape(rows, k), found[rows * k + k :].reshape(k, cols)
    s, u, v = np.zeros(k), np.zeros((rows, k)), np.zeros((k, cols))
    for i in range(k):

        def equations(z: Vector) -> Vector:
            a, b, size = z[:rows], z[rows:-1], z[-1]
            rest = np.concatenate((matrix @ b - size * a, matrix.T @ a - size * b))
            return np.append(rest, 0.5 * (1.0 - b @ b))

        start = np.concatenate((left[:, i], right[i], found[rows * k + i : rows * k + i + 1]))
        z = root_of(equations, start)
        u[:, i] = z[:rows]
        v[i] = z[rows:-1]
        s[i] = z[-1]
    return (u, s, v) if return_singular_vectors else s


# --- functions of matrices ------------------------------------------------------------------------


def _dense(A: Any) -> Matrix:
    return A.toarray() if isinstance(A, Sparse) else np.asarray(A)


def expm_multiply(A: Any, B: Any, start: Any = None, stop: Any = None, num: Any = None,
                  endpoint: Any = None, traceA: Any = None) -> Array:  # fmt: skip
    if isinstance(A, _Operator):
        unsupported("expm_multiply of a LinearOperator", "a matrix")
    if start is None and stop is None and num is None:
        return scipy.linalg.expm(_dense(A)) @ np.asarray(B)
    times = np.linspace(start, stop, num, True if endpoint is None else endpoint)
    return np.stack([scipy.linalg.expm(t * _dense(A)) @ np.asarray(B) for t in times])


def expm(A: Any) -> Any:
    if not isinstance(A, Sparse):
        return scipy.linalg.expm(np.asarray(A))
    return type(A)(scipy.linalg.expm(A.toarray()))


def inv(A: Any) -> Any:
    if not isinstance(A, Sparse):
        raise TypeError("Input must be a sparse matrix")
    return type(A)(np.linalg.inv(A.toarray()))


def norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    if not isinstance(x, Sparse):
        raise TypeError("input is not sparse. use numpy.linalg.norm")
    if axis is not None:
        return np.linalg.norm(x.toarray(), ord, axis)
    if ord is None or ord == "fro":
        return np.linalg.norm(x.toarray())
    if ord == 2 or ord == -2:
        raise NotImplementedError
    return np.linalg.norm(x.toarray(), ord)


def matrix_power(A: Any, power: int) -> Any:
    rows, cols = A.shape
    if rows != cols:
        raise TypeError("sparse matrix is not square")
    if known(power) < 1:
        unsupported("matrix_power by 0 or less", "eye_array")
    made = A
    for _ in range(known(power) - 1):
        made = made @ A
    return made


def spsolve_triangular(A: Any, b: Any, lower: bool = True, overwrite_A: bool = False,
                       overwrite_b: bool = False, unit_diagonal: bool = False) -> Any:  # fmt: skip
    if unit_diagonal:
        unsupported("spsolve_triangular with unit_diagonal", "set the diagonal to 1")
    if not isinstance(A, Sparse):
        unsupported("spsolve_triangular of an array", "scipy.linalg.solve_triangular")
    beyond = A._col > A._row if lower else A._col < A._row
    if np.any(beyond & (A._values != 0.0)):
        raise NotImplementedError("spsolve_triangular of a matrix that is not triangular")
    return spsolve(A, b)
