"""Do a case on a sum in the arms of the branch that has built the sum.

    let x, s = if c then (u; inject A(a)) else (w; inject B(b)) in t; case s { A(p). e; B(q). e' }
    ==>   if c then (u; t; e[p/a]) else (w; t; e'[q/b])

This is done where nothing else reads s, and t are primitives. An arm may itself end in a branch.
Each variant is built in one place, so only t is written twice, as far as e and e' read it. (Peyton
Jones and Santos, *A transformation-based optimiser for Haskell*, 1998.)
"""

from __future__ import annotations

from collections import Counter

from pullback.core.effects import is_total
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    Atom,
    Block,
    Case,
    Function,
    If,
    Inject,
    Let,
    Prim,
    Var,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import Substitution, map_blocks, refresh, substitute, uses


def case_of_case(f: Function) -> Function:
    """Return the function with such cases moved into the branches before them."""
    return Function(f.name, f.params, _Blocks(uses(f.body)).block(f.body), f.results)


@dataclass
class _Blocks:
    """The walk over the blocks. ``counts``: how often the present function reads each variable."""

    counts: Counter[Var]

    def block(self, block: Block) -> Block:
        lets: list[Let] = []
        places: dict[Atom, int] = {}
        for let in block.lets:
            at = places.get(let.op.scrutinee) if isinstance(let.op, Case) else None
            joined = None if at is None else self.joined(lets[at], lets[at + 1 :], let)
            if joined is None or at is None:
                at, joined = len(lets), [let]
            lets[at:] = joined
            places.update((v, k) for k in range(at, len(lets)) for v in lets[k].vars)
        inner = (Let(let.vars, map_blocks(let.op, self.block), let.site) for let in lets)
        return Block(tuple(inner), block.results)

    def joined(self, branch: Let, between: list[Let], case: Let) -> list[Let] | None:
        """Return the lets that replace branch, lets between and case, if the case can be done in
        the branch."""
        op = case.op
        assert isinstance(op, Case) and isinstance(op.scrutinee, Var)
        tags = None if isinstance(branch.op, Inject) else self.tags(branch, op.scrutinee)
        if tags is None or len(set(tags)) < len(tags):
            return None
        if not all(isinstance(x.op, Prim) and is_total(x.op) for x in between):
            return None
        inside, moved = set(branch.vars), []
        for x in between:
            if not inside.isdisjoint(atoms(x.op)):
                moved.append(x)
                inside.update(x.vars)
        read = uses(Block((*moved, case), ()))
        if any(self.counts[v] > read[v] for x in moved for v in x.vars):
            return None
        handed = tuple(v for v in branch.vars if self.counts[v] > read[v])
        flows: Substitution = {v: v for v in branch.vars}
        names = (*handed, *case.vars)
        whole = _Join(op, moved, handed).branch(branch, op.scrutinee, flows, names)
        self.counts.subtract(uses(Block((branch, *moved, case), ())))
        self.counts.update(uses(Block((whole,), ())))
        return [*(x for x in between if x not in moved), whole]

    def tags(self, let: Let, s: Var) -> list[int] | None:
        """Return the tags of the variants as which the branch builds ``s``, each at most once; None
        if some arm builds it in an unknown way."""
        if self.counts[s] != 1:
            return None
        match let.op:
            case Inject(_, tag, _):
                return [tag]
            case If() | Case():
                out = []
                for _, block in sub_blocks(let.op):
                    made = _made(block, block.results[let.vars.index(s)])
                    tags = self.tags(*made) if made is not None else None
                    if tags is None:
                        return None
                    out += tags
                return out
            case _:
                return None


def _made(block: Block, a: Atom) -> tuple[Let, Var] | None:
    """Return the let that builds ``a`` in the block: an injection anywhere in it, or a branch at
    its end."""
    for let in reversed(block.lets):
        if a in let.vars and isinstance(a, Var):
            return (let, a) if isinstance(let.op, Inject) or let is block.lets[-1] else None
    return None


@dataclass(frozen=True)
class _Join:
    """One such rewriting. ``moved``: the lets to do before the case; ``handed``: the other results
    of the branch that stay."""

    case: Case
    moved: list[Let]
    handed: tuple[Var, ...]

    def branch(self, let: Let, s: Var, flows: Substitution, names: tuple[Var, ...]) -> Let:
        """Return the branch that built ``s`` with the case inside, and its new results. ``flows``:
        the names that the results of the outermost branch have behind it."""

        def arm(block: Block) -> Block:
            here = dict(zip(let.vars, block.results, strict=True))
            made = _made(block, here[s])
            assert made is not None
            inner = {v: here.get(a, a) if isinstance(a, Var) else a for v, a in flows.items()}
            return self.arm(block, *made, inner, names)

        return Let(names, map_blocks(let.op, arm), let.site)

    def arm(
        self, block: Block, let: Let, s: Var, flows: Substitution, names: tuple[Var, ...]
    ) -> Block:
        """Return an arm, in which ``let`` builds ``s``."""
        if not isinstance(let.op, Inject):
            names = tuple(Var(v.name, v.type) for v in names)
            return Block((*block.lets[:-1], self.branch(let, s, flows, names)), names)
        chosen = self.case.arms[let.op.tag]
        flows = flows | dict(zip(chosen.fields, let.op.fields, strict=True))
        steps = _read_by(self.moved, chosen.body)
        made = tuple(v for x in steps for v in x.vars)
        again = refresh(Block(steps, made), flows)
        after = substitute(chosen.body, flows | dict(zip(made, again.results, strict=True)))
        before = (x for x in block.lets if x is not let)
        handed = (flows[v] for v in self.handed)
        return Block((*before, *again.lets, *after.lets), (*handed, *after.results))


def _read_by(steps: list[Let], block: Block) -> tuple[Let, ...]:
    """Return those of the steps in front of a block that it needs."""
    read, out = set(uses(block)), []
    for let in reversed(steps):
        if not read.isdisjoint(let.vars):
            out.append(let)
            read.update(a for a in atoms(let.op) if isinstance(a, Var))
    return tuple(reversed(out))


__all__ = ["case_of_case"]
