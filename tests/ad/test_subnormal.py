"""Cotangents and tangents that are subnormal numbers become zero; values keep Python's bits."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable

import numpy as np
import pytest

import pullback as pb

TINY = np.finfo(np.float64).tiny
N = 12_000  # 0.9 ** 6700 is subnormal


def carried(x):
    s = 0.0
    for v in x:
        s = 0.9 * s + v * v
    return s


def through_a_branch(x):
    s = 0.0
    for v in x:
        if v > 0.0:
            s = 0.9 * s + v * v
        else:
            s = 0.9 * s + v * v
    return s


def while_loop(x):
    s, i = 0.0, 0
    while i < len(x):
        s = 0.9 * s + x[i] * x[i]
        i += 1
    return s


def in_an_array(x):
    s = np.zeros(3)
    for i in range(len(x)):
        s = 0.9 * s + x[i] * x[i]
    return s[1]


def updated_cells(x):
    s = np.zeros(2)
    for i in range(len(x)):
        for k in range(2):
            s[k] = 0.9 * s[k] + x[i] * x[i]
    return s[1]


def table(x):
    t = np.zeros(len(x) + 1)
    for i in range(len(x)):
        t[i + 1] = 0.9 * t[i] + x[i] * x[i]
    return t[len(x)]


def recursion(x):
    def upto(i):
        return 0.0 if i == 0 else 0.9 * upto(i - 1) + x[i - 1] * x[i - 1]

    return upto(len(x))


def recursion_with_a_sum(x):
    def after(s, i):
        return s if i == len(x) else after(0.9 * s + x[i] * x[i], i + 1)

    return after(0.0, 0)


def combinator(x):
    return pb.loop(len(x), lambda i, s: 0.9 * s + x[i] * x[i], 0.0)


FILTERS = [
    carried, through_a_branch, while_loop, in_an_array, updated_cells, table, recursion,
    recursion_with_a_sum, combinator,
]  # fmt: skip


@pytest.mark.parametrize("method", ["chad", "dual"])
@pytest.mark.parametrize("f", FILTERS, ids=lambda f: f.__name__)
def test_a_filter_that_forgets_has_zeros_far_back(
    f: Callable[..., float], method: str
) -> None:
    x = np.random.default_rng(0).uniform(0.5, 1.0, N) * np.array([1.0, -1.0] * (N // 2))
    got = pb.grad(f, method=method)(x)
    weights = 0.9 ** np.arange(N - 1.0, -1.0, -1.0)
    clear = weights > 4.0 * TINY
    np.testing.assert_allclose(got[clear], 2.0 * x[clear] * weights[clear], rtol=1e-11)
    assert np.all(got[weights < 0.25 * TINY] == 0.0)


@pytest.mark.parametrize("f", FILTERS, ids=lambda f: f.__name__)
def test_tangents_too(f: Callable[..., float]) -> None:
    x, along = np.full(N, 0.5), np.zeros(N)
    along[0] = 1.0
    assert pb.jvp(f, (x,), (along,))[1] == 0.0
    along[N - 100] = 1.0
    assert math.isclose(pb.jvp(f, (x,), (along,))[1], 0.9**99, rel_tol=1e-11)


def test_filters_in_lanes() -> None:
    def f(xs):
        return sum(carried(x) for x in xs)

    got = pb.grad(f)(np.full((16, N), 0.5))
    assert np.all(got[:, :4000] == 0.0)
    np.testing.assert_allclose(got[:, -1000:], [0.9 ** np.arange(999.0, -1.0, -1.0)] * 16)


def test_float32() -> None:
    def f(x):
        s = np.float32(0.0)
        for v in x:
            s = np.float32(0.5) * s + v * v
        return s

    got = pb.grad(f)(np.full(400, 0.5, np.float32))
    assert got.dtype == np.float32
    assert np.all(got[:250] == 0.0)
    assert got[-100] == np.float32(0.5) ** 99


def vanishing(x, y, n):
    """The value itself is a subnormal number, and goes on from there."""
    s = x
    for _ in range(n):
        s = 0.5 * s
    t = s * 2.0**1000 * y
    for _ in range(n - 1000):
        t = t * 2.0
    return t


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_values_keep_the_bits_of_python(method: str) -> None:
    x, y, n = 1.2345678901234567, 3.0, 1060
    value, (_, by_y) = pb.value_and_grad(vanishing, argnums=(0, 1), method=method)(x, y, n)
    assert value == vanishing(x, y, n) == pb.jit(vanishing)(x, y, n)
    assert math.isclose(by_y, vanishing(x, 1.0, n), rel_tol=1e-12)  # from a subnormal residual


def test_subnormal_values_in_a_reverse_loop() -> None:
    def f(x):
        s = 0.0
        for v in x:
            s = 0.25 * s + v * 2.0**-1060 * 2.0**1000 * v
        return s

    def g(x):
        s = 0.0
        for v in x:
            s = 0.25 * s + v * 2.0**-60 * v
        return s

    x = np.array([1.5, 2.5, -0.5])  # so few bits that the detour is exact
    assert np.all(pb.grad(f)(x) == pb.grad(g)(x))
    assert pb.jit(f)(x) == f(x)


def text(f: Callable[..., float], *args: object) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        pb.show(pb.grad(f), *args, stage="llvm")
    return out.getvalue()


def test_the_control_register_is_set_in_loops_of_cotangents_only() -> None:
    def with_values(x):
        s = 0.0
        for v in x:
            s = math.sin(s) + v
        return s

    x = np.ones(3)
    assert "ldmxcsr" in text(carried, x)
    assert "ldmxcsr" not in text(with_values, x)


def halves_of_tiny() -> float:
    return float(np.float64(TINY) * np.array([0.5])[0])


def test_the_control_register_is_restored() -> None:
    gradient = pb.grad(carried)
    for _ in range(3):
        gradient(np.ones(N))
        assert halves_of_tiny() > 0.0
    out, pullback = pb.vjp(carried, np.ones(N))
    pullback(1.0)
    assert out > 0.0 and halves_of_tiny() > 0.0


def test_a_derivative_inside_is_flushed_and_what_uses_it_is_not() -> None:
    def f(x, scale):
        inner = pb.grad(carried)(x)
        s = inner[len(x) - 1] * scale
        for _ in range(1060):
            s = 0.5 * s
        return s * 2.0**1000

    def plain(last, scale):
        s = 2.0 * last * scale
        for _ in range(1060):
            s = 0.5 * s
        return s * 2.0**1000

    x = np.full(20, 0.75)
    value, by_scale = pb.value_and_grad(f, argnums=1)(x, 1.25)
    assert value == plain(0.75, 1.25)
    assert math.isclose(by_scale, 1.5 * 2.0**-60, rel_tol=1e-12)


def test_sums_of_values_in_a_reverse_loop() -> None:
    """They are computed again there, and are values."""

    def f(x, a, c, at):
        for k in range(len(a)):
            x = x * 0.5 + sum(c[i] * sum(a[k, at[j + i]] for j in range(2)) for i in range(2))
        return 1e300 * x

    a, at = np.full((80, 2), 1e-310), np.array([0, 1, 1])
    _, found = pb.grad(f, argnums=(0, 2))(1.0, a, np.ones(2), at)
    expected = pb.grad(f, argnums=2, method="dual")(1.0, a, np.ones(2), at)
    assert found.min() > 0.0
    np.testing.assert_allclose(found, expected, rtol=1e-12)
