"""Loops over short known ranges whose bodies read items of several types by number."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pullback as pb
from tests import campaign

W = np.array([[0.3, -0.2], [0.1, 0.4]])
B = np.array([0.5, -1.5])


def agrees(f, x, *rest):
    """Value and derivative, reverse and forward, are Python's; by one method in each shard."""
    step = 1e-6
    slope = (f(x + step, *rest) - f(x - step, *rest)) / (2 * step)
    assert pb.jit(f)(x, *rest) == pytest.approx(f(x, *rest), rel=1e-14)
    for method in campaign.rotated("values", f.__name__, ("chad", "dual")):
        value, grad = pb.value_and_grad(f, method=method)(x, *rest)
        assert value == pytest.approx(f(x, *rest), rel=1e-14)
        assert grad == pytest.approx(slope, rel=1e-6)
    assert pb.jvp(lambda x: f(x, *rest), (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)


def network(x, params):
    for i in range(len(params)):
        x = x + np.sum(params[i])
    return x * x


def pairs(x, params):
    total = 0.0
    for i in range(len(params)):
        for j in range(i):
            total += np.sum(params[i]) * np.sum(params[j]) * x
    return total


def neighbours(x, params):
    return sum(np.sum(params[i + 1]) * x - np.sum(params[i]) for i in range(len(params) - 1))


def other_name(x, params):
    total = 0.0
    for i in range(0, len(params), 2):
        k = i
        total += np.sum(params[k]) * math.sin(x)
    return total


def backwards(x, params):
    total = x
    for i in range(len(params) - 1, -1, -1):
        total = total * np.sum(params[i]) + x
    return total


def listed(x, params):
    made = [np.sum(params[i]) * x for i in range(len(params)) if i != 1]
    return sum(made)


def inside(x, params):
    total = 0.0
    for _ in range(3):
        for i in range(len(params)):
            total += np.sum(params[i]) * x
    return total


def in_a_long_loop(x, params):
    total = 0.0
    for _ in range(1000):
        total = 0.5 * total + sum(np.sum(params[i]) * x for i in range(len(params)))
    return total


def in_a_while(x, params):
    n = 0
    while x < 50.0:
        for i in range(len(params)):
            x += abs(np.sum(params[i])) + 0.1
        n += 1
    return x * n


PROGRAMS = [network, pairs, neighbours, other_name, backwards, listed, inside, in_a_long_loop,
            in_a_while]  # fmt: skip


@pytest.mark.parametrize(
    "f", campaign.part("values", PROGRAMS, 3), ids=lambda f: f.__name__,
)  # fmt: skip
@pytest.mark.parametrize("params", [[W, B, 2.0], (W, 3, B), [B, 0.25, W, 1.5]])
def test_agreement(f, params):
    agrees(f, 1.3, params)


def test_by_the_parameters():
    def f(params):
        total = 0.0
        for i in range(len(params)):
            total += np.sum(params[i] ** 2) * (i + 1)
        return total

    w, b, s = pb.grad(f)([W, B, 2.0])
    assert np.array_equal(w, 2 * W) and np.array_equal(b, 4 * B) and s == 12.0


def test_no_more_than_some_rounds():
    """Loops in each other are unrolled as far as that is short."""

    def f(x, params):
        total = 0.0
        for i in range(40):
            for j in range(3):
                total += x * np.sum(params[j]) * i
        return total

    agrees(f, 1.3, [W, B, 2.0])

    def g(x, params):
        total = 0.0
        for i in range(40):
            for j in range(3):
                total += x * np.sum(params[(i + j) % 3])
        return total

    with pytest.raises(pb.PullbackError, match="needs items of one type"):
        pb.jit(g)(1.3, [W, B, 2.0])

    def h(x, params, n):
        return sum(np.sum(params[i]) for i in range(n)) * x

    with pytest.raises(pb.PullbackError, match="needs items of one type"):
        pb.jit(h)(1.3, [W, B, 2.0], 3)


def test_loops_stay_loops():
    """Only what needs it is unrolled."""

    def f(x, params, xs):
        total = 0.0
        for i in range(40):
            total += xs[i] * x
        for i in range(len(params)):
            total += np.sum(params[i])
        return total

    xs = [0.5] * 40
    text = str(pb.show(f, 1.3, [W, B, 2.0], xs, stage="core"))
    assert text.count("loop i < 40 ") == 1 and text.count("loop ") == 1
    agrees(f, 1.3, [W, B, 2.0], xs)
