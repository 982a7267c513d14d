"""``pullback.compat.autograd``: autograd's names and conventions, and programs as its users write
them."""

import importlib
import re
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.signal
import scipy.stats

import pullback as pb
import pullback.compat.autograd as autograd
from pullback.compat.autograd import misc
from pullback.compat.autograd.extend import def_linear, defjvp, defvjp, defvjp_argnum, primitive
from pullback.compat.autograd.misc.fixed_points import fixed_point
from pullback.compat.autograd.misc.flatten import flatten, flatten_func
from pullback.compat.autograd.misc.optimizers import adam, rmsprop, sgd
from pullback.compat.autograd.scipy.signal import convolve
from pullback.compat.autograd.test_util import check_grads
from tests import autograd_programs

X = np.array([0.3, -0.7, 1.1])
PARAMS = {"w": np.ones((2, 2)), "b": np.array([2.0, 3.0]), "l": [4.0, (5.0, np.arange(3.0))]}


@pytest.mark.parametrize("program", autograd_programs.PROGRAMS, ids=lambda p: p.__name__)
def test_programs_run_unchanged(program: Any) -> None:
    f, args = program()
    assert np.allclose(pb.jit(f)(*args), f(*args), rtol=1e-12, atol=0.0)
    vector, unflatten = flatten(list(args))
    direction = np.random.default_rng(0).normal(size=len(vector))
    h = 1e-6 * direction
    difference = np.sum(f(*unflatten(vector + h)) - f(*unflatten(vector - h))) / 2e-6
    slopes = autograd.elementwise_grad(f, tuple(range(len(args))))(*args)
    assert np.isclose(flatten(list(slopes))[0] @ direction, difference, rtol=1e-6, atol=1e-7)


def test_a_whole_program_runs_outside() -> None:
    losses, vector, unflatten = autograd_programs.fitted()
    assert len(losses) == 60 and losses[-1] < 0.1 * losses[0]
    assert unflatten(vector)["a"] == [1.0] and np.array_equal(vector[1:], unflatten(vector)["w"])


# --- the modules ----------------------------------------------------------------------------------


def test_numpy_and_scipy_are_themselves() -> None:
    import pullback.compat.autograd.numpy.linalg as npla
    import pullback.compat.autograd.numpy.random as npr
    import pullback.compat.autograd.scipy.stats as stats
    import pullback.compat.autograd.scipy.stats.norm as norm

    import pullback.compat.autograd.numpy as anp
    from pullback.compat.autograd.scipy import special

    assert anp is np and npr is np.random and npla is np.linalg and autograd.numpy is np
    assert np.__name__ == "numpy" and np.__spec__.name == "numpy"
    assert stats is scipy.stats and norm is scipy.stats.norm and special is scipy.special
    assert scipy.signal.convolve is not convolve
    for name in ("numpy.nothing", "scipy.stats.nothing"):
        with pytest.raises(ImportError, match=re.escape(name)):
            importlib.import_module(f"pullback.compat.autograd.{name}")


def test_an_import_of_pullback_brings_none_of_it() -> None:
    text = (
        "import sys, pullback as pb\n"
        "assert not any(name.startswith('pullback.compat') for name in sys.modules)\n"
        "assert pb.compat.autograd.grad(lambda x: x * x)(3.0) == 6.0\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True, timeout=60)


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="there are autograd, jax, torch"):
        getattr(pb.compat, "tensorflow")  # noqa: B009  # the error is what is tested
    with pytest.raises(AttributeError, match=r"autograd\.core is not .*\n.*make_vjp"):
        getattr(autograd, "core")  # noqa: B009  # the error is what is tested


# --- the operators --------------------------------------------------------------------------------


def scale(x: Any, y: Any) -> Any:
    return np.sum(x**2) * y


