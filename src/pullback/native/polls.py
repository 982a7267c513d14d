"""Decide how each loop and recursion looks for signals (Ctrl-C), at next to no cost.

Code adds the number of cycles that it takes, estimated, to a counter in the context, and looks for
signals when the counter says so (``pb_poll``). Nothing is counted exactly: for each piece of code
there is a bound of the cycles that it does not count itself, and the code around it counts this
bound.

A loop whose body ends soon runs as a whole (``Whole``): one comparison in front of the loop finds
out whether it has many rounds, and only then are they counted. With too many rounds to wait for,
the call fails, and is repeated by code whose loops run in pieces (``Pieces``; see ``module``).
Other loops count a number of rounds at a time (``Some``), or each round, if one may take long
(``Each``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from pullback.core.prims import TABLE
from pullback.lower.loopcode import (
    Arith,
    AtAdd,
    CallCode,
    ForCode,
    IfCode,
    Imm,
    Instr,
    Load,
    Module,
    Reg,
    Region,
    Store,
    WhileCode,
)

FEW = 2_000
"""A loop of fewer cycles runs as a whole without counting anything."""

MANY = 1 << 17
"""The most cycles that a number of rounds take before the loop counts them."""

PIECE = 1 << 14
"""The cycles of a piece of a loop."""

SOME = 16
"""A loop with at most so many rounds counts nothing, if they take no more than ``MANY`` cycles."""

OUTER = 100_000
"""A loop may run as a whole if a round has fewer cycles that it does not count itself."""

LONG = 50_000_000
"""A loop that takes more cycles does not run as a whole (twice as many where its rounds may take so
long, but need not)."""

SURE = 1_000_000
"""A loop that takes fewer cycles, whatever the data, counts nothing."""

_UNKNOWN = float("inf")


class Patience(IntEnum):
    """Which loops run as a whole. A call with a loop that is too long for that is repeated by code
    with less patience."""

    ALL = 2
    INNERMOST = 1
    NONE = 0


@dataclass(frozen=True, slots=True)
class Whole:
    """A loop that runs as a whole. With more than ``rounds`` rounds they are counted in front of
    it, ``cycles`` each; with more than ``most`` the call fails."""

    rounds: int
    cycles: int
    most: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """A loop inside a loop over its pieces, of ``rounds`` rounds each; a piece counts
    ``cycles``."""

    rounds: int
    cycles: int


@dataclass(frozen=True, slots=True)
class Some:
    """A loop that counts ``cycles`` after every ``rounds`` rounds (a power of 2)."""

    rounds: int
    cycles: int


@dataclass(frozen=True, slots=True)
class Each:
    """A loop that counts each round."""

    cycles: int


Poll = Whole | Pieces | Some | Each


@dataclass(slots=True)
class Time:
    """About how many cycles a piece of code takes, or infinity, and how many of these it does not
    count itself."""

    cycles: float = 0.0
    free: float = 0.0

    def add(self, cycles: float, free: float | None = None) -> None:
        """Add the time of a part; ``free``, what the part does not count, is by default all of
        it."""
        self.cycles += cycles
        self.free += cycles if free is None else free


class Polls:
    """The decisions for one module. ``loops``: for each loop that looks for signals, how;
    ``looks``: whether a function has such loops; ``functions``: how long they take (recursive ones:
    without the calls of themselves)."""

    def __init__(self, module: Module, order: list[str], patience: Patience) -> None:
        """``order`` has callees before callers."""
        self.patience = patience
        self.loops: dict[Instr, Poll] = {}
        self.functions: dict[str, Time] = {}
        self.looks: dict[str, bool] = {}
        for name in order:
            before = len(self.loops)
            self.functions[name] = self._region(module.functions[name].body)
            self.looks[name] = len(self.loops) > before

    def _region(self, region: Region) -> Time:
        total = Time()
        for instr in region.code:
            match instr:
                case ForCode():
                    self._for(instr, total)
                case WhileCode(cond=cond, body=body):
                    free = self._region(cond).free + self._region(body).free + 1.0
                    total.add(_UNKNOWN, self._some(instr, free))
                case IfCode(_, then, orelse):
                    one, other = self._region(then), self._region(orelse)
                    total.add(1.0 + max(one.cycles, other.cycles), 1.0 + max(one.free, other.free))
                case CallCode(_, function):
                    callee = self.functions.get(function, Time(_UNKNOWN, 1.0))
                    total.add(callee.cycles, callee.free)
                case _:
                    total.add(_cycles(instr))
        return total

    def _for(self, instr: ForCode, total: Time) -> None:
        body = self._region(instr.body)
        each = body.cycles + 1.0
        if isinstance(instr.lo, Imm) and isinstance(instr.hi, Imm):
            rounds = max(0, -(-(int(instr.hi.value) - int(instr.lo.value)) // instr.step))
            if rounds == 0 or rounds * each < SURE:
                total.add(rounds * each if rounds else 0.0)
                return
        if each >= FEW:
            total.add(_UNKNOWN, self._outer(instr, body.free + 1.0))
        elif self.patience is Patience.NONE:
            rounds = _power(PIECE / each)
            self.loops[instr] = Pieces(rounds, int(rounds * each))
            total.add(_UNKNOWN, PIECE)
        else:
            self.loops[instr] = Whole(int(FEW / each), int(each), int(LONG / each))
            total.add(_UNKNOWN, FEW)

    def _outer(self, instr: ForCode, free: float) -> float:
        """Decide about a loop whose rounds may take long. Return the cycles that it does not count
        itself."""
        if self.patience is Patience.ALL and free < OUTER:
            rounds = min(SOME, int(MANY / free))
            self.loops[instr] = Whole(rounds, int(free), int(2 * LONG / free))
            return rounds * free
        return self._some(instr, free)

    def _some(self, instr: ForCode | WhileCode, free: float) -> float:
        """Let a loop count its rounds, of ``free`` cycles each. Return the cycles that it does not
        count itself."""
        rounds = _power(MANY / free)
        step = instr.step if isinstance(instr, ForCode) else 1
        if rounds < 2 or step & (step - 1):
            self.loops[instr] = Each(int(free))
            return 1.0
        self.loops[instr] = Some(rounds, int(rounds * free))
        return rounds * free


def _power(most: float) -> int:
    """Return the largest power of 2 up to ``most``, or 1."""
    return 1 << max(int(most).bit_length() - 1, 0)


def _cycles(instr: Instr) -> float:
    """Return the cycles of one instruction, if memory is not always in the cache."""
    match instr:
        case Arith(dst, name):
            called = name in TABLE and any("call:" in t for t in TABLE[name].llvm.values())
            if dst.lanes > 1:
                return 64.0 if called else 4.0
            return 32.0 if called else 1.0
        case Load(index=index) | Store(index=index) | AtAdd(index=index):
            return 16.0 if isinstance(index, Reg) and index.lanes > 1 else 2.0
        case _:
            return 1.0
