"""How each loop and recursion comes to look for signals, so that it costs next to nothing.

What runs counts about how many cycles it takes, in the context, and looks for signals when enough
have been counted (``pb_poll``). Nothing is counted exactly: of each piece of code there is a bound
of what it takes without being counted, and what is around it counts that bound.

A loop with a body that ends soon runs as a whole (``Whole``): one comparison in front of it finds
out whether it has many rounds, and only those are counted. Where they are too many to be waited
for, the call fails, and is made once more by code whose loops run in pieces (``Pieces``;
``module``). In other loops the rounds are counted by some (``Some``) or, where a round may take
long, one by one (``Each``).
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
"""What some rounds of a loop take, at most, before they are counted."""

PIECE = 1 << 14
"""What a piece of a loop takes."""

SOME = 16
"""A loop of so few rounds counts nothing if that takes no more than ``MANY``."""

OUTER = 100_000
"""A loop may run as a whole if its rounds count less than this themselves."""

LONG = 50_000_000
"""A loop that takes more does not run as a whole (twice as much where its rounds may, but
need not take that much)."""

SURE = 1_000_000
"""A loop that takes fewer cycles whatever the data counts nothing."""

_UNKNOWN = float("inf")


class Patience(IntEnum):
    """Which loops run as a whole as long as they are not too long: the call is made once more with
    less patience if they are."""

    ALL = 2
    INNERMOST = 1
    NONE = 0


@dataclass(frozen=True, slots=True)
class Whole:
    """In front of a loop of more ``rounds`` than these, all are counted, at so many ``cycles``;
    of more than ``most``, the call fails."""

    rounds: int
    cycles: int
    most: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """There is a loop around the loop, over pieces of so many ``rounds``, which are counted."""

    rounds: int
    cycles: int


@dataclass(frozen=True, slots=True)
class Some:
    """After each so many ``rounds`` (a power of 2) these are counted."""

    rounds: int
    cycles: int


@dataclass(frozen=True, slots=True)
class Each:
    """Each round is counted."""

    cycles: int


Poll = Whole | Pieces | Some | Each


@dataclass(slots=True)
class Time:
    """About how many cycles code takes, or infinity, and how many of them are not counted."""

    cycles: float = 0.0
    free: float = 0.0

    def add(self, cycles: float, free: float | None = None) -> None:
        """Something more; if nobody says otherwise, it counts nothing."""
        self.cycles += cycles
        self.free += cycles if free is None else free


class Polls:
    """Of a module. ``loops``: of each loop that looks for signals, how; ``looks``: whether a
    function has such loops; ``functions``: how long they take (of recursive ones: themselves)."""

    def __init__(self, module: Module, order: list[str], patience: Patience) -> None:
        """``order``: callees before callers."""
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
        """A loop whose rounds may take long: what it takes without counting it."""
        if self.patience is Patience.ALL and free < OUTER:
            rounds = min(SOME, int(MANY / free))
            self.loops[instr] = Whole(rounds, int(free), int(2 * LONG / free))
            return rounds * free
        return self._some(instr, free)

    def _some(self, instr: ForCode | WhileCode, free: float) -> float:
        """A loop counts its rounds, of so many cycles: what it takes without counting it."""
        rounds = _power(MANY / free)
        step = instr.step if isinstance(instr, ForCode) else 1
        if rounds < 2 or step & (step - 1):
            self.loops[instr] = Each(int(free))
            return 1.0
        self.loops[instr] = Some(rounds, int(rounds * free))
        return rounds * free


def _power(most: float) -> int:
    """The largest power of 2 that is not more, or 1."""
    return 1 << max(int(most).bit_length() - 1, 0)


def _cycles(instr: Instr) -> float:
    """Of one instruction, where memory is not always in the cache."""
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
