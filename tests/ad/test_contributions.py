"""A contribution to a cotangent is one operation with its product, and made only where it
exists."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

import pullback as pb

X = np.array([0.5, 1.25, 800.0, 2.0, -0.75, 1.5, 0.25, 900.0, 1.0, 3.0])


def filtered(x, a):
    """The last state is not read, and its partial may be infinite."""
    total, s = 0.0, np.float64(1.0)
    for i in range(len(x)):
        total += s * x[i]
        s = a * s + np.exp(x[i]) * s
    return total


def pairs(x, a):
    """A cell gets two products, each of another cell; most cells get nothing."""
    t = np.zeros(len(x) + 2)
    t[0] = a
    for i in range(len(x)):
        t[i + 1] = t[i] * x[i] + a
        t[i + 2] += np.exp(x[i]) * t[i] + 0.5 * x[i]
    return t[1] + t[2]


def rotated(x, a):
    """The cotangents of two cells go to both of them, times partials."""
    p, q = np.cos(a), np.sin(a)
    t, u = x * 1.0, x[::-1] * 2.0
    for i in range(len(x) - 1):
        t[i], u[i] = p * t[i] - q * u[i + 1], q * t[i] + p * u[i]
    return t[0] * u[1] + np.log(t[len(x) // 2] ** 2 + 1.0)


def test_a_product_is_added_where_it_is_there() -> None:
    text = pb.show(pb.grad(pairs, argnums=(0, 1)), X, 0.5, stage="ad")
    assert re.search(r"= fma .*\n.* = select t\d+ t\d+ t\d+", text)


def ratios(x, a, n):
    for _ in range(n):
        x = x / (a + 0.3 * x)
    return x


def test_a_quotient_is_divided_once() -> None:
    """The factor that its partials share is multiplied once, and what is kept has no sign."""
    text = pb.show(pb.grad(ratios, argnums=(0, 1)), 0.5, 1.25, 5)
    backward = text[text.index("ts[") :]
    found = [name for name in re.findall(r"= (\S+) ", backward) if name in DIVIDING]
    assert found == ["div", "mulz", "mulz", "fnmaz"]
    assert not re.search(r"= neg ", text)


DIVIDING = ("div", "mulz", "fmaz", "fnmaz", "neg")


@pytest.mark.parametrize("a", [1.25, 0.0])
def test_a_quotient_in_all_modes(a: float) -> None:
    """Where the divisor is 0, and nobody asks for the quotient, nothing comes back."""

    def f(x, y):
        q = np.float64(x) / y
        return np.where(y > 0.5, q * q, x + y)

    def slope(x, y):
        return pb.jvp(f, (x, y), (1.0, 0.0))[1]

    twice = pb.grad(slope, argnums=(0, 1))(0.75, a)
    product = pb.hvp(f, (0.75, a), (1.0, 0.0))
    expected = (2.0 / a**2, -4.0 * 0.75 / a**3) if a else (0.0, 0.0)
    np.testing.assert_allclose(product, expected, rtol=1e-14)
    np.testing.assert_allclose(twice, expected, rtol=1e-14)
    first = (2.0 * 0.75 / a**2, -2.0 * 0.75**2 / a**3) if a else (1.0, 1.0)
    np.testing.assert_allclose(pb.grad(f, argnums=(0, 1))(0.75, a), first, rtol=1e-14)
    np.testing.assert_allclose(
        pb.grad(f, argnums=(0, 1), method="dual")(0.75, a), first, rtol=1e-14
    )


@pytest.mark.parametrize("n", [2, 3, len(X)])
@pytest.mark.parametrize("f", [filtered, pairs, rotated])
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_what_received_nothing_hands_on_nothing(f: Callable[..., float], n: int) -> None:
    """Both methods and plain differences agree, where partials are infinite too."""
    x = X[:n].copy() if f is pairs else np.minimum(X[:n], 1.75)
    if f is filtered:
        x[-1] = 1000.0
    got = pb.grad(f, argnums=(0, 1))(x, 0.5)
    dual = pb.grad(f, argnums=(0, 1), method="dual")(x, 0.5)
    for g, d in zip(got, dual, strict=True):
        assert np.all(np.isfinite(g))
        np.testing.assert_allclose(g, d, rtol=1e-12)
    h = 1e-6
    difference = (f(x, 0.5 + h) - f(x, 0.5 - h)) / (2 * h)
    assert math.isclose(got[1], difference, rel_tol=1e-5, abs_tol=1e-8)


@pytest.mark.parametrize("exponent", [-1022, -1010, -1074])
def test_lanes_flush_as_scalars_do(exponent: int) -> None:
    def forget(x, c):
        total = 0.0
        for j in range(len(x)):
            d = x[j]
            for i in range(len(c)):
                d = d * c[i]
            total += d
        return total

    x, c = np.linspace(0.5, 2.0, 19), np.full(12, 2.0 ** (exponent / 12))
    c[-1] = 2.0 ** exponent / 2.0 ** (11 * exponent / 12)
    one = [pb.grad(forget)(x[k : k + 1], c)[0] for k in range(len(x))]
    assert [float(g) for g in pb.grad(forget)(x, c)] == [float(g) for g in one]


def scaled(x):
    total = 0.0
    for v in x:
        total += (0.5 * (v * -2.0) ** 2 - v / 4.0) / 8.0
    return total


def huge(x):
    return ((x * 1e200) * 1e200) * 1e-200 * 1e-200


def test_factors_of_a_cotangent_become_one() -> None:
    """0.5 and 2 and 1 / 8 are multiplied when the derivative is written."""
    x = np.array([0.5, -1.25, 2.0])

    def product(a):
        return pb.hvp(scaled, (a,), (a,))[0]

    text = pb.show(pb.grad(scaled), x)
    added = text[text.index("+=") - 400 : text.index("+=")].splitlines()
    literals = [line for line in added if re.search(r" mul .*\d\.\d", line)]
    assert len(literals) <= 1
    np.testing.assert_allclose(pb.grad(scaled)(x), 0.5 * x - 1.0 / 32.0, rtol=1e-15)
    np.testing.assert_allclose(product(x), 0.5 * x, rtol=1e-15)
    np.testing.assert_allclose(pb.jacfwd(scaled)(x), 0.5 * x - 1.0 / 32.0, rtol=1e-15)


def test_factors_that_would_overflow_stay_apart() -> None:
    for x in (1e-100, 1e-300):
        assert pb.jvp(huge, (x,), (x,))[1] == pytest.approx(x, rel=1e-13)
