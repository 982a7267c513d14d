"""Systems of equations and minima of SciPy inside of functions that are differentiated: values,
counts, errors, derivatives of all kinds, and where there is no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize as so

import pullback as pb
from tests import campaign

A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 5.0]])
V = np.array([0.3, 0.8, 1.2])


def rosen(p):
    return lambda x: (p - x[0]) ** 2 + 10.0 * (x[1] - x[0] ** 2) ** 2


def by_hybrid(v):
    """The equations capture the parameter, or are given it."""
    x, told, status, _ = so.fsolve(
        lambda x: A @ x + v * np.tanh(x) - 1.0, np.zeros(3), full_output=True, xtol=1e-13
    )
    y = so.fsolve(lambda x, q: x**3 - q * x - 1.0, 2, args=(v[0],), xtol=1e-13)
    return np.concatenate((x * status + told["fvec"], y))


def by_jacobian(p):
    def f(x, q):
        return [x[0] * np.cos(x[1]) - 4.0 * q, x[1] * x[0] - x[1] - 5.0]

    def slopes(x, q):
        return np.array([[np.cos(x[1]), -x[0] * np.sin(x[1])], [x[1], x[0] - 1.0]])

    a = so.fsolve(f, [1.0, 1.0], p, fprime=slopes, xtol=1e-13)
    b = so.root(f, (1.0, 1.0), (p,), jac=slopes, tol=1e-13)
    c = so.root(lambda x: (f(x, p), slopes(x, p)), [1.0, 1.0], jac=True, tol=1e-13)
    return a * b["x"] * b.success + c.x + c.fun


def of_a_bracket(p):
    a = so.minimize_scalar(lambda x: (x - p) ** 4 + x**2 + np.sin(p * x))
    b = so.minimize_scalar(lambda x, q: np.cos(q * x) + 0.1 * x * x, (1, 2), args=(p,), tol=1e-10)
    c = so.minimize_scalar(
        lambda x: np.cos(p * x) + 0.1 * x * x, (1.0, 2.0, 7.0), options={"xtol": 1e-9}
    )
    d = so.minimize_scalar(lambda x: np.exp(x) - p * x, method="golden")
    return a.x + a.fun * a.success + b.x * b.fun + c["x"] + d.x


def of_bounds(p):
    """The minimum lies inside, or on a bound that moves."""
    def f(x):
        return (x - p) ** 2

    close = {"xatol": 1e-10}
    a = so.minimize_scalar(
        lambda x: np.exp(x) - p * x, bounds=(-1.0, 3), method="bounded", options=close
    )
    b = so.minimize_scalar(f, bounds=(p**2, 3.0), options=close)
    c = so.minimize_scalar(f, bounds=(-1.0, 0.5 * p), options=close)
    return a.x + 2.0 * a.fun + b.x * b.fun + c.x


def by_gradients(p):
    def slope(x):
        y = x[1] - x[0] ** 2
        return np.array([2.0 * (x[0] - p) - 40.0 * x[0] * y, 20.0 * y])

    a = so.minimize(rosen(p), [-1.0, 2.0], jac=slope, options={"gtol": 1e-9})
    b = so.minimize(rosen(p), [-1.0, 2.0], tol=1e-9)
    return a.x * b.x + a.fun


def by_pairs(v):
    def f(x, q):
        e, s = x - q, np.sum(x)
        return np.sum(np.cosh(e)) + 0.1 * s**2, np.sinh(e) + 0.2 * s

    made = so.minimize(f, np.zeros(3), (v,), "BFGS", jac=True, tol=1e-10)
    return made.x * made.fun + made.jac


def by_simplex(p):
    return so.minimize(
        rosen(p), [-1.0, 2.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    ).x


def between_bounds(v):
    """A number lies on a bound that moves, the others do not."""
    def f(x):
        return (v[0] - x[0]) ** 2 + 10.0 * (x[1] - x[0] ** 2) ** 2 + (x[2] - v[1]) ** 2

    a = so.minimize(f, [-1.0, 2.0, 0.0], bounds=[(None, 0.6 * v[0]), (-1, None), (0.0, 3.0)],
                    options={"gtol": 1e-9, "ftol": 1e-15})  # fmt: skip
    return a.x * a.fun


def by_conjugates(p):
    def slope(x):
        y = x[1] - x[0] ** 2
        return np.array([2.0 * (x[0] - p) - 4.0 * x[0] * y, 2.0 * y])

    def f(x):
        return (p - x[0]) ** 2 + (x[1] - x[0] ** 2) ** 2

    a = so.minimize(f, [-1.0, 2.0], method="CG", jac=slope, tol=1e-9)
    b = so.minimize(f, [-1.0, 2.0], method="Newton-CG", jac=slope, tol=1e-9)
    return a.x * b.x


def by_older_names(p):
    def g(x):
        return np.exp(x) - p * x

    a = so.fminbound(g, -1.0, 3.0, xtol=1e-10)
    b = so.brent(g, tol=1e-12) * so.golden(g, brack=(-1.0, 1.0))
    c = so.fixed_point(lambda x: np.cos(p * x) * np.array([1.0, 0.5]), np.array([0.5, 0.4]))
    d, least, told = so.fmin_l_bfgs_b(lambda x: (x[0] - p) ** 2 + x[0] ** 4, [2.0], None,
                                      approx_grad=1, pgtol=1e-9, factr=10.0)  # fmt: skip
    return np.concatenate((c, d, [a, b, least, told["nit"]]))


def by_names_that_print(p):
    def slope(x):
        return np.array([2.0 * (x[0] - p), 2.0 * x[1]])

    def f(x):
        return (x[0] - p) ** 2 + x[1] ** 2

    return np.concatenate((
        so.fmin(f, [0.3, 1.0], xtol=1e-9, ftol=1e-12, disp=False),
        so.fmin_bfgs(f, [0.3, 1.0], slope, disp=0), so.fmin_cg(f, [0.3, 1.0], slope, disp=0),
        so.fmin_ncg(f, [0.3, 1.0], slope, disp=False),
    ))  # fmt: skip


CASES: list[tuple[Any, Any]] = [
    (by_hybrid, V), (of_a_bracket, 1.3), (by_gradients, 1.3), (by_jacobian, 1.3), (of_bounds, 1.3),
    (by_pairs, V), (by_simplex, 1.3), (between_bounds, V), (by_conjugates, 1.3),
    (by_older_names, 1.3), (by_names_that_print, 1.3),
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "x"), campaign.part("surface", CASES, 6, ()), ids=lambda v: getattr(v, "__name__", "")
)
def test_values_and_derivatives(f, x):
    weights = np.cos(np.arange(np.size(f(x))) + 1.0)

    def loss(x):
        return np.sum(np.cos(np.arange(np.size(f(x))) + 1.0) * np.ravel(f(x)))

    def plain(x):
        return float(np.sum(weights * np.ravel(f(x))))

    np.testing.assert_allclose(pb.jit(f)(x), f(x), rtol=1e-7, atol=1e-9)
    along = np.cos(np.arange(np.size(x)) + 2.0).reshape(np.shape(x)) if np.ndim(x) else 1.0
    h = 1e-3
    gradient = pb.grad(loss)(x)
    np.testing.assert_allclose(pb.grad(loss, method="dual")(x), gradient, rtol=1e-10, atol=1e-12)
    tangent = pb.jvp(loss, (x,), (along,))[1]
    assert tangent == pytest.approx(float(np.sum(gradient * along)), rel=1e-9, abs=1e-10)
    slope = (plain(x + h * along) - plain(x - h * along)) / (2.0 * h)
    assert tangent == pytest.approx(slope, rel=2e-4, abs=1e-5)


@pytest.mark.parametrize(("f", "second"), [
    (lambda p: so.fsolve(lambda x: x**3 - p, [2.0], xtol=1e-13)[0], -2.0 / 9.0 * 1.3 ** (-5 / 3)),
    (lambda p: so.minimize_scalar(lambda x: np.exp(x) - p * x, tol=1e-12).x, -(1.3**-2)),
])  # fmt: skip
def test_the_second_derivative_is_exact(f, second):
    assert pb.hessian(f)(1.3) == pytest.approx(second, rel=1e-6)


def test_a_minimum_on_a_bound_moves_with_it():
    def place(p):
        return so.minimize_scalar(lambda x: (x - p) ** 2, bounds=(p**2, 3.0)).x

    assert pb.grad(place)(1.3) == pytest.approx(2.6, rel=1e-12)


def test_assignments():
    """Ties are those of SciPy, and the costs that are chosen have a derivative."""
    def chosen(costs):
        rows, columns = so.linear_sum_assignment(costs)
        return np.sum(costs[rows, columns] ** 2)

    compiled = pb.jit(lambda c: so.linear_sum_assignment(c))
    most = pb.jit(lambda c: so.linear_sum_assignment(c, maximize=True))
    draw = np.random.default_rng(7)
    for _ in range(60):
        costs = draw.integers(0, 5, size=draw.integers(1, 7, size=2)) * 1.0
        np.testing.assert_array_equal(compiled(costs), so.linear_sum_assignment(costs))
        np.testing.assert_array_equal(most(costs), so.linear_sum_assignment(costs, maximize=True))
    costs = np.array([[4.0, 1.0, 3.0], [2.0, 0.5, 5.0]])
    np.testing.assert_array_equal(pb.grad(chosen)(costs), [[0.0, 2.0, 0.0], [4.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="invalid numeric entries"):
        compiled(costs * np.nan)
    with pytest.raises(ValueError, match="infeasible"):
        compiled(costs * np.inf)


def told_by_roots(p):
    made = so.root(lambda x: x**3 - p, [2.0])
    return made.nfev, made.status, made.success


def told_by_few_calls(p):
    x, told, status, _ = so.fsolve(lambda x: x**3 - p, [50.0], full_output=True, maxfev=4)
    return x, told["nfev"], status


def told_by_numbers(p):
    a = so.minimize_scalar(lambda x: (x - p) ** 4 + x**2)
    b = so.minimize_scalar(lambda x: (x - p) ** 4 + x**2, bounds=(0.0, 1.0))
    c = so.minimize_scalar(lambda x: (x - p) ** 4 + x**2, method="golden")
    d = so.minimize_scalar(lambda x: x * p)
    return (a.x, a.nit, a.nfev, a.success, b.x, b.nit, b.nfev, b.status, c.x, c.nit, c.nfev,
            d.x, d.nit, d.nfev, d.success)  # fmt: skip


def told_by_vectors(p):
    a = so.minimize(rosen(p), [-1.0, 2.0])
    b = so.minimize(rosen(p), [-1.0, 2.0], method="Nelder-Mead")
    c = so.minimize(
        rosen(p), [-1.0, 0.0], method="nelder-mead", options={"maxfev": 37, "adaptive": True}
    )
    d = so.minimize(rosen(p), [-1.0, 2.0], options={"maxiter": 3})
    return (a.nit, a.nfev, a.njev, a.status, b.nit, b.nfev, b.success, c.nit, c.nfev, c.status,
            d.x, d.nit, d.status)  # fmt: skip


def told_of(a):
    return a.x, a.nit, a.nfev, a.njev, a.status, len(a.message)


def told_by_memory(p):
    a = so.minimize(rosen(p), [-1.0, 2.0], method="L-BFGS-B", options={"maxcor": 3})
    b = so.minimize(rosen(p), [-1.0, 2.0], bounds=so.Bounds(-2.0, [0.9, 3.0]))
    return *told_of(a), *told_of(b)


def told_by_conjugates(p):
    def slope(x):
        y = x[1] - x[0] ** 2
        return np.array([2.0 * (x[0] - p) - 40.0 * x[0] * y, 20.0 * y])

    def bend(x):
        steep = 2.0 - 40.0 * (x[1] - 3.0 * x[0] ** 2)
        return np.array([[steep, -40.0 * x[0]], [-40.0 * x[0], 20.0]])

    a = so.minimize(rosen(p), [-1.0, 2.0], method="CG")
    b = so.minimize(rosen(p), [-1.0, 2.0], method="Newton-CG", jac=slope)
    c = so.minimize(rosen(p), [-1.0, 2.0], method="Newton-CG", jac=slope, hess=bend)
    d = so.minimize(rosen(p), [-1.0, 0.5], method="Nelder-Mead", bounds=[(-2, 2), (0.0, 1.0)])
    return *told_of(a), *told_of(b), *told_of(c), d.x, d.nfev


TOLD = [told_by_roots, told_by_few_calls, told_by_numbers, told_by_vectors, told_by_memory,
        told_by_conjugates]  # fmt: skip


@pytest.mark.parametrize("f", campaign.part("surface", TOLD, 5))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_search_is_that_of_scipy(f):
    for wanted, found in zip(f(1.3), pb.jit(f)(1.3), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-7)


def rough_ends(p, tol=None):
    """Searches that end somewhat before the minimum, if SciPy's tolerances are the default."""
    a = so.minimize(
        rosen(1.0), [0.1, 0.1], method="SLSQP", tol=tol,
        constraints={"type": "ineq", "fun": lambda x: p - x @ x},
    )
    b = so.minimize(lambda x: (x[0] - 0.6) ** 2 + x[0] * x[1] + np.cosh(x[1]), [0.1, 0.1],
                    method="SLSQP", bounds=[(0.0, p), (None, None)], tol=tol)  # fmt: skip
    return (a.x + b.x) @ np.array([1.0, 3.0])


