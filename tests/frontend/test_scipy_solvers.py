"""Roots, splines and initial value problems of SciPy inside of functions that are differentiated:
values, errors, and derivatives of all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate as sg
from scipy import interpolate as si
from scipy import optimize as so

import pullback as pb
from tests import campaign

X = np.array([0.0, 0.7, 1.5, 2.6, 3.0, 4.1])
Y = np.array([0.3, 1.2, -0.4, 0.9, 2.0, 1.1])
T = np.array([0.1, 0.75, 1.2, 2.9, 3.5, 4.0])
BEYOND = np.array([-0.5, 0.1, 4.5, 2.0])
GRID = np.linspace(0.0, 1.0, 4), np.linspace(0.0, 2.0, 5)
TABLE = np.sin(GRID[0][:, None] * 3.0 + GRID[1][None])
PLACES = np.array([[0.1, 0.3], [0.55, 1.2], [0.9, 1.9]])


def by_brackets(p):
    """The equation captures the parameter, or is given it."""
    def f(x, q):
        return x**3 - q * x - 1.0

    a = so.brentq(lambda x: x**3 - p * x - 1.0, 0, 3)
    b, told = so.ridder(f, 0.0, 3.0, args=(p,), full_output=True)
    c = so.root_scalar(f, args=p, bracket=(0, 3), method="bisect")
    d = so.brenth(f, 0.0, 3.0, (p,))
    return a + 2.0 * b * told.converged + 3.0 * c.root * c.iterations + 4.0 * d


def by_points(p):
    def f(x, q):
        return x**3 - q * x - 1.0

    a = so.newton(f, 2.0, args=(p,))
    b = so.newton(f, 2, lambda x, q: 3.0 * x**2 - q, (p,))
    c = so.newton(f, 2.0, lambda x, q: 3.0 * x**2 - q, (p,), fprime2=lambda x, q: 6.0 * x)
    d = so.root_scalar(lambda x: f(x, p), x0=2.0)
    e = so.root_scalar(lambda x: f(x, p), x0=2.0, x1=1.5)
    return a * b + c * d.root * d.function_calls + e.root


def in_a_loop(v):
    total = 0.0
    for p in v:
        root = so.brentq(lambda x, p=p: x**3 - p * x * v[0] - 1.0, 0.0, 5.0)
        total += root * np.sin(root)
    return total


def splines(y):
    made = si.CubicSpline(X, y, bc_type=((1, 0.5), "natural"))
    return np.concatenate((made(T), made(BEYOND, 1), [made.integrate(0.2, 3.3)]))


def rings(y):
    return si.CubicSpline(X, np.concatenate((y[:-1], y[:1])), bc_type="periodic")(BEYOND)


def by_the_points(x):
    return si.CubicSpline(x, Y).derivative()(T)


def of_rows(y):
    return si.Akima1DInterpolator(X, np.stack((y, y**2)), axis=1)(T)


def between(y):
    made = [si.interp1d(X, y, kind=k)(T) for k in ("linear", "nearest", "previous", "next")]
    beyond = si.interp1d(X, y, fill_value="extrapolate")(BEYOND)
    filled = si.interp1d(X, y, bounds_error=False, fill_value=(y[0], y[-1]))(BEYOND)
    return np.concatenate((*made, beyond, filled, si.interp1d(X, y, kind="cubic")(T)))


def on_a_grid(places):
    made = si.RegularGridInterpolator(GRID, TABLE)
    near = si.interpn(GRID, TABLE, places + 0.5, "nearest", bounds_error=False, fill_value=0.0)
    return made(places) * made([places[0, 0], 0.7])[0] + near


def oscillator(p):
    """The times of a vector, backward, and the last state of steps of the solver's own."""
    def f(t, y, q):
        return [q * y[1], -y[0] * p]

    made = sg.solve_ivp(f, (2.0, 0.0), [1.0, p], "RK23", np.array([2.0, 1.3, 0.2]), args=(p,),
                        rtol=1e-7, atol=1e-7)  # fmt: skip
    return np.ravel(made.y) * made.t[1] * made.success


def growth(end):
    made = sg.solve_ivp(lambda t, y: y * np.cos(t), (0.0, end), [1.0], rtol=1e-8, atol=1e-8)
    return made.y[0, -1] * made.nfev


def of_order_eight(p):
    """The solution as a function of time, forward and backward."""
    def f(t, y):
        return np.array([y[1], -p * np.sin(y[0])])

    a = sg.solve_ivp(f, (0.0, 2.0), [1.0, p], "DOP853", [0.0, 0.3, 0.6], True, rtol=1e-9, atol=1e-9)
    b = sg.solve_ivp(f, (2.0, 0.0), [1.0, p], dense_output=True, rtol=1e-9, atol=1e-9)
    return np.concatenate((a.sol(p), b.sol(p), np.ravel(a.sol(T[:3])), a.y[0]))


SEEN = np.array([[10.0, 5.0], [6.2, 8.1], [4.1, 6.0], [4.9, 4.2], [7.7, 4.1]])


