"""Checks that cannot fail are removed: of indices, of integer overflow, of requirements.

``a[i]`` needs no check where ``i`` runs over an extent of ``a``, over the one that ``a`` was built
with, or over one that the program has required to be equal; ``a[i + 1]``, ``a[n - 1 - i]`` and
triangular loops follow by linear arithmetic (``ranges.Ranges``).
"""

from __future__ import annotations

from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    If,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Update,
    Var,
    While,
)
from pullback.core.traverse import map_blocks
from pullback.core.types import I64, Array, Handle
from pullback.opt.ranges import Form, Ranges
from pullback.opt.shapes import Extents, Shapes, stable_arrays

_CHECKED = {"add.ck": "add", "sub.ck": "sub", "mul.ck": "mul", "neg.ck": "neg"}


def remove_checks(program: Program) -> Program:
    """The program without the checks that surely succeed."""
    stable = stable_arrays(program)
    functions = {name: Checks(stable).function(f) for name, f in program.functions.items()}
    return Program(functions, program.decls, program.main)


class Checks:
    """The walk over one function, with the facts that hold at each place."""

    def __init__(self, stable: frozenset[Var]) -> None:
        self.defs: dict[Var, Op] = {}
        self.ranges = Ranges(self.defs)
        self.shapes = Shapes(stable, self.unknown)

    def unknown(self, v: Var) -> Extents:
        """Names for the extents of an array that comes from elsewhere."""
        assert isinstance(v.type, Array | Handle)
        extents: Extents = [Var("n", I64) for _ in range(v.type.rank)]
        for n in extents:
            assert isinstance(n, Var)
            self.ranges.extents.add(n)  # whatever happens
        return extents

    def function(self, f: Function) -> Function:
        return Function(f.name, f.params, self.block(f.body), f.results)

    def block(self, block: Block) -> Block:
        mark = self.ranges.mark()
        out = []
        for let in block.lets:
            new = self.let(let)
            if new is not None:
                out.append(new)
                self.learn(new)
        self.ranges.forget(mark)
        return Block(tuple(out), block.results)

    def learn(self, let: Let) -> None:
        """The facts that the let leaves behind."""
        for v in let.vars:
            self.defs[v] = let.op
        self.shapes.bind(let)
        match let.op:
            case Prim("dim", (a,), (int(axis),)):
                n = self.shapes.of(a)[axis]
                assert n is not None
                self.ranges.given[let.vars[0]] = self.ranges.form(n)
                self.ranges.extent(let.vars[0])
            case Prim("require", (cond,), _):
                self.ranges.assume(cond, True)
            case Build(extents, _, _):
                for n in extents:
                    self.ranges.extent(n)
            case _:
                return

    def let(self, let: Let) -> Let | None:
        """The let without needless checks; None if it was nothing else."""
        op = let.op
        match op:
            case Index(a, idx, True):
                if self.in_range(a, idx):
                    return Let(let.vars, Index(a, idx, False), let.site)
                return let
            case Update(a, idx, value, True):
                if self.in_range(a, idx):
                    return Let(let.vars, Update(a, idx, value, False), let.site)
                return let
            case Prim(name, args, _) if name in _CHECKED:
                self.defs[let.vars[0]] = op
                if self.ranges.fits(let.vars[0]):
                    return Let(let.vars, Prim(_CHECKED[name], args), let.site)
                return let
            case Prim("require", (cond,), _):
                return None if self.ranges.holds(cond) else let
            case Prim("max" | "min", (x, y)) if x.type == I64:
                larger = self.larger(x, y)
                if larger is None:
                    return let
                kept = larger if op.name == "max" else y if larger is x else x
                return Let(let.vars, Prim("add", (kept, Lit(0, I64))), let.site)  # simplify drops it
            case If(cond, then, orelse):
                mark = self.ranges.mark()
                self.ranges.assume(cond, True)
                first = self.block(then)
                self.ranges.forget(mark)
                self.ranges.assume(cond, False)
                second = self.block(orelse)
                self.ranges.forget(mark)
                return Let(let.vars, If(cond, first, second), let.site)
            case Build(extents, indices, _) | Sum_(extents, indices, _):
                for i, n in zip(indices, extents):
                    self.ranges.index(i, n)
                return Let(let.vars, map_blocks(op, self.block), let.site)
            case Loop(n, i, _, _, _):
                self.ranges.index(i, n)
                self.shapes.enter(op)
                return Let(let.vars, map_blocks(op, self.block), let.site)
            case While(carried, inits, cond, body):
                self.shapes.enter(op)
                test = self.block(cond)
                mark = self.ranges.mark()
                self.ranges.assume(test.results[0], True)
                new = While(carried, inits, test, self.block(body))
                self.ranges.forget(mark)
                return Let(let.vars, new, let.site)
            case _:
                return Let(let.vars, map_blocks(op, self.block), let.site)

    def larger(self, x: Atom, y: Atom) -> Atom | None:
        """The one of two integers that is surely at least the other."""
        difference = self.ranges.form(x).plus(self.ranges.form(y), -1)
        if self.ranges.not_negative(difference):
            return x
        return y if self.ranges.not_negative(Form(0, {}).plus(difference, -1)) else None

    def in_range(self, a: Atom, idx: tuple[Atom, ...]) -> bool:
        """Whether the indices are surely those of an element."""
        extents = self.shapes.of(a)
        return all(n is not None and self.ranges.inside(i, n) for i, n in zip(idx, extents))
