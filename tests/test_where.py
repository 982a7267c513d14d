"""A value that only arms of choices use has a derivative where such an arm is taken, and none
elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb

T = np.array([0.5, 1.5, 1000.0])
F = Callable[..., float]


def shared(t: np.ndarray) -> float:
    e = np.exp(t)
    return np.sum(np.where(t < 1.0, e, t) + np.where(t < 2.0, e * t, 1.0))


def one_by_one(t: np.ndarray) -> float:
    total = 0.0
    for v in t:
        e = np.exp(v)
        total += np.where(v < 1.0, e, v) + np.where(v < 2.0, e * v, 1.0)
    return total


def nested(t: np.ndarray) -> float:
    e = np.exp(t)
    inner = np.where(t > 0.7, np.where(t < 2.0, e * t, 1.0), e + e * t)
    return np.sum(inner + np.where(t < 1.0, 0.0, np.where(t < 2.0, t, t)))


def by_mask(t: np.ndarray) -> float:
    m, e = t < 2.0, np.exp(t)
    low = t < 1.0
    return np.sum(np.where(m, e * t, 1.0)) + np.sum(np.where(~m | ~low, t, e))


def stored(t: np.ndarray) -> float:
    e, m = np.exp(t), t < 1.0
    out = t.copy()
    out[m] = e[m]
    more = np.ones(len(t))
    more[t < 2.0] = (e * t)[t < 2.0]
    return np.sum(out) + np.sum(more)


def selected(t: np.ndarray) -> float:
    e = np.exp(t)
    least = np.minimum(np.maximum(t, 0.0), 2.0)
    return np.sum(np.where(t < 1.0, e + e * least, np.where(t < 2.0, t + e * t, t + 1.0)))


def picked(t: np.ndarray) -> float:
    """Only some elements are read, by their numbers."""
    e, low = np.exp(t), np.nonzero(t < 2.0)[0]
    return np.sum((e * t)[low]) + e[0] + t[1] + t[2]


def in_a_loop(t: np.ndarray) -> float:
    total = 0.0
    for i in range(len(t)):
        e = t[i]
        for _ in range(1):
            e = np.where(e < 700.0, np.exp(e), e)
        a = np.where(t[i] < 1.0, e, t[i])
        total += a + np.where(t[i] < 2.0, e * t[i], 1.0)
    return total


def sums_in_arms(t: np.ndarray) -> float:
    total = 0.0
    for v in t:
        s = np.sum(np.exp(np.array([v, 0.0]) * 1.0)) - 1.0
        total += np.where(v < 1.0, s, v) + np.where(v < 2.0, s * v, 1.0)
    return total


def grow(v: float, depth: int) -> float:
    return np.exp(v) if depth == 0 else grow(v, depth - 1) * 1.0


def calls_in_arms(t: np.ndarray) -> float:
    total = 0.0
    for v in t:
        e = grow(v, 3)
        total += np.where(v < 1.0, e, v) + np.where(v < 2.0, e * v, 1.0)
    return total


@dataclass(frozen=True)
class Both:
    e: np.ndarray
    t: np.ndarray


def helper(b: Both, k: float, other: np.ndarray) -> np.ndarray:
    return np.where(b.t < k, b.e, other)


def helped(t: np.ndarray) -> float:
    b = Both(np.exp(t), t)
    return np.sum(helper(b, 1.0, t)) + np.sum(helper(Both(b.e * t, t), 2.0, np.ones(len(t))))


def rows(t: np.ndarray) -> float:
    e = np.exp(t[:, None] * np.ones(2))
    half = np.where(t[:, None] < 1.0, e, t[:, None]) + np.where(t[:, None] < 2.0, (e.T * t).T, 1.0)
    return np.sum(half) * 0.5


SAME = [shared, one_by_one, nested, by_mask, stored, selected, picked, in_a_loop, sums_in_arms,
        calls_in_arms, helped, rows]  # fmt: skip
EXPECTED = [math.exp(0.5) * 2.5, 1.0 + math.exp(1.5) * 2.5, 1.0]


@pytest.mark.parametrize("f", SAME, ids=lambda f: f.__name__)
def test_the_side_that_is_not_taken_has_no_derivative(f: F) -> None:
    for method in ("chad", "dual"):
        with np.errstate(all="ignore"):
            assert np.allclose(pb.grad(f, method=method)(T), EXPECTED, rtol=1e-13), method
    tangent = pb.jvp(f, (T,), (np.array([1.0, 2.0, 3.0]),))[1]
    assert tangent == pytest.approx(EXPECTED[0] + 2 * EXPECTED[1] + 3.0, rel=1e-13)


def test_nor_has_its_derivative() -> None:
    second = [math.exp(0.5) * 3.5, math.exp(1.5) * 3.5, 0.0]
    for f in (shared, one_by_one):
        twice = pb.grad(lambda t, f=f: np.sum(pb.grad(f)(t)))(T)
        assert np.allclose(twice, second, rtol=1e-12)
        along = pb.jvp(pb.grad(f), (T,), (np.ones(3),))[1]
        assert np.allclose(along, second, rtol=1e-12)


def test_numbers_and_float32() -> None:
    def f(t: float) -> float:
        e = np.exp(t)
        return np.where(t < 1.0, e, t) + np.where(t < 2.0, e * t, 1.0)

    for method in ("chad", "dual"):
        assert pb.grad(f, method=method)(np.float64(1000.0)) == 1.0
        assert pb.grad(f, method=method)(np.float32(1000.0)) == 1.0
        assert pb.grad(shared, method=method)(T.astype(np.float32)).tolist()[2] == 1.0
    value, back = pb.vjp(f, 1000.0)
    assert (value, back(2.0)) == (1001.0, (2.0,))


def test_bounds_are_choices() -> None:
    """The operand of a maximum, a minimum or a clip that does not win has no derivative."""

    def f(t: np.ndarray) -> float:
        e = np.exp(t)
        return np.sum(np.minimum(e, 10.0) + np.clip(e * t, 0.0, 20.0) + np.maximum(-e, -5.0))

    for method in ("chad", "dual"):
        assert np.allclose(
            pb.grad(f, method=method)(np.array([1.0, 1000.0])), [2 * math.e, 0.0]
        ), method

    def g(t: float) -> float:
        e = t * t / (t - 1.0)
        return min(e, 3.0) + max(-e, -4.0)

    assert pb.grad(g)(1.0 + 1e-300 + 2.3e-16) == 0.0


def test_what_is_there_stays() -> None:
    """Infinite and NaN derivatives of arms that are taken, and of NaN inputs, are not hidden."""

    def f(t: float) -> float:
        e = np.exp(t)
        return np.where(t < 2000.0, e * 0.0, t) + np.where(t < 1.0, e, 1.0)

    assert math.isnan(pb.grad(f)(np.float64(1000.0)))
    assert pb.grad(f)(np.float64(3000.0)) == 1.0

    def missing(w: np.ndarray, x: np.ndarray) -> float:
        y = w * x
        return np.sum(np.where(np.isnan(x), 0.0, y) + np.where(x > 3.0, y * y, 0.0))

    w, x = np.array([1.0, 2.0, 3.0]), np.array([math.nan, 2.0, 4.0])
    for method in ("chad", "dual"):
        assert pb.grad(missing, method=method)(w, x).tolist() == [0.0, 2.0, 100.0]
        assert math.isnan(pb.grad(lambda x: np.sum(np.exp(x)), method=method)(x)[0])


def rows_with_gaps(w: np.ndarray, x: np.ndarray) -> float:
    z = x @ w
    return np.sum(np.where(np.isnan(x[:, 0]), 0.0, z) ** 2)


def rows_of_loops(w: np.ndarray, x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        s = 0.0
        for k in range(len(w)):
            s += w[k] * x[i, k]
        total += np.where(np.isnan(s), 0.0, s * s)
    return total


def test_data_that_is_missing() -> None:
    w, x = np.array([1.0, 2.0]), np.array([[1.0, 2.0], [math.nan, 3.0], [3.0, 4.0]])
    for method in ("chad", "dual"):
        assert pb.grad(rows_with_gaps, method=method)(w, x).tolist() == [76.0, 108.0]
        assert pb.grad(rows_of_loops, method=method)(w, x).tolist() == [76.0, 108.0]


def quotients(a: np.ndarray) -> float:
    q = 1.0 / a
    return np.sum(np.where(a != 0.0, q, 0.0) + np.where(a > 1.0, q * q, 0.0))


def direction(a: np.ndarray) -> float:
    n = np.linalg.norm(a)
    return np.sum(np.where(n > 0.0, a / n, 0.0))


def running(a: np.ndarray) -> float:
    """Run a loop that goes on carrying a value after the last round that needs it."""
    e, s = 1.0, 0.0
    for v in a:
        e = e * np.exp(v)
        s = np.where(v < 2.0, s + e, s)
    return s


def products(a: np.ndarray) -> float:
    e = np.exp(1e3 * a)
    all_of_them = np.where(a[2] > 2.0, a[1], np.prod(e))
    return all_of_them + np.where(a[2] > 2.0, 0.0, np.cumprod(e)[2]) + np.cumsum(np.exp(a))[0]


def ordered(a: np.ndarray) -> float:
    e = np.sort(np.exp(a))
    return e[0] + np.minimum(np.max(np.exp(a)), 5.0)


@pytest.mark.parametrize(
    ("f", "x", "slopes"),
    [
        (quotients, [0.0, 2.0], [0.0, -0.5]),
        (direction, [0.0, 0.0], [0.0, 0.0]),
        (running, [0.0, 0.0, 1000.0], [2.0, 1.0, 0.0]),
        (products, [0.0, 1.0, 3.0], [1.0, 1.0, 0.0]),
        (ordered, [0.0, 1.0, 1000.0], [1.0, 0.0, 0.0]),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_guards_that_users_write(f: F, x: list[float], slopes: list[float]) -> None:
    for method in ("chad", "dual"):
        assert np.allclose(pb.grad(f, method=method)(np.array(x)), slopes, rtol=1e-13), method
    assert np.isfinite(pb.jvp(f, (np.array(x),), (np.ones(len(x)),))[1])


def test_reductions_in_arms() -> None:
    def f(t: float, x: np.ndarray) -> float:
        e = np.exp(x)
        return np.where(t < 1.0, np.sum(e), t) + np.where(t < 2.0, np.sum(e * x), 1.0)

    x = np.array([1.0, 1000.0])
    for method in ("chad", "dual"):
        dt, dx = pb.grad(f, argnums=(0, 1), method=method)(3.0, x)
        assert (dt, dx.tolist()) == (1.0, [0.0, 0.0])


def test_a_carried_value() -> None:
    """A loop in which a where keeps what has converged."""

    def f(x: float) -> float:
        y = x
        for _ in range(20):
            step = np.exp(y) / (y - 3.0)
            y = np.where(y < 2.0, y + 0.7, np.where(y < 3.0, 3.0 * x, y + 0.0 * np.log(x)))
            y = np.where(y < -5.0, step, y)
        return y

    for method in ("chad", "dual"):
        assert pb.grad(f, method=method)(1.0) == 3.0
