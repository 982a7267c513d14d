"""Series of ``numpy.polynomial``, their classes and ``np.poly1d``: NumPy's values, derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import (
    Chebyshev,
    Hermite,
    HermiteE,
    Laguerre,
    Legendre,
    Polynomial,
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
)

import pullback as pb
from tests.campaign import part
from tests.frontend.numpy_cases import check_derivatives

C, D = np.array([0.3, 1.2, -0.5, 0.7]), np.array([1.0, 2.0, 0.5])
MODULES = {"poly": polynomial, "cheb": chebyshev, "leg": legendre, "herm": hermite,
           "herme": hermite_e, "lag": laguerre}  # fmt: skip
CLASSES = (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre)
Function = Callable[[Any, Any], Any]


def numbers(found: Any) -> Any:
    """Return all numbers of arrays, tuples and series."""
    if isinstance(found, tuple):
        return np.concatenate([numbers(v) for v in found])
    if hasattr(found, "coef") and hasattr(found, "domain"):
        return np.concatenate([found.coef, found.domain, found.window])
    return np.ravel(np.asarray(found.coeffs if isinstance(found, np.poly1d) else found))


def of_module(prefix: str) -> list[Function]:
    def name(end: str) -> Any:
        return getattr(MODULES[prefix], prefix + end)

    add, sub, mul, mulx, div, power = map(name, ("add", "sub", "mul", "mulx", "div", "pow"))
    der, int_, fromroots, companion = map(name, ("der", "int", "fromroots", "companion"))
    vander, fit, trim, val = map(name, ("vander", "fit", "trim", "val"))
    val2d, grid2d, vander2d, val3d = map(name, ("val2d", "grid2d", "vander2d", "val3d"))
    return [
        lambda c, d: (add(c, d), sub(d, c), mul(c, d), mulx(c), *div(c, d), *div(d, c)),
        lambda c, d: (power(d, 3), der(c), der(c, 2), der(c, 1, 2.0), int_(c),
                      int_(d, 2, [1.0, 2.0], lbnd=0.5), trim(c, 0.1)),
        lambda c, d: (fromroots(c), companion(c), vander(c, 3), fit(c, c**2 + d[0], 2)),
        lambda c, d: (val2d(d, d + 1, np.outer(c, d)), grid2d(d, c, np.outer(c, d)),
                      val(d, np.outer(c, d)), der(np.outer(c, d), axis=1), vander2d(d, d, [1, 2]),
                      val3d(d[0], d[1], d[2], np.multiply.outer(np.outer(c, d), d))),
    ]  # fmt: skip


def of_class(cls: Any) -> list[Function]:
    return [
        lambda c, d: (cls(c)(d), cls(c, [0, 2])(0.3), cls(c, window=[0, 1])(d), len(cls(c)),
                      (cls(c) + cls(d) * 2.0 - 1.0)(0.4), (2.0 - cls(c) * cls(d)).coef,
                      (cls(c) // cls(d)).coef, (cls(c) % cls(d)).coef, (cls(d) ** 2 / 2.0).coef),
        lambda c, d: (cls(c, [0, 3]).deriv()(0.3), cls(c, [0, 3]).integ(lbnd=1.0)(0.3),
                      cls(c).integ(2, k=[1.0, 2.0]).coef, cls(c).truncate(2).coef,
                      *cls(c).linspace(5), cls.basis(2)(c), cls.identity([0, 2])(c)),
        lambda c, d: (cls.fromroots(d)(c), cls.fit(c, c**2 + d[0], 2)(d),
                      cls.fit(c, c**2, 1, domain=[], w=c**2).coef),
        lambda c, d: (cls(c).convert(kind=Polynomial).coef, cls(c, [0, 2]) * 2.0),
    ]  # fmt: skip


def points(c, d):
    to, of = laguerre.lag2poly(c), chebyshev.poly2cheb(c)
    f = Chebyshev.interpolate(lambda x: np.sin(x * d[0]), 4, [0.0, 1.0])
    return to, of, chebyshev.chebpts1(4), hermite.hermweight(c), f(c), Legendre.cast(f).coef


def older(c, d):
    p, q = np.poly1d(c), np.poly1d(d)
    quotient, rest = p / q
    return (p(d), (p + q * 2.0 - 1.0)(0.4), p * q, p.deriv()(d), p.integ(2, k=1.0), q**2, p[1],
            np.poly1d(d, True)(c), p.order, quotient.c, rest.c, p(q), 2.0 * p)  # fmt: skip


CASES: list[tuple[str, Function]] = [
    *((f"{p} {k}", f) for p in MODULES for k, f in enumerate(of_module(p))),
    *((f"{c.__name__} {k}", f) for c in CLASSES for k, f in enumerate(of_class(c))),
    ("points", points), ("poly1d", older),
]  # fmt: skip


@pytest.mark.parametrize("case", part("agreement", CASES, 24), ids=lambda c: c[0])
def test_values_and_derivatives(case: Any) -> None:
    _, f = case
    found, wanted = pb.jit(f)(C, D), f(C, D)
    assert type(found) is type(wanted)
    np.testing.assert_allclose(numbers(found), numbers(wanted), 1e-12, 1e-14)

    def total(c):
        values = f(c, D)
        return np.sum(values[0]) + np.sum(values[len(values) - 2])

    check_derivatives(total, (C,))


def test_zeros_are_sorted() -> None:
    for p in ("poly", "lag"):
        roots = getattr(MODULES[p], f"{p}roots")
        np.testing.assert_allclose(pb.jit(lambda c, roots=roots: roots(c))(C), roots(C), 1e-12)


def test_a_series_is_an_argument_and_a_gradient() -> None:
    def loss(p, x):
        return np.sum(p(x) * np.cos(x)) + np.sum(p.deriv()(x) ** 2)

    gradient = pb.grad(loss)(Polynomial(C, [0.0, 2.0], symbol="t"), D)
    assert isinstance(gradient, Polynomial) and gradient.symbol == "t"
    for k in range(4):
        e = np.eye(4)[k] * 1e-6
        up, down = (loss(Polynomial(C + s * e, [0.0, 2.0]), D) for s in (1.0, -1.0))
        assert gradient.coef[k] == pytest.approx((up - down) / 2e-6, 1e-6)
    older_gradient = pb.grad(lambda q, x: np.sum(q(x)))(np.poly1d(C), D)
    np.testing.assert_allclose(older_gradient.coeffs, [np.sum(D**k) for k in (3, 2, 1, 0)])


@pytest.mark.parametrize("f", [
    lambda c: (Polynomial(c) + Chebyshev(c)).coef,
    lambda c: (Polynomial(c) + Polynomial(c, [0, 1]))(1.0),
    lambda c: Polynomial(c, [0, 1, 2])(1.0), lambda c: Polynomial(c) ** 101,
    lambda c: polynomial.polyadd(np.outer(c, c), c), lambda c: chebyshev.chebint(c, 1, [1.0, 2.0]),
])  # fmt: skip
def test_errors_are_numpys(f: Any) -> None:
    with pytest.raises(Exception) as wanted:
        f(C)
    with pytest.raises(type(wanted.value)) as found:
        pb.jit(f)(C)
    assert str(wanted.value) in str(found.value)
