"""A loop that changes one cell of an array carries the cell.

    loop k < n with a = old. a[p] := f(a[p], a[q])
        ==>   s = loop k < n with s = old[p]. f(s, old[q]);  old[p] := s

where p is the same in all rounds, and certainly another cell than q, as in
``A[i, j] -= A[i, k] * A[j, k]`` for k < j. (If it may not exist, there is no round.) Such a loop is
often a sum, and the reverse sweep keeps nothing for it. Of two updates of one cell the first is
left out, if what is read between is this cell, or certainly another one.
"""

from __future__ import annotations

from pullback.core.build import lit
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
)
from pullback.core.traverse import (
    all_lets,
    defined,
    free_variables_of,
    map_functions,
    refresh,
    substitute,
)
from pullback.core.types import BOOL, I64, Array, Bool, Int, Real
from pullback.opt.arrays.shapes import same, stable_arrays
from pullback.opt.scalar.bounds import Checks, loop_indices


def carry_cells(program: Program) -> Program:
    """Return the program with loops that carry a cell in place of the array."""
    if not any(_cell(let.op) for f in program.functions.values() for let in all_lets(f.body)):
        return program
    stable = stable_arrays(program)

    def function(f: Function) -> Function:
        if not any(_cell(let.op) for let in all_lets(f.body)):
            return f
        return _Cells(stable).function(f)

    return map_functions(program, function)


def _cell(op: Op) -> tuple[int, Update] | None:
    """Which of the arrays that a loop carries it updates, once in each round, in the same cell."""
    if not isinstance(op, Loop):
        return None
    inside = defined(op.body) | {op.index, *op.carried}
    for let in op.body.lets:
        match let.op:
            case Update(Var() as a, idx, value, False) if a in op.carried:
                k = op.carried.index(a)
                t = a.type
                scalar = isinstance(t, Array) and len(idx) == t.rank and value.type == t.elem
                if (
                    scalar and isinstance(value.type, (Real, Int, Bool))
                    and inside.isdisjoint(idx) and op.body.results[k] is let.vars[0]
                    and _reads(op, a, let.vars[0]) is not None
                ):  # fmt: skip
                    return k, let.op
            case _:
                pass
    return None


def _reads(op: Loop, old: Var, new: Var) -> list[Let] | None:
    """The reads of the carried array; None if it, or its next version, has another use."""
    reads: list[Let] = []
    for let in op.body.lets:
        read = free_variables_of(let.op)
        match let.op:
            case _ if new in read:
                return None
            case Update(a, _, _, _) if a is old and old not in (let.op.value, *let.op.indices):
                pass
            case Index(a, _, False) if a is old:
                reads.append(let)
            case _ if old in read:
                return None
    ends = list(op.body.results)
    return reads if old not in ends and ends.count(new) == 1 else None


