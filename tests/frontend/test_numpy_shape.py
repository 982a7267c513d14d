"""Making, indexing, updating, reshaping and joining arrays against NumPy."""

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.frontend.numpy_oracle import agree, evaluated

RNG = np.random.default_rng(9)
X = RNG.normal(size=7)
M = RNG.normal(size=(4, 6))
T = RNG.normal(size=(2, 3, 4))
K = RNG.integers(-5, 5, size=(4, 6))
F32 = M.astype(np.float32)
EMPTY = np.zeros(0)


def slices(x: Any, a: int, b: int) -> Any:
    return (
        x[a:b], x[a:], x[:b], x[:], x[a:-1], x[-3:], x[::2], x[1::3], x[::-1], x[5:1:-2],
        x[a:b:2], x[b:a:-1], x[-100:100], x[100:], x[:-100], x[-1:0:-1],
    )  # fmt: skip


@pytest.mark.parametrize("bounds", [(1, 4), (0, 7), (-3, -1), (5, 2), (3, 100), (-100, 3)])
def test_slices(bounds: tuple[int, int]) -> None:
    agree(slices, X, *bounds)
    agree(slices, EMPTY, *bounds)


def test_elements() -> None:
    agree(lambda x, i: (x[i], x[-1], x[0], x[i - 7]), X, 3)
    agree(lambda m, i: (m[i], m[i, -1], m[-1][i], m[:, i], m[..., i], m[i, ...]), M, 2)
    agree(lambda t, i: (t[1, i], t[:, i, 1:3], t[1, ..., i], t[0, :, -1], t[:, :, ::2]), T, 2)
    agree(lambda x: (x[:, None], x[None], x[None, :, None], x[..., None]), X)
    agree(lambda m: (m[None, 1], m[:, None, 2], m[1:3, None, ::2]), M)
    agree(lambda k, i: (k[i], k[i, 2], k[1:, i]), K, 1)


@pytest.mark.parametrize("i", [7, -8, 100])
def test_out_of_range(i: int) -> None:
    agree(lambda x, i: x[i], X, i)
    agree(lambda m, i: m[i], M, i)
    agree(lambda m, i: m[:, i], M, i)
    agree(lambda x, idx: x[idx], X, np.array([0, i]))


def test_index_arrays() -> None:
    idx, two = np.array([3, 0, -1, 3]), np.array([[0, 1], [2, -3]])
    agree(lambda x, i: x[i], X, idx)
    agree(lambda x, i: x[i], X, two)
    agree(lambda m, i: (m[i], m[:, i], m[i, 1], m[2, i]), M, idx)
    agree(lambda m, i, j: (m[i, j], m[i[:, None], j]), M, idx, np.array([0, 1, 2, 5]))
    agree(lambda t, i: (t[:, i % 3], t[..., i % 3]), T, two)
    agree(lambda x: x[[0, 2, 1]], X)
    agree(lambda t, i: (t[i, :, i], t[0, :, i], t[i, 1:, 2], t[i, None, 2 * i]), T, two % 2)
    agree(lambda t, i: (t[None, i, :, i], t[:, i, None, i], t[i, ..., -i]), T, idx % 2)


def apart(t: Any, i: Any) -> Any:
    t = t.copy()
    t[i, ::2, i[::-1]] += np.arange(4.0).reshape(2, 2)
    t[0, :, i] = t[1, :, i] * 3.0
    return t


def test_index_arrays_with_slices_between_them() -> None:
    agree(apart, T, np.array([0, 1]))


def test_attributes() -> None:
    agree(lambda m: (m.shape, m.ndim, m.size, m.T, len(m), m.T.shape), M)
    agree(lambda x: (x.shape[0] * 2, x.T, x.size / 2), X)
    agree(lambda x: (x[0].ndim, x.dtype == np.float64, x[1].shape == ()), X)


def test_creation() -> None:
    agree(lambda n: (np.zeros(n), np.ones((n, 2)), np.full(n, 2.5), np.full((2, n), 3)), 3)
    agree(lambda n: (np.zeros(n, dtype=int), np.ones(n, np.float32), np.zeros((n, 0))), 3)
    agree(lambda n: (np.arange(n), np.arange(1, n), np.arange(n, 0, -2), np.arange(n) * 0.5), 5)
    agree(lambda n: (np.arange(0.0, 1.0, 0.3), np.arange(n, dtype=float), np.arange(2.5)), 5)
    agree(lambda n: (np.linspace(0.0, 1.0, n), np.linspace(1, 5, n, endpoint=False)), 7)
    agree(lambda n: (np.linspace(0.0, 1.0, 1), np.linspace(3.0, 1.0)), 7)
    agree(lambda n: (np.eye(n), np.eye(n, 4, 1), np.identity(n)), 3)
    agree(lambda m: (np.zeros_like(m), np.ones_like(m), np.full_like(m, 2)), F32)
    agree(lambda m: (np.zeros_like(m), np.full_like(m, 2.7)), K)
    agree(lambda x, y: np.meshgrid(x, y), X[:3], X[:2])
    agree(lambda x, y: np.meshgrid(x, y, indexing="ij"), X[:3], X[:2])
    agree(lambda n: np.zeros(n), -1)


