"""Give large results of a program memory of their own, which arrays of NumPy take over as it is.

Arrays live in arenas, so a result would be copied into the array that the caller gets. Where a
result is one whole array that main itself makes, outside of its loops, its memory comes from the
system instead (``Alloc`` with the arena "result"), if it is large: whoever boxes it gives that to
the array (``native/runtime_results.py``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.core.types import Array, Bool, Int, Real, Type
from pullback.lower.loopcode import Alloc, Instr, LoopFunction, Reg, Region
from pullback.lower.values import leaves

RESULT = "result"
MOST = 4
"""So many results of a call have memory of their own."""


def in_own_memory(fn: LoopFunction, types: Sequence[Type]) -> LoopFunction:
    """Return main with such allocations for the first of its results, which have these types."""
    candidates, at = list[Reg](), 0
    for t in types:
        value = fn.body.yields[at]
        plain = isinstance(t, Array) and isinstance(t.elem, (Real, Int, Bool))
        if plain and isinstance(value, Reg):
            candidates.append(value)
        at += len(leaves(t))
    wanted = frozenset(candidates[:MOST])

    def own(i: Instr) -> Instr:
        return replace(i, arena=RESULT) if isinstance(i, Alloc) and i.dst in wanted else i

    body = Region(tuple(map(own, fn.body.code)), fn.body.yields)
    return replace(fn, body=body)


def has_own_results(fn: LoopFunction) -> bool:
    """Whether results of a function may have memory of their own."""
    return any(isinstance(i, Alloc) and i.arena == RESULT for i in fn.body.code)


__all__ = ["MOST", "RESULT", "has_own_results", "in_own_memory"]
