"""What must be known of a module of loop code before its text is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from pullback.core.prims import TABLE
from pullback.lower.loopcode import (
    AccAlloc,
    AccBase,
    AccMark,
    AccRelease,
    Alloc,
    ArenaBase,
    Arith,
    AtAdd,
    CallCode,
    Copy,
    ForCode,
    IfCode,
    Imm,
    Instr,
    Load,
    LoopFunction,
    Mark,
    Module,
    RaiseIf,
    Reg,
    Region,
    Release,
    Store,
    WhileCode,
)
from pullback.native.layout import POLL_INSTRUCTIONS


def regions(instr: Instr) -> tuple[Region, ...]:
    """The regions inside an instruction."""
    match instr:
        case IfCode(_, then, orelse):
            return then, orelse
        case ForCode(body=body):
            return (body,)
        case WhileCode(cond=cond, body=body):
            return cond, body
        case _:
            return ()


def instructions(region: Region) -> Iterator[Instr]:
    """All instructions of a region, those of inner regions included."""
    stack = [region]
    while stack:
        for instr in stack.pop().code:
            yield instr
            stack.extend(regions(instr))


PIECE = 1 << 14
"""A counted loop runs in pieces of about so many instructions, with a look for signals between."""

LARGE = 1 << 10
"""A loop with a body of so many instructions counts every iteration instead."""

_MOST = 10_000
"""What an iteration or a call counts if nobody knows how many instructions it executes."""


@dataclass(frozen=True, slots=True)
class Poll:
    """After so many iterations of a loop, each time, these instructions are counted, and signals
    are looked for when enough of them have been (``control.poll``)."""

    iterations: int
    weight: int


@dataclass(frozen=True, slots=True)
class Whole:
    """A loop runs as a whole. In front of more rounds than this, about ``cycles`` are counted for
    each; of too many, the call is made once more, by code whose loops run in pieces."""

    rounds: int
    cycles: int


class Guard(Enum):
    """Where a recursive function compares the stack pointer with the limit."""

    ENTRY = "at its entry"
    CALLS = "in front of calls that may lead back to it"


SMALL = 256
"""A function of fewer instructions has a small frame, which fits below the limit: its guard is in
front of calls, so that its leaves have none."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Per function of a module.

    callees     functions that it calls, or that those call
    may_fail    it returns an error flag
    uses_context    it, or what it calls, looks at the context
    recursive   it can call itself, so it looks at the stack limit
    cost        about the number of instructions that a call executes, or infinity
    weight      the same without what is counted elsewhere: the calls of recursive functions
    cycles      about how many cycles a call takes, or infinity
    in_pieces   loops that may be long run in pieces
    whole       there are loops that run as a whole, and fail where they are too long for that
    """

    callees: dict[str, frozenset[str]]
    may_fail: frozenset[str]
    uses_context: frozenset[str]
    recursive: frozenset[str]
    cost: dict[str, float]
    weight: dict[str, float]
    cycles: dict[str, float]
    in_pieces: bool
    whole: bool = False

    def poll(self, instr: ForCode | WhileCode) -> Poll | Whole | None:
        """How a loop looks for signals. Not at all if it ends soon, whatever the data."""
        body = sum(_region_cost(r, self.cost) for r in regions(instr))
        if isinstance(instr, ForCode):
            if _for_cost(instr, body) < POLL_INSTRUCTIONS:
                return None
            if not self.in_pieces and body < _UNKNOWN:
                cycles = int(sum(_cycles(r, self.cycles) for r in regions(instr))) + 1
                if cycles < _MOST:
                    return Whole(_MOST // cycles, cycles)
            if body < LARGE:
                iterations = 1 << (PIECE // int(body + 1)).bit_length() - 1
                return Poll(iterations, iterations * int(body + 1))
        return Poll(1, int(min(sum(map(self._weight, regions(instr))) + 1, _MOST)))

    def before_call(self, function: str, region: Region) -> Poll | None:
        """What a region of a function counts before it calls what may call the function again."""
        again = function in self.recursive and any(
            isinstance(instr, CallCode) and self.returns(function, instr.function)
            for instr in region.code
        )
        return Poll(1, int(min(self._weight(region) + 1, _MOST))) if again else None

    def guard(self, function: str) -> Guard | None:
        """Where a function looks at the stack; None: it is not recursive."""
        if function not in self.recursive:
            return None
        return Guard.CALLS if self.weight[function] < SMALL else Guard.ENTRY

    def _weight(self, region: Region) -> float:
        return _region_cost(region, self.weight, _MOST)

    def returns(self, function: str, callee: str) -> bool:
        """Whether a callee may call the function again."""
        return callee == function or function in self.callees[callee]


def _reachable(direct: dict[str, frozenset[str]], start: str) -> frozenset[str]:
    seen: set[str] = set()
    stack = list(direct[start])
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack.extend(direct[name])
    return frozenset(seen)


_UNKNOWN = float("inf")


def _region_cost(
    region: Region, functions: dict[str, float], unknown: float = _UNKNOWN
) -> float:
    """About how many instructions are executed; loops that may take any time count ``unknown``."""
    total = 0.0
    for instr in region.code:
        inner = sum(_region_cost(r, functions, unknown) for r in regions(instr))
        match instr:
            case ForCode():
                total += min(_for_cost(instr, inner), unknown)
            case WhileCode():
                total += unknown
            case CallCode(_, function):
                total += functions.get(function, unknown)
            case _:
                total += 1 + inner
    return total


_CALL, _CALL_IN_LANES = 32.0, 64.0


def _cycles(region: Region, functions: dict[str, float]) -> float:
    """About how many cycles are taken, with memory that is not in the cache."""
    total = 0.0
    for instr in region.code:
        inner = sum(_cycles(r, functions) for r in regions(instr))
        match instr:
            case ForCode():
                total += _for_cost(instr, inner)
            case WhileCode():
                total += _UNKNOWN
            case CallCode(_, function):
                total += functions[function]
            case Arith(dst, name):
                called = name in TABLE and any("call:" in t for t in TABLE[name].llvm.values())
                if dst.lanes > 1:
                    total += _CALL_IN_LANES if called else 4.0
                else:
                    total += _CALL if called else 1.0
            case Load(index=index) | Store(index=index) | AtAdd(index=index):
                total += 8.0 if isinstance(index, Reg) else 1.0
            case _:
                total += 1 + inner
    return total


def _for_cost(instr: ForCode, body: float) -> float:
    match instr:
        case ForCode(Imm(lo), Imm(hi), step):
            trips = max(0, -(-(int(hi) - int(lo)) // step))
            return trips * (body + 1) if trips else 0.0
        case _:
            return _UNKNOWN


def _costs(
    module: Module, callees: dict[str, frozenset[str]],
    cost: Callable[[Region, dict[str, float]], float],
) -> dict[str, float]:  # fmt: skip
    """Callees before callers; recursive functions cost infinity."""
    costs: dict[str, float] = {n: _UNKNOWN for n in module.functions if n in callees[n]}
    rest = sorted((n for n in module.functions if n not in costs), key=lambda n: len(callees[n]))
    for name in rest:  # a function calls everything that its callees call, and those as well
        costs[name] = cost(module.functions[name].body, costs)
    return costs


def _weights(module: Module, costs: dict[str, float]) -> dict[str, float]:
    once = {name: 1.0 if cost == _UNKNOWN else cost for name, cost in costs.items()}
    return {
        name: min(_region_cost(function.body, once, _MOST), _MOST)
        for name, function in module.functions.items()
    }


def facts(module: Module, in_pieces: bool) -> Facts:
    """Analyse a module."""
    direct: dict[str, frozenset[str]] = {}
    failing: set[str] = set()
    using: set[str] = set()
    for name, function in module.functions.items():
        called, fails, uses = _scan(function)
        direct[name] = called
        if fails:
            failing.add(name)
        if uses:
            using.add(name)
    callees = {name: _reachable(direct, name) for name in module.functions}
    recursive = frozenset(n for n in module.functions if n in callees[n])
    failing |= recursive
    cost, cycles = _costs(module, callees, _region_cost), _costs(module, callees, _cycles)
    weight = _weights(module, cost)
    none = frozenset[str]()
    costs = Facts(callees, none, none, recursive, cost, weight, cycles, in_pieces)
    polls = {name: _polls(f, costs) for name, f in module.functions.items()}
    failing |= {name for name, found in polls.items() if found}
    whole = any(isinstance(p, Whole) for found in polls.values() for p in found)
    may_fail = frozenset(n for n in module.functions if n in failing or callees[n] & failing)
    using |= may_fail
    users = frozenset(n for n in module.functions if n in using or callees[n] & using)
    return replace(costs, may_fail=may_fail, uses_context=users, whole=whole)


def _polls(function: LoopFunction, costs: Facts) -> list[Poll | Whole]:
    loops = (i for i in instructions(function.body) if isinstance(i, ForCode | WhileCode))
    return [found for found in map(costs.poll, loops) if found is not None]


def _scan(function: LoopFunction) -> tuple[frozenset[str], bool, bool]:
    """Which functions it calls, whether it can fail and whether it uses the context, itself."""
    called: set[str] = set()
    fails = uses = False
    for instr in instructions(function.body):
        match instr:
            case CallCode(_, name):
                called.add(name)
            case RaiseIf() | Alloc() | AccAlloc():
                fails = True
            case Copy(count=count) if not isinstance(count, Imm):
                fails = True  # a signal may stop it
            case AccBase() | AccMark() | AccRelease() | ArenaBase() | Mark() | Release():
                uses = True
            case _:
                pass
    return frozenset(called), fails, uses
