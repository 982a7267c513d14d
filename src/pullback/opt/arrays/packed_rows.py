"""Copy what a parallel loop reads of an array again and again into a row of each round.

    sum i < n. ... loop k. ... loop c < m. ... a[i, c] ...
        ==>   sum i < n. let row = build c < m. a[i, c] in ... loop k. ... loop c < m. ... row[c]

Lanes are rounds of the outer loop, so ``a[i, c]`` gathers eight elements that lie far from each
other, and the elements of ``row`` for eight rounds follow each other. The read depends on the
indices ``i`` and ``c`` only, and stands in another loop (``k``): the table of its values over ``c``
is built once where that loop repeats them. Its elements exist: those of ``a`` along an axis over
which the outer loop goes, or those that the loops certainly read. It has none if one of the loops
has no rounds, so a program does at most twice the work.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.core.build import Builder, i64
from pullback.core.effects import Effect, EffectsOf
from pullback.core.frozen import dataclass
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
    Prim,
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

Loops = Build | Sum_ | Loop
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
    """A read of a row: the block in which the row can be made, the loops between this and the read,
    the index along the row; whether every round of these loops comes to it, and whether the other
    indices are those of loops over whole axes."""

    op: Index
    home: Block
    around: tuple[Rounds, ...]
    along: Var
    always: bool
    whole: bool

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
        self.dims: dict[Atom, tuple[Atom, object]] = {}

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        for let in block.lets:
            self.shapes.enter(let.op)
            op = let.op
            if isinstance(op, Prim) and op.name == "dim":
                self.dims[let.vars[0]] = op.args[0], op.static[0]
            if isinstance(op, (Build, Sum_)):
                op = self.packed(op, out)
            else:
                op = map_blocks(op, self.block)
            out.append(Let(let.vars, op, let.site))
            self.shapes.bind(out[-1])
        return Block(tuple(out), block.results)

    def packed(self, op: Build | Sum_, out: list[Let]) -> Op:
        """The loop with rows; how long these are goes to ``out``."""
        inside = defined(op.body) | set(op.indices)
        reads = list(self.reads(op, inside))
        rows: dict[Block, list[Let]] = {}
        instead: dict[Index, Index] = {}
        for read in reads:
            if read.op in instead or not self.pays(read, op, inside):
                continue
            row = self.row(read, out)
            rows.setdefault(read.home, []).append(row)
            alike = (r for r in reads if _alike(r, read))
            instead.update({r.op: Index(row.vars[0], (r.along,), False) for r in alike})

        def redirected(block: Block) -> Block:
            lets: list[Let] = []
            for x in block.lets:
                read = instead.get(x.op) if isinstance(x.op, Index) else None
                lets.append(Let(x.vars, read or map_blocks(x.op, redirected), x.site))
            return Block((*rows.get(block, ()), *lets), block.results)

        return map_blocks(op, redirected) if rows else op

    def reads(self, op: Build | Sum_, inside: set[Var]) -> Iterator[_Read]:
        """The reads of rows in a parallel loop."""
        lane = op.indices[-1]
        todo: list[tuple[Block, tuple[Loops, ...], bool]] = [(op.body, (), True)]
        while todo:
            block, around, always = todo.pop()
            for let in block.lets:
                x = let.op
                if isinstance(x, (Build, Sum_, Loop)):
                    todo.append((x.body, (*around, x), always))
                    continue
                todo += [(inner, around, False) for _, inner in sub_blocks(x)]
                if (
                    isinstance(x, Index) and not x.checked and x.array not in inside
                    and isinstance(let.vars[0].type, SCALARS)
                    and list(x.indices).count(lane) == 1 and x.indices[-1] is not lane
                ):  # fmt: skip
                    read = self.placed(x, op, around, always, inside)
                    if read is not None:
                        yield read

    def placed(
        self, x: Index, op: Build | Sum_, around: tuple[Loops, ...], always: bool, inside: set[Var]
    ) -> _Read | None:
        """The read of a row whose place is inside of all loops of which it has the indices, up to
        the first of which it has none."""
        rounds, home = list(zip(op.indices, op.extents, strict=True)), op.body
        while around and all(i in x.indices for i, _ in loop_indices(around[0])):
            rounds += loop_indices(around[0])
            home, around = around[0].body, around[1:]
        rest = [r for loop in around for r in loop_indices(loop)]
        along = [i for i, _ in rest if i in x.indices]
        others = [a for a in x.indices if a not in along]
        if len(along) != 1 or any(a in inside and a not in dict(rounds) for a in others):
            return None
        counts = dict(rounds)
        whole = all(
            a in along
            or (isinstance(a, Var) and a in counts and self.is_extent(counts[a], x.array, k))
            for k, a in enumerate(x.indices)
        )
        return _Read(x, home, tuple(rest), along[0], always, whole)

    def is_extent(self, n: Atom, array: Atom, axis: int) -> bool:
        return same(n, self.shapes.of(array)[axis]) or self.dims.get(n) == (array, axis)

    def pays(self, read: _Read, op: Build | Sum_, inside: set[Var]) -> bool:
        """Whether a loop repeats the row, which exists wherever the loops have rounds."""
        if not read.always or len(read.around) < 2 or read.op.array in self.updated:
            return False
        rounds = dict(read.around)
        counts = [n for n in rounds.values() if n in inside]
        if read.count() in inside or any(n not in rounds for n in counts):
            return False
        return read.whole or (not counts and Effect.RAISE not in self.effects(op))

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
        and a.home is b.home
        and same(a.count(), b.count())
        and all(
            (x is a.along and y is b.along) or same(x, y)
            for x, y in zip(a.op.indices, b.op.indices, strict=True)
        )
    )
