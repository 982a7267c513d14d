"""Write instructions on vectors of 8 doubles: what the functions of ``vectormath`` are made of."""

from __future__ import annotations

import struct

from pullback.lower.loopcode import LANES
from pullback.native.lines import Lines
from pullback.native.text import real_constant

V = f"<{LANES} x double>"
I = f"<{LANES} x i64>"  # noqa: E741  # as V, of integers
M = f"<{LANES} x i1>"

ROUND = 1.5 * 2.0**52
"""Adding it rounds to an integer, which the low bits then hold."""
ROUND_BITS: int = struct.unpack("<q", struct.pack("<d", ROUND))[0]


def c(value: float) -> str:
    """Return a constant real, in all lanes."""
    return f"splat (double {real_constant(value)})"


def i(value: int) -> str:
    """Return a constant int, in all lanes."""
    return f"splat (i64 {value})"


def pair(high: str, low: str) -> tuple[float, float]:
    """Return a constant of more than 53 bits: a float and what it lacks, in hexadecimal digits."""
    return float.fromhex(high), float.fromhex(low)


class LaneCode(Lines):
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

    def both(self, p: str, q: str) -> str:
        return self.let(f"and {M} {p}, {q}")

    def either(self, p: str, q: str) -> str:
        return self.let(f"or {M} {p}, {q}")

    def neg(self, a: str) -> str:
        return self.let(f"fneg {V} {a}")

    def sqrt(self, a: str) -> str:
        return self.let(f"call {V} @llvm.sqrt.v{LANES}f64({V} {a})")

    def whole(self, a: str) -> str:
        """Return the number without its fraction."""
        return self.let(f"call {V} @llvm.trunc.v{LANES}f64({V} {a})")

    def abs(self, a: str) -> str:
        return self.let(f"call {V} @llvm.fabs.v{LANES}f64({V} {a})")

    def sign_of(self, a: str, b: str) -> str:
        return self.let(f"call {V} @llvm.copysign.v{LANES}f64({V} {a}, {V} {b})")

    def bits(self, a: str) -> str:
        return self.let(f"bitcast {V} {a} to {I}")

    def real(self, a: str) -> str:
        return self.let(f"bitcast {I} {a} to {V}")

    def least(self, a: str, b: str) -> str:
        return self.let(f"call {I} @llvm.smin.v{LANES}i64({I} {a}, {I} {b})")

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
        acc = c(coefficients[-1])
        for one in reversed(coefficients[:-1]):
            acc = self.fma(acc, x, c(one))
        return acc

    def add_small(self, large: str, small: str) -> tuple[str, str]:
        """Return the sum and its rounding error, where the first number is zero or not smaller in
        size than the second."""
        total = self.add(large, small)
        return total, self.add(self.sub(large, total), small)

    def clamp(self, x: str, low: float, high: float) -> str:
        """Return x, limited to the bounds; NaN stays."""
        x = self.pick(self.test("ogt", x, c(high)), c(high), x)
        return self.pick(self.test("olt", x, c(low)), c(low), x)

    def nearest(self, x: str, scale: float) -> tuple[str, str]:
        """Return the integer nearest to x times the scale, as a real, and the real whose low bits
        hold it."""
        t = self.fma(x, c(scale), c(ROUND))
        return self.sub(t, c(ROUND)), t

    def low_bits(self, t: str) -> str:
        """Return as ints what ``nearest`` has left in the low bits."""
        return self.int("sub", self.bits(t), i(ROUND_BITS))

    def to_real(self, n: str) -> str:
        """Return small ints as reals."""
        return self.sub(self.real(self.int("add", n, i(ROUND_BITS))), c(ROUND))

    def power_of_two(self, n: str) -> str:
        """Return 2^n for ints within the range of normal numbers."""
        return self.real(self.int("shl", self.int("add", n, i(1023)), i(52)))


__all__ = ["ROUND", "ROUND_BITS", "I", "LaneCode", "M", "V", "c", "i", "pair"]