def test_arguments_by_number() -> None:
    assert autograd.grad(scale, 1)(X, 2.0) == np.sum(X**2)
    both = autograd.grad(scale, (0, 1))(X, 2.0)
    assert np.array_equal(both[0], 4.0 * X) and both[1] == np.sum(X**2)
    assert np.array_equal(autograd.grad(scale, argnum=[0])(X, 2.0)[0], 4.0 * X)
    assert np.array_equal(autograd.grad_named(scale, "x")(X, y=2.0), 4.0 * X)


def test_a_gradient_of_an_array_with_one_element() -> None:
    def square(x: Any) -> Any:
        return x.reshape(1, -1) @ x.reshape(-1, 1)

    value, slope = autograd.value_and_grad(square)(X)
    assert value.shape == (1, 1) and np.allclose(slope, 2.0 * X)
    assert np.allclose(autograd.grad(square)(X), 2.0 * X)
    for operator in (autograd.grad, autograd.value_and_grad):
        with pytest.raises(TypeError, match="Grad only applies to real scalar-output functions"):
            operator(np.sin)(X)
    with pytest.raises(TypeError):
        autograd.grad(np.exp)(1.0 + 2.0j)


def test_what_stands_first() -> None:
    back, value = autograd.make_vjp(np.sin)(X)
    assert np.array_equal(value, np.sin(X)) and np.allclose(back(X), X * np.cos(X))
    value, tangent = autograd.make_jvp(np.sin)(X)(X)
    assert np.array_equal(value, np.sin(X)) and np.allclose(tangent, X * np.cos(X))
    hvp, gradient = autograd.make_hvp(lambda x: np.sum(x**3))(X)
    assert np.allclose(gradient, 3.0 * X**2) and np.allclose(hvp(X), 6.0 * X**2)
    slope, aux = autograd.grad_and_aux(lambda x: (np.sum(x**2), x + 1.0))(X)
    assert np.allclose(slope, 2.0 * X) and np.array_equal(aux, X + 1.0)
    back, value = autograd.make_vjp(scale, (0, 1))(X, 2.0)
    assert np.allclose(back(1.0)[0], 4.0 * X) and back(1.0)[1] == np.sum(X**2)
    assert np.isclose(autograd.make_jvp(scale, (0, 1))(X, 2.0)((X, 1.0))[1], 5.0 * np.sum(X**2))


def test_products() -> None:
    def cubes(x: Any) -> Any:
        return np.sum(x**3)

    matrix = np.outer(X, X)
    assert np.allclose(autograd.hessian_vector_product(cubes)(X, X), 6.0 * X**2)
    assert np.allclose(autograd.hessian_tensor_product(cubes)(matrix, matrix), 6.0 * matrix**2)
    assert np.allclose(autograd.vector_jacobian_product(np.sin)(X, X), X * np.cos(X))
    by_rows = autograd.tensor_jacobian_product(np.sin)(matrix, X)
    assert np.allclose(by_rows, np.einsum("i,ijkl->jkl", X, autograd.jacobian(np.sin)(matrix)))
    gauss = autograd.make_ggnvp(np.sin)(X)
    assert np.allclose(gauss(X), np.cos(X) ** 2 * X)
    assert np.allclose(autograd.hessian(np.sin)(X)[1, 1], [0.0, -np.sin(X[1]), 0.0])


def test_elements() -> None:
    assert np.allclose(autograd.elementwise_grad(np.sin)(X), np.cos(X))
    assert np.allclose(autograd.deriv(np.sin)(X), np.cos(X))
    assert autograd.elementwise_grad(lambda x: (x, x**2))(3.0) == 7.0
    with pytest.raises(TypeError, match="Elementwise_grad only applies to real-output functions"):
        autograd.elementwise_grad(np.exp)(X + 1j)
    with pytest.raises(TypeError, match="deriv by a complex argument"):
        autograd.deriv(np.exp)(X + 1j)