def test_the_derivative_of_a_rough_search_is_that_of_the_minimum():
    assert pb.jit(rough_ends)(0.3) == pytest.approx(rough_ends(0.3), 1e-8)
    slope = (rough_ends(0.301, 1e-15) - rough_ends(0.299, 1e-15)) / 0.002
    assert pb.grad(rough_ends)(0.3) == pytest.approx(slope, 1e-4)


@pytest.mark.parametrize("f", [
    lambda p: so.minimize_scalar(lambda x: abs(x - p) + 0.5 * x * x).x,
    lambda p: so.fsolve(lambda x: x**3 - p, [50.0], maxfev=4)[0],
    lambda p: so.minimize(rosen(p), [-1.0, 2.0], options={"maxiter": 3}).x[0],
    lambda p: so.minimize(
        lambda x: (x[0] - p) ** 2 + (x[1] - 0.3 * p) ** 2 + abs(x[1]) + 0.1 * x[0] * x[1],
        [1.0, 1.0], method="Nelder-Mead",
    ).x[0],
])  # fmt: skip
def test_at_a_kink_and_at_a_stop_the_derivative_is_nan(f):
    assert np.isnan(pb.grad(f)(0.3))
    assert np.isnan(pb.jvp(f, (0.3,), (1.0,))[1])


