"""Copy what a parallel loop reads of an array again and again into a row of each round.

    sum i < n. ... loop k. ... loop c < m. ... a[i, c] ...
        ==>   sum i < n. let row = build c < m. a[i, c] in ... loop k. ... loop c < m. ... row[c] ...

Lanes are rounds of the outer loop, so ``a[i, c]`` gathers eight elements that lie far from each
other, and the elements of ``row`` for eight rounds follow each other. The read depends on the
indices ``i`` and ``c`` only, and stands in another loop (``k``): the table of its values over ``c``
is built once where that loop repeats them. Its elements exist: those of ``a`` along an axis over which
the outer loop goes, or those that the loops certainly read. It has no elements if one of the loops has no rounds, so
a program does at most twice the work.
"""

from __future__ import annotations

from dataclasses import dataclass

from pullback.core.build import Builder, i64
from pullback.core.effects import Effect, EffectsOf
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Program,
    Sum_,
    Var,
    sub_blocks,
)
from pullback.core.traverse import defined, map_blocks
from pullback.core.types import I64, Array, Bool, Int, Real
from pullback.opt.arrays.shapes import Shapes, same, stable_arrays
from pullback.opt.arrays.storage import updated_arrays
from pullback.opt.scalar.bounds import loop_indices

Rounds = tuple[Var, Atom]
"""The index of a loop, and the number of its rounds."""


def pack_rows(program: Program) -> Program:
    """Return the program with such rows."""
    shapes = Shapes(stable_arrays(program))
    packer = _Packer(updated_arrays(program), EffectsOf(program), shapes)
    functions = {
        name: Function(f.name, f.params, packer.block(f.body), f.results)
        for name, f in program.functions.items()
    }
    return Program(functions, program.decls, program.main)


@dataclass(frozen=True, slots=True)
class _Read:
    """A read, the loops around it inside of the parallel loop, the index along the row; whether
    every round of these loops comes to it."""

    op: Index
    around: tuple[Rounds, ...]
    along: Var
    always: bool

    def count(self) -> Atom:
        """A number of rounds that the index along the row is below, if it is known before."""
        rounds = dict(self.around)
        n: Atom = rounds[self.along]
        while isinstance(n, Var) and n in rounds:
            n = rounds[n]
        return n


class _Packer:
    """The walk over a program, as far as the outermost parallel loops."""

    def __init__(self, updated: frozenset[Var], effects: EffectsOf, shapes: Shapes) -> None:
        self.updated = updated
        self.effects = effects
        self.shapes = shapes

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        for let in block.lets:
            self.shapes.enter(let.op)
            op = let.op
            if isinstance(op, Build | Sum_):
                op = self.packed(op, out)
            else:
                op = map_blocks(op, self.block)
            out.append(Let(let.vars, op, let.site))
            self.shapes.bind(out[-1])
        return Block(tuple(out), block.results)

    def packed(self, op: Build | Sum_, out: list[Let]) -> Op:
        """The loop with rows; how long these are goes to ``out``."""
        inside = defined(op.body) | set(op.indices)
        reads: list[_Read] = []
        self.find(op, op.body, (), True, inside, reads)
        rows: list[Let] = []
        instead: dict[Index, Index] = {}
        for read in reads:
            if read.op in instead or not self.pays(read, op, inside):
                continue
            row = self.row(read, out)
            rows.append(row)
            alike = (r for r in reads if _alike(r, read))
            instead.update({r.op: Index(row.vars[0], (r.along,), False) for r in alike})
        if not rows:
            return op

        def redirected(block: Block) -> Block:
            return Block(
                tuple(
                    Let(x.vars, instead[x.op], x.site) if x.op in instead
                    else Let(x.vars, map_blocks(x.op, redirected), x.site)
                    for x in block.lets
                ), block.results
            )  # fmt: skip

        body = redirected(op.body)
        return type(op)(op.extents, op.indices, Block((*rows, *body.lets), body.results))

    def find(
        self, op: Build | Sum_, block: Block, around: tuple[Rounds, ...], always: bool,
        inside: set[Var], out: list[_Read],
    ) -> None:  # fmt: skip
        """Add the reads of rows to ``out``."""
        lane = op.indices[-1]
        for let in block.lets:
            x = let.op
            if isinstance(x, Build | Sum_ | Loop):
                self.find(op, x.body, (*around, *loop_indices(x)), always, inside, out)
                continue
            for _, inner in sub_blocks(x):
                self.find(op, inner, around, False, inside, out)
            if isinstance(x, Index) and not x.checked and x.array not in inside:
                rounds = {i for i, _ in around}
                along = [a for a in x.indices if a in rounds]
                fixed = all(a is lane or a in rounds or a not in inside for a in x.indices)
                if (
                    fixed and len(along) == 1 and list(x.indices).count(lane) == 1
                    and x.indices[-1] is not lane and isinstance(let.vars[0].type, SCALARS)
                ):  # fmt: skip
                    (c,) = along
                    assert isinstance(c, Var)
                    out.append(_Read(x, around, c, always))

    def pays(self, read: _Read, op: Build | Sum_, inside: set[Var]) -> bool:
        """Whether a loop repeats the row, which exists wherever the loops have rounds."""
        n = read.count()
        if not read.always or len(read.around) < 2 or n in inside or read.op.array in self.updated:
            return False
        counts = [x for _, x in read.around if x in inside]
        rounds = {i for i, _ in read.around}
        if all(x in rounds for x in counts) and len(read.op.indices) == 2:
            at = read.op.indices.index(op.indices[-1])
            if same(op.extents[-1], self.shapes.of(read.op.array)[at]):
                return True
        return not counts and Effect.RAISE not in self.effects(op)

    def row(self, read: _Read, out: list[Let]) -> Let:
        """The row at the beginning of a round."""
        b = Builder()
        axis = read.op.indices.index(read.along)
        n: Atom = b.prim("min", read.count(), b.dim(read.op.array, axis))
        rounds = {i for i, _ in read.around}
        for _, count in read.around:
            if count not in rounds and not isinstance(count, Lit):
                n = b.prim("select", b.prim("gt", count, i64(0)), n, i64(0))
        out.extend(b.lets)
        c = Var(read.along.name, I64)
        at = tuple(c if a is read.along else a for a in read.op.indices)
        elem = read.op.array.type
        assert isinstance(elem, Array)
        v = Var("row", elem.elem)
        body = Block((Let((v,), Index(read.op.array, at, False)),), (v,))
        return Let((Var("row", Array(elem.elem, 1)),), Build((n,), (c,), body))


SCALARS = Real | Int | Bool


def _alike(a: _Read, b: _Read) -> bool:
    """Whether two reads are of the same row."""
    return (
        a.op.array is b.op.array
        and same(a.count(), b.count())
        and all(
            (x is a.along and y is b.along) or same(x, y)
            for x, y in zip(a.op.indices, b.op.indices, strict=True)
        )
    )
