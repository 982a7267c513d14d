"""Tell a stack of rows how long the rows are, where that is known before they are built.

    stack (build i < n. let r = build j < m. e in r)   ==>   stack (build i < n. ...) m'

where m' is m, or 0 if n is 0: an array of no rows has no columns. Then the rows are stored into
the result as they are made, so the build may run in lanes (``lower/stacked.py``).
"""

from __future__ import annotations

from pullback.core.build import Builder, i64
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    Let,
    Lit,
    Prim,
    Program,
    Var,
    sub_blocks,
)
from pullback.core.traverse import all_lets, map_blocks, map_functions, uses
from pullback.opt.arrays.shapes import Shapes, stable_arrays


def know_rows(program: Program) -> Program:
    """Return the program in which stacks of rows have extents, as far as these are known."""
    lets = [let for f in program.functions.values() for let in all_lets(f.body)]
    if not any(isinstance(let.op, Prim) and let.op.name == "stack" for let in lets):
        return program
    stable = stable_arrays(program)
    return map_functions(program, lambda f: _Rows(stable, f).function(f))


class _Rows:
    """The walk over one function."""

    def __init__(self, stable: frozenset[Var], f: Function) -> None:
        self.shapes = Shapes(stable)
        self.counts = uses(f.body)
        self.here: set[Atom] = set()  # what is bound where the walk is

    def function(self, f: Function) -> Function:
        self.learn(f.body)
        return Function(f.name, f.params, self.block(f.body, f.params), f.results)

    def learn(self, block: Block) -> None:
        """Note the shapes of all arrays."""
        for let in block.lets:
            self.shapes.enter(let.op)
            for _, inner in sub_blocks(let.op):
                self.learn(inner)
            match let.op:
                case Prim("dim", (Var() as a,), (int(axis),)) if self.shapes.of(a)[axis] is None:
                    known = self.shapes.known[a] = list(self.shapes.of(a))
                    known[axis] = let.vars[0]
                case _:
                    self.shapes.bind(let)

    def block(self, block: Block, bound: tuple[Var, ...] = ()) -> Block:
        lets: list[Let] = []
        extents: dict[Atom, tuple[Atom, ...]] = {}
        self.here.update(bound)
        for let in block.lets:
            self.here.update(v for vs, _ in sub_blocks(let.op) for v in vs)
            op = map_blocks(let.op, self.block)
            match op:
                case Build():
                    for v in let.vars:
                        if (row := self.row(v, op, lets)) is not None:
                            extents[v] = row
                case Prim("stack", (rows,)) if rows in extents:
                    op = Prim("stack", (rows, *extents[rows]))
                case _:
                    pass
            lets.append(Let(let.vars, op, let.site))
            self.here.update(let.vars)
        self.here.difference_update(v for let in lets for v in let.vars)
        return Block(tuple(lets), block.results)

    def row(self, v: Var, op: Build, lets: list[Let]) -> tuple[Atom, ...] | None:
        """The extents of the rows of a build, in front of it."""
        known = self.shapes.elements.get(v)
        if self.counts[v] != 1 or known is None or None in known:
            return None
        if any(isinstance(n, Var) and n not in self.here for n in known):
            return None
        b = Builder()
        row = [n for n in known if n is not None]
        for n in op.extents:
            if not (isinstance(n, Lit) and n.value > 0):
                some = b.prim("gt", n, i64(0))
                row = [b.prim("select", some, m, i64(0)) for m in row]
        lets.extend(b.lets)
        return tuple(row)


__all__ = ["know_rows"]
