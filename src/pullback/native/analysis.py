"""What must be known of a module of loop code before its text is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pullback.lower.loopcode import (
    AccAlloc,
    AccBase,
    AccMark,
    AccRelease,
    Alloc,
    ArenaBase,
    CallCode,
    ForCode,
    IfCode,
    Imm,
    Instr,
    LoopFunction,
    Mark,
    Module,
    RaiseIf,
    Region,
    Release,
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


HEAVY = 64
"""Counted loops whose body has fewer instructions are not polled for signals."""

_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Facts:
    """Per function of a module.

    callees     functions that it calls, or that those call
    may_fail    it returns an error flag
    uses_context    it, or what it calls, looks at the context
    recursive   it can call itself, so it looks at the stack limit
    cost        about the number of instructions that a call executes, or infinity
    """

    callees: dict[str, frozenset[str]]
    may_fail: frozenset[str]
    uses_context: frozenset[str]
    recursive: frozenset[str]
    cost: dict[str, float]

    def poll_weight(self, instr: ForCode | WhileCode) -> int:
        """How much an iteration of the loop counts until signals are looked for; 0: it does not.
        Recursive code is on a stack of its own, where Python must not be called."""
        if self.recursive:
            return 0
        body = sum(_region_cost(r, self.cost) for r in regions(instr))
        match instr:
            case ForCode() if body < HEAVY or _for_cost(instr, body) < POLL_INSTRUCTIONS:
                return 0
            case _:
                return int(min(body + 1, _MOST))


def _reachable(direct: dict[str, frozenset[str]], start: str) -> frozenset[str]:
    seen: set[str] = set()
    stack = list(direct[start])
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack.extend(direct[name])
    return frozenset(seen)


def _region_cost(region: Region, functions: dict[str, float]) -> float:
    total = 0.0
    for instr in region.code:
        inner = sum(_region_cost(r, functions) for r in regions(instr))
        match instr:
            case ForCode():
                total += _for_cost(instr, inner)
            case WhileCode():
                return float("inf")
            case CallCode(_, function):
                total += functions.get(function, float("inf"))
            case _:
                total += 1 + inner
    return total


def _for_cost(instr: ForCode, body: float) -> float:
    match instr:
        case ForCode(Imm(lo), Imm(hi), step):
            trips = max(0, -(-(int(hi) - int(lo)) // step))
            return trips * (body + 1) if trips else 0.0
        case _:
            return float("inf")


def _costs(module: Module, callees: dict[str, frozenset[str]]) -> dict[str, float]:
    """Callees before callers; recursive functions cost infinity."""
    costs: dict[str, float] = {n: float("inf") for n in module.functions if n in callees[n]}
    rest = sorted((n for n in module.functions if n not in costs), key=lambda n: len(callees[n]))
    for name in rest:  # a function calls everything that its callees call, and those as well
        costs[name] = _region_cost(module.functions[name].body, costs)
    return costs


def facts(module: Module) -> Facts:
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
    costs = Facts(callees, frozenset(), frozenset(), recursive, _costs(module, callees))
    failing |= {name for name, f in module.functions.items() if _polls(f, costs)}
    may_fail = frozenset(n for n in module.functions if n in failing or callees[n] & failing)
    using |= may_fail
    users = frozenset(n for n in module.functions if n in using or callees[n] & using)
    return replace(costs, may_fail=may_fail, uses_context=users)


def _polls(function: LoopFunction, costs: Facts) -> bool:
    return any(
        costs.poll_weight(instr) > 0
        for instr in instructions(function.body)
        if isinstance(instr, ForCode | WhileCode)
    )


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
            case AccBase() | AccMark() | AccRelease() | ArenaBase() | Mark() | Release():
                uses = True
            case _:
                pass
    return frozenset(called), fails, uses
