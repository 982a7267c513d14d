"""Keep outside of an arm the residuals that the arm also returns.

    y, h, took = if c                                y, h, took = if c
      then ...; return y1, h1, keep(h1, a)             then ...; return y1, h1, keep(a)
      else return y0, h0, keep()               ==>     else return y0, h0, keep()
    reverse: case took { keep(g, a). ... g ... }     reverse: case took { keep(a). ... h ... }

The residuals of a branch take the room of its largest arm, whichever arm is taken. Numbers are
therefore kept outside where that takes no more room. Handles are always kept outside: in a loop the
next iteration begins with them, and keeps them anyway (``loop_residuals.handed_over``). The common
case is a list that grows in a branch: every arm returns its handle, which seldom changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.ad.frames import Frame
from pullback.core.terms import Atom, Let, Var, sub_blocks
from pullback.core.types import Array, Bool, Handle, Int, Real, Sum, Type

Outside = dict[Var, Atom]
"""Variables of an arm, and those around it which they are handed on as."""


def handed_on(
    f: Frame, let: Let, frames: Sequence[Frame], kept: Sequence[tuple[Var, ...]]
) -> list[Outside]:
    """Return for each arm the residuals that need not be kept inside of it, with the results that
    have the same value."""
    every = [_same(f, let, frames[k], k, set(keep)) for k, keep in enumerate(kept)]
    handles = [{v: a for v, a in arm.items() if isinstance(v.type, Handle)} for arm in every]
    return every if _room(kept, every) <= _room(kept, handles) else handles


def _room(kept: Sequence[tuple[Var, ...]], outside: Sequence[Outside]) -> int:
    """Count the words that are kept inside of the arms and, without handles, outside."""
    around = {a: _words(v.type) for arm in outside for v, a in arm.items()}
    arms = [
        sum(_words(v.type) for v in keep if v not in arm)
        for keep, arm in zip(kept, outside, strict=True)
    ]
    return sum(n for a, n in around.items() if not isinstance(a.type, Handle)) + max(arms)


def _same(f: Frame, let: Let, g: Frame, arm: int, keep: set[Var]) -> Outside:
    out: Outside = {}
    body = [block for _, block in sub_blocks(let.op)][arm]
    for r, v in zip(body.results, let.vars, strict=True):
        for inner, outer in zip(g.look(r), f.parts(v), strict=False):
            if (
                inner in keep
                and isinstance(inner, Var)
                and inner.type == outer.type
                and not (isinstance(outer.type, Array) and f.facts.gone(v))
            ):
                out.setdefault(inner, outer)
    return out


def _words(t: Type) -> int:
    match t:
        case Real() | Int() | Bool():
            return 1
        case Array(_, rank) | Handle(rank):
            return 1 + 2 * rank
        case Sum(variants):
            return 1 + max((sum(map(_words, x.fields)) for x in variants), default=0)
        case _:
            return 1
