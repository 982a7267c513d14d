"""Derivatives inside of derivatives: Siskind and Pearlmutter's cases, Manzyuk's, captures at
several levels, operators in loops; and how much larger and dearer each level is."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import pullback as pb


def d(f: Any) -> Any:
    """The derivative of a function of a number, by forward mode."""
    return lambda x: pb.jvp(f, (x,), (1.0,))[1]


BOTH = [d, pb.grad]


@pytest.mark.parametrize("outer", BOTH)
@pytest.mark.parametrize("inner", BOTH)
def test_perturbations_are_not_confused(outer: Any, inner: Any) -> None:
    # Siskind and Pearlmutter, Perturbation confusion and referential transparency (2005)
    assert outer(lambda x: x * inner(lambda y: x + y)(1.0))(1.0) == 1.0
    assert outer(lambda x: x * inner(lambda y: x * y)(2.0))(1.0) == 2.0
    assert outer(lambda x: inner(lambda y: x * y * y)(3.0) * x)(2.0) == 24.0
    # the tangent of a constant in an inner derivative
    assert outer(lambda x: inner(lambda y: x)(1.0) + x)(5.0) == 1.0


@pytest.mark.parametrize("operator", BOTH)
def test_functions_that_return_functions(operator: Any) -> None:
    # Manzyuk et al., Perturbation confusion in forward automatic differentiation of higher-order
    # functions (2019): s(u)(f)(x) = f(x + u), whose derivative at 0 is the derivative
    def s(u: Any) -> Any:
        return lambda f: lambda x: f(x + u)

    def hat(f: Any) -> Any:
        return lambda y: operator(lambda u: s(u)(f)(y))(0.0)

    def both(y: Any) -> Any:
        return hat(hat(math.exp))(y)

    assert pb.jit(both)(1.0) == pytest.approx(math.e, rel=1e-14)
    assert pb.jit(hat(hat(hat(math.sin))))(0.7) == pytest.approx(-math.cos(0.7), rel=1e-13)


def at_levels(x: Any) -> Any:
    def first(y: Any) -> Any:
        def second(z: Any) -> Any:
            return x * x * y * y * z * z * math.sin(x * z)

        return pb.grad(second)(y) * x

    return d(first)(x) + pb.grad(first)(2.0 * x)


def in_a_loop(x: Any) -> Any:
    total, w = 0.0, x
    for k in range(5):
        w = w - 0.1 * pb.grad(lambda v, k=k: (v - x) ** 2 * (1.0 + k) + math.cos(v * x))(w)
        total += d(lambda v, w=w: v * w * x)(w) * 0.5
    return total + w


def descends(p: Any) -> Any:
    """A gradient descent whose number of steps depends on the data, inside."""
    w = np.zeros(2)
    for _ in range(200):
        g = pb.grad(lambda v: np.sum((v - p) ** 4) + p[0] * v[1] ** 2)(w)
        if np.sum(g * g) < 1e-3:
            break
        w = w - 0.05 * g
    return np.sum(w * p)


@pytest.mark.parametrize("f", [at_levels, in_a_loop])
def test_captures_of_several_levels_and_loops(f: Any) -> None:
    pb.check_grads(f, (0.7,), order=2, atol=1e-4, rtol=1e-4)


def test_a_descent_inside() -> None:
    pb.check_grads(descends, (np.array([0.8, -0.4]),))


def halley(x: float) -> float:
    """Halley's method: Newton's, on g / sqrt(g')."""

    def g(y: Any) -> Any:
        return y**3 - 2.0 * y - x

    def h(y: Any) -> Any:
        return g(y) / math.sqrt(pb.grad(g)(y))

    y = 2.0
    for _ in range(4):
        y = y - h(y) / pb.grad(h)(y)
    return y


def test_newton_on_newton() -> None:
    y, slope = pb.value_and_grad(halley)(5.0)
    assert y**3 - 2.0 * y == pytest.approx(5.0, rel=1e-14)
    assert slope == pytest.approx(1.0 / (3.0 * y * y - 2.0), rel=1e-8)


def order(n: int, x: float) -> float:
    return x**3 if n == 0 else pb.grad(lambda y: order(n - 1, y))(x)


def test_an_order_that_depends_on_data_is_refused() -> None:
    with pytest.raises(pb.PullbackError, match="recursion through a derivative operator"):
        pb.jit(order)(2, 1.5)


# --- all modes agree ------------------------------------------------------------------------------

W = np.array([[0.5, -1.0, 0.3], [1.5, 0.75, -0.5], [0.2, 0.1, 0.9]])
X = np.array([0.3, -0.7, 0.4])
V = np.array([1.0, 0.5, -0.25])


def scanned(x: Any) -> Any:
    s, total = x[0], 0.0
    for k in range(len(x)):
        s = math.sin(s) * x[k] + s * 0.5
        total += s if s > 0.0 else s * s
    return total


def solved(x: Any) -> Any:
    a = W @ W.T + np.eye(3) * (1.0 + x[0] ** 2)
    return np.linalg.solve(a, x) @ np.exp(x)


@pytest.mark.parametrize("f", [scanned, solved])
def test_second_derivatives_agree_in_all_modes(f: Any) -> None:
    gradient, along = pb.grad(f), lambda x: pb.jvp(f, (x,), (V,))[1]
    found = [
        pb.jvp(gradient, (X,), (V,))[1],
        pb.vjp(gradient, X)[1](V)[0],
        pb.grad(along)(X),
        np.array([pb.jvp(along, (X,), (e,))[1] for e in np.eye(3)]),
        pb.hvp(f, (X,), (V,))[0],
        pb.vhp(f, (X,), (V,))[0],
        pb.hessian(f)(X) @ V,
        pb.jacrev(gradient)(X) @ V,
    ]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-12, atol=1e-14)


