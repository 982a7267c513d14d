"""Keep a value that depends on some of the loops around it once for each point of these loops.

The straight-line code of a row of the tape may read a value from an array that exists before all
loops, at indices that come from some of the loops only. A product of matrices then leaves one word
for each element of either matrix, not two words for each product of elements. A loop in front of
all other loops writes these words, if at least one iteration would have read them: no index is used
that the program would not use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pullback.ad.cells import flatten, indices
from pullback.ad.tape_rows import to_word
from pullback.core.build import Builder, i64
from pullback.core.effects import Work, done_again, is_total, work_of
from pullback.core.frozen import dataclass
from pullback.core.prims import REQUIRE, SHOW
from pullback.core.terms import (
    Atom,
    Block,
    If,
    Index,
    Let,
    Lit,
    Prim,
    Sum_,
    TapeWrite,
    Update,
    Var,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import refresh

FULL, FEW = 64, 1
"""The cost of keeping a value at each point of all axes, and of a few."""


@dataclass(frozen=True)
class Axis:
    """One of the loops around: its index, its extent and its number. ``parallel`` says that its
    iterations are independent."""

    index: Atom
    extent: Atom
    loop: int
    parallel: bool


def in_order(axes: Sequence[Axis], own: Sequence[Axis]) -> list[Axis]:
    """Return some of the axes in the order of memory. Lanes run along the last axis of the
    outermost loop with independent iterations, if there is one."""
    outer = next((a.loop for a in axes if a.parallel), None)
    lanes = [a for a in axes if a.loop == outer][-1:]
    return [a for a in own if a not in lanes] + [a for a in own if a in lanes]


@dataclass(frozen=True)
class Few:
    """A value, and the positions of the axes that it depends on among all axes around it."""

    value: Var
    axes: tuple[int, ...]

    def place(self, b: Builder, base: Atom, axes: Sequence[Axis]) -> Atom:
        """Return the number of its word."""
        order = in_order(axes, [axes[k] for k in self.axes])
        if not order:
            return base
        flat = flatten(b, tuple(a.index for a in order), tuple(a.extent for a in order))
        return b.prim("add", base, flat)

    def write(self, b: Builder, base: Atom, axes: Sequence[Axis], lets: Sequence[Let]) -> None:
        """Emit a loop that computes the value by these lets and writes it, if there are iterations
        at all."""
        own = [axes[k] for k in self.axes]
        idx, body, around = indices(len(own)), Builder(), Builder()
        mine = list(axes)
        inside: dict[Var, Atom] = {}
        for k, i in zip(self.axes, idx, strict=True):
            old = axes[k]
            assert isinstance(old.index, Var)
            inside[old.index] = i
            mine[k] = Axis(i, old.extent, old.loop, old.parallel)
        (word,) = body.extend(refresh(Block(tuple(lets), (self.value,)), inside))
        body.lets.append(Let((), TapeWrite(self.place(body, base, mine), to_word(body, word))))
        if own:
            around.lets.append(Let((), Sum_(tuple(a.extent for a in own), idx, body.block())))
        else:
            around.lets += body.lets
        some: Atom | None = None
        for k, a in enumerate(axes):
            if k not in self.axes and not (isinstance(a.extent, Lit) and a.extent.value > 0):
                more = b.prim("gt", a.extent, i64(0))
                some = more if some is None else b.prim("and", some, more)
        if some is None:
            b.lets += around.lets
        else:
            b.lets.append(Let((), If(some, around.block(), Block((), ()))))


@dataclass(frozen=True)
class Origins:
    """Where the values in a nest of loops come from.

    define    for each variable the let of a loop that binds it
    axes      the indices of the loops
    varies    whether a variable is bound in one of the loops
    """

    define: Mapping[Var, Let]
    axes: Mapping[Var, int]
    varies: Callable[[Var], bool]

    def lets(self, root: Var) -> tuple[tuple[Let, ...], tuple[int, ...]] | None:
        """Return the lets that compute a variable from the indices and from values that exist
        before all loops, in order, and the numbers of these indices; None if it cannot be computed
        so."""
        out: dict[Var, Let] = {}
        used: set[int] = set()
        todo = [(root, False)]
        while todo:
            v, done = todo.pop()
            if v in out:
                continue
            if v in self.axes:
                used.add(self.axes[v])
                continue
            if not self.varies(v):
                continue
            let = self.define.get(v)
            if let is None or not again(let):
                return None
            if done:
                out[v] = let
            else:
                todo.append((v, True))
                todo += [(a, False) for a in atoms(let.op) if isinstance(a, Var)]
        return tuple(out.values()), tuple(sorted(used))

    def few(self, v: Var) -> Few | None:
        """Return the value as a ``Few`` if it depends on some of the axes and not on all."""
        found = self.lets(v)
        if v not in self.define or found is None or len(found[1]) == len(self.axes):
            return None
        return Few(v, found[1])


def again(let: Let) -> bool:
    """Whether a let may be done again in front of the loops, where it has not been done yet."""
    little = work_of(let.op) is Work.NONE or done_again(let.op) is not None
    return little and is_total(let.op)


def checks(lets: Sequence[Let]) -> bool:
    """Whether these lets contain a check or a call of Python, also inside of blocks."""
    for let in lets:
        match let.op:
            case Prim(name, _, _) if name in REQUIRE or name == SHOW:
                return True
            case Index(_, _, True) | Update(_, _, _, True):
                return True
            case _:
                if any(checks(block.lets) for _, block in sub_blocks(let.op)):
                    return True
    return False


__all__ = ["FEW", "FULL", "Axis", "Few", "Origins", "checks", "in_order"]