class _Cells(Checks):
    """The walk over one function, with what is known of indices."""

    def op(self, let: Let, op: Op) -> Op | None:
        """Return the op, in another form if it is such a loop or an update; None if it has been
        emitted."""
        match op:
            case Build() | Sum_():
                return self.loop(op)
            case Loop():
                done = self.loop(op)
                assert isinstance(done, Loop)
                return None if self.carried(let, done) else done
            case Update(a, idx, value, False):
                array = self.before(a, idx)
                return Update(array, idx, self.atom(value), False)
            case Index() | Update():
                return op
            case _:
                return super().op(let, op)

    def prim(self, let: Let, op: Op, name: str, args: tuple[Atom, ...]) -> Op | None:
        """No check is removed here."""
        return op

    def carried(self, let: Let, op: Loop) -> bool:
        """Emit the loop so that it carries a cell, if it can."""
        found = _cell(op)
        if found is None:
            return False
        k, update = found
        a, new, first = op.carried[k], op.body.results[k], op.inits[k]
        assert isinstance(a, Var) and isinstance(new, Var)
        reads = _reads(op, a, new)
        if reads is None:
            return False
        exists = self.in_range(first, update.indices) or self.was_there(first, update.indices)
        if not self.apart(op, update.indices, reads):
            return False
        cell, start, last = (Var("s", update.value.type) for _ in range(3))
        some = Var("t", BOOL)
        if not exists:  # it does in a round
            self.add(Let((some,), Prim("gt", (op.count, Lit(0, I64)))))
        read = Let((start,), Index(first, update.indices, False), let.site)
        self.add(read if exists else _if(some, read, lit(0, start.type)))
        names: dict[Var, Atom] = {
            x.vars[0]: cell for x in reads
            if isinstance(x.op, Index) and _same(x.op.indices, update.indices)
        }  # fmt: skip
        gone = {*names, new}
        lets = tuple(x for x in op.body.lets if gone.isdisjoint(x.vars))
        results = tuple(update.value if r is new else r for r in op.body.results)
        body = substitute(Block(lets, results), {**names, a: first})
        carried = (*op.carried[:k], cell, *op.carried[k + 1 :])
        inits = (*op.inits[:k], start, *op.inits[k + 1 :])
        ends = (*let.vars[:k], last, *let.vars[k + 1 :])
        self.add(Let(ends, Loop(op.count, op.index, carried, inits, body), let.site))
        array = self.before(first, update.indices) if exists else first
        new_version = Let((let.vars[k],), Update(array, update.indices, last, False), let.site)
        self.add(new_version if exists else _if(some, new_version, array))
        return True

    def was_there(self, a: Atom, idx: tuple[Atom, ...]) -> bool:
        """Whether the cell has been read or updated in this block."""
        return any(
            isinstance(let.op, (Index, Update)) and not let.op.checked
            and a in (let.op.array, *let.vars) and _same(let.op.indices, idx)
            for let in self.out
        )  # fmt: skip

    def apart(self, op: Loop, idx: tuple[Atom, ...], reads: list[Let]) -> bool:
        """Whether in each round all reads are of this cell, or certainly of others."""
        mark = self.ranges.mark()
        for i, n in loop_indices(op):
            self.ranges.index(i, n)
        found = all(
            isinstance(x.op, Index) and (_same(x.op.indices, idx) or self.differ(x.op.indices, idx))
            for x in reads
        )
        self.ranges.forget(mark)
        return found

    def differ(self, one: tuple[Atom, ...], other: tuple[Atom, ...]) -> bool:
        """Whether two cells are certainly not the same."""
        return any(
            self.ranges.compares("ne", i, j) for i, j in zip(one, other, strict=True)
        )

    def before(self, a: Atom, idx: tuple[Atom, ...]) -> Atom:
        """Return the array that an update of this cell is to consume: if the array itself comes of
        an update of the cell, in the same block, the one before that, which is left out."""
        at = next((k for k, let in enumerate(self.out) if a in let.vars), None)
        if at is None:
            return a
        first = self.out[at].op
        if not isinstance(first, Update) or first.checked or not _same(first.indices, idx):
            return a
        names: dict[Var, Atom] = {}
        later: list[Let] = []
        for let in self.out[at + 1 :]:
            op = let.op
            if isinstance(a, Var) and a in free_variables_of(op):
                if not isinstance(op, Index) or op.checked or op.array is not a:
                    return a
                if _same(op.indices, idx):
                    names[let.vars[0]] = first.value
                    continue
                if not self.differ(op.indices, idx):
                    return a
                op = Index(first.array, op.indices, False)
            later.append(Let(let.vars, op, let.site))
        self.out[at:] = substitute(Block(tuple(later), ()), names).lets if names else later
        self.names |= {v: self.atom(x) for v, x in names.items()}
        for let in self.out[at:]:
            self.defs |= dict.fromkeys(let.vars, let.op)
        return first.array


def _if(some: Var, let: Let, otherwise: Atom) -> Let:
    """The let where there is a round."""
    return Let(let.vars, If(some, refresh(Block((let,), let.vars)), Block((), (otherwise,))))


def _same(one: tuple[Atom, ...], other: tuple[Atom, ...]) -> bool:
    return len(one) == len(other) and all(map(same, one, other))


__all__ = ["carry_cells"]
