"""Linear algebra: value, gradient, tangent against NumPy, SciPy and finite differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg as sl

import pullback as pb
from tests import campaign, harness
from tests.frontend.numpy_cases import check_derivatives, check_value, tier_of


def weights(n: int) -> Any:
    return np.arange(1.0, 1 + n)


def solve(a, b):
    x = np.linalg.solve(a, b)
    return np.sum(x * np.arange(1.0, 1 + len(b))) + np.sum(sl.solve(a, b) ** 2)


def solve_matrix(a, b):
    return np.sum(np.linalg.solve(a, np.outer(b, b) + a) ** 2)


def inverse(a, b):
    return np.sum(np.linalg.inv(a) ** 2) + b @ sl.inv(a) @ b


def determinant(a, b):
    return np.linalg.det(a / (1 + len(b))) ** 2 + sl.det(a / (1 + len(b)))


def log_determinant(a, b):
    sign, size = np.linalg.slogdet(a)
    return 2.0 * sign + size * size + np.linalg.slogdet(a + a).logabsdet


def positive(a):
    return a @ a.T + np.eye(len(a))


def cholesky(a, b):
    upper = sl.cholesky(positive(a)) @ b
    return np.sum(np.linalg.cholesky(positive(a)) ** 3) + np.sum(upper**2)


def cholesky_solve(a, b):
    return np.sum(sl.cho_solve(sl.cho_factor(positive(a)), b) ** 2) + np.sum(
        sl.cho_solve(sl.cho_factor(positive(a), lower=True), a) ** 2
    )


def triangular(a, b):
    up = sl.solve_triangular(a, b)
    low = sl.solve_triangular(a, b, lower=True, trans=1)
    unit = sl.solve_triangular(a / 9.0, a, unit_diagonal=True)
    return np.sum(up**2) + np.sum(low**2) + np.sum(unit**2)


def eigenvalues(a, b):
    return np.sum(np.linalg.eigvalsh(a) ** 3 * np.arange(1.0, 1 + len(b)))


def eigenvectors(a, b):
    w, v = np.linalg.eigh(a)
    return np.sum(v**4 * np.arange(1.0, 1 + len(b))) + w @ b + np.sum((v.T @ b) ** 2 * w)


def singular_values(a, b):
    s = np.linalg.svd(a, compute_uv=False)
    return np.sum(s * np.arange(1.0, 1 + len(s))) + np.sum(np.linalg.norm(a, "nuc"))


def singular_vectors(a, b):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    k = np.arange(1.0, 1 + len(s))
    return np.sum(u**4 * k) + np.sum(vt.T**4 * k) + np.sum(s**2)


def orthogonal(a, b):
    q, r = np.linalg.qr(a)
    return np.sum(q**3 * np.arange(1.0, 1 + q.shape[1])) + np.sum(r**3)


def powers(a, b):
    a = a / (1 + len(b))
    return np.sum(np.linalg.matrix_power(a, 5)) + np.sum(np.linalg.matrix_power(a, -2))


SQUARE: list[Callable[..., Any]] = [
    solve, solve_matrix, inverse, determinant, log_determinant, cholesky, cholesky_solve,
    triangular, eigenvalues, eigenvectors, singular_values, singular_vectors, orthogonal, powers,
]  # fmt: skip
ANY_SHAPE = [singular_values, singular_vectors, orthogonal]
SIZES = [0, 1, 3]
OTHERS = [2, 8]


def matrix(n: int) -> Any:
    """Well-conditioned, not symmetric, with a determinant of either sign."""
    rng = np.random.default_rng(40 + n)
    return rng.normal(size=(n, n)) + (n + 1) * np.diag(rng.choice([-1.0, 1.0], n))


@pytest.mark.parametrize("f", campaign.part("agreement", SQUARE, 3), ids=lambda f: f.__name__)
def test_square(f: Callable[..., Any]) -> None:
    for n in [*SIZES, *campaign.rotated("agreement", f.__name__, OTHERS)]:
        args = (matrix(n), weights(n) / 3)
        if n == 0 and f in (cholesky_solve, singular_values, eigenvectors):
            continue  # SciPy or NumPy refuse the empty matrix in some of their versions
        check_value(f, args, 1e-9)
        check_derivatives(f, args)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (1, 2), (3, 1)])
def test_any_shape(shape: tuple[int, int]) -> None:
    a = np.random.default_rng(sum(shape)).normal(size=shape)
    for f in ANY_SHAPE:
        check_value(f, (a, weights(1)), 1e-9)
        check_derivatives(f, (a, weights(1)))


TWICE = campaign.part("agreement", [inverse, eigenvectors, orthogonal], 3, core=())


@pytest.mark.parametrize("f", TWICE, ids=lambda f: f.__name__)
def test_second_derivatives(f: Callable[..., Any]) -> None:
    a, b, h = matrix(3), weights(3) / 3, 1e-5
    d = np.random.default_rng(2).normal(size=(3, 3))
    g = pb.grad(f)
    found = harness.forward(g, (a, b), (d, 0 * b), tier_of(f))
    difference = (g(a + h * d, b) - g(a - h * d, b)) / (2 * h)
    np.testing.assert_allclose(found, difference, 1e-5, 1e-6)


# --- what may be out of the ordinary -------------------------------------------------------------


def inv(a):
    return np.linalg.inv(a)


def det(a):
    return np.linalg.det(a)


def full_svd(a):
    return np.linalg.svd(a)


def eigh(a):
    return np.linalg.eigh(a)


def sum_of_squares(a):
    return np.sum(np.linalg.eigvalsh(a) ** 2)


def one_vector(a):
    return np.linalg.eigh(a)[1][0, 1]


@pytest.mark.parametrize("tier", ["eval", "native"])
def test_errors(tier: str) -> None:
    for f, a, message in (
        (inv, np.zeros((2, 2)), "Singular matrix"),
        (inv, np.ones((2, 3)), "square"),
        (np_cholesky, -np.eye(2), "not positive definite"),
        (back, np.diag([1.0, 0.0]), "singular"),
        (eigh, np.full((3, 3), np.nan), "converge"),
        (full_svd, np.full((2, 2), np.nan), "converge"),
    ):
        with pytest.raises(np.linalg.LinAlgError, match=message):
            harness.run(f, (a,), tier)


def np_cholesky(a):
    return np.linalg.cholesky(a)


def back(a):
    return sl.solve_triangular(a, a)


SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 1.0, 1.0]])


def test_the_determinant_of_a_singular_matrix_has_a_derivative() -> None:
    value, gradient = pb.value_and_grad(det)(SINGULAR)
    assert value == 0.0
    np.testing.assert_allclose(gradient, [[-2, 4, -2], [1, -2, 1], [0, 0, 0]], atol=1e-14)
    np.testing.assert_allclose(pb.grad(det)(np.ones((3, 3))), np.zeros((3, 3)), atol=1e-14)
    assert pb.jit(lambda a: np.linalg.slogdet(a))(SINGULAR * 0) == (0.0, -np.inf)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4)])
@pytest.mark.parametrize("deficient", [False, True])
def test_full_singular_vectors(shape: tuple[int, int], deficient: bool) -> None:
    a = np.random.default_rng(3).normal(size=shape)
    if deficient:
        a[:, 1] = a[:, 0]
        a[1] = 0.0
    u, s, vt = pb.jit(full_svd)(a)
    k = len(s)
    np.testing.assert_allclose(u.T @ u, np.eye(shape[0]), atol=1e-14)
    np.testing.assert_allclose(vt @ vt.T, np.eye(shape[1]), atol=1e-14)
    np.testing.assert_allclose(u[:, :k] * s @ vt[:k], a, atol=1e-14)
    np.testing.assert_allclose(s, np.linalg.svd(a)[1], atol=1e-14)


def test_equal_eigenvalues() -> None:
    """Symmetric functions of them have derivatives; the vectors have none, and say so."""
    result = pb.jit(eigh)(np.diag([3.0, 1.0, 1.0]))
    np.testing.assert_allclose(result.eigenvalues, [1, 1, 3])
    np.testing.assert_allclose(np.abs(result.eigenvectors.sum(axis=0)), [1, 1, 1])
    np.testing.assert_allclose(pb.grad(sum_of_squares)(np.eye(3)), 2 * np.eye(3))
    assert not np.isfinite(pb.grad(one_vector)(np.eye(2))).all()


def test_one_triangle_is_read() -> None:
    a = positive(matrix(3))
    lower, upper = np.tril(a), np.triu(a)
    for f in (np_cholesky, lambda a: np.linalg.eigvalsh(a)):
        np.testing.assert_allclose(pb.jit(f)(lower), f(a), 1e-12)
    np.testing.assert_allclose(
        pb.jit(lambda a: np.linalg.eigvalsh(a, UPLO="U"))(upper), np.linalg.eigvalsh(a), 1e-12
    )


def test_element_types() -> None:
    assert pb.jit(inv)(np.eye(2, dtype=np.float32)).dtype == np.float32
    np.testing.assert_array_equal(pb.jit(inv)(np.array([[2, 1], [1, 1]])), [[1, -1], [-1, 2]])


def test_stacks_are_inverted_matrix_by_matrix() -> None:
    stack = np.arange(8.0).reshape(2, 2, 2) + 3.0 * np.eye(2)
    np.testing.assert_allclose(pb.jit(inv)(stack), np.linalg.inv(stack), 1e-12)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        pb.jit(inv)(np.zeros((2, 2, 2)))


def left_vectors(a):
    return np.linalg.svd(a, full_matrices=False)[0] @ weights(min(a.shape))


def right_vectors(a):
    return weights(min(a.shape)) @ np.linalg.svd(a, full_matrices=True)[2][: min(a.shape)]


def eigenvectors(a):
    return np.linalg.eigh(a[:3, :3] + a[:3, :3].T)[1] @ weights(3)


@pytest.mark.parametrize("f", [left_vectors, right_vectors, eigenvectors])
@pytest.mark.parametrize("method", ["chad", "dual"])
def test_vectors_have_numpys_signs(f: Callable[[Any], Any], method: str) -> None:
    loss = lambda a: np.sum(f(a)[:2])  # meant
    for seed, shape in enumerate(((3, 3), (5, 3), (3, 5), (4, 4))):
        a, d = np.random.default_rng(seed).normal(size=(2, *shape))
        value, gradient = pb.value_and_grad(loss, method=method)(a)
        np.testing.assert_allclose(value, loss(a), 1e-10)
        difference = (loss(a + 1e-6 * d) - loss(a - 1e-6 * d)) / 2e-6
        np.testing.assert_allclose(np.sum(gradient * d), difference, 1e-4, 1e-6)


def of_low_rank(rng: np.random.Generator) -> np.ndarray:
    rows, columns, rank = (int(k) for k in rng.integers((2, 2, 0), (9, 9, 4)))
    return rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))


def of_many_sizes(rng: np.random.Generator) -> np.ndarray:
    """Return a matrix whose singular values lie between 1 and 1e-18."""
    n = int(rng.integers(2, 8))
    q, w = (np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(2))
    return np.asarray(q * 10.0 ** -rng.uniform(0, 18, size=n) @ w)


def half_svd(a):
    return np.linalg.svd(a, full_matrices=False)


def values_squared(a):
    s = np.linalg.svd(a, full_matrices=False)[1]
    return np.sum(s[s > 1e-9] ** 2)


@pytest.mark.parametrize("make", [of_low_rank, of_many_sizes])
@pytest.mark.parametrize("by", [1.0, 1.0 + 0.5j])
def test_singular_vectors_of_matrices_without_inverse(
    make: Callable[[Any], np.ndarray], by: complex
) -> None:
    """Vectors of values that are nothing but rounding are orthonormal too, as LAPACK's are."""
    rng, compiled = np.random.default_rng(3), pb.jit(half_svd)
    for _ in range(40):
        a = by * make(rng)
        u, s, v = compiled(a)
        np.testing.assert_allclose(s, np.linalg.svd(a)[1], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(u * s @ v, a, atol=1e-13)
        for x in (u, v.T):
            np.testing.assert_allclose(x.T.conj() @ x, np.eye(x.shape[1]), atol=1e-12)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_derivatives_of_matrices_of_low_rank(method: str) -> None:
    rng, slope = np.random.default_rng(4), pb.grad(values_squared, method=method)
    for _ in range(20):
        a = of_low_rank(rng)
        np.testing.assert_allclose(slope(a), 2.0 * a, atol=1e-12)
