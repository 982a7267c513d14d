"""One rule for kinks, however a function is spelled, in all modes and orders."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

import pullback as pb

HALF, THIRD = 0.5, 1 / 3


def roots(x: np.ndarray, n: float) -> float:
    """Roots of numbers, each of an element of its own."""
    s = x[0] * x[0]
    return (
        np.sqrt(x[1]) + x[2] ** 0.5 + x[3] ** (1 / 2) + np.power(x[4], 0.5) + np.cbrt(x[5])
        + math.sqrt(x[6]) + math.pow(x[7], 0.5) + pow(x[8], 0.5) + operator.pow(x[9], 0.5)
        + float(x[10]) ** 0.5 + float(x[11]) ** HALF + float(x[12]) ** n + x[13] ** THIRD
        + np.power(x[14], n) + x[15] ** 0.25 + np.hypot(x[16], x[0]) + math.hypot(x[17], s, x[0])
        + math.dist([x[18], s], [0.0, 0.0]) + math.cbrt(x[19]) + np.sum(x[20:22] ** n)
        + np.sum(np.sqrt(x[22:24])) + s**0.5 + math.sqrt(s) + np.power(s, n)
    )  # fmt: skip


def norms(x: np.ndarray, n: float) -> float:
    """Norms of a vector."""
    s = np.sum(x**2)
    return (
        s**0.5 + s ** (1 / 2) + (x @ x) ** 0.5 + np.power(s, 0.5) + np.sqrt(s) + math.sqrt(s)
        + math.pow(s, 0.5) + pow(s, n) + np.linalg.norm(x) + np.dot(x, x) ** HALF
        + np.sum(np.abs(x) ** 3) ** (1 / 3) + math.dist(x, np.zeros(2)) + np.hypot(x[0], x[1])
        + math.hypot(x[0], x[1], x[0]) + np.std(x) + np.var(x) ** 0.5 + np.cbrt(s)
        + np.sum(np.linalg.norm(np.stack([x, x]), axis=0)) + sum(v * v for v in x) ** 0.5
    )  # fmt: skip


def sizes(x: np.ndarray, n: float) -> float:
    """Absolute values, and maxima with the other operand first."""
    return (
        abs(x[0]) + np.abs(x[1]) + np.fabs(x[2]) + math.fabs(x[3]) + np.absolute(x[4])
        + math.copysign(x[5], 1.0) + max(0.0, x[6]) + np.maximum(0.0, x[7]) + x[8] * (x[8] > 0)
        + min(0.0, x[9]) + math.sqrt(x[10] * x[10]) + (x[11] * x[11]) ** 0.5
    ) + n  # fmt: skip


PROGRAMS = [(roots, 24), (norms, 2), (sizes, 12)]
CASES = pytest.mark.parametrize(("f", "size"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])


@CASES
def test_the_derivative_at_a_kink_is_zero(f, size) -> None:
    x, zeros = np.zeros(size), np.zeros(size)
    assert pb.grad(f)(x, 0.5).tolist() == zeros.tolist()
    assert pb.grad(f, method="dual")(x, 0.5).tolist() == zeros.tolist()
    assert pb.jvp(lambda y: f(y, 0.5), (x,), (np.ones(size),))[1] == 0.0


@CASES
def test_so_is_the_second_one(f, size) -> None:
    x, along = np.zeros(size), np.linspace(1.0, 2.0, size)
    twice = pb.grad(lambda y: np.sum(along * pb.grad(f)(y, 0.5)))(x)
    assert twice.tolist() == [0.0] * size
    tangent = pb.jvp(lambda y: pb.grad(f)(y, 0.5), (x,), (along,))[1]
    assert tangent.tolist() == [0.0] * size


@pytest.mark.parametrize("method", ["chad.naive", "dual.tape", "delta.dense", "curry.simple"])
def test_the_methods_of_the_papers_share_the_rows(method: str) -> None:
    def f(s: float, t: float) -> float:
        return math.pow(s, 0.5) + np.cbrt(t) + (s * s + t * t) ** 0.5 + abs(s) * max(0.0, t)

    assert pb.grad(f, argnums=(0, 1), method=method)(0.0, 0.0) == (0.0, 0.0)


def test_other_exponents_keep_their_derivatives() -> None:
    def f(x: float, n: float) -> float:
        return np.power(x, n)

    found = [pb.grad(f)(0.0, n) for n in (0.25, 0.5, 1.0, 1.5, 2.0, 0.0)]
    assert found == [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    with np.errstate(all="ignore"):
        assert pb.grad(f)(0.0, -1.0) == -math.inf
        assert pb.grad(f, argnums=1)(0.0, 0.5) == 0.0
    assert math.isnan(pb.grad(f)(math.nan, 0.5))


def test_values_are_those_of_pow() -> None:
    f = pb.jit(lambda x, n: math.pow(x, n))
    for x in (0.0, -0.0, 2.0, math.inf):
        for n in (0.5, 1 / 3, 2.0):
            assert math.copysign(1.0, f(x, n)) == math.copysign(1.0, math.pow(x, n))
            assert f(x, n) == math.pow(x, n)


TABLE = {
    "abs": (0.0, [
        lambda x: abs(x), lambda x: np.abs(x), lambda x: math.fabs(x), lambda x: math.sqrt(x * x),
        lambda x: math.copysign(x, 1.0), lambda x: np.copysign(x, 1.0),
    ]),
    "roots": (0.0, [
        lambda x: math.sqrt(x), lambda x: x**0.5, lambda x: np.cbrt(x), lambda x: x**0.25,
        lambda x: math.hypot(x, 0.0), lambda x: np.linalg.norm(np.array([x, 0.0])),
        lambda x: math.atan2(x, 0.0), lambda x: np.arctan2(x, 0.0),
    ]),
    "first": (1.0, [
        lambda x: max(x, 0.0), lambda x: np.maximum(x, 0.0), lambda x: min(x, 0.0),
        lambda x: np.minimum(x, 0.0), lambda x: np.fmax(x, 0.0), lambda x: np.fmin(x, 0.0),
    ]),
    "second": (0.0, [
        lambda x: max(0.0, x), lambda x: np.maximum(0.0, x), lambda x: min(0.0, x),
        lambda x: np.minimum(0.0, x), lambda x: np.fmax(0.0, x), lambda x: np.fmin(0.0, x),
    ]),
    "clip": (1.0, [
        lambda x: np.clip(x, 0.0, 1.0), lambda x: np.clip(x, -1.0, 0.0),
        lambda x: min(max(x, 0.0), 1.0), lambda x: min(max(x, -1.0), 0.0),
        lambda x: np.minimum(np.maximum(x, 0.0), 1.0),
    ]),
    "first of many": (1.0, [
        lambda x: np.max(np.array([x, 0.0])), lambda x: max([x, 0.0]),
        lambda x: np.min(np.array([x, 0.0])), lambda x: np.sort(np.array([x, 0.0]))[0],
        lambda x: sorted([0.0, x])[1],
    ]),
    "later of many": (0.0, [
        lambda x: np.max(np.array([0.0, x])), lambda x: max([0.0, x]),
        lambda x: np.sort(np.array([0.0, x]))[0], lambda x: np.median(np.array([x, 0.0, 0.0])),
        lambda x: np.ptp(np.array([x, 0.0])),
    ]),
    "jumps": (0.0, [
        lambda x: np.sign(x), lambda x: np.floor(x), lambda x: float(math.ceil(x)),
        lambda x: np.round(x), lambda x: np.trunc(x), lambda x: float(int(x)), lambda x: x // 1.0,
        lambda x: np.heaviside(x, 0.5),
    ]),
    "remainders": (1.0, [
        lambda x: x % 1.0, lambda x: np.mod(x, 1.0), lambda x: math.fmod(x, 1.0),
    ]),
    "choices": (0.0, [
        lambda x: x if x > 0.0 else 0.0, lambda x: np.where(x > 0.0, x, 0.0),
    ]),
    "ends": (math.inf, [lambda x: math.acos(1.0 - x), lambda x: np.arccos(1.0 - x)]),
}  # fmt: skip


@pytest.mark.parametrize("row", TABLE)
def test_the_table_of_the_documents(row: str) -> None:
    wanted, spelled = TABLE[row]
    for f in spelled:
        assert pb.grad(f)(0.0) == wanted
        assert pb.grad(f, method="dual")(0.0) == wanted
        assert pb.jvp(f, (0.0,), (1.0,))[1] == wanted
