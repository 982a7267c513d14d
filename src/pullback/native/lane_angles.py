"""Write trigonometric functions of 8 doubles at once, and their inverses (see ``vectormath``)."""

from __future__ import annotations

from pullback.native.lane_code import LaneCode, c, i, pair

# (sin r - r) / r^3 and (cos r - 1 + z / 2) / z^2 as functions of z = r^2, for |r| <= pi / 4
_SIN = (-0.16666666666666666, 0.008333333333333331, -0.0001984126984126504,
        2.7557319219320575e-06, -2.5052106225992787e-08, 1.6058530596390244e-10,
        -7.586636867766497e-13)  # fmt: skip
_COS = (0.041666666666666664, -0.0013888888888888887, 2.4801587301584632e-05,
        -2.755731922139249e-07, 2.0876755787491707e-09, -1.1470460319067341e-11,
        4.7458384041586735e-14)  # fmt: skip
# (tan r - r) / r^3 as a function of z = r^2, for |r| <= pi / 4
_TAN = (0.3333333333333333, 0.13333333333333, 0.05396825396865559, 0.021869488517068915,
        0.008863236003611847, 0.003592120978826492, 0.001455902754471931, 0.0005895755134133358,
        0.00024122674104740588, 8.9984065242621e-05, 5.559018530006839e-05,
        -1.1016905968755856e-05, 3.651920834039862e-05, -1.8316977829772274e-05,
        8.483740978256644e-06)  # fmt: skip
# (atan t - t) / t^3 as a function of t^2 - 1/2, for |t| <= 1
_ATAN = (-0.2591604972657936, 0.11081482513071414, -0.054814840604579904, 0.029135862645225958,
         -0.016172974900145312, 0.009243096224092707, -0.005394792734515503,
         0.0031991751955030576, -0.0019209389488175712, 0.0011650648417818904,
         -0.000712529877324769, 0.0004387712318266148, -0.0002713884068435811,
         0.00016895422802807932, -0.00010789905799306997, 6.77580169120214e-05,
         -3.504433556095341e-05, 2.2095024431396628e-05, -2.8373324902198374e-05,
         1.806195461861215e-05)  # fmt: skip
# (asin t - t) / t^3 as a function of z = t^2, for |t| <= 1/2
_ASIN = (0.16666666666666669, 0.07499999999998433, 0.04464285714635543, 0.030381944138531247,
         0.02237217294214989, 0.017352392720869973, 0.013971212973552933, 0.011479177415184906,
         0.01032281435018578, 0.005457506718640358, 0.01740087944269402, -0.014851887071247204,
         0.028757851367421566)  # fmt: skip

_PIO2_PARTS = tuple(map(float.fromhex, ("0x1.921fb54400000p+0", "0x1.0b4611a600000p-34",
                                        "0x1.3198a2e037073p-69")))  # fmt: skip
_TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
_PI = pair("0x1.921fb54442d18p+1", "0x1.1a62633145c07p-53")
_PIO2 = (_PI[0] / 2, _PI[1] / 2)

BIG_ANGLE = 1e5
"""Sines, cosines and tangents of larger arguments are computed by libm, lane by lane."""


def near(k: LaneCode, x: str) -> str:
    """Return for which lanes the functions of this file are right."""
    return k.test("ole", k.abs(x), c(BIG_ANGLE))


def _reduce(k: LaneCode, x: str) -> tuple[str, str, str]:
    """Return r, its rounding error and a real whose low bits hold n, with x = n pi / 2 + r."""
    n, t = k.nearest(x, _TWO_OVER_PI)
    r = k.fma(n, c(-_PIO2_PARTS[0]), x)
    # r and its rounding error, to which the second part is added
    p = k.mul(n, c(_PIO2_PARTS[1]))
    r1 = k.sub(r, p)
    err = k.sub(k.sub(r, r1), p)
    err = k.fma(n, c(-_PIO2_PARTS[2]), err)
    r2 = k.add(r1, err)
    return r2, k.add(k.sub(r1, r2), err), t


def _odd(k: LaneCode, n: str) -> str:
    return k.itest("ne", k.int("and", n, i(1)), "zeroinitializer")


def _trigonometric(k: LaneCode, x: str, shift: int) -> str:
    """Return sin (shift 0) or cos (shift 1) for |x| <= BIG_ANGLE."""
    r2, low, t = _reduce(k, x)
    z = k.mul(r2, r2)
    zr = k.mul(z, r2)
    sine = k.add(r2, k.fma(zr, k.poly(z, _SIN), low))
    half = k.mul(z, c(0.5))
    one = k.sub(c(1.0), half)
    rest = k.sub(k.sub(c(1.0), one), half)  # the rounding error of 1 - z/2
    rest = k.sub(rest, k.mul(r2, low))
    cosine = k.add(one, k.fma(k.mul(z, z), k.poly(z, _COS), rest))
    quadrant = k.bits(t) if shift == 0 else k.int("add", k.bits(t), i(shift))
    y = k.pick(_odd(k, quadrant), cosine, sine)
    sign = k.int("shl", k.int("and", quadrant, i(2)), i(62))
    y = k.real(k.int("xor", k.bits(y), sign))
    return k.pick(k.test("oeq", x, c(0.0)), x, y) if shift == 0 else y