def test_complex_numbers() -> None:
    z = 1.0 + 2.0j
    assert np.isclose(autograd.holomorphic_grad(np.exp)(z), np.exp(z))
    assert np.isclose(autograd.grad(lambda z: np.abs(z) ** 2)(z), 2.0 * np.conj(z))
    assert np.allclose(autograd.make_vjp(np.exp)(z)[0](1.0 + 0.0j), np.exp(z))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert autograd.holomorphic_grad(np.sin)(0.0) == 1.0
    assert "not complex" in str(caught[0].message)


def test_gradients_by_name() -> None:
    def f(x: Any, y: Any = 3.0, *rest: Any, **options: Any) -> Any:
        return np.sum(x**2) * y * rest[0] * options["z"]

    found = autograd.multigrad_dict(f)(X, 2.0, 5.0, z=4.0)
    squares = np.sum(X**2)
    assert list(found) == ["x", "y", "rest", "options"]
    assert np.allclose(found["x"], 80.0 * X) and np.isclose(found["y"], 20.0 * squares)
    assert np.allclose(found["rest"], (8.0 * squares,))
    assert np.isclose(found["options"]["z"], 10.0 * squares)
    assert autograd.multigrad_dict(lambda x, y=3.0: x * y)(2.0) == {"x": 3.0, "y": 2.0}


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_the_operators_inside_of_compiled_code(method: str) -> None:
    def f(x: Any) -> Any:
        g = autograd.elementwise_grad(np.sin)(x)
        value, slope = autograd.value_and_grad(lambda y: np.sum(y**3))(x)
        tangent = autograd.make_jvp(np.tanh)(x)(g)[1]
        return np.sum(g * slope) + value + np.sum(tangent) + np.sum(autograd.deriv(np.exp)(x))

    difference = [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    assert np.isclose(pb.jit(f)(X), f(X))
    assert np.allclose(pb.grad(f, method=method)(X), difference, rtol=1e-6)
    assert np.isclose(pb.jvp(f, (X,), (X,))[1], difference @ X, rtol=1e-6)


# --- functions with rules -------------------------------------------------------------------------


def test_a_rule_for_cotangents() -> None:
    @primitive
    def power(x: Any, y: Any, n: int) -> Any:
        return x * y**n

    defvjp(power, lambda ans, x, y, n: lambda g: 10.0 * g * y**n, None)
    assert power(2.0, 3.0, 2) == 18.0
    assert autograd.grad(power)(2.0, 3.0, 2) == 90.0
    assert autograd.grad(power, 1)(2.0, 3.0, 2) == 0.0
    assert autograd.deriv(power)(2.0, 3.0, 2) == 90.0
    defvjp(power, lambda ans, x, y, n: lambda g: g * ans, argnums=[1])
    assert autograd.grad(power, 1)(2.0, 3.0, 2) == 18.0
    with pytest.raises(pb.PullbackError, match="the derivative by 'x', which the rule of 'power'"):
        autograd.grad(power)(2.0, 3.0, 2)


def test_rules_of_other_forms() -> None:
    @primitive
    def product(x: Any, y: Any) -> Any:
        return x * y

    with pytest.raises(pb.PullbackError, match="the derivative by 'x', which the rule"):
        autograd.grad(product)(2.0, 3.0)
    def_linear(product)
    assert autograd.grad(product, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    defjvp(product, lambda g, ans, x, y: 10.0 * g * y, "same")
    assert autograd.grad(product, (0, 1))(2.0, 3.0) == (30.0, 2.0)
    defvjp_argnum(product, lambda argnum, ans, args, kwargs: lambda g: g * args[1 - argnum])
    assert autograd.grad(product, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    defjvp(product, lambda g, ans, x, y: 0.0 * g, "same")
    assert autograd.deriv(product)(2.0, 3.0) == 3.0
    with pytest.raises(TypeError, match="defvjp is applied to what primitive returned"):
        defvjp(np.sin, lambda ans, x: lambda g: g)  # type: ignore[arg-type]  # on purpose


# --- structures, optimizers, checks ---------------------------------------------------------------


def test_structures_as_vectors() -> None:
    vector, unflatten = flatten(PARAMS)
    assert np.array_equal(vector, [2, 3, 4, 5, 0, 1, 2, 1, 1, 1, 1])
    again = unflatten(vector)
    assert list(again) == ["b", "l", "w"] and again["l"][0] == 4.0 and again["w"].shape == (2, 2)
    assert misc.flatten is flatten and len(flatten([])[0]) == 0

    def loss(p: Any) -> Any:
        return {"z": p["l"][0] * np.sum(p["w"] ** 2), "a": p["b"]}

    of_vector, _, start = flatten_func(loss, PARAMS)
    assert np.array_equal(of_vector(start), [2.0, 3.0, 16.0])
    assert np.array_equal(autograd.jacobian(of_vector)(start)[2], [0, 0, 4, 0, 0, 0, 0, 8, 8, 8, 8])


def test_optimizers() -> None:
    def loss(p: Any, i: int) -> Any:
        return np.sum((p["w"] - 3.0) ** 2) + (p["l"][0] + 0.5 * i * 0.0) ** 2

    seen: list[int] = []
    gradient = autograd.grad(loss)
    for optimizer in (adam, rmsprop, sgd):
        seen.clear()
        found = optimizer(gradient, PARAMS, lambda x, i, g: seen.append(i), 150, 0.1)
        assert seen == list(range(150)) and abs(found["w"][0, 0] - 3.0) < 0.1
    start = {"w": np.zeros(2), "l": [1.0]}
    step = {"w": 0.1 * np.ones(2), "l": [0.9]}
    first = adam(gradient, start, num_iters=1, step_size=0.1)
    assert np.allclose(first["w"], step["w"]) and np.isclose(first["l"][0], step["l"][0])


def test_fixed_points() -> None:
    def root(a: Any) -> Any:
        return fixed_point(
            lambda a: lambda x: 0.5 * (x + a / x), a, 1.0, lambda x, y: abs(x - y), 1e-12
        )

    assert np.isclose(root(2.0), 2.0**0.5) and np.isclose(autograd.grad(root)(2.0), 0.125**0.5)


def test_checks() -> None:
    check_grads(np.sin)(X)
    check_grads(scale, (0, 1), modes=["rev"], order=2)(X, 2.0)

    @primitive
    def wrong(x: Any) -> Any:
        return x**2

    defvjp(wrong, lambda ans, x: lambda g: 3.0 * x * g)
    with pytest.raises(AssertionError):
        check_grads(wrong)(1.0)


def test_convolutions() -> None:
    draws = np.random.default_rng(0)
    large, small = draws.normal(size=(6, 7)), draws.normal(size=(2, 3))
    for mode in ("full", "valid"):
        wanted = scipy.signal.convolve(large, small, mode)
        assert np.allclose(convolve(large, small, mode=mode), wanted)
        assert np.allclose(convolve(small, large, mode=mode), wanted)

    def stacked(a: Any, b: Any) -> Any:
        return convolve(a, b, axes=([2, 3], [2, 3]), dot_axes=([1], [0]), mode="valid")

    images, kernels = draws.normal(size=(2, 3, 5, 4)), draws.normal(size=(3, 4, 2, 2))
    wanted = np.array([
        [sum(map(scipy.signal.convolve, image, kernels[:, k], ["valid"] * 3)) for k in range(4)]
        for image in images
    ])
    assert np.allclose(stacked(images, kernels), wanted)
    assert np.allclose(pb.jit(stacked)(images, kernels), wanted)
    with pytest.raises(ValueError, match="One array must be larger"):
        convolve(np.ones((2, 5)), np.ones((3, 4)), mode="valid")
    with pytest.raises(AssertionError, match="Mode same"):
        convolve(large, small, mode="same")
