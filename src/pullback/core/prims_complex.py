"""Rows for the two parts of special functions of complex numbers ("wofz.re", "wofz.im"), with their
derivatives: those of the real functions, where they are analytic."""

from __future__ import annotations

import math

from pullback.core.complex_formulas import Complex, Slope, partials_of
from pullback.core.formulas import Formula
from pullback.core.rows import NOT_DIFFERENTIABLE, Partial, Table
from pullback.core.scipy_rows import Interval, scipy_row

COMPLEX = Table()

_POSITIVE, _ORDER = (0.5, 3.0), (0.5, 2.0)
_ROOT = 2.0 / math.sqrt(math.pi)


def _add(name: str, slope: Slope | None, *domain: Interval, across: Slope | None = None) -> None:
    """Add the rows of a function of real numbers and a complex one, by which alone it has a
    derivative; None: it has none."""
    area = ((0.4, 1.6), (0.3, 1.2))
    for part in ("re", "im"):
        none: tuple[Partial, ...] = (NOT_DIFFERENTIABLE,) * len(domain)
        if slope is None:
            COMPLEX.add(scipy_row(f"{name}.{part}", (*none, *(NOT_DIFFERENTIABLE,) * 2)))
        else:
            cells = (*none, *partials_of(name, part, slope, across))
            COMPLEX.add(scipy_row(f"{name}.{part}", cells, *domain, *area))


def _gauss(z: Complex, factor: float) -> Complex:
    return (z * z * factor).exp()


def _over(top: Complex, z: Complex, at_zero: float) -> Complex:
    """The quotient; at 0 what it is there"""
    size = z.re.of("hypot", z.im)
    safe = Complex(size.where("eq", 0.0, 1.0, z.re), z.im)
    found = top / safe
    real = size.where("eq", 0.0, at_zero, found.re)
    return Complex(real, size.where("eq", 0.0, 0.0, found.im))


# --- of a complex number --------------------------------------------------------------------------

_add("gamma", lambda w, z: w * z.of("psi"))
_add("rgamma", lambda w, z: -(w * z.of("psi")))
_add("loggamma", lambda w, z: z.of("psi"))
_add("psi", None)
_add("erf", lambda w, z: _gauss(z, -1.0) * _ROOT)
_add("erfc", lambda w, z: _gauss(z, -1.0) * -_ROOT)
_add("erfi", lambda w, z: _gauss(z, 1.0) * _ROOT)
_add("erfcx", lambda w, z: 2.0 * z * w - _ROOT)
_add("dawsn", lambda w, z: 1.0 - 2.0 * z * w)
_add("wofz", lambda w, z: -2.0 * z * w + _ROOT * 1j)
_add("ndtr", lambda w, z: _gauss(z, -0.5) * (0.5 * _ROOT * math.sqrt(0.5)))
_add("log_ndtr", lambda w, z: (z * z * -0.5 - w).exp() * (0.5 * _ROOT * math.sqrt(0.5)))
_add("exp1", lambda w, z: -((-z).exp() / z))
_add("expi", lambda w, z: z.exp() / z)
_add("wrightomega", lambda w, z: w / (w + 1.0))
_add("spence", lambda w, z: -_over(z.log(), z - 1.0, 1.0))
_add("sici.0", lambda w, z: _over(z.sin(), z, 1.0))
_add("sici.1", lambda w, z: z.cos() / z)
_add("shichi.0", lambda w, z: _over(-z.times_i().sin().times_i(), z, 1.0))
_add("shichi.1", lambda w, z: z.times_i().cos() / z)
_add("fresnel.0", lambda w, z: (z * z * (0.5 * math.pi)).sin())
_add("fresnel.1", lambda w, z: (z * z * (0.5 * math.pi)).cos())

# --- Bessel's and Airy's --------------------------------------------------------------------------


def _before_and_after(v: Formula, z: Complex, name: str, sign: float) -> Complex:
    return 0.5 * (z.of(name, v - 1.0) + sign * z.of(name, v + 1.0))


def _sign(x: Formula) -> Formula:
    return x.of("sign")


for _name, _bend in (("jv", -1.0), ("yv", -1.0), ("hankel1", -1.0), ("hankel2", -1.0),
                     ("iv", 1.0)):  # fmt: skip
    _add(
        _name, lambda w, v, z, name=_name, s=_bend: _before_and_after(v, z, name, s), _ORDER
    )
_add("kv", lambda w, v, z: -_before_and_after(v, z, "kv", 1.0), _ORDER)
_add("kve", lambda w, v, z: w - _before_and_after(v, z, "kve", 1.0), _ORDER)
_add("hankel1e", lambda w, v, z: (
    _before_and_after(v, z, "hankel1e", -1.0) - w.times_i()
), _ORDER)  # fmt: skip
_add("hankel2e", lambda w, v, z: (
    _before_and_after(v, z, "hankel2e", -1.0) + w.times_i()
), _ORDER)  # fmt: skip
for _name in ("jve", "yve"):  # with exp(-|Im z|)
    _add(
        _name,
        lambda w, v, z, name=_name: _before_and_after(v, z, name, -1.0),
        _ORDER,
        across=lambda w, v, z, name=_name: (
            _before_and_after(v, z, name, -1.0).times_i() - w * _sign(z.im)
        ),
    )
