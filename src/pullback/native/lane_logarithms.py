"""Write logarithms and the inverse hyperbolic functions of 8 doubles at once (see
``vectormath``)."""

from __future__ import annotations

import struct

from pullback.native.lane_code import ROUND, ROUND_BITS, LaneCode, c, i, pair
from pullback.native.lane_exponentials import LN2

# (2 artanh(s) - 2 s) / s^3 as a function of z = s^2, for |s| <= 3 - 2 sqrt(2)
_LOG = (0.6666666666666666, 0.40000000000000885, 0.2857142857079793, 0.22222222393000648,
        0.18181795502739437, 0.15386247170362732, 0.1326857329894926,
        0.13088714507747484)  # fmt: skip
# 1 / (1 + f) for sqrt(1/2) <= 1 + f <= sqrt(2), to two digits
_INVERSE = (1.0049951120225056, -1.0806127678408468, 0.9142390706250312)

_LOG2E = pair("0x1.71547652b82fep+0", "0x1.777d0ffda0d24p-56")
_LOG10E = pair("0x1.bcb7b1526e50ep-2", "0x1.95355baaafad3p-57")
_LOG10_2 = pair("0x1.34413509f7000p-2", "0x1.3fde623e2566bp-43")
_LARGE = 2.0**28
"""From here on, 1 + x^2 and x^2 - 1 are x^2 to the last digit."""


def _exponent(k: LaneCode, x: str, least: float = 0.5) -> tuple[str, str]:
    """Return n (ints) and m with x = 2^n m, for normal positive x. The square of m is at least
    ``least``, and less than four times that."""
    bits = k.bits(x)
    n = k.int("ashr", k.int("sub", bits, i(_bits(least**0.5))), i(52))
    return n, k.real(k.int("sub", bits, k.int("shl", n, i(52))))


def _bits(x: float) -> int:
    found: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return found


def split(k: LaneCode, x: str, least: float = 0.5) -> tuple[str, str]:
    """Return n (reals) and m as ``_exponent`` does, for subnormal x too."""
    subnormal = k.test("olt", x, c(2.0**-1022))
    n, m = _exponent(k, k.pick(subnormal, k.mul(x, c(2.0**54)), x), least)
    n = k.real(k.int("add", n, i(ROUND_BITS)))
    return k.sub(n, k.pick(subnormal, c(ROUND + 54.0), c(ROUND))), m


def _series(k: LaneCode, f: str) -> tuple[str, str]:
    """Return f^2/2 and log(1 + f) - f + f^2/2."""
    s = k.div(f, k.add(f, c(2.0)))
    z = k.mul(s, s)
    r = k.mul(z, k.poly(z, _LOG))
    half = k.mul(k.mul(f, f), c(0.5))
    return half, k.mul(s, k.add(half, r))


def _log_core(k: LaneCode, n: str, f: str, low: str | None) -> str:
    """Return n ln 2 + log(1 + f) + low, where f - f^2/2 is kept apart from the small terms."""
    half, rest = _series(k, f)
    small = k.fma(n, c(LN2[1]), rest)
    if low is not None:
        small = k.add(small, low)
    return k.fma(n, c(LN2[0]), k.sub(f, k.sub(half, small)))


def log(k: LaneCode, x: str) -> str:
    n, m = split(k, x)
    return _log_ends(k, x, _log_core(k, n, k.sub(m, c(1.0)), None), 0.0)


def _log_ends(k: LaneCode, x: str, y: str, zero: float) -> str:
    """Return the result, corrected at infinity and at arguments not above ``zero``, where the
    logarithm is -inf."""
    y = k.pick(k.test("olt", x, c(float("inf"))), y, x)
    y = k.pick(k.test("oeq", x, c(zero)), c(float("-inf")), y)
    return k.pick(k.test("olt", x, c(zero)), c(float("nan")), y)


def _log_of_base(
    k: LaneCode, x: str, scale: tuple[float, float], of_two: tuple[float, float]
) -> str:
    """Return the logarithm times ``scale``, a number and its lower digits. The logarithm has lower
    digits here, so that the result is right where it is an integer."""
    n, m = split(k, x)
    f = k.sub(m, c(1.0))
    half, rest = _series(k, f)
    high, low = k.add_small(f, k.neg(half))
    low = k.add(low, rest)
    y = k.mul(high, c(scale[0]))
    small = k.fma(high, c(scale[0]), k.neg(y))
    small = k.fma(high, c(scale[1]), k.fma(low, c(scale[0]), small))
    whole = n if of_two[0] == 1.0 else k.mul(n, c(of_two[0]))
    y, lost = k.add_small(whole, y)
    if of_two[1]:
        small = k.fma(n, c(of_two[1]), small)
    return _log_ends(k, x, k.add(y, k.add(lost, small)), 0.0)


