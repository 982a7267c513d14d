"""Write exp, log, sin, ... of 8 doubles at once, as LLVM functions.

Results are within about 2 ulp of the true value, and right at infinities, NaN, zeros, subnormal and
huge arguments. Every function is a range reduction and a polynomial. The polynomials are Chebyshev
interpolations (in 60 digits, then rounded) of the series named beside them, on the reduced range;
lists run from the constant term upwards. A product and a sum are fused only where the text says
``fma``; the parts of ln 2 and pi/2 end in zero bits, so the reductions would be exact without it
too."""

from __future__ import annotations

import struct
from collections.abc import Callable

from pullback.lower.loopcode import LANES
from pullback.native.lines import Lines
from pullback.native.text import real_constant

V = f"<{LANES} x double>"
I = f"<{LANES} x i64>"  # noqa: E741  # as V, of integers
M = f"<{LANES} x i1>"

# (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2
_EXP = (0.5000000000000001, 0.16666666666666669, 0.04166666666662374, 0.008333333333330032,
        0.0013888888917406447, 0.00019841269863201828, 2.4801520996825697e-05,
        2.7557268229963227e-06, 2.76202305675069e-07, 2.5100494788905042e-08)  # fmt: skip
# (2 artanh(s) - 2 s) / s^3 as a function of z = s^2, for |s| <= 3 - 2 sqrt(2)
_LOG = (0.6666666666666666, 0.40000000000000885, 0.2857142857079793, 0.22222222393000648,
        0.18181795502739437, 0.15386247170362732, 0.1326857329894926,
        0.13088714507747484)  # fmt: skip
# (sin r - r) / r^3 and (cos r - 1 + z / 2) / z^2 as functions of z = r^2, for |r| <= pi / 4
_SIN = (-0.16666666666666666, 0.008333333333333331, -0.0001984126984126504,
        2.7557319219320575e-06, -2.5052106225992787e-08, 1.6058530596390244e-10,
        -7.586636867766497e-13)  # fmt: skip
_COS = (0.041666666666666664, -0.0013888888888888887, 2.4801587301584632e-05,
        -2.755731922139249e-07, 2.0876755787491707e-09, -1.1470460319067341e-11,
        4.7458384041586735e-14)  # fmt: skip
# (tanh(x) - x) / x^3 as a function of z = x^2, for |x| <= 5/8
_TANH = (-0.3333333333333333, 0.13333333333332992, -0.05396825396784097, 0.021869488516629447,
         -0.008863235051668625, 0.0035921211015103763, -0.0014557703283925752,
         0.0005896351906396607, -0.00023750892553638748, 9.240873262425578e-05,
         -3.1019084771140766e-05, 6.3972689598027444e-06)  # fmt: skip

