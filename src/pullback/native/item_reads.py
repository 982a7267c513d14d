"""Tell arrays of which a function reads a few items from those that it goes through."""

from __future__ import annotations

from collections.abc import Iterator

from pullback.lower.loopcode import (
    Arith,
    ForCode,
    IfCode,
    Instr,
    Load,
    LoopFunction,
    Reg,
    Region,
    Ty,
    WhileCode,
)
from pullback.native.analysis import instructions, regions


def gone_through(function: LoopFunction) -> frozenset[Reg]:
    """Return the pointers of which a function does more than to load single items outside of
    loops: it may go through what lies there. Where it asks whether two arrays lie side by side, as
    in front of a Fourier transform, it does nothing else with them if they do."""
    return frozenset(_more_than_items(function.body, {}))


Asked = dict[Reg, frozenset[Reg]]
"""The pointers whose addresses a number or condition depends on."""


def _more_than_items(region: Region, asked: Asked) -> Iterator[Reg]:
    yield from _pointers(region.yields)
    for instr in region.code:
        match instr:
            case IfCode(Reg() as condition, then, orelse) if condition in asked:
                for inner in (then, orelse):
                    found = _more_than_items(inner, asked)
                    yield from (p for p in found if p not in asked[condition])
            case IfCode(_, then, orelse):
                yield from _more_than_items(then, asked)
                yield from _more_than_items(orelse, asked)
            case Arith(dst, "address", (Reg() as pointer,)):
                asked[dst] = frozenset({pointer})
            case Arith(dst, _, args):
                of = frozenset(p for a in args if isinstance(a, Reg) for p in asked.get(a, ()))
                if of:
                    asked[dst] = of
                yield from _mentioned(instr)
            case Load(Reg(lanes=1), _, _):
                pass
            case ForCode() | WhileCode():
                yield from _pointers(instr.inits)
                for inner in regions(instr):
                    yield from _everything(inner)
            case _:
                yield from _mentioned(instr)


def _everything(region: Region) -> Iterator[Reg]:
    yield from _pointers(region.yields)
    for instr in instructions(region):
        yield from _mentioned(instr)
        for inner in regions(instr):
            yield from _pointers(inner.yields)


def _mentioned(instr: Instr) -> Iterator[Reg]:
    for name in type(instr).__match_args__:
        yield from _pointers(getattr(instr, name))


def _pointers(value: object) -> Iterator[Reg]:
    if isinstance(value, Reg):
        if value.ty is Ty.PTR:
            yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _pointers(item)


__all__ = ["gone_through"]
