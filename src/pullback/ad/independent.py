"""Whether the iterations of a sequential loop are independent in reverse.

The reverse sweep of a loop that fills an array, or adds to its elements one after the other, takes
or reads the cells that each iteration has to itself and adds into others. Additions commute; so the
order of the iterations matters only where one of them takes or reads a cell that another one
writes. If that cannot be, the reverse sweep is a sum: no order, and 8 iterations at a time in
lanes.

Two accesses are apart if their arrays have accumulators of their own. What is only taken must have
an index that is another one in every iteration. Loops that add where they take are left to
``lower/separate.py``, which gives each lane cells of its own.
"""

from __future__ import annotations

from pullback.ad.frames import Frame
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Case,
    If,
    Index,
    Inject,
    Lit,
    Op,
    Prim,
    Var,
)
from pullback.core.traverse import all_lets, defined

Access = AccRead | AccTake | AccAdd


def independent(reverse: Block, g: Frame) -> bool:
    """Whether the iterations of this reverse block, of the loop with the frame ``g``, may be run
    in any order."""
    if not all(isinstance(let.op, _ALLOWED) for let in all_lets(reverse)):
        return False
    return _Accesses(reverse, g).apart()


_ALLOWED = (Prim, Index, Inject, If, Case, AccAdd, AccRead, AccTake, AccNew)


class _Accesses:
    """The accesses of one iteration. ``inside``: the variables that it binds."""

    def __init__(self, reverse: Block, g: Frame) -> None:
        self.g = g
        self.inside = {*g.own, *defined(reverse)}
        self.defs: dict[Var, Op] = dict(g.defs)
        self.made: set[Var] = set()  # accumulators of this iteration alone
        self.all: list[Access] = []
        for let in all_lets(reverse):
            self.defs.update((v, let.op) for v in let.vars)
            if isinstance(let.op, AccNew):
                self.made.update(let.vars)
            elif isinstance(let.op, Access):
                self.all.append(let.op)

    def apart(self) -> bool:
        """Whether no iteration writes what another one takes or reads."""
        writes = [x for x in self.all if not isinstance(x, AccRead)]
        reads = [x for x in self.all if not isinstance(x, AccAdd)]
        return all(self.differ(x, y) for x in reads for y in writes)

    def differ(self, x: Access, y: Access) -> bool:
        """Whether accesses of different iterations are to different cells."""
        if x.handle is not y.handle:
            return self.g.separate(x.handle, y.handle)
        if x.handle in self.made or (x.handle in self.g.own and x.handle in self.g.separated):
            return True
        if isinstance(x, AccAdd) != isinstance(y, AccAdd):
            return False  # (``lower/separate.py`` knows when)
        pairs = zip(x.indices, y.indices, strict=True)
        return any(i is j and self.another(i) for i, j in pairs)

    def another(self, i: Atom) -> bool:
        """Whether an index is another one in every iteration: its number and a constant."""
        if i is self.g.iteration():
            return True
        match self.defs.get(i) if isinstance(i, Var) else None:
            case Prim("add", (a, b)):
                return any(self.another(x) and self.constant(y) for x, y in ((a, b), (b, a)))
            case Prim("sub", (a, b)):
                return (self.another(a) and self.constant(b)) or (
                    self.constant(a) and self.another(b)
                )
            case _:
                return False

    def constant(self, a: Atom) -> bool:
        return isinstance(a, Lit) or a not in self.inside
