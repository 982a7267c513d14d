"""Make functions of loop code that was written for another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pullback.lower.loopcode import (
    CallCode,
    Copy,
    ForCode,
    Fork,
    IfCode,
    Instr,
    LoopFunction,
    Reg,
    Region,
    Value,
    WhileCode,
)
from pullback.lower.state import Lowering


def outline(
    lo: Lowering, name: str, code: Sequence[Instr], results: Sequence[Reg], flushes: bool = False
) -> bool:
    """Add code as a function that gets what it reads, and emit its call, which assigns the results.
    False, and nothing happens, if one of these has lanes."""
    given = read(code)
    if any(r.lanes > 1 for r in (*given, *results)):
        return False
    region = Region(tuple(code), tuple(results))
    types = tuple(r.ty for r in results)
    lo.unit.functions[name] = LoopFunction(name, given, region, types, flushes)
    lo.emit(CallCode(tuple(results), name, given))
    return True


def read(
    code: Sequence[Instr], results: Iterable[Value] = (), own: Iterable[Reg] = ()
) -> tuple[Reg, ...]:
    """Return the registers from elsewhere that code and its results mention; ``own`` are not."""
    inside = defined(code).union(own)
    mentioned = (r for x in (*code, *results) for r in registers(x))
    return tuple(dict.fromkeys(r for r in mentioned if r not in inside))


def defined(code: Iterable[Instr]) -> set[Reg]:
    """Return the registers that code assigns."""
    return {r for instr in code for r in assigned(instr)}


def registers(x: object) -> Iterator[Reg]:
    """The registers that an instruction, a region or a value mentions."""
    todo = [x]
    while todo:
        part = todo.pop()
        if isinstance(part, Reg):
            yield part
        elif isinstance(part, tuple):
            todo += part[::-1]
        else:
            names = getattr(part, "__match_args__", ())
            todo += [getattr(part, name) for name in names[::-1]]


def assigned(instr: Instr) -> Iterator[Reg]:
    """The registers that an instruction assigns, those of its regions included."""
    match instr:
        case IfCode(_, then, orelse, dsts):
            yield from dsts
            inner = (*then.code, *orelse.code)
        case ForCode(_, _, _, index, carried, _, body, dsts):
            yield from (index, *carried, *dsts)
            inner = body.code
        case WhileCode(carried, _, cond, body, dsts):
            yield from (*carried, *dsts)
            inner = (*cond.code, *body.code)
        case CallCode(dsts, _, _) | Fork(dsts):
            yield from dsts
            inner = ()
        case _:
            dst = getattr(instr, "dst", None)
            if isinstance(dst, Reg) and not isinstance(instr, Copy):
                yield dst
            inner = ()
    for i in inner:
        yield from assigned(i)
