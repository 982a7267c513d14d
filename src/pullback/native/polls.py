"""Decide how each loop and recursion looks for signals (Ctrl-C), at next to no cost.

Code adds the number of cycles that it takes, estimated, to a counter in the context, and looks for
signals when the counter says so (``pb_poll``). Nothing is counted exactly: for each piece of code
there is a bound of the cycles that it does not count itself, and the code around it counts this
bound.

Loops run without counting anything. In front of a nest of loops, and of all nests behind it whose
numbers of rounds are known there, stands one comparison (``Check``) of these numbers with a small
one. Only if one of them is larger, the work of all these loops is counted, as a polynomial in the
numbers of rounds (``work``).

    for i < n: (for j < m: ...)            if n > 16 or m > 16: count(5 n + 3 n m + 2 m)
    for j < m: ...                  ==>    for i < n: (for j < m: ...)
                                           for j < m: ...

If that is too much to wait for, the call fails, and is repeated by code with less patience: each
loop without loops inside has a check of its own, and with no patience runs in pieces (``Pieces``;
see ``module``). A loop whose rounds take long, or whose number of rounds is not known in front of
it, counts a number of rounds at a time (``Some``), or each round (``Each``).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from pullback.core.frozen import dataclass, field
from pullback.core.prims import TABLE
from pullback.core.thresholds import LIMITS
from pullback.lower.loopcode import (
    Arith,
    AtAdd,
    CallCode,
    ForCode,
    Fork,
    IfCode,
    Instr,
    Load,
    Module,
    Reg,
    Region,
    Store,
    WhileCode,
)
from pullback.native.work import (
    Known,
    Work,
    at,
    defined,
    either,
    largest,
    plus,
    registers_of,
    simple,
    times,
    together,
)

FEW = 2_000
"""Work of fewer cycles is not counted."""

SOME = 16
"""Loops of so few rounds count nothing if that takes no more than ``Limits.some``."""

OUTER = 100_000
"""A loop counts nothing in its rounds if a round has fewer cycles that it does not count itself."""

_UNKNOWN = float("inf")


class Patience(IntEnum):
    """Which loops run as a whole. A call with a loop that is too long for that is repeated by code
    with less patience."""

    ALL = 2
    INNERMOST = 1
    NONE = 0


@dataclass(frozen=True, slots=True)
class Check:
    """The count in front of an instruction: if one of the extents of the ``work`` is more than
    ``few``, the work is counted; if the work is more than ``most``, the call fails."""

    work: Work
    few: int
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


Poll = Pieces | Some | Each


@dataclass(slots=True)
class Time:
    """About how many cycles a piece of code takes, or infinity, and how many of these it does not
    count itself. ``left``: instructions with work that is still to be counted before them."""

    cycles: float = 0.0
    free: float = 0.0
    left: list[tuple[Instr, Work]] = field(default_factory=list)

    def add(self, cycles: float, free: float | None = None) -> None:
        """Add the time of a part; ``free``, what the part does not count, is by default all of
        it."""
        self.cycles += cycles
        self.free += cycles if free is None else free


class Polls:
    """The decisions for one module. ``loops``: for each loop that looks for signals in its rounds,
    how; ``checks``: the counts in front of instructions; ``looks``: whether a function has any of
    these; ``functions``: how long they take (recursive ones: without calls of themselves)."""

    def __init__(self, module: Module, order: list[str], patience: Patience) -> None:
        """``order`` has callees before callers."""
        self.patience = patience
        self.loops: dict[Instr, Poll] = {}
        self.checks: dict[Instr, Check] = {}
        self.functions: dict[str, Time] = {}
        self.looks: dict[str, bool] = {}
        for name in order:
            before = len(self.loops) + len(self.checks)
            self.known = Known()
            self.functions[name] = self._counted(module.functions[name].body)
            self.looks[name] = len(self.loops) + len(self.checks) > before

    def _counted(self, region: Region) -> Time:
        """Return the time of a region that counts all its work."""
        time = self._region(region)
        self._count(region, time, lambda work: False)
        return time

    def _count(self, region: Region, time: Time, outside: Callable[[Work], bool]) -> None:
        """Count the work in a region, except the work that is counted outside. Work that is known
        in front of the first loop is counted there."""
        rest = [(instr, work) for instr, work in time.left if not outside(work)]
        time.left = [(instr, work) for instr, work in time.left if outside(work)]
        places = {instr: k for k, instr in enumerate(region.code)}
        while rest:
            (first, work), *others = rest
            rest, behind, k = [], set[Reg](), places[first]
            for instr, more in others:
                behind |= defined(region.code[k : places[instr]])
                k = places[instr]
                if simple(plus(work, more)) and not registers_of(more) & behind:
                    work = plus(work, more)
                else:
                    rest.append((instr, more))
            time.free += self._check(first, work, 2 * LIMITS.long)

    def _check(self, instr: Instr, work: Work, most: int) -> float:
        """Count work in front of an instruction. Return the cycles that it does not count."""
        few = largest(work, FEW)
        if few < SOME:
            few = min(SOME, largest(work, LIMITS.some))
        self.checks[instr] = Check(work, few, most)
        return at(work, few) if few >= 0 else 0.0

    def _region(self, region: Region) -> Time:
        total = Time()
        for instr in region.code:
            self.known.note(instr)
            match instr:
                case ForCode():
                    self._for(instr, total)
                case WhileCode(cond=cond, body=body):
                    free = self._counted(cond).free + self._counted(body).free + 1.0
                    total.add(_UNKNOWN, self._some(instr, free))
                case IfCode():
                    self._if(instr, total)
                case CallCode(function=function) | Fork(function=function):
                    callee = self.functions.get(function, Time(_UNKNOWN, 1.0))
                    total.add(callee.cycles, callee.free)
                case _:
                    total.add(_cycles(instr))
        return total

    def _if(self, instr: IfCode, total: Time) -> None:
        """Let each arm count its work, unless the condition only asks if there are many rounds:
        then one arm does the same as the other, in lanes."""
        some = self.known.several.get(instr.cond, set())
        few = self.known.few(instr.cond)
        one = self._region(instr.then)
        with self.known.within(few):
            other = self._region(instr.orelse)
        large = {m for _, w in one.left for m in w if any(e.hi in some for e in m)}

        def outside(work: Work, arm: Region) -> bool:
            same = all(any(set(m) <= set(n) for n in large) for m in work)
            return same and not registers_of(work) & defined(arm.code)

        self._count(instr.then, one, lambda work: outside(work, instr.then))
        self._count(instr.orelse, other, lambda work: outside(work, instr.orelse))
        work = either(together(w for _, w in one.left), together(w for _, w in other.left))
        if work:
            total.left.append((instr, work))
        self.known.join(instr, few)
        total.add(1.0 + max(one.cycles, other.cycles), 1.0 + max(one.free, other.free))

    def _for(self, instr: ForCode, total: Time) -> None:
        if self.patience is Patience.ALL:
            return self._nest(instr, total)
        body = self._counted(instr.body)
        each = body.cycles + 1.0
        extent, rounds = self.known.rounds(instr)
        if extent is None and rounds * each < LIMITS.sure * instr.step:
            total.add(rounds / instr.step * each if rounds else 0.0)
        elif each >= FEW:
            total.add(_UNKNOWN, self._some(instr, body.free + 1.0))
        elif self.patience is Patience.NONE:
            length = _power(LIMITS.piece / each)
            self.loops[instr] = Pieces(length, int(length * each))
            total.add(_UNKNOWN, LIMITS.piece)
        else:
            work = self._rounds(instr, {(): each})
            total.add(_UNKNOWN, self._check(instr, work, LIMITS.long))

    def _rounds(self, instr: ForCode, each: Work) -> Work:
        """Return the work of a loop whose rounds take ``each``."""
        extent, rounds = self.known.rounds(instr)
        whole = times(each, float(-(-rounds // instr.step)))
        if extent is None:
            return whole
        if instr.step > 1:  # the last round
            whole = plus(whole, each)
        return plus(whole, times(each, 1.0 / instr.step, (extent,)))

    def _nest(self, instr: ForCode, total: Time) -> None:
        """Let a loop count nothing, if its rounds do not take long. Its work is left to the code
        around, with that of the loops inside whose numbers of rounds are known in front of it."""
        inside = {instr.index, *instr.carried} | defined(instr.body.code)
        body = self._region(instr.body)
        self._count(instr.body, body, lambda work: not registers_of(work) & inside)
        each = plus({(): body.free + 1.0}, together(w for _, w in body.left))
        work = self._rounds(instr, each)
        if body.free >= OUTER or not simple(work):
            self._count(instr.body, body, lambda work: False)
            if body.free >= OUTER:
                total.add(_UNKNOWN, self._some(instr, body.free + 1.0))
                return
            work = self._rounds(instr, {(): body.free + 1.0})
        sure = work.get((), 0.0)
        if sure < LIMITS.sure:
            total.add(sure)
            work = {m: cycles for m, cycles in work.items() if m}
        if any(work.values()):
            total.left.append((instr, work))
            total.cycles = _UNKNOWN

    def _some(self, instr: ForCode | WhileCode, free: float) -> float:
        """Let a loop count its rounds, of ``free`` cycles each. Return the cycles that it does not
        count itself."""
        rounds = _power(LIMITS.some / free)
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
