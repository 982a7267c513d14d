"""Write exponential and hyperbolic functions of 8 doubles at once (see ``vectormath``)."""

from __future__ import annotations

from pullback.native.lane_code import LaneCode, c, i, pair

# (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2
_EXP = (0.5000000000000001, 0.16666666666666669, 0.04166666666662374, 0.008333333333330032,
        0.0013888888917406447, 0.00019841269863201828, 2.4801520996825697e-05,
        2.7557268229963227e-06, 2.76202305675069e-07, 2.5100494788905042e-08)  # fmt: skip
# (2^r - 1) / r for |r| <= 1/2
_EXP2 = (0.6931471805599453, 0.24022650695910097, 0.0555041086648216, 0.009618129107606888,
         0.0013333558146416936, 0.0001540353044173605, 1.525273382983612e-05,
         1.321544258792169e-06, 1.0178062445845774e-07, 7.072585949269223e-09,
         4.4549605981865186e-10)  # fmt: skip
# (sinh r - r) / r^3 and (cosh r - 1) / z as functions of z = r^2, for |r| <= ln(2) / 2
_SINH = (0.16666666666666669, 0.008333333333330062, 0.00019841269863053618,
         2.7557268459997064e-06, 2.510038549551032e-08)  # fmt: skip
_COSH = (0.5, 0.04166666666666668, 0.0013888888888879073, 2.4801587336442236e-05,
         2.75572632790885e-07, 2.0918137737642736e-09)  # fmt: skip
# (tanh(x) - x) / x^3 as a function of z = x^2, for |x| <= 5/8
_TANH = (-0.3333333333333333, 0.13333333333332992, -0.05396825396784097, 0.021869488516629447,
         -0.008863235051668625, 0.0035921211015103763, -0.0014557703283925752,
         0.0005896351906396607, -0.00023750892553638748, 9.240873262425578e-05,
         -3.1019084771140766e-05, 6.3972689598027444e-06)  # fmt: skip

LN2 = pair("0x1.62e42fee00000p-1", "0x1.a39ef35793c76p-33")
_LOG2E = float.fromhex("0x1.71547652b82fep+0")


def exp_reduce(k: LaneCode, x: str, low: str | None = None) -> tuple[str, str, str]:
    """Return n (ints), r and the rounding error of r, with x + low = n ln 2 + r."""
    n, t = k.nearest(x, _LOG2E)
    first = k.fma(n, c(-LN2[0]), x)
    part = c(LN2[1])
    second = k.mul(n, part) if low is None else k.fma(n, part, k.neg(low))
    r = k.sub(first, second)
    lost = k.sub(k.sub(first, r), second)
    return k.low_bits(t), r, lost


def times_power_of_two(k: LaneCode, x: str, n: str) -> str:
    """Return 2^n x, in two steps: the first is exact, the second may underflow or overflow."""
    half = k.int("ashr", n, i(1))
    e = k.mul(x, k.power_of_two(half))
    return k.mul(e, k.power_of_two(k.int("sub", n, half)))


def exp(k: LaneCode, x: str) -> str:
    n, r, _ = exp_reduce(k, k.clamp(x, -750.0, 750.0))
    p = k.fma(k.mul(r, r), k.poly(r, _EXP), r)
    return times_power_of_two(k, k.add(p, c(1.0)), n)


def exp2(k: LaneCode, x: str) -> str:
    x = k.clamp(x, -1100.0, 1100.0)
    n, t = k.nearest(x, 1.0)
    r = k.sub(x, n)
    return times_power_of_two(k, k.fma(r, k.poly(r, _EXP2), c(1.0)), k.low_bits(t))


def expm1(k: LaneCode, x: str) -> str:
    n, r, lost = exp_reduce(k, k.clamp(x, -60.0, 750.0))
    small = k.fma(k.mul(r, r), k.poly(r, _EXP), lost)
    over = k.least(k.int("sub", n, i(1)), i(1023))  # half of everything: 2^1024 is out of range
    s = k.power_of_two(over)
    e = k.fma(s, small, k.fma(s, r, k.sub(s, c(0.5))))
    e = k.mul(e, c(2.0))
    huge = k.test("ogt", x, c(709.782712893384))
    e = k.pick(huge, c(float("inf")), e)
    tiny = k.test("olt", k.abs(x), c(2.0**-54))
    return k.pick(tiny, x, e)


def _hyperbolic(k: LaneCode, a: str, odd: bool) -> str:
    """Return sinh or cosh of a >= 0, by the formulas for the sum n ln 2 + r: sinh and cosh of
    n ln 2, which are halves of sums of powers of two, times those of r."""
    n, r, lost = exp_reduce(k, k.pick(k.test("ogt", a, c(711.0)), c(711.0), a))
    up = k.power_of_two(k.int("sub", n, i(2)))  # a half of everything, as in expm1
    down = k.power_of_two(k.int("sub", i(-2), k.least(n, i(64))))
    difference, total = k.sub(up, down), k.add(up, down)
    z = k.mul(r, r)
    sine = k.fma(k.mul(z, r), k.poly(z, _SINH), lost)  # without r
    cosine = k.mul(z, k.poly(z, _COSH))  # without 1
    even, by = (difference, total) if odd else (total, difference)
    y = k.add(k.fma(by, r, even), k.fma(by, sine, k.mul(even, cosine)))
    return k.pick(k.test("ogt", a, c(710.7)), c(float("inf")), k.mul(y, c(2.0)))


def sinh(k: LaneCode, x: str) -> str:
    a = k.abs(x)
    y = k.sign_of(_hyperbolic(k, a, True), x)
    return k.pick(k.test("olt", a, c(2.0**-28)), x, y)


def cosh(k: LaneCode, x: str) -> str:
    return _hyperbolic(k, k.abs(x), False)


def tanh(k: LaneCode, x: str) -> str:
    a = k.abs(x)
    a = k.pick(k.test("ogt", a, c(30.0)), c(30.0), a)
    e = k.add(exp(k, k.add(a, a)), c(1.0))
    large = k.sub(c(1.0), k.div(c(2.0), e))
    z = k.mul(x, x)
    small = k.fma(k.mul(z, x), k.poly(z, _TANH), x)
    return k.sign_of(k.pick(k.test("olt", a, c(0.625)), small, large), x)


__all__ = ["LN2", "cosh", "exp", "exp2", "exp_reduce", "expm1", "sinh", "tanh",
           "times_power_of_two"]  # fmt: skip
