"""Replace a sum that always has one variant by the fields of this variant.

    let s = loop i < n with c = inject A(x0). (... case c { A(x). inject A(e); B(y). ... }) in e'
    ==>   let x = loop i < n with x' = x0. (let c = inject A(x') in ... e) in
          let s = inject A(x) in e'

    let s = if c then inject A(x) else inject A(y) in e
    ==>   let z = if c then x else y in let s = inject A(z) in e

An object that never changes its class, such as a filter among other sorts of filters, then has a
static class, and the cases on it vanish (``simplify``). The pass assumes that every sum that a loop
carries keeps its first variant, until the body of the loop contradicts that. Arrays that are
updated in place stay where they are. (GHC calls this constructor specialisation.)
"""

from __future__ import annotations

from pullback.core.build import Builder
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    Atom,
    Block,
    Case,
    CaseArm,
    Function,
    If,
    Inject,
    Let,
    Loop,
    Program,
    Var,
    While,
    sub_blocks,
)
from pullback.core.traverse import map_blocks, map_functions, substitute
from pullback.core.types import Sum
from pullback.opt.arrays.storage import updated_arrays

Made = dict[Atom, Inject]
"""How sums in scope are made."""


def specialise_constructors(program: Program) -> Program:
    """Return the program with the fields of such sums in their place."""
    updated = updated_arrays(program)
    return map_functions(program, lambda f: _Pass(updated).function(f))


@dataclass
class _Pass:
    """The walk. ``updated``: arrays that are updated, and values that contain such arrays."""

    updated: frozenset[Var]

    def function(self, f: Function) -> Function:
        return Function(f.name, f.params, self.block(f.body, {}), f.results)

    def block(self, block: Block, made: Made) -> Block:
        """Return the rewritten block; ``made`` holds the injections that are in scope, and gets
        those of the block."""
        lets: list[Let] = []
        for let in block.lets:
            match let.op:
                case Inject(Sum(), _, fields) as op:
                    if self.still(let.vars[0], *fields):
                        made[let.vars[0]] = op
                    lets.append(let)
                case If() | Case() as branch:
                    lets += self.branch(let, branch, made)
                case Loop() | While() as loop:
                    lets += self.loop(let, loop, made)
                case op:
                    new = map_blocks(op, lambda inner: self.block(inner, made))
                    lets.append(Let(let.vars, new, let.site))
        return Block(tuple(lets), block.results)

    def still(self, *some: Atom) -> bool:
        """Whether none of these is updated."""
        return self.updated.isdisjoint(a for a in some if isinstance(a, Var))

    def branch(self, let: Let, op: If | Case, made: Made) -> list[Let]:
        """Return the branch, followed by injections for the sums that all its arms build in the
        same variant."""
        known = made.get(op.scrutinee) if isinstance(op, Case) else None
        arms = [arm for _, arm in sub_blocks(op)]
        live = range(len(arms)) if known is None else (known.tag,)
        for i in live:
            arms[i] = self.block(arms[i], made)
        names: list[Var] = []
        results: list[list[Atom]] = [[] for _ in arms]
        dead = [Builder() for _ in arms]
        after = []
        for k, v in enumerate(let.vars):
            same = _one_variant([made.get(arms[i].results[k]) for i in live])
            if same is None or not self.still(v, *(arms[i].results[k] for i in live)):
                names.append(v)
                for arm, out in zip(arms, results, strict=True):
                    out.append(arm.results[k])
                continue
            made[v] = own = _like(v, same)
            after.append(Let((v,), own, let.site))
            names += _variables(own)
            for i, (arm, out) in enumerate(zip(arms, results, strict=True)):
                if i in live:
                    out += made[arm.results[k]].fields
                else:
                    out += (dead[i].unread(a.type) for a in own.fields)
        blocks = [
            Block((*arm.lets, *b.lets), tuple(out))
            for arm, b, out in zip(arms, dead, results, strict=True)
        ]
        return [Let(tuple(names), _with_arms(op, blocks), let.site), *after]

    def loop(self, let: Let, op: Loop | While, made: Made) -> list[Let]:
        """Return the loop, which carries the fields of a sum that keeps the variant of its initial
        value."""
        parts = zip(op.carried, op.inits, op.body.results, let.vars, strict=False)
        steady = {
            k: _like(c, made[init])
            for k, (c, init, result, v) in enumerate(parts)
            if init in made and self.still(c, result, v)
        }
        while True:
            inner: Made = {**made, **{op.carried[k]: s for k, s in steady.items()}}
            body = self.block(op.body, inner)
            ends = {k: inner.get(body.results[k]) for k in steady}
            broken = [k for k, end in ends.items() if end is None or end.tag != steady[k].tag]
            if not broken:
                break
            for k in broken:
                del steady[k]
        carried: list[Var] = []
        inits: list[Atom] = []
        results: list[Atom] = []
        names: list[Var] = []
        after = []
        for k, (c, init, v) in enumerate(zip(op.carried, op.inits, let.vars, strict=False)):
            if k in steady:
                made[v] = own = _like(v, steady[k])
                after.append(Let((v,), own, let.site))
                carried += _variables(steady[k])
                inits += made[init].fields
                results += inner[body.results[k]].fields
                names += _variables(own)
            else:
                carried.append(c)
                inits.append(init)
                results.append(body.results[k])
                names.append(v)
        width = len(op.carried)
        names += let.vars[width:]
        first = tuple(Let((op.carried[k],), s) for k, s in steady.items())
        body = Block((*first, *body.lets), (*results, *body.results[width:]))
        new: Loop | While
        if isinstance(op, Loop):
            new = Loop(op.count, op.index, tuple(carried), tuple(inits), body)
        else:
            cond = self.condition(op, steady, made)
            new = While(tuple(carried), tuple(inits), cond, body)
        return [Let(tuple(names), new, let.site), *after]

    def condition(self, op: While, steady: dict[int, Inject], made: Made) -> Block:
        """Return the condition of the loop, on the new carried variables."""
        own = {k: Var(op.carried[k].name, s.type) for k, s in steady.items()}
        cond = substitute(op.cond, {op.carried[k]: v for k, v in own.items()})
        first = tuple(Let((v,), steady[k]) for k, v in own.items())
        return self.block(Block((*first, *cond.lets), cond.results), dict(made))


def _one_variant(ends: list[Inject | None]) -> Inject | None:
    """Return one of these injections if all have the same variant."""
    first = ends[0]
    same = all(s is not None and first is not None and s.tag == first.tag for s in ends)
    return first if same else None


def _like(v: Var, made: Inject) -> Inject:
    """Return an injection of the same variant with new variables."""
    return Inject(made.type, made.tag, tuple(Var(v.name, a.type) for a in made.fields))


def _variables(made: Inject) -> list[Var]:
    return [a for a in made.fields if isinstance(a, Var)]


def _with_arms(op: If | Case, blocks: list[Block]) -> If | Case:
    if isinstance(op, If):
        return If(op.cond, *blocks)
    arms = zip(op.arms, blocks, strict=True)
    return Case(op.scrutinee, tuple(CaseArm(arm.fields, block) for arm, block in arms))


__all__ = ["specialise_constructors"]
