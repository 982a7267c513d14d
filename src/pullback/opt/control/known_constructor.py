"""Replace a case on a sum that a branch has built by the same branch once more.

    let s = if c then inject A(x) else inject B(y) in ... case s { A(u). e; B(v). e' }
    ==>   ... if c then e[x/u] else e'[y/v]

Such a sum is a function that is chosen at run time and then called (the sum says which function),
or an ``Optional``, or the residuals of a branch, beside the reverse sweep. Reverse mode then keeps
a truth value, instead of a sum with everything that the function has captured, and a loop with such
a branch runs in lanes.

Where possible, the case is done in the arms themselves (``case_of_case``). Elsewhere, for instance
if a function is chosen once and called in a loop, a scalar that an arm computes becomes a further
result of the branch, with 0 as the result of the other arm; if a field that an arm computes is no
scalar, nothing is done. Every variant is built in one arm at most, so no code is written twice.
"""

from __future__ import annotations

from pullback.core.build import lit
from pullback.core.frozen import dataclass
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
    """Return the program with such cases as branches."""
    updated = updated_arrays(program)
    return map_functions(program, lambda f: _Pass(updated).function(case_of_case(f)))


class _Pass:
    """The walk. ``taken``: the variables on which there is a case; ``known``: how the sums in scope
    were built."""

    def __init__(self, updated: frozenset[Var]) -> None:
        self.updated = updated
        self.taken: set[Atom] = set()
        self.known: dict[Atom, Way] = {}

    def function(self, f: Function) -> Function:
        self.find(f.body)
        return Function(f.name, f.params, self.block(f.body), f.results) if self.taken else f

    def find(self, block: Block) -> None:
        """Collect the variables on which there is a case; backward, because a result of an arm
        counts if that of the branch does."""
        for let in reversed(block.lets):
            if isinstance(let.op, Case):
                self.taken.add(let.op.scrutinee)
            for _, inner in sub_blocks(let.op):
                if isinstance(let.op, (If, Case)):
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
        """Note how ``v`` was built, if neither it nor its fields are updated."""
        if self.updated.isdisjoint((v, *_atoms(way))):
            self.known[v] = way

    def branch(self, op: If, names: tuple[Var, ...]) -> tuple[If, tuple[Var, ...]]:
        """Return the branch, with the computed fields of the variants as further results."""
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
    """Return how the sum was built in terms of atoms that are in scope after the branch; ``block``
    is one of its arms."""
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
    """Return a branch that goes as the first one went, with the arms of the case in it."""

    def block(way: Way) -> Block:
        if isinstance(way, Leaf):
            arm = case.arms[way.tag]
            return substitute(arm.body, dict(zip(arm.fields, way.fields, strict=True)))
        names = tuple(Var("chosen", t) for t in types)
        return Block((Let(names, _again(way, case, types)),), names)

    return If(way.cond, block(way.then), block(way.orelse))


__all__ = ["know_constructors"]