# --- size and cost --------------------------------------------------------------------------------


def steps(f: Any) -> int:
    return pb.cost(f, np.linspace(0.1, 1.0, 24))


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def test_cost_of_products() -> None:
    f, gradient = steps(pb.jit(rosenbrock)), steps(pb.grad(rosenbrock))
    assert steps(lambda x: pb.jvp(rosenbrock, (x,), (x,))) <= 2.5 * f
    product = steps(lambda x: pb.hvp(rosenbrock, (x,), (x,)))
    assert product <= 3.0 * f and product <= 1.75 * gradient


def perceptron(p: Any) -> Any:
    hidden = np.tanh(np.reshape(p[:16], (8, 2)) @ p[:2] + p[8:16])
    return np.sum((p[16:24] @ hidden - p[:3]) ** 2)


def filtered(p: Any) -> Any:
    """The likelihood of a filter whose state is a matrix."""
    total, spread = 0.0, np.eye(2)
    for k in range(10):
        spread = W[:2, :2] @ spread @ W[:2, :2].T + np.exp(p[0]) * np.eye(2)
        gain = spread[:, 0] / (spread[0, 0] + np.exp(p[1]))
        total += math.log(spread[0, 0]) + k * p[2] * gain[1]
        spread = spread - np.outer(gain, spread[0])
    return total


@pytest.mark.parametrize("f", [perceptron, filtered])
def test_a_hessian_times_a_vector_runs_the_function_with_its_tangent_once(f: Any) -> None:
    function, gradient = steps(pb.jit(f)), steps(pb.grad(f))
    product = steps(lambda x: pb.hvp(f, (x,), (x,)))
    assert product <= 2.25 * gradient, (product, gradient)
    assert product <= 8.0 * function, (product, function)


def by_one_of_two(x: Any, y: Any) -> Any:
    return np.sum(np.sin(x * y[0])) * y[1] + np.sum(y)


def test_derivatives_of_a_gradient_by_other_arguments() -> None:
    y = np.array([0.7, 1.3])
    mixed = lambda x, y: pb.grad(by_one_of_two)(x, y)
    expected = pb.jacrev(mixed, 1)(X, y)
    np.testing.assert_allclose(pb.jacfwd(mixed, 1)(X, y), expected, rtol=1e-13)
    both = pb.jvp(lambda x, y: pb.value_and_grad(by_one_of_two)(x, y), (X, y), (V, y))
    assert both[0][0] == pytest.approx(by_one_of_two(X, y), rel=1e-14)
    np.testing.assert_allclose(both[1][1], pb.hessian(by_one_of_two)(X, y) @ V + expected @ y)
    assert both[1][0] == pytest.approx(pb.jvp(by_one_of_two, (X, y), (V, y))[1], rel=1e-14)


