"""``pullback.compat.jax`` and ``pullback.compat.torch``: names and conventions of JAX and of
``torch.func``."""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.special

import pullback as pb
import pullback.compat.jax as jax
import pullback.compat.jax.numpy as jnp
import pullback.compat.torch.func as func
from pullback.compat.jax import grad, lax, nn, tree, tree_util
from pullback.compat.jax.flatten_util import ravel_pytree
from tests.frontend import harness

X = np.array([0.3, -0.7, 1.1])
TREE = {"w": np.ones((2, 2)), "b": np.array([2.0, 3.0]), "l": [4.0, (5.0, X)], "n": None}


class Pair(NamedTuple):
    a: float
    b: Any


@dataclass(frozen=True)
class Point:
    a: float
    b: Any


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal to the bit; else the harness raises."""
    harness.same(a, b)
    return True


def agrees(f: Any, *args: Any) -> Any:
    """The value of plain Python, which compiled code has, too."""
    value = f(*args)
    assert same(pb.jit(f)(*args), value)
    return value


# --- structures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [TREE, Pair(1.0, X), [Point(1.0, X), Pair(2.0, X)], 3.0])
def test_structures(value: Any) -> None:
    def doubled(p: Any) -> Any:
        leaves, treedef = tree.flatten(p)
        return tree.unflatten(treedef, [2.0 * x for x in leaves])

    def added(p: Any) -> Any:
        return tree.map(lambda a, b: a + b, p, p)

    assert same(agrees(doubled, value), agrees(added, value))
    agrees(tree.leaves, value)
    vector, unravel = ravel_pytree(value)
    assert same(tree.leaves(unravel(2.0 * vector)), tree.leaves(doubled(value)))
    assert np.isclose(tree.reduce(lambda a, b: a + np.sum(b), value, 0.0), np.sum(vector))


def test_the_order_of_leaves_and_what_is_one() -> None:
    assert tree.leaves({"b": 1, "a": [2, None, "text"]}) == [2, "text", 1]
    assert tree.leaves({"a": [1, 2]}, is_leaf=lambda x: isinstance(x, list)) == [[1, 2]]
    assert tree.structure({"a": 1.0}) == tree.structure({"a": 2.0}) != tree.structure({"b": 1.0})
    assert tree.structure([1, (2, None)]).num_leaves == 2
    assert tree_util.tree_all({"a": True, "b": [1]}) and tree.reduce(max, [1, [3], 2]) == 3
    with pytest.raises(ValueError, match="Dict key mismatch"):
        tree.map(lambda a, b: a, {"a": 1.0}, {"b": 1.0})
    with pytest.raises(ValueError, match=r"shorter|longer"):
        tree.map(lambda a, b: a, [1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="Wrong number of leaves"):
        tree.unflatten(tree.structure([1, 2]), [1])


# --- loops and choices ----------------------------------------------------------------------------


def test_scans() -> None:
    xs = {"a": np.arange(3.0), "b": np.ones((3, 2))}

    def step(c: Any, x: Any) -> Any:
        return c * 2.0 + x["a"], (c * x["b"], c)

    carry, ys = agrees(lambda c: lax.scan(step, c, xs), 1.0)
    assert carry == 12.0 and np.array_equal(ys[1], [1.0, 2.0, 5.0]) and ys[0].shape == (3, 2)
    carry, ys = agrees(lambda c: lax.scan(step, c, xs, reverse=True), 1.0)
    assert carry == 18.0 and np.array_equal(ys[1], [9.0, 4.0, 1.0])
    assert agrees(lambda c: lax.scan(lambda c, _: (c + 1.0, None), c, None, 4), 1.0) == (5.0, None)
    assert agrees(lambda c: lax.scan(lambda c, _: (c * 2.0, c), c, length=2), X)[1].shape == (2, 3)
    for wrong in (lambda: lax.scan(step, 1.0, None), lambda: lax.scan(step, 1.0, xs, 4)):
        with pytest.raises(ValueError, match="length"):
            wrong()
    with pytest.raises(ValueError, match="different leading axis sizes"):
        lax.scan(step, 1.0, {"a": np.ones(2), "b": np.ones(3)})


def test_loops_and_choices() -> None:
    assert agrees(lambda v: lax.fori_loop(1, 4, lambda i, v: v * i, v), 2.0) == 12.0
    assert agrees(lambda v: lax.while_loop(lambda v: v < 9.0, lambda v: 2.0 * v, v), 1.0) == 16.0
    for v in (1.0, -1.0):
        agrees(lambda v: lax.cond(v > 0.0, lambda a, b: a * b, lambda a, b: a - b, v, 3.0), v)
    for index in (-3, 0, 1, 9):
        agrees(lambda i: lax.switch(i, [jnp.sin, lambda v: v * 2.0, jnp.exp], 0.5), index)
    assert agrees(lambda xs: lax.map(lambda x: (x * 2.0, x.sum()), xs), np.ones((4, 3)))[1][0] == 3
    pairs = np.arange(1.0, 5.0), np.ones(4)
    for backwards in (False, True):
        found = agrees(lambda p, back=backwards: lax.associative_scan(affine, p, back), pairs)
        assert found[0].shape == (4,)
    assert same(lax.associative_scan(np.add, np.ones((2, 3)), axis=1)[0], np.array([1.0, 2.0, 3.0]))


def affine(first: Any, second: Any) -> Any:
    return first[0] * second[0], first[1] * second[0] + second[1]


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_derivatives_of_loops(method: str) -> None:
    def f(x: Any) -> Any:
        carry, ys = lax.scan(lambda c, v: (np.tanh(c + v), c * v), x[0], x)
        found = lax.while_loop(lambda v: v < 9.0, lambda v: 2.0 * v, carry + 2.0)
        return found + np.sum(ys) + lax.fori_loop(0, 3, lambda i, v: v * x[1], 1.0)

    difference = [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    assert np.allclose(pb.grad(f, method=method)(X), difference, rtol=1e-6)
    assert np.isclose(jax.jvp(f, (X,), (X,))[1], difference @ X, rtol=1e-6)


def test_parts_of_arrays() -> None:
    m = np.arange(12.0).reshape(3, 4)
    assert same(agrees(lambda m: lax.dynamic_slice(m, (1, 3), (2, 2)), m), m[1:, 2:])
    assert same(agrees(lambda m: lax.dynamic_index_in_dim(m, -1, 1, False), m), m[:, -1])
    assert same(agrees(lambda m: lax.dynamic_index_in_dim(m, 1), m), m[1:2])
    updated = agrees(lambda m: lax.dynamic_update_slice_in_dim(m, 0.0 * m[:, :1], 9, 1), m)
    assert same(updated, np.column_stack([m[:, :3], np.zeros(3)])) and m[0, 3] == 3.0
    assert same(agrees(lambda m: lax.slice_in_dim(m, 0, 4, 2, 1), m), m[:, ::2])
    assert same(agrees(lambda m: lax.cumsum(m, 1, True), m), np.cumsum(m[:, ::-1], 1)[:, ::-1])
    running = agrees(lambda m: (lax.cummin(m), lax.cummax(m), lax.cumprod(m, 1)), m)
    assert same(running[0], m[:1] + 0.0 * m) and same(running[2], np.cumprod(m, 1))
    assert agrees(lambda x: lax.rsqrt(lax.clamp(4.0, x, 9.0)), 1.0) == 0.5
    assert lax.concatenate([X, X], 0).shape == (6,) and lax.iota(float, 2).dtype == float


# --- activations ----------------------------------------------------------------------------------

FORMULAS = {
    "relu": lambda x: max(x, 0.0), "relu6": lambda x: min(max(x, 0.0), 6.0),
    "sigmoid": scipy.special.expit, "softplus": lambda x: np.log(1.0 + np.exp(x)),
    "silu": lambda x: x / (1.0 + np.exp(-x)), "log_sigmoid": lambda x: -np.log(1.0 + np.exp(-x)),
    "elu": lambda x: x if x > 0 else np.exp(x) - 1.0,
    "celu": lambda x: x if x > 0 else np.exp(x) - 1.0,
    "selu": lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * np.expm1(x)),
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "leaky_relu": lambda x: x if x > 0 else 0.01 * x, "hard_tanh": lambda x: min(max(x, -1.0), 1.0),
    "soft_sign": lambda x: x / (1.0 + abs(x)), "squareplus": lambda x: (x + np.sqrt(x**2 + 4)) / 2,
    "sparse_plus": lambda x: 0.0 if x <= -1 else x if x >= 1 else (x + 1) ** 2 / 4,
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))), "tanh": np.tanh, "identity": lambda x: x,
    "hard_sigmoid": lambda x: min(max(x + 3, 0), 6) / 6,
    "hard_silu": lambda x: x * min(max(x + 3, 0), 6) / 6,
}  # fmt: skip
POINTS = np.array([-4.0, -1.3, -0.4, 0.6, 1.7, 7.0])


@pytest.mark.parametrize("name", FORMULAS)
def test_activations(name: str) -> None:
    f, formula = getattr(nn, name), FORMULAS[name]
    wanted = np.array([formula(x) for x in POINTS])
    assert np.allclose(f(POINTS), wanted, rtol=1e-12)
    values, back = pb.vjp(f, POINTS)
    assert np.allclose(values, wanted, rtol=1e-12)
    differences = [(formula(x + 1e-6) - formula(x - 1e-6)) / 2e-6 for x in POINTS]
    assert np.allclose(back(np.ones(6))[0], differences, rtol=1e-6, atol=1e-8)
    assert np.isclose(f(0.5), formula(0.5))


def test_activations_at_their_edges() -> None:
    assert grad(nn.relu)(0.0) == 0.0 and np.isnan(nn.relu(np.nan))
    assert np.allclose(nn.sigmoid(np.array([-1000.0, 1000.0])), [0.0, 1.0])
    assert grad(nn.elu)(1000.0) == 1.0 and nn.softplus(1000.0) == 1000.0
    assert np.allclose(nn.gelu(X, approximate=False), X * scipy.special.ndtr(X))
    assert nn.swish is nn.silu and nn.hard_swish is nn.hard_silu
    assert np.allclose(nn.celu(X, 2.0), np.where(X > 0, X, 2.0 * np.expm1(X / 2.0)))
    assert np.allclose(nn.elu(X, 2.0), np.where(X > 0, X, 2.0 * np.expm1(X)))
    assert np.allclose(agrees(nn.log1mexp, np.array([0.1, 3.0])), np.log(1 - np.exp([-0.1, -3.0])))


def test_functions_of_logits() -> None:
    m = np.arange(8.0).reshape(2, 4) ** 1.5
    assert np.allclose(agrees(nn.softmax, m).sum(axis=-1), 1.0)
    assert np.allclose(agrees(lambda m: nn.log_softmax(m, 0), m), m - nn.logsumexp(m, axis=0))
    assert np.allclose(agrees(nn.logmeanexp, m), np.log(np.mean(np.exp(m))))
    assert np.allclose(agrees(nn.glu, m), m[:, :2] * nn.sigmoid(m[:, 2:]))
    normal = agrees(nn.standardize, m)
    assert np.allclose(normal.mean(axis=-1), 0.0) and np.allclose(normal.std(axis=-1), 1.0, 1e-4)
    rows = agrees(lambda i: nn.one_hot(i, 3), np.array([0, 2, 5]))
    assert same(rows, np.array([[1.0, 0, 0], [0, 0, 1.0], [0, 0, 0]]))
    assert agrees(lambda i: nn.one_hot(i, 3, axis=0), np.array([0, 1])).shape == (3, 2)
    with pytest.raises(AssertionError, match="divisible by 2"):
        nn.glu(X)


# --- the operators --------------------------------------------------------------------------------


def test_results_with_something_beside() -> None:
    def f(x: Any) -> Any:
        return x**2, x

    assert jax.value_and_grad(f, has_aux=True)(3.0) == ((9.0, 3.0), 6.0)
    assert grad(f, has_aux=True)(3.0) == (6.0, 3.0)
    assert jax.jvp(f, (3.0,), (1.0,), has_aux=True) == (9.0, 6.0, 3.0)
    out, back, aux = jax.vjp(f, 3.0, has_aux=True)
    assert (out, back(1.0), aux) == (9.0, (6.0,), 3.0)
    out, along, aux = jax.linearize(f, 3.0, has_aux=True)
    assert (out, along(1.0), aux) == (9.0, 6.0, 3.0)
    assert jax.linearize(np.square, 3.0)[1](1.0) == 6.0
    assert jax.jacrev(f, has_aux=True)(3.0) == jax.jacfwd(f, has_aux=True)(3.0) == (6.0, 3.0)


def test_holomorphic_functions() -> None:
    z = 1.0 + 2.0j
    assert np.isclose(grad(jnp.exp, holomorphic=True)(z), np.exp(z))
    value, slope = jax.value_and_grad(jnp.exp, holomorphic=True)(z)
    assert np.isclose(value, np.exp(z)) and np.isclose(slope, np.exp(z))
    (value, aux), slope = jax.value_and_grad(lambda z: (z * z, 5), 0, True, True)(z)
    assert (value, aux, slope) == (z * z, 5, 2.0 * z)
    assert grad(lambda z: (z * z, 5), 0, True, True)(z) == (2.0 * z, 5)
    assert np.isclose(grad(lambda z: abs(z) ** 2)(z), 2.0 * np.conj(z))


def test_the_operators_inside_of_compiled_code() -> None:
    def f(x: Any) -> Any:
        value, slope = jax.value_and_grad(lambda y: jnp.sum(y**3))(x)
        squares = jax.vmap(lambda y, z: y * z, in_axes=(0, None))(jax.jit(jnp.tanh)(x), 2.0)
        tangent = jax.jvp(jnp.sin, (x,), (slope,))[1] + jax.linearize(jnp.cos, x)[1](x)
        return value + jnp.sum(squares) + jnp.sum(tangent * jax.remat(jnp.exp)(x))

    difference = [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    assert np.isclose(pb.jit(f)(X), f(X)) and np.allclose(grad(f)(X), difference, rtol=1e-6)


def test_decorators_and_what_has_no_meaning() -> None:
    @partial(jax.jit, static_argnums=(1,))
    def power(x: Any, n: int) -> Any:
        for _ in range(n):
            x = x * x
        return x

    assert power(3.0, 2) == 81.0 and jax.jit(static_argnames="n")(power)(3.0, 1) == 9.0
    assert jax.block_until_ready(jax.device_put(X)) is X and jax.Array is np.ndarray
    jax.config.update("jax_enable_x64", True)
    for wrong, reason in [
        (lambda: jax.jit(power, axis=1), "no argument 'axis'"),
        (lambda: jax.checkpoint(power, speed=1), "no argument 'speed'"),
        (lambda: grad(power, allow_int=True), "ints have no derivative"),
        (lambda: jax.vmap(power, axis_name="i"), "axis_name"),
        (lambda: func.vmap(power, randomness="same"), "randomness='same'"),
    ]:
        with pytest.raises(TypeError, match=reason):
            wrong()
    for setting in (("jax_enable_x64", False), ("jax_debug_nans", True)):
        with pytest.raises(ValueError, match="means nothing to Pullback"):
            jax.config.update(*setting)


def test_names_that_are_not_there() -> None:
    for module, name, said in [
        (jax, "random", "default_rng"), (jax, "make_jaxpr", "pb.show"), (lax, "psum", "np.sum"),
        (tree_util, "register_pytree_node", "dataclass"), (func, "functional_call", "a dict"),
        (pb.compat.torch, "nn", "a dict or a dataclass"), (jax, "nothing", ""),
    ]:  # fmt: skip
        with pytest.raises(AttributeError, match=f"{name} is not there(.|\n)*{said}"):
            getattr(module, name)
    assert jnp is np and jax.numpy is np and func.vmap is pb.compat.torch.vmap
    with pytest.raises(pb.PullbackError, match=r"y = x.copy\(\); y\[i\] = v"):
        pb.jit(lambda x: x.at[0].set(1.0))(X)


# --- torch.func -----------------------------------------------------------------------------------


def test_what_stands_first_in_torch() -> None:
    def f(x: Any) -> Any:
        return np.sum(x**2), x

    slope, (value, aux) = func.grad_and_value(f, has_aux=True)(X)
    assert same(slope, 2.0 * X) and value == np.sum(X**2) and same(aux, X)
    assert func.grad(f, has_aux=True)(X)[1].shape == (3,)
    out, back = func.vjp(np.sin, X)
    assert np.allclose(back(X)[0], X * np.cos(X)) and same(out, np.sin(X))
    assert len(func.vjp(f, X, has_aux=True)) == 3
    assert np.isclose(func.jvp(f, (X,), (X,), has_aux=True)[1], 2.0 * np.sum(X**2))
    assert np.allclose(func.linearize(np.sin, X)[1](X), X * np.cos(X))
    for jacobian in (func.jacrev, func.jacfwd):
        assert np.allclose(jacobian(np.sin)(X), np.diag(np.cos(X)))
    assert np.allclose(func.hessian(lambda x, y: np.sum(y**3), 1)(0.0, X), np.diag(6.0 * X))
    assert np.allclose(func.vmap(func.grad(np.sin), in_dims=0)(X), np.cos(X))


def test_torch_conjugates() -> None:
    z, c = 1.0 + 2.0j, 0.5 - 1.0j
    assert np.isclose(func.grad(lambda z: np.abs(z) ** 2)(z), 2.0 * z)
    assert np.isclose(func.grad_and_value(lambda z: z.real * z.imag)(z)[0], 2.0 + 1.0j)
    assert np.isclose(func.vjp(np.exp, z)[1](c)[0], np.conj(np.exp(z)) * c)
    assert np.isclose(func.jvp(np.exp, (z,), (c,))[1], np.exp(z) * c)

    def inside(x: Any) -> Any:
        return np.imag(func.grad(lambda z: z.real * z.imag)(x + 2.0j)) * x

    assert np.isclose(pb.grad(inside)(3.0), 6.0)
