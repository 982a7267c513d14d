"""Remove residuals of a loop: keep them once for all iterations, or compute them again.

    loop i < n with c = init. (h = acc_new(m), ... next c is r) emitted: c, r, h
    ==>  let H = acc_new(n, m) before the loop, h = pick H i in it; and where the emitted arrays
         are read at j: for h  pick H j,  for c  if j > 0 then R[j - 1] else init

A value that follows from the number of the iteration by cheap steps is not kept at all, nor is a
sign that alternates, and a carried variable is not kept beside its next value. Only arrays that are
just indexed are replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from pullback.core.build import Builder, i64
from pullback.core.effects import may_duplicate
from pullback.core.terms import (
    AccNew,
    Atom,
    Block,
    Function,
    If,
    Index,
    Let,
    Loop,
    Op,
    Prim,
    Program,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import defined, map_blocks, map_children
from pullback.core.types import Handle
from pullback.opt.arrays.storage import updated_arrays

LONGEST = 4
"""A value that takes more steps than this is kept."""

Recipe = Callable[[Builder, Atom], Op]
"""The element of an emitted array at an index; the steps for it go to the builder."""


def eliminate_residuals(program: Program) -> Program:
    """Return the program with fewer emitted arrays."""
    updated = updated_arrays(program)
    functions = {name: _Walk(updated).function(f) for name, f in program.functions.items()}
    return Program(functions, program.decls, program.main)


class _Walk:
    """The walk over one function.

    elsewhere  variables with another use than an Index without check
    recipes    the replacement for a read of an emitted array
    """

    def __init__(self, updated: frozenset[Var]) -> None:
        self.updated = updated
        self.elsewhere: set[Var] = set()
        self.read: set[Var] = set()
        self.recipes: dict[Var, Recipe] = {}

    def function(self, f: Function) -> Function:
        self.look(f.body)
        return Function(f.name, f.params, self.block(f.body), f.results)

    def look(self, block: Block) -> None:
        """Collect the uses of variables."""
        for let in block.lets:
            others = atoms(let.op)
            if isinstance(let.op, Index) and not let.op.checked:
                others = let.op.indices
                self.read.update(_variables((let.op.array,)))
            self.elsewhere.update(_variables(others))
            for _, inner in sub_blocks(let.op):
                self.look(inner)
        self.elsewhere.update(_variables(block.results))

    def block(self, block: Block) -> Block:
        b = Builder()
        for let in block.lets:
            op = map_blocks(let.op, self.block)
            match op:
                case Index(Var() as array, (i,), _) if array in self.recipes:
                    op = self.recipes[array](b, i)
                case Loop():
                    op = self.handles(op, b)
                    self.loop(let.vars, op, op.index)
                case While():
                    self.loop(let.vars, op, None)
                case _:
                    pass
            b.lets.append(Let(let.vars, op, let.site))
        return b.block(block.results)

    def handles(self, op: Loop, b: Builder) -> Loop:
        """Return the loop with the accumulators of one shape that it allocates and returns as parts
        of one accumulator in front of it."""
        varying = {*defined(op.body), op.index, *op.carried}
        handed, lets = _variables(op.body.results), []
        for let in op.body.lets:
            match let.op:
                case AccNew(extents) if let.vars[0] in handed and varying.isdisjoint(extents):
                    count = b.prim("max", op.count, i64(0))
                    many = b.let(AccNew((count, *extents)), (Handle(len(extents) + 1),))
                    lets.append(Let(let.vars, Prim("pick", (*many, op.index), (0,))))
                case _:
                    lets.append(let)
        body = Block(tuple(lets), op.body.results)
        return Loop(op.count, op.index, op.carried, op.inits, body)

    def loop(self, out: tuple[Var, ...], op: Loop | While, index: Var | None) -> None:
        """Collect recipes for the results that the loop emits."""
        n = len(op.carried)
        emitted = dict(zip(out[n:], op.body.results[n:], strict=True))
        made = {v: let for let in op.body.lets for v in let.vars}
        varying = {*defined(op.body), *op.carried} | ({index} if index is not None else set())
        after = dict(zip(op.carried, zip(op.body.results, op.inits, strict=False), strict=False))
        known: dict[Atom, Recipe] = {}
        for v, r in emitted.items():
            recipe = None if index is None else self.again(r, made, varying, index)
            if recipe is not None:
                known[r] = recipe
                if v not in self.elsewhere:
                    self.recipes[v] = recipe
            elif v in self.read:
                known.setdefault(r, _stored(v))
        for v, r in emitted.items():
            if isinstance(r, Var) and r in after and v not in self.elsewhere:
                following, init = after[r]
                if index is not None and turned(following, made) is r and init not in self.updated:
                    self.recipes[v] = partial(alternating, init)
                    continue
                before = known.get(following)
                if before is None and index is not None:
                    before = self.again(following, made, varying, index)
                if before is not None and init not in self.updated and following is not r:
                    known[r] = self.recipes[v] = _shifted(before, init)

    def again(
        self, r: Atom, made: dict[Var, Let], varying: set[Var], index: Var
    ) -> Recipe | None:
        """Return the recipe that computes the value from the number of the iteration."""
        steps: dict[Let, None] = {}

        def visit(a: Atom) -> bool:
            if not isinstance(a, Var) or a is index or a not in varying:
                return a not in self.updated
            let = made.get(a)
            if let is None or not may_duplicate(let.op) or len(steps) >= LONGEST:
                return False
            if not all(map(visit, atoms(let.op))):
                return False
            steps[let] = None
            return True

        if not isinstance(r, Var) or r not in made or not visit(r):
            return None
        lets = tuple(steps)

        def recipe(b: Builder, i: Atom) -> Op:
            rename: dict[Var, Atom] = {index: i}

            def atom(a: Atom) -> Atom:
                return rename.get(a, a) if isinstance(a, Var) else a

            for let in lets[:-1]:
                fresh = b.let(map_children(let.op, atom, lambda x: x), (let.vars[0].type,))
                rename[let.vars[0]] = fresh[0]
            return map_children(lets[-1].op, atom, lambda x: x)

        return recipe


def turned(a: Atom, made: dict[Var, Let]) -> Atom | None:
    """Return the number of which ``a`` is the negative."""
    match made[a].op if isinstance(a, Var) and a in made else None:
        case Prim("neg", (x,)):
            return x
        case _:
            return None


def alternating(init: Atom, b: Builder, i: Atom) -> Op:
    """Return the op that computes, from the number of the iteration, a number whose sign
    alternates."""
    even = b.prim("eq", b.prim("mod", i, i64(2)), i64(0))
    return Prim("select", (even, init, b.prim("neg", init)))


def _variables(read: Iterable[Atom]) -> set[Var]:
    return {a for a in read if isinstance(a, Var)}


def _stored(array: Var) -> Recipe:
    return lambda b, i: Index(array, (i,), False)


def _shifted(recipe: Recipe, init: Atom) -> Recipe:
    """Return the recipe for the value in the iteration before, which is ``init`` in the first one.
    """

    def shifted(b: Builder, i: Atom) -> Op:
        earlier = Builder()
        op = recipe(earlier, earlier.prim("sub", i, i64(1)))
        value = earlier.let(op, (init.type,))
        return If(b.prim("gt", i, i64(0)), earlier.block(value), Block((), (init,)))

    return shifted
