"""Partial derivatives of the two parts of a complex function, written as complex formulas
(``core/formulas.py``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullback.core.formulas import Formula
from pullback.core.frozen import dataclass

if TYPE_CHECKING:
    from pullback.core.build import Builder
    from pullback.core.rows import PartialFn
    from pullback.core.terms import Atom

from collections.abc import Callable


@dataclass(frozen=True, slots=True, eq=False)
class Complex:
    """A complex number of the code that a builder writes."""

    re: Formula
    im: Formula

    def like(self, x: Complex | Formula | complex) -> Complex:
        if isinstance(x, Complex):
            return x
        if isinstance(x, Formula):
            return Complex(x, x.like(0.0))
        return Complex(self.re.like(complex(x).real), self.re.like(complex(x).imag))

    def __add__(self, x: Complex | Formula | complex) -> Complex:
        other = self.like(x)
        return Complex(self.re + other.re, self.im + other.im)

    def __radd__(self, x: complex) -> Complex:
        return self.like(x) + self

    def __sub__(self, x: Complex | Formula | complex) -> Complex:
        other = self.like(x)
        return Complex(self.re - other.re, self.im - other.im)

    def __rsub__(self, x: complex) -> Complex:
        return self.like(x) - self

    def __mul__(self, x: Complex | Formula | complex) -> Complex:
        if isinstance(x, (Formula, int, float)):
            return Complex(self.re * x, self.im * x)
        other = self.like(x)
        return Complex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def __rmul__(self, x: complex) -> Complex:
        return self * x

    def __truediv__(self, x: Complex | Formula | float) -> Complex:
        """By Smith's method, which does not square what it divides by"""
        if not isinstance(x, Complex):
            return Complex(self.re / x, self.im / x)
        size, other = x.re.of("abs"), x.im.of("abs")
        first = size.b.prim("ge", size.atom, other.atom)

        def either(a: Formula, b: Formula) -> Formula:
            return Formula(a.b, a.b.prim("select", first, a.atom, b.atom))

        large, small = either(x.re, x.im), either(x.im, x.re)
        ratio = small / large
        whole = large + small * ratio
        real = either(self.re + self.im * ratio, self.re * ratio + self.im)
        imag = either(self.im - self.re * ratio, self.im * ratio - self.re)
        return Complex(real / whole, imag / whole)

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def exp(self) -> Complex:
        size = self.re.of("exp")
        return Complex(size * self.im.of("cos"), size * self.im.of("sin"))

    def sqrt(self) -> Complex:
        """The root whose real part is positive"""
        size = self.re.of("hypot", self.im)
        half = (0.5 * (size + self.re.of("abs"))).of("sqrt")
        other = self.im.where("eq", 0.0, 0.0, 0.5 * self.im / half)
        turned = self.im.where("lt", 0.0, -half, half)
        real = self.re.where("ge", 0.0, half, other.of("abs"))
        return Complex(real, self.re.where("ge", 0.0, other, turned))

    def log(self) -> Complex:
        return Complex(self.re.of("hypot", self.im).of("log"), self.im.of("atan2", self.re))

    def sin(self) -> Complex:
        x, y = self.re, self.im
        return Complex(x.of("sin") * y.of("cosh"), x.of("cos") * y.of("sinh"))

    def cos(self) -> Complex:
        x, y = self.re, self.im
        return Complex(x.of("cos") * y.of("cosh"), -(x.of("sin") * y.of("sinh")))

    def times_i(self) -> Complex:
        return Complex(-self.im, self.re)

    def of(self, name: str, *before: Formula | float) -> Complex:
        """Return what a function gives for these real numbers and this complex one."""
        args = [self.re.like(x).atom for x in before] + [self.re.atom, self.im.atom]
        re, im = (Formula(self.re.b, self.re.b.prim(f"{name}.{p}", *args)) for p in ("re", "im"))
        return Complex(re, im)


Slope = Callable[..., Complex]


def partials_of(name: str, part: str, slope: Slope, across: Slope | None = None) -> tuple[
    PartialFn, PartialFn
]:  # fmt: skip
    """Return the cells of the real or the imaginary part ("re" or "im") of a function, by the real
    and by the imaginary part of its last argument, for a formula of the result, real arguments and
    a complex one. ``across``: the derivative by the imaginary part, where the function is not
    analytic."""

    def cell(formula: Slope, turn: bool) -> PartialFn:
        def write(b: Builder, args: tuple[Atom, ...], result: Atom) -> Atom:
            *before, x, y = (Formula(b, a) for a in args)
            other = Formula(b, b.prim(f"{name}.{'im' if part == 're' else 're'}", *args))
            mine = Formula(b, result)
            whole = Complex(mine, other) if part == "re" else Complex(other, mine)
            found = formula(whole, *before, Complex(x, y))
            found = found.times_i() if turn else found
            return (found.re if part == "re" else found.im).atom

        return write

    return cell(slope, False), cell(across or slope, across is None)


__all__ = ["Complex", "Slope", "partials_of"]
