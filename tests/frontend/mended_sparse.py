"""What refusals of sparse matrices advise, followed."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu, spsolve

from pullback.errors import UnsupportedError
from tests.frontend.mended import X, mends

A = sp.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]]))
W = sp.csr_matrix(A)


def refused_kronecker(x):
    return sp.kron(A, A, format="bsr").toarray()[:3, :3] @ x


@mends(refused_kronecker, (X,), 'format="csr"', UnsupportedError)
def mended_kronecker(x):
    return sp.kron(A, A, format="csr").toarray()[:3, :3] @ x


def refused_row(x):
    return A[0].toarray() @ x


@mends(refused_row, (X,), "a slice has two: S[i : i + 1]", UnsupportedError)
def mended_row(x):
    return A[0:1].toarray()[0] @ x


def refused_index(x):
    return A[np.array([0, 2])].toarray() @ x


@mends(refused_index, (X,), "index S.toarray()", UnsupportedError)
def mended_index(x):
    return A.toarray()[np.array([0, 2])] @ x


def refused_number(x):
    return (A + 0.0).toarray() @ x


@mends(refused_number, (X,), "S.toarray() + x", UnsupportedError)
def mended_number(x):
    return (A.toarray() + 0.0) @ x


def refused_matrix(x):
    return np.asarray(W.todense()) @ x


@mends(refused_matrix, (X,), "of an array: sp.csr_array(S), and S.toarray()", UnsupportedError)
def mended_matrix(x):
    return sp.csr_array(W).toarray() @ x


def refused_quotient(x):
    return (A / x).sum()


@mends(refused_quotient, (X,), "S.multiply(1.0 / x)", UnsupportedError)
def mended_quotient(x):
    return A.multiply(1.0 / x).sum()


def refused_type_of_sum(x):
    return A.sum(dtype=np.float64) * x


@mends(refused_type_of_sum, (X,), "S.sum().astype(dtype)", UnsupportedError)
def mended_type_of_sum(x):
    return A.sum().astype(np.float64) * x


def refused_diagonals(x):
    return sp.diags(x).data.sum()


@mends(refused_diagonals, (X,), "S.tocsr(), made outside", UnsupportedError)
def mended_diagonals(x):
    return sp.csr_array((x, np.arange(3), np.arange(4)), shape=(3, 3)).data.sum()


def refused_vector(x):
    return sp.csr_array(x).sum()


@mends(refused_vector, (X,), "x[None, :]", UnsupportedError)
def mended_vector(x):
    return sp.csr_array(x[None, :]).sum()


def refused_shape(x):
    return sp.csr_array(x[None, :], shape=(1, 3)).sum()


@mends(refused_shape, (X,), "leave shape= away", UnsupportedError)
def mended_shape(x):
    return sp.csr_array(x[None, :]).sum()


FACTORS = splu(sp.csc_matrix(A))


def refused_factors(x):
    return FACTORS.solve(x)


@mends(refused_factors, (X,), "make it inside: splu(A).solve(b)", UnsupportedError)
def mended_factors(x):
    return splu(sp.csc_matrix(A)).solve(x)


def refused_dense_system(x):
    return spsolve(np.eye(3), x)


@mends(refused_dense_system, (X,), "np.linalg.solve(a, b)", UnsupportedError)
def mended_dense_system(x):
    return np.linalg.solve(np.eye(3), x)


def refused_sparse_side(x):
    return spsolve(A.tocsc(), sp.csc_array(np.eye(3))).toarray() @ x


@mends(refused_sparse_side, (X,), "spsolve(A, b.toarray())", UnsupportedError)
def mended_sparse_side(x):
    return spsolve(A.tocsc(), sp.csc_array(np.eye(3)).toarray()) @ x


def refused_complex_system(x):
    return spsolve(A.tocsc(), 1j * x).imag


@mends(refused_complex_system, (X,), "np.linalg.solve(A.toarray(), b)", UnsupportedError)
def mended_complex_system(x):
    return np.linalg.solve(A.toarray(), 1j * x).imag
