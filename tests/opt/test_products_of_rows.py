"""A row that each round makes, times a matrix: one product for all rounds, where it is large."""

import math

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.core.thresholds import LIMITS
from tests import campaign

RNG = np.random.default_rng(33)
X, V = RNG.normal(size=(30, 24)), RNG.normal(size=(24, 26)) * 0.3
assert X.size * V.shape[1] > LIMITS.product


def softmax_of_rows(x, v):
    total = 0.0
    for row in x:
        e = np.exp(row - np.max(row))
        total += np.sum((e / np.sum(e) @ v) ** 2)
    return total


def in_lists(x, v):
    total = 0.0
    for row in x:
        e = [math.exp(a - max(row)) for a in row]
        z = sum(e)
        p = [a / z for a in e]
        for c in range(v.shape[1]):
            total += sum(a * v[k, c] for k, a in enumerate(p)) ** 2
    return total


def rows_of_an_array(x, v):
    return np.sum(np.array([np.exp(-np.abs(row)) / (1.0 + row @ row) @ v for row in x]) ** 3)


def columns(x, v):
    total = 0.0
    for row in x:
        p = np.tanh(row) / (1.0 + np.sum(np.abs(row)))
        total += np.sum((v.T @ p) ** 2) * row[0]
    return total


def kept_beside(x, v):
    """The rest reads the row, a number and an index of the first part."""
    total = 0.0
    for row in x:
        k = np.argmax(row)
        p = np.exp(row - row[k])
        total += np.sum((p @ v) ** 2) * row[k] + k + np.sum(np.sin(p)) + np.dot(p, p)
    return total


def layers(x, v):
    """Two products of rows, one behind the other, and one that is no such product."""
    total = 0.0
    for row in x:
        h = np.maximum(row @ v, 0.0)
        g = np.sin(h @ v.T) + row
        total += np.sum(np.tanh(g @ v)) + np.dot(g, g)
    return total


def part_of_a_matrix(x, v):
    total = 0.0
    for row in x:
        total += np.sum((np.cos(row[2:]) / np.sum(row * row) @ v[2:, 1:]) ** 2)
    return total


PROGRAMS = {
    softmax_of_rows: 1, in_lists: 1, rows_of_an_array: 1, columns: 1, kept_beside: 1, layers: 3,
    part_of_a_matrix: 1,
}  # fmt: skip


@pytest.mark.parametrize("f", campaign.part("values", [*PROGRAMS], 3), ids=lambda f: f.__name__)
def test_a_row_of_a_round_times_a_matrix(f) -> None:
    assert pb.show(f, X, V).count("= product ") == PROGRAMS[f]
    for x, v in ((X, V), (X[:3], V), (X[:1, :4], V[:4, :5])):
        assert pb.jit(f)(x, v) == pytest.approx(f(x, v), rel=1e-12)
        pb.check_grads(f, (x, v))
        one, other = (pb.grad(f, argnums=(0, 1), method=m)(x, v) for m in ("chad", "dual"))
        for a, b in zip(one, other, strict=True):
            assert np.allclose(a, b, rtol=1e-10, atol=1e-12)


def test_the_evaluator_agrees() -> None:
    for f in (softmax_of_rows, kept_beside):
        expected = driver.gradient(f, (X, V), (0, 1), "native", "dual")
        for tier, method in (("native", "chad"), ("eval", "chad"), ("eval", "dual")):
            value, found = driver.gradient(f, (X, V), (0, 1), tier, method)
            assert np.allclose(value, expected[0], rtol=1e-12)
            for x, y in zip(found, expected[1], strict=True):
                assert np.allclose(x, y, rtol=1e-10, atol=1e-12)


def test_other_derivatives() -> None:
    u, w = RNG.normal(size=X.shape), RNG.normal(size=V.shape)
    for f in (softmax_of_rows, layers):
        slopes = pb.grad(f, argnums=(0, 1))(X, V)
        tangent = np.sum(slopes[0] * u) + np.sum(slopes[1] * w)
        assert np.isclose(pb.jvp(f, (X, V), (u, w))[1], tangent, rtol=1e-9)
        assert np.allclose(pb.vmap(f)(np.stack((X, -X)), np.stack((V, V))), [f(X, V), f(-X, V)])
        step, g = 1e-5, pb.grad(f)
        second = (g(X + step * u, V) - g(X - step * u, V)) / (2 * step)
        assert np.allclose(pb.hvp(f, (X, V), (u, 0.0 * w))[0], second, rtol=1e-4, atol=1e-6)


def test_no_rows_and_no_columns() -> None:
    for x, v in ((X[:0], V), (X, V[:, :0])):
        assert pb.jit(softmax_of_rows)(x, v) == softmax_of_rows(x, v)
        assert np.all(pb.grad(softmax_of_rows, argnums=(0, 1))(x, v)[1] == 0.0)


def logarithms(x, v):
    total = 0.0
    for row in x:
        z = math.log(row[0])
        p = [a / z for a in row]
        for c in range(v.shape[1]):
            total += sum(a * v[k, c] for k, a in enumerate(p)) ** 2
    return total


def roots(x, v):
    total = 0.0
    for row in x:
        z = math.log(row[0])
        p = [a / z for a in row]
        for c in range(v.shape[1]):
            total += math.sqrt(sum(a * v[k, c] for k, a in enumerate(p)))
    return total


def test_what_may_raise() -> None:
    """The first error stays the first: where both parts may raise, nothing is divided."""
    x, v = np.abs(X) + 2.0, np.abs(V)
    assert "= product " in pb.show(logarithms, x, v) and "= product " not in pb.show(roots, x, v)
    for f in (logarithms, roots):
        assert pb.jit(f)(x, v) == pytest.approx(f(x, v), rel=1e-12)
        for at in (0, 17):
            wrong = x.copy()
            wrong[at, 0] = -1.0
            wrong[5] *= -1.0
            with pytest.raises(ValueError) as theirs:
                f(wrong, v)
            with pytest.raises(ValueError) as ours:
                pb.jit(f)(wrong, v)
            assert str(ours.value) == str(theirs.value)


def test_what_is_no_such_product() -> None:
    def own_matrix(x, v):
        return sum(np.sum((np.exp(row) @ (v * row[0])) ** 2) for row in x)

    def also_the_column(x, v):
        return sum(
            sum(sum(np.exp(a * j) * v[k, j] for k, a in enumerate(row)) for j in range(v.shape[1]))
            for row in x
        )

    for f in (own_matrix, also_the_column):
        assert "= product " not in pb.show(f, X, V)
        assert pb.jit(f)(X, V) == pytest.approx(f(X, V), rel=1e-11)
