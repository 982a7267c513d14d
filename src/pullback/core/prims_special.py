"""Rows for special functions whose values are SciPy's own (``core/scipy_functions.py``), with their
derivatives in closed form; those by an order have none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pullback.core.formulas import Formula
from pullback.core.rows import NOT_DIFFERENTIABLE, ZERO, Partial, Table
from pullback.core.scipy_rows import Cell, Interval, formulas_of, scipy_row
from pullback.core.terms import Atom, Lit

if TYPE_CHECKING:
    from pullback.core.build import Builder

SPECIAL_ROWS = Table()

Args = tuple[Atom, ...]


def _k(value: float, like: Atom) -> Lit:
    return Lit(value, like.type)


def _add(name: str, partials: tuple[Partial, ...], *domain: tuple[float, float]) -> None:
    SPECIAL_ROWS.add(scipy_row(name, partials, *domain))


def _over(b: Builder, value: Atom, x: Atom, at_zero: float) -> Atom:
    """value / x; where x is 0, what it is there"""
    zero = b.prim("eq", x, _k(0.0, x))
    ratio = b.prim("div", value, b.prim("select", zero, _k(1.0, x), x))
    return b.prim("select", zero, _k(at_zero, x), ratio)


def _signed(b: Builder, x: Atom, r: Atom) -> Atom:
    return b.prim("mul", b.prim("sign", x), r)


def _exp(b: Builder, scale: float, exponent: Atom) -> Atom:
    return b.prim("mul", _k(scale, exponent), b.prim("exp", exponent))


def _k1(b: Builder, a: Args, r: Atom) -> Atom:
    """-k0 - k1 / x"""
    return b.prim("neg", b.prim("add", b.prim("k0", a[0]), b.prim("div", r, a[0])))


def _y1(b: Builder, a: Args, r: Atom) -> Atom:
    """y0 - y1 / x"""
    return b.prim("sub", b.prim("y0", a[0]), b.prim("div", r, a[0]))


def _j1(b: Builder, a: Args, r: Atom) -> Atom:
    """j0 - j1 / x"""
    return b.prim("sub", b.prim("j0", a[0]), _over(b, r, a[0], 0.5))


def _i1(b: Builder, a: Args, r: Atom) -> Atom:
    """i0 - i1 / x"""
    return b.prim("sub", b.prim("i0", a[0]), _over(b, r, a[0], 0.5))


def _i0e(b: Builder, a: Args, r: Atom) -> Atom:
    """i1e - sign(x) i0e"""
    return b.prim("sub", b.prim("i1e", a[0]), _signed(b, a[0], r))


def _i1e(b: Builder, a: Args, r: Atom) -> Atom:
    """i0e - i1e / x - sign(x) i1e"""
    slope = b.prim("sub", b.prim("i0e", a[0]), _over(b, r, a[0], 0.5))
    return b.prim("sub", slope, _signed(b, a[0], r))


def _k1e(b: Builder, a: Args, r: Atom) -> Atom:
    """k1e - k0e - k1e / x"""
    return b.prim("sub", b.prim("sub", r, b.prim("k0e", a[0])), b.prim("div", r, a[0]))


def _square(b: Builder, x: Atom) -> Atom:
    return b.prim("mul", x, x)


def _twice(b: Builder, x: Atom, r: Atom) -> Atom:
    """2 x r"""
    return b.prim("mul", b.prim("mul", _k(2.0, x), x), r)


_POSITIVE = (0.5, 4.0)
_ROOT = 2.0 / math.sqrt(math.pi)
_add("gamma", (lambda b, a, r: b.prim("mul", r, b.prim("digamma", a[0])),), _POSITIVE)
_add("j0", (lambda b, a, r: b.prim("neg", b.prim("j1", a[0])),), (-3.0, 3.0))
_add("j1", (_j1,), (-3.0, 3.0))
_add("y0", (lambda b, a, r: b.prim("neg", b.prim("y1", a[0])),), _POSITIVE)
_add("y1", (_y1,), _POSITIVE)
_add("i0", (lambda b, a, r: b.prim("i1", a[0]),), (-3.0, 3.0))
_add("i1", (_i1,), (-3.0, 3.0))
_add("i0e", (_i0e,), (-3.0, 3.0))
_add("i1e", (_i1e,), (-3.0, 3.0))
_add("k0", (lambda b, a, r: b.prim("neg", b.prim("k1", a[0])),), _POSITIVE)
_add("k1", (_k1,), _POSITIVE)
_add("k0e", (lambda b, a, r: b.prim("sub", r, b.prim("k1e", a[0])),), _POSITIVE)
_add("k1e", (_k1e,), _POSITIVE)
_add("erfcx", (lambda b, a, r: b.prim("sub", _twice(b, a[0], r), _k(_ROOT, r)),), (-2.0, 2.0))
_add("erfi", (lambda b, a, r: _exp(b, _ROOT, _square(b, a[0])),), (-2.0, 2.0))
_add("dawsn", (lambda b, a, r: b.prim("sub", _k(1.0, r), _twice(b, a[0], r)),), (-2.0, 2.0))
_add("expi", (lambda b, a, r: b.prim("div", b.prim("exp", a[0]), a[0]),), _POSITIVE)
_add("exp1", (lambda b, a, r: b.prim("div", _exp(b, -1.0, b.prim("neg", a[0])), a[0]),), _POSITIVE)
_add("wrightomega", (lambda b, a, r: b.prim("div", r, b.prim("add", _k(1.0, r), r)),), (-1.0, 4.0))


def _ndtri_exp(b: Builder, a: Args, r: Atom) -> Atom:
    """exp(y + x**2 / 2) sqrt(2 pi)"""
    half = b.prim("mul", _k(0.5, r), _square(b, r))
    return _exp(b, math.sqrt(2.0 * math.pi), b.prim("add", a[0], half))


def _inverse_error(scale: float, power: float) -> Partial:
    """scale * exp(power * r**2): the inverse of the slope of an error function"""
    return lambda b, a, r: _exp(b, scale, b.prim("mul", _k(power, r), _square(b, r)))


_add("ndtri_exp", (_ndtri_exp,), (-5.0, -0.1))
_add("ndtri", (_inverse_error(math.sqrt(2.0 * math.pi), 0.5),), (0.1, 0.9))
_add("erfinv", (_inverse_error(1.0 / _ROOT, 1.0),), (-0.9, 0.9))
_add("erfcinv", (_inverse_error(-1.0 / _ROOT, 1.0),), (0.1, 1.9))


# --- of an order and a number ---------------------------------------------------------------------


def _neighbours(b: Builder, name: str, a: Args, sign: str) -> Atom:
    """Half of the sum, or difference, of the functions of the orders before and after."""
    before, after = (b.prim(name, b.prim("add", a[0], _k(s, a[0])), a[1]) for s in (-1.0, 1.0))
    return b.prim("mul", _k(0.5, a[1]), b.prim(sign, before, after))


def _kve(b: Builder, a: Args, r: Atom) -> Atom:
    return b.prim("sub", r, _neighbours(b, "kve", a, "add"))


def _ive(b: Builder, a: Args, r: Atom) -> Atom:
    return b.prim("sub", _neighbours(b, "ive", a, "add"), _signed(b, a[1], r))


def _expn(b: Builder, a: Args, r: Atom) -> Atom:
    """-expn(n - 1, x); expn(0, x) is exp(-x) / x"""
    zero = b.prim("eq", a[0], _k(0.0, a[0]))
    least = b.prim("select", zero, _k(1.0, a[0]), a[0])
    others = b.prim("expn", b.prim("sub", least, _k(1.0, a[0])), a[1])
    first = b.prim("mul", r, b.prim("add", _k(1.0, r), b.prim("div", _k(1.0, r), a[1])))
    return b.prim("neg", b.prim("select", zero, first, others))


def _owens_by_h(b: Builder, a: Args, r: Atom) -> Atom:
    """-exp(-h**2 / 2) erf(a h / sqrt(2)) / sqrt(8 pi)"""
    gauss = _exp(b, -1.0 / math.sqrt(8.0 * math.pi), b.prim("mul", _k(-0.5, r), _square(b, a[0])))
    inner = b.prim("mul", _k(math.sqrt(0.5), r), b.prim("mul", a[0], a[1]))
    return b.prim("mul", gauss, b.prim("erf", inner))


def _owens_by_a(b: Builder, a: Args, r: Atom) -> Atom:
    """exp(-h**2 (1 + a**2) / 2) / (2 pi (1 + a**2))"""
    rest = b.prim("add", _k(1.0, r), _square(b, a[1]))
    half = b.prim("mul", b.prim("mul", _k(-0.5, r), _square(b, a[0])), rest)
    return b.prim("div", _exp(b, 0.5 / math.pi, half), rest)


_ORDER, _SMALL = (0.5, 3.0), (-0.8, 0.8)
_add("jv", (NOT_DIFFERENTIABLE, lambda b, a, r: _neighbours(b, "jv", a, "sub")), _ORDER, _POSITIVE)
_add("yv", (NOT_DIFFERENTIABLE, lambda b, a, r: _neighbours(b, "yv", a, "sub")), _ORDER, _POSITIVE)
_add("iv", (NOT_DIFFERENTIABLE, lambda b, a, r: _neighbours(b, "iv", a, "add")), _ORDER, _POSITIVE)
_add(
    "kv",
    (NOT_DIFFERENTIABLE, lambda b, a, r: b.prim("neg", _neighbours(b, "kv", a, "add"))),
    _ORDER,
    _POSITIVE,
)
_add("ive", (NOT_DIFFERENTIABLE, _ive), _ORDER, _POSITIVE)
_add("kve", (NOT_DIFFERENTIABLE, _kve), _ORDER, _POSITIVE)
_add("expn", (NOT_DIFFERENTIABLE, _expn), (2.0, 2.0), _POSITIVE)
_add("owens_t", (_owens_by_h, _owens_by_a), (-2.0, 2.0), (-2.0, 2.0))


def _struve(name: str) -> Partial:
    """That of the order before, less v / x times the function"""

    def partial(b: Builder, a: Args, r: Atom) -> Atom:
        before = b.prim(name, b.prim("sub", a[0], _k(1.0, r)), a[1])
        return b.prim("sub", before, b.prim("div", b.prim("mul", a[0], r), a[1]))

    return partial


def _hypergeometric(b: Builder, a: Args, r: Atom) -> Atom:
    """a / b times the function of a + 1 and b + 1"""
    more = [b.prim("add", p, _k(1.0, r)) for p in a[:2]]
    return b.prim("mul", b.prim("div", a[0], a[1]), b.prim("hyp1f1", *more, a[2]))


def _hyperu(b: Builder, a: Args, r: Atom) -> Atom:
    """-a times the function of a + 1 and b + 1"""
    more = [b.prim("add", p, _k(1.0, r)) for p in a[:2]]
    return b.prim("neg", b.prim("mul", a[0], b.prim("hyperu", *more, a[2])))


_add("struve", (NOT_DIFFERENTIABLE, _struve("struve")), _ORDER, _POSITIVE)
_add("modstruve", (NOT_DIFFERENTIABLE, _struve("modstruve")), _ORDER, _POSITIVE)
_add(
    "hyp0f1",
    (NOT_DIFFERENTIABLE, lambda b, a, r: b.prim(
        "div", b.prim("hyp0f1", b.prim("add", a[0], _k(1.0, r)), a[1]), a[0]
    )),
    _POSITIVE,
    (-2.0, 2.0),
)  # fmt: skip
_NONE = (NOT_DIFFERENTIABLE, NOT_DIFFERENTIABLE)
_add("hyp1f1", (*_NONE, _hypergeometric), _POSITIVE, _POSITIVE, (-2.0, 2.0))
_add("hyperu", (*_NONE, _hyperu), _POSITIVE, _POSITIVE, _POSITIVE)


def _add_formula(name: str, cells: tuple[Cell, ...], *domain: Interval) -> None:
    SPECIAL_ROWS.add(scipy_row(name, formulas_of(*cells), *domain))


_TURN, _ANY = math.pi / 180.0, NOT_DIFFERENTIABLE
_add_formula("sindg", (lambda r, x: _TURN * x.of("cosdg"),), (-90.0, 90.0))
_add_formula("cosdg", (lambda r, x: -_TURN * x.of("sindg"),), (-90.0, 90.0))
_add_formula("tandg", (lambda r, x: _TURN * (1.0 + r * r),), (-60.0, 60.0))
_add_formula("cotdg", (lambda r, x: -_TURN * (1.0 + r * r),), (20.0, 60.0))
_add_formula("round", (ZERO,), (-3.0, 3.0))
_add_formula("radian", (_TURN, _TURN / 60.0, _TURN / 3600.0), *((1.0, 9.0),) * 3)
for _name in ("wright_bessel", "log_wright_bessel"):
    _add_formula(_name, (_ANY, _ANY, lambda r, a, b, x, name=_name: (
        a.of(name, a + b, x) if name == "wright_bessel" else (a.of(name, a + b, x) - r).of("exp")
    )), (0.5, 2.0), (0.5, 2.0), _POSITIVE)  # fmt: skip
_add_formula("hyp2f1", (_ANY, _ANY, _ANY, lambda r, a, b, c, x: (
    a * b / c * (a + 1.0).of("hyp2f1", b + 1.0, c + 1.0, x)
)), _POSITIVE, _POSITIVE, _POSITIVE, (-2.0, 0.6))  # fmt: skip


def _legendre(r: Formula, m: Formula, v: Formula, x: Formula) -> Formula:
    """((v + m) P(v - 1) - v x P(v)) / (1 - x^2); at 1 and -1 of m = 0 v (v + 1) / 2, ..."""
    edge = x * x
    rest = edge.where("eq", 1.0, 1.0, 1.0 - edge)
    factor = v + m  # where it is 0, SciPy's P(v - 1) is no number
    lower = factor.where("eq", 0.0, v + 1.0, v.where("eq", 0.0, 1.0, v)) - 1.0
    before = v.where("eq", 0.0, 0.0, factor * m.of("lpmv", lower, x))
    inside = (before - v * x * r) / rest
    whole = v * (v + 1.0)
    parity = 1.0 - 2.0 * (v - 2.0 * (0.5 * v).of("floor"))
    turned = x.where("lt", 0.0, parity, 1.0)
    two = -0.25 * whole * (v - 1.0) * (v + 2.0) * x * x.where("lt", 0.0, parity, 1.0)
    last = m.where("eq", 2.0, two, m.where("gt", 2.0, 0.0, math.nan))
    last = m.where("eq", -2.0, -0.25 * x * turned, m.where("lt", -2.0, 0.0, last))
    last = m.where("eq", -1.0, turned * -math.inf, m.where("eq", 1.0, turned * math.inf, last))
    last = m.where("eq", 0.0, 0.5 * whole * x * turned, last)
    return edge.where("eq", 1.0, last, inside)


_add_formula("lpmv", (_ANY, _ANY, _legendre), (1.0, 1.0), (3.0, 3.0), _SMALL)


def _series(x: Formula, sign: float) -> Formula:
    """sin(x) / x (sign is -1), sinh(x) / x (1): by a series where x is small"""
    q, total = x * x, x.like(1.0)
    for k in range(16, 0, -2):
        total = 1.0 + sign / (k * (k + 1.0)) * q * total
    exact = x.of("sin" if sign < 0.0 else "sinh") / q.where("lt", 1.0, 1.0, x)
    return q.where("lt", 1.0, total, exact)


_BEFORE = {
    "sici.0": lambda r, x: _series(x, -1.0),
    "sici.1": lambda r, x: x.of("cos") / x,
    "shichi.0": lambda r, x: _series(x, 1.0),
    "shichi.1": lambda r, x: x.of("cosh") / x,
    "fresnel.0": lambda r, x: (0.5 * math.pi * (x * x)).of("sin"),
    "fresnel.1": lambda r, x: (0.5 * math.pi * (x * x)).of("cos"),
}
for _name, _cell in _BEFORE.items():
    _add_formula(_name, (_cell,), _POSITIVE)

__all__ = ["SPECIAL_ROWS"]
