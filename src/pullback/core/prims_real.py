"""Rows for reals, and for what reals and integers share. Partials are for real operands; an
integer has none to give.

``numpy`` of a row gets floats (or float32) and Python ints, with IEEE results: NumPy's warnings
are switched off by the evaluator."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.later import SPECIAL
from pullback.core.rows import (
    NOT_DIFFERENTIABLE,
    ZERO,
    Partial,
    PartialFn,
    Row,
    Table,
    is_real,
    number1,
    number2,
    real1,
    real2,
)
from pullback.core.terms import Atom, Lit

if TYPE_CHECKING:
    from pullback.core.build import Builder

REAL = Table()


def _k(value: float, like: Atom) -> Lit:
    return Lit(value, like.type)


def _d1(f: Callable[..., Atom]) -> tuple[PartialFn]:
    """The partial of a unary row from ``f(b, x, r)``."""
    return (lambda b, args, r: f(b, args[0], r),)


def _unary(
    name: str,
    numpy: Callable[..., object],
    partials: tuple[Partial],
    llvm: str,
    domain: tuple[float, float] = (-2.0, 2.0),
    singular: bool = False,
    kinks: str = "",
) -> None:
    REAL.add(
        Row(
            name, 1, real1, numpy, partials, {"real": llvm}, (domain,),
            product="mulz" if singular else "mul", kinks=kinks,
        )
    )


def intrinsic(name: str, n: int = 1) -> str:
    """The text of a call of an LLVM intrinsic on ``n`` operands of one type."""
    args = ", ".join("{t} {" + str(i) + "}" for i in range(n))
    return "{r} = call {t} @llvm." + name + ".{s}(" + args + ")"


def _binary(op: str) -> str:
    return "{r} = " + op + " {t} {0}, {1}"


# --- arithmetic -----------------------------------------------------------------------------------

_ANY = (-2.0, 2.0)

REAL.add(Row("add", 2, number2, operator.add, (1.0, 1.0),
             {"real": _binary("fadd"), "int": _binary("add")}, (_ANY, _ANY)))
REAL.add(Row("sub", 2, number2, operator.sub, (1.0, -1.0),
             {"real": _binary("fsub"), "int": _binary("sub")}, (_ANY, _ANY)))
REAL.add(Row("mul", 2, number2, operator.mul,
             (lambda b, a, r: a[1], lambda b, a, r: a[0]),
             {"real": _binary("fmul"), "int": _binary("mul")}, (_ANY, _ANY)))
REAL.add(Row("div", 2, real2, np.divide,
             (lambda b, a, r: b.prim("div", _k(1.0, r), a[1]),
              lambda b, a, r: b.prim("neg", b.prim("div", r, a[1]))),
             {"real": _binary("fdiv")}, (_ANY, (0.5, 2.0)), product="mulz",
             kinks="by zero: IEEE; the partials are infinite or NaN",
             shared=(lambda b, a, r: b.prim("div", _k(1.0, r), a[1]),
                     (1.0, lambda b, a, r: b.prim("neg", r)))))
REAL.add(Row("neg", 1, number1, operator.neg, (-1.0,),
             {"real": "{r} = fneg {t} {0}", "int": "{r} = sub {t} {zero}, {0}"}, (_ANY,)))
REAL.add(Row("abs", 1, number1, abs, _d1(lambda b, x, r: b.prim("sign", x)),
             {"real": intrinsic("fabs"),
              "int": "{r} = call {t} @llvm.abs.{s}({t} {0}, i1 false)"}, (_ANY,),
             kinks="derivative 0 at 0"))
REAL.add(Row("sign", 1, number1, np.sign, (ZERO,),
             {"real": "{r}.p = fcmp ogt {t} {0}, {zero}\n"
                      "{r}.n = fcmp olt {t} {0}, {zero}\n"
                      "{r}.a = uitofp {b} {r}.p to {t}\n"
                      "{r}.c = uitofp {b} {r}.n to {t}\n"
                      "{r}.d = fsub {t} {r}.a, {r}.c\n"
                      "{r}.u = fcmp uno {t} {0}, {0}\n"
                      "{r} = select {b} {r}.u, {t} {0}, {t} {r}.d",
              "int": "{r}.p = icmp sgt {t} {0}, {zero}\n"
                     "{r}.n = icmp slt {t} {0}, {zero}\n"
                     "{r}.a = zext {b} {r}.p to {t}\n"
                     "{r}.c = zext {b} {r}.n to {t}\n"
                     "{r} = sub {t} {r}.a, {r}.c"}, (_ANY,), kinks="0 at 0"))

# --- roots, powers, exponentials ------------------------------------------------------------------


def _or_zero(b: Builder, where: Atom, above: Atom, below: Atom) -> Atom:
    """``above / below``, but 0 where ``where`` is 0."""
    zero = _k(0.0, where)
    return b.prim("select", b.prim("eq", where, zero), zero, b.prim("div", above, below))



_unary("sqrt", np.sqrt, _d1(lambda b, x, r: _or_zero(b, r, _k(0.5, x), r)), intrinsic("sqrt"),
       (0.5, 2.0), True, "partial 0 at 0, as of a norm")
_unary("exp", np.exp, _d1(lambda b, x, r: r), "call:exp")
_unary("exp10", SPECIAL.exp10,
       _d1(lambda b, x, r: b.prim("mul", _k(math.log(10.0), r), r)), "call:exp10")
_unary("exp2", np.exp2, _d1(lambda b, x, r: b.prim("mul", r, _k(math.log(2), x))), "call:exp2")
_unary("expm1", np.expm1, _d1(lambda b, x, r: b.prim("add", r, _k(1.0, x))), "call:expm1")
_unary("log", np.log, _d1(lambda b, x, r: b.prim("div", _k(1.0, x), x)), "call:log", (0.5, 2.0),
       True, "partial inf at 0")
_unary("log1p", np.log1p,
       _d1(lambda b, x, r: b.prim("div", _k(1.0, x), b.prim("add", x, _k(1.0, x)))),
       "call:log1p", (-0.5, 2.0), True, "partial inf at -1")
_unary("log2", np.log2, _d1(lambda b, x, r: b.prim("div", _k(1 / math.log(2), x), x)),
       "call:log2", (0.5, 2.0), True, "partial inf at 0")
_unary("log10", np.log10, _d1(lambda b, x, r: b.prim("div", _k(1 / math.log(10), x), x)),
       "call:log10", (0.5, 2.0), True, "partial inf at 0")


def _pow_base(b: Builder, a: tuple[Atom, ...], r: Atom) -> Atom:
    """exponent * base ** (exponent - 1), but 0 where the base is 0 and the exponent at least 0 and
    below 1: a root, or the exponent 0 (0 * infinity)."""
    zero, one = _k(0.0, r), _k(1.0, r)
    slope = b.prim("mulz", b.prim("pow", a[0], b.prim("sub", a[1], one)), a[1])
    root = b.prim("eq", b.prim("floor", a[1]), zero)
    return b.prim("select", b.prim("and", b.prim("eq", a[0], zero), root), zero, slope)


def _pow_exponent(b: Builder, a: tuple[Atom, ...], r: Atom) -> Atom:
    zero = _k(0.0, r)
    slope = b.prim("mul", b.prim("log", a[0]), r)
    return b.prim("select", b.prim("eq", r, zero), zero, slope)


def _pow(x: float, y: float) -> object:
    """As C has it; np.power takes the square root where y is 0.5, of -0.0 and -inf too."""
    t = np.float32 if isinstance(x, np.float32) else np.float64
    return t(x) ** t(y)


REAL.add(Row("pow", 2, real2, _pow, (_pow_base, _pow_exponent),
             {"real": "call:pow"}, ((0.5, 2.0), _ANY), product="mulz",
             kinks="where the power is 0: by the exponent 0, and by the base 0 if the exponent is "
                   "below 1, as of sqrt; a negative base has the partial NaN by the exponent"))


def _hypot(i: int) -> PartialFn:
    return lambda b, a, r: _or_zero(b, r, a[i], r)


REAL.add(Row("hypot", 2, real2, np.hypot, (_hypot(0), _hypot(1)), {"real": "call:hypot"},
             ((0.5, 2.0), _ANY), kinks="gradient 0 at the origin"))

# --- trigonometry ---------------------------------------------------------------------------------


def _one_minus_square(b: Builder, x: Atom) -> Atom:
    one = _k(1.0, x)
    return b.prim("mul", b.prim("sub", one, x), b.prim("add", one, x))


def _square_plus_one(b: Builder, x: Atom) -> Atom:
    return b.prim("add", b.prim("mul", x, x), _k(1.0, x))


def _over(b: Builder, numerator: float, x: Atom) -> Atom:
    return b.prim("div", _k(numerator, x), x)


_unary("sin", np.sin, _d1(lambda b, x, r: b.prim("cos", x)), "call:sin")
_unary("cos", np.cos, _d1(lambda b, x, r: b.prim("neg", b.prim("sin", x))), "call:cos")
_unary("tan", np.tan, _d1(lambda b, x, r: _square_plus_one(b, r)), "call:tan", (-1.2, 1.2))
_unary("asin", np.arcsin,
       _d1(lambda b, x, r: _over(b, 1.0, b.prim("sqrt", _one_minus_square(b, x)))),
       "call:asin", (-0.9, 0.9), True, "partial inf at -1 and 1")
_unary("acos", np.arccos,
       _d1(lambda b, x, r: _over(b, -1.0, b.prim("sqrt", _one_minus_square(b, x)))),
       "call:acos", (-0.9, 0.9), True, "partial -inf at -1 and 1")
_unary("atan", np.arctan, _d1(lambda b, x, r: _over(b, 1.0, _square_plus_one(b, x))), "call:atan")
_unary("sinh", np.sinh, _d1(lambda b, x, r: b.prim("cosh", x)), "call:sinh")
_unary("cosh", np.cosh, _d1(lambda b, x, r: b.prim("sinh", x)), "call:cosh")
_unary("tanh", np.tanh, _d1(lambda b, x, r: _one_minus_square(b, r)), "call:tanh")
_unary("asinh", np.arcsinh,
       _d1(lambda b, x, r: _over(b, 1.0, b.prim("hypot", x, _k(1.0, x)))), "call:asinh")
_unary("acosh", np.arccosh,
       _d1(lambda b, x, r: _over(b, 1.0, b.prim(
           "mul", b.prim("sqrt", b.prim("sub", x, _k(1.0, x))),
           b.prim("sqrt", b.prim("add", x, _k(1.0, x)))))),
       "call:acosh", (1.2, 3.0), True, "partial inf at 1")
_unary("atanh", np.arctanh, _d1(lambda b, x, r: _over(b, 1.0, _one_minus_square(b, x))),
       "call:atanh", (-0.9, 0.9), True, "partial inf at -1 and 1")


def _over_norm2(b: Builder, above: Atom, a: tuple[Atom, ...]) -> Atom:
    norm2 = b.prim("add", b.prim("mul", a[0], a[0]), b.prim("mul", a[1], a[1]))
    return _or_zero(b, norm2, above, norm2)


REAL.add(Row("atan2", 2, real2, np.arctan2,
             (lambda b, a, r: _over_norm2(b, a[1], a),
              lambda b, a, r: b.prim("neg", _over_norm2(b, a[0], a))),
             {"real": "call:atan2"}, ((0.5, 2.0), _ANY), product="mulz",
             kinks="gradient 0 at the origin"))

# --- special functions ----------------------------------------------------------------------------

_unary("lgamma", SPECIAL.gammaln, _d1(lambda b, x, r: b.prim("digamma", x)), "call:lgamma",
       (0.5, 4.0), True, "partial NaN at the poles 0, -1, -2, ...")
# Of the standard library. SciPy's gamma, which is faster, is a row of its own.
_unary("tgamma", lambda x: SPECIAL.gamma(x),
       _d1(lambda b, x, r: b.prim("mul", r, b.prim("digamma", x))), "call:tgamma", (0.5, 4.0),
       True, "partial NaN at the poles 0, -1, -2, ...")
_unary("digamma", SPECIAL.digamma, _d1(lambda b, x, r: b.prim("zeta", _k(2.0, x), x)),
       "call:digamma", (0.5, 4.0), True, "partial inf at the poles 0, -1, -2, ...")


def _zeta_by_q(b: Builder, a: tuple[Atom, ...], r: Atom) -> Atom:
    after = b.prim("zeta", b.prim("add", a[0], _k(1.0, r)), a[1])
    return b.prim("neg", b.prim("mul", a[0], after))


# Hurwitz: the sum of (q + k) ** -s over k >= 0. The derivatives of digamma are zetas.
REAL.add(Row("zeta", 2, real2, SPECIAL.zeta, (NOT_DIFFERENTIABLE, _zeta_by_q),
             {"real": "call:zeta"}, ((2.0, 4.0), (0.5, 4.0)), product="mulz",
             kinks="partial NaN at the poles 0, -1, -2, ..."))
_unary("cbrt", np.cbrt,
       _d1(lambda b, x, r: _or_zero(b, r, _k(1 / 3, x), b.prim("mul", r, r))), "call:cbrt",
       (0.5, 2.0), True, "partial 0 at 0, as of sqrt")


def _gauss(b: Builder, scale: float, x: Atom) -> Atom:
    return b.prim("mul", _k(scale, x), b.prim("exp", b.prim("neg", b.prim("mul", x, x))))


_unary("erf", SPECIAL.erf, _d1(lambda b, x, r: _gauss(b, 2 / math.sqrt(math.pi), x)),
       "call:erf")
_unary("erfc", SPECIAL.erfc, _d1(lambda b, x, r: _gauss(b, -2 / math.sqrt(math.pi), x)),
       "call:erfc")

# --- rounding -------------------------------------------------------------------------------------

_STEP = "derivative 0, also at the steps"
_unary("floor", np.floor, (ZERO,), intrinsic("floor"), kinks=_STEP)
_unary("ceil", np.ceil, (ZERO,), intrinsic("ceil"), kinks=_STEP)
_unary("trunc", np.trunc, (ZERO,), intrinsic("trunc"), kinks=_STEP)
_unary("rint", np.rint, (ZERO,), intrinsic("rint"), kinks=_STEP)
REAL.add(Row("copysign", 2, real2, np.copysign,
             (lambda b, a, r: b.prim("mul", b.prim("sign", a[0]),
                                     b.prim("copysign", _k(1.0, r), a[1])), ZERO),
             {"real": intrinsic("copysign", 2)}, ((0.5, 2.0), (0.5, 2.0)),
             kinks="derivative 0 at 0"))
REAL.add(Row("fmod", 2, real2, np.fmod,
             (1.0, lambda b, a, r: b.prim("neg", b.prim("trunc", b.prim("div", a[0], a[1])))),
             {"real": "call:fmod"}, ((2.1, 2.9), (0.8, 1.0)), product="mulz",
             kinks="at the jumps: the derivative from above"))


def _safe_int(op: str) -> str:
    """Lines that divide ints with neither trap: ``{r}.q = op a, b`` where b is neither 0 nor -1."""
    return (
        "{r}.z = icmp eq {t} {1}, {zero}\n"
        "{r}.m = icmp eq {t} {1}, {ones}\n"
        "{r}.k = or {b} {r}.z, {r}.m\n"
        "{r}.b = select {b} {r}.k, {t} {one}, {t} {1}\n"
        "{r}.q = " + op + " {t} {0}, {r}.b\n"
    )


_INT_MOD = (
    _safe_int("srem")
    + "{r}.x = xor {t} {r}.q, {r}.b\n"
    "{r}.n = icmp slt {t} {r}.x, {zero}\n"
    "{r}.h = icmp ne {t} {r}.q, {zero}\n"
    "{r}.w = and {b} {r}.n, {r}.h\n"
    "{r}.a = add {t} {r}.q, {r}.b\n"
    "{r} = select {b} {r}.w, {t} {r}.a, {t} {r}.q"
)
_INT_FLOORDIV = (
    _safe_int("sdiv")
    + "{r}.p = mul {t} {r}.q, {r}.b\n"
    "{r}.h = icmp ne {t} {r}.p, {0}\n"
    "{r}.x = xor {t} {0}, {r}.b\n"
    "{r}.n = icmp slt {t} {r}.x, {zero}\n"
    "{r}.w = and {b} {r}.n, {r}.h\n"
    "{r}.d = sext {b} {r}.w to {t}\n"
    "{r}.f = add {t} {r}.q, {r}.d\n"
    "{r}.g = sub {t} {zero}, {0}\n"
    "{r}.y = select {b} {r}.m, {t} {r}.g, {t} {r}.f\n"
    "{r} = select {b} {r}.z, {t} {zero}, {t} {r}.y"
)
# Python's and NumPy's: the remainder has the sign of the divisor, zeros too.
_REAL_MOD_LINES = (
    "{r}.q = frem {t} {0}, {1}\n"
    "{r}.h = fcmp une {t} {r}.q, {zero}\n"
    "{r}.i = fcmp olt {t} {r}.q, {zero}\n"
    "{r}.j = fcmp olt {t} {1}, {zero}\n"
    "{r}.x = xor {b} {r}.i, {r}.j\n"
    "{r}.w = and {b} {r}.h, {r}.x\n"
)
_REAL_MOD = (
    _REAL_MOD_LINES
    + "{r}.a = fadd {t} {r}.q, {1}\n"
    "{r}.e = select {b} {r}.w, {t} {r}.a, {t} {r}.q\n"
    "{r}.s = call {t} @llvm.copysign.{s}({t} {zero}, {t} {1})\n"
    "{r} = select {b} {r}.h, {t} {r}.e, {t} {r}.s"
)
_REAL_FLOORDIV = (
    _REAL_MOD_LINES
    + "{r}.d = fsub {t} {0}, {r}.q\n"
    "{r}.e = fdiv {t} {r}.d, {1}\n"
    "{r}.f = fsub {t} {r}.e, {one}\n"
    "{r}.g = select {b} {r}.w, {t} {r}.f, {t} {r}.e\n"
    "{r}.l = call {t} @llvm.floor.{s}({t} {r}.g)\n"
    "{r}.m = fsub {t} {r}.g, {r}.l\n"
    "{r}.n = fcmp ogt {t} {r}.m, {half}\n"
    "{r}.o = fadd {t} {r}.l, {one}\n"
    "{r}.p = select {b} {r}.n, {t} {r}.o, {t} {r}.l\n"
    "{r}.t = fdiv {t} {0}, {1}\n"
    "{r}.u = call {t} @llvm.copysign.{s}({t} {zero}, {t} {r}.t)\n"
    "{r}.v = fcmp une {t} {r}.g, {zero}\n"
    "{r}.y = select {b} {r}.v, {t} {r}.p, {t} {r}.u\n"
    "{r}.z = fcmp oeq {t} {1}, {zero}\n"
    "{r} = select {b} {r}.z, {t} {r}.t, {t} {r}.y"
)


def _floordiv(a: float, d: float) -> object:
    if isinstance(a, int):
        return 0 if d == 0 else a // d
    return np.floor_divide(a, d)


def _mod(a: float, d: float) -> object:
    if isinstance(a, int):
        return 0 if d == 0 else a % d
    return np.remainder(a, d)


REAL.add(Row("mod", 2, number2, _mod,
             (1.0, lambda b, a, r: b.prim("neg", b.prim("floordiv", a[0], a[1]))),
             {"real": _REAL_MOD, "int": _INT_MOD}, ((2.1, 2.9), (0.8, 1.0)), product="mulz",
             kinks="at the jumps: the derivative from above; ints: x mod 0 = 0"))
REAL.add(Row("floordiv", 2, number2, _floordiv, (ZERO, ZERO),
             {"real": _REAL_FLOORDIV, "int": _INT_FLOORDIV}, ((2.1, 2.9), (0.8, 1.0)),
             kinks="derivative 0, also at the steps; ints: x // 0 = 0"))

# --- maximum and minimum --------------------------------------------------------------------------


def _wins(compare: str, second: bool) -> PartialFn:
    """Whether the argument is the result: the second one if ``compare(second, first)``."""

    def wins(b: Builder, a: tuple[Atom, ...], r: Atom) -> Atom:
        later = b.prim(compare, a[1], a[0])
        return later if second else b.prim("not", later)

    return wins


def _propagating_wins(compare: str, second: bool) -> PartialFn:
    """As _wins, for ``first if compare(first, second) or isnan(first) else second``."""

    def wins(b: Builder, a: tuple[Atom, ...], r: Atom) -> Atom:
        first = b.prim("or", b.prim(compare, a[0], a[1]), b.prim("isnan", a[0]))
        return b.prim("not", first) if second else first

    return wins


def _pick(fcmp: str, icmp: str) -> dict[str, str]:
    tail = "{r} = select {b} {r}.c, {t} {1}, {t} {0}"
    return {
        "real": "{r}.c = fcmp " + fcmp + " {t} {1}, {0}\n" + tail,
        "int": "{r}.c = icmp " + icmp + " {t} {1}, {0}\n" + tail,
    }


def _pick_nan(fcmp: str, icmp: str) -> dict[str, str]:
    return {
        "real": "{r}.c = fcmp " + fcmp + " {t} {0}, {1}\n{r}.u = fcmp uno {t} {0}, {0}\n"
                "{r}.w = or {b} {r}.c, {r}.u\n{r} = select {b} {r}.w, {t} {0}, {t} {1}",
        "int": "{r}.c = icmp " + icmp + " {t} {0}, {1}\n{r} = select {b} {r}.c, {t} {0}, {t} {1}",
    }


_TIES = "ties: all to the first argument"
REAL.add(Row("max", 2, number2, max, (_wins("gt", False), _wins("gt", True)),
             _pick("ogt", "sgt"), (_ANY, _ANY), product="gate", kinks=_TIES))
REAL.add(Row("min", 2, number2, min, (_wins("lt", False), _wins("lt", True)),
             _pick("olt", "slt"), (_ANY, _ANY), product="gate", kinks=_TIES))
# Equal operands differ in the sign of zero only: the value is the second one then, as NumPy's.
REAL.add(Row("maximum", 2, number2, lambda x, y: x if x > y or x != x else y,
             (_propagating_wins("ge", False), _propagating_wins("ge", True)),
             _pick_nan("ogt", "sgt"), (_ANY, _ANY), product="gate", kinks=_TIES))
REAL.add(Row("minimum", 2, number2, lambda x, y: x if x < y or x != x else y,
             (_propagating_wins("le", False), _propagating_wins("le", True)),
             _pick_nan("olt", "slt"), (_ANY, _ANY), product="gate", kinks=_TIES))

# --- tests and conversions ------------------------------------------------------------------------

REAL.add(Row("isnan", 1, is_real, np.isnan, (ZERO,), {"real": "{r} = fcmp uno {t} {0}, {0}"}))
REAL.add(Row("isinf", 1, is_real, np.isinf, (ZERO,),
             {"real": "{r}.a = call {t} @llvm.fabs.{s}({t} {0})\n"
                      "{r} = fcmp oeq {t} {r}.a, {inf}"}))
REAL.add(Row("isfinite", 1, is_real, np.isfinite, (ZERO,),
             {"real": "{r}.a = call {t} @llvm.fabs.{s}({t} {0})\n"
                      "{r} = fcmp olt {t} {r}.a, {inf}"}))
