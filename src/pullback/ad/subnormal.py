"""Cotangents and tangents that are subnormal numbers become zero where a round hands them on.

    loop d = d0. (...; next 0.9 * d)     ==>     loop d = d0. (...; next flush(0.9 * d))

A recurrence that forgets exponentially (a filter, a recurrent network, a discounted sum) has
cotangents that decay by a factor in each round. After some ten thousand rounds they are subnormal
numbers and stay there, and arithmetic on these traps into microcode on many processors: each round
then takes up to a hundred times as long. Flushed once, they are zero for all rounds that follow.
Values of the program are never flushed: they have Python's bits.

A reverse sweep hands cotangents on by value, which is what this file is about, or in the cells of
accumulators, which are flushed where a loop reads them (``lower/accumulators.py``). Where a loop
does nothing but arithmetic on cotangents, the control register does it (``lower/flushing.py``).
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.build import Builder
from pullback.core.terms import Atom, Block, Prim, Var
from pullback.core.traverse import uses
from pullback.core.types import Real


def flushed(b: Builder, derivative: Atom) -> Atom:
    """The cotangent or tangent without subnormal numbers; arrays and handles as they are."""
    if not isinstance(derivative, Var) or not isinstance(derivative.type, Real):
        return derivative
    return b.prim("flush", derivative)


def handed_on(b: Builder, begin: Sequence[Var], end: Sequence[Atom]) -> list[Atom]:
    """What a round that is in ``b`` hands to the next one, given what it began with. A variable
    that rounds only add to does not decay: it stays a sum."""
    counts = uses(Block(tuple(b.lets), tuple(end)))
    sums = {
        let.vars[0]: let.op.args if let.op.name == "add" else let.op.args[2:] for let in b.lets
        if isinstance(let.op, Prim) and let.op.name in ("add", "fma")
    }

    def grows(old: Var, new: Atom) -> bool:
        return new is old or (
            isinstance(new, Var) and counts[old] == 1 and old in sums.get(new, ())
        )

    return [
        new if grows(old, new) else flushed(b, new) for old, new in zip(begin, end, strict=True)
    ]


__all__ = ["flushed", "handed_on"]