def size(f: Any) -> int:
    """How many lines the last Core program has."""
    return len(pb.show(f, np.array([0.3, 0.2])).splitlines())


def filter_(x: Any) -> Any:
    mean, spread, total = np.zeros(2), np.eye(2), 0.0
    for k in range(4):
        gain = spread[:, 0] / (spread[0, 0] + math.exp(x[1]))
        mean = mean + gain * (k - mean[0])
        spread = spread - np.outer(gain, spread[0]) + math.exp(x[0]) * np.eye(2)
        total += math.log(spread[0, 0]) + mean[0] ** 2
    return total


def test_core_grows_at_most_six_times_a_level(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [size(pb.jit(filter_)), size(pb.grad(filter_))]
    sizes.append(size(lambda x: pb.jvp(pb.grad(filter_), (x,), (x,))[1]))
    sizes.append(size(lambda x: pb.jvp(lambda z: pb.hvp(filter_, (z,), (z,))[0], (x,), (x,))[1]))
    assert all(b < 6 * a for a, b in itertools.pairwise(sizes)), sizes


class Spring:
    """An object that can change: captured, its attributes are read where they are asked for."""

    def __init__(self, stiffness: Any, rest: Any, name: str = "spring") -> None:
        self.stiffness, self.rest, self.name = stiffness, rest, name

    def energy(self, x: Any) -> Any:
        return np.sum(self.stiffness * (x - self.rest) ** 2)


class Net:
    def __init__(self, first: Spring, weight: float) -> None:
        self.first, self.weight = first, weight


def strain(net: Net, x: Any) -> Any:
    return net.weight**2 * net.first.energy(x)


NET, ALONG = Net(Spring(X, V), 1.5), Net(Spring(V, W[0]), -0.5)


def test_objects_from_outside_are_differentiated_as_arguments_are() -> None:
    wanted = pb.jvp(strain, (NET, X), (ALONG, V))[1]
    linear = pb.linearize(strain, NET, X)[1]
    assert linear(ALONG, V) == pytest.approx(wanted, rel=1e-13)
    captured = pb.jit(lambda x: pb.jvp(strain, (NET, x), (ALONG, V))[1])
    given = pb.jit(lambda net, along, x: pb.jvp(strain, (net, x), (along, V))[1])
    assert captured(X) == pytest.approx(wanted, rel=1e-13) == given(NET, ALONG, X)
    gradient = pb.jit(lambda x: pb.grad(strain)(NET, x).first.stiffness)(X)
    np.testing.assert_allclose(gradient, pb.grad(strain)(NET, X).first.stiffness, rtol=1e-13)
    pull = pb.jit(lambda x: pb.vjp(lambda net: strain(net, x), NET)[1](2.0)[0].weight)
    assert pull(X) == pytest.approx(2.0 * pb.grad(strain)(NET, X).weight, rel=1e-13)
    with pytest.raises(pb.PullbackError, match="same structure"):
        pb.jit(lambda x: pb.jvp(strain, (NET, x), (ALONG.first, V))[1])(X)


@pytest.mark.parametrize("order", [2, 3])
def test_powers_of_zero_with_exponents_that_only_the_run_knows(order: int) -> None:
    """The second derivative of x**0 and x**1 at 0 is 0, and not 0 times infinity, in every mode."""
    powers, x, t = np.arange(5), np.array([0.0, -1.0, 0.5]), np.array([0.7, 1.1, -0.4])

    def f(x: Any) -> Any:
        return np.sum(x[:, None] ** powers)

    g = f
    for _ in range(order):
        g = lambda x, g=g: pb.jvp(g, (x,), (t,))[1]
    wanted = {2: 2 + 6 * x + 12 * x**2, 3: 6 + 24 * x}[order] @ t**order
    assert pb.jit(g)(x) == pytest.approx(wanted, rel=1e-13)
    still = (np.zeros(3),) * (order - 1)
    assert pb.jet(f, (x,), ((t, *still),))[1][-1] == pytest.approx(wanted, rel=1e-13)
