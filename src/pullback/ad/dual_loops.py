"""Loops of straight-line code: one row of the tape for all iterations.

Such a loop carries scalars at most, and every active let of its body is an operation, reads an
array, or is again such a sum or sequential loop, of as many iterations each time. Nothing in it
needs an id: backward, a sequential loop carries the cotangents of what the iterations carry, and
those of everything that does not vary; sums and loops that make arrays have independent iterations
in both directions, and so run in lanes. An iteration leaves a record of the values that its reverse
needs and of those ids that it has read from arrays and nobody can know without (``numbered``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pullback.ad.kept import above, fewest, invariant_part
from pullback.ad.loop_rows import Axis, Level, Looped, places, product
from pullback.ad.numbered import Numbered, consecutive
from pullback.ad.rows import Words
from pullback.ad.straight import is_operation, product_of, sweep
from pullback.core.build import Builder, i64, lit
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Sum_,
    TapePush,
    TapeWrite,
    Var,
    sub_blocks,
)
from pullback.core.terms import atoms as atoms_of
from pullback.core.traverse import all_lets, free_variables, refresh
from pullback.core.types import I64, Array, Bool, Int, Real, Type

if TYPE_CHECKING:
    from pullback.ad.dual import Dual

Cotangents = dict[tuple[Atom, Type], Atom]
"""By id and type."""


def loop_row(run: Dual, let: Let, b: Builder) -> bool:
    """Translate a loop to one that has one row, if its code is straight."""
    if not isinstance(let.op, Loop | Sum_ | Build) or not _straight(run, let, set()):
        return False
    return _Outermost(run, let, b).emit()


@dataclass(frozen=True)
class _Loop:
    """What is common to loops."""

    extents: tuple[Atom, ...]
    indices: tuple[Var, ...]
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Block
    results: tuple[Var, ...]

    @staticmethod
    def of(let: Let) -> _Loop:
        match let.op:
            case Loop(n, i, carried, inits, body):
                return _Loop((n,), (i,), carried, inits, body, carried)
            case Build(extents, indices, body) | Sum_(extents, indices, body):
                return _Loop(extents, indices, (), (), body, let.vars)
            case _:
                raise AssertionError("not a loop")


def _straight(run: Dual, let: Let, bound: set[Var]) -> bool:
    """Whether a loop is of straight-line code; ``bound``: in the loops around."""
    loop = _Loop.of(let)
    if not any(map(run.on, loop.results)) or not bound.isdisjoint(loop.extents):
        return False
    if len(loop.body.results) != len(loop.results):
        return False
    if not all(isinstance(r.type, Real | Int | Bool) for r in loop.body.results):
        return False
    bound = {*bound, *loop.indices, *loop.carried, *(v for x in loop.body.lets for v in x.vars)}
    return all(_plain(run, x) or _inside(run, x, bound) for x in loop.body.lets)


def _inside(run: Dual, let: Let, bound: set[Var]) -> bool:
    return isinstance(let.op, Loop | Sum_) and _straight(run, let, bound)


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
    """A loop forward, and what goes backward. ``outs``: which of the results are active; ``made``:
    the variables of the forward code, those of loops inside too."""

    def __init__(self, run: Dual, let: Let, up: _Made | None) -> None:
        self.run, self.let, self.up = run, let, up
        self.loop = _Loop.of(let)
        self.outs = [k for k, v in enumerate(self.loop.results) if run.on(v)]
        self.inner = Builder()
        self.items: list[Let | _Made] = []
        self.inside = tuple(run.fresh(i)[0] for i in self.loop.indices)
        self.state = tuple(Var(c.name, c.type) for c in self.loop.carried)
        run.env.update((c, (v,)) for c, v in zip(self.loop.carried, self.state))
        self.seeds = tuple(Var("ct", self.loop.body.results[k].type) for k in self.outs)
        self.made: set[Var] = set(self.state)
        self.levels: dict[str, Level] = {}

    def outermost(self) -> _Outermost:
        """The loop that has the row."""
        assert self.up is not None
        return self.up.outermost()

    def forward(self) -> None:
        """The body."""
        run = self.run
        for x in self.loop.body.lets:
            if is_operation(x, run.on, gates=True):
                run.operation(x, self.inner)
                self.items.append(x)
            elif isinstance(x.op, Loop | Sum_) and not _plain(run, x):
                made = _Made(run, x, self)
                self.items.append(made)
                level = made.level()
                self.levels[made.name] = level
                self.made |= made.made
                made.place(self.inner)
                outs = tuple(Var(v.name, v.type) for v in x.vars)
                run.env.update((v, (out,)) for v, out in zip(x.vars, outs))
                self.inner.lets.append(made.let_of(outs))
            else:
                run.let(x, self.inner)
            self.made.update(v for y in self.inner.lets for v in y.vars)

    # -- backward -------------------------------------------------------------------------------

    def sweep(self, back: Builder, cts: Sequence[Atom]) -> tuple[Atom, ...]:
        """From the cotangents of the results to those of all else."""
        run, loop = self.run, self.loop
        ct: dict[Var, Atom] = {}
        for k, seed in zip(self.outs, cts):
            r = loop.body.results[k]
            if isinstance(r, Var) and run.on(r):
                ct[r] = back.prim("add", ct[r], seed) if r in ct else seed
        for item in reversed(self.items):
            if isinstance(item, Let):
                sweep(back, [item], ct, run.value, run.on)
            else:
                item.called(back, ct)
        carried = [loop.carried[k] for k in self.outs] if loop.carried else []
        nexts = tuple(ct.get(c, lit(0.0, c.type)) for c in carried)
        read, around = self.sorted(ct)
        same = {v: x for v, x in read.items() if self.same(run.id(v))}
        varying = run.by_id(back, {v: x for v, x in read.items() if v not in same})
        self.kept = {key: x for key, x in varying.items() if not self.known(key[0])}
        self.computed = {key: x for key, x in varying.items() if key not in self.kept}
        rest = self.rest(back, {**same, **around})
        return (*nexts, *self.kept.values(), *self.computed.values(), *rest)

    def sorted(self, ct: dict[Var, Atom]) -> tuple[dict[Var, Atom], dict[Var, Atom]]:
        """The cotangents of what is read inside, and of what comes from around."""
        done = {v for x in self.items for v in (x if isinstance(x, Let) else x.let).vars}
        bound = {v for x in all_lets(self.loop.body) for v in x.vars}
        read = {v: x for v, x in ct.items() if v in bound - done}
        inside = bound.union(self.loop.carried)
        return read, {v: x for v, x in ct.items() if v not in inside}

    def rest(self, back: Builder, around: dict[Var, Atom]) -> tuple[Atom, ...]:
        """The cotangents of what is the same for all iterations."""
        self.around = {v: x for v, x in around.items() if self.run.on(v)}
        return tuple(self.around.values())

    def called(self, back: Builder, ct: dict[Var, Atom]) -> None:
        """Backward code of the loop around: go backward through this one."""
        outs = [self.let.vars[k] for k in self.outs]
        if not any(v in ct for v in outs):
            return
        given = tuple(ct.get(v, lit(0.0, v.type)) for v in outs)
        inits = [self.loop.inits[k] for k in self.outs] if self.loop.carried else []
        targets: list[Atom] = [*inits, *self.around]
        call = Call(self.name, (*given, *self.needs))
        for v, x in zip(targets, back.let(call, tuple(v.type for v in targets))):
            if isinstance(v, Var) and self.run.on(v):
                ct[v] = back.prim("add", ct[v], x) if v in ct else x

    def known(self, own: Atom) -> bool:
        """Whether backward code can compute an id."""
        return above([own], self.run.cheap, self.varies) is not None

    def same(self, own: Atom) -> bool:
        """Whether the id is known and the same in all iterations."""
        lets = above([own], self.run.cheap, self.varies)
        if lets is None:
            return False
        return {own, *(a for x in lets for a in atoms_of(x.op))}.isdisjoint(self.inside)

    def varies(self, v: Var) -> bool:
        """Whether iterations differ in it otherwise than by their numbers."""
        return v in self.made

    def level(self) -> Level:
        """What goes backward; the forward code gets what it does for that."""
        self.forward()
        self.sweep(Builder(), self.seeds)
        operations = [x for x in self.items if isinstance(x, Let)]
        straight = len(operations) == len(self.items)
        factor = product_of(operations) if straight else None
        kept = fewest(self.sweep, self.seeds, factor, self.run.cheap, self.varies)
        self.inner.lets.extend(kept.front)
        self.made.update(v for y in kept.front for v in y.vars)
        self.record = Words(kept.stored, tuple(a for a, _ in self.kept))
        numbers = tuple(a for a, _ in self.computed)
        again = above(numbers, self.run.cheap, self.varies)
        assert again is not None
        back = Block((*again, *kept.back.lets), (*kept.back.results, *numbers))
        back = self.invariant(back, {*self.seeds, *kept.stored, *self.inside})
        self.needs = self.needed(back)
        outermost = self.outermost()
        self.number = len(outermost.done)
        self.name = f"level {self.number}"
        outermost.done.append(self)
        return Level(
            self.number, self.record, self.inside, self.seeds, back, len(numbers),
            bool(self.state), self.needs, self.levels,
        )

    def invariant(self, back: Block, varying: set[Var]) -> Block:
        """The backward code of an iteration."""
        return refresh(back)

    def needed(self, back: Block) -> tuple[Var, ...]:
        """The values of the loops around that backward code reads."""
        own: set[Atom] = {*self.seeds, *self.record.values, *self.inside}
        up, found = self.up, set[Var]()
        while up is not None:
            found |= up.made
            up = up.up
        return tuple(v for v in free_variables(back) if v in found and v not in own)

    # -- the records ----------------------------------------------------------------------------

    def axes(self) -> tuple[Axis, ...]:
        """The indices of this loop and those around."""
        extents = self.run.values(self.loop.extents)
        parallel = not self.state
        mine = (Axis(i, n, id(self), parallel) for i, n in zip(self.inside, extents))
        return (*(self.up.axes() if self.up else ()), *mine)

    def place(self, b: Builder) -> None:
        """Write the record of an iteration."""
        base = self.outermost().base(self)
        place = places(self.inner, base, self.record.size, self.axes())
        for k, word in enumerate(self.record.write(self.inner)):
            self.inner.lets.append(Let((), TapeWrite(place(k), word)))

    def let_of(self, outs: tuple[Var, ...]) -> Let:
        """The loop itself."""
        run, loop = self.run, self.loop
        extents = run.values(loop.extents)
        body = self.inner.block(tuple(run.value(r) for r in loop.body.results))
        op: Op
        match self.let.op:
            case Loop():
                first = tuple(run.value(a) for a in loop.inits)
                op = Loop(extents[0], self.inside[0], self.state, first, body)
            case Sum_():
                op = Sum_(extents, self.inside, body)
            case _:
                op = Build(extents, self.inside, body)
        return Let(outs, op, self.let.site)


class _Outermost(_Made):
    """The loop that has the row. ``done``: all loops, those inside first."""

    def __init__(self, run: Dual, let: Let, b: Builder) -> None:
        super().__init__(run, let, None)
        self.b = b
        self.done: list[_Made] = []
        self.own, self.at = Var("id", I64), Var("at", I64)
        self.room: list[tuple[Atom, ...]] = []
        self.next: Atom = self.at
        self.front = Builder()

    def outermost(self) -> _Outermost:
        return self

    def rest(self, back: Builder, around: dict[Var, Atom]) -> tuple[Atom, ...]:
        self.fixed: Cotangents = self.run.by_id(back, around)
        return tuple(self.fixed.values())

    def invariant(self, back: Block, varying: set[Var]) -> Block:
        return invariant_part(self.b, back, varying)

    def base(self, made: _Made) -> Atom:
        """Where the records of a loop begin."""
        out = self.next
        if made.record.size:
            size = (i64(made.record.size), *self.clamped([a.extent for a in made.axes()]))
            self.room.append(size)
            self.next = self.front.prim("add", out, product(self.front, size))
        return out

    def clamped(self, extents: Sequence[Atom]) -> tuple[Atom, ...]:
        """The extents, none negative."""
        out: list[Atom] = []
        for n in extents:
            natural = isinstance(n, Lit) and n.value >= 0
            out.append(n if natural else self.b.prim("max", n, i64(0)))
        return tuple(out)

    def emit(self) -> bool:
        """The loop; False if it has to do with no id."""
        run, b = self.run, self.b
        level = self.level()
        inits = self.inits() if self.state else {}
        read = any(made.kept or made.computed for made in self.done)
        if not read and not self.fixed and not inits:
            return False
        self.place(self.inner)
        unvarying = tuple(a for a, _ in self.fixed)
        outside = above(unvarying, run.cheap, self.varies)
        assert outside is not None
        ids = (*inits.values(), *b.extend(refresh(Block(outside, unvarying))))
        extents = [self.clamped(run.values(made.loop.extents)) for made in self.done]
        free = self.free(level)
        values = (*free, *(n for each in extents for n in each))
        words = Words(values, (i64(run.codes.next), *ids))
        arrays = isinstance(self.let.op, Build)
        run.codes.all.append(Looped(words, level, tuple(inits), arrays))
        count = (i64(len(self.seeds)), *(extents[-1] if arrays else ()))
        push = TapePush(words.write(b), count, tuple(self.room))
        b.lets.append(Let((self.own, self.at), push))
        b.lets += self.front.lets
        outs = tuple(Var(v.name, v.type) for v in self.let.vars)
        b.lets.append(self.let_of(outs))
        self.bind(outs, extents[-1])
        return True

    def free(self, level: Level) -> tuple[Var, ...]:
        """What backward code reads that is known before the loop."""
        out: dict[Var, None] = {}
        todo = [level]
        while todo:
            one = todo.pop()
            todo += one.inner.values()
            out.update(dict.fromkeys(free_variables(one.back)))
            inside = {*one.outputs, *one.record.values, *one.indices, *one.needs}
            self.made.update(v for v in inside if isinstance(v, Var))
        return tuple(v for v in out if v not in self.made)

    def inits(self) -> dict[int, Atom]:
        """The ids of the active carried values at first, by their places among these."""
        ids = [self.run.dual(self.loop.inits[k], True, self.b)[1] for k in self.outs]
        return {k: a for k, a in enumerate(ids) if not isinstance(a, Lit)}

    def bind(self, outs: tuple[Var, ...], counts: tuple[Atom, ...]) -> None:
        """The ids of the results."""
        run, b = self.run, self.b
        extents = run.values(self.loop.extents)
        for k, (v, out) in enumerate(zip(self.let.vars, outs)):
            if k not in self.outs:
                run.env[v] = (out, i64(0)) if run.on(v) else (out,)
                continue
            here = i64(self.outs.index(k))
            if not isinstance(self.let.op, Build):
                run.env[v] = (out, b.prim("add", self.own, here))
                continue
            start = b.prim("add", self.own, b.prim("mul", product(b, counts), here))
            run.env[v] = (out, consecutive(b, start, extents))
            run.numbered[v] = Numbered.dense(b, start, extents)


__all__ = ["loop_row"]
