"""How cotangents are summed: what is added, where it is present, and how it is rounded.

A cotangent (in forward mode a tangent) is a sum with a contribution for every use of its variable:
a partial times the cotangent of the value that this use computes. Each contribution obeys three
rules.

**A product is added in one operation.** Values of the program round as Python rounds them, each
operation for itself. Derivatives have no such model: ``old + p * ct`` is ``fma(p, ct, old)``
(``fmaz`` where p is singular: nothing is added where ct is 0), and that is decided when the
addition is written, so that the bits do not depend on later passes. Literal factors of a cotangent
become one factor likewise: 2 * (0.5 * ct) is ct.

**A contribution is present where its cotangent is.** A value that only arms of choices use gets a
cotangent where such an arm is taken, and elsewhere none. That is not 0 times a partial, which may
be infinite there.

    e = exp t                       where c:  dr goes to e, and dr * e to t
    r = select c e 1.0      ==>     elsewhere: nothing does
    (dr: the cotangent of r)        dt = select c (dr * e) 0.0

A truth value says where a cotangent is present. It begins at a gate (``rows.Row.product``); or as
``present d``, which is ``d != 0``, where a number may have received nothing: when it is read from a
cell, or comes from the next iteration. A product has the truth value of its cotangent. It is *open*
as long as it may be NaN where it is absent, which does no harm while everything added to it has the
same truth value. One ``select`` closes it where it leaves: in a sum with others (``select c (fma p
ct old) old``), in an accumulator, in a result of a block.

**An iteration passes no subnormal numbers to the next one.** A recurrence that forgets
exponentially (a filter, a recurrent network, a discounted sum) has cotangents that decay by a
factor in each iteration. After some ten thousand iterations they are subnormal, and arithmetic on
these traps into microcode on many processors.

    loop d = d0. (...; next 0.9 * d)     ==>     loop d = d0. (...; next flush(0.9 * d))

This concerns cotangents that are passed on by value. Those in cells are flushed where a loop reads
them (``lower/accumulators.py``); for a loop that does nothing but arithmetic on cotangents, the
control register does it (``lower/flushing.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pullback.core.build import Builder, lit, scale
from pullback.core.frozen import dataclass, field
from pullback.core.prims import TABLE
from pullback.core.rows import Mark, Row
from pullback.core.terms import (
    Atom,
    Block,
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
from pullback.core.traverse import all_lets, uses
from pullback.core.types import Array, Real, Type

FUSED = {"mul": "fma", "mulz": "fmaz"}
"""The operation that adds a product, by how a row multiplies."""


@dataclass(slots=True)
class Contributions:
    """The contributions of one sweep.

    factors   the partial and the cotangent of each product, behind the operation that adds it
    where     the truth value of each cotangent that is not always present
    open      the cotangents that may be anything, instead of 0, where they are absent
    multiples the literal and the cotangent of each product with a literal: two become one
    """

    factors: dict[Atom, tuple[str, Atom, Atom]] = field(default_factory=dict)
    where: dict[Atom, Atom] = field(default_factory=dict)
    open: set[Atom] = field(default_factory=set)
    multiples: dict[Atom, tuple[float, Atom]] = field(default_factory=dict)
    last: Atom | None = None  # the last product, not yet used

    def product(self, b: Builder, row: Row, p: Atom, ct: Atom, target: Type) -> Atom:
        """Emit a partial of a row times the cotangent of its result."""
        self.last = None
        k: float | None = None
        linear = ct.type == target and row.product != "gate"
        if linear and isinstance(p, Lit) and _is_plain(p.value):
            k, base = self.multiples.get(ct, (1.0, ct))
            if _is_plain(k * p.value):
                row, p, ct = TABLE["mul"], lit(k * p.value, p.type), base
            k = float(p.value)
        out = scale(b, row, p, ct, target)
        if out is ct or not isinstance(out, Var):
            return out
        if k is not None:
            self.multiples[out] = k, ct
        unit = isinstance(p, Lit) and abs(p.value) == 1.0
        if row.product in FUSED and ct.type == target and not unit:
            self.last, self.factors[out] = out, (FUSED[row.product], p, ct)
        here = self.where.get(ct)
        if row.product == "gate":
            here = p if here is None else b.prim("and", here, p)
        if here is not None:
            self.where[out] = here
            if ct in self.open or (row.product == "mul" and not isinstance(p, Lit)):
                self.open.add(out)
        return out

    def sum(self, b: Builder, x: Atom, y: Atom) -> Atom:
        """Emit the sum of two cotangents of one variable."""
        here, there = self.where.get(x), self.where.get(y)
        if here is there:
            out = self._add(b, x, y)
            if x in self.open or y in self.open:
                self.open.add(out)
        else:
            if y in self.open and y in self.factors:
                x, y = y, x
            old = self.closed(b, y)
            if x in self.open and x in self.factors:
                out = b.prim("select", self.where[x], self._fused(b, x, old), old)
            else:
                out = self._add(b, self.closed(b, x), old)
            here = b.prim("or", here, there) if here is not None and there is not None else None
        if here is not None:
            self.where[out] = here
        return out

    def _add(self, b: Builder, x: Atom, y: Atom) -> Atom:
        """Emit the sum; if one of the two is a product, as one operation with it."""
        for term, old in ((y, x), (x, y)):
            if term in self.factors:
                return self._fused(b, term, old)
        return b.prim("add", x, y)

    def _fused(self, b: Builder, product: Atom, old: Atom) -> Atom:
        if product is self.last and b.lets and b.lets[-1].vars == (product,):
            b.lets.pop()
        self.last = None
        name, p, ct = self.factors[product]
        return b.prim(name, p, ct, old)

    def closed(self, b: Builder, ct: Atom) -> Atom:
        """Return the cotangent with 0 where it is absent."""
        if ct not in self.open:
            return ct
        out = b.prim("select", self.where[ct], ct, lit(0.0, ct.type))
        self.where[out] = self.where[ct]
        return out

    def nonzero(self, b: Builder, ct: Atom) -> None:
        """Note that the cotangent counts as absent where it is 0."""
        if isinstance(ct, Var):
            self.where[ct] = b.prim("present", ct)

    def any(self, b: Builder, cts: Iterable[Atom]) -> Atom | None:
        """Return the truth value of "one of these cotangents is present"; None if one always is, or
        there is none."""
        truths = dict.fromkeys(self.where.get(ct) for ct in cts)
        out: Atom | None = None
        for truth in truths:
            if truth is None:
                return None
            out = truth if out is None else b.prim("or", out, truth)
        return out


def _is_plain(k: float | int | bool) -> bool:
    """Whether a factor neither overflows nor loses digits."""
    return 1e-30 < abs(k) < 1e30


# --- rows that need no truth values -------------------------------------------------------------


def regular(let: Let) -> bool:
    """Whether a let only adds, multiplies and chooses, or repeats this in independent iterations:
    then finite operands and a zero cotangent give zeros."""
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
    if not any(isinstance(v.type, (Real, Array)) for v in let.vars):
        return True
    linear = all(isinstance(p, (float, Mark)) for p in row.partials)
    return row.whole is None and (linear or row.product == "gate" or name == "mul")


def wild(functions: Iterable[Function]) -> bool:
    """Whether a program has rows of which a partial may be infinite."""
    lets = (let for f in functions for let in all_lets(f.body))
    return any(isinstance(x.op, Prim) and not tame(x, x.op.name) for x in lets)


# --- rounds -------------------------------------------------------------------------------------


def flushed(b: Builder, derivative: Atom) -> Atom:
    """Return the cotangent or tangent with subnormal numbers replaced by 0; arrays and handles are
    returned unchanged."""
    if not isinstance(derivative, Var) or not isinstance(derivative.type, Real):
        return derivative
    return b.prim("flush", derivative)


SHORT = 16
"""A loop of so few rounds flushes nothing."""


def is_short(count: Atom | None) -> bool:
    """Whether a loop of so many rounds (None: nobody knows) passes on a few subnormal numbers at
    most."""
    return isinstance(count, Lit) and count.value <= SHORT


def handed_on(
    b: Builder, count: Atom | None, begin: Sequence[Var], end: Sequence[Atom]
) -> list[Atom]:
    """Return the cotangents that the iteration in ``b`` passes to the next one, flushed. A variable
    to which iterations only add does not decay and is not flushed; of a short loop inside another
    one, the other one flushes what comes out."""
    if is_short(count):
        return list(end)
    counts = uses(Block(tuple(b.lets), tuple(end)))
    sums = {
        let.vars[0]: let.op.args if let.op.name == "add" else let.op.args[2:] for let in b.lets
        if isinstance(let.op, Prim) and let.op.name in ("add", "fma", "fmaz")
    }

    def grows(old: Var, new: Atom) -> bool:
        return new is old or (
            isinstance(new, Var) and counts[old] == 1 and old in sums.get(new, ())
        )

    return [
        new if grows(old, new) else flushed(b, new) for old, new in zip(begin, end, strict=True)
    ]


__all__ = ["Contributions", "flushed", "handed_on", "is_short", "regular", "wild"]
