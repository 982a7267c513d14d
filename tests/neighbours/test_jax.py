"""``pb.interop.jax``: functions inside of ``jax.jit``, ``jax.grad`` and ``jax.vmap``."""

from __future__ import annotations

import math
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pullback as pb

function = pb.interop.jax.function


@pytest.fixture(autouse=True)
def doubles() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def soft(x, w):
    h = np.tanh(x @ w)
    return np.sum(h * h, axis=1)


def soft_in_jax(x, w):
    h = jnp.tanh(x @ w)
    return jnp.sum(h * h, axis=1)


X = np.random.default_rng(0).normal(size=(5, 3))
W = np.random.default_rng(1).normal(size=(3, 2))


def test_values_and_gradients_inside_jit() -> None:
    f = function(soft)

    def loss(x, w):
        return jnp.sum(jnp.sin(f(x * 2.0, w)))

    def in_jax(x, w):
        return jnp.sum(jnp.sin(soft_in_jax(x * 2.0, w)))

    np.testing.assert_allclose(jax.jit(f)(X, W), soft(X, W), rtol=1e-14)
    found = jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))(X, W)
    wanted = jax.jit(jax.value_and_grad(in_jax, argnums=(0, 1)))(X, W)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12), found, wanted)


def test_second_derivatives() -> None:
    f = function(soft)
    found = jax.jacrev(jax.grad(lambda w: jnp.sum(f(X, w) ** 2)))(W)
    wanted = jax.hessian(lambda w: jnp.sum(soft_in_jax(X, w) ** 2))(W)
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


def test_forward_mode() -> None:
    f = function(soft, mode="forward")
    v = np.random.default_rng(2).normal(size=W.shape)
    found = jax.jit(lambda w: jax.jvp(lambda w: f(X, w), (w,), (v,)))(W)
    wanted = jax.jvp(lambda w: soft_in_jax(X, w), (W,), (v,))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12), found, wanted)
    np.testing.assert_allclose(
        jax.jacfwd(lambda w: f(X, w))(W), jax.jacfwd(lambda w: soft_in_jax(X, w))(W), rtol=1e-11
    )
    second = jax.jvp(lambda w: jax.jvp(lambda w: f(X, w), (w,), (v,))[1], (W,), (v,))[1]
    want2 = jax.jvp(lambda w: jax.jvp(lambda w: soft_in_jax(X, w), (w,), (v,))[1], (W,), (v,))[1]
    np.testing.assert_allclose(second, want2, rtol=1e-11)


def test_vmap() -> None:
    def one(x, a):
        return math.sin(a) * np.sum(x**2)

    f, many = function(one), np.arange(4.0)
    batched = jax.jit(jax.vmap(f))(X[:4], many)
    np.testing.assert_allclose(batched, [one(x, a) for x, a in zip(X, many, strict=False)])
    slopes = jax.jit(jax.vmap(jax.grad(f, argnums=1)))(X[:4], many)
    np.testing.assert_allclose(slopes, np.cos(many) * (X[:4] ** 2).sum(1))


def test_trees_and_ints() -> None:
    def g(p, n, k):
        return p["a"] ** n * np.sum(p["b"][k]), {"twice": p["b"] * 2.0}

    f = function(g)
    p, k = {"a": 2.0, "b": np.arange(3.0)}, np.array([0, 2])

    def loss(p):
        first, rest = f(p, 3, k)
        return first + jnp.sum(rest["twice"])

    found = jax.jit(jax.grad(loss))(p)
    assert float(found["a"]) == pytest.approx(3 * 4.0 * 2.0)
    np.testing.assert_allclose(found["b"], [10.0, 2.0, 10.0])


def test_an_int_among_the_results() -> None:
    f = function(lambda x: (np.sum(x**2), np.argmax(x)))
    g = jax.grad(lambda x: f(x)[0] * (1.0 + f(x)[1]))(X[0])
    np.testing.assert_allclose(g, 2 * X[0] * (1.0 + np.argmax(X[0])))


def test_float32_without_doubles() -> None:
    with jax.enable_x64(False):
        f = function(soft)
        x, w = X.astype(np.float32), W.astype(np.float32)
        y = jax.jit(f)(x, w)
        assert y.dtype == jnp.float32
        g = jax.grad(lambda w: f(x, w).sum())(w)
        assert g.dtype == jnp.float32
        wanted = pb.vjp(soft, X, W)[1](np.ones(5))[1]
        np.testing.assert_allclose(g, wanted, rtol=2e-5, atol=1e-6)


def test_a_loop_of_jax() -> None:
    f = function(lambda y: np.cos(y) * y)

    def run(y):
        return jax.lax.scan(lambda y, _: (f(y), None), y, length=4)[0].sum()

    def in_jax(y):
        return jax.lax.scan(lambda y, _: (jnp.cos(y) * y, None), y, length=4)[0].sum()

    np.testing.assert_allclose(jax.jit(jax.grad(run))(X[0]), jax.grad(in_jax)(X[0]), rtol=1e-12)


def test_empty_arrays() -> None:
    f = function(lambda x: np.sum(np.sin(x)))
    assert float(f(jnp.zeros(0))) == 0.0
    assert jax.grad(f)(jnp.zeros(0)).shape == (0,)


def test_errors() -> None:
    def f(x):
        if x[0] > 3.0:
            raise ValueError("too large")
        return np.sum(x)

    g = function(f)
    with pytest.raises(Exception, match="too large"):
        jax.block_until_ready(jax.jit(g)(jnp.full(2, 4.0)))
    assert float(g(jnp.ones(2))) == 2.0
    with pytest.raises(Exception, match="mismatch"):
        jax.block_until_ready(function(soft)(np.ones((2, 3)), np.ones((4, 2))))
    with pytest.raises(ValueError, match="no mode"):
        function(f, mode="sideways")
    with pytest.raises(TypeError, match="no array"):
        function(lambda x: "text")(1.0)


def test_a_shape_that_depends_on_values() -> None:
    f = function(lambda x: x[x > 0.0])
    assert f(jnp.ones(3)).shape == (3,)
    with pytest.raises(Exception, match="shape"):
        jax.block_until_ready(f(jnp.array([1.0, -1.0, 1.0])))


def test_blackjax_samples_it() -> None:
    import blackjax

    center = np.array([1.0, -2.0])
    logp = function(lambda x: -0.5 * np.sum((x - center) ** 2))
    kernel = blackjax.nuts(logp, step_size=0.7, inverse_mass_matrix=np.ones(2))
    state = kernel.init(jnp.zeros(2))
    step = jax.jit(kernel.step)
    key, draws = jax.random.key(0), []
    for _ in range(600):
        key, now = jax.random.split(key)
        state, _ = step(now, state)
        draws.append(np.asarray(state.position))
    np.testing.assert_allclose(np.mean(draws[50:], axis=0), center, atol=0.25)
