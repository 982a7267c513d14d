"""Remove residuals of the variables that a sequential loop carries.

    loop i with n = n0, h = h0. (...; next n + 1, h1)       reverse, from the last iteration to the
      keeps n, h, h1                                        first, with h1 = last h:
    ==>  keeps h                                              n = n0 + i; h = kept[i]; ...; next h

A *count* grows by the same number in every iteration, whichever branch is taken, so the number of
the iteration gives its value. The value of a variable at the end of an iteration is its value at
the begin of the next one, so one of the two is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass
from pullback.core.terms import (
    Atom,
    Block,
    Case,
    If,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Update,
    Var,
    While,
    sub_blocks,
)
from pullback.core.types import I64, Bool, Handle, Int, Real

if TYPE_CHECKING:
    from pullback.ad.frames import Frame


def counts(op: Loop | While) -> dict[Var, int]:
    """Return the carried 64-bit integers that grow by the same number in every iteration, with that
    number."""
    out = {}
    for c, r in zip(op.carried, op.body.results, strict=False):
        if c.type == I64:
            step = _Steps(c, op.body).of(r)
            if step is not None:
                out[c] = step
    return out


class _Steps:
    """How much larger than the carried variable ``c`` the integers of a block are."""

    def __init__(self, c: Var, body: Block) -> None:
        self.known: dict[Atom, int | None] = {c: 0}
        self.made: dict[Var, tuple[Let, int]] = {}
        self.enter(body)

    def enter(self, block: Block) -> None:
        for let in block.lets:
            self.made.update((v, (let, k)) for k, v in enumerate(let.vars))

    def of(self, a: Atom) -> int | None:
        if a not in self.known:
            self.known[a] = self._made(a) if isinstance(a, Var) and a in self.made else None
        return self.known[a]

    def _made(self, a: Var) -> int | None:
        let, k = self.made[a]
        match let.op:
            case Prim("add" | "add.ck", (b, Lit(int(n))) | (Lit(int(n)), b)):
                before = self.of(b)
                return None if before is None else before + n
            case Prim("sub" | "sub.ck", (b, Lit(int(n)))):
                before = self.of(b)
                return None if before is None else before - n
            case If(_, then, orelse):
                self.enter(then)
                self.enter(orelse)
                one, other = self.of(then.results[k]), self.of(orelse.results[k])
                return one if one == other else None
            case _:
                return None


@dataclass(frozen=True)
class Handed:
    """A value that one iteration passes to the next, as the reverse loop sees it.

    after  the variable at the end of the iteration
    last   its value after the last iteration
    begin  the variable at the begin, which has the value of ``after`` in the iteration before
    """

    after: Var
    last: Atom
    begin: Var


def handed_over(
    f: Frame, let: Let, op: Loop | While, g: Frame, kept: Sequence[Var], carries: bool
) -> list[Handed]:
    """Return the carried values that are kept at both ends of an iteration, of which one end is
    enough: handles that iterations often pass on unchanged (those of arrays that a loop makes are
    numbered, see ``residual_elimination``), and numbers if the reverse loop ``carries`` something
    anyway."""
    found: dict[Var, Handed] = {}
    begins = {a for c in op.carried for a in g.parts(c)}
    for c, r, v in zip(op.carried, op.body.results, let.vars, strict=False):
        for begin, after, last in zip(g.parts(c), g.look(r), f.parts(v), strict=False):
            if begin in kept and after in kept and after not in begins:
                assert isinstance(begin, Var) and isinstance(after, Var)
                if (isinstance(after.type, Handle) and _may_stay(op.body, r, c)) or (
                    carries and isinstance(after.type, (Real, Int, Bool))
                ):
                    found.setdefault(after, Handed(after, last, begin))
    return list(found.values())


def _may_stay(body: Block, r: Atom, c: Var) -> bool:
    """Whether on some path the array ``r`` is ``c``, or ``c`` with updates."""
    made: dict[Atom, tuple[Op, int]] = {}

    def enter(block: Block) -> None:
        made.update((v, (let.op, k)) for let in block.lets for k, v in enumerate(let.vars))

    enter(body)
    work, seen = [r], {r}
    while work:
        a = work.pop()
        if a is c:
            return True
        before: list[Atom] = []
        match made.get(a):
            case Update(array, _, _, _), _:
                before = [array]
            case (Loop(_, _, _, inits, _) | While(_, inits, _, _)), k if k < len(inits):
                before = [inits[k]]
            case (If() | Case()) as op, k:
                for _, arm in sub_blocks(op):
                    enter(arm)
                    before.append(arm.results[k])
            case _:
                pass
        work.extend(x for x in before if x not in seen)
        seen.update(before)
    return False
