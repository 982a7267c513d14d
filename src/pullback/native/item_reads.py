"""Tell arrays of which a function reads a few items from those that it goes through."""

from __future__ import annotations

from collections.abc import Iterator

from pullback.lower.loopcode import (
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
    loops: it may go through what lies there."""
    return frozenset(_more_than_items(function.body))


def _more_than_items(region: Region) -> Iterator[Reg]:
    yield from _pointers(region.yields)
    for instr in region.code:
        match instr:
            case IfCode(_, then, orelse):
                yield from _more_than_items(then)
                yield from _more_than_items(orelse)
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
