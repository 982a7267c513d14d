"""Real Schur and Hessenberg forms of ``scipy.linalg`` as plain Python that the front end compiles.

SciPy finds the Schur form. The equations that define it (A Z = Z T, Z orthogonal, T triangular but
for blocks of two rows with equal diagonals) give its derivative. Complex ones have a file of
their own (``complex_forms``); ``rsf2csf`` makes one of a real form, step by step. A Hessenberg form
comes from reflections (G. H. Golub and C. F. Van Loan, *Matrix Computations*, algorithm 7.4.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.complex_forms import complex_qz, complex_schur
from pullback.frontend.library.text.domains import Matrix
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import unsupported

_EPS = float(np.finfo(float).eps)


def _square(a: Any) -> Matrix:
    matrix = np.asarray(a)
    if matrix.ndim != 2:
        unsupported("a form of other than a matrix", "a comprehension over the matrices")
    if matrix.dtype == np.float32 or matrix.dtype == np.complex64:
        unsupported("this form in single precision", "convert it to float64")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError("expected square matrix")
    if not np.all(np.isfinite(matrix)):
        raise ValueError("array must not contain infs or NaNs")
    return matrix * 1.0


def _is_complex(output: str) -> bool:
    if output not in ("real", "complex", "r", "c"):
        raise ValueError("argument must be 'real', or 'complex'")
    return output in ("complex", "c")


def _pairs(corner: Matrix) -> Matrix:
    """Return where a block of two rows has its lower left corner."""
    n = corner.shape[0]
    return (np.arange(n)[:, None] == np.arange(n)[None] + 1) & (corner != 0.0)


def schur(a: Any, output: str = "real", lwork: None = None, overwrite_a: bool = False,
          sort: Any = None, check_finite: bool = True) -> Any:  # fmt: skip
    if sort is not None and not isinstance(sort, str):
        unsupported("schur with sort as a function", "one of 'lhp', 'rhp', 'iuc', 'ouc'")
    if _is_complex(output) or np.iscomplexobj(a):
        return complex_schur(_square(a), sort)
    matrix = _square(a)
    n = matrix.shape[0]
    found = told(described("schur", sort), constant(packed((matrix,))))
    z, t = found[: n * n].reshape(n, n), found[n * n : 2 * n * n].reshape(n, n)
    above, pairs = np.arange(n)[:, None] <= np.arange(n)[None], _pairs(t)

    def equations(both: Any) -> Any:
        z, t = both[: n * n].reshape(n, n), both[n * n :].reshape(n, n)
        corners = np.diag(t)
        apart = corners[None] - corners[:, None]
        shape = np.where(above, z.T @ z - np.eye(n), np.where(pairs, apart, t))
        return np.concatenate((np.ravel(matrix @ z - z @ t), np.ravel(shape)))

    both = root_of(equations, np.concatenate((np.ravel(z), np.ravel(t))))
    made = both[n * n :].reshape(n, n), both[: n * n].reshape(n, n)
    return made if sort is None else (*made, int(found[2 * n * n]))


def qz(A: Any, B: Any, output: str = "real", lwork: None = None, sort: Any = None,
       overwrite_a: bool = False, overwrite_b: bool = False,
       check_finite: bool = True) -> Any:  # fmt: skip
    if sort is not None:
        raise ValueError("The 'sort' input of qz() has to be None and will be removed in a future "
                         "release. Use ordqz instead.")  # fmt: skip
    if _is_complex(output) or np.iscomplexobj(A) or np.iscomplexobj(B):
        return complex_qz(*_both(A, B), None)
    first, second = _both(A, B)
    n = first.shape[0]
    found = told(described("qz"), constant(packed((first, second)))).reshape(4, n, n)
    return _real_qz(first, second, found)


def ordqz(A: Any, B: Any, sort: Any = "lhp", output: str = "real", overwrite_a: bool = False,
          overwrite_b: bool = False, check_finite: bool = True) -> Any:  # fmt: skip
    if not isinstance(sort, str):
        unsupported("ordqz with sort as a function", "one of 'lhp', 'rhp', 'iuc', 'ouc'")
    if sort not in ("lhp", "rhp", "iuc", "ouc"):
        raise ValueError('sort parameter must be None, a callable, or one of ("lhp","rhp","iuc",'
                         '"ouc")')  # fmt: skip
    if _is_complex(output) or np.iscomplexobj(A) or np.iscomplexobj(B):
        aa, bb, q, z = complex_qz(*_both(A, B), sort)
        return aa, bb, np.diag(aa), np.diag(bb), q, z
    first, second = _both(A, B)
    n = first.shape[0]
    found = told(described("ordqz", sort), constant(packed((first, second))))
    aa, bb, q, z = _real_qz(first, second, found[: 4 * n * n].reshape(4, n, n))
    if np.any(_pairs(aa)):
        raise NotImplementedError("ordqz with a pair of complex eigenvalues: output='complex'")
    return aa, bb, np.diag(aa) + 0j, np.diag(bb), q, z


def _both(A: Any, B: Any) -> tuple[Matrix, Matrix]:
    first, second = _square(A), _square(B)
    if second.shape[0] != first.shape[0]:
        raise ValueError("Array dimensions of A and B must match.")
    return first, second


def _real_qz(first: Matrix, second: Matrix, found: Any) -> Any:
    """Return the form of two matrices that SciPy has found, with its derivative."""
    n = first.shape[0]
    above, pairs = np.arange(n)[:, None] <= np.arange(n)[None], _pairs(found[0])

    def equations(every: Any) -> Any:
        a, b, q, z = every.reshape(4, n, n)
        return np.stack((
            first @ z - q @ a, second @ z - q @ b,
            np.where(above, q.T @ q - np.eye(n), np.where(pairs, b.T, a)),
            np.where(above, z.T @ z - np.eye(n), b),
        )).ravel()  # fmt: skip

    made = root_of(equations, np.ravel(found)).reshape(4, n, n)
    return made[0], made[1], made[2], made[3]


def rsf2csf(T: Any, Z: Any, check_finite: bool = True) -> Any:
    if np.iscomplexobj(T) or np.iscomplexobj(Z):
        unsupported("rsf2csf of complex matrices", "pass what schur gives")
    upper, side = np.asarray(T) + 0j, np.asarray(Z) + 0j
    if side.ndim != 2 or side.shape[0] != side.shape[1]:
        raise ValueError("Input 'Z' must be square.")
    if upper.ndim != 2 or upper.shape[0] != upper.shape[1]:
        raise ValueError("Input 'T' must be square.")
    if upper.shape[0] != side.shape[0]:
        raise ValueError(f"Input array shapes must match: Z: {side.shape} vs. T: {upper.shape}")
    for m in range(upper.shape[0] - 1, 0, -1):
        low = upper[m, m - 1]
        if np.abs(low) > _EPS * (np.abs(upper[m - 1, m - 1]) + np.abs(upper[m, m])):
            shift = np.linalg.eigvals(upper[m - 1 : m + 1, m - 1 : m + 1])[0] - upper[m, m]
            size = np.sqrt(np.abs(shift) ** 2 + np.abs(low) ** 2)
            c, s = shift / size, low / size
            turn = np.array([[np.conj(c), s], [-s, c]])
            back = np.conj(turn.T)
            upper[m - 1 : m + 1, m - 1 :] = turn @ upper[m - 1 : m + 1, m - 1 :]
            upper[: m + 1, m - 1 : m + 1] = upper[: m + 1, m - 1 : m + 1] @ back
            side[:, m - 1 : m + 1] = side[:, m - 1 : m + 1] @ back
        upper[m, m - 1] = 0.0
    return upper, side


def hessenberg(a: Any, calc_q: bool = False, overwrite_a: bool = False,
               check_finite: bool = True) -> Any:  # fmt: skip
    if np.iscomplexobj(a):
        unsupported("the Hessenberg form of a complex matrix", "np.linalg.eigvals")
    matrix = _square(a)
    n = matrix.shape[0]
    made, turned = matrix.copy(), np.eye(n)
    for k in range(n - 2):
        x = made[k + 1 :, k].copy()
        rest = x[1:] @ x[1:]
        if rest != 0.0:
            size = np.sqrt(x[0] * x[0] + rest)
            end = -size if x[0] >= 0.0 else size
            side = x / (x[0] - end)
            side[0] = 1.0
            by = (end - x[0]) / end
            made[k + 1 :] = made[k + 1 :] - by * np.outer(side, side @ made[k + 1 :])
            made[:, k + 1 :] = made[:, k + 1 :] - by * np.outer(made[:, k + 1 :] @ side, side)
            turned[:, k + 1 :] = turned[:, k + 1 :] - by * np.outer(turned[:, k + 1 :] @ side, side)
    upper = np.triu(made, -1)
    return (upper, turned) if calc_q else upper
