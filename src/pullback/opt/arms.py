"""A case of what a branch has just made is done in that branch: no sum is made or taken apart.

    let x, s = if c then (u; inject A(a)) else (w; inject B(b)) in t; case s { A(p). e; B(q). e' }
    ==>   if c then (u; t; e[p/a]) else (w; t; e'[q/b])

where nothing else reads s, t are primitives, and each variant is made in one arm, so that only t
is written twice. Recursions put what they keep into nodes so, and take it out again; what only one
arm of the reverse half reads is then seen to be that arm's own (``nodes``).
"""

from __future__ import annotations

from pullback.core.prims import TABLE
from pullback.core.terms import (
    Atom,
    Block,
    Case,
    Function,
    If,
    Inject,
    Let,
    Prim,
    Program,
    Var,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import (
    map_blocks,
    map_functions,
    refresh,
    substitute,
    uses,
)


def case_in_arms(program: Program) -> Program:
    """The program with such cases in the branches before them."""
    return map_functions(program, _function)


def _function(f: Function) -> Function:
    return Function(f.name, f.params, _block(f.body), f.results)


def _block(block: Block) -> Block:
    lets = [Let(let.vars, map_blocks(let.op, _block), let.site) for let in block.lets]
    at = 0
    while at < len(lets):
        joined = _joined(lets, at, block.results)
        if joined is None:
            at += 1
        else:
            lets, at = joined, 0
    return Block(tuple(lets), block.results)


def _joined(lets: list[Let], end: int, results: tuple[Atom, ...]) -> list[Let] | None:
    """The lets of a block with the case at ``end`` in the branch that made what it looks at."""
    case = lets[end]
    if not isinstance(case.op, Case) or not isinstance(case.op.scrutinee, Var):
        return None
    s = case.op.scrutinee
    at = next((k for k in range(end) if s in lets[k].vars), None)
    if at is None or not isinstance(lets[at].op, If | Case):
        return None
    if uses(Block(tuple(lets[at:]), results))[s] != 1:
        return None
    branch, between = lets[at], lets[at + 1 : end]
    if not all(isinstance(x.op, Prim) and not TABLE[x.op.name].effect for x in between):
        return None
    made = [_made(block, branch.vars.index(s)) for _, block in sub_blocks(branch.op)]
    tags = [m.tag for m in made if m is not None]
    if None in made or len(set(tags)) != len(made):
        return None
    inside, moved = set(branch.vars), []
    for x in between:
        if not inside.isdisjoint(atoms(x.op)):
            moved.append(x)
            inside.update(x.vars)
    rest = uses(Block(tuple(lets[end + 1 :]), results))
    if any(rest[v] for x in moved for v in x.vars):
        return None
    names = tuple(v for v in branch.vars if rest[v])
    arms = iter(made)

    def arm(block: Block) -> Block:
        sum_ = next(arms)
        assert sum_ is not None and isinstance(case.op, Case)
        flows = dict(zip(branch.vars, block.results, strict=True))
        chosen = case.op.arms[sum_.tag]
        flows |= dict(zip(chosen.fields, sum_.fields, strict=True))
        steps = _read_by(moved, chosen.body)
        names_of = tuple(v for x in steps for v in x.vars)
        again = refresh(Block(steps, names_of), flows)
        flows |= dict(zip(names_of, again.results, strict=True))
        after = substitute(chosen.body, flows)
        before = (x for x in block.lets if x.op is not sum_)
        handed = (flows[v] for v in names)
        return Block((*before, *again.lets, *after.lets), (*handed, *after.results))

    op = map_blocks(branch.op, arm)
    whole = Let((*names, *case.vars), op, branch.site)
    outside = [x for x in between if x not in moved]
    return [*lets[:at], *outside, whole, *lets[end + 1 :]]


def _read_by(steps: list[Let], block: Block) -> tuple[Let, ...]:
    """Those of the steps in front of a block that are made for it."""
    read, out = set(uses(block)), []
    for let in reversed(steps):
        if not read.isdisjoint(let.vars):
            out.append(let)
            read.update(a for a in atoms(let.op) if isinstance(a, Var))
    return tuple(reversed(out))


def _made(block: Block, k: int) -> Inject | None:
    """The variant that an arm makes as its result ``k``, and makes for nothing else."""
    r = block.results[k]
    for let in block.lets:
        if r in let.vars and isinstance(let.op, Inject):
            return let.op if uses(block)[let.vars[0]] == 1 else None
    return None


__all__ = ["case_in_arms"]
