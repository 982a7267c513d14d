"""Objects of SciPy that are made outside: bounds, constraints and splines that are captured, held
by objects, or arguments, and gradients by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as si
import scipy.optimize as so

import pullback as pb

T = np.array([0.0, 0.5, 1.1, 1.7, 2.6, 3.0])
X = np.array([0.7, 1.3, 0.4])
CUBIC = si.CubicSpline(T, np.sin(T))
ROWS = si.CubicSpline(T, np.stack((T**2, np.sin(T)), axis=1))
MONOTONE = si.PchipInterpolator(T, np.cos(T))
SUM = si.make_interp_spline(T, np.sin(T))
TABLE = si.interp1d(T, np.sin(T), bounds_error=False, fill_value=(1.0, 2.0))
QUADRATIC = si.interp1d(T, np.sin(T), kind="quadratic", fill_value="extrapolate")
GRID = si.RegularGridInterpolator((T, T), np.outer(T, np.cos(T)), "linear", False, None)
BOX = so.Bounds([0.0, 0.0, 0.0], [0.6, 1.0, 1.0])
PLANE = so.LinearConstraint(np.ones((1, 3)), 1.0, 1.0)
BALL = so.NonlinearConstraint(lambda v: v[0] ** 2 + v[1] ** 2, -np.inf, 0.5)


class Model:
    def __init__(self) -> None:
        self.spline = CUBIC

    def __call__(self, x: Any) -> Any:
        return self.spline(x) * 2.0


MODEL = Model()


def splines(x: Any) -> Any:
    total = CUBIC(x, 1) + MODEL(x) + SUM.derivative()(x) + CUBIC.x[2] + ROWS(x)[:, 1]
    return np.sum(total * np.array([1.0, 2.0, 3.0]))


def tables(x: Any) -> Any:
    inside = TABLE(x - 0.5) + QUADRATIC(x + 2.0) + MONOTONE(x) + sum(f(x) for f in (CUBIC, SUM))
    return np.sum(inside * np.array([1.0, 2.0, 3.0])) + GRID(np.array([[x[0], x[1]]]))[0]


def near(x: Any, **how: Any) -> Any:
    return so.minimize(lambda v: np.sum((v - x) ** 2), np.full(3, 0.5), tol=1e-12, **how).x


def in_the_box(x: Any) -> Any:
    return near(x, bounds=BOX) @ np.array([1.0, 2.0, 3.0])


def on_the_plane(x: Any) -> Any:
    return near(x, constraints=[PLANE, BALL], method="SLSQP") @ np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("f", [splines, tables, in_the_box, on_the_plane])
def test_they_are_what_they_are_outside(f: Any) -> None:
    value, slope = pb.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-7)
    steps = 1e-4 * np.eye(3)
    wanted = [(f(X + h) - f(X - h)) / 2e-4 for h in steps]
    np.testing.assert_allclose(slope, wanted, rtol=1e-3, atol=1e-3)


def at(spline: Any, x: float) -> Any:
    return spline(x) * x


def test_arguments_and_gradients_by_them() -> None:
    np.testing.assert_allclose(pb.jit(at)(MONOTONE, 0.3), at(MONOTONE, 0.3))
    by_spline, by_x = pb.grad(at, (0, 1))(CUBIC, 0.7)
    assert type(by_spline) is si.CubicSpline
    np.testing.assert_allclose(by_x, CUBIC(0.7, 1) * 0.7 + CUBIC(0.7))
    np.testing.assert_allclose(by_spline.c[:, 1], 0.7 * 0.2 ** np.arange(3.0, -1.0, -1.0))


def test_another_object_in_its_place_is_seen() -> None:
    assert pb.jit(lambda x: MODEL(x))(0.3) == MODEL(0.3)
    MODEL.spline = MONOTONE
    try:
        assert pb.jit(lambda x: MODEL(x))(0.3) == MODEL(0.3)
    finally:
        MODEL.spline = CUBIC
