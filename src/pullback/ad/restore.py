"""Arrays that the reverse sweep takes back to their earlier versions, update by update.

A value that is read from an array which is updated later must be kept, one for each read. Instead,
the program may keep the *overwritten* elements, one for each update. The reverse sweep then works
on a copy of the last version: where the program updated an element it puts the old one back, so at
every point it has the array as the program had it there, and reads it again. That is better where
an update follows many reads, as in dynamic programming.

It is done for arrays whose versions form one line, from the first version in the function to the
last one. ``Restored`` says which arrays these are, ``ad/function_halves.py`` whether it pays.
"""

from __future__ import annotations

from collections.abc import Iterable

from pullback.ad.flow import Flow, updated_groups, versions_of
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Inject,
    Let,
    Loop,
    Sum_,
    Update,
    Var,
    While,
    sub_blocks,
)
from pullback.core.types import Array, Bool, Int, Real

MOST = 4
"""At most that many arrays of a function are considered."""


@dataclass(frozen=True)
class Restored:
    """The arrays that are taken back.

    versions  all versions of them
    last      the last version of each
    before    for each version that an If or Case returns: the version before it
    """

    versions: frozenset[Var] = frozenset()
    last: frozenset[Var] = frozenset()
    before: dict[Var, Var] = field(default_factory=dict)

    def __or__(self, other: Restored) -> Restored:
        before = {**self.before, **other.before}
        return Restored(self.versions | other.versions, self.last | other.last, before)


NOTHING = Restored()


def candidates(function: Function, flow: Flow) -> list[Restored]:
    """Return the arrays that could be taken back."""
    first = versions_of(function)
    made = {v for let in function.body.lets for v in let.vars}
    out: list[Restored] = []
    for group in updated_groups(flow):
        members = {v for v in group if v not in flow.same}
        roots = {first.get(v, v) for v in members}
        if len(roots) == 1 and roots <= made and len(out) < MOST:
            (root,) = roots
            if isinstance(root.type, Array) and isinstance(root.type.elem, (Real, Int, Bool)):
                line = _Line(frozenset(members), frozenset(group), flow)
                if line.follow(function.body, root):
                    out.append(Restored(frozenset(members), frozenset({line.now}), line.before))
    return out


class _Line:
    """The walk over the versions of one array, ``now`` being the present one."""

    def __init__(self, members: frozenset[Var], names: frozenset[Var], flow: Flow) -> None:
        self.members = members
        self.names = names
        self.flow = flow
        self.now: Var = next(iter(members))
        self.before: dict[Var, Var] = {}

    def follow(self, block: Block, start: Var) -> bool:
        """Whether the versions in a block, entered with ``start``, form one line."""
        self.now = start
        return all(map(self.let, block.lets))

    def named(self, atoms: Iterable[Atom]) -> bool:
        return not self.names.isdisjoint(atoms)

    def let(self, let: Let) -> bool:
        mine = [k for k, v in enumerate(let.vars) if v in self.members]
        match let.op:
            case Update(array, _, value, _):
                if array in self.members:
                    if array is not self.now:
                        return False
                    self.now = let.vars[0]
                return not self.named((value,))
            case If() | Case():
                return self.branch(let, mine)
            case Loop(_, _, carried, _, body) | While(carried, _, _, body):
                if self.named(body.results[len(carried) :]):
                    return False
                return self.loop(let, let.op)
            case Build(_, _, body) | Sum_(_, _, body):
                return not self.named(body.results) and self.unchanged((body,))
            case Inject(_, _, fields):
                return not self.named(fields)
            case Call(name, args):
                consumes = self.flow.summary(name).consumes
                return not self.named(a for k, a in enumerate(args) if k in consumes)
            case _:
                return True

    def unchanged(self, blocks: Iterable[Block]) -> bool:
        start = self.now
        return all(self.follow(block, start) and self.now is start for block in blocks)

    def branch(self, let: Let, mine: list[int]) -> bool:
        start = self.now
        blocks = [block for _, block in sub_blocks(let.op)]
        if not mine:
            return self.unchanged(blocks)
        (k, *more) = mine
        for block in blocks:
            if not self.follow(block, start) or block.results[k] is not self.now:
                return False
        self.before[let.vars[k]] = start
        self.now = let.vars[k]
        return not more

    def loop(self, let: Let, op: Loop | While) -> bool:
        start = self.now
        mine = [k for k, c in enumerate(op.carried) if c in self.members]
        blocks = [block for _, block in sub_blocks(op)]
        if not mine:
            return self.unchanged(blocks)
        (k, *more) = mine
        c = op.carried[k]
        if more or op.inits[k] is not start:
            return False
        if isinstance(op, While) and not (self.follow(op.cond, c) and self.now is c):
            return False
        if not self.follow(op.body, c) or op.body.results[k] is not self.now:
            return False
        self.now = let.vars[k]
        return True