_add(
    "ive",
    lambda w, v, z: _before_and_after(v, z, "ive", 1.0) - w * _sign(z.re),
    _ORDER,
    across=lambda w, v, z: _before_and_after(v, z, "ive", 1.0).times_i(),
)
_add("airy.0", lambda w, z: z.of("airy.1"))
_add("airy.1", lambda w, z: z * z.of("airy.0"))
_add("airy.2", lambda w, z: z.of("airy.3"))
_add("airy.3", lambda w, z: z * z.of("airy.2"))
_add("airye.0", lambda w, z: z.of("airye.1") + z.sqrt() * w)
_add("airye.1", lambda w, z: z * z.of("airye.0") + z.sqrt() * w)


def _second_airy(w: Complex, z: Complex, slope: Complex, turn: bool) -> Complex:
    """Of exp(-|Re(2 z sqrt(z) / 3)|) times a function, by the real or the imaginary part"""
    root = z.sqrt()
    side = _sign((z * root).re)
    along = root.times_i().re if turn else root.re
    return (slope.times_i() if turn else slope) - w * (side * along)


for _k in (2, 3):

    def _slope(w: Complex, z: Complex, turn: bool, k: int = _k) -> Complex:
        slope = z.of("airye.3") if k == 2 else z * z.of("airye.2")
        return _second_airy(w, z, slope, turn)

    _add(
        f"airye.{_k}",
        lambda w, z, f=_slope: f(w, z, False),
        across=lambda w, z, f=_slope: f(w, z, True),
    )

# --- hypergeometric functions and polynomials -----------------------------------------------------

_add("hyp0f1", lambda w, v, z: z.of("hyp0f1", v + 1.0) / v, _POSITIVE)
_add("hyp1f1", lambda w, a, b, z: z.of("hyp1f1", a + 1.0, b + 1.0) * (a / b), _POSITIVE, _POSITIVE)
_add(
    "hyp2f1",
    lambda w, a, b, c, z: z.of("hyp2f1", a + 1.0, b + 1.0, c + 1.0) * (a * b / c),
    (0.5, 0.9), (1.1, 1.4), (2.1, 2.4),
)  # fmt: skip


def _lower(n: Formula, z: Complex, factor: Formula | float, name: str,
           *parameters: Formula | float) -> Complex:  # fmt: skip
    """A factor times the polynomial of the degree before; 0 where the degree is 0"""
    found = z.of(name, n.where("eq", 0.0, 1.0, n) - 1.0, *parameters) * factor
    return Complex(n.where("eq", 0.0, 0.0, found.re), n.where("eq", 0.0, 0.0, found.im))


def _of_second_kind(n: Formula, z: Complex, factor: float) -> Complex:
    m, sign = n.where("lt", -1.0, -n - 2.0, n), n.where("lt", -1.0, -factor, factor)
    return _lower(m.where("eq", -1.0, 0.0, m), z, sign, "eval_gegenbauer", 2.0)


def _legendre(n: Formula, z: Complex, factor: float) -> Complex:
    m = n.where("lt", 0.0, -n - 1.0, n)
    return _lower(m, z, (m + 1.0) * factor, "eval_jacobi", 1.0, 1.0)


_DEGREE = (3.0, 3.0)
_add("eval_chebyt", lambda w, n, z: z.of("eval_chebyu", n - 1.0) * n, _DEGREE)
_add("eval_chebyc", lambda w, n, z: z.of("eval_chebys", n - 1.0) * n, _DEGREE)
_add("eval_sh_chebyt", lambda w, n, z: z.of("eval_sh_chebyu", n - 1.0) * (2.0 * n), _DEGREE)
_add("eval_chebyu", lambda w, n, z: _of_second_kind(n, z, 2.0), _DEGREE)
_add("eval_chebys", lambda w, n, z: _of_second_kind(n, z * 0.5, 1.0), _DEGREE)
_add("eval_sh_chebyu", lambda w, n, z: _of_second_kind(n, z * 2.0 - 1.0, 4.0), _DEGREE)
_add("eval_legendre", lambda w, n, z: _legendre(n, z, 0.5), _DEGREE)
_add("eval_sh_legendre", lambda w, n, z: _legendre(n, z * 2.0 - 1.0, 1.0), _DEGREE)
_add("eval_laguerre", lambda w, n, z: _lower(n, z, -1.0, "eval_genlaguerre", 1.0), _DEGREE)
_add(
    "eval_genlaguerre",
    lambda w, n, a, z: _lower(n, z, -1.0, "eval_genlaguerre", a + 1.0), _DEGREE, _POSITIVE,
)  # fmt: skip
_add(
    "eval_gegenbauer",
    lambda w, n, a, z: _lower(n, z, 2.0 * a, "eval_gegenbauer", a + 1.0), _DEGREE, _POSITIVE,
)  # fmt: skip
_add(
    "eval_jacobi",
    lambda w, n, a, b, z: _lower(
        n, z, (n + a + b + 1.0) * 0.5, "eval_jacobi", a + 1.0, b + 1.0
    ),
    _DEGREE, _POSITIVE, _POSITIVE,
)  # fmt: skip
_add(
    "eval_sh_jacobi",
    lambda w, n, p, q, z: _lower(n, z, n, "eval_sh_jacobi", p + 2.0, q + 1.0),
    _DEGREE, (3.0, 4.0), (1.0, 2.0),
)  # fmt: skip

__all__ = ["COMPLEX"]