def test_from_lists() -> None:
    agree(lambda a, b: (np.array([a, b, 1.0]), np.array([[a, b], [b, a]])), 1.5, -2.0)
    agree(lambda a: (np.array([1, 2, 3]), np.array([1, 2.5]), np.array([True, False])), 1.0)
    agree(lambda x: (np.array([x, 2 * x]), np.array([x[:3], x[3:6]])), X)
    agree(lambda x: np.array([v * v for v in x]), X)
    agree(lambda x: np.array([[x[i] * x[j] for j in range(3)] for i in range(4)]), X)
    agree(lambda x: np.array([x * i for i in range(3)]), X)
    agree(lambda x: np.array([[x * i + j for j in range(2)] for i in range(3)]), X)
    agree(lambda n: np.array([i * i for i in range(n)]), 4)
    agree(lambda x: np.array([(v, 2 * v) for v in x]), X)
    agree(lambda x: np.array([1.0 for v in x]), X)
    agree(lambda x: (np.array(x), np.asarray(x), np.array(x, dtype=np.float32), np.copy(x)), X)
    agree(lambda x: np.array([v for v in x if v > 0]), X)


def test_reshape() -> None:
    agree(lambda m: (m.reshape(6, 4), m.reshape((2, 12)), m.reshape(-1), m.reshape(-1, 3)), M)
    agree(lambda m: (np.reshape(m, (3, 8)), m.T.reshape(4, 6), m[:, ::2].reshape(2, 6)), M)
    agree(lambda m: (m.ravel(), m.T.ravel(), m.flatten(), np.ravel(m)), M)
    agree(lambda m: m.reshape(5, 5), M)
    agree(lambda m: m.reshape(-1, 5), M)


def test_axes() -> None:
    agree(lambda t: (t.T, np.transpose(t, (1, 0, 2)), t.transpose(2, 0, 1), t.swapaxes(0, 2)), T)
    agree(lambda t: (np.moveaxis(t, 0, -1), np.swapaxes(t, -1, 1), np.expand_dims(t, 1)), T)
    agree(lambda m: (np.squeeze(m[None], axis=0), np.expand_dims(m, (0, -1))), M)
    agree(lambda x: (np.broadcast_to(x, (3, 7)), np.atleast_2d(x), np.atleast_1d(2.0)), X)


def test_joining() -> None:
    agree(lambda m, k: np.concatenate([m, k]), M, K)
    agree(lambda m: (np.concatenate((m, m[:, :2]), axis=1), np.concatenate([m, m], None)), M)
    agree(lambda x: (np.stack([x, x + 1]), np.stack((x, x), axis=1), np.stack([x, x], -1)), X)
    agree(lambda x: (np.hstack([x, x]), np.vstack([x, x]), np.column_stack([x, x])), X)
    agree(lambda m, x: (np.hstack([m, m]), np.vstack([m, x])), M, RNG.normal(size=6))
    agree(lambda m, x: np.column_stack([m, x]), M, RNG.normal(size=4))
    agree(lambda x: (np.append(x, 1.0), np.append(x, x)), X)
    agree(lambda x, y: np.concatenate([x, y, x]), X, EMPTY)
    agree(lambda t: (np.concatenate(t), np.concatenate(t, 1), np.concatenate(t, None)), T)
    agree(lambda t: (np.hstack(t), np.vstack(t), np.column_stack(t)), T)
    agree(lambda m: (np.hstack(m), np.vstack(m), np.column_stack(m)), M)
    agree(lambda x: np.hstack([2 * v for v in x]), X)
    agree(lambda m, x: np.concatenate([m, x[:, None]], axis=1), M, X)


def test_moving() -> None:
    agree(lambda x, n: (np.flip(x), np.roll(x, n), np.tile(x, n), np.repeat(x, n)), X, 2)
    agree(lambda m: (np.flip(m), np.flip(m, 1), np.roll(m, 1, axis=0), np.tile(m, (2, 3))), M)
    agree(lambda m: (np.repeat(m, 2, axis=1), np.repeat(m, 2), np.roll(m, -2, axis=1)), M)
    agree(lambda x: (np.diag(x), np.diag(np.diag(x))), X)
    agree(lambda m: (np.tril(m), np.triu(m, 1), np.tril(m, -1), np.diagonal(m)), M)
    agree(lambda x: (np.allclose(x, x), np.isclose(x, x + 1e-9), np.allclose(x, x + 1)), X)


