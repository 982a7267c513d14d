"""Sums of cotangents, and of tangents: a partial times what comes in, added to what is there.

    old + partial * ct   ==>   fma(partial, ct, old)

A value of the program rounds as Python rounds it, each operation for itself, wherever it is
computed: no flag lets LLVM fuse a product with an addition. Derivatives have no such model, and
here it is decided for each of their additions, when it is written, whether it is one with a
product. So the bits do not depend on what later passes do.
"""

from __future__ import annotations

from pullback.core.build import Builder, scale
from pullback.core.rows import Row
from pullback.core.terms import Atom, Lit
from pullback.core.types import Type


class Contributions:
    """The products and additions of one sweep; ``factors``: what the products are made of."""

    def __init__(self) -> None:
        self.factors: dict[Atom, tuple[Atom, Atom]] = {}
        self.last: Atom | None = None

    def product(self, b: Builder, row: Row, p: Atom, ct: Atom, target: Type) -> Atom:
        """A partial of a row times a cotangent or tangent (``build.scale``)."""
        self.last = None
        out = scale(b, row, p, ct, target)
        if row.product == "mul" and out is not ct and ct.type == target and not _unit(p):
            self.last, self.factors[out] = out, (p, ct)
        return out

    def add(self, b: Builder, old: Atom, term: Atom) -> Atom:
        """Their sum; one operation with the product that one of them is."""
        for x, y in ((term, old), (old, term)):
            if x in self.factors:
                if x is self.last and b.lets and b.lets[-1].vars == (x,):
                    b.lets.pop()  # nobody else has it
                self.last = None
                return b.prim("fma", *self.factors[x], y)
        return b.prim("add", old, term)


def _unit(p: Atom) -> bool:
    return isinstance(p, Lit) and abs(p.value) == 1.0


__all__ = ["Contributions"]
