"""Functions of ``scipy.special`` of which SciPy has the value and Pullback the derivative: bits,
derivatives by every argument that has one, edges."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special as sc

import pullback as pb
from pullback.core.scipy_functions import KERNELS, capsule_of, symbol_of
from tests.campaign import part
from tests.frontend.numpy_cases import check_derivatives

P, X = np.array([0.3, 0.6, 0.85]), np.array([0.4, 1.3, 2.2])


def amplitude(p):
    sn, cn, dn, ph = sc.ellipj(p * 3, 0.4)
    a, b, c, d = sc.ellipj(1.3, p)
    return sn + 2 * cn + 3 * dn + 0.1 * ph + a + 2 * b + 3 * c + 0.1 * d


def airy_functions(x):
    a, b = sc.airy(x), sc.airye(x)
    z = sc.airye(x * 1j + 0.2)[2]
    return a[0] + a[1] + a[2] + a[3] + b[0] + b[1] + b[2] + b[3] + np.abs(z)


def integrals(x):
    si, ci = sc.sici(x)
    sh, ch = sc.shichi(-x)
    s, c = sc.fresnel(x)
    i0, k0 = sc.iti0k0(x)
    j0, y0 = sc.it2j0y0(x)
    return si + ci + sh + ch + s + c + i0 + k0 + j0 + y0 + sc.itairy(x * 0.5)[2]


def waves(x):
    m, q = sc.mathieu_cem(2, 1.0, 30 * x), sc.mathieu_modsem1(1, 0.7, x * 0.3)
    d, v, w = sc.pbdv(1.5, x), sc.pbvv(0.5, x), sc.pbwa(0.5, x)
    ang, rad = sc.pro_ang1(1, 2, 0.9, x * 0.3), sc.obl_rad1(1, 2, 0.9, x)
    return m[0] + m[1] + q[0] + d[0] + d[1] + v[0] + w[1] + ang[0] + ang[1] + rad[1]


def kelvin_functions(x):
    be, ke, bep, kep = sc.kelvin(x)
    return np.abs(be) + np.real(ke) + np.imag(bep) + np.abs(kep) + sc.ber(x) * sc.keip(x)


CASES: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("binomial", lambda p: sc.bdtri(2, 5, p) + sc.nbdtr(2, 5, p) + 2 * sc.nbdtrc(2, 5, p)
     + sc.nbdtri(2, 5, p) + sc.pdtri(2, p) + sc.bdtrik(p, 10, 0.4) + sc.nbdtrin(3, p, 0.3), (P,)),
    ("parameters", lambda p: sc.btdtria(p, 2.0, 0.4) + sc.btdtrib(2.0, p, 0.4) + sc.chdtriv(p, 2.0)
     + sc.gdtria(p, 2.0, 3.0) + sc.gdtrib(2.0, p, 1.0) + sc.gdtrix(2.0, 3.0, p)
     + sc.nrdtrimn(p, 2.0, 1.0) + sc.nrdtrisd(2.0, p, 1.0) + sc.pdtrik(p, 3.0), (P,)),
    ("noncentral chi-square", lambda x: sc.chndtr(x, 2.5, 1.5) + 2 * sc.chndtr(3.0, x, 1.5)
     + sc.chndtr(3.0, 2.0, x) + sc.chndtrix(x * 0.3, 2.5, 1.5), (X,)),
    ("noncentral t", lambda x: sc.nctdtr(x + 1, 0.5, 1.2) + 2 * sc.nctdtr(3.0, x, 1.2)
     + sc.nctdtr(3.0, 0.7, x) + sc.nctdtr(3.0, 0.7, -x), (X,)),
    ("noncentral F", lambda x: sc.ncfdtr(x, 3.0, 0.5, 1.2) + sc.ncfdtr(2.0, x, 0.5, 1.2)
     + sc.ncfdtr(2.0, 3.0, x, 1.2) + sc.ncfdtr(2.0, 3.0, 0.5, x), (X,)),
    ("Kolmogorov", lambda x: sc.kolmogorov(x) + sc.smirnov(5, x / 3) + sc.tklmbda(x - 1, 0.3)
     + sc.tklmbda(0.3, x - 0.8) + sc.tklmbda(x - 1, 0.0) + sc.kolmogi(x / 3), (X,)),
    ("Carlson", lambda p: sc.elliprf(p, 1.0, 2.0) + sc.elliprd(p, 1.0, p) + sc.elliprc(p, 2.0)
     + sc.elliprc(p, -1.0) + sc.elliprg(p, 0.5, 3.0) + sc.elliprj(p, 1.0, 2.0, 3.0)
     + sc.elliprj(0.1, 0.2, 0.4, p) + sc.elliprf(0.0, p, 1.0),
     (P,)),
    ("incomplete by m", lambda p: sc.ellipkinc(0.7, p) + sc.ellipkinc(2 * p, 0.6)
     + sc.ellipkinc(7.0, p) + sc.ellipeinc(0.7, p) + sc.ellipeinc(3 * p, 0.6) + sc.ellipkm1(p),
     (P,)),
    ("ellipj", amplitude, (P,)),
    ("boxcox", lambda x: sc.boxcox(x, 0.4) + sc.boxcox(2.0, x - 1.3) + sc.boxcox1p(2.0, x - 1.3)
     + sc.inv_boxcox(0.3, x - 1.3) + sc.inv_boxcox1p(0.3, x - 1.3) + sc.kl_div(x, 0.6)
     + sc.powm1(x, 1.5) + sc.powm1(1.5, x) + sc.wright_bessel(0.5, 1.5, x), (X,)),
    ("voigt", lambda x: sc.voigt_profile(x, 0.4, 0.6) + sc.voigt_profile(0.4, x, 0.6)
     + sc.voigt_profile(0.4, 0.6, x) + sc.voigt_profile(0.4, 0.0, x), (X,)),
    ("derivatives of Bessel's", lambda x: sc.jvp(1.5, x) + sc.jvp(2, x, 2) + sc.yvp(1, x, 3)
     + sc.ivp(1, x) + sc.kvp(1, x, 2) + np.abs(sc.h1vp(1.5, x)) + sc.jve(1.5, x) + sc.kn(2, x),
     (X,)),
    ("diric", lambda x: sc.diric(x, 4) + sc.diric(x - 1.3, 5) + sc.sindg(40 * x) + sc.cotdg(x)
     + sc.assoc_laguerre(x, 3, 0.5) + sc.radian(x, 3.0, x) + sc.round(x), (X,)),
    ("polynomials", lambda x: sc.eval_legendre(4, x) + sc.eval_legendre(2.5, x / 3)
     + sc.eval_chebyt(3, x) + sc.eval_chebyu(-5, x) + sc.eval_jacobi(3, 0.5, 1.5, x)
     + sc.eval_sh_jacobi(3, 2.0, 1.5, x / 3) + sc.eval_hermite(4, x) + sc.eval_laguerre(3, x),
     (X,)),
    ("more polynomials", lambda x: sc.eval_chebyc(3, x) + sc.eval_chebys(3, x)
     + sc.eval_sh_legendre(3, x) + sc.lpmv(1, 3, x / 3) + sc.eval_sh_chebyt(3, x)
     + sc.eval_sh_chebyu(4, x)
     + sc.eval_hermitenorm(3, x) + sc.eval_gegenbauer(3, 0.7, x), (X,)),
    ("hypergeometric", lambda x: sc.hyp2f1(0.5, 1.5, 2.5, x / 3) + sc.hyp2f1(0.5, 1.5, 2.5, -x)
     + np.abs(sc.hyp2f1(0.5, 1.5, 2.5, x * 1j)) + np.abs(sc.hyp1f1(0.5, 2.0, x + 1j)), (X,)),
    ("spherical", lambda x: sc.spherical_jn(2, x) + sc.spherical_yn(0, x) + sc.spherical_in(1, x)
     + sc.spherical_kn(3, x, derivative=True) + sc.spherical_jn(0, x - 1.3, True), (X,)),
    ("spherical, of negative numbers", lambda x: sc.spherical_jn(1, -x) + sc.spherical_yn(2, -x)
     + sc.spherical_in(1, -x) + sc.spherical_in(2, -x, True) + sc.spherical_jn(2, -x, True), (X,)),
    ("spherical, by complex ones", lambda x: sc.spherical_kn(1, -x) + sc.spherical_kn(0, -x, True)
     + sc.spherical_kn(2, x - 1.5) + sc.spherical_kn(3, x - 1.5, derivative=True), (X,)),
    ("Airy's", airy_functions, (X,)),
    ("integrals", integrals, (X,)),
    ("waves", waves, (X,)),
    ("Kelvin's", kelvin_functions, (X,)),
    ("complex", lambda x: np.abs(sc.hankel1(1.5, x) + 2 * sc.hankel2e(1, x + 1j) + sc.wofz(x)
     + sc.wofz(x + 1j * x) + sc.gamma(x + 2j) + sc.jv(1.5, x + 0.3j) + sc.loggamma(1j * x)
     + sc.airy(x * 1j)[0] + sc.ive(0.5, -x + 1j) + sc.erfcx(x - 2j) + sc.exp1(x - 1j)), (X,)),
]  # fmt: skip


@pytest.mark.parametrize("case", part("agreement", CASES, 8), ids=lambda c: c[0])
def test_bits_and_derivatives(case: Any) -> None:
    _, f, args = case

    def total(*args):
        return np.sum(f(*args))

    assert np.array_equal(pb.jit(f)(*args), f(*args)) or np.allclose(
        pb.jit(f)(*args), f(*args), 1e-15, 0.0
    )  # sums are in another order
    check_derivatives(total, args)


def test_every_function_is_found() -> None:
    """SciPy has each with this signature."""
    for name, kernel in KERNELS.items():
        assert capsule_of(symbol_of(name))[1].decode().startswith(("double", "void", "__pyx_t_d"))
        assert kernel.arity >= 1


def test_constants_are_computed_once() -> None:
    def rule(x):
        nodes, weights = sc.roots_legendre(5)
        return np.sum(weights * np.exp(x * nodes)) + sc.jn_zeros(1, 2)[1] * x + sc.factorial2(7)

    x, weights = sc.roots_legendre(5)
    assert pb.grad(rule)(0.3) == pytest.approx(
        np.sum(weights * x * np.exp(0.3 * x)) + sc.jn_zeros(1, 2)[1], 1e-14
    )


@pytest.mark.parametrize("f, want", [
    (lambda s: sc.boxcox(2.0, s), np.log(2.0) ** 2 / 2),
    (lambda s: sc.boxcox1p(1.0, s), np.log(2.0) ** 2 / 2),
    (lambda s: sc.inv_boxcox(0.5, s), -np.exp(0.5) / 8),
    (lambda s: sc.ellipkinc(0.7, s), (0.7 - np.sin(1.4) / 2) / 4),
    (lambda s: sc.spherical_jn(1, s), 1 / 3),
    (lambda s: sc.lpmv(0, 3, 1.0 + s), 6.0),
    (lambda s: sc.lpmv(-1, 1, 0.6 + s), -0.375),
    (lambda s: sc.lpmv(-2, 4, 1.0 + s), -0.25),
    (lambda s: sc.diric(s, 5), 0.0),
    (lambda s: sc.beip(s), 0.5),
])  # fmt: skip
def test_derivatives_at_zero(f: Any, want: float) -> None:
    """Where a formula is 0 / 0, or has a case of its own."""
    assert pb.grad(f)(0.0) == pytest.approx(want, 1e-13)


def test_an_order_of_a_bessel_function_is_refused() -> None:
    with pytest.raises(pb.PullbackError, match="jve"):
        pb.grad(lambda v: sc.jve(v, 2.0))(1.5)


def test_an_error_of_scipys_own_is_raised_as_it_is() -> None:
    """A parabolic cylinder function of an order for which memory lacks."""
    with pytest.raises(Exception, match="memory allocation error") as wanted:
        sc.pbdv(3e9, 1.0)
    with pytest.raises(type(wanted.value)) as found:
        pb.jit(lambda v, x: sc.pbdv(v, x)[0])(3e9, 1.0)
    assert str(found.value) == str(wanted.value)
