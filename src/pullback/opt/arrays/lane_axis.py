"""Choose the axis along which a parallel loop over several axes runs in lanes: by what its reads
and additions cost there.

    build i < n, j < m. ... sum k. a[i, k] * b[j, k] ...
        ==>   stack (build i < n. build j < m. ... sum k. a[i, k] * b[j, k] ...)

Lanes run along the last axis of one loop, and along the first of nested loops
(``lower/parallel_loops.py``).
Along ``j``, eight elements of ``b`` are gathered for each product; along ``i``, ``b[j, k]`` is the
same in all lanes, and the rows of ``a`` are copied once for all ``j`` (``packed_rows.py``). A read
costs little if it is the same in all lanes, or of neighbours, or of a row that is copied because a
loop repeats it; a gather and a scatter cost most. Loops inside count eight times their outside.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.frozen import dataclass
from pullback.core.terms import (
    AccAdd,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Function,
    Index,
    Let,
    Lit,
    Loop,
    Prim,
    Program,
    Sum_,
    Var,
    sub_blocks,
)
from pullback.core.traverse import free_variables_of, map_blocks, map_functions
from pullback.core.types import Array
from pullback.opt.scalar.bounds import loop_indices

SAME, NEIGHBOURS, ROW, PRIVATE, GATHER = 1.0, 1.5, 2.0, 3.0, 8.0
"""What a read or an addition costs in lanes: of one element, of eight neighbours, of a row that is
copied, to one cell for all lanes, of eight elements somewhere."""

INNER, DEEPEST = 8.0, 3
"""Each loop inside counts so many times more, down to this depth."""

ENOUGH = 0.7
"""The first axis is taken if it costs at most so much of the last."""

FEW = 8


def choose_axes(program: Program) -> Program:
    """Return the program with such loops in the order in which they have their lanes."""
    return map_functions(
        program, lambda f: Function(f.name, f.params, _block(f.body), f.results)
    )


def _block(block: Block) -> Block:
    lets: list[Let] = []
    for let in block.lets:
        if isinstance(let.op, (Build, Sum_)):
            lets += _nested(let, let.op) if _first_is_better(let.op) else [let]
        else:
            lets.append(Let(let.vars, map_blocks(let.op, _block), let.site))
    return Block(tuple(lets), block.results)


def _nested(let: Let, op: Build | Sum_) -> list[Let]:
    """The loop over the first axis, with one over the other axes inside."""
    inner = type(op)(op.extents[1:], op.indices[1:], op.body)
    if isinstance(op, Sum_):
        parts = tuple(Var(v.name, v.type) for v in let.vars)
        body = Block((Let(parts, inner, let.site),), parts)
        return [Let(let.vars, Sum_(op.extents[:1], op.indices[:1], body), let.site)]
    rows = tuple(Var(v.name, Array(a.type, len(op.extents) - 1))
                 for v, a in zip(let.vars, op.body.results, strict=True))  # fmt: skip
    arrays = tuple(Var(v.name, Array(r.type, 1)) for v, r in zip(let.vars, rows, strict=True))
    body = Block((Let(rows, inner, let.site),), rows)
    outer = Let(arrays, Build(op.extents[:1], op.indices[:1], body), let.site)
    stacks = [
        Let((v,), Prim("stack", (a, *op.extents[1:])), let.site)
        for v, a in zip(let.vars, arrays, strict=True)
    ]
    return [outer, *stacks]


def _first_is_better(op: Build | Sum_) -> bool:
    n = op.extents[0]
    if len(op.indices) < 2 or (isinstance(n, Lit) and n.value < FEW):
        return False
    if not any(isinstance(let.op, (Build, Sum_, Loop)) for let in op.body.lets):
        return False
    first = _Price(op, op.indices[0], op.indices[1:]).whole()
    return first <= ENOUGH * _Price(op, op.indices[-1], ()).whole()


def gains_outside(op: Build) -> bool:
    """Whether rounds side by side in lanes cost less than rounds one after the other, in which each
    sum has lanes of its own. (Sequential loops have none.)"""
    inner = [let.op for let in op.body.lets if isinstance(let.op, (Build, Sum_, Loop))]
    parallel = [x for x in inner if not isinstance(x, Loop)]
    if len(parallel) < len(inner):
        return True
    own = sum(INNER * _Price(x, x.indices[-1], ()).whole() for x in parallel)
    return _Price(op, op.indices[-1], ()).whole() <= ENOUGH * own


@dataclass
class _Price:
    """What a loop costs with lanes along one axis; ``around``: its other axes, as far as they are
    loops inside of the lanes."""

    op: Build | Sum_
    lane: Var
    around: Sequence[Var]

    def whole(self) -> float:
        self.varying, self.shifted = {self.lane}, {self.lane}
        stores = GATHER if self.around else NEIGHBOURS
        results = stores * len(self.op.body.results) if isinstance(self.op, Build) else 0.0
        return results + self.block(self.op.body, tuple(self.around), 1.0, 0)

    def block(self, block: Block, around: tuple[Var, ...], weight: float, depth: int) -> float:
        total = 0.0
        for let in block.lets:
            op = let.op
            inner = INNER * weight if depth < DEEPEST else weight
            match op:
                case Build() | Sum_() | Loop():
                    indices = tuple(i for i, _ in loop_indices(op))
                    total += self.block(op.body, (*around, *indices), inner, depth + 1)
                case Index(_, indices, _):
                    total += weight * self.element(indices, around, SAME, ROW)
                case AccAdd(_, indices, _):
                    total += weight * self.element(indices, around, PRIVATE, GATHER)
                case AccRead(_, indices, _) | AccTake(_, indices, _):
                    total += weight * self.element(indices, around, SAME, GATHER)
                case _:
                    for _, inside in sub_blocks(op):
                        total += self.block(inside, around, weight, depth)
            if not self.varying.isdisjoint(free_variables_of(op)):
                self.varying.update(let.vars)
            match op:
                case Prim("add" | "sub", (a, b)) if a in self.shifted and b not in self.varying:
                    self.shifted.update(let.vars)
                case Prim("add", (a, b)) if b in self.shifted and a not in self.varying:
                    self.shifted.update(let.vars)
                case _:
                    pass
        return total

    def element(
        self, indices: tuple[Atom, ...], around: tuple[Var, ...], same: float, row: float
    ) -> float:
        if self.varying.isdisjoint(indices):
            return same
        if indices[-1] in self.shifted and self.varying.isdisjoint(indices[:-1]):
            return NEIGHBOURS
        if any(a in self.varying and a is not self.lane for a in indices):
            return GATHER
        repeated = any(i not in indices for i in around)
        return row if repeated else GATHER
