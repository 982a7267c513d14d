"""Solvers of ``scipy.sparse.linalg`` for texts of the library (``solver_calls``): of matrices whose
entries are known, and of operators, whose products compiled code is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.core.later import Later
from pullback.core.reverse_communication import Ask

_dense = Later("scipy.linalg")
_sparse = Later("scipy.sparse")
_solvers = Later("scipy.sparse.linalg")

PRODUCT, TURNED, CONDITIONED = 1, 2, 3
"""What is asked: a product with the matrix, with its transpose, with the preconditioner."""

LEAST = "lsqr", "lsmr"


def _operator(ask: Ask, form: str, given: Any) -> Any:
    """Return the matrix, or the operator."""
    rows, cols = map(int, given.vector())
    if form == "entries":
        values, row, col = given.vector(), given.vector(), given.vector()
        places = row.astype(int), col.astype(int)
        return _sparse.csr_matrix((values, places), shape=(rows, cols))
    if form == "dense":
        return given.vector().reshape(rows, cols)
    return _solvers.LinearOperator(
        (rows, cols), matvec=lambda v: ask(PRODUCT, v), rmatvec=lambda v: ask(TURNED, v),
        dtype=np.float64,
    )  # fmt: skip


def iterative(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the solution of equations, and what else the method tells."""
    name, form, conditioned, started, names = told
    matrix = _operator(ask, form, given)
    b = given.vector()
    more: dict[str, Any] = {"x0": given.vector()} if started else {}
    more |= given.options(names)
    if conditioned:
        more["M"] = _solvers.LinearOperator(
            (len(b), len(b)), matvec=lambda v: ask(CONDITIONED, v), dtype=np.float64
        )
    found = getattr(_solvers, name)(matrix, b, **more)
    if name in LEAST:
        return np.concatenate((found[0], [float(v) for v in found[1:8]]))
    return np.append(found[0], found[1])


def extreme(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return eigenvalues and eigenvectors, complex ones as their parts, or singular values and both
    sorts of vectors."""
    name, form, which, shifted, started, mass, vectors, names = told
    matrix = _operator(ask, form, given)
    count = int(given.number())
    more: dict[str, Any] = {"sigma": given.number()} if shifted else {}
    if started:
        more["v0"] = given.vector()
    if mass is not None:
        right = _operator(ask, mass, given)
        more["M"] = right.tocsc() if shifted and mass == "entries" else right
    if shifted and form == "entries":
        matrix = matrix.tocsc()
    more |= given.options(names)
    if not vectors:
        more["return_eigenvectors"] = False
    found = getattr(_solvers, name)(matrix, count, which=which, **more)
    found = found if vectors else (found,)
    parts = (np.real, np.imag) if name == "eigs" else (np.asarray,)
    return np.concatenate([np.ravel(part(x)) for x in found for part in parts])


def schur(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the orthogonal matrix, the triangular one, and how many eigenvalues come first."""
    reals = given.vector()
    n = round(len(reals) ** 0.5)
    found = _dense.schur(reals.reshape(n, n), sort=told[0])
    return np.concatenate((np.ravel(found[1]), np.ravel(found[0]), np.ravel(found[2:])))


def qz(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the two triangular matrices, and the orthogonal ones."""
    a, b = given.vector(), given.vector()
    n = round(len(a) ** 0.5)
    return np.concatenate([np.ravel(m) for m in _dense.qz(a.reshape(n, n), b.reshape(n, n))])


def ordqz(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the same with some eigenvalues first."""
    a, b = given.vector(), given.vector()
    n = round(len(a) ** 0.5)
    aa, bb, _, _, q, z = _dense.ordqz(a.reshape(n, n), b.reshape(n, n), told[0])
    return np.concatenate([np.ravel(m) for m in (aa, bb, q, z)])


def _complex(given: Any) -> Any:
    """Return the next matrix, which is given by its parts."""
    real, imag = given.vector(), given.vector()
    n = round(len(real) ** 0.5)
    return (real + 1j * imag).reshape(n, n)


def _in_parts(*found: Any) -> Any:
    return np.concatenate([np.ravel(part(m)) for m in found for part in (np.real, np.imag)])


def complex_schur(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the triangular matrix and the unitary one, and how many eigenvalues come first."""
    upper, side, *first = _dense.schur(_complex(given), "complex", sort=told[0])
    return np.concatenate((_in_parts(upper, side), np.ravel(first)))


def complex_qz(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the two triangular matrices and the unitary ones."""
    a, b = _complex(given), _complex(given)
    if told[0] is None:
        return _in_parts(*_dense.qz(a, b, "complex"))
    aa, bb, _, _, q, z = _dense.ordqz(a, b, told[0], "complex")
    return _in_parts(aa, bb, q, z)


__all__ = ["complex_qz", "complex_schur", "extreme", "iterative", "ordqz", "qz", "schur"]
