"""Sums of cotangents, and of tangents: a partial times what comes in, added to what is there.

    old + partial * ct   ==>   fma(partial, ct, old)

A value of the program rounds as Python rounds it, each operation for itself, wherever it is
computed: no flag lets LLVM fuse a product with an addition. Derivatives have no such model to be
compared with, and here it is decided for each addition, when it is written, that it is one with
a product. So their bits do not depend on what later passes do.
"""

from __future__ import annotations

from pullback.core.build import Builder, scale
from pullback.core.rows import Row
from pullback.core.terms import Atom, Lit
from pullback.core.types import Type


class Contributions:
    """The additions of one sweep; ``factors``: what the products among the terms are made of."""

    def __init__(self) -> None:
        self.factors: dict[Atom, tuple[Atom, Atom]] = {}

    def add_scaled(
        self, b: Builder, old: Atom | None, row: Row, p: Atom, ct: Atom, target: Type
    ) -> Atom:
        """``old + p * ct`` (see ``build.scale``); ``old`` is None where nothing is there yet."""
        one = isinstance(p, Lit) and abs(p.value) == 1.0
        product = row.product == "mul" and ct.type == target and not one
        if product and old is not None:
            return b.prim("fma", p, ct, old)
        term = scale(b, row, p, ct, target)
        if product:
            self.factors[term] = p, ct
        return term if old is None else self.add(b, old, term)

    def add(self, b: Builder, old: Atom, term: Atom) -> Atom:
        """``old + term``, where one of them may be a product: then nobody else need compute it."""
        for x, y in ((term, old), (old, term)):
            if x in self.factors:
                return b.prim("fma", *self.factors[x], y)
        return b.prim("add", old, term)


__all__ = ["Contributions"]