def test_methods() -> None:
    agree(lambda m: (m.copy(), m.astype(np.float32), m.astype(int), m.astype(bool)), M)
    agree(lambda m: (m.clip(0.0, 1.0), m.round(1), m.dot(m.T), m.trace(), m.diagonal()), M)
    agree(lambda x: (x[:1].item(), x.item(2), x.tolist()[1]), X)
    agree(lambda t: (t.item(17), t.item(-1), t.item(1, 2, 3), t.item((1, 0, 2)), t.tolist()), T)
    agree(lambda t: t.item(24), T)
    agree(lambda x: x.item(), X)


def store(x: Any, m: Any) -> Any:
    a = np.zeros((3, 7))
    a[0] = x
    a[1, 2:4] = 1.0
    a[2, ::2] = x[:4]
    a[:, 1] += 2.0
    a[1:, -1] = m[:2, 0]
    a[-1, -2] = 9
    b = np.zeros(7)
    b[:] = x
    b[1:] = b[:-1]
    c = np.zeros((3, 7))
    c[:, :] = x
    c[...] = c + 1.0
    k = np.zeros(3, dtype=int)
    k[0] = 2
    k[1:] += 5
    return a, b, c, k


def test_stores() -> None:
    agree(store, X, M)


def wrong_store(x: Any) -> Any:
    a = np.zeros(3)
    a[:] = x
    return a


def store_outside(x: Any, i: int) -> Any:
    a = np.zeros(3)
    a[i] = x[0]
    return a


def test_stores_that_do_not_fit() -> None:
    agree(wrong_store, X)
    agree(store_outside, X, 3)
    agree(store_outside, X, -4)
    agree(store_outside, X, -3)


REFUSED = [
    (lambda x: np.array(v for v in x), "list"),
    (lambda x: x[0, 1], "too many indices"),
    (lambda x: x[1.5], "integers"),
    (lambda x: np.sum(x, axis=3), "out of bounds"),
    (lambda x: np.linalg.inv(x), "array is needed|matrices"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refused(case: int) -> None:
    f, word = REFUSED[case]
    with pytest.raises(PullbackError, match=word):
        evaluated(f, X)


def test_the_truth_of_an_array_is_numpys() -> None:
    with pytest.raises(ValueError, match="ambiguous"):
        evaluated(lambda x: 1.0 if x else 2.0, X)


def test_lists_of_unknown_length_are_joined_as_in_numpy() -> None:
    """(A list of matrices was stacked by ``vstack``, and no arrays made an empty one.)"""

    def rows(n):
        return [np.arange(2.0) + k for k in range(n)]

    for f in (
        lambda n: np.stack(rows(n)),
        lambda n: np.stack(rows(n), axis=1),
        lambda n: np.vstack(rows(n)),
        lambda n: np.vstack([0.5 * k for k in range(n)]),
        lambda n: np.vstack([np.full((k + 1, 3), k) for k in range(n)]),
        lambda n: np.concatenate([np.arange(k) for k in range(n)]),
        lambda n: np.concatenate([np.ones((k, 3, 2)) + k for k in range(n)]),
        lambda n: np.concatenate([np.ones((2, k)) * k for k in range(n)], axis=1),
        lambda n: np.concatenate([np.ones((2, 3, k)) * k for k in range(n)], axis=-1),
        lambda n: np.concatenate([np.ones((2, k)) * k for k in range(n)], axis=None),
        lambda n: np.column_stack([np.ones((2, k)) * k for k in range(n)]),
        lambda n: np.column_stack([np.arange(3.0) * k for k in range(n)]),
        lambda n: np.hstack([np.arange(k * 1.0) for k in range(n)]),
        lambda n: np.hstack([np.ones((2, k)) * k for k in range(n)]),
    ):
        np.testing.assert_array_equal(pb.jit(f)(3), f(3), strict=True)
        for run in (f, pb.jit(f)):
            with pytest.raises(ValueError, match="need at least one array"):
                run(0)
    with pytest.raises(PullbackError, match="number of arrays to join"):
        pb.jit(lambda n: np.concatenate([[k, 1] for k in range(n)]))(2)


def test_joining_what_does_not_fit() -> None:
    def steps(m):
        return np.concatenate([m[:, : 1 + k // 2] for k in range(3)])

    for run in (steps, pb.jit(steps)):
        with pytest.raises(ValueError, match="except for the concatenation axis must match"):
            run(M)
