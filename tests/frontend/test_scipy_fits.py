"""Fits of SciPy, ``curve_fit``, ``leastsq`` and ``least_squares``, inside of functions that are
differentiated: values, counts, errors and derivatives of all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize as so

import pullback as pb
from tests import campaign

X = np.linspace(0.0, 4.0, 12)
Y = 2.5 * np.exp(-1.3 * X) + 0.5 + 0.05 * np.cos(7.0 * X)
CLOSE = {"ftol": 1e-13, "xtol": 1e-13, "gtol": 1e-13}


def decay(x, a, b, c):
    return a * np.exp(-b * x) + c


def slopes_of_decay(x, a, b, c):
    e = np.exp(-b * x)
    return np.stack((e, -a * x * e, np.ones_like(x)), axis=1)


def rate_and_its_error(y):
    """The fit of an exponential to data, with the errors of the parameters."""
    p, covariance = so.curve_fit(decay, X, y, ftol=1e-13, xtol=1e-13)
    return np.concatenate((p, np.sqrt(np.diag(covariance))))


def weighted(errors):
    p, covariance = so.curve_fit(
        decay, X, Y, p0=[2.0, 1.0, 0.0], sigma=errors, absolute_sigma=True, jac=slopes_of_decay
    )
    return np.concatenate((p, covariance[0]))


def held_by_a_bound(v):
    """One number lies on a bound that moves, and the others answer."""
    made = so.least_squares(
        lambda p: decay(X, *p) - Y, [1.0, 1.0, v[0]], bounds=([0.0, 0.0, 0.9 * v[0]], np.inf),
        **CLOSE,
    )  # fmt: skip
    return np.concatenate((made.x, [made.cost * made.success]))


def robust(y):
    made = so.least_squares(
        lambda p, y, x: decay(x, *p) - y, np.ones(3), loss="soft_l1", f_scale=0.1, args=(y,),
        kwargs={"x": X}, **CLOSE,
    )  # fmt: skip
    return np.concatenate((made.x, made.fun, [made["cost"]]))


def by_marquardt(y):
    """The inner problem of a bilevel one: the outer loss asks how far the fit is from elsewhere."""
    x, status = so.leastsq(lambda p: np.array([
        np.sum(p * y[:3]) - 1.0, 10.0 * (p[1] - p[0] ** 2), p[0] - y[0], p[2]
    ]), y[3:6], xtol=1e-13)  # fmt: skip
    return x * min(status, 1)


CASES: list[tuple[Any, Any]] = [
    (by_marquardt, Y), (rate_and_its_error, Y), (held_by_a_bound, np.array([0.6])), (robust, Y),
    (weighted, 0.1 + 0.01 * X),
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "x"), campaign.part("surface", CASES, 5, ()), ids=lambda v: getattr(v, "__name__", "")
)
def test_values_and_derivatives(f, x):
    wanted = f(x)
    weights = np.cos(np.arange(wanted.size) + 1.0)

    def loss(x):
        return np.sum(weights * f(x))

    np.testing.assert_allclose(pb.jit(f)(x), wanted, rtol=1e-6, atol=1e-8)
    along, h = np.cos(np.arange(x.size) + 2.0), 1e-4
    gradient = pb.grad(loss)(x)
    slope = (loss(x + h * along) - loss(x - h * along)) / (2.0 * h)
    assert np.sum(gradient * along) == pytest.approx(slope, rel=1e-3, abs=1e-5)
    if "dual" in campaign.rotated("surface", f.__name__, ("dual", "tangent")):
        dual = pb.grad(loss, method="dual")(x)
        np.testing.assert_allclose(dual, gradient, rtol=1e-8, atol=1e-10)
    if "tangent" in campaign.rotated("surface", f.__name__, ("dual", "tangent")):
        tangent = pb.jvp(loss, (x,), (along,))[1]
        assert tangent == pytest.approx(float(np.sum(gradient * along)), rel=1e-9, abs=1e-10)


def test_the_second_derivative_is_exact():
    """The least of (x - p)^2 + (x^2 - p)^2 for p = 1 is 1, with x' = 3/5 and x'' = -48/125."""
    def place(p):
        return so.least_squares(lambda x: np.array([x[0] - p, x[0] ** 2 - p]), [2.0], **CLOSE).x[0]

    both = pb.jvp(pb.grad(place), (1.0,), (1.0,))
    np.testing.assert_allclose(both, (0.6, -0.384), rtol=1e-8)


