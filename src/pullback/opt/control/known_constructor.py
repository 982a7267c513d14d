"""A case of what a branch has just made is that branch once more: no sum is made or taken apart.

    let s = if c then inject A(x) else inject B(y) in ... case s { A(u). e; B(v). e' }
    ==>   ... if c then e[x/u] else e'[y/v]

This is a function chosen at run time and called (its sum says which one it is), or an ``Optional``;
and what an arm of the forward sweep has kept, where the reverse sweep is beside it. Reverse mode
then keeps a truth value, not a sum with all that the function has captured, and what goes through
such a branch runs in lanes.

Where it can be, the case is done in the arms themselves (``arms``). Elsewhere, as where a function
is chosen once and called in a loop, a scalar that is made in an arm leaves the branch beside s,
from the other arm with 0; with another field of that kind nothing is done. Every variant is made
in one arm at most, so no code is written twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from pullback.core.build import lit
from pullback.core.terms import (
    Atom,
    Block,
    Case,
    Function,
    If,
    Inject,
    Let,
    Program,
    Var,
    sub_blocks,
)
from pullback.core.traverse import map_blocks, map_functions, substitute
from pullback.core.types import Type
from pullback.opt.arrays.storage import updated_arrays
from pullback.opt.control.case_of_case import case_of_case
from pullback.opt.scalar.match import is_scalar


@dataclass(frozen=True)
class Leaf:
    """A variant, and its fields."""

    tag: int
    fields: tuple[Atom, ...]


@dataclass(frozen=True)
class Fork:
    """A branch between variants."""

    cond: Atom
    then: Way
    orelse: Way


Way = Leaf | Fork
"""How a sum was made."""

Further = list[tuple[Var, Atom, Atom]]
"""A result more of a branch, from the one arm and from the other."""


def know_constructors(program: Program) -> Program:
    """The program with such cases as branches."""
    updated = updated_arrays(program)
    return map_functions(program, lambda f: _Pass(updated).function(case_of_case(f)))


class _Pass:
    """``taken``: the variables that are taken apart; ``known``: how sums in scope were made."""

    def __init__(self, updated: frozenset[Var]) -> None:
        self.updated = updated
        self.taken: set[Atom] = set()
        self.known: dict[Atom, Way] = {}

    def function(self, f: Function) -> Function:
        self.find(f.body)
        return Function(f.name, f.params, self.block(f.body), f.results) if self.taken else f

    def find(self, block: Block) -> None:
        """What is taken apart; backward, as a result of an arm is if the branch's is."""
        for let in reversed(block.lets):
            if isinstance(let.op, Case):
                self.taken.add(let.op.scrutinee)
            for _, inner in sub_blocks(let.op):
                if isinstance(let.op, If | Case):
                    pairs = zip(let.vars, inner.results, strict=True)
                    self.taken.update(a for v, a in pairs if v in self.taken)
                self.find(inner)

    def block(self, block: Block) -> Block:
        lets = []
        for let in block.lets:
            op, names = let.op, let.vars
            if isinstance(op, Case):
                way = self.known.get(op.scrutinee)
                op = _again(way, op, tuple(v.type for v in names)) if isinstance(way, Fork) else op
            op = map_blocks(op, self.block)
            if isinstance(op, Inject) and self.taken.issuperset(names):
                self.know(names[0], Leaf(op.tag, op.fields))
            elif isinstance(op, If):
                op, names = self.branch(op, names)
            lets.append(Let(names, op, let.site))
        return Block(tuple(lets), block.results)

    def know(self, v: Var, way: Way) -> None:
        """``v`` was made so, and neither it nor what is in it changes."""
        if self.updated.isdisjoint((v, *_atoms(way))):
            self.known[v] = way

    def branch(self, op: If, names: tuple[Var, ...]) -> tuple[If, tuple[Var, ...]]:
        """The branch, with what the variants are made of as further results."""
        further: Further = []
        for v, *made in zip(names, op.then.results, op.orelse.results, strict=True):
            then, orelse = (self.known.get(a) for a in made)
            if v in self.taken and then is not None and orelse is not None:
                this: Further = []
                first, second = _out(then, op.then, this, 0), _out(orelse, op.orelse, this, 1)
                if first is not None and second is not None:
                    way = Fork(op.cond, first, second)
                    if len(set(_tags(way))) == len(_tags(way)):
                        self.know(v, way)
                        further += this
        if not further:
            return op, names
        arms = [
            Block(b.lets, (*b.results, *(x[k] for x in further)))
            for k, b in enumerate((op.then, op.orelse), 1)
        ]
        return If(op.cond, *arms), (*names, *(v for v, _, _ in further))


def _out(way: Way, block: Block, further: Further, arm: int) -> Way | None:
    """The way, said in atoms that are known after the branch of which ``block`` is an arm."""
    inside = {v for let in block.lets for v in let.vars}
    atoms: dict[Atom, Atom] = {}
    for a in _atoms(way):
        if a in inside and a not in atoms:
            if not is_scalar(a.type):
                return None
            assert isinstance(a, Var)
            atoms[a] = v = Var(a.name, a.type)
            zero = lit(0, a.type)
            further.append((v, zero, a) if arm else (v, a, zero))

    def renamed(way: Way) -> Way:
        if isinstance(way, Leaf):
            return Leaf(way.tag, tuple(atoms.get(a, a) for a in way.fields))
        return Fork(atoms.get(way.cond, way.cond), renamed(way.then), renamed(way.orelse))

    return renamed(way)


def _atoms(way: Way) -> tuple[Atom, ...]:
    if isinstance(way, Leaf):
        return way.fields
    return (way.cond, *_atoms(way.then), *_atoms(way.orelse))


def _tags(way: Way) -> list[int]:
    return [way.tag] if isinstance(way, Leaf) else [*_tags(way.then), *_tags(way.orelse)]


def _again(way: Fork, case: Case, types: tuple[Type, ...]) -> If:
    """The arms of the case, where the branch goes."""

    def block(way: Way) -> Block:
        if isinstance(way, Leaf):
            arm = case.arms[way.tag]
            return substitute(arm.body, dict(zip(arm.fields, way.fields, strict=True)))
        names = tuple(Var("chosen", t) for t in types)
        return Block((Let(names, _again(way, case, types)),), names)

    return If(way.cond, block(way.then), block(way.orelse))


__all__ = ["know_constructors"]
