"""Compute in the forward sweep what the reverse sweep would compute from kept values alone.

The forward sweep then keeps the result: for ``min(x, y)`` the truth value of ``y < x`` instead of
both numbers; for an array of which only the length is used, its length.

    forward ...                      forward ...; t = y < x
    keep x, y                  ==>   keep t
    reverse t = y < x; ...           reverse ...

Steps are moved one after the other, in the order of the reverse sweep, if the residuals take less
room then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pullback.core.effects import Work, is_total, may_duplicate
from pullback.core.frozen import dataclass, field
from pullback.core.terms import AccNew, Atom, Block, Let, Op, Prim, Var, atoms
from pullback.core.traverse import substitute, uses
from pullback.core.types import Bool, Int, Real, Type


def narrow(
    block: Block, kept: tuple[Var, ...], own: dict[Var, None], is_forward: Callable[[Var], bool]
) -> tuple[Block, tuple[Var, ...], list[Let]]:
    """Return the reverse block with fewer lets, the variables that it reads now, and the lets to
    add to the forward block. ``own``: the variables of the forward block."""
    if not any(_size(v.type) > 1 for v in kept):
        return block, kept, []
    mover = _Mover(_shared(block, is_forward), kept, own, is_forward)
    mover.run()
    return mover.result()


def without_dead(block: Block) -> Block:
    """Return the block without steps whose results nobody reads, so that their operands need not be
    kept."""
    wanted = Counter(uses(block))
    lets = []
    for let in reversed(block.lets):
        if _may_go(let.op) and not any(wanted[v] for v in let.vars):
            wanted.subtract(a for a in atoms(let.op) if isinstance(a, Var))
        else:
            lets.append(let)
    return Block(tuple(reversed(lets)), block.results)


def _may_go(op: Op) -> bool:
    return is_total(op) or isinstance(op, AccNew)


def _size(t: Type) -> int:
    """Return the size in bytes; for a value that may have to be copied, a large number."""
    match t:
        case Real(bits):
            return bits // 8
        case Bool():
            return 1
        case Int():
            return 8
        case _:
            return 1000


def _is_step(let: Let, is_forward: Callable[[Var], bool]) -> bool:
    """Whether the let is a single scalar operation on forward values that cannot fail."""
    op = let.op
    if not isinstance(op, Prim) or len(let.vars) != 1:
        return False
    if not all(is_forward(a) for a in op.args if isinstance(a, Var)):
        return False
    (v,) = let.vars
    if op.name == "dim":
        return is_forward(v)  # (an array that is updated later has its extents taken before)
    scalars = all(isinstance(x.type, (Real, Int, Bool)) for x in (v, *op.args))
    return scalars and may_duplicate(op, Work.FUNCTION)


def _shared(block: Block, is_forward: Callable[[Var], bool]) -> Block:
    """Return the block with equal steps on forward values done once."""
    first: dict[object, Var] = {}
    same: dict[Var, Atom] = {}
    derived: set[Var] = set()
    lets = []
    for let in block.lets:
        if _is_step(let, lambda v: v in derived or is_forward(v)):
            assert isinstance(let.op, Prim)
            args = tuple(same.get(a, a) if isinstance(a, Var) else a for a in let.op.args)
            found = first.setdefault((let.op.name, args, let.op.static), let.vars[0])
            derived.add(let.vars[0])
            if found is not let.vars[0] and not is_forward(let.vars[0]):
                same[let.vars[0]] = found
                continue
        lets.append(let)
    return substitute(Block(tuple(lets), block.results), same) if same else block


@dataclass
class _Mover:
    block: Block
    kept: tuple[Var, ...]
    own: dict[Var, None]
    outside: Callable[[Var], bool]
    steps: dict[Var, Let] = field(default_factory=dict)
    moved: set[Var] = field(default_factory=set)
    extra: list[Let] = field(default_factory=list)
    dead: set[Var] = field(default_factory=set)

    def run(self) -> None:
        self.uses = Counter(uses(self.block))
        self.keeps = dict.fromkeys(self.kept)
        for let in self.block.lets:
            if _is_step(let, lambda v: v in self.steps or self.is_forward(v)):
                self.steps[let.vars[0]] = let
        for let in self.steps.values():
            if let.vars[0] not in self.dead and self.uses[let.vars[0]]:
                self.consider(let)

    def is_forward(self, v: Var) -> bool:
        return v in self.moved or self.outside(v)

    def consider(self, let: Let) -> None:
        """Move the let, with the lets that only it reads, if fewer bytes are kept then."""
        freed: list[Var] = []
        gone: dict[Var, Let] = {let.vars[0]: let}
        left: Counter[Var] = Counter()
        work = [let]
        while work:
            for a in atoms(work.pop().op):
                if isinstance(a, Var):
                    left[a] += 1
                    if left[a] == self.uses[a]:
                        if a in self.keeps:
                            freed.append(a)
                        elif a in self.steps and a not in self.dead:
                            gone[a] = self.steps[a]
                            work.append(self.steps[a])
        (v,) = let.vars
        if sum(_size(a.type) for a in freed) <= _size(v.type):
            return
        if not all(a in gone or self.is_forward(a) for a in left):
            return
        self.uses.subtract(left)
        for a in freed:
            del self.keeps[a]
        self.keeps[v] = None
        self.dead.update(gone)
        new = [x for a, x in self.steps.items() if a in gone and a not in self.own]
        self.extra.extend(new)
        self.moved.update(x.vars[0] for x in new)

    def result(self) -> tuple[Block, tuple[Var, ...], list[Let]]:
        lets = tuple(x for x in self.block.lets if not x.vars or x.vars[0] not in self.dead)
        return Block(lets, self.block.results), tuple(self.keeps), self.extra
