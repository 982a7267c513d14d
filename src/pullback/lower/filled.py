"""Find arrays of zeros that a nest of loops overwrites before anybody reads them: they need not be
cleared.

    let R = build i < n, j < m. 0
    loop i < n with r = R. ... loop j < m with s = r. ... s[i, j] := e

``opt/residuals/residual_flattening.py`` writes residuals in this form; clearing them would move as
much memory again. Until the loop is done, the only use of such an array is that every element is
put in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Let,
    Lit,
    Loop,
    Program,
    Update,
    Var,
    sub_blocks,
)
from pullback.core.traverse import uses


def filled_arrays(program: Program) -> frozenset[Var]:
    """Return the variables that are bound to such arrays."""
    return frozenset(v for f in program.functions.values() for v in _in_block(f.body))


def _in_block(block: Block) -> Iterator[Var]:
    for let in block.lets:
        match let.op:
            case Build(extents, _, Block((), (Lit(),))) if _is_filled(block, let.vars[0], extents):
                yield let.vars[0]
            case _:
                pass
        for _, inner in sub_blocks(let.op):
            yield from _in_block(inner)


def _is_filled(block: Block, array: Var, extents: tuple[Atom, ...]) -> bool:
    """Whether the only use of the array in the block is a loop that fills it."""
    counts = uses(block)
    return counts[array] == 1 and any(
        isinstance(let.op, Loop) and _fills(let, let.op, array, extents, ()) is not None
        for let in block.lets
    )


def _fills(
    let: Let, op: Loop, array: Var, extents: tuple[Atom, ...], where: tuple[Atom, ...]
) -> Var | None:
    """Return the array after the loop, if the loop carries the array and fills the part at
    ``where``; the array must have no other use in the block of the loop."""
    if array not in op.inits or op.count is not extents[len(where)]:
        return None
    k = op.inits.index(array)
    now, where = op.carried[k], (*where, op.index)
    end = _filled_by(op.body, uses(op.body), now, extents, where)
    return let.vars[k] if end is not None and op.body.results[k] is end else None


def _filled_by(
    body: Block, counts: Counter[Var], now: Var, extents: tuple[Atom, ...], where: tuple[Atom, ...]
) -> Var | None:
    """Return the array after the one let of the block that uses it, if that let fills the part at
    ``where``."""
    if counts[now] != 1:
        return None
    for let in body.lets:
        end = None
        match let.op:
            case Update(array, indices, _, False) if array is now:
                end = let.vars[0] if indices == where and len(where) == len(extents) else None
            case Loop() if len(where) < len(extents):
                end = _fills(let, let.op, now, extents, where)
            case _:
                pass
        if end is not None and counts[end] == 1:
            return end
    return None
