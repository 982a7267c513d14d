"""Write powers, roots and remainders of 8 doubles at once (see ``vectormath``)."""

from __future__ import annotations

from pullback.native.lane_code import LaneCode, c, i, pair
from pullback.native.lane_exponentials import LN2, exp_reduce, times_power_of_two
from pullback.native.lane_logarithms import split

# m^(-1/3) for 1 <= m <= 2, to three digits
_RCBRT = (1.53776026627287, -0.8012745696637373, 0.3118472681731596, -0.04863305334283885)
# (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, with one term more than ``exp`` has
_EXP = (0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333326136, 0.0013888888888883748,
        0.00019841269874820627, 2.4801587325547743e-05, 2.7557255400206422e-06,
        2.75572736431103e-07, 2.5105217004720745e-08, 2.0914686968086876e-09)  # fmt: skip
# (2 artanh(g / 2) - g - g^3 / 12) / g^5 as a function of g^2, for |g| <= 0.2023
_LONG_LOG = (0.012499999999999997, 0.00223214285714657, 0.00043402777671941965,
             8.877851934203172e-05, 1.877486315863362e-05, 4.181065200832384e-06)  # fmt: skip

_TWELFTH = (1 / 12, 4.625929269271485e-18)
_LOG_4_3 = pair("0x1.269621134d000p-2", "0x1.724f077d6eceep-43")
"""As that of ln 2, the first part ends in zero bits: its sums with multiples of that are exact."""
_INF = float("inf")


def hypot(k: LaneCode, x: str, y: str) -> str:
    """Return sqrt(x^2 + y^2). The larger one is brought near 1 by a power of 2, where its square
    could be infinite or lose bits; then the square of the other is right, or too small to count."""
    a, b = k.abs(x), k.abs(y)
    more = k.test("ogt", a, b)
    large, small = k.pick(more, a, b), k.pick(more, b, a)
    huge, tiny = k.test("ogt", large, c(2.0**500)), k.test("olt", large, c(2.0**-450))
    down = k.pick(huge, c(2.0**-600), k.pick(tiny, c(2.0**600), c(1.0)))
    up = k.pick(huge, c(2.0**600), k.pick(tiny, c(2.0**-600), c(1.0)))
    large, small = k.mul(large, down), k.mul(small, down)
    whole = k.mul(k.sqrt(k.fma(large, large, k.mul(small, small))), up)
    endless = k.either(k.test("oeq", a, c(_INF)), k.test("oeq", b, c(_INF)))
    return k.pick(endless, c(_INF), whole)


def cbrt(k: LaneCode, x: str) -> str:
    """Return 2^q cbrt(m), where |x| = 2^(3q) m. The inverse of cbrt(m) comes from a polynomial and
    a step of third order; the last digits from a step of Newton's, whose residual is exact."""
    a = k.abs(x)
    subnormal = k.test("olt", a, c(2.0**-1022))
    bits = k.bits(k.pick(subnormal, k.mul(a, c(2.0**54)), a))
    n = k.int("sub", k.int("lshr", bits, i(52)), i(1023))
    _, t = k.nearest(k.to_real(n), 1 / 3)
    third = k.low_bits(t)
    left = k.int("sub", n, k.int("mul", third, i(3)))  # -1, 0 or 1
    one = k.int("sub", bits, k.int("shl", n, i(52)))
    m = k.real(k.int("add", one, k.int("shl", left, i(52))))
    scale = k.pick(k.itest("slt", left, i(0)), c(2.0 ** (1 / 3)), c(1.0))
    scale = k.pick(k.itest("sgt", left, i(0)), c(2.0 ** (-1 / 3)), scale)
    y = k.mul(k.poly(k.real(one), _RCBRT), scale)
    h = k.fma(k.neg(k.mul(y, y)), k.mul(y, m), c(1.0))
    y = k.fma(k.mul(y, h), k.fma(h, c(2 / 9), c(1 / 3)), y)
    yy = k.mul(y, y)
    root = k.mul(m, yy)
    square = k.mul(root, root)
    rest = k.fma(k.neg(square), root, m)
    rest = k.sub(rest, k.mul(k.fma(root, root, k.neg(square)), root))
    root = k.fma(k.mul(rest, c(1 / 3)), yy, root)
    down = k.pick(subnormal, c(2.0**-18), c(1.0))
    root = k.mul(root, k.mul(k.power_of_two(third), down))
    inside = k.both(k.test("ogt", a, c(0.0)), k.test("olt", a, c(_INF)))
    return k.pick(inside, k.sign_of(root, x), x)


