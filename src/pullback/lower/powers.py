"""Lower ``x ** n`` with a constant exponent, without a call, so that it runs in lanes.

Products of rounded products would be off in the last place for every third x, where C's ``pow``,
and so Python's, hardly ever is. So each product carries its rounding error, which one more
operation computes exactly:

    p = a * b,  e = fma(-a, b, p)   ==>   a * b is p - e

Then, like the square and the square root, a power differs from ``pow`` in the last place for one x
of a thousand, where ``pow`` is not the nearest float (or neither is).
"""

from __future__ import annotations

import math

from pullback.lower.loopcode import Imm, Value
from pullback.lower.state import Lowering

LARGEST = 16
"""The largest exponent of which a power is made of products; with larger ones errors add up."""

Pair = tuple[Value, Value | None]
"""A rounded number, and by how much it is too large (None: it is exact)."""


def power(lo: Lowering, x: Value, y: Value) -> Value:
    """``x ** y``."""
    if isinstance(y, Imm):
        if y.value == 0.5:
            return _root(lo, x)
        if float(y.value).is_integer() and 0 < abs(y.value) <= LARGEST:
            return _products(lo, x, int(y.value))
    return lo.arith("pow", x.ty, x, y)


def _root(lo: Lowering, x: Value) -> Value:
    """The square root, but 0.0 of -0.0, and of minus infinity what ``pow`` gives."""
    infinite = lo.test("eq", x, Imm(-math.inf, x.ty))
    root = lo.arith("sqrt", x.ty, lo.arith("add", x.ty, x, Imm(0.0, x.ty)))
    return lo.select(infinite, Imm(math.inf, x.ty), root)


def _products(lo: Lowering, x: Value, n: int) -> Value:
    pair = _inverse(lo, x) if n < 0 else (x, None)
    out: Pair | None = None
    rest = abs(n)
    while rest:
        if rest & 1:
            out = pair if out is None else _product(lo, out, pair)
        rest >>= 1
        if rest:
            pair = _product(lo, pair, pair)
    assert out is not None
    p, e = out
    if e is None or n in (2, -1):  # rounded once
        return p
    small = lo.test("lt", lo.arith("abs", x.ty, e), lo.arith("abs", x.ty, p))
    # zero, infinity and NaN have no error to subtract
    return lo.select(small, lo.arith("sub", x.ty, p, e), p)


def _inverse(lo: Lowering, x: Value) -> Pair:
    """1 / x, which is q * (1 + r) where q is rounded and r = 1 - x * q."""
    q = lo.arith("div", x.ty, Imm(1.0, x.ty), x)
    r = _fma(lo, _neg(lo, x), q, Imm(1.0, x.ty))
    return q, _neg(lo, lo.arith("mul", x.ty, r, q))


def _product(lo: Lowering, a: Pair, b: Pair) -> Pair:
    """Return the product of the exact numbers, up to the product of the errors."""
    p = lo.arith("mul", a[0].ty, a[0], b[0])
    e = _fma(lo, _neg(lo, a[0]), b[0], p)
    for x, error in ((a[0], b[1]), (b[0], a[1])):
        if error is not None:
            e = _fma(lo, x, error, e)
    return p, e


def _fma(lo: Lowering, a: Value, b: Value, c: Value) -> Value:
    return lo.arith("fma", a.ty, a, b, c)


def _neg(lo: Lowering, a: Value) -> Value:
    return lo.arith("neg", a.ty, a)


__all__ = ["power"]
