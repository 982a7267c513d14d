"""The forward sweep keeps no more than the reverse sweep reads of the forward values."""

import math

import numpy as np
import pytest

import pullback as pb

X = np.array([0.5, 1.5, -0.25, 2.0])


def smallest(x):
    d = x.copy()
    for _ in range(3):
        for i in range(1, len(d)):
            d[i] = min(d[i], d[i - 1] + math.sin(d[i]))
    return np.sum(d)


def shrinking(x):
    y, total = x, 0.0
    while len(y) > 1:
        y = y[1:] + y[:-1]
        total += np.sum(y) / len(y)
    return total


def falling(x):
    d = x.copy()
    for i in range(1, len(d)):
        square = (d[i] - d[i - 1]) ** 2
        if square < 2.0:
            d[i] += 1.0 / (1.0 + square)
    return np.sum(d * d)


def ratios(x):
    d = x.copy()
    for i in range(1, len(d)):
        d[i] = d[i - 1] / (d[i] * d[i] + 1.0)
    return np.sum(d)


@pytest.mark.parametrize("f", [smallest, shrinking, falling, ratios])
def test_gradients_are_those_of_plain_python(f) -> None:
    value, gradient = pb.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    step = 1e-6 * np.eye(len(X))
    expected = [(f(X + e) - f(X - e)) / 2e-6 for e in step]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(pb.vjp(f, X)[1](2.0)[0], 2 * gradient, rtol=1e-14)


def kept(f, *args) -> str:
    """The line of the program that has the loop of the forward sweep."""
    text = pb.show(pb.grad(f), *args)
    return next(line for line in text.splitlines() if " = loop " in line or " = while " in line)


def test_a_minimum_keeps_who_won() -> None:
    def f(x):
        d = x.copy()
        for i in range(1, len(d)):
            d[i] = min(d[i], 2.0 * d[i - 1])
        return np.sum(d)

    assert "bool[:]" in kept(f, X)


def test_a_branch_on_what_is_there_anyway_is_not_kept() -> None:
    def f(x, y):
        total = x.copy()
        for i in range(len(x)):
            square = (y[i] - y[i - 1]) ** 2
            if square < 2.0:
                total[i] += 1.0 / (1.0 + square)
        return np.sum(total)

    assert "took" not in pb.show(pb.grad(f, argnums=(0, 1)), X, X)


def test_of_an_array_whose_length_is_asked_its_length_is_kept() -> None:
    def f(x, n):
        y = x
        while n > 0:
            y = y + x * x
            n -= 1
        return np.sum(y)

    assert "f64[:][:]" not in kept(f, X, 3)


def test_arrays_that_live_for_one_iteration_have_cells_for_one() -> None:
    def f(x, n):
        total = 0.0
        for k in range(n):
            y = np.sin(x * total)
            total += np.sum(y * y[::-1]) / (k + 1.0)
        return total

    text = pb.show(pb.grad(f), X, 3)
    assert "handle[:][:]" not in kept(f, X, 3)
    assert text.count("acc_new") >= 2
    value, gradient = pb.value_and_grad(f)(X, 4)
    assert value == pytest.approx(f(X, 4), rel=1e-14)
    expected = [(f(X + e, 4) - f(X - e, 4)) / 2e-6 for e in 1e-6 * np.eye(len(X))]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
