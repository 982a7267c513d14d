"""Loops over what a sequential loop does not carry are done for all its rounds before it.

    loop i < n with s.                       v = build i < n. sum j < m. e
      let v = sum j < m. e            ==>    loop i < n with s.
      ... s ... v ...                          ... s ... v[i] ...

where e depends on i, not on s: rounds that are independent run in lanes, on threads, and keep
nothing for the reverse sweep. That is so where it costs less than lanes over j (``lane_axis.py``):
if e reads columns, or is a sequential loop. Only numbers are handed over, at most
``MOST`` for each round; cheap steps before and behind stay where they are, too. Not in a parallel
loop, which has its own lanes: there these numbers would take memory in each of its rounds.
"""

from __future__ import annotations

from pullback.core.build import Builder, i64
from pullback.core.effects import EffectsOf, may_duplicate
from pullback.core.frozen import dataclass
from pullback.core.terms import (
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
)
from pullback.core.traverse import all_lets, free_variables_of, map_blocks, map_functions, refresh
from pullback.core.types import I64, Array, Bool, Int, Real
from pullback.opt.arrays.lane_axis import gains_outside
from pullback.opt.arrays.storage import updated_arrays

MOST = 2
"""So many numbers of each round are kept in arrays."""

MOST_AGAIN = 16
"""So many cheap steps are done in both loops."""


def distribute_loops(program: Program) -> Program:
    """Return the program with such loops before sequential ones."""
    loops = (let.op for f in program.functions.values() for let in all_lets(f.body))
    if not any(isinstance(op, Loop) and any(_loops(x.op) for x in op.body.lets) for op in loops):
        return program
    walk = _Walk(EffectsOf(program), updated_arrays(program))
    return map_functions(program, walk.function)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The lets of a round, by their places: those that leave it, and cheap ones that these read;
    what the rest reads of those that leave."""

    leave: frozenset[int]
    again: frozenset[int]
    handed: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class _Walk:
    effects: EffectsOf
    updated: frozenset[Var]

    def function(self, f: Function) -> Function:
        return Function(f.name, f.params, self.block(f.body), f.results)

    def block(self, block: Block) -> Block:
        b = Builder()
        for let in block.lets:
            op = let.op if isinstance(let.op, (Build, Sum_)) else map_blocks(let.op, self.block)
            if isinstance(op, Loop):
                op = self.loop(op, b)
            b.lets.append(Let(let.vars, op, let.site))
        return b.block(block.results)

    def loop(self, op: Loop, b: Builder) -> Loop:
        """Emit the parallel loop of what leaves the sequential one; return what is left."""
        parts = self.parts(op)
        if parts is None:
            return op
        lets, (index, handed) = op.body.lets, (op.index, parts.handed)
        own = Var(index.name, I64)
        chosen = tuple(lets[k] for k in sorted(parts.leave | parts.again))
        body = refresh(Block(chosen, handed), {index: own})
        if not gains_outside(Build((op.count,), (own,), body)):
            return op
        count = op.count if isinstance(op.count, Lit) else b.prim("max", op.count, i64(0))
        types = tuple(Array(v.type, 1) for v in handed)
        arrays = b.let(Build((count,), (own,), body), types, lets[min(parts.leave)].site)
        reads = [Let((v,), Index(a, (index,), False)) for v, a in zip(handed, arrays, strict=True)]
        rest = [let for k, let in enumerate(lets) if k not in parts.leave]
        new = Block((*reads, *rest), op.body.results)
        return Loop(op.count, op.index, op.carried, op.inits, new)

    def parts(self, op: Loop) -> _Parts | None:
        """What leaves the loop; None if nothing does."""
        depends: set[Var] = {*op.carried}
        heavy: dict[Var, int] = {}
        leave: set[int] = set()
        cheap: dict[Var, int] = {}
        for k, let in enumerate(op.body.lets):
            reads = free_variables_of(let.op)
            if not depends.isdisjoint(reads) or not self.may_leave(let, reads):
                depends.update(let.vars)
            elif _loops(let.op) or any(v in heavy for v in reads) or not may_duplicate(let.op):
                heavy.update(dict.fromkeys(let.vars, k))
                leave.add(k)
            else:
                cheap.update(dict.fromkeys(let.vars, k))
        if not any(_loops(op.body.lets[k].op) for k in leave):
            return None
        rest = [let for k, let in enumerate(op.body.lets) if k not in leave]
        read = [v for let in rest for v in free_variables_of(let.op)] + [*op.body.results]
        handed = tuple(v for v in dict.fromkeys(read) if isinstance(v, Var) and v in heavy)
        again = self.cheap_before(op.body, leave, cheap)
        scalar = all(isinstance(v.type, (Real, Int, Bool)) for v in handed)
        if not handed or len(handed) > MOST or not scalar or len(again) > MOST_AGAIN:
            return None
        return _Parts(frozenset(leave), again, handed)

    def may_leave(self, let: Let, reads: tuple[Var, ...]) -> bool:
        return self.effects.is_pure(let.op) and self.updated.isdisjoint(reads)

    def cheap_before(self, body: Block, leave: set[int], cheap: dict[Var, int]) -> frozenset[int]:
        """The cheap lets that those which leave read."""
        again: set[int] = set()
        for k in reversed(range(len(body.lets))):
            if k in leave or k in again:
                again |= {cheap[v] for v in free_variables_of(body.lets[k].op) if v in cheap}
        return frozenset(again)


def _loops(op: Op) -> bool:
    """Whether the op is a loop of numbers that may run in lanes."""
    return isinstance(op, (Sum_, Loop))
