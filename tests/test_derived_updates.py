"""Derivatives, inside of compiled code, of functions that update what others see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.derived_updates import AS_OUTSIDE, WORKED_OUT, doubled

X, H = 1.3, 1e-6


def slope(f: Callable[[float], Any]) -> float:
    return float(f(X + H) - f(X - H)) / (2 * H)


@pytest.mark.parametrize("f", AS_OUTSIDE, ids=lambda f: f.__name__)
def test_inside_as_outside(f: Callable[[float], Any]) -> None:
    value, gradient = pb.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    assert gradient == pytest.approx(slope(f), rel=1e-6)


@pytest.mark.parametrize(("f", "want"), WORKED_OUT, ids=[f.__name__ for f, _ in WORKED_OUT])
def test_inside_as_worked_out(f: Callable[[float], Any], want: Callable[[float], float]) -> None:
    value, gradient = pb.value_and_grad(f)(X)
    assert value == pytest.approx(want(X), rel=1e-12)
    assert gradient == pytest.approx(slope(want), rel=1e-6)


def test_arguments_of_the_caller() -> None:
    def f(a: Any) -> Any:
        return pb.grad(doubled)(a).sum() + a.sum()

    def all_of_them(*arrays: Any) -> Any:
        return doubled(*arrays)

    for operate in (f, pb.jit(f), pb.jit(f)):
        a = np.array([1.0, 2.0, 3.0])
        assert operate(a) == 348.0
        assert a.tolist() == [2.0, 4.0, 6.0]
    a = np.array([1.0, 2.0, 3.0])
    assert pb.grad(f)(a) == pytest.approx([50.0, 98.0, 146.0])
    assert pb.jit(all_of_them)(a) == 2304.0
    assert a.tolist() == [4.0, 8.0, 12.0]


def test_what_two_names_lead_to_is_refused() -> None:
    def f(x: float) -> Any:
        xs = [x, 2.0]

        def g(v: Any, w: Any) -> Any:
            v[0] = 5.0
            return v[0] * w[0] + v[1] * w[1]

        return pb.grad(g)(xs, xs)[0]

    for operate in (f, pb.jit(f)):
        with pytest.raises(pb.PullbackError, match="memory"):
            operate(X)


def test_fewer_arguments_than_before() -> None:
    def last(*arrays: Any) -> Any:
        arrays[-1][:] = 2.0 * arrays[0]
        return np.sum(arrays[-1] * arrays[0])

    x, y = np.array([1.0, 2.0]), np.array([5.0, 6.0])
    assert pb.grad(last)(x, y).tolist() == [4.0, 8.0]
    assert y.tolist() == [2.0, 4.0]
    assert pb.grad(last)(x).tolist() == [8.0, 16.0]
    assert x.tolist() == [2.0, 4.0]
