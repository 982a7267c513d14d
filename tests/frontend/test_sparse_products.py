"""Products, parts and blocks of sparse matrices whose entries are differentiated."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import pullback as pb
from tests import campaign

DENSE = np.array([[4.0, 1.0, 0.0], [0.0, 3.0, 1.0], [2.0, 0.0, 5.0]])
A, B = sp.csr_array(DENSE), sp.csc_array(DENSE.T)
ROWS, COLUMNS = np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 1, 0, 2, 2])
V = np.array([4.0, 1.0, 3.0, 2.0, 5.0, 0.7])


def made(v):
    """Two entries are at one place."""
    return sp.csr_array((v, (ROWS, COLUMNS)), shape=(3, 3))


def products(v):
    s = made(v)
    whole = (A @ s @ B).sum(axis=0) * s[2, 0] + s[-1, -1]
    return whole + (s.T @ s).toarray()[2] + s.multiply(A).sum(axis=1) + A.multiply(s).diagonal()


def parts(v):
    s = sp.csr_matrix((v, (ROWS, COLUMNS)), shape=(3, 3))
    column = s[:, 1].toarray()[:, 0] * s[0].toarray()[0]
    return np.concatenate((s[1:, -2:].toarray().ravel(), made(v)[:2] @ v[:3], column))


def blocks(v):
    s = made(v)
    a = sp.vstack((s, A)).toarray() @ v[:3]
    b = sp.hstack([s, A], format="csr") @ v
    c = sp.block_diag((s, np.array([[1.0, 2.0]]), A), format="csc").toarray().sum(axis=1)
    return np.concatenate((a, b, c, sp.kron(s, A, format="csr").toarray()[1]))


@pytest.mark.parametrize("f", campaign.part("surface", [products, parts, blocks], 3))
def test_values_and_derivatives(f):
    weights = np.cos(np.arange(len(f(V))) + 1.0)

    def loss(v):
        y = f(v)
        return np.sum(np.cos(np.arange(len(y)) + 1.0) * y)

    value, gradient = pb.value_and_grad(loss)(V)
    assert value == pytest.approx(loss(V), rel=1e-13)
    h, d = 1e-6, np.sin(np.arange(6.0) + 1.0)
    slope = weights @ (f(V + h * d) - f(V - h * d)) / (2.0 * h)
    assert gradient @ d == pytest.approx(slope, rel=1e-7)


def test_errors_are_those_of_scipy():
    for f in (lambda v: made(v)[5, 0], lambda v: (made(v) @ sp.csr_array(np.ones((2, 2)))).sum()):
        with pytest.raises((IndexError, ValueError)) as wanted:
            f(V)
        with pytest.raises(type(wanted.value)) as found:
            pb.jit(f)(V)
        assert str(found.value) == str(wanted.value)