def log2(k: LaneCode, x: str) -> str:
    return _log_of_base(k, x, _LOG2E, (1.0, 0.0))


def log10(k: LaneCode, x: str) -> str:
    return _log_of_base(k, x, _LOG10E, _LOG10_2)


def log1p(k: LaneCode, x: str) -> str:
    u = k.add(x, c(1.0))
    n, m = _exponent(k, u)
    n = k.to_real(n)
    # What the addition lost, relative to u: of the larger addend's rounding.
    big = k.test("ogt", x, c(1.0))
    lost = k.pick(big, k.sub(c(1.0), k.sub(u, x)), k.sub(x, k.sub(u, c(1.0))))
    small = k.test("oeq", n, c(0.0))
    f = k.pick(small, x, k.sub(m, c(1.0)))
    low = k.pick(small, c(0.0), k.div(lost, u))
    y = _log_ends(k, x, _log_core(k, n, f, low), -1.0)
    return k.pick(k.test("olt", k.abs(x), c(2.0**-54)), x, y)


def _log1p_of_sum(k: LaneCode, u: str, low: str, more: str | None) -> str:
    """Return log(1 + u + low) for finite u >= 0, plus ln 2 in the lanes ``more``. The small ``low``
    and what 1 + u loses are added to first order: divided by 1 + f, to two digits."""
    one = k.add(u, c(1.0))
    n, m = _exponent(k, one)
    big = k.test("ogt", u, c(1.0))
    lost = k.pick(big, k.sub(c(1.0), k.sub(one, u)), k.sub(u, k.sub(one, c(1.0))))
    down = k.power_of_two(k.int("sub", i(0), k.least(n, i(1000))))
    small = k.itest("eq", n, i(0))
    f = k.pick(small, u, k.sub(m, c(1.0)))
    low = k.mul(k.add(low, k.pick(small, c(0.0), lost)), down)
    n = k.to_real(n)
    if more is not None:
        n = k.add(n, k.pick(more, c(1.0), c(0.0)))
    return _log_core(k, n, f, k.mul(low, k.poly(f, _INVERSE)))


def _log1p_or_log(k: LaneCode, large: str, x: str, u: str, low: str) -> str:
    """Return log(1 + u + low), but log(2 x) where x is large."""
    less, lost = k.add_small(x, c(-1.0))
    return _log1p_of_sum(k, k.pick(large, less, u), k.pick(large, lost, low), large)


def asinh(k: LaneCode, x: str) -> str:
    """log(1 + a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|"""
    a = k.abs(x)
    large = k.test("ogt", a, c(_LARGE))
    square = k.mul(a, a)
    root = k.sqrt(k.fma(a, a, c(1.0)))
    u, low = k.add_small(a, k.div(square, k.add(root, c(1.0))))
    y = _log1p_or_log(k, large, a, u, low)
    return k.sign_of(k.pick(k.test("olt", a, c(float("inf"))), y, a), x)


def acosh(k: LaneCode, x: str) -> str:
    """log(1 + t + sqrt(t^2 + 2 t)) with t = x - 1"""
    large = k.test("ogt", x, c(_LARGE))
    t = k.sub(x, c(1.0))
    root = k.sqrt(k.fma(t, t, k.add(t, t)))
    u, low = k.add_small(root, t)
    y = _log1p_or_log(k, large, x, u, low)
    y = k.pick(k.test("olt", x, c(float("inf"))), y, x)
    return k.pick(k.test("olt", x, c(1.0)), c(float("nan")), y)


def atanh(k: LaneCode, x: str) -> str:
    """log(1 + 2 a / (1 - a)) / 2 with a = |x|"""
    a = k.abs(x)
    d, lost = k.add_small(c(1.0), k.neg(a))
    inverse = k.div(c(1.0), d)
    twice = k.add(a, a)
    u = k.mul(twice, inverse)
    rest = k.sub(k.fma(k.neg(u), d, twice), k.mul(u, lost))
    y = k.mul(_log1p_of_sum(k, u, k.mul(rest, inverse), None), c(0.5))
    y = k.pick(k.test("olt", a, c(1.0)), y, c(float("nan")))
    y = k.pick(k.test("oeq", a, c(1.0)), c(float("inf")), y)
    return k.sign_of(y, x)


__all__ = ["acosh", "asinh", "atanh", "log", "log1p", "log2", "log10", "split"]
