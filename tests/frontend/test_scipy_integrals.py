"""Integrals of SciPy, ``quad`` and its relatives, inside of functions that are differentiated:
values and errors to the last digits, derivatives of all kinds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate as sg

import pullback as pb
from tests import campaign

V = np.array([0.5, 1.0, 2.0])


def mean_of_a_density(p):
    """A density that is known but for its factor, over the whole line and from its parameter on."""
    def weight(x, q):
        return math.exp(-0.25 * x**4 + q * x)

    whole = sg.quad(weight, -np.inf, np.inf, args=(p,))
    tail = sg.quad(weight, p, np.inf, p)
    first = sg.quad(lambda x: x * weight(x, p), -np.inf, np.inf, epsabs=1e-10)
    return np.array([whole[0], tail[0] / whole[0], first[0] / whole[0], whole[1]])


def ends(p):
    """Limits that move, in both orders, and a function that is infinite at one of them."""
    a = sg.quad(lambda x: x ** (p - 1.8) * np.cos(p * x), 0, p)
    b = sg.quad(lambda x: np.sin(20.0 * p * x), p**2, 0.5, limit=100)
    c = sg.quad(lambda x: np.log(x) * p, 0.0, 1.0)
    d = sg.quad(lambda x: x / p, p, p)
    return np.array([*a, *b, *c, *d])


def jump(p):
    """The place of a jump moves: it is given as a point."""
    return np.array(sg.quad(lambda x: x * p if x < p / 4.0 else 2.0, 0.0, 1.0, points=[p / 4.0]))


def area(p):
    limits = [lambda y, q: (0.0, y * q), (0, 2)]
    return np.array(sg.nquad(lambda x, y, q: np.exp(-q * x * y), limits, args=(p,)))


def of_vectors(v):
    a, error = sg.quad_vec(lambda x: np.exp(-x * v) * np.sqrt(x), 0.0, v[0])
    b = sg.quad_vec(lambda x: np.exp(-x * x * v), -np.inf, np.inf, norm="max")[0]
    c = sg.quad_vec(lambda x, q: 1.0 / (q + x * x), v[1], np.inf, args=(v[2],))[0]
    d = sg.fixed_quad(lambda x: np.exp(-v[0] * x), 0.0, v[1], n=4)[0]
    e = sg.romb(np.exp(v[0] * np.arange(9.0) / 8.0))
    return np.concatenate((a, b, [error, c, d, e]))


def over_a_triangle(p):
    return np.array(sg.dblquad(lambda y, x: np.exp(-p * x * y), 0.0, p, 0.0, lambda x: 1.0 + x))


def volume(p):
    return np.array(sg.tplquad(
        lambda z, y, x: x * y**p + z, 0.0, 1.0, 0.0, lambda x: x, 0.0, lambda x, y: x * p
    ))  # fmt: skip


CASES: list[tuple[Any, Any]] = [
    (jump, 1.3), (mean_of_a_density, 1.3), (ends, 1.3), (of_vectors, V), (area, 1.3),
    (over_a_triangle, 1.3), (volume, 1.3),
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "x"), campaign.part("surface", CASES, 7), ids=lambda v: getattr(v, "__name__", "")
)
def test_values_and_derivatives(f, x):
    wanted = f(x)
    weights = np.cos(np.arange(wanted.size) + 1.0) * (wanted > 1e-6)

    def loss(x):
        return np.sum(weights * f(x))

    np.testing.assert_allclose(pb.jit(f)(x), wanted, rtol=1e-9, atol=1e-13)
    along, h = np.cos(np.arange(np.size(x)) + 2.0).reshape(np.shape(x)), 1e-4
    gradient = pb.grad(loss)(x)
    slope = (loss(x + h * along) - loss(x - h * along)) / (2.0 * h)
    assert np.sum(gradient * along) == pytest.approx(slope, rel=1e-5, abs=1e-7)
    if "dual" in campaign.rotated("surface", f.__name__, ("dual", "tangent")):
        dual = pb.grad(loss, method="dual")(x)
        np.testing.assert_allclose(dual, gradient, rtol=1e-10, atol=1e-12)
    if "tangent" in campaign.rotated("surface", f.__name__, ("dual", "tangent")):
        tangent = pb.jvp(loss, (x,), (along,))[1]
        assert tangent == pytest.approx(float(np.sum(gradient * along)), rel=1e-10, abs=1e-12)


def test_the_second_derivative_is_exact():
    """The Gamma function."""
    def gamma(p):
        return sg.quad(lambda x: x ** (p - 1.0) * np.exp(-x), 0.0, np.inf)[0]

    first, second = pb.jvp(pb.grad(gamma), (4.0,), (1.0,))
    slope = 11.0 / 6.0 - np.euler_gamma
    assert first == pytest.approx(6.0 * slope, rel=1e-8)
    assert second == pytest.approx(6.0 * (slope**2 + math.pi**2 / 6.0 - 49.0 / 36.0), rel=1e-7)


@pytest.mark.parametrize("f", [
    lambda p: sg.quad(lambda x: x * p, 0.0, np.inf, points=[1.0])[0],
    lambda p: sg.quad(lambda x: x * p, 0.0, 1.0, limit=0)[0],
    lambda p: sg.quad(lambda x: x * p, 0.0, 1.0, epsabs=0.0, epsrel=0.0)[0],
    lambda p: sg.quad(lambda x: 1.0 / x, -p, p)[0],
    lambda p: sg.fixed_quad(lambda x: x * p, 0.0, np.inf)[0],
])  # fmt: skip
def test_the_errors_are_those_of_scipy(f):
    with pytest.raises((ValueError, ZeroDivisionError)) as wanted:
        f(1.5)
    with pytest.raises(type(wanted.value)) as found:
        pb.jit(f)(1.5)
    assert str(found.value) == str(wanted.value)


@pytest.mark.parametrize(("f", "reason"), [
    (lambda p: sg.quad(lambda x: x * p, 0.0, 1.0, points=[0.5], weight="cos", wvar=2.0)[0],
     "weight and points"),
    (lambda p: sg.quad(lambda x: x * p, 0.0, 1.0, full_output=1)[0], "full_output"),
    (lambda p: sg.quad_vec(lambda x: x * p, 0.0, 1.0, points=[0.5])[0], "points"),
])  # fmt: skip
def test_what_is_out_is_refused(f, reason):
    with pytest.raises(pb.PullbackError, match=reason):
        pb.jit(f)(1.5)