_LN2 = (float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33"))
_LOG2E = float.fromhex("0x1.71547652b82fep+0")
_PIO2 = tuple(map(float.fromhex, ("0x1.921fb54400000p+0", "0x1.0b4611a600000p-34",
                                  "0x1.3198a2e037073p-69")))  # fmt: skip
_TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
_ROUND = 1.5 * 2.0**52  # adding it rounds to an integer, which the low bits then hold
_ROUND_BITS: int = struct.unpack("<q", struct.pack("<d", _ROUND))[0]
_SQRT_HALF_BITS: int = struct.unpack("<q", struct.pack("<d", 0.5**0.5))[0]

BIG_ANGLE = 1e5
"""Sines and cosines of larger arguments are computed by libm, lane by lane."""

INLINE = frozenset({"exp", "log", "log1p", "expm1", "tanh", "sin", "cos", "hypot"})
"""The functions of this file; ``sin`` and ``cos`` also call the scalar functions of the same
names."""


class _Code(Lines):
    """A straight line of instructions on vectors."""

    def add(self, a: str, b: str) -> str:
        return self.let(f"fadd {V} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        return self.let(f"fsub {V} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        return self.let(f"fmul {V} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        return self.let(f"fdiv {V} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        return self.let(f"call {V} @llvm.fma.v{LANES}f64({V} {a}, {V} {b}, {V} {c})")

    def test(self, predicate: str, a: str, b: str) -> str:
        return self.let(f"fcmp {predicate} {V} {a}, {b}")

    def itest(self, predicate: str, a: str, b: str) -> str:
        return self.let(f"icmp {predicate} {I} {a}, {b}")

    def pick(self, c: str, a: str, b: str) -> str:
        return self.let(f"select {M} {c}, {V} {a}, {V} {b}")

    def abs(self, a: str) -> str:
        return self.let(f"call {V} @llvm.fabs.v{LANES}f64({V} {a})")

    def sign_of(self, a: str, b: str) -> str:
        return self.let(f"call {V} @llvm.copysign.v{LANES}f64({V} {a}, {V} {b})")

    def bits(self, a: str) -> str:
        return self.let(f"bitcast {V} {a} to {I}")

    def real(self, a: str) -> str:
        return self.let(f"bitcast {I} {a} to {V}")

    def int(self, op: str, a: str, b: str) -> str:
        return self.let(f"{op} {I} {a}, {b}")

    def poly(self, x: str, coefficients: tuple[float, ...]) -> str:
        """Return the value of the polynomial, by Horner's rule in x^2 for the even and the odd
        terms: half the latency."""
        if len(coefficients) < 5:
            return self._horner(x, coefficients)
        xx = self.mul(x, x)
        even = self._horner(xx, coefficients[::2])
        return self.fma(self._horner(xx, coefficients[1::2]), x, even)

    def _horner(self, x: str, coefficients: tuple[float, ...]) -> str:
        acc = _c(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            acc = self.fma(acc, x, _c(c))
        return acc

    def power_of_two(self, n: str) -> str:
        """Return 2^n for ints within the range of normal numbers."""
        return self.real(self.int("shl", self.int("add", n, _i(1023)), _i(52)))


def _c(value: float) -> str:
    return f"splat (double {real_constant(value)})"


def _i(value: int) -> str:
    return f"splat (i64 {value})"


def _clamp(k: _Code, x: str, low: float, high: float) -> str:
    """Return x, limited to the bounds; NaN stays."""
    x = k.pick(k.test("ogt", x, _c(high)), _c(high), x)
    return k.pick(k.test("olt", x, _c(low)), _c(low), x)


def _exp_reduce(k: _Code, x: str) -> tuple[str, str, str]:
    """Return n (ints), r and the rounding error of r, with x = n ln 2 + r."""
    t = k.fma(x, _c(_LOG2E), _c(_ROUND))
    n = k.sub(t, _c(_ROUND))
    first = k.fma(n, _c(-_LN2[0]), x)
    second = k.mul(n, _c(_LN2[1]))
    r = k.sub(first, second)
    lost = k.sub(k.sub(first, r), second)
    return k.int("sub", k.bits(t), _i(_ROUND_BITS)), r, lost


def _exp(k: _Code, x: str) -> str:
    n, r, _ = _exp_reduce(k, _clamp(k, x, -750.0, 750.0))
    p = k.fma(k.mul(r, r), k.poly(r, _EXP), r)
    half = k.int("ashr", n, _i(1))  # in two steps: the first is exact, the second may underflow
    e = k.mul(k.add(p, _c(1.0)), k.power_of_two(half))
    return k.mul(e, k.power_of_two(k.int("sub", n, half)))


def _expm1(k: _Code, x: str) -> str:
    n, r, lost = _exp_reduce(k, _clamp(k, x, -60.0, 750.0))
    small = k.fma(k.mul(r, r), k.poly(r, _EXP), lost)
    over = k.int("sub", n, _i(1))  # half of everything: 2^1024 is out of range
    over = k.let(f"call {I} @llvm.smin.v{LANES}i64({I} {over}, {I} {_i(1023)})")
    s = k.power_of_two(over)
    e = k.fma(s, small, k.fma(s, r, k.sub(s, _c(0.5))))
    e = k.mul(e, _c(2.0))
    huge = k.test("ogt", x, _c(709.782712893384))
    e = k.pick(huge, _c(float("inf")), e)
    tiny = k.test("olt", k.abs(x), _c(2.0**-54))
    return k.pick(tiny, x, e)


def _split(k: _Code, x: str) -> tuple[str, str]:
    """Return k (reals) and m with x = 2^k m, sqrt(1/2) <= m < sqrt(2), for normal positive x."""
    bits = k.bits(x)
    e = k.int("ashr", k.int("sub", bits, _i(_SQRT_HALF_BITS)), _i(52))
    m = k.real(k.int("sub", bits, k.int("shl", e, _i(52))))
    return k.sub(k.real(k.int("add", e, _i(_ROUND_BITS))), _c(_ROUND)), m


def _log_core(k: _Code, n: str, f: str, low: str | None) -> str:
    """Return n ln 2 + log(1 + f) + low, where f - f^2/2 is kept apart from the small terms."""
    s = k.div(f, k.add(f, _c(2.0)))
    z = k.mul(s, s)
    r = k.mul(z, k.poly(z, _LOG))
    half = k.mul(k.mul(f, f), _c(0.5))
    small = k.fma(s, k.add(half, r), k.mul(n, _c(_LN2[1])))
    if low is not None:
        small = k.add(small, low)
    return k.fma(n, _c(_LN2[0]), k.sub(f, k.sub(half, small)))


def _log(k: _Code, x: str) -> str:
    subnormal = k.test("olt", x, _c(2.0**-1022))
    y = k.pick(subnormal, k.mul(x, _c(2.0**54)), x)
    n, m = _split(k, y)
    n = k.add(n, k.pick(subnormal, _c(-54.0), _c(0.0)))
    return _log_ends(k, x, _log_core(k, n, k.sub(m, _c(1.0)), None), 0.0)


def _log_ends(k: _Code, x: str, y: str, zero: float) -> str:
    """Return the result, corrected at infinity and at arguments not above ``zero``, where the
    logarithm is -inf."""
    y = k.pick(k.test("olt", x, _c(float("inf"))), y, x)
    y = k.pick(k.test("oeq", x, _c(zero)), _c(float("-inf")), y)
    return k.pick(k.test("olt", x, _c(zero)), _c(float("nan")), y)


def _log1p(k: _Code, x: str) -> str:
    u = k.add(x, _c(1.0))
    n, m = _split(k, u)
    # What the addition lost, relative to u: of the larger addend's rounding.
    big = k.test("ogt", x, _c(1.0))
    lost = k.pick(big, k.sub(_c(1.0), k.sub(u, x)), k.sub(x, k.sub(u, _c(1.0))))
    small = k.test("oeq", n, _c(0.0))
    f = k.pick(small, x, k.sub(m, _c(1.0)))
    low = k.pick(small, _c(0.0), k.div(lost, u))
    y = _log_ends(k, x, _log_core(k, n, f, low), -1.0)
    return k.pick(k.test("olt", k.abs(x), _c(2.0**-54)), x, y)


def _tanh(k: _Code, x: str) -> str:
    a = k.abs(x)
    a = k.pick(k.test("ogt", a, _c(30.0)), _c(30.0), a)
    e = k.add(_exp(k, k.add(a, a)), _c(1.0))
    large = k.sub(_c(1.0), k.div(_c(2.0), e))
    z = k.mul(x, x)
    small = k.fma(k.mul(z, x), k.poly(z, _TANH), x)
    return k.sign_of(k.pick(k.test("olt", a, _c(0.625)), small, large), x)


def _trigonometric(k: _Code, x: str, shift: int) -> str:
    """Return sin (shift 0) or cos (shift 1) for |x| <= BIG_ANGLE."""
    t = k.fma(x, _c(_TWO_OVER_PI), _c(_ROUND))
    n = k.sub(t, _c(_ROUND))
    r = k.fma(n, _c(-_PIO2[0]), x)
    # r and its rounding error, to which the second part is added
    p = k.mul(n, _c(_PIO2[1]))
    r1 = k.sub(r, p)
    err = k.sub(k.sub(r, r1), p)
    err = k.fma(n, _c(-_PIO2[2]), err)
    r2 = k.add(r1, err)
    low = k.add(k.sub(r1, r2), err)
    z = k.mul(r2, r2)
    zr = k.mul(z, r2)
    sine = k.add(r2, k.fma(zr, k.poly(z, _SIN), low))
    half = k.mul(z, _c(0.5))
    one = k.sub(_c(1.0), half)
    rest = k.sub(k.sub(_c(1.0), one), half)  # the rounding error of 1 - z/2
    rest = k.sub(rest, k.mul(r2, low))
    cosine = k.add(one, k.fma(k.mul(z, z), k.poly(z, _COS), rest))
    quadrant = k.bits(t) if shift == 0 else k.int("add", k.bits(t), _i(shift))
    odd = k.itest("ne", k.int("and", quadrant, _i(1)), "zeroinitializer")
    y = k.pick(odd, cosine, sine)
    sign = k.int("shl", k.int("and", quadrant, _i(2)), _i(62))
    y = k.real(k.int("xor", k.bits(y), sign))
    return k.pick(k.test("oeq", x, _c(0.0)), x, y) if shift == 0 else y


def _hypot(k: _Code, x: str, y: str) -> str:
    """Return sqrt(x^2 + y^2). The larger one is brought near 1 by a power of 2, where its square
    could be infinite or lose bits; then the square of the other is right, or too small to count."""
    a, b = k.abs(x), k.abs(y)
    more = k.test("ogt", a, b)
    large, small = k.pick(more, a, b), k.pick(more, b, a)
    huge, tiny = k.test("ogt", large, _c(2.0**500)), k.test("olt", large, _c(2.0**-450))
    down = k.pick(huge, _c(2.0**-600), k.pick(tiny, _c(2.0**600), _c(1.0)))
    up = k.pick(huge, _c(2.0**600), k.pick(tiny, _c(2.0**-600), _c(1.0)))
    large, small = k.mul(large, down), k.mul(small, down)
    square = k.fma(large, large, k.mul(small, small))
    root = k.let(f"call {V} @llvm.sqrt.v{LANES}f64({V} {square})")
    whole = k.mul(root, up)
    infinity = _c(float("inf"))
    endless = k.let(f"or {M} {k.test('oeq', a, infinity)}, {k.test('oeq', b, infinity)}")
    return k.pick(endless, infinity, whole)


_BODIES: dict[str, Callable[..., str]] = {
    "exp": _exp,
    "log": _log,
    "log1p": _log1p,
    "expm1": _expm1,
    "tanh": _tanh,
    "sin": lambda k, x: _trigonometric(k, x, 0),
    "cos": lambda k, x: _trigonometric(k, x, 1),
    "hypot": _hypot,
}


def vector_function(name: str, count: int, attributes: str) -> str:
    """Return the text of ``<8 x double> @pb.v8.NAME(<8 x double>)``, with so many parameters."""
    code = _Code()
    names = ("%x", "%y")[:count]
    result = _BODIES[name](code, *names)
    params = ", ".join(f"{V} {x}" for x in names)
    short = name not in ("sin", "cos")
    inlined = "alwaysinline" if short else "inlinehint"
    head = (
        f"define internal fastcc {V} @pb.v{LANES}.{name}({params}) nounwind memory(none) "
        f"{inlined} {attributes} {{"
    )
    if short:
        return "\n".join([head, *code.lines, f"  ret {V} {result}", "}", ""])
    return "\n".join(
        [
            head,
            f"  %size = call {V} @llvm.fabs.v{LANES}f64({V} %x)",
            f"  %near = fcmp ole {V} %size, {_c(BIG_ANGLE)}",
            f"  %all = call i1 @llvm.vector.reduce.and.v{LANES}i1({M} %near)",
            "  br i1 %all, label %fast, label %slow",
            "fast:",
            *code.lines,
            f"  ret {V} {result}",
            "slow:",
            f"  %each = call fastcc {V} @pb.lanes.{name}({V} %x)",
            f"  ret {V} %each",
            "}",
            "",
        ]
    )