def sin(k: LaneCode, x: str) -> str:
    return _trigonometric(k, x, 0)


def cos(k: LaneCode, x: str) -> str:
    return _trigonometric(k, x, 1)


def tan(k: LaneCode, x: str) -> str:
    """Return tan r, or -1 / tan r for odd multiples of pi / 2."""
    r, low, t = _reduce(k, x)
    z = k.mul(r, r)
    small = k.mul(k.mul(z, r), k.poly(z, _TAN))
    y = k.add(r, small)
    small = k.add(small, k.fma(k.mul(y, y), low, low))  # the derivative is 1 + y^2
    y, rest = k.add_small(r, small)
    inverse = k.div(c(-1.0), y)
    lost = k.fma(inverse, rest, k.fma(inverse, y, c(1.0)))
    y = k.pick(_odd(k, k.bits(t)), k.fma(inverse, lost, inverse), y)
    return k.pick(k.test("oeq", x, c(0.0)), x, y)


def _from(k: LaneCode, base: tuple[str, str], t: str, rest: str) -> str:
    """Return base + t + rest, where the rest is small, and the base is zero or larger than t."""
    y, lost = k.add_small(base[0], t)
    return k.add(y, k.add(lost, k.add(base[1], rest)))


def _bases(k: LaneCode, where: str, high: tuple[str, str], low: tuple[str, str]) -> tuple[str, str]:
    """Return one of two numbers of two parts."""
    return k.pick(where, high[0], low[0]), k.pick(where, high[1], low[1])


_NO_BASE = (c(0.0), c(0.0))
_RIGHT = (c(_PIO2[0]), c(_PIO2[1]))
_STRAIGHT = (c(_PI[0]), c(_PI[1]))


def _arc(k: LaneCode, base: tuple[str, str], t: str) -> str:
    """Return base + atan t for |t| <= 1."""
    z = k.mul(t, t)
    return _from(k, base, t, k.mul(k.mul(z, t), k.poly(k.sub(z, c(0.5)), _ATAN)))


def atan(k: LaneCode, x: str) -> str:
    """Return atan |x|, or pi / 2 - atan 1/|x|, with the sign of x."""
    a = k.abs(x)
    steep = k.test("ogt", a, c(1.0))
    t = k.div(k.pick(steep, c(-1.0), a), k.pick(steep, a, c(1.0)))
    return k.sign_of(_arc(k, _bases(k, steep, _RIGHT, _NO_BASE), t), x)


def atan2(k: LaneCode, y: str, x: str) -> str:
    """Return the angle, by the quotient of the smaller one by the larger one: from the axis that is
    near, towards the other axis or away from it."""
    a, b = k.abs(x), k.abs(y)
    steep = k.test("ogt", b, a)
    large, small = k.pick(steep, b, a), k.pick(steep, a, b)
    t = k.div(small, large)
    origin = k.test("oeq", large, c(0.0))
    same = k.pick(origin, c(0.0), c(1.0))  # where both are zero, or infinite
    t = k.sign_of(k.pick(k.test("oeq", a, b), same, t), x)
    t = k.pick(steep, k.neg(t), t)
    left = k.itest("slt", k.bits(x), i(0))
    base = _bases(k, steep, _RIGHT, _bases(k, left, _STRAIGHT, _NO_BASE))
    return k.sign_of(_arc(k, base, t), y)


def _half_chord(k: LaneCode, x: str) -> tuple[str, str, str]:
    """Return whether |x| > 1/2; t = |x|, or sqrt((1 - |x|) / 2) there; and asin(t) - t."""
    a = k.abs(x)
    wide = k.test("ogt", a, c(0.5))
    z = k.pick(wide, k.fma(a, c(-0.5), c(0.5)), k.mul(a, a))
    t = k.pick(wide, k.sqrt(z), a)
    return wide, t, k.mul(k.mul(z, t), k.poly(z, _ASIN))


def asin(k: LaneCode, x: str) -> str:
    """Return asin |x|, or pi / 2 - 2 asin sqrt((1 - |x|) / 2), with the sign of x."""
    wide, t, rest = _half_chord(k, x)
    by = k.pick(wide, c(-2.0), c(1.0))
    base = _bases(k, wide, _RIGHT, _NO_BASE)
    return k.sign_of(_from(k, base, k.mul(t, by), k.mul(rest, by)), x)


def acos(k: LaneCode, x: str) -> str:
    """Return pi / 2 - asin x, or 2 asin sqrt((1 - x) / 2), or pi - 2 asin sqrt((1 + x) / 2)."""
    wide, t, rest = _half_chord(k, x)
    by = k.sign_of(k.pick(wide, c(2.0), c(1.0)), x)
    by = k.pick(wide, by, k.neg(by))
    left = k.both(wide, k.test("olt", x, c(0.0)))
    base = _bases(k, wide, _bases(k, left, _STRAIGHT, _NO_BASE), _RIGHT)
    return _from(k, base, k.mul(t, by), k.mul(rest, by))


__all__ = ["acos", "asin", "atan", "atan2", "cos", "near", "sin", "tan"]
