"""Solvers of ``scipy.sparse.linalg`` that go step by step, of matrices with differentiated entries
and of operators: values are SciPy's, derivatives of first and second order are differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from scipy.sparse import csgraph

import pullback as pb
from tests import campaign

DENSE = np.array([[8.0, 1.0, 0.3], [1.0, 6.0, 0.2], [0.3, 0.2, 10.0]])
ROWS, COLUMNS = np.array([0, 1, 2, 0, 1]), np.array([0, 1, 2, 1, 0])
X = np.array([0.7, 1.3, 0.4])
W = np.array([1.0, -0.4, 0.7])


def symmetric(x: Any) -> Any:
    values = np.concatenate((4.0 + x, np.stack((x[0], x[0])) / 2.0))
    return sp.csr_array((values, (ROWS, COLUMNS)), shape=(3, 3))


def by_gradients(x: Any) -> Any:
    y, ended = sl.cg(symmetric(x), x, rtol=1e-13, M=sp.diags_array(np.full(3, 0.2)))
    return W @ (y + ended)


def by_residuals(x: Any) -> Any:
    dense = sl.gmres(DENSE + np.outer(x, x), x, rtol=1e-13)[0]
    return W @ (dense + sl.bicgstab(symmetric(x), x, x0=0.1 * x, rtol=1e-13)[0])


def by_shifts(x: Any) -> Any:
    return W @ sl.minres(symmetric(x), x, rtol=1e-14, shift=0.5)[0]


def of_operators(x: Any) -> Any:
    a = sl.LinearOperator((3, 3), matvec=lambda v: DENSE @ v + x[0] * v)
    return W @ (sl.cg(a, x, rtol=1e-13)[0] + a @ x + sl.aslinearoperator(DENSE).rmatvec(x))


def least_squares(x: Any) -> Any:
    y = sl.lsqr(symmetric(x), x, damp=0.5, atol=1e-14, btol=1e-14)
    z = sl.lsmr(sp.csr_array(DENSE[:, :2] + x[0]), x, atol=1e-14, btol=1e-14)
    return W @ y[0] + y[3] + z[0] @ W[:2] + z[3]


def eigenvalues(x: Any) -> Any:
    w, v = sl.eigsh(symmetric(x), k=2, which="SA")
    return w @ W[:2] + np.abs(v[:, 0]) @ W + sl.svds(DENSE + np.outer(x, x), 1)[1][0]


def others(x: Any) -> Any:
    turned = DENSE + np.outer(x, x[::-1]) * np.array([[0, 9, 0], [-9.0, 0, 0], [0, 0, 0]])
    v, mass = np.ones(3), sp.csc_array(np.diag(1.0 + x))
    plain = sl.eigsh(symmetric(x), k=2, v0=v, return_eigenvectors=False) @ W[:2]
    w, y = sl.eigs(turned, 1, v0=v)
    near = sl.eigsh(symmetric(x), 1, mass, sigma=0.1, v0=v, ncv=3)[0][0]
    alone = np.imag(sl.eigs(turned, 1, v0=v, return_eigenvectors=False)[0])
    return plain + near + np.abs(w[0]) + np.abs(y[:, 0]) @ W + alone


def graphs(x: Any) -> Any:
    both = csgraph.laplacian(symmetric(x), True, True, symmetrized=True)
    return W @ (csgraph.laplacian(symmetric(x), use_out_degree=True) @ x + both[0] @ x + both[1])


def functions(x: Any) -> Any:
    s = symmetric(x)
    made = sl.expm_multiply(0.1 * s, x) + sl.matrix_power(s, 2) @ x + sl.inv(s).toarray()[0]
    return W @ (made + sl.spsolve_triangular(sp.csr_array(np.tril(DENSE)), x)) + sl.norm(s)


ALL = [by_gradients, by_residuals, by_shifts, of_operators, least_squares, eigenvalues, functions,
       others, graphs]  # fmt: skip


@pytest.mark.parametrize("f", campaign.part("lines", ALL, 4))
def test_values_and_derivatives(f: Any) -> None:
    value, slope = pb.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-9)
    steps = 1e-5 * np.eye(3)
    wanted = [(f(X + h) - f(X - h)) / 2e-5 for h in steps]
    np.testing.assert_allclose(slope, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("f", campaign.part("lines", ALL, 4, core=()))
def test_second_derivatives_and_the_other_method(f: Any) -> None:
    slope = pb.grad(f)
    np.testing.assert_allclose(pb.grad(f, method="dual")(X), slope(X), rtol=1e-9)
    _, bent = pb.jvp(slope, (X,), (W,))
    wanted = (slope(X + 1e-5 * W) - slope(X - 1e-5 * W)) / 2e-5
    np.testing.assert_allclose(bent, wanted, rtol=1e-5, atol=1e-6)


def test_what_has_not_come_near_is_an_error() -> None:
    with pytest.raises(NotImplementedError, match="has not come near a solution"):
        pb.jit(lambda x: sl.cg(symmetric(x), x, maxiter=1)[0])(X)
