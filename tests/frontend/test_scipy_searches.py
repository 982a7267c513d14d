"""Minima under constraints, least minima, programs and equations by SciPy's own search, which asks
compiled code for values: they are SciPy's to the bit, and have the derivative of the conditions
that define them."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy import optimize as so

import pullback as pb
from pullback.core import reverse_communication as steps
from tests import campaign

A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 5.0]])
ROWS = np.array([[1.0, -2.0], [0.5, 1.0], [2.0, 0.3]])


LIMIT = {"type": "eq", "fun": np.sum}


def valley(p):
    return lambda x: (p - x[0]) ** 2 + 10.0 * (x[1] - x[0] ** 2) ** 2


def waves(p):
    return lambda x: (x[0] - p) ** 2 + 3.0 * np.sin(3.0 * x[0]) ** 2 + (x[1] - 0.5 * p) ** 2


def under_constraints(p):
    """One holds the minimum, one does not, a bound moves."""
    limits = [
        {"type": "eq", "fun": lambda x: 1.0 - x[0] - p * x[1]},
        {"type": "ineq", "fun": lambda x: np.array([5.0 - x[0], x[1] + 7.0])},
    ]
    a = so.minimize(valley(p), [0.0, 0.0], constraints=limits[0], tol=1e-10)
    b = so.minimize(valley(p), [0.0, 0.0], tol=1e-10, bounds=[(0.0, None), (None, 0.2 * p)],
                    constraints=[{"type": "ineq", "fun": lambda x, q: 1.0 - x[0] - q * x[1],
                                  "args": (p,), "jac": lambda x, q: np.array([-1.0, -q])},
                                 {"type": "ineq", "fun": lambda x: x + 7.0}])  # fmt: skip
    return np.concatenate((a.x * a.fun, b.x, [a.nit, a.nfev, b.status]))


def in_a_region(p):
    disc = so.NonlinearConstraint(lambda x: x @ x, -np.inf, p)
    row = so.LinearConstraint([[1.0, p]], -np.inf, 1.0)
    a = so.minimize(valley(p), [0.0, 0.0], method="trust-constr", constraints=[disc, row],
                    options={"gtol": 1e-10, "xtol": 1e-12})  # fmt: skip
    return a.x


def by_directions(p):
    a = so.minimize(valley(p), [0.0, 0.0], method="Powell", tol=1e-10)
    return a.x * (1.0 + a.fun)


def by_curvature(p):
    def slope(x):
        y = x[1] - x[0] ** 2
        return np.array([2.0 * (x[0] - p) - 40.0 * x[0] * y, 20.0 * y])

    def bend(x):
        steep = 2.0 - 40.0 * (x[1] - 3.0 * x[0] ** 2)
        return np.array([[steep, -40.0 * x[0]], [-40.0 * x[0], 20.0]])

    a = so.minimize(valley(p), [0.0, 0.0], method="trust-exact", jac=slope, hess=bend, tol=1e-9)
    b = so.minimize(valley(p), [0.0, 0.0], method="trust-ncg", jac=slope, tol=1e-9,
                    hessp=lambda x, v: bend(x) @ v)  # fmt: skip
    return a.x * b.x


def least_of_all(p):
    a = so.differential_evolution(waves(p), [(-3.0, 3.0), (p, 4.0)], seed=3, tol=1e-8)
    b = so.dual_annealing(waves(p), [(-3, 3), (-1, 4)], rng=3, maxiter=20)
    return np.concatenate((a.x, b.x))


def of_programs(p):
    a = so.linprog([-1.0 * p, -2.0], A_ub=[[1.0, p], [3.0, 1.0]], b_ub=[4.0, 6.0 * p])
    b, left = so.nnls(ROWS, np.array([1.0, p, -2.0]))
    c = so.lsq_linear(ROWS, np.array([1.0, p, 0.5]), bounds=(-0.1 * p, [0.3, 2.0]))
    return np.concatenate((a.x * a.fun + a.slack, b * left, c.x * c.cost))


def of_equations(p):
    def f(x):
        return A @ x + p * np.tanh(x) - 1.0

    a = so.root(f, np.zeros(3), method="broyden1", tol=1e-11)
    b = so.root(f, np.zeros(3), method="krylov", options={"fatol": 1e-12})
    c = so.root(f, np.zeros(3), method="lm", tol=1e-12)
    d = so.toms748(lambda x, q: np.cos(x) - q * x, 0.0, 2.0, args=(p,))
    return a.x * b.x + c.x + d


CASES = [under_constraints, in_a_region, by_directions, by_curvature, least_of_all, of_programs,
         of_equations]  # fmt: skip


@pytest.mark.parametrize("f", campaign.part("surface", CASES, len(CASES)))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_and_derivatives(f):
    weights = np.cos(np.arange(len(f(1.3))) + 1.0)

    def loss(p):
        y = f(p)
        return np.sum(np.cos(np.arange(len(y)) + 1.0) * y)

    value, gradient = pb.value_and_grad(loss)(1.3)
    assert value == pytest.approx(loss(1.3), rel=1e-12, abs=1e-13)
    h = 1e-4
    slope = weights @ (f(1.3 + h) - f(1.3 - h)) / (2.0 * h)
    assert gradient == pytest.approx(slope, rel=2e-3, abs=1e-4)


def test_both_modes_both_methods_and_values_of_a_search():
    def f(p):
        return so.nnls(ROWS, np.array([1.0, p, -2.0]))[0] @ np.array([1.0, 2.0])

    np.testing.assert_allclose(pb.jit(f)(1.3), f(1.3), rtol=1e-13)
    gradient, h = pb.grad(f)(1.3), 1e-5
    assert gradient == pytest.approx((f(1.3 + h) - f(1.3 - h)) / (2.0 * h), rel=1e-7)
    assert pb.grad(f, method="dual")(1.3) == pytest.approx(gradient, rel=1e-12)
    assert pb.jvp(f, (1.3,), (1.0,))[1] == pytest.approx(gradient, rel=1e-12)


@pytest.mark.parametrize(("method", "tol"), [("SLSQP", 1e-2), ("SLSQP", 1e-5), ("COBYLA", 1e-2)])
def test_the_constraints_that_hold_are_chosen_at_the_minimum(method, tol):
    """The minimum lies on the line, said twice, from p = 0.5 on; the search ends somewhere near."""
    line = [{"type": "ineq", "fun": lambda z: 1.5 - z[0] - z[1]},
            {"type": "ineq", "fun": lambda z: 3.0 - 2.0 * (z[0] + z[1])}]  # fmt: skip

    def f(p):
        return so.minimize(lambda z: np.cosh(z[0] - p) + np.cosh(z[1] - 1.0), [0.1, 0.2],
                           method=method, tol=tol, constraints=line).x[0]  # fmt: skip

    gradient = pb.grad(f)
    for far in (1e-1, 1e-2, 1e-3, 1e-4):
        assert gradient(0.5 - far) == pytest.approx(1.0, rel=1e-6)
        assert gradient(0.5 + far) == pytest.approx(0.5, rel=1e-6)


def _in_a_box(p):
    return so.minimize(lambda z: np.cosh(z[0] - p) + np.cosh(z[1] - z[0]), [0.1, 0.2], tol=1e-2,
                       bounds=[(-2.0, 0.5), (None, 1.5)]).x  # fmt: skip


def _of_squares(p):
    return so.least_squares(lambda z: np.array([np.sinh(z[0] - p), z[1] - z[0]]), [0.1, 0.2],
                            bounds=([-2.0, -2.0], [0.5, 1.5]), ftol=1e-2).x  # fmt: skip


def _of_lines(p):
    rows, right = np.array([[1.0, 0.0], [1.0, -1.0]]), np.array([p, 0.0])
    return so.lsq_linear(rows, right, bounds=([-2.0, -2.0], [0.5, 1.5]), tol=1e-2).x


@pytest.mark.parametrize("f", [_in_a_box, _of_squares, _of_lines])
def test_the_bounds_that_hold_are_chosen_at_the_minimum(f):
    gradient = pb.grad(lambda p: f(p) @ np.array([1.0, 2.0]))
    for far in (1e-1, 1e-2, 1e-3, 1e-4):
        assert gradient(0.5 - far) == pytest.approx(3.0, rel=1e-6)
        assert gradient(0.5 + far) == pytest.approx(0.0, abs=1e-6)


def of_signs(p):
    return so.toms748(lambda x: x - p, 5.0, 6.0)


def test_errors_are_those_of_scipy_and_can_be_caught():
    def caught(p):
        try:
            return of_signs(p)
        except ValueError:
            return p

    with pytest.raises(ValueError, match="must have different signs") as wanted:
        of_signs(1.3)
    with pytest.raises(ValueError, match="must have different signs") as found:
        pb.jit(of_signs)(1.3)
    assert found.value.args == wanted.value.args
    assert pb.grad(caught)(1.3) == 1.0


def test_an_error_of_the_function_is_the_users():
    def f(p):
        def g(x):
            if x > 0.1:
                raise KeyError("far")
            return x - p

        return so.toms748(g, 0.0, 6.0)

    with pytest.raises(KeyError, match="far"):
        pb.jit(f)(2.0)


def test_what_is_out_is_refused():
    for f, reason in [
        (lambda p: so.minimize(valley(p), [0.0], method="BFGS", constraints=LIMIT).x,
         "by this method with constraints"),
        (lambda p: so.minimize(valley(p), [0.0], method="trust-ncg", bounds=[(0, 1)]).x, "bounds"),
        (lambda p: so.root(lambda x: x**3 - p, 1.0, method="df-sane").x, "no vector"),
        (lambda p: so.differential_evolution(valley(p), [(0, 1)]).x, "without a seed"),
    ]:  # fmt: skip
        with pytest.raises(pb.PullbackError, match=reason):
            pb.jit(f)(1.3)


# --- the steps ------------------------------------------------------------------------------------


def _tripled(ask):
    return [ask(1, [1.0])[0], ask(2, [2.0, 3.0])[0], 3.0]


def test_a_step_is_a_function_of_node_and_answer():
    first = steps.begun(b"a test", _tripled)
    one, other = (steps.resumed(first[0], np.array([v])) for v in (10.0, 20.0))
    assert first[1:] == (1, 1) and one[1:] == other[1:] == (2, 2) and one[0] != other[0]
    assert steps.begun(b"a test", _tripled) == first
    assert steps.resumed(first[0], np.array([10.0])) == one
    ends = [steps.resumed(n[0], np.array([5.0])) for n in (other, one)]
    assert [steps.numbers(e[0]).tolist() for e in ends] == [[20.0, 5.0, 3.0], [10.0, 5.0, 3.0]]


def test_solvers_that_nobody_answers_end():
    before = threading.active_count()
    for k in range(3 * steps.MOST):
        steps.begun(f"left {k}".encode(), _tripled)
    for thread in threading.enumerate():
        if thread.name == "pullback solver":
            thread.join(0.05)
    assert threading.active_count() <= before + steps.MOST


def test_many_answers_are_not_kept():
    first = steps.begun(b"many", lambda ask: sum(ask(1, [k])[0] for k in range(steps.MANY + 5)))
    at = first
    while at[1] > 0:
        at = steps.resumed(at[0], steps.numbers(at[0]))
    assert steps.numbers(at[0])[0] == sum(range(steps.MANY + 5))
    again = steps.resumed(first[0], np.array([7.0]))
    assert again[1] == 1 and steps.numbers(again[0])[0] == 1.0


def cheapest(costs, limit):
    limits = [(0, limit), (-limit, 1.0)]
    return so.linprog(costs, A_ub=[[1.0, 2.0]], b_ub=[limit], bounds=limits).fun


def test_the_value_of_a_program_has_a_second_derivative():
    """By the costs and by the limits the least value is the place times how that moves."""
    costs, limit = np.array([-2.0, -1.5]), 1.5
    for method in ("chad", "dual"):
        steep = pb.grad(cheapest, method=method)
        mixed = pb.jacfwd(steep, 1)(costs, limit)
        mixed_too = pb.jacrev(pb.grad(cheapest, 1, method=method))(costs, limit)
        wanted = (steep(costs, limit + 1e-5) - steep(costs, limit - 1e-5)) / 2e-5
        np.testing.assert_allclose(mixed, wanted, atol=1e-6)
        np.testing.assert_allclose(mixed_too, mixed, atol=1e-9)
        assert np.any(np.abs(mixed) > 0.1)
