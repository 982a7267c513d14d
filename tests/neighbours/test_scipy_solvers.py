"""``pb.interop.scipy`` with SciPy's own solvers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy import integrate, optimize
from scipy.sparse.linalg import LinearOperator

import pullback as pb

sp = pb.interop.scipy
START = np.array([1.3, 0.7, 0.8, 1.9])


def rosenbrock(x, a=100.0):
    return np.sum(a * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


T = np.linspace(0.0, 1.0, 30)
Y = 3.0 * np.exp(-2.0 * T) + 0.5


@dataclass
class Decay:
    a: float
    b: np.ndarray


def residuals(p, y):
    return p["a"] * np.exp(-p["b"][0] * T) + p["b"][1] - y


def chain(x):
    out = np.empty(len(x))
    for i in range(len(x)):
        left = x[i - 1] if i > 0 else 0.0
        out[i] = (3.0 - 0.5 * x[i]) * x[i] - left + 1.0
    return out


# --- minimize -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"])
def test_products_with_the_hessian(method: str) -> None:
    found = optimize.minimize(
        pb.value_and_grad(rosenbrock), START, (50.0,), method, jac=True, hessp=sp.hessp(rosenbrock)
    )
    np.testing.assert_allclose(found.x, 1.0, atol=1e-3)
    wanted = optimize.rosen_hess_prod(START, np.arange(4.0))
    np.testing.assert_allclose(sp.hessp(rosenbrock)(START, np.arange(4.0)), wanted, rtol=1e-13)


def test_a_hessian_as_an_operator() -> None:
    made = sp.hess_operator(rosenbrock)(START, 100.0)
    assert isinstance(made, LinearOperator)
    np.testing.assert_allclose(made @ np.eye(4), optimize.rosen_hess(START), rtol=1e-13)
    ball = optimize.NonlinearConstraint(lambda x: x @ x, 0.0, 2.0)
    found = optimize.minimize(
        rosenbrock, START / 2.0, method="trust-constr", jac=pb.grad(rosenbrock),
        hess=sp.hess_operator(rosenbrock), constraints=[ball],
    )  # fmt: skip
    plain = optimize.minimize(
        optimize.rosen, START / 2.0, method="SLSQP", jac=optimize.rosen_der,
        constraints={"type": "ineq", "fun": lambda x: 2.0 - x @ x},
    )  # fmt: skip
    assert found.fun == pytest.approx(plain.fun, rel=1e-4)


@pytest.mark.parametrize(
    "method", [None, "CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "Newton-CG", "trust-exact",
               "trust-ncg", "trust-krylov", "trust-constr", "Nelder-Mead", "dogleg"],
)  # fmt: skip
def test_minimize_takes_structures(method: str | None) -> None:
    def bowl(p, shift):
        return (p["a"] - shift) ** 2 + np.sum((p["b"] - 2.0) ** 2 * np.array([1.0, 3.0]))

    found = sp.minimize(bowl, {"a": 0.5, "b": np.array([1.0, 3.0])}, (1.5,), method, tol=1e-8)
    assert found.x["a"] == pytest.approx(1.5, abs=1e-4)
    np.testing.assert_allclose(found.x["b"], 2.0, atol=1e-4)
    slope = found.get("grad" if method == "trust-constr" else "jac")
    assert slope is None or set(slope) == {"a", "b"}


def test_minimize_takes_objects() -> None:
    def loss(p):
        return np.sum((p.a * np.exp(-p.b[0] * T) + p.b[1] - Y) ** 2)

    found = sp.minimize(loss, Decay(1.0, np.array([1.0, 0.0])), method="BFGS")
    assert isinstance(found.x, Decay)
    assert found.x.a == pytest.approx(3.0, rel=1e-4)
    np.testing.assert_allclose(found.x.b, [2.0, 0.5], rtol=1e-3)


def test_given_derivatives_are_kept() -> None:
    called = []

    def hess(x):
        called.append(1)
        return optimize.rosen_hess(x)

    sp.minimize(rosenbrock, START, method="trust-exact", hess=hess)
    assert called


# --- least_squares --------------------------------------------------------------------------------


@pytest.mark.parametrize("jac", ["dense", "sparse", "operator"])
def test_least_squares_takes_structures(jac: str) -> None:
    start = {"a": 1.0, "b": np.array([1.0, 0.0])}
    found = sp.least_squares(residuals, start, (Y,), jac=jac)
    assert found.x["a"] == pytest.approx(3.0, rel=1e-6)
    np.testing.assert_allclose(found.x["b"], [2.0, 0.5], rtol=1e-6)
    assert set(found.grad) == {"a", "b"}


def test_a_form_that_is_none() -> None:
    with pytest.raises(ValueError, match="dense, sparse, operator"):
        sp.least_squares(residuals, {"a": 1.0, "b": np.zeros(2)}, (Y,), jac="banded")


def test_a_jacobian_as_an_operator() -> None:
    x = np.linspace(0.1, 1.0, 6)
    made, whole = sp.jac_operator(chain)(x), pb.jacobian(chain)(x)
    np.testing.assert_allclose(made @ np.eye(6), whole, rtol=1e-14)
    np.testing.assert_allclose(made.T @ np.eye(6), whole.T, rtol=1e-14)
    found = optimize.least_squares(chain, x, jac=sp.jac_operator(chain), tr_solver="lsmr")
    np.testing.assert_allclose(chain(found.x), 0.0, atol=1e-6)


def test_where_a_jacobian_is_not_zero() -> None:
    x = np.linspace(0.1, 1.0, 200)
    pattern = sp.jac_sparsity(chain, x)
    assert scipy.sparse.issparse(pattern) and pattern.nnz <= 2 * 200
    exact = pb.jacobian(chain)(x)
    assert not (exact[pattern.toarray() == 0] != 0.0).any()
    by_pattern = optimize.least_squares(chain, x, jac_sparsity=pattern)
    by_matrix = optimize.least_squares(chain, x, jac=pb.sparse_jacobian(chain))
    np.testing.assert_allclose(by_pattern.x, by_matrix.x, atol=1e-6)


# --- root -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["hybr", "lm", "krylov", "df-sane"])
def test_root_takes_structures(method: str) -> None:
    def equations(p, c):
        return np.array([p["u"][0] + p["v"] - c, p["u"][0] * p["u"][1] - 2.0, p["u"][1] - p["v"]])

    found = sp.root(equations, {"u": np.array([1.0, 1.0]), "v": 1.2}, (3.0,), method)
    assert found.success
    np.testing.assert_allclose(equations(found.x, 3.0), 0.0, atol=1e-4)


def test_root_of_scipy_itself() -> None:
    found = optimize.root(chain, np.ones(5), jac=pb.jacobian(chain))
    assert found.success and "njev" in found
    np.testing.assert_allclose(chain(found.x), 0.0, atol=1e-9)


# --- solve_ivp and quad ---------------------------------------------------------------------------


def robertson(t, y):
    a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return np.array([b - a, a - b - c, c])


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_a_stiff_equation(method: str) -> None:
    start = np.array([1.0, 0.0, 0.0])
    options: dict[str, Any] = {"method": method, "rtol": 1e-8, "atol": 1e-10}
    plain = integrate.solve_ivp(robertson, (0.0, 40.0), start, **options)
    exact = integrate.solve_ivp(
        pb.jit(robertson), (0.0, 40.0), start, jac=pb.jacobian(robertson, 1), **options
    )
    np.testing.assert_allclose(exact.y[:, -1], plain.y[:, -1], rtol=1e-6)
    # Hairer and Wanner, Solving Ordinary Differential Equations II, problem ROBER
    np.testing.assert_allclose(exact.y[:, -1], [0.7158, 9.1855e-6, 0.28416], rtol=1e-3)


def heat(t, y):
    out = np.empty(len(y))
    for i in range(len(y)):
        left = y[i - 1] if i > 0 else 0.0
        right = y[i + 1] if i + 1 < len(y) else 0.0
        out[i] = 400.0 * (left - 2.0 * y[i] + right)
    return out


def test_a_pattern_for_a_stiff_equation() -> None:
    y = np.sin(np.linspace(0.0, math.pi, 100))
    pattern = sp.jac_sparsity(heat, 0.0, y, argnum=1)
    assert pattern.nnz == 298
    by_pattern = integrate.solve_ivp(heat, (0.0, 0.5), y, method="BDF", jac_sparsity=pattern)
    by_matrix = integrate.solve_ivp(
        heat, (0.0, 0.5), y, method="BDF", jac=pb.sparse_jacobian(heat, 1)
    )
    np.testing.assert_allclose(by_pattern.y[:, -1], by_matrix.y[:, -1], rtol=1e-2, atol=1e-6)


def test_quad_calls_compiled_code() -> None:
    def bell(x):
        return math.exp(-x * x)

    area, _ = integrate.quad(sp.low_level(bell), -6.0, 6.0)
    assert area == pytest.approx(math.sqrt(math.pi), rel=1e-12)


def test_quad_inside_a_gradient_of_its_limit() -> None:
    """The derivative of an integral by a parameter is the integral of the derivative."""
    slope = pb.grad(lambda a, x: math.exp(-a * x * x))
    found, _ = integrate.quad(lambda x: slope(1.5, x), -8.0, 8.0)
    assert found == pytest.approx(-0.5 * math.sqrt(math.pi) * 1.5**-1.5, rel=1e-9)