def rosen(p):
    return np.array([10.0 * (p[1] - p[0] ** 2), 1.0 - p[0]])


def slopes_of_rosen(p):
    return np.array([[-20.0 * p[0], 10.0], [-1.0, 0.0]])


def told_by_leastsq(y):
    a = so.leastsq(lambda p: decay(X, *p) - y, [1.0, 1.0, 1.0], full_output=True)
    b = so.leastsq(rosen, [-1.2, 1.0], Dfun=slopes_of_rosen, full_output=True, maxfev=10)
    c = so.leastsq(lambda p: p[:1] * np.ones(3) - y[:3], [1.0, 1.0], full_output=True)
    return (a[0], a[1], a[2]["nfev"], a[3], a[4], b[0], b[2]["nfev"], b[2]["njev"], b[3], b[4],
            c[0], c[1] is None)  # fmt: skip


def told_between_bounds(y):
    a = so.least_squares(
        rosen, [2.0, 2.0], slopes_of_rosen, ([-np.inf, 1.5], np.inf), x_scale="jac"
    )
    b = so.least_squares(rosen, [-1.2, 1.0], "3-point", so.Bounds(-2.0, [0.5, 3.0]), max_nfev=8)
    return (a.x, a.nfev, a.njev, a.cost, a.status, a.active_mask, a.jac, a.grad, a.message,
            b.x, b.nfev, b.optimality, b.success)  # fmt: skip


def told_by_fits(y):
    a = so.curve_fit(decay, X, y, bounds=(0.0, [10.0, 5.0, 0.45]), full_output=True)
    b = so.curve_fit(lambda x, *p: p[0] * x[0] + p[1] * x[1] ** 2, (X, X + 0.3), y, [1.0, 1.0],
                     sigma=np.diag(1.0 + X))  # fmt: skip
    return *a[:2], a[2]["nfev"], a[3], *b


TOLD = [told_by_leastsq, told_between_bounds, told_by_fits]


@pytest.mark.parametrize("f", campaign.rotated("surface", "fits that are told", TOLD))
@pytest.mark.filterwarnings("ignore")
def test_the_search_is_that_of_scipy(f):
    for wanted, found in zip(f(Y), pb.jit(f)(Y), strict=True):
        if isinstance(wanted, str):
            assert found == wanted
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)


def test_a_stopped_search_has_no_derivative():
    def stopped(p):
        return so.least_squares(lambda x: p * rosen(x) + 1.0, [-1.2, 1.0], max_nfev=3).x[0]

    assert np.isnan(pb.grad(stopped)(1.0))


@pytest.mark.parametrize("f", [
    lambda y: so.leastsq(lambda p: p[:1] - y[0], [1.0, 2.0])[0],
    lambda y: so.least_squares(rosen, [2.0, 2.0], bounds=([0.0, 3.0], y[:2])).x,
    lambda y: so.curve_fit(decay, X, y, maxfev=4)[0],
])  # fmt: skip
def test_the_errors_are_those_of_scipy(f):
    with pytest.raises((ValueError, RuntimeError, TypeError)) as wanted:
        f(Y)
    with pytest.raises(type(wanted.value)) as found:
        pb.jit(f)(Y)
    assert str(found.value).split("=")[0] == str(wanted.value).split("=")[0]


@pytest.mark.parametrize(("f", "reason"), [
    (lambda y: so.least_squares(rosen, y[:2], method="dogbox").x, "this method"),
    (lambda y: so.least_squares(rosen, y[:2], tr_solver="lsmr").x, "lsmr"),
    (lambda y: so.least_squares(rosen, y[:2], jac="cs").x, "complex steps"),
    (lambda y: so.curve_fit(lambda x, *p: p[0] * x, X, y)[0], "any number of parameters"),
    (lambda y: so.curve_fit(decay, X, y, jac="3-point")[0], "jac as a text"),
])  # fmt: skip
def test_what_is_out_is_refused(f, reason):
    with pytest.raises(pb.PullbackError, match=reason):
        pb.jit(f)(Y)
