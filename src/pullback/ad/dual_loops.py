"""Sequential loops of straight-line code: one row of the tape for all iterations.

Such a loop carries scalars, and every active let of its body is an operation or reads an array.
Nothing in it needs an id: backward, a loop carries the cotangents of what the iterations carry, and
those of everything that does not vary. An iteration leaves a record of the values that its reverse
needs and of the ids that it has read from arrays. A sum is such a loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pullback.ad.kept import fewest
from pullback.ad.rows import Repeated, Words
from pullback.ad.straight import is_operation, product_of, sweep
from pullback.core.build import Builder, i64, lit
from pullback.core.terms import Atom, Block, Index, Let, Lit, Prim, TapeLoop, Var, sub_blocks
from pullback.core.terms import atoms as atoms_of
from pullback.core.traverse import all_lets, free_variables
from pullback.core.types import I64, Array, Bool, Int, Real

if TYPE_CHECKING:
    from pullback.ad.dual import Dual


@dataclass(frozen=True)
class Sequential:
    """A loop over indices, in order."""

    extents: tuple[Atom, ...]
    indices: tuple[Var, ...]
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Block


def loop_row(run: Dual, let: Let, loop: Sequential, b: Builder) -> bool:
    """Translate the loop to one that has one row, if its code is straight."""
    if not _straight(run, loop):
        return False
    made = _Made(run, loop)
    if not made.invariant and not made.read and not made.inits(b):
        return False
    made.emit(let, b)
    return True


def _straight(run: Dual, loop: Sequential) -> bool:
    carried, body = loop.carried, loop.body
    if len(body.results) != len(carried) or not any(run.on(c) for c in carried):
        return False
    if not all(isinstance(c.type, Real | Int | Bool) for c in carried):
        return False
    return all(_plain(run, x) for x in body.lets)


def _plain(run: Dual, let: Let) -> bool:
    """Whether a let is an operation, reads an array or part of one, or has to do with no id."""
    if is_operation(let, run.on, gates=True):
        return True
    active = any(run.on(v) for v in let.vars)
    match let.op:
        case Prim():
            return not active or isinstance(let.vars[0].type, Array)
        case Index():
            return True
        case _:
            inside = (x for _, block in sub_blocks(let.op) for x in all_lets(block))
            return not any(
                run.on(a) for x in (let, *inside) for a in (*x.vars, *atoms_of(x.op))
            )


class _Made:
    """The loop forward, and what goes backward."""

    def __init__(self, run: Dual, loop: Sequential) -> None:
        self.run, self.loop = run, loop
        self.inner = Builder()
        self.indices = tuple(run.fresh(i)[0] for i in loop.indices)
        self.state = tuple(Var(c.name, c.type) for c in loop.carried)
        run.env.update((c, (v,)) for c, v in zip(loop.carried, self.state))
        self.active = [k for k, c in enumerate(loop.carried) if run.on(c)]
        self.seeds = tuple(Var("ct", self.state[k].type) for k in self.active)
        self.operations: list[Let] = []
        for x in loop.body.lets:
            if is_operation(x, run.on, gates=True):
                run.operation(x, self.inner)
                self.operations.append(x)
            else:
                run.let(x, self.inner)
        self.sweep(Builder(), self.seeds)

    def sweep(self, back: Builder, cts: Sequence[Atom]) -> tuple[Atom, ...]:
        """From the cotangents of the results to those of all else."""
        run, loop = self.run, self.loop
        ct: dict[Var, Atom] = {}
        for k, seed in zip(self.active, cts):
            r = loop.body.results[k]
            if isinstance(r, Var) and run.on(r):
                ct[r] = back.prim("add", ct[r], seed) if r in ct else seed
        sweep(back, self.operations, ct, run.value, run.on)
        carried = [loop.carried[k] for k in self.active]
        nexts = tuple(ct.get(c, lit(0.0, c.type)) for c in carried)
        bound = {v for x in loop.body.lets for v in x.vars}
        inside = bound.union(carried)
        done = {x.vars[0] for x in self.operations}
        self.read = run.by_id(back, {v: x for v, x in ct.items() if v in bound - done})
        self.invariant = run.by_id(back, {v: x for v, x in ct.items() if v not in inside})
        return (*nexts, *self.read.values(), *self.invariant.values())

    def inits(self, b: Builder) -> dict[int, Atom]:
        """The ids of the active carried values at first, by their places among these."""
        ids = [self.run.dual(self.loop.inits[k], True, b)[1] for k in self.active]
        return {k: a for k, a in enumerate(ids) if not isinstance(a, Lit)}

    def emit(self, let: Let, b: Builder) -> None:
        run, loop, inner = self.run, self.loop, self.inner
        vary = {*self.state, *(v for x in inner.lets for v in x.vars)}
        counted = len(self.indices) == 1
        if not counted:
            vary.update(self.indices)
        product = product_of(self.operations)
        kept = fewest(self.sweep, self.seeds, product, run.cheap, vary.__contains__)
        inner.lets.extend(kept.front)
        record = Words(kept.stored, tuple(a for a, _ in self.read))
        known = {*self.seeds, *kept.stored, *self.indices}
        free = tuple(v for v in free_variables(kept.back) if v not in known)
        values = tuple(run.value(r) for r in loop.body.results)
        body = inner.block((*values, *record.write(inner)))
        extents, count = self.extents(b)
        inits = self.inits(b)
        ids = (*inits.values(), *(a for a, _ in self.invariant))
        words = Words((*free, count), (i64(run.codes.next), *ids))
        index = self.indices[0] if counted else None
        run.codes.all.append(Repeated(words, record, self.seeds, kept.back, tuple(inits), index))
        first = tuple(run.value(a) for a in loop.inits)
        made = TapeLoop(
            extents, self.indices, self.state, first, body, words.write(b), len(self.active)
        )
        outs = tuple(Var(v.name, v.type) for v in let.vars)
        own = Var("id", I64)
        b.lets.append(Let((*outs, own), made, let.site))
        for k, (v, out) in enumerate(zip(let.vars, outs)):
            if run.on(v) and k in self.active:
                place = i64(self.active.index(k))
                run.env[v] = (out, b.prim("add", own, place))
            else:
                run.env[v] = (out, i64(0)) if run.on(v) else (out,)

    def extents(self, b: Builder) -> tuple[tuple[Atom, ...], Atom]:
        """The extents, none negative, and their product."""
        count: Atom | None = None
        out: list[Atom] = []
        for a in self.loop.extents:
            n = self.run.value(a)
            if not isinstance(n, Lit) or n.value < 0:
                n = b.prim("max", n, i64(0))
            out.append(n)
            count = n if count is None else b.prim("mul", count, n)
        assert count is not None
        return tuple(out), count


__all__ = ["Sequential", "loop_row"]
