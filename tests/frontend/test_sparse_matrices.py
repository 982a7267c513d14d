"""Sparse matrices of SciPy: as constants, as arguments, made inside, and as results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import factorized, splu, spsolve

import pullback as pb
from tests.frontend import harness

RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(4, 5)) * (RNG.random((4, 5)) < 0.5)
X, Y, M = RNG.normal(size=5), RNG.normal(size=4), RNG.normal(size=(5, 2))
ROW, COL, VALUES = np.array([0, 1, 3, 1]), np.array([0, 2, 4, 2]), np.array([1.0, 2.0, 3.0, 4.0])
CLASSES = [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.dia_matrix, sp.dia_array]


def plain(x: Any) -> Any:
    """A result with arrays for sparse matrices, and their classes."""
    if sp.issparse(x):
        return type(x).__name__, x.shape, x.dtype.str, x.toarray()
    return tuple(map(plain, x)) if isinstance(x, tuple) else x


def agrees(f: Any, *args: Any) -> None:
    """The compiled function gives what Python gives, or raises the same."""
    try:
        wanted = plain(f(*args))
    except Exception as error:
        with pytest.raises(type(error)) as caught:
            pb.jit(f)(*args)
        assert str(caught.value) == str(error)
    else:
        harness.same(plain(pb.jit(f)(*args)), wanted)


def products(S: Any, x: Any, y: Any, m: Any) -> Any:
    return S @ x, y @ S, S.T @ y, S @ m, m.T @ S.T, S.dot(x), S.T.T @ x, x @ S.transpose()


def reads(S: Any, x: Any) -> Any:
    return (
        S.shape, S.ndim, S.format, S.toarray(), S.sum(), S.mean(), S.diagonal(), S.diagonal(1),
        S.diagonal(-2), S.trace(), S.dtype == np.float64, sp.issparse(S), sp.issparse(x),
    )  # fmt: skip


def arithmetic(S: Any, x: Any, y: Any) -> Any:
    return (
        (S * 2.0) @ x, (3.0 * S) @ x, (S / 4.0) @ x, (-S) @ x, (S + S.T.T) @ x, (S - 2.0 * S) @ x,
        S.multiply(x).toarray(), S.multiply(y[:, None]) @ x, S.multiply(x[None]).toarray(),
        S.tocsr() @ x, S.tocsc() @ x, S.tocoo() @ x, S.todia() @ x, S.asformat("csr") @ x,
        S.copy() @ x, S.multiply(2.0) @ x, S.conj() @ x,
    )  # fmt: skip


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_values(cls: Any) -> None:
    S = cls(DENSE)
    agrees(lambda x, y, m: products(S, x, y, m), X, Y, M)
    agrees(products, S, X, Y, M)
    agrees(reads, S, X)
    agrees(arithmetic, S, X, Y)
    agrees(lambda x: S @ x, X + 1j * X)
    agrees(lambda x: S @ x, np.arange(5))
    agrees(lambda x: S @ x, Y)
    agrees(lambda m: S @ m, M[:4])
    agrees(lambda x: (S.astype(np.float32) @ x).dtype == np.float64, X)
    if cls.__name__.endswith("array"):
        agrees(lambda x: ((S * x).toarray(), S.todense(), S.sum(axis=0), S.sum(axis=-1)), X)
        agrees(lambda x: S + S.toarray() * x, X)
        agrees(lambda x: (S.mean(axis=0), S.mean(axis=1)), X)
    else:
        agrees(lambda x, m: (S * x, S * m, S.get_shape(), S.getformat()), X, M)
    if cls not in (sp.dia_array, sp.dia_matrix):
        agrees(lambda S: (S.data, S.nnz, S.size, S.copy().data), S)
        agrees(lambda S: (S, S * 2.0, S.T), S)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32, np.bool_])
def test_other_types(dtype: Any) -> None:
    S = sp.csr_array((DENSE * 3).astype(dtype))
    for x in (X, X.astype(np.float32), np.arange(5), X > 0):
        agrees(lambda S, x: (S @ x, S.toarray()), S, x)
        if dtype is not np.float32:  # whose sums are rounded otherwise
            agrees(lambda S, x: (S.sum(), S.sum(axis=0), S.sum(axis=1)), S, x)


def test_arrays_of_the_formats() -> None:
    for S in (sp.csr_array(DENSE), sp.csc_matrix(DENSE)):
        agrees(lambda S: (S.data, S.indices, S.indptr, S.T.indices), S)
    agrees(lambda S: (S.data, S.row, S.col, S.T.row), sp.coo_array(DENSE))
    for made in (sp.csr_array((3, 0)), sp.csr_array((0, 3)), sp.csr_array((3, 2))):
        agrees(lambda S: (S @ np.ones(S.shape[1]), S.T @ np.ones(S.shape[0]), S.nnz), made)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_derivatives(method: str) -> None:
    S = sp.csr_matrix(DENSE)

    def f(x: Any, y: Any) -> Any:
        return np.sum(np.sin(S @ x) * y) + (y @ S) @ x**2 + np.sum(S.multiply(x).toarray() ** 2)

    slopes = pb.grad(f, (0, 1), method=method)(X, Y)
    h = 1e-6
    for k, v in enumerate((X, Y)):
        moved = [[X, Y], [X, Y]]
        for i in range(len(v)):
            moved[0][k], moved[1][k] = v + h * np.eye(len(v))[i], v - h * np.eye(len(v))[i]
            assert np.isclose((f(*moved[0]) - f(*moved[1])) / (2 * h), slopes[k][i], rtol=1e-6)
    assert np.allclose(pb.hessian(lambda x: np.sum((S @ x) ** 2))(X), 2 * (S.T @ S).toarray())
    out, tangent = pb.jvp(lambda x: S @ x, (X,), (X,))
    assert np.allclose(out, tangent) and np.allclose(pb.jacobian(lambda x: S @ x)(X), DENSE)


@pytest.mark.parametrize("cls", [sp.csr_array, sp.coo_matrix, sp.dia_array], ids=str)
@pytest.mark.parametrize("method", ["chad", "dual"])
def test_gradients_by_a_matrix(cls: Any, method: str) -> None:
    """They are matrices of its class, with entries where it has some."""

    def f(S: Any, x: Any) -> Any:
        return np.sum((S @ x) ** 2)

    S = cls(DENSE)
    there = DENSE != 0.0
    if S.format == "dia":  # it has zeros among its entries
        there = cls((np.ones_like(S.data), S.offsets), shape=S.shape).toarray() != 0.0
    wanted = 2.0 * np.outer(DENSE @ X, X) * there
    found = pb.grad(f, method=method)(S, X)
    assert type(found) is cls and np.allclose(found.toarray(), wanted)
    if cls.__name__.startswith("csr"):
        found.indices[:] = 0  # its arrays are its own
        assert np.array_equal(S.toarray(), DENSE)
        both = pb.grad(f, (0, 1), method=method)({"S": S}["S"], X)
        assert np.allclose(both[1], 2.0 * DENSE.T @ (DENSE @ X))
    assert np.isclose(pb.jvp(f, (S, X), (S, None))[1], 2.0 * f(S, X))


def made_inside(c: Any, n: int) -> Any:
    laplacian = sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n))
    return (sp.eye(n) - c * laplacian) @ np.arange(1.0 * n)


def test_matrices_made_inside() -> None:
    agrees(made_inside, 0.3, 6)
    pb.check_grads(lambda c: made_inside(c, 6), (0.3,))
    for cls in (sp.csr_array, sp.csc_matrix, sp.coo_matrix):
        agrees(lambda v, x: cls((v, (ROW, COL)), shape=(4, 5)) @ x, VALUES, X)
        agrees(lambda v, x: cls((v, (ROW, COL))).toarray(), VALUES, X)
        agrees(lambda v, x: cls((v, (ROW, COL)), shape=(3, 5)) @ x, VALUES, X)
        agrees(lambda v, x: cls((v[:2], (ROW, COL)), shape=(4, 5)) @ x, VALUES, X)
        agrees(lambda d, x: (cls(d) @ x, cls(cls(d)) @ x, cls((4, 5)) @ x), DENSE, X)
        pb.check_grads(lambda v, x: cls((v, (ROW, COL)), shape=(4, 5)) @ x, (VALUES, X))
        classes = sp.csr_array, sp.spmatrix, sp.sparray, cls
        agrees(lambda v: [isinstance(cls((v, (ROW, COL))), c) for c in classes], VALUES)
    S, C = sp.csr_array(DENSE), sp.csc_matrix(DENSE)
    agrees(lambda v: sp.csr_array((v, S.indices, S.indptr), shape=S.shape), S.data)
    agrees(lambda v: sp.csc_matrix((v, C.indices, C.indptr), shape=C.shape), C.data)
    agrees(lambda v: sp.csr_array((v, S.indices, S.indptr), shape=(3, 5)).toarray(), S.data)
    agrees(lambda v: sp.dia_array((v, np.array([0, -1])), shape=(4, 4)).toarray(), M.T @ np.eye(5))


def test_a_dense_array_has_derivatives_at_its_zeros() -> None:
    found = pb.grad(lambda d, x: np.sum(sp.csr_array(d) @ x))(DENSE, X)
    assert np.allclose(found, np.tile(X, (4, 1)))


def test_diagonals() -> None:
    agrees(lambda y: (sp.diags(y) @ y, sp.diags(y, 1).toarray(), sp.diags([y], [-1]).toarray()), Y)
    agrees(lambda y: sp.diags([y, y[1:]], [0, -1], format="csc") @ y, Y)
    agrees(lambda y: sp.diags_array([y, y[1:]], offsets=[0, 1]).toarray(), Y)
    agrees(lambda y: (sp.eye(4, k=1) @ y, sp.eye_array(4, 5, k=-1).T @ y, sp.identity(4) @ y), Y)
    agrees(lambda y: (sp.eye(2).format, sp.eye(2, format="csr").format, sp.diags(y).T.format), Y)
    agrees(lambda y: sp.diags([y, y[1:]], [0]) @ y, Y)
    agrees(lambda y: sp.diags([y, y[:2]], [0, 1]) @ y, Y)


class Model:
    def __init__(self, operator: Any) -> None:
        self.operator = operator

    def __call__(self, x: Any) -> Any:
        for _ in range(3):
            x = x + 0.1 * (self.operator.T @ (self.operator @ x))
        return x


def test_where_matrices_are() -> None:
    S = sp.csr_array(DENSE)
    model, held = Model(S), {"S": S, "k": 2}
    agrees(lambda x: model(x), X)
    agrees(lambda m, x: m(x), model, X)
    agrees(lambda x: held["S"] @ x * held["k"], X)
    agrees(lambda d, x: d["S"] @ x + d["several"][1] @ x, {"S": S, "several": [S, S]}, X)
    assert np.allclose(pb.vmap(lambda x: S @ x)(np.stack([X, 2 * X])), [S @ X, 2 * (S @ X)])

    def inside(S: Any, x: Any) -> Any:
        return np.sum(pb.grad(lambda z: np.sum((S @ z) ** 3))(x))

    assert np.isclose(pb.jit(inside)(S, X), inside(S, X))
    pb.check_grads(lambda x: inside(S, x), (X,))
    found = pb.jit(lambda S, x: pb.grad(lambda T: np.sum(T @ x))(S))(S, X)
    assert np.allclose(found.toarray(), np.tile(X, (4, 1)) * (DENSE != 0.0))


def test_a_matrix_is_read_anew() -> None:
    S = sp.csr_array(DENSE)
    f = pb.jit(lambda x: S @ x)
    first = f(X)
    S.data[:] *= 2.0
    assert np.allclose(f(X), 2.0 * first)
    S = sp.csr_array(np.eye(5))
    assert np.array_equal(f(X), X)


TWICE = sp.coo_array(([1.0, -2.0], ([0, 0], [0, 0])), shape=(4, 5))


def test_functions_of_entries_and_parts() -> None:
    for S in (sp.csr_array(DENSE), sp.csc_matrix(DENSE), sp.coo_array(DENSE)):
        agrees(lambda x: (S.power(2) @ x, S.sign() @ x, abs(S) @ x, S.arctan().toarray()), X)
        agrees(lambda x: (sp.tril(S) @ x, sp.triu(S, 1) @ x, sp.tril(S, -1, "csc") @ x), X)
    square = sp.csr_array(DENSE[:4, :4])
    agrees(lambda x: sp.kronsum(square, sp.eye_array(2)) @ x, RNG.normal(size=8))
    agrees(lambda y: (sp.spdiags([y, 2 * y], [-1, 1], 4, 4) @ y, sp.spdiags(y, 0, 4, 5) @ X), Y)
    with pytest.raises(NotImplementedError, match="entries at one place"):
        pb.jit(lambda x: abs(TWICE) @ x)(X)


def test_what_is_refused() -> None:
    S, W = sp.csr_array(DENSE), sp.coo_matrix(DENSE)
    for f, reason in [
        (lambda x: S[0] @ x, "a part of a sparse array with one axis"),
        (lambda x: (S + S).nnz, "nnz of a sparse matrix that was made of others"),
        (lambda x: W.todense(), "todense of a sparse matrix, an np.matrix"),
        (lambda x: W.sum(axis=0), "the sum along an axis of a sparse matrix, an np.matrix"),
        (lambda x: S + 1.0, "a number added to a sparse matrix"),
        (lambda x: W[0, 1], "coo_matrix cannot be indexed"),
        (lambda x: S.todia(), "data of a sparse matrix in the format dia"),
        (lambda x: sp.kron(S, S, "bsr") @ x, "a sparse matrix in blocks"),
        (lambda x: S.tolil() @ x, "tolil"),
    ]:
        with pytest.raises(pb.PullbackError, match=reason):
            pb.jit(f)(X)
    lists = S.tolil()
    with pytest.raises(pb.PullbackError, match="lil_array"):
        pb.jit(lambda x: lists @ x)(X)
    with pytest.raises(pb.PullbackError, match="a sparse array with 1 axes"):
        pb.jit(lambda S: S)(sp.coo_array(X))


SYSTEM = sp.csc_matrix(np.eye(5) * 3.0 + RNG.normal(size=(5, 5)) * (RNG.random((5, 5)) < 0.4))


PATTERN = SYSTEM.indices, SYSTEM.indptr


def of_entries(d: Any, b: Any) -> Any:
    return spsolve(sp.csc_matrix((d, SYSTEM.indices, SYSTEM.indptr), shape=(5, 5)), b)


def test_equations() -> None:
    agrees(lambda b: spsolve(SYSTEM, b), X)
    agrees(lambda b: spsolve(SYSTEM.tocsr(), b), M)
    agrees(lambda b: splu(SYSTEM).solve(b) + splu(SYSTEM).solve(b, "T"), M)
    agrees(lambda b: factorized(SYSTEM)(b), X)
    agrees(lambda b: spsolve(SYSTEM, b), Y)
    agrees(lambda b: spsolve(sp.csc_array(DENSE), b), Y)
    agrees(lambda b: splu(sp.csc_array(np.zeros((5, 5)))).solve(b), X)
    agrees(lambda b: splu(sp.csc_array(DENSE)).solve(b), X)
    agrees(lambda S, b: spsolve(S, b), sp.csc_array((0, 0)), X[:0])
    singular = sp.csc_array(np.zeros((5, 5)))
    assert np.all(np.isnan(pb.jit(lambda b: spsolve(singular, b))(X)))
    with pytest.raises(ValueError, match=r"give it b\[:, 0\]"):
        pb.jit(lambda b: spsolve(SYSTEM, b))(M[:, :1])
    agrees(lambda b: np.stack([spsolve(SYSTEM, c) for c in b.T]), M)


def test_derivatives_of_equations() -> None:
    for b in (X, M):
        pb.check_grads(lambda d, b: np.sum(np.sin(of_entries(d, b))), (SYSTEM.data, b))
    pb.check_grads(lambda d: np.sum(of_entries(d, X) ** 2), (SYSTEM.data,), order=2)
    pb.check_grads(
        lambda d: np.sum(np.sin(splu(sp.csc_matrix((d, *PATTERN))).solve(X, "T"))), (SYSTEM.data,)
    )
    inverse = np.linalg.inv(SYSTEM.toarray())
    assert np.allclose(pb.jacobian(lambda b: spsolve(SYSTEM, b))(X), inverse)
    assert np.allclose(pb.hessian(lambda b: np.sum(spsolve(SYSTEM, b) ** 2))(X),
                       2.0 * inverse.T @ inverse)  # fmt: skip
    assert pb.sparse_jacobian(lambda b: spsolve(SYSTEM, b))(X).shape == (5, 5)
    slopes = [pb.grad(lambda d, b: np.sum(np.sin(of_entries(d, b))), method=m)(SYSTEM.data, X)
              for m in ("chad", "dual")]  # fmt: skip
    assert np.allclose(*slopes)
    found = pb.grad(lambda S: np.sum(spsolve(S, X)))(SYSTEM)
    wanted = -np.outer(inverse.T @ np.ones(5), inverse @ X)
    assert np.allclose(found.toarray(), wanted * (SYSTEM.toarray() != 0.0))


def implicit_steps(u: Any, c: Any) -> Any:
    left = (sp.eye(5) - c * sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(5, 5))).tocsc()
    for _ in range(20):
        u = spsolve(left, u)
    return u


def test_steps_of_an_implicit_method() -> None:
    agrees(implicit_steps, X, 0.3)
    pb.check_grads(lambda u, c: np.sum(implicit_steps(u, c) ** 2), (X, 0.3))


def test_the_cost_is_that_of_the_entries() -> None:
    def f(S: Any, x: Any) -> Any:
        return np.sum((S @ x) ** 2)

    counts = []
    for n in (200, 400):
        S = sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n)).tocsr()
        counts.append((pb.cost(f, S, np.ones(n)), pb.cost(pb.grad(f, 1), S, np.ones(n))))
    for few, many in zip(*counts, strict=True):
        assert many < 2.1 * few
    assert counts[0][1] < 5 * counts[0][0]


PROGRAM = """
import sys
import numpy as np, scipy.sparse as sp, pullback as pb
from scipy.sparse.linalg import spsolve
S = sp.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
def f(T, x):
    return np.sum((S @ x) * (T @ x))
print(pb.grad(f, (0, 1))(S, np.array([1.0, 2.0])))
print(pb.jit(lambda T: T * 2.0)(S).toarray())
print(pb.grad(lambda x: spsolve(S.tocsc(), x).sum())(np.array([1.0, 2.0])))
print("pullback.frontend.specialise" in sys.modules)
"""


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    environment = {"PULLBACK_CACHE": str(tmp_path / "cache"), "PYTHONPATH": ":".join(sys.path)}
    first, second = (
        subprocess.run(
            [sys.executable, str(file)], env=environment, capture_output=True, text=True,
            check=True, timeout=300,
        ).stdout
        for _ in range(2)
    )
    assert first.endswith("True\n") and second == first.removesuffix("True\n") + "False\n"
