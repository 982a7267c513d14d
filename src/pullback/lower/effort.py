"""Estimate, where a loop is lowered, how long it will take: a polynomial in the numbers of rounds
that are known in front of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pullback.core.effects import Work, work_of
from pullback.core.terms import (
    AccAdd,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    If,
    Let,
    Lit,
    Loop,
    Prim,
    Sum_,
    Update,
    Var,
    While,
    sub_blocks,
)
from pullback.core.traverse import defined
from pullback.lower.loopcode import Imm, Reg, Ty, Value
from pullback.lower.state import Lowering
from pullback.lower.values import ZERO, Scalar

Effort = dict[tuple[Reg, ...], float]
"""Cycles, by products of numbers of rounds."""

UNKNOWN = 8.0
"""The number of rounds of a loop that only its surroundings tell."""

CYCLES = {Work.NONE: 0.0, Work.STEP: 0.5, Work.FUNCTION: 8.0, Work.MORE: 8.0}
"""The cycles of an operation on numbers, in lanes, and of one on arrays."""

MANY = 3
"""The most numbers of rounds in a product."""


def times(x: Effort, y: Effort) -> Effort:
    """Return the product; of too many numbers of rounds some are left out."""
    out: Effort = {}
    for a, p in x.items():
        for b, q in y.items():
            key = tuple(sorted((*a, *b), key=lambda r: r.id)[:MANY])
            out[key] = out.get(key, 0.0) + p * q
    return out


def plus(x: Effort, y: Effort) -> Effort:
    """Return the sum."""
    return {k: x.get(k, 0.0) + y.get(k, 0.0) for k in {**x, **y}}


def number(x: Value) -> Effort:
    """Return a number of rounds."""
    return {(): float(x.value)} if isinstance(x, Imm) else {(x,): 1.0}


class Estimate:
    """The effort of a round; ``inside``: about how large the indices of the loops inside are. The
    loop's own have no register in front of it: what the environment has for them is of another
    version of the loop."""

    def __init__(self, lo: Lowering, indices: Sequence[Var], body: Block) -> None:
        self.lo = lo
        self.inside: dict[Var, Effort] = {}
        self.bound = {*indices, *defined(body)}
        self.whole = self.block(body)

    def block(self, block: Block) -> Effort:
        """Return the effort of a block."""
        total: Effort = {(): 0.0}
        for let in block.lets:
            total = plus(total, self._let(let))
        return total

    def _let(self, let: Let) -> Effort:
        match let.op:
            case Prim() as op:
                return {(): CYCLES[work_of(op)]}
            case Build(extents, indices, body) | Sum_(extents, indices, body):
                rounds: Effort = {(): 1.0}
                for n, i in zip(extents, indices, strict=True):
                    rounds = times(rounds, self._rounds(n, i))
                return times(rounds, plus(self.block(body), {(): 0.5}))
            case Loop(count, index, _, _, body):
                return times(self._rounds(count, index), plus(self.block(body), {(): 2.0}))
            case While(_, _, cond, body):
                return times({(): UNKNOWN}, plus(self.block(cond), self.block(body)))
            case If(_, then, orelse):
                return plus({(): 1.0}, times({(): 0.5}, plus(self.block(then), self.block(orelse))))
            case Call():
                return {(): 64.0}
            case AccAdd() | AccTake() | Update():
                return {(): 1.0}
            case op:
                total: Effort = {(): 0.5}
                for _, inner in sub_blocks(op):
                    total = plus(total, self.block(inner))
                return total

    def _rounds(self, count: Atom, index: Var) -> Effort:
        n = self._number(count)
        self.inside[index] = times({(): 0.5}, n)
        return n

    def _number(self, a: Atom) -> Effort:
        if isinstance(a, Lit):
            return {(): float(a.value)}
        if a in self.inside:
            return self.inside[a]
        x = None if a in self.bound else self.lo.env.get(a)
        if isinstance(x, Scalar) and x.value is not None:
            return number(x.value)
        return {(): UNKNOWN}


def written(lo: Lowering, effort: Effort) -> Value:
    """Emit the number of cycles."""
    total: Value = ZERO
    for numbers, cycles in effort.items():
        total = lo.add(total, lo.mul(lo.product(numbers), Imm(math.ceil(cycles), Ty.I64)))
    return total
