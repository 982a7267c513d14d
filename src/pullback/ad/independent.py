"""Decide whether the iterations of a sequential loop are independent in reverse.

The loop fills an array, or adds to its elements one after the other. Its reverse sweep takes or
reads the cells that belong to one iteration, and adds into other cells. Additions commute, so the
order of iterations matters only if one of them takes or reads a cell that another one writes. If
that cannot happen, the reverse sweep is a sum: in any order, and eight iterations at a time in
lanes.

Two accesses are apart if their arrays have different accumulators. A cell that is only taken must
have an index that differs in every iteration. Loops that add to cells that they take from are left
to ``lower/separate.py``, which gives each lane cells of its own.
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
    """Whether the iterations of this reverse block, of the loop with the frame ``g``, may run in
    any order."""
    if not all(isinstance(let.op, _ALLOWED) for let in all_lets(reverse)):
        return False
    return _Accesses(reverse, g).apart()


_ALLOWED = (Prim, Index, Inject, If, Case, AccAdd, AccRead, AccTake, AccNew)


class _Accesses:
    """The accesses of one iteration to cells. ``inside``: the variables that it binds."""

    def __init__(self, reverse: Block, g: Frame) -> None:
        self.g = g
        self.inside = {*g.own, *defined(reverse)}
        self.defs: dict[Var, Op] = dict(g.defs)
        self.made: set[Var] = set()  # accumulators that only this iteration has
        self.all: list[Access] = []
        for let in all_lets(reverse):
            self.defs.update((v, let.op) for v in let.vars)
            if isinstance(let.op, AccNew):
                self.made.update(let.vars)
            elif isinstance(let.op, Access):
                self.all.append(let.op)

    def apart(self) -> bool:
        """Whether no iteration writes a cell that another one takes or reads."""
        writes = [x for x in self.all if not isinstance(x, AccRead)]
        reads = [x for x in self.all if not isinstance(x, AccAdd)]
        return all(self.differ(x, y) for x in reads for y in writes)

    def differ(self, x: Access, y: Access) -> bool:
        """Whether accesses of different iterations always go to different cells."""
        if x.handle is not y.handle:
            return self.g.separate(x.handle, y.handle)
        if x.handle in self.made or (x.handle in self.g.own and x.handle in self.g.separated):
            return True
        if isinstance(x, AccAdd) != isinstance(y, AccAdd):
            return False  # (``lower/separate.py`` decides that)
        pairs = zip(x.indices, y.indices, strict=True)
        return any(i is j and self.another(i) for i, j in pairs)

    def another(self, i: Atom) -> bool:
        """Whether an index differs in every iteration: it is the number of the iteration plus a
        constant."""
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
