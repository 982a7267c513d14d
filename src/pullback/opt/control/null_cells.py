"""Leave out what is only added to cells that nobody reads, in the rounds where it is.

    h = if c then hs[i] else none                      h = if c then hs[i] else none
    x = product ...                            ==>     if c then (x = product ...;
    sum i, j. h[i, j] += x[i, j]                                  sum i, j. h[i, j] += x[i, j])

A loop that begins with an array without a derivative, as the layers of a network begin with the
data, has a handle for it, ``none``, whose cells are one cell that nobody reads
(``ad/cells.py:null_handle``). The loop in which the first layer is one round among others would
otherwise compute the cotangent of the data, which may be most of the work.
"""

from __future__ import annotations

from collections import Counter

from pullback.core.effects import Effect, EffectsOf
from pullback.core.prims import VIEWS
from pullback.core.terms import (
    AccAdd,
    AccNew,
    Atom,
    Block,
    Build,
    Function,
    If,
    Let,
    Lit,
    Op,
    Prim,
    Program,
    Sum_,
    Var,
)
from pullback.core.traverse import all_lets, map_blocks, map_functions, uses
from pullback.core.types import Handle

Choice = tuple[Atom, bool]
"""A condition, and for which of its values a handle has cells that somebody may read."""


def skip_null_cells(program: Program) -> Program:
    """Return the program without additions to such cells, and what is computed for them alone."""
    effects = EffectsOf(program)

    def function(f: Function) -> Function:
        null = _null_handles(f.body)
        body = _Skipper(effects, null, {}).block(f.body) if null else f.body
        return Function(f.name, f.params, body, f.results)

    return map_functions(program, function)


def _null_handles(body: Block) -> frozenset[Var]:
    """Return the handles whose cells are all the one cell of an accumulator without other uses."""
    lets = list(all_lets(body))
    cells = {
        let.vars[0] for let in lets
        if isinstance(let.op, AccNew) and all(n == Lit(1, n.type) for n in let.op.extents)
    }  # fmt: skip
    if not cells:
        return frozenset()
    counts = uses(body)
    return frozenset(
        let.vars[0] for let in lets
        if isinstance(let.op, Prim) and let.op.name == "broadcast" and let.op.args[0] in cells
        and counts[_var(let.op.args[0])] == 1
    )  # fmt: skip


def _var(a: Atom) -> Var:
    assert isinstance(a, Var)
    return a


class _Skipper:
    def __init__(
        self, effects: EffectsOf, null: frozenset[Var], chosen: dict[Var, Choice]
    ) -> None:
        self.effects = effects
        self.null = null
        self.chosen = chosen

    def block(self, block: Block) -> Block:
        lets: list[Let] = []
        skips: list[Let] = []
        for let in block.lets:
            self.choose(let)
            choice = self.only_adds(let.op)
            if choice is not None:
                skips.append(_under(choice, [let]))
                lets.append(skips[-1])
            else:
                parallel = isinstance(let.op, (Build, Sum_))
                op = let.op if parallel else map_blocks(let.op, self.block)
                lets.append(Let(let.vars, op, let.site))
        counts = uses(Block(tuple(lets), block.results)) if skips else Counter()
        for skip in skips:
            lets = self.with_causes(lets, lets.index(skip), counts)
        return Block(tuple(lets), block.results)

    def choose(self, let: Let) -> None:
        """Note the handles that a branch chooses, and views of them."""
        match let.op:
            case If(cond, then, orelse):
                for v, a, b in zip(let.vars, then.results, orelse.results, strict=True):
                    if isinstance(v.type, Handle) and (a in self.null) != (b in self.null):
                        self.chosen[v] = cond, b in self.null
            case Prim(name, (Var() as source, *_)) if name in VIEWS and source in self.chosen:
                self.chosen[let.vars[0]] = self.chosen[source]
            case _:
                pass

    def only_adds(self, op: Op) -> Choice | None:
        """Return when an op does anything, if all it does is to add to such handles."""
        if not isinstance(op, AccAdd) and not (isinstance(op, Sum_) and not op.body.results):
            return None
        if not self.effects(op) <= {Effect.WRITE, Effect.READ}:
            return None
        inner = [let.op for let in all_lets(op.body)] if isinstance(op, Sum_) else [op]
        writes = [x for x in inner if not isinstance(x, Sum_) and Effect.WRITE in self.effects(x)]
        found = {
            self.chosen.get(_var(x.handle)) if isinstance(x, AccAdd) else None for x in writes
        }
        return found.pop() if len(found) == 1 else None

    def with_causes(self, lets: list[Let], at: int, counts: Counter[Var]) -> list[Let]:
        """Return lets with what only the additions at a place read in front of them, in their
        branch."""
        op = lets[at].op
        assert isinstance(op, If)
        inside = [*op.then.lets, *op.orelse.lets]
        reads = uses(Block(tuple(inside), ()))
        stay: list[Let] = []
        for k in reversed(range(at)):
            let = lets[k]
            mine = any(reads[v] for v in let.vars) and all(reads[v] == counts[v] for v in let.vars)
            if mine and self.effects.is_pure(let.op):
                inside.insert(0, let)
                reads += uses(Block((let,), ()))
            else:
                stay.insert(0, let)
            if Effect.CONSUME in self.effects(let.op):
                stay = lets[:k] + stay
                break
        return [*stay, _under((op.cond, bool(op.then.lets)), inside), *lets[at + 1 :]]


def _under(choice: Choice, lets: list[Let]) -> Let:
    """Return lets that are done where a condition has one of its values."""
    (cond, way), arm, other = choice, Block(tuple(lets), ()), Block((), ())
    return Let((), If(cond, *((arm, other) if way else (other, arm))), lets[-1].site)


__all__ = ["skip_null_cells"]
