"""Rows of sums are not added up again in the reverse sweep: the numbers to which they come down are
stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.campaign import part


def layers(w, x):
    """Both layers read results of the one before."""
    h = np.tanh(w @ x)
    return np.sum(np.tanh(w @ h) * h)


def distances(points, x):
    """A row comes down to its sum and its root."""
    d = np.sqrt(np.sum((points - x) ** 2, axis=1))
    return np.sum(np.exp(-d) * d) + np.max(d)


def overwritten(w, x):
    """The result of a row is updated later: it cannot be read again."""
    h = np.tanh(w @ x)
    total = np.sum(h * h)
    for i in range(1, len(h)):
        h[i] = h[i] * h[i - 1] + x[0]
    return total + h[-1]


def rounds(w, x):
    """In a loop, where each round has numbers of its own."""
    for k in range(5):
        if np.sum(x) > 0.3:
            x = x + 0.1 * np.tanh(w @ x)
        else:
            x = x * (1.0 + np.sum(np.abs(w @ x))) + 0.01 * k
    return np.sum(x**3)


def chosen(w, x):
    """Some rows have no cotangent, and partials that are infinite."""
    s = w @ x
    return np.sum(np.where(s > 0.0, np.sqrt(np.abs(s)), np.log(np.maximum(s, 0.0) + 1.0)))


def many(w, x):
    """A row comes down to more numbers than its sum is worth: it is added up again."""
    s = w @ x
    return np.sum(np.exp(np.sin(s) * np.cos(np.exp(np.tanh(s)))) * np.log(s * s + 1.5))


W = np.random.default_rng(3).normal(size=(6, 6)) * 0.4
X = np.random.default_rng(4).normal(size=6)
FUNCTIONS = [layers, distances, overwritten, rounds, chosen, many]


@pytest.mark.parametrize("size", [6, 1, 0])
@pytest.mark.parametrize("f", part("agreement", FUNCTIONS, 2), ids=lambda f: f.__name__)
def test_all_modes_agree(f: Callable[..., Any], size: int) -> None:
    if size == 0 and f in (distances, overwritten, rounds):
        return  # a maximum of nothing, a last element of nothing
    w, x = W[:size, :size].copy(), X[:size].copy()
    v, u = 0.3 - w, 0.2 + x

    def slope(a, b):
        return pb.jvp(f, (a, b), (v, u))[1]

    for g in (f, slope):
        gw, gx = pb.grad(g, (0, 1))(w, x)
        dw, dx = pb.grad(g, (0, 1), method="dual")(w, x)
        np.testing.assert_allclose(gw, dw, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(gx, dx, rtol=1e-11, atol=1e-13)
        along = pb.jvp(g, (w, x), (v, u))[1]
        np.testing.assert_allclose(np.sum(gw * v) + np.sum(gx * u), along, rtol=1e-11, atol=1e-13)
        h = 1e-6
        rise = (g(w + h * v, x + h * u) - g(w - h * v, x - h * u)) / (2 * h)
        np.testing.assert_allclose(along, rise, rtol=1e-6, atol=1e-8)
    hw, hx = pb.hvp(f, (w, x), (v, u))
    gw, gx = pb.grad(slope, (0, 1))(w, x)
    np.testing.assert_allclose(hw, gw, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(hx, gx, rtol=1e-11, atol=1e-13)


ONCE = {layers: (3.2, 4.4), distances: (3.7, 3.9), overwritten: (3.6, 4.6), rounds: (3.0, 4.6)}
"""How many functions the gradient and a product with the Hessian may cost; sums that are added up
again cost a function more."""


@pytest.mark.parametrize("f", ONCE, ids=lambda f: f.__name__)
def test_a_sum_is_added_up_once(f: Callable[..., Any]) -> None:
    w = np.random.default_rng(5).normal(size=(40, 40)) * 0.1
    x = np.random.default_rng(6).normal(size=40)
    assert pb.cost(pb.grad(f, (0, 1)), w, x) <= ONCE[f][0] * pb.cost(f, w, x)
    assert pb.cost(lambda a, b: pb.hvp(f, (a, b), (a, b)), w, x) <= ONCE[f][1] * pb.cost(f, w, x)


def test_short_sums_are_added_up_again() -> None:
    def f(p, a):
        total = np.zeros(len(p))
        for i in range(len(p)):
            s = 0.0
            for k in range(3):
                s += p[i, k] * a[k]
            total[i] = np.tanh(s)
        return np.max(total) + np.sum(total * total)

    p, a = np.random.default_rng(7).normal(size=(8, 3)), np.array([0.5, -1.0, 2.0])
    got = pb.grad(f, (0, 1))(p, a)
    dual = pb.grad(f, (0, 1), method="dual")(p, a)
    for g, d in zip(got, dual, strict=True):
        np.testing.assert_allclose(g, d, rtol=1e-12)