def misfit(v):
    """How far hares and lynxes are from what was seen, by rates and by what there was at first."""
    found = sg.odeint(
        lambda y, t, a, b: [a * y[0] - b * y[0] * y[1], 0.5 * b * y[0] * y[1] - y[1]], v[2:],
        np.linspace(0.0, 2.0, 5), args=(v[0], v[1]),
    )  # fmt: skip
    back = sg.odeint(lambda t, y: -v[0] * y, 2.0, [1.0, 0.5, 0.5, 0.0], tfirst=True, hmax=0.1)
    return np.array([np.sum((found - SEEN) ** 2), back[2, 0], back[3, 0]])


CASES: list[tuple[Any, Any]] = [
    (by_brackets, 1.3), (splines, Y), (by_points, 1.3), (in_a_loop, np.array([1.3, 0.4, 2.0])),
    (by_the_points, X), (rings, Y), (oscillator, 1.3), (growth, 1.5), (of_order_eight, 1.3),
    (misfit, np.array([1.5, 0.3, 10.0, 5.0])),
    (of_rows, Y), (between, Y), (on_a_grid, PLACES),
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "x"), campaign.part("surface", CASES, 6), ids=lambda v: getattr(v, "__name__", "")
)
def test_values_and_derivatives(f, x):
    weights = np.cos(np.arange(np.size(f(x))) + 1.0)

    def loss(x):
        return np.sum(np.cos(np.arange(np.size(f(x))) + 1.0) * np.ravel(f(x)))

    def plain(x):
        return float(np.sum(weights * np.ravel(f(x))))

    tolerance = 1e-12 if f in (oscillator, growth) else 1e-14
    tolerance = 1e-6 if f is misfit else 1e-9 if f is of_order_eight else tolerance
    np.testing.assert_allclose(pb.jit(f)(x), f(x), rtol=tolerance, atol=1e-15)
    along = np.cos(np.arange(np.size(x)) + 2.0).reshape(np.shape(x)) if np.ndim(x) else 1.0
    h = 1e-5
    gradient = pb.grad(loss)(x)
    np.testing.assert_allclose(pb.grad(loss, method="dual")(x), gradient, rtol=1e-10, atol=1e-12)
    tangent = pb.jvp(loss, (x,), (along,))[1]
    assert tangent == pytest.approx(float(np.sum(gradient * along)), rel=1e-10, abs=1e-11)
    slope = (plain(x + h * along) - plain(x - h * along)) / (2.0 * h)
    assert tangent == pytest.approx(slope, rel=1e-5, abs=1e-6)
    if f in (by_brackets, by_points):
        second = pb.jvp(pb.grad(loss), (x,), (along,))[1]
        slopes = (pb.grad(loss)(x + h * along) - pb.grad(loss)(x - h * along)) / (2.0 * h)
        np.testing.assert_allclose(second, slopes, rtol=1e-4, atol=1e-6)


def without_a_root(p):
    return so.brentq(lambda x: x * x + p, -1.0, 1.0)


def of_nan(p):
    return so.brentq(lambda x: np.log(x - p), -1.0, 4.0)


def too_short(p):
    return so.newton(lambda x: x**3 - p, 50.0, maxiter=2)


def outside(p):
    return si.interp1d(X, Y)(X[-1] + p)


def too_late(p):
    return sg.solve_ivp(lambda t, y: y * p, (0.0, 1.0), [1.0], t_eval=[0.0, 2.0]).y[0, -1]


def not_in_order(p):
    return si.PchipInterpolator(X[::-1] * p, Y)(0.5)


@pytest.mark.parametrize("f", [without_a_root, of_nan, too_short, outside, too_late, not_in_order])
def test_the_errors_are_those_of_scipy(f):
    with pytest.raises((ValueError, RuntimeError)) as wanted, np.errstate(all="ignore"):
        f(1.5)
    with pytest.raises(type(wanted.value)) as found:
        pb.jit(f)(1.5)
    assert str(found.value) == str(wanted.value)


MADE_BEFORE = si.CubicSpline(X, Y)


@pytest.mark.parametrize("f", [
    lambda p: MADE_BEFORE(p), lambda p: si.interp1d(X, Y, kind="quadratic")(p)
])  # fmt: skip
def test_what_was_out(f):
    h = 1e-6
    assert pb.jit(f)(1.5) == pytest.approx(f(1.5), rel=1e-13)
    slope = (f(1.5 + h) - f(1.5 - h)) / (2 * h)
    for method in ("chad", "dual"):
        assert pb.grad(f, method=method)(1.5) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(("f", "reason"), [
    (lambda p: so.newton(lambda x: x**2 - p, np.ones(3))[0], "newton from an array of points"),
    (lambda p: si.CubicSpline(X, Y * p), "as a result"),
    (lambda p: si.interp1d(X, np.float32(Y))(p), "float32"),
    (lambda p: sg.solve_ivp(lambda t, y: y * p, (0.0, 1.0), [1.0], "RK4").t, "this method"),
    (lambda p: sg.solve_ivp(lambda t, y: y * p, (0.0, 1.0), [1.0], "BDF", uband=1).t, "sparse Jac"),
])  # fmt: skip
def test_what_is_out_is_refused(f, reason):
    with pytest.raises(pb.PullbackError, match=reason):
        pb.jit(f)(1.5)
