"""Partial derivatives written as formulas: Python's operators on the atoms of a row.

>>> from pullback.core.formulas import partial
>>> cell = partial(lambda r, x: 2.0 * x / r)

is the cell of a row of one argument whose partial derivative is 2 x over the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass
from pullback.core.rows import PartialFn
from pullback.core.terms import Atom, Lit

if TYPE_CHECKING:
    from pullback.core.build import Builder

Number = float
"""What stands beside a formula in a sum or product."""


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """A real number of the code that a builder writes."""

    b: Builder
    atom: Atom

    def of(self, name: str, *more: Formula | Number) -> Formula:
        """Return the result of a primitive of this number and more."""
        return Formula(self.b, self.b.prim(name, self.atom, *(self.like(m).atom for m in more)))

    def like(self, x: Formula | Number) -> Formula:
        return x if isinstance(x, Formula) else Formula(self.b, Lit(float(x), self.atom.type))

    def __add__(self, x: Formula | Number) -> Formula:
        return self.of("add", x)

    def __radd__(self, x: Number) -> Formula:
        return self.like(x) + self

    def __sub__(self, x: Formula | Number) -> Formula:
        return self.of("sub", x)

    def __rsub__(self, x: Number) -> Formula:
        return self.like(x) - self

    def __mul__(self, x: Formula | Number) -> Formula:
        return self.of("mul", x)

    def __rmul__(self, x: Number) -> Formula:
        return self.like(x) * self

    def __truediv__(self, x: Formula | Number) -> Formula:
        return self.of("div", x)

    def __rtruediv__(self, x: Number) -> Formula:
        return self.like(x) / self

    def __neg__(self) -> Formula:
        return self.of("neg")

    def where(self, relation: str, bound: Formula | Number, then: Formula | Number,
              other: Formula | Number) -> Formula:  # fmt: skip
        """Return one of two numbers: the first where this one is "lt", "eq", ... the bound."""
        is_so = self.b.prim(relation, self.atom, self.like(bound).atom)
        return Formula(
            self.b, self.b.prim("select", is_so, self.like(then).atom, self.like(other).atom)
        )

    def over(self, x: Formula, at_zero: Number) -> Formula:
        """Return the quotient with x; where x is 0, what it is there."""
        return x.where("eq", 0.0, at_zero, self / x.where("eq", 0.0, 1.0, x))


def partial(formula: Callable[..., Formula]) -> PartialFn:
    """Return the cell of a row for a formula of the result and the arguments."""

    def cell(b: Builder, args: tuple[Atom, ...], result: Atom) -> Atom:
        return formula(Formula(b, result), *(Formula(b, a) for a in args)).atom

    return cell


__all__ = ["Formula", "partial"]
