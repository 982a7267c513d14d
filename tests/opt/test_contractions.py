"""Products of large matrices are made by BLAS, however they are written."""

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.core.thresholds import LIMITS
from tests import campaign

RNG = np.random.default_rng(15)
A, B = RNG.normal(size=(20, 30)), RNG.normal(size=(30, 40))
assert A.size * B.shape[1] > LIMITS.product


def matmul(a, b):
    return np.sum(np.tanh(a @ b))


def transposes(a, b):
    return np.sum(np.tanh((b.T @ a.T).T))


def einsum(a, b):
    return np.sum(np.tanh(np.einsum("ik,kj->ij", a, b)))


def comprehensions(a, b):
    c = np.array([[np.dot(row, column) for column in b.T] for row in a])
    return np.sum(np.tanh(c))


def one_sum(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            total += np.tanh(s)
    return total


def generators(a, b):
    n, inner, m = a.shape[0], a.shape[1], b.shape[1]
    return sum(
        np.tanh(sum(b[k, j] * a[i, k] for k in range(inner))) for j in range(m) for i in range(n)
    )


def layers(a, b):
    h = np.tanh(a @ b)
    return np.sum((h @ (b.T * 0.5)) ** 2)


SPELLINGS = [matmul, transposes, einsum, comprehensions, one_sum, generators]


def gradients(a, b):
    c = np.tanh(a @ b)
    d = 1.0 - c * c
    return d @ b.T, a.T @ d


@pytest.mark.parametrize("f", campaign.part("values", SPELLINGS, 3), ids=lambda f: f.__name__)
def test_every_spelling_is_a_product(f) -> None:
    text = pb.show(pb.grad(f, argnums=(0, 1)), A, B)
    assert text.count("= product ") == 3
    for a, b in ((A, B), (A[:3], B), (A[:, :0], B[:0])):
        value, found = pb.value_and_grad(f, argnums=(0, 1))(a, b)
        assert np.allclose(value, np.sum(np.tanh(a @ b)), rtol=1e-12)
        for x, y in zip(found, gradients(a, b), strict=True):
            assert np.allclose(x, y, rtol=1e-12, atol=1e-12)


LAYOUTS = {
    "columns": (np.asfortranarray(A), np.asfortranarray(B)),
    "every other": (np.repeat(A, 2, axis=0)[::2], np.repeat(B, 3, axis=1)[:, ::3]),
    "backwards": (A[:, ::-1], B[::-1]),
    "a part": (np.pad(A, 2)[2:-2, 2:-2], np.pad(B.T, 1).T[1:-1, 1:-1]),
    "one row": (np.repeat(A[:1], 20, axis=0)[:1], np.tile(B, 30)),
    "broadcast": (np.broadcast_to(A[0], A.shape), np.broadcast_to(B[:, :1], B.shape)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_matrices_lie_anyhow(name: str) -> None:
    a, b = LAYOUTS[name]
    _, found = pb.value_and_grad(matmul, argnums=(0, 1))(a, b)
    for x, y in zip(found, gradients(a, b), strict=True):
        assert np.allclose(x, y, rtol=1e-12, atol=1e-12)


def test_the_evaluator_and_both_methods_agree() -> None:
    for f in (matmul, layers, one_sum):
        expected = driver.gradient(f, (A, B), (0, 1), "native", "dual")
        for tier, method in (("native", "chad"), ("eval", "chad"), ("eval", "dual")):
            value, found = driver.gradient(f, (A, B), (0, 1), tier, method)
            assert np.allclose(value, expected[0], rtol=1e-12)
            for x, y in zip(found, expected[1], strict=True):
                assert np.allclose(x, y, rtol=1e-11, atol=1e-11)


def test_derivatives_of_other_orders() -> None:
    v = RNG.normal(size=A.shape)
    _, tangent = pb.jvp(lambda a: layers(a, B), (A,), (v,))
    assert np.isclose(tangent, np.sum(pb.grad(layers)(A, B) * v), rtol=1e-11)
    second = pb.jvp(pb.grad(layers), (A, B), (v, None))[1]
    step = 1e-6
    g = pb.grad(layers)
    assert np.allclose(second, (g(A + step * v, B) - g(A - step * v, B)) / (2 * step), rtol=1e-4)


def test_a_pattern_sees_single_elements() -> None:
    w = RNG.normal(size=(40, 20))

    def f(x):
        return np.outer(x, np.ones(40)) @ w

    found = pb.sparse_jacobian(lambda x: f(x).ravel())(RNG.normal(size=40))
    dense = pb.jacobian(lambda x: f(x).ravel())(np.ones(40))
    assert found.nnz == 40 * 20
    assert np.allclose(found.toarray(), dense, rtol=1e-12)


def test_what_is_no_product_stays() -> None:
    def sums(a, b):
        return np.sum([np.dot(a[i], a[i]) for i in range(len(a))]) + np.sum(a[:, :1] * b[:1])

    assert "product" not in pb.show(sums, A, B)


def test_products_in_loops_branches_and_functions() -> None:
    def steps(a, n):
        for k in range(n):
            a = np.tanh(a @ a) if k % 2 == 0 else a @ a.T
        return np.sum(a)

    def deep(a, n):
        return np.sum(a) if n == 0 else deep(np.tanh(a @ a), n - 1)

    for f, count in ((steps, 2), (deep, 1)):
        square = RNG.normal(size=(30, 30)) * 0.1
        assert pb.show(f, square, 3).count("= product ") == count
        for a in (square, square[:5, :5]):
            assert np.isclose(pb.jit(f)(a, 3), f(a, 3), rtol=1e-12)


def attention(a, b):
    """Queries, keys and values are columns of one matrix."""
    scores = np.exp(a[:, :10] @ a[:, 10:20].T)
    return np.sum((scores @ a[:, 20:]) ** 2) + 0.0 * np.sum(b)


def heads(a, b):
    """The columns of each round are known when it runs."""
    total, h = 0.0, 0
    while h < b.shape[1] - 10:
        total += np.sum(np.sin(a @ b[:, h : h + 15])) * (h + 1)
        h += 8
    return total


def diagonals(a, b):
    """No product: the index of a column moves with that of the row."""
    return np.sum(np.array([[np.sum(a[i, :10] * b[j : j + 10, j]) for j in range(20)]
                            for i in range(len(a))]))  # fmt: skip


@pytest.mark.parametrize(
    ("f", "products"), [(attention, 6), (heads, 3), (diagonals, 0)]
)
def test_products_of_slices(f, products) -> None:
    assert pb.show(pb.grad(f, argnums=(0, 1)), A, B).count("= product ") == products
    for a, b in ((A, B), (A[:3], B), (A, B[:, :12]), (np.tile(A, (2, 1)), B)):
        if f is diagonals and b.shape[1] < 20:
            continue
        assert pb.jit(f)(a, b) == pytest.approx(f(a, b), rel=1e-12)
        pb.check_grads(f, (a, b))


def test_slices_without_elements() -> None:
    for a, b in ((A[:1], B), (A[:0], B), (A, B[:, :11]), (A, B[:, :0])):
        assert pb.jit(heads)(a, b) == pytest.approx(heads(a, b), rel=1e-12)
        pb.check_grads(heads, (a, b))


C, D = RNG.normal(size=(3, 20, 24)), RNG.normal(size=(3, 24, 30))
BATCHES = {
    "matmul": (lambda c, d: c @ d, C, D),
    "one factor": (lambda c, d: c @ d, C, D[0]),
    "the other": (lambda c, d: np.matmul(c[1], d), C, D),
    "heads": (lambda c, d: np.einsum("ihd,jhd->hij", c, d), C.swapaxes(0, 1), D.transpose(2, 0, 1)),
    "in the middle": (lambda c, d: np.einsum("hij,hjd->ihd", c, d), C, D),
    "two": (lambda c, d: np.einsum("abik,akj->abij", c, d), np.stack((C, -C), 1), D),
    "slices": (lambda c, d: c[:2, 1:, :20] @ d[1:, 4:, 2:], C, D),
    "itself": (lambda c, d: c @ c.transpose(0, 2, 1) + 0.0 * np.sum(d), C, D),
}


@pytest.mark.parametrize("name", campaign.part("values", [*BATCHES], 3))
def test_products_side_by_side(name: str, capsys) -> None:
    f, c, d = BATCHES[name]

    def loss(c, d):
        return np.sum(np.tanh(f(c, d)) ** 2)

    text = pb.show(pb.grad(loss, argnums=(0, 1)), c, d)
    assert text.count("= product ") == 3
    for x, y in ((c, d), (c[:0], d[:0])) if name in ("matmul", "itself") else ((c, d),):
        assert np.allclose(pb.jit(f)(x, y), f(x, y), rtol=1e-12, atol=1e-12)
        pb.check_grads(loss, (x, y))
    for of_one, of_other in zip(
        pb.grad(loss, argnums=(0, 1))(c, d), pb.grad(loss, argnums=(0, 1), method="dual")(c, d),
        strict=True,
    ):  # fmt: skip
        assert np.allclose(of_one, of_other, rtol=1e-10, atol=1e-12)


def test_the_directions_of_products_side_by_side() -> None:
    """As by hand: differences lose too many digits for some directions."""
    def loss(c):
        return np.sum(np.tanh(c @ D) ** 2)

    for v in RNG.normal(size=(3, *C.shape)):
        t = np.tanh(C @ D)
        second = (2.0 * (1.0 - t**2) * (1.0 - 3.0 * t**2) * (v @ D)) @ D.transpose(0, 2, 1)
        (found,) = pb.hvp(loss, (C,), (v,))
        assert np.allclose(found, second, rtol=1e-10, atol=1e-11)


def squares_of_scaled(x, means, factors):
    """Arrays of n, K, d numbers: of differences, and of what a small matrix makes of each."""
    centred = x[:, None, :] - means[None, :, :]
    scaled = np.einsum("kij,nkj->nki", factors, centred)
    return np.sum(np.exp(-0.01 * np.sum(scaled**2, axis=2)))


@pytest.mark.parametrize("d", (5, 30))
def test_stacks_of_small_matrices_are_one_loop(d: int) -> None:
    """What only the product reads, and what only reads it, stands in both arms."""
    args = RNG.normal(size=(700, d)), RNG.normal(size=(3, d)), 0.1 * RNG.normal(size=(3, d, d))
    text = pb.show(squares_of_scaled, *args)
    before, _, small = text.partition("= if ")
    assert "f64[:,:,:] =" not in before and "f64[:,:,:] =" not in small.split("    else\n")[1]
    assert pb.jit(squares_of_scaled)(*args) == pytest.approx(squares_of_scaled(*args), rel=1e-11)
    pb.check_grads(squares_of_scaled, args)
    one, other = (
        pb.grad(squares_of_scaled, argnums=(0, 1, 2), method=m)(*args) for m in ("chad", "dual")
    )
    for a, b in zip(one, other, strict=True):
        assert np.allclose(a, b, rtol=1e-9, atol=1e-12)