def _long_log(k: LaneCode, a: str) -> tuple[str, str]:
    """Return log a as a number and what it lacks, 68 bits together, for finite a > 0.

    m is near 1, or near 4/3, whose logarithm is added. Then log(1 + f) = 2 artanh(g / 2), where
    g = f / (1 + f / 2) has two parts, as g^2 / 12 in the series has."""
    n, m = split(k, a, 2 / 3)
    high = k.test("ogt", m, c(1.155))
    f = k.fma(m, k.pick(high, c(0.75), c(1.0)), c(-1.0))  # exact
    inverse = k.div(c(2.0), k.add(f, c(2.0)))
    g = k.mul(f, inverse)
    g_low = k.mul(inverse, k.fma(k.neg(g), k.mul(f, c(0.5)), k.sub(f, g)))
    square = k.mul(g, g)
    p = k.mul(square, c(_TWELFTH[0]))
    p_low = k.fma(square, c(_TWELFTH[0]), k.neg(p))
    p_low = k.fma(square, k.poly(square, (_TWELFTH[1], *_LONG_LOG)), p_low)
    p_low = k.fma(k.fma(g, g, k.neg(square)), c(_TWELFTH[0]), p_low)
    t = k.mul(g, p)
    low = k.fma(g, p_low, k.fma(g, p, k.neg(t)))
    low = k.add(low, k.fma(g_low, k.mul(square, c(0.25)), g_low))  # by the derivative
    y, lost = k.add_small(g, t)
    low = k.add(low, lost)
    log = k.fma(n, c(LN2[0]), k.pick(high, c(_LOG_4_3[0]), c(0.0)))
    y, lost = k.add_small(log, y)
    log = k.fma(n, c(LN2[1]), k.pick(high, c(_LOG_4_3[1]), c(0.0)))
    return k.add_small(y, k.add(lost, k.add(low, log)))


def pow(k: LaneCode, x: str, y: str) -> str:
    """Return e^(y log |x|), where the logarithm has two parts, and as C has it otherwise."""
    a = k.abs(x)
    log, log_low = _long_log(k, a)
    log = k.pick(k.test("olt", a, c(_INF)), log, a)
    log = k.pick(k.test("oeq", a, c(0.0)), c(-_INF), log)
    by = k.clamp(y, -1e30, 1e30)  # finite: 0 times it is 0
    t = k.mul(by, log)
    t_low = k.fma(by, log_low, k.fma(by, log, k.neg(t)))
    t_low = k.pick(k.test("olt", k.abs(t), c(800.0)), t_low, c(0.0))
    n, r, lost = exp_reduce(k, k.clamp(t, -800.0, 800.0), t_low)
    e, lost_one = k.add_small(c(1.0), r)
    small = k.fma(k.mul(r, r), k.poly(r, _EXP), k.add(lost, lost_one))
    return _signed_power(k, x, y, times_power_of_two(k, k.add(e, small), n))


def _signed_power(k: LaneCode, x: str, y: str, power: str) -> str:
    """Return x ** y, where ``power`` is |x| ** y."""
    negative = k.itest("slt", k.bits(x), i(0))
    whole = k.test("oeq", k.whole(y), y)
    half = k.mul(y, c(0.5))
    odd = k.both(whole, k.test("une", k.whole(half), half))
    power = k.pick(k.both(negative, odd), k.neg(power), power)
    finite = k.both(k.test("olt", x, c(0.0)), k.test("ogt", x, c(-_INF)))
    power = k.pick(finite, k.pick(whole, power, c(float("nan"))), power)
    certain = k.either(k.test("oeq", x, c(1.0)), k.test("oeq", y, c(0.0)))
    return k.pick(certain, c(1.0), power)


def few_multiples(k: LaneCode, x: str, y: str) -> str:
    """Return for which lanes ``fmod`` is right: the quotient has no more bits than a float."""
    return k.test("olt", k.div(k.abs(x), k.abs(y)), c(2.0**53))


def fmod(k: LaneCode, x: str, y: str) -> str:
    """Return the remainder of the truncated quotient, which is exact: the rounded quotient is too
    large by at most one."""
    a, b = k.abs(x), k.abs(y)
    quotient = k.whole(k.div(a, b))
    r = k.fma(k.neg(quotient), b, a)
    r = k.pick(k.test("olt", r, c(0.0)), k.add(r, b), r)
    return k.sign_of(k.pick(k.test("olt", a, b), a, r), x)


__all__ = ["cbrt", "few_multiples", "fmod", "hypot", "pow"]
