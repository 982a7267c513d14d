"""Special functions of SciPy: values at the edges, first and second derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special as sc

import pullback as pb
from pullback.core.prims import TABLE
from pullback.core.scipy_functions import ARITIES, KERNELS
from pullback.core.terms import Lit
from pullback.core.types import F64
from pullback.opt.scalar.match import fold
from tests.campaign import part
from tests.frontend.numpy_cases import check_derivatives, check_value

RNG = np.random.default_rng(8)
X, Y = RNG.uniform(0.2, 3.0, size=5), RNG.uniform(0.3, 4.0, size=5)
P = RNG.uniform(0.05, 0.95, size=5)
W = np.arange(1.0, 6.0)

FUNCTIONS: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("polygamma", lambda x: sc.polygamma(1, x) + sc.polygamma(3, x) + sc.polygamma(0, x), (X,)),
    ("digamma", lambda x: sc.digamma(x) + sc.digamma(-x), (X,)),
    ("zeta", lambda x: sc.zeta(3.0, x) + sc.zeta(2.0), (X,)),
    ("beta", lambda x, y: sc.beta(x, y) + sc.betaln(y, x), (X, Y)),
    ("binom", lambda x, y: sc.binom(y + 3.0, x), (X, Y)),
    ("gammainc by a", lambda x, y: sc.gammainc(x, y) + 2 * sc.gammaincc(x, 9 * y), (X, Y)),
    ("gammainc by x", lambda x, y: sc.gammainc(y, x) + 2 * sc.gammaincc(y, 9 * x), (X, Y)),
    ("betainc by x", lambda p, x, y: sc.betainc(x, y, p), (P, X, Y)),
    ("betainc by a and b", lambda x, y, p: sc.betainc(x, y, p) + sc.betainc(y, x, p), (X, Y, P)),
    ("erfinv", lambda p: sc.erfinv(2 * p - 1) + sc.erfcinv(2 * p), (P,)),
    ("ndtri", lambda p: sc.ndtri(p), (P,)),
    ("log_ndtr", lambda x: sc.log_ndtr(-8 * x) + sc.log_ndtr(x) + sc.log_ndtr(9 * x), (X,)),
    ("i0, i1", lambda x: sc.i0(x) + np.i0(-x) + sc.i1(x) + sc.i1(-2 * x), (X,)),
    ("j0, j1", lambda x: sc.j0(3 * x) + sc.j1(4 * x), (X,)),
    ("y0, y1, i0e, i1e", lambda x: sc.y0(x) + sc.y1(x) + sc.i0e(x) + sc.i1e(-x), (X,)),
    ("k0, k1, k0e, k1e", lambda x: sc.k0(x) + sc.k1(x) + sc.k0e(x) + sc.k1e(x), (X,)),
    ("of an order", lambda x: sc.jv(0.5, x) + sc.yv(1, x) + sc.iv(2, x) + sc.kv(-1.5, x), (X,)),
    ("scaled", lambda x: sc.ive(1.5, x) + sc.kve(0.5, x) + sc.expn(0, x) + sc.expn(3, x), (X,)),
    ("errors", lambda x: sc.erfcx(x) + sc.erfi(x) + sc.dawsn(x) + sc.expi(x) + sc.exp1(x), (X,)),
    ("owens_t", lambda x, y: sc.owens_t(x, y) + sc.owens_t(y, x), (X, Y)),
    ("elliptic", lambda p, x: sc.ellipk(p) * sc.ellipe(p) + sc.agm(x, p), (P, X)),
    ("incomplete", lambda x: sc.ellipkinc(x, 0.3) + sc.ellipeinc(x, -0.5), (X,)),
    ("around gamma", lambda x, y: sc.rgamma(x - 1.5) + sc.poch(x, y) + sc.poch(y, 3), (X, Y)),
    ("loggamma", lambda x: sc.loggamma(x) * sc.gammasgn(x - 2.5) + sc.multigammaln(x + 2, 3), (X,)),
    ("distributions by a", lambda x, y: sc.chdtr(x, y) + sc.gdtr(x, y, 2.0) + sc.gdtrc(2, x, y)
     + sc.chdtrc(4 * x, y) + sc.stdtr(x, 0.3) + sc.fdtr(x, y, 1.2) + sc.fdtrc(x, y, 1.2), (X, Y)),
    ("distributions by p", lambda p: sc.bdtr(2, 5, p) + sc.bdtrc(2, 5, p) ** 2 + sc.pdtr(2, p)
     + sc.pdtrc(1, 9 * p) + sc.betaincc(2.0, 3.0, p), (P,)),
    ("inverses by a", lambda x, y, p: sc.gammaincinv(x, p) + sc.gammainccinv(x, p)
     + sc.betaincinv(x, y, p) + sc.betainccinv(y, x, p), (X, Y, P)),
    ("inverses by p", lambda p, x: sc.gammaincinv(x, p) + sc.gammainccinv(x, p) + sc.chdtri(x, p)
     + sc.betaincinv(x, 2.0, p) + sc.stdtrit(x, p) + sc.fdtri(x, 2.0, p), (P, X)),
    ("stdtrit by df", lambda x, p: sc.stdtrit(x, p), (X, P)),
    ("whole orders", lambda w, y: sc.gammainc(w, y + 3) + sc.gammaincc(w, y + 6)
     + sc.betainc(3.0, w, y / 5) + sc.betainc(w, 2.0, y / 5), (W, Y)),
    ("exprel", lambda x: sc.exprel(x - 0.5) + sc.spence(x) + sc.spence(x + 1) + sc.cosm1(x), (X,)),
    ("boxcox1p", lambda x, y: sc.boxcox1p(x, y) + sc.inv_boxcox(x, y) + sc.inv_boxcox1p(y, x),
     (X, Y)),
    ("huber", lambda x, y: sc.huber(x, y) + sc.pseudo_huber(x, y) + sc.softplus(x), (X, Y)),
    ("polynomials", lambda x: sc.eval_legendre(4, x) + sc.eval_chebyt(3, x) + sc.eval_hermite(3, x)
     + sc.eval_hermitenorm(4, x) + sc.eval_laguerre(3, x) + sc.eval_legendre(-3, x), (X,)),
    ("struve", lambda x: sc.struve(0.5, x) + sc.modstruve(1, x) + sc.wrightomega(x), (X,)),
    ("ndtri_exp", lambda p: sc.ndtri_exp(-3 * p) + sc.ndtri_exp(p - 1.0), (P,)),
    ("hypergeometric", lambda x: sc.hyp0f1(1.5, x) + sc.hyp1f1(0.5, 2, x) + sc.hyperu(0.5, 2.5, x),
     (X,)),
    ("more polynomials", lambda x: sc.eval_chebyu(3, x) + sc.eval_gegenbauer(3, 0.7, x)
     + sc.eval_genlaguerre(4, 0.5, x) + sc.eval_gegenbauer(0, 0.7, x), (X,)),
    ("exp10", lambda x: sc.exp10(x) + sc.perm(7, 2), (X,)),
    ("logsumexp", lambda x, y: sc.logsumexp(np.outer(x, x), axis=1, b=y - 1.0) + sc.logsumexp(
        x, b=[0.0, 1.0, 2.0, 3.0, 4.0]), (X, Y)),
    ("cbrt", lambda x: np.cbrt(x) + sc.cbrt(-x), (X,)),
    ("entr", lambda x: sc.entr(x) + sc.rel_entr(x, 2 * x + x * x), (X,)),
    ("softmax", lambda x: sc.softmax(x) * sc.log_softmax(x), (X,)),
    ("softmax of rows", lambda x: sc.softmax(np.outer(x, x), axis=1) @ x, (X,)),
]


@pytest.mark.parametrize("case", part("agreement", FUNCTIONS, 3), ids=lambda c: c[0])
def test_value_and_derivatives(case: Any) -> None:
    _, f, args = case

    def weighted(*args):
        return np.sum(f(*args) * W)

    check_value(f, args, 1e-10)
    check_derivatives(weighted, args)


SECOND: list[tuple[Callable[..., Any], Any]] = [
    (lambda x: np.sum(sc.gammaln(x)), X), (lambda x: np.sum(sc.digamma(x)), X),
    (lambda x: np.sum(sc.gamma(x)), X), (lambda x: np.sum(sc.ndtri(x)), P),
    (lambda x: np.sum(sc.i0(x)), X), (lambda x: np.sum(sc.j1(x)), X),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(SECOND)))
def test_second_derivatives(case: int) -> None:
    f, x = SECOND[case]
    g, h = pb.grad(f), 1e-5
    found = pb.jvp(g, (x,), (np.ones(5),))[1]
    np.testing.assert_allclose(found, (g(x + h) - g(x - h)) / (2 * h), 1e-5)


EDGES: list[tuple[Callable[..., Any], list[float]]] = [
    (sc.erfinv, [0, 1e-10, -1e-300, 0.9999999, -0.99999999999, 1, -1, 2, 0.5, -0.5]),
    (sc.erfcinv, [1e-300, 1e-15, 0.3, 0.5, 1.0, 1.9999999999, 0, 2, 3]),
    (sc.ndtri, [1e-300, 1e-20, 0.5, 0.9999999999, 0, 1, 1.5]),
    (sc.log_ndtr, [-1e10, -100, -20.1, -19.9, -5, 0, 3, 6.1, 10, 40]),
    (sc.i0, [0, 1e-5, -3, 50, 300, 700, 800]), (sc.i1, [0, -1e-5, 50, 300]),
    (lambda x: sc.zeta(2.0, x), [-7.3, -0.5, -0.0, 0, 1e-160, 0.3, 9, 1e10, 1e154, 1e200, np.inf]),
    (lambda x: sc.zeta(3.0, x), [-0.3, 0, 1e-103, 1e-100, 0.3, 9, 1e5, 1e103, 1e154, np.inf]),
    (lambda x: sc.zeta(2.5, x), [0, 1e-100, 0.3, 9, 1e5, 1e103, 1e154, 1e200]),
    (sc.entr, [0, -1, 2]), (sc.j0, [0, 1e-9, -3, 50, 1e5]), (sc.j1, [0, -0.0, 1e-9, -3, 50, 1e5]),
    (sc.gamma, [-170.5, -3, -1.5, 0, -0.0, 1e-300, 0.5, 5, 33.5, 171.6, 172, np.inf, -np.inf]),
    (sc.rgamma, [-9.5, -3, -2.5, 0, 1, 170, 200, np.inf]), (sc.ellipk, [-1e3, -1, 0, 0.99, 1, 2]),
    (sc.gammaln, [-np.inf, -3, -2.5, -0.0, 0, 0.5, 1, 2, 171, 1e300, np.inf]),
    (sc.ellipe, [-1e3, 0, 0.99, 1, 2, -np.inf]), (sc.exprel, [-1e3, -0.3, 0, 1e-9, 0.3, 700, 1e9]),
    (sc.spence, [-1, 0, 1e-9, 0.5, 1, 1.5, 2, 3, 1e9]), (sc.gammasgn, [-2.5, -2, -0.0, 0, 3]),
    (sc.k0, [-1, 0, 1e-9, 700]), (sc.erfcx, [-30, 0, 50, 1e9]), (sc.i0e, [-1e9, 0, 30, 1e9]),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(EDGES)))
def test_edges(case: int) -> None:
    f, points = EDGES[case]
    x = np.array(points, float)
    np.testing.assert_allclose(pb.jit(lambda x: f(x))(x), f(x), 2e-14)


@pytest.mark.parametrize("name", sorted(name for name in ARITIES if TABLE[name].domain))
def test_values_of_literals(name: str) -> None:
    """They are SciPy's too: of some of these names libm has functions, and its gamma is lgamma."""
    numbers = [0.4 * low + 0.6 * high for low, high in TABLE[name].domain]
    found = fold(name, tuple(Lit(v, F64) for v in numbers), (), F64)
    assert found == Lit(float(KERNELS[name](*numbers)), F64)


def test_a_literal_in_a_program() -> None:
    assert pb.jit(lambda x: sc.gamma(5.0) * x + sc.y0(2.0))(1.0) == 24.0 + sc.y0(2.0)


def zeta(s, q):
    return sc.zeta(s, q)


@pytest.mark.parametrize("s", [1.5, 2.0, 5.0, 12.0])
def test_zeta(s: float) -> None:
    q = np.array([-3.3, 0.0, -2.0, 1e-5, 0.5, 3, 100, 1e6, np.inf])
    np.testing.assert_allclose(pb.jit(zeta)(s, q), sc.zeta(s, q), 1e-13)


def test_an_order_has_no_derivative() -> None:
    with pytest.raises(pb.PullbackError):
        pb.grad(lambda s: sc.zeta(s, 2.0))(3.0)
