"""Move an addition into the arm of the branch from which the summand comes.

    d = if c then (t = take h[i]; t) else 0.0        if c then (t = take h[i]; p[j] += t;
    p[j] += d                                   ==>            q[k] += t)
    q[k] += d

The reverse of an update on some paths has such cotangents. The branch runs anyway, and where it is
seldom taken (a shorter path, a larger sum) nothing is added.
"""

from __future__ import annotations

from typing import TypeVar

from pullback.core.effects import Effect, EffectsOf
from pullback.core.terms import AccAdd, AccTake, Block, Function, If, Let, Lit, Program, Var
from pullback.core.traverse import map_blocks, map_functions, uses

T = TypeVar("T")


def add_in_branches(program: Program) -> Program:
    """Return the program with additions in the branches from which their summands come."""
    sinker = _Sinker(EffectsOf(program))
    return map_functions(
        program, lambda f: Function(f.name, f.params, sinker.block(f.body), f.results)
    )


class _Sinker:
    def __init__(self, effects: EffectsOf) -> None:
        self.effects = effects

    def block(self, block: Block) -> Block:
        lets = [Let(x.vars, map_blocks(x.op, self.block), x.site) for x in block.lets]
        if not any(isinstance(x.op, If) and x.vars for x in lets):
            return Block(tuple(lets), block.results)
        counts = uses(Block(tuple(lets), block.results))
        at = 0
        while at < len(lets):
            let = lets[at]
            if isinstance(let.op, If):
                for k in reversed(range(len(let.vars))):
                    self.sink(lets, at, k, counts[let.vars[k]])
            at += 1
        return Block(tuple(lets), block.results)

    def sink(self, lets: list[Let], at: int, k: int, count: int) -> None:
        """Move the additions of result ``k`` of the branch into it, if it has no other uses."""
        let = lets[at]
        assert isinstance(let.op, If)
        arms = (let.op.then, let.op.orelse)
        way = next((j for j, arm in enumerate(arms) if self.gives_nothing(arms[1 - j], k)), None)
        if way is None or not any(isinstance(x.op, (AccTake, AccAdd)) for x in arms[way].lets):
            return
        found = self.additions(lets, at, let.vars[k])
        if len(found) != count or not found:
            return
        value = arms[way].results[k]
        moved = []
        for x in found:
            assert isinstance(x.op, AccAdd)
            moved.append(Let((), AccAdd(x.op.handle, x.op.indices, value), x.site))
        new = [
            Block(arm.lets + tuple(moved if j == way else ()), _without(arm.results, k))
            for j, arm in enumerate(arms)
        ]
        lets[at] = Let(_without(let.vars, k), If(let.op.cond, new[0], new[1]), let.site)
        lets[:] = [x for x in lets if x not in found]

    def gives_nothing(self, arm: Block, k: int) -> bool:
        """Whether an arm does nothing and its result is zero."""
        r = arm.results[k]
        return not arm.lets and isinstance(r, Lit) and r.value == 0.0

    def additions(self, lets: list[Let], at: int, v: Var) -> list[Let]:
        """Return the additions of ``v`` after the branch that may as well stand in it."""
        bound: set[Var] = set(lets[at].vars)
        out = []
        for let in lets[at + 1 :]:
            match let.op:
                case AccAdd(h, idx, value) if value is v:
                    if not bound.isdisjoint((h, *idx)):
                        break
                    out.append(let)
                case _ if Effect.READ in self.effects(let.op):
                    break
                case _:
                    bound.update(let.vars)
        return out


def _without(items: tuple[T, ...], k: int) -> tuple[T, ...]:
    return (*items[:k], *items[k + 1 :])
