"""Lower folds (``folds.py``): several groups of 8 lanes, then the groups, then the lanes."""

from __future__ import annotations

from functools import reduce
from typing import ClassVar

from pullback.core.terms import Loop, Var
from pullback.lower.folds import STRICT, Choice, Fold
from pullback.lower.loopcode import LANES, Imm, Ty, Value
from pullback.lower.parallel_loops import Parallel
from pullback.lower.state import Lowering
from pullback.lower.values import ZERO, Scalar, Val

SHORT, LONG = 4, 8
"""So many blocks of lanes side by side: each waits for what it has compared the round before, for
longer where NaN is asked for too."""

NOWHERE = Imm(-1, Ty.I64)
"""The number of the round of a value from before the loop."""


def fold(lo: Lowering, op: Loop, found: Fold, bound: tuple[Var, ...]) -> list[Val]:
    """The carried variables after all rounds: the same bits as of one round after the other."""
    inits = [lo.value(lo.scalar(a)) for a in op.inits]
    loop = _Folding(lo, found, tuple(map(lo.extent, found.sum.extents)))
    totals = loop.best([*inits, *(NOWHERE,) * found.hidden])
    return [Scalar(v.type, t) for v, t in zip(bound, totals, strict=False)]


def _wins(lo: Lowering, choice: Choice, x: Value, s: Value) -> Value:
    """Whether ``x`` takes the place of ``s``."""
    if not choice.nan:
        return lo.test(choice.wins, x, s)
    loses = "le" if choice.wins == "gt" else "ge"
    return lo.test("and", lo.negate(lo.test(loses, x, s)), lo.test("eq", s, s))


def _after(lo: Lowering, found: Fold, carried: list[Value], values: list[Value]) -> list[Value]:
    """What is carried after a round."""
    out = list(carried)
    for k, name in found.merged.items():
        out[k] = lo.arith(name, carried[k].ty, carried[k], values[k])
    for c in found.choices:
        wins = _wins(lo, c, values[c.key], carried[c.key])
        for k in {*c.members, c.place}:
            out[k] = lo.select(wins, values[k], carried[k])
    return out


def _both(lo: Lowering, found: Fold, a: list[Value], b: list[Value]) -> list[Value]:
    """What two parts of the rounds carry together."""
    out = list(a)
    for k, name in found.merged.items():
        out[k] = lo.arith(name, a[k].ty, a[k], b[k])
    for c in found.choices:
        over, under = (_wins(lo, c, x[c.key], y[c.key]) for x, y in ((b, a), (a, b)))
        if c.wins in STRICT:  # neither wins against an equal one: the first one stays
            earlier = lo.test("lt", b[c.place], a[c.place])
            over = lo.test("or", over, lo.test("and", lo.negate(under), earlier))
        else:
            later = lo.test("gt", b[c.place], a[c.place])
            over = lo.test("and", over, lo.test("or", lo.negate(under), later))
        for k in {*c.members, c.place}:
            out[k] = lo.select(over, b[k], a[k])
    return out


class _Folding(Parallel):
    """A fold as a parallel loop. A round may run twice: the last block overlaps the one before."""

    twice: ClassVar[bool] = True
    divides: ClassVar[bool] = False

    def __init__(self, lo: Lowering, found: Fold, extents: tuple[Value, ...]) -> None:
        super().__init__(lo, found.sum, extents, found.sum.indices, [], self._round)
        self.found = found
        self.unroll = LONG if any(c.nan for c in found.choices) else SHORT
        self.rounds: Value = ZERO

    def _round(
        self, indices: list[Scalar], results: list[Val], carried: list[Value]
    ) -> list[Value]:
        """What is carried after a round, or after a block of 8."""
        lo = self.lo
        values = []
        for x in results:
            assert isinstance(x, Scalar)
            values.append(lo.value(x))
        if self.found.choices:
            numbers = self._numbers(indices)
            for c in self.found.choices:
                values[c.place] = numbers
        return _after(lo, self.found, carried, values)

    def _numbers(self, indices: list[Scalar]) -> Value:
        """The numbers of the rounds. Those of the second block are those of the first one and 8: to
        add is less than to put another number into all lanes."""
        lo = self.lo
        if self.in_lanes and self.part > 0 and indices[-1].value is None:
            return lo.add(self.rounds, Imm(LANES * self.part, Ty.I64))
        self.rounds = ZERO
        for x, n in zip(indices, self.extents, strict=True):
            self.rounds = lo.add(lo.mul(self.rounds, n), lo.value(x))
        return self.rounds

    def _axes(self) -> list[int]:
        """Along the last axis only: a lane takes its numbers in the order of the rounds."""
        last = len(self.extents) - 1
        return [axis for axis in super()._axes() if axis == last]

    def joined(self, out: list[Value]) -> list[Value]:
        lo, size = self.lo, len(out) // self.unroll

        def both(a: list[Value], b: list[Value]) -> list[Value]:
            return _both(lo, self.found, a, b)

        whole = reduce(both, [out[k : k + size] for k in range(0, len(out), size)])
        lanes = [[lo.extract(v, Imm(k, Ty.I64)) for v in whole] for k in range(LANES)]
        return reduce(both, lanes)
