"""Whether a dependence pattern is the same for all values of the reals of a program.

It is if no real decides what is done: which index is read, how often a loop runs, which function is
called. What reals may decide is which of two numbers is chosen, by a ``select`` or by an ``If`` of
which both arms are plain arithmetic on numbers: there the dependence run can take both sides
together, without running them (``dependence.Dependence``).
"""

from __future__ import annotations

from pullback.core.prims import TABLE
from pullback.core.rows import Mark
from pullback.core.terms import (
    Atom,
    Block,
    If,
    Let,
    Prim,
    Program,
    Var,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import reachable
from pullback.core.types import Array, Bool, Handle, Int, Real, Type

_SCALARS = (Real, Int, Bool)


def decided_by_reals(program: Program) -> frozenset[Atom] | None:
    """Return the truth values and ints that reals decide, if all that these decide is which of two
    numbers is chosen; otherwise None. Nothing in such a program recurses on data."""
    found: set[Atom] = set()
    for name in reachable(program):
        f = program.functions[name]
        run = _Decided()
        if any(_data(p.type) for p in f.params) or not run.block(f.body):
            return None
        if name != program.main and not run.decided.isdisjoint(f.body.results):
            return None
        found |= run.decided
    return frozenset(found)


def plain(block: Block) -> bool:
    """Whether a block is arithmetic on numbers only, with such branches."""
    return all(
        all(isinstance(v.type, _SCALARS) for v in (*let.vars, *_variables(atoms(let.op))))
        and (
            isinstance(let.op, Prim)
            or (isinstance(let.op, If) and plain(let.op.then) and plain(let.op.orelse))
        )
        for let in block.lets
    )


def passes(op: Prim, i: int) -> bool:
    """Whether the derivative of a number depends on an argument."""
    return op.name != "stop_gradient" and TABLE[op.name].partial(i) is not Mark.ZERO


class _Decided:
    """The truth values and ints that reals decide, in one function."""

    def __init__(self) -> None:
        self.decided: set[Atom] = set()

    def block(self, block: Block) -> bool:
        """Whether they decide nothing but choices of numbers here."""
        return all(map(self.let, block.lets))

    def let(self, let: Let) -> bool:
        op = let.op
        inside = [b for _, b in sub_blocks(op)]
        if not all(map(self.block, inside)):
            return False
        if isinstance(op, Prim):
            return self.prim(let, op)
        if isinstance(op, If):
            chosen = op.cond in self.decided
            if chosen and not (plain(op.then) and plain(op.orelse)):
                return False
            for v, x, y in zip(let.vars, op.then.results, op.orelse.results, strict=True):
                if not isinstance(v.type, Real) and (chosen or {x, y} & self.decided):
                    self.decided.add(v)
            return True
        read = {*atoms(op), *(r for b in inside for r in b.results)}
        return read.isdisjoint(self.decided)

    def prim(self, let: Let, op: Prim) -> bool:
        types = [a.type for a in op.args]
        whole = any(not isinstance(t, _SCALARS) for t in (*types, *(v.type for v in let.vars)))
        given = not self.decided.isdisjoint(op.args)
        if whole and given:
            return False
        if given or (op.name != "dim" and any(map(_of_reals, types))):
            self.decided.update(v for v in let.vars if not _of_reals(v.type))
        return True


def _variables(values: tuple[Atom, ...]) -> tuple[Var, ...]:
    return tuple(a for a in values if isinstance(a, Var))


def _data(t: Type) -> bool:
    while isinstance(t, Array):
        t = t.elem
    return not isinstance(t, (*_SCALARS, Handle))


def _of_reals(t: Type) -> bool:
    while isinstance(t, Array):
        t = t.elem
    return isinstance(t, (Real, Handle))


__all__ = ["decided_by_reals", "passes", "plain"]
