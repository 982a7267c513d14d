"""Find the stacks of rows that are stored into one array as they are made.

    rows = build i < n. row;  all = stack rows m
        ==>   all = an array of n times m;  build i < n. (all[i] := row);  no array of rows

The rows of a stack with extents are known to have these (``opt/arrays/row_extents.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Block, Build, Prim, Program, Var, sub_blocks
from pullback.core.traverse import uses


@dataclass(frozen=True, slots=True)
class Stack:
    """The array of all rows, and their extents. ``last``: the only use of the array makes its first
    axes the last, so it is stored in this order: lanes then store eight rows side by side."""

    array: Var
    extents: tuple[Atom, ...]
    last: bool


def stacks_of(program: Program) -> dict[Var, Stack]:
    """Return the stacks of a program, by the variables for their rows."""
    found: dict[Var, Stack] = {}
    for f in program.functions.values():
        found.update(_in_block(f.body, uses(f.body)))
    return found


def _in_block(block: Block, counts: Counter[Var]) -> Iterator[tuple[Var, Stack]]:
    built: dict[Atom, int] = {}  # the rows of builds, with the number of their axes
    place: dict[Atom, int] = {}
    for k, let in enumerate(block.lets):
        place.update(dict.fromkeys(let.vars, k))
        match let.op:
            case Build(extents, _, _):
                built.update((v, len(extents)) for v in let.vars)
            case Prim("stack", (Var() as rows, *extents)) if rows in built and counts[rows] == 1:
                if extents and all(place.get(n, -1) < place[rows] for n in extents):
                    array = let.vars[0]
                    last = counts[array] == 1 and _turned(block, array, built[rows])
                    yield rows, Stack(array, tuple(extents), last)
            case _:
                pass
        for _, inner in sub_blocks(let.op):
            yield from _in_block(inner, counts)


def _turned(block: Block, array: Var, axes: int) -> bool:
    """Whether the block makes the first axes of an array its last."""
    for let in block.lets:
        match let.op:
            case Prim("transpose", (a,), order) if a is array:
                rank = len(order)
                return order == (*range(axes, rank), *range(axes))
            case _:
                pass
    return False


__all__ = ["Stack", "stacks_of"]
