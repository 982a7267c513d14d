"""Reductions, running sums, products of arrays and einsum against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import pullback as pb
from tests.frontend.numpy_oracle import agree

RNG = np.random.default_rng(8)
X = RNG.normal(size=6)
Y = RNG.normal(size=6)
M = RNG.normal(size=(4, 6))
T = RNG.normal(size=(2, 3, 4))
K = RNG.integers(-5, 5, size=(4, 6))
F32 = M.astype(np.float32)
I32 = K.astype(np.int32)
B = M > 0
EMPTY = np.zeros(0)
NO_ROWS = np.zeros((0, 3))
NAN = np.array([[1.0, np.nan, 3.0], [2.0, 0.0, np.nan]])
ARRAYS = {"f64": M, "f32": F32, "i64": K, "i32": I32, "bool": B, "rank3": T, "empty": NO_ROWS}


def whole(m: Any) -> Any:
    return np.sum(m), m.sum(), np.prod(m), np.mean(m), np.any(m), np.all(m), np.count_nonzero(m)


def rows(m: Any) -> Any:
    return (
        np.sum(m, axis=0), np.sum(m, axis=-1, keepdims=True), m.mean(axis=1),
        np.prod(m, axis=0), np.any(m, axis=1), m.all(axis=0), np.sum(m, axis=(0, 1)),
        np.mean(m, axis=0, keepdims=True), np.sum(m, axis=None, keepdims=True),
        np.count_nonzero(m, axis=0),
    )  # fmt: skip


def extremes(m: Any) -> Any:
    return (
        np.max(m), m.min(), np.argmax(m), m.argmin(), np.max(m, axis=0), np.min(m, axis=1),
        np.argmax(m, axis=1), np.argmin(m, axis=0), np.max(m, axis=-1, keepdims=True),
    )  # fmt: skip


def spread(m: Any) -> Any:
    return np.var(m), m.std(), np.var(m, axis=0), np.std(m, axis=1, ddof=1), m.var(axis=1)


@pytest.mark.parametrize("f", [whole, rows])
@pytest.mark.parametrize("name", list(ARRAYS))
def test_sums(f: Callable[..., Any], name: str) -> None:
    agree(f, ARRAYS[name], tolerance=1e-5 if name == "f32" else 1e-12)


@pytest.mark.parametrize("name", ["f64", "f32", "i64", "i32", "bool", "rank3", "empty"])
def test_extremes(name: str) -> None:
    agree(extremes, ARRAYS[name])


def test_extremes_special() -> None:
    agree(extremes, NAN)
    agree(extremes, np.array([[1.0, 1.0], [1.0, 1.0]]))
    agree(lambda x: np.max(x), EMPTY)
    agree(lambda x: np.argmin(x), EMPTY)
    agree(lambda m: np.max(m, axis=1), NO_ROWS)
    agree(lambda m: np.max(m, axis=0), NO_ROWS)
    agree(lambda m: np.ptp(m, axis=0), M)


@pytest.mark.parametrize("name", ["f64", "i64", "rank3"])
def test_spread(name: str) -> None:
    agree(spread, ARRAYS[name])


def test_logsumexp() -> None:
    agree(lambda m: (scipy.special.logsumexp(m), scipy.special.logsumexp(m, axis=1)), M)
    agree(lambda m: scipy.special.logsumexp(m, axis=0, keepdims=True), M * 500)


def test_running() -> None:
    agree(lambda x: (np.cumsum(x), np.cumprod(x), x.cumsum()), X)
    agree(lambda m: (np.cumsum(m), np.cumsum(m, axis=0), np.cumsum(m, axis=1)), M)
    agree(lambda t: (np.cumsum(t, axis=1), np.cumprod(t, axis=-1)), T)
    agree(lambda k: np.cumsum(k, axis=1), K)
    agree(lambda x: np.cumsum(x), EMPTY)
    agree(lambda x: (np.diff(x), np.diff(x, n=2)), X)
    agree(lambda m: (np.diff(m, axis=0), np.diff(m)), M)


def test_products() -> None:
    agree(lambda x, y: (x @ y, np.dot(x, y), np.inner(x, y), np.vdot(x, y)), X, Y)
    agree(lambda m: (np.vdot(m, m), np.vdot(m, m.T), np.vdot(m, m.ravel()), np.vdot(2.0, 3.0)), M)
    agree(lambda m: np.vdot(m, m[0]), M)
    agree(lambda x, y: (np.outer(x, y), x.dot(y)), X, Y)
    agree(lambda m, x: (m @ x, np.dot(m, x), np.matmul(m, x)), M, X)
    agree(lambda m, x: (x @ m.T, np.dot(x, m.T)), M, X)
    agree(lambda m: (m @ m.T, m.T @ m, np.dot(m, m.T), np.inner(m, m)), M)
    agree(lambda t, m: (np.dot(t, m), t @ m), T, RNG.normal(size=(4, 5)))
    agree(lambda t, m: (m @ t, t[0] @ t[1].T), T, RNG.normal(size=(5, 3)))
    agree(lambda a, b: a @ b, T, RNG.normal(size=(1, 4, 2)))
    agree(lambda a, b: a @ b, T, RNG.normal(size=(4,)))
    agree(lambda a, b: a @ b, RNG.normal(size=(3,)), T)
    agree(lambda k, m: (k @ m.T, k @ k.T), K, M)
    agree(lambda x, y: np.dot(x, y) * np.dot(2.0, 3), X, Y)
    agree(lambda x: x @ x, EMPTY)


def test_products_that_do_not_fit() -> None:
    agree(lambda x, y: x @ y, X, Y[:3])
    agree(lambda m: m @ m, M)
    agree(lambda m, x: np.dot(m, x), M, X[:2])


def test_einsum_broadcasts() -> None:
    for rows, others in ((np.ones((2, 1)), np.full((3, 4), 0.5)), (M[:1], M), (M, M[:1])):
        agree(lambda a, b: np.einsum("ij,jk->ik", a[:, :1], b), rows, others)
        agree(lambda a, b: np.einsum("ij,kl->kj", a, b[:1]), rows, others)
    for text in ("ij,ij->ij", "ij,ij", "ij,ij->j"):
        agree(lambda a, b, text=text: np.einsum(text, a, b), M[:1], M)
        agree(lambda a, b, text=text: np.einsum(text, a, b), M, M[:, :1])
    agree(lambda a, b: np.einsum("ii,i->i", a, b), np.ones((3, 3)), np.ones(1))


def test_einsum() -> None:
    agree(lambda m: np.einsum("ij,kj->ik", m, m), M)
    agree(lambda m: (np.einsum("ij->ji", m), np.einsum("ij->j", m), np.einsum("ij->", m)), M)
    agree(lambda m: np.einsum("ii->i", m[:, :4]) + np.einsum("ii", m[:, :4]), M)
    agree(lambda x, m: np.einsum("i,ji,j", x, m, m[:, 0]), X, M)
    agree(lambda x, y: (np.einsum("i,i", x, y), np.einsum("i,j", x, y)), X, Y)


def test_norms() -> None:
    agree(lambda x: (np.linalg.norm(x), np.linalg.norm(x, 1), np.linalg.norm(x, np.inf)), X)
    agree(lambda m: (np.linalg.norm(m), np.linalg.norm(m, axis=1), np.trace(m)), M)
    agree(lambda x: np.linalg.norm(x), np.zeros(3))
    agree(lambda a, b: np.cross(a, b), X[:3], Y[:3])
    agree(lambda a, b: np.cross(a, b), T[..., :3], X[:3])


def test_many_float32_are_added_in_float64() -> None:
    """In float32 each of millions of terms is rounded to a place of the whole."""
    x = np.random.default_rng(1).random(1 << 21).astype(np.float32)
    square, cell = x.reshape(-1, 1 << 20), np.float32(0.3)

    def whole(x: Any) -> Any:
        return np.sum(x * x), np.mean(x), np.var(x), x @ x

    def looped(x: Any) -> Any:
        s = np.float32(0.0)
        for v in x:
            s += v * v
        return s

    def scaled(a: Any, x: Any) -> Any:
        return np.sum(x * a)

    wide = x.astype(np.float64)
    for found, exact in zip(pb.jit(whole)(x), whole(wide), strict=True):
        assert found.dtype == np.float32 and abs(found - exact) < 1e-7 * exact
    exact = np.sum(wide * wide)
    assert abs(pb.jit(looped)(x) - exact) < 1e-7 * exact
    rows = pb.jit(lambda m: np.sum(m, axis=1))(square)
    assert np.allclose(rows, np.sum(square.astype(np.float64), axis=1), rtol=1e-7, atol=0.0)
    slope = pb.grad(scaled)(cell, x)
    assert slope.dtype == np.float32 and abs(slope - np.sum(wide)) < 1e-7 * np.sum(wide)
