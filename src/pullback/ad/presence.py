"""Where a cotangent is there: what only arms of choices use gets one where such an arm is taken,
and elsewhere none. That is not 0 times a partial, which may be infinite there.

    e = exp t                       where c:  dr goes to e, and dr * e to t
    r = select c e 1.0      ==>     elsewhere: nothing does
    (dr: the cotangent of r)        dt = select c (dr * e) 0.0

A gate (``rows.Row.product``) is where this begins. A product has the truth value of its cotangent;
where 0 may have become NaN in it, it is *open*. One ``select`` closes it where it leaves: where
cotangents with other truth values are added, in accumulators, and in results of blocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pullback.ad.contributions import Contributions
from pullback.core.build import Builder, lit
from pullback.core.prims import TABLE
from pullback.core.rows import Mark, Row
from pullback.core.terms import (
    Atom,
    Build,
    Function,
    If,
    Index,
    Let,
    Lit,
    Prim,
    Sum_,
    Var,
    sub_blocks,
)
from pullback.core.traverse import all_lets
from pullback.core.types import Array, Real, Type


@dataclass(slots=True)
class Presence:
    """Of cotangents: the truth value that says where they are there (those without one always
    are), and which of them are open: anything where they are not there, else 0."""

    where: dict[Atom, Atom] = field(default_factory=dict)
    open: set[Atom] = field(default_factory=set)
    sums: Contributions = field(default_factory=Contributions)

    def product(self, b: Builder, row: Row, p: Atom, ct: Atom, target: Type) -> Atom:
        """The cotangent of a row's result times its partial ``p``."""
        out = self.sums.product(b, row, p, ct, target)
        here = self.where.get(ct)
        if out is ct or not isinstance(out, Var):
            return out
        if row.product == "gate":
            self.where[out] = p if here is None else b.prim("and", here, p)
        elif here is not None:
            self.where[out] = here
        if ct in self.open or (here is not None and row.product == "mul" and not _constant(p)):
            self.open.add(out)
        return out

    def sum(self, b: Builder, x: Atom, y: Atom) -> Atom:
        """Two cotangents of one variable."""
        here, there = self.where.get(x), self.where.get(y)
        if here is not None and here is there:
            out = self.sums.add(b, x, y)
            self.where[out] = here
            if x in self.open or y in self.open:
                self.open.add(out)
            return out
        out = self.sums.add(b, self.closed(b, x), self.closed(b, y))
        if here is not None and there is not None:
            self.where[out] = b.prim("or", here, there)
        return out

    def closed(self, b: Builder, ct: Atom) -> Atom:
        """The cotangent, 0 where it is not there."""
        if ct not in self.open:
            return ct
        here = self.where[ct]
        out = b.prim("select", here, ct, lit(0.0, ct.type))
        self.where[out] = here
        return out

    def nonzero(self, b: Builder, ct: Atom) -> None:
        """The cotangent counts as absent where it is 0."""
        if isinstance(ct, Var):
            self.where[ct] = b.prim("ne", ct, lit(0.0, ct.type))

    def any(self, b: Builder, cts: Iterable[Atom]) -> Atom | None:
        """Where some of the cotangents are there, unless one always is (or there is none)."""
        truths = dict.fromkeys(self.where.get(ct) for ct in cts)
        out: Atom | None = None
        for truth in truths:
            if truth is None:
                return None
            out = truth if out is None else b.prim("or", out, truth)
        return out


def regular(let: Let) -> bool:
    """Whether a let only adds and multiplies and chooses, and repeats that independently: then 0
    comes back from 0 if its operands are finite."""
    match let.op:
        case Prim(name):
            return tame(let, name)
        case Index():
            return True
        case Sum_() | Build() | If():
            return all(regular(x) for _, block in sub_blocks(let.op) for x in block.lets)
        case _:
            return False


def tame(let: Let, name: str) -> bool:
    """Whether the partials of a row are finite where its operands are."""
    row = TABLE[name]
    if not any(isinstance(v.type, Real | Array) for v in let.vars):
        return True
    linear = all(isinstance(p, float | Mark) for p in row.partials)
    return row.whole is None and (linear or row.product == "gate" or name == "mul")


def wild(functions: Iterable[Function]) -> bool:
    """Whether a program has rows with partials that may be infinite."""
    lets = (let for f in functions for let in all_lets(f.body))
    return any(isinstance(x.op, Prim) and not tame(x, x.op.name) for x in lets)


def _constant(p: Atom) -> bool:
    return isinstance(p, Lit)


__all__ = ["Presence"]
