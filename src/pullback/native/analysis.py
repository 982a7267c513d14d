"""Analyse a module of loop code before its text is written: which function calls which, what can
fail, what recurses, and how long code takes."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import islice

from pullback.core.frozen import dataclass
from pullback.lower.loopcode import (
    AccAlloc,
    AccBase,
    AccMark,
    AccRelease,
    Alloc,
    ArenaBase,
    CallCode,
    Copy,
    ForCode,
    Fork,
    IfCode,
    Imm,
    Instr,
    LoopFunction,
    Mark,
    Module,
    RaiseIf,
    Region,
    Release,
    Show,
    WhileCode,
)
from pullback.native.polls import Check, Each, Patience, Poll, Polls


def regions(instr: Instr) -> tuple[Region, ...]:
    """Return the regions inside an instruction."""
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
    """Iterate over all instructions of a region, those of inner regions included."""
    stack = [region]
    while stack:
        for instr in stack.pop().code:
            yield instr
            stack.extend(regions(instr))


_LONG = 200
"""The fewest instructions of a long region."""


def is_long(region: Region) -> bool:
    """Whether the code of a region is so long that a call more does not matter."""
    return sum(1 for _ in islice(instructions(region), _LONG)) == _LONG


_MOST = 10_000
"""The weight of what executes an unknown number of instructions, and the largest."""


class Guard(Enum):
    """The place where a recursive function compares the stack pointer with the limit."""

    ENTRY = "at its entry"
    CALLS = "in front of calls that may lead back to it"


SMALL = 256
"""A function of fewer instructions has a small frame, which fits below the limit: its guard is in
front of calls, so that its leaves have none."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the analysis found, by function of a module.

    callees     functions that it calls, or that those call
    may_fail    it returns an error flag
    uses_context    it, or a function that it calls, uses the context
    recursive   it can call itself, so it compares the stack pointer with the limit
    cost        about the number of instructions that a call executes, or infinity
    weight      the same without the calls of recursive functions, and not infinity
    polls       how loops and recursion look for signals
    """

    callees: dict[str, frozenset[str]]
    may_fail: frozenset[str]
    uses_context: frozenset[str]
    recursive: frozenset[str]
    cost: dict[str, float]
    weight: dict[str, float]
    polls: Polls

    def poll(self, instr: ForCode | WhileCode) -> Poll | None:
        """Return how a loop looks for signals in its rounds; None if it does not."""
        return self.polls.loops.get(instr)

    def check(self, instr: Instr) -> Check | None:
        """Return the count in front of an instruction; None if there is none."""
        return self.polls.checks.get(instr)

    @property
    def whole(self) -> bool:
        """Whether there is work that fails where it is too long."""
        return bool(self.polls.checks)

    def before_call(self, function: str, region: Region) -> Each | None:
        """Return what a region of the function counts before a call that may lead back to the
        function: all cycles of the function that nothing else counts. None if there is no such
        call."""
        again = function in self.recursive and any(
            isinstance(instr, CallCode) and self.returns(function, instr.function)
            for instr in region.code
        )
        return Each(int(self.polls.functions[function].free) + 1) if again else None

    def guard(self, function: str) -> Guard | None:
        """Return where a function compares the stack pointer with the limit; None if it is not
        recursive."""
        if function not in self.recursive:
            return None
        return Guard.CALLS if self.weight[function] < SMALL else Guard.ENTRY

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
    """Return about how many instructions a region executes; a loop that may have any number of
    rounds counts as ``unknown``."""
    total = 0.0
    for instr in region.code:
        inner = sum(_region_cost(r, functions, unknown) for r in regions(instr))
        match instr:
            case ForCode():
                total += min(_for_cost(instr, inner), unknown)
            case WhileCode():
                total += unknown
            case CallCode(function=function) | Fork(function=function):
                total += functions.get(function, unknown)
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


def _costs(module: Module, callees: dict[str, frozenset[str]]) -> dict[str, float]:
    """Return the cost of every function. Callees are done before callers; recursive functions cost
    infinity."""
    costs: dict[str, float] = {n: _UNKNOWN for n in module.functions if n in callees[n]}
    rest = sorted((n for n in module.functions if n not in costs), key=lambda n: len(callees[n]))
    for name in rest:  # a function also calls all that its callees call
        costs[name] = _region_cost(module.functions[name].body, costs)
    return costs


def _weights(module: Module, costs: dict[str, float]) -> dict[str, float]:
    once = {name: 1.0 if cost == _UNKNOWN else cost for name, cost in costs.items()}
    return {
        name: min(_region_cost(function.body, once, _MOST), _MOST)
        for name, function in module.functions.items()
    }


def facts(module: Module, patience: Patience) -> Facts:
    """Return the facts of a module; ``patience`` says which loops run as a whole."""
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
    cost = _costs(module, callees)
    weight = _weights(module, cost)
    order = sorted(module.functions, key=lambda n: len(callees[n]))
    polls = Polls(module, order, patience)
    failing |= {name for name in order if polls.looks[name]}
    may_fail = frozenset(n for n in module.functions if n in failing or callees[n] & failing)
    using |= may_fail
    users = frozenset(n for n in module.functions if n in using or callees[n] & using)
    return Facts(callees, may_fail, users, recursive, cost, weight, polls)


def _scan(function: LoopFunction) -> tuple[frozenset[str], bool, bool]:
    """Return which functions a function calls itself, whether it can fail by itself, and whether it
    uses the context itself."""
    called: set[str] = set()
    fails = uses = False
    for instr in instructions(function.body):
        match instr:
            case CallCode(_, name):
                called.add(name)
            case Fork(_, name):
                called.add(name)
                fails = True
            case RaiseIf() | Show() | Alloc() | AccAlloc():
                fails = True
            case Copy(count=count) if not isinstance(count, Imm):
                fails = True  # a signal may stop it
            case AccBase() | AccMark() | AccRelease() | ArenaBase() | Mark() | Release():
                uses = True
            case _:
                pass
    return frozenset(called), fails, uses