@pytest.mark.parametrize("f", [
    lambda p: so.minimize_scalar(lambda x: (x - p) ** 2, bracket=(0.0, 5.0, 1.0)).x,
    lambda p: so.minimize_scalar(lambda x: (x - p) ** 2, bounds=(2.0, 1.0)).x,
    lambda p: so.minimize(lambda x: x * p, [1.0, 2.0]).x,
    lambda p: so.minimize(lambda x: np.sum(x * p), np.ones((2, 2))).x,
])  # fmt: skip
def test_the_errors_are_those_of_scipy(f):
    with pytest.raises((ValueError, RuntimeError)) as wanted:
        f(1.5)
    with pytest.raises((ValueError, RuntimeError)) as found:
        pb.jit(f)(1.5)
    assert str(found.value) == str(wanted.value)


@pytest.mark.parametrize(("f", "reason"), [
    (lambda p: so.minimize(rosen(p), [0.0, 0.0], method="CG", bounds=[(0, 1)] * 2).x, "bounds"),
    (lambda p: so.minimize(rosen(p), [0.0, 0.0], method="lbfgs").x, "by this method"),
    (lambda p: so.minimize(rosen(p), [0.0, 0.0], options={"norm": 2}).x, "this option"),
    (lambda p: so.minimize(rosen(p), [0.0, 0.0]).hess_inv, "hess_inv"),
    (lambda p: so.fmin(rosen(p), [0.0, 0.0]), "prints how it ended"),
    (lambda p: so.fmin_cg(rosen(p), [0.0, 0.0], full_output=1, disp=0)[0], "full_output"),
    (lambda p: so.minimize_scalar(rosen(p), options={"disp": 3}).x, "this option"),
    (lambda p: so.root(rosen(p), [0.0], method="krylov", options={"disp": 1}).x, "this option"),
    (lambda p: so.fsolve(rosen(p), [0.0], band=(1, 1)), "band"),
])  # fmt: skip
def test_what_is_out_is_refused(f, reason):
    with pytest.raises(pb.PullbackError, match=reason):
        pb.jit(f)(1.5)
