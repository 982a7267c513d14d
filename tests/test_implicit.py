"""Implicit derivatives: of roots, fixed points and minima, in all modes and nests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb


def newton(x):
    y = 1.0 + 0.0 * x
    while abs(y**3 + y - x) > 1e-14 * (1.0 + abs(x)):
        y = y - (y**3 + y - x) / (3.0 * y * y + 1.0)
    return y


root = pb.implicit_root(lambda y, x: y**3 + y - x, newton)


def test_a_root_of_a_number() -> None:
    y = newton(3.0)
    first, second = 1.0 / (3.0 * y * y + 1.0), -6.0 * y / (3.0 * y * y + 1.0) ** 3
    assert root(3.0) == y and pb.jit(root)(3.0) == y
    for method in ("chad", "dual"):
        assert pb.grad(root, method=method)(3.0) == pytest.approx(first, rel=1e-13)
    assert pb.jvp(root, (3.0,), (2.0,))[1] == pytest.approx(2.0 * first, rel=1e-13)
    assert pb.grad(pb.grad(root))(3.0) == pytest.approx(second, rel=1e-12)
    assert pb.jvp(pb.grad(root), (3.0,), (1.0,))[1] == pytest.approx(second, rel=1e-12)
    third = pb.grad(pb.grad(pb.grad(root)))(3.0)
    step = 1e-4
    by_difference = (pb.grad(pb.grad(root))(3.0 + step) - pb.grad(pb.grad(root))(3.0 - step)) / 2e-4
    assert third == pytest.approx(by_difference, rel=1e-6)


def iterate(a, b):
    y = np.zeros(2)
    for _ in range(200):
        y = 0.5 * np.tanh(a @ y) + b
    return y


A, B = np.array([[0.3, -0.2], [0.5, 0.1]]), np.array([0.7, -0.4])
fixed = pb.implicit_fixed_point(lambda y, a, b: 0.5 * np.tanh(a @ y) + b, iterate)


def test_a_fixed_point_of_a_vector() -> None:
    def f(a, b):
        return np.sum(np.array([1.0, 2.0]) * fixed(a, b) ** 2)

    def unrolled(a, b):
        return np.sum(np.array([1.0, 2.0]) * iterate(a, b) ** 2)

    wanted = pb.grad(unrolled, argnums=(0, 1))(A, B)
    for method in ("chad", "dual"):
        got = pb.grad(f, argnums=(0, 1), method=method)(A, B)
        for x, y in zip(got, wanted, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-10)
    along = pb.jvp(lambda b: pb.grad(f, argnums=1)(A, b), (B,), (np.ones(2),))[1]
    plain = pb.jvp(lambda b: pb.grad(unrolled, argnums=1)(A, b), (B,), (np.ones(2),))[1]
    np.testing.assert_allclose(along, plain, rtol=1e-9)


@dataclass(frozen=True)
class State:
    level: float
    place: Any


def descended(w):
    s = State(0.0, np.zeros(2))
    for _ in range(300):
        level = s.level - 0.2 * (2.0 * (s.level - w) + 0.3 * np.sum(s.place))
        place = s.place - 0.2 * (2.0 * (s.place - np.array([1.0, w])) + 0.3 * s.level)
        s = State(level, place)
    return s


def bowl(s: State, w):
    to = s.place - np.array([1.0, w])
    return (s.level - w) ** 2 + np.sum(to * to) + 0.3 * s.level * np.sum(s.place)


least = pb.implicit_minimum(bowl, descended)


def test_the_minimum_of_a_structure() -> None:
    def f(w):
        s = least(w)
        return s.level**2 + s.place[0] * s.place[1]

    def unrolled(w):
        s = descended(w)
        return s.level**2 + s.place[0] * s.place[1]

    assert pb.grad(f)(0.6) == pytest.approx(pb.grad(unrolled)(0.6), rel=1e-9)
    assert pb.grad(pb.grad(f))(0.6) == pytest.approx(pb.grad(pb.grad(unrolled))(0.6), rel=1e-8)


def test_inside_of_loops() -> None:
    def f(v):
        total = 0.0
        for x in v:
            total += root(x) * math.sin(root(2.0 * x))
        return total

    def unrolled(v):
        total = 0.0
        for x in v:
            total += newton(x) * math.sin(newton(2.0 * x))
        return total

    v = np.array([0.5, 2.5, 4.5])
    np.testing.assert_allclose(pb.grad(f)(v), pb.grad(unrolled)(v), rtol=1e-10)


def test_misuse() -> None:
    with pytest.raises(TypeError, match=r"pb.implicit_root\(f, solve\)"):
        pb.implicit_root(lambda y, x: y - x, 3.0)
    other = pb.implicit_root(lambda y, x: np.array([y - x]), lambda x: x)
    with pytest.raises(pb.PullbackError, match="must have the form of the solution"):
        pb.grad(other)(1.0)
    flat = pb.implicit_root(lambda y, x: (y - x) * np.zeros((2, 2)) @ np.ones(2), lambda x: x)
    with pytest.raises(np.linalg.LinAlgError):
        pb.grad(lambda x: np.sum(flat(x)))(np.ones(2))
