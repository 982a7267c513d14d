"""Library functions that are programs: exactly what Python and NumPy give, errors included."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest

import pullback as pb

SPECIAL = [
    0.0, -0.0, 1.0, -2.0, 0.5, -0.5, 5e-324, -2.2e-308, 1e-310, 1.7976931348623157e308, 3.5, -2.5,
    2.0**52 + 1, math.inf, -math.inf, math.nan, 1e300, 2.0**-1022, 2.0**1023,
]  # fmt: skip


def bits(values):
    return np.array(values, dtype=float).tobytes()


def test_parts_of_floats_are_exact():
    modf, frexp = pb.jit(lambda x: math.modf(x)), pb.jit(lambda x: math.frexp(x))
    rng = np.random.default_rng(0)
    for x in [*SPECIAL, *(rng.normal(size=50) * 2.0 ** rng.integers(-1070, 1020, 50)).tolist()]:
        assert bits(modf(x)) == bits(math.modf(x)), x
        assert bits(frexp(x)) == bits(math.frexp(x)), x
    assert pb.grad(lambda x: math.modf(x)[0])(-2.25) == 1.0
    assert pb.grad(lambda x: math.modf(x)[1])(-2.25) == 0.0
    assert pb.grad(lambda x: math.frexp(x)[0])(12.0) == 0.0625


def test_products_with_powers_of_two_are_rounded_once():
    ldexp, rng = pb.jit(lambda x, i: math.ldexp(x, i)), np.random.default_rng(1)
    for x in [*SPECIAL, *(rng.normal(size=50) * 2.0 ** rng.integers(-1070, 1020, 50)).tolist()]:
        for i in [0, 1, -1, 1023, 1024, -1074, 5000, *rng.integers(-2200, 2200, 30).tolist()]:
            try:
                wanted = math.ldexp(x, i)
            except OverflowError:
                with pytest.raises(OverflowError, match="math range error"):
                    ldexp(x, i)
            else:
                assert bits(ldexp(x, i)) == bits(wanted), (x, i)
    for x in (1.5, 0.0, -3e-310):
        assert pb.grad(lambda x: math.ldexp(x, 4))(x) == 16.0
        assert pb.jvp(lambda x: math.ldexp(x, -3), (x,), (1.0,))[1] == 0.125
    with pytest.raises(TypeError, match="ints"):
        pb.jit(lambda x: math.ldexp(x, 2.0))(1.5)


def test_limits_of_floats():
    def f(x):
        info = sys.float_info
        return x + info.epsilon, info.max, info.min, info.dig, info[3], len(info)

    assert pb.jit(f)(1.0) == f(1.0)
    versions = (
        lambda x: x if sys.version_info[:2] >= (3, 11) else -x,
        lambda x: x if sys.version_info < (4,) and sys.version_info.major == 3 else -x,
        lambda x: x * sum(sys.version_info[:2]),
    )
    for g in versions:
        assert pb.value_and_grad(g)(2.0) == (g(2.0), g(1.0))


def test_remainders_are_exact():
    f = pb.jit(lambda x, y: math.remainder(x, y))
    for x, y in itertools.product(SPECIAL, repeat=2):
        try:
            expected = math.remainder(x, y)
        except ValueError:
            with pytest.raises(ValueError, match="math domain error"):
                f(x, y)
        else:
            assert bits([f(x, y)]) == bits([expected]), (x, y)
    assert pb.grad(lambda x, y: math.remainder(x, y), argnums=(0, 1))(7.0, -2.0) == (1.0, 4.0)


def test_convolutions_of_all_sizes():
    def f(a, v):
        return np.convolve(a, v), np.convolve(a, v, "same"), np.convolve(a, v, "valid")

    rng = np.random.default_rng(0)
    compiled = pb.jit(f)
    for n, m in itertools.product(range(1, 6), repeat=2):
        a, v = rng.normal(size=n), rng.normal(size=m)
        for found, expected in zip(compiled(a, v), f(a, v), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    with pytest.raises(ValueError, match="a cannot be empty"):
        compiled(np.zeros(0), np.ones(2))


@pytest.mark.parametrize(
    "f, args",
    [
        (lambda x: np.gradient(x), (np.ones(1),)),
        (lambda x, w: np.average(x, weights=w), (np.ones(2), np.array([1.0, -1.0]))),
    ],
)
def test_errors(f, args):
    with pytest.raises((ValueError, ZeroDivisionError)) as expected:
        f(*args)
    with pytest.raises(expected.type) as caught:
        pb.jit(f)(*args)
    assert str(caught.value) == str(expected.value)


def test_small_cases():
    for f, args in (
        (lambda x: np.gradient(x, 0.5), (np.array([1.0, 4.0]),)),
        (lambda x: np.gradient(x), (np.array([1, 4, 9]),)),
        (lambda x: np.nansum(x, axis=1, keepdims=True), (np.array([[1.0, np.nan], [2.0, 3.0]]),)),
        (lambda x: np.nansum(x), (np.array([1, 2]),)),
        (lambda p, x: np.polyval(p, x), (np.array([1, 2]), np.array([[0.5, np.inf]]))),
        (lambda x: np.average(x), (np.array([1, 2]),)),
    ):
        found, expected = pb.jit(f)(*args), f(*args)
        np.testing.assert_array_equal(found, expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("n", [15, 25, -15, -25, 5, -5, 14, 999999999999999999, True])
def test_rounding_ints(n):
    for f in (lambda n: round(n, -1), lambda n: round(n, -3), lambda n: round(n, -18)):
        assert pb.jit(f)(n) == f(n)
