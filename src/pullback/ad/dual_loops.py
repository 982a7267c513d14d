"""Translate a loop of straight-line code so that all its iterations are one row of the tape.

Such a loop carries scalars at most. Every active let of its body is an operation, a read of an
array, a loop of the same sort with a constant number of iterations, or a branch of such code
(``dual_levels``). Nothing inside needs an id. Backward, a sequential loop carries the cotangents of
its carried variables and of all values that do not vary; sums and loops that build arrays have
independent iterations in both directions, and so run in lanes. An iteration writes a record of the
values that its reverse needs, and of the ids that it reads from arrays and that cannot be computed
(``numbered``). Values that depend on few axes are stored apart (``broadcast_residuals``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pullback.ad.broadcast_residuals import Few
from pullback.ad.cells import array_type
from pullback.ad.dual_levels import Made, Repetition, plain
from pullback.ad.loop_rows import Level, Looped, product
from pullback.ad.min_cut import above, invariant_part
from pullback.ad.numbered import Numbered, consecutive
from pullback.ad.tape_rows import Words
from pullback.core.build import Builder, i64
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    If,
    Let,
    Lit,
    Loop,
    Sum_,
    TapePush,
    Update,
    Var,
)
from pullback.core.traverse import free_variables, free_variables_of, refresh
from pullback.core.types import I64, Array, Bool, Int, Real, Type

if TYPE_CHECKING:
    from pullback.ad.dual import Dual

Cotangents = dict[tuple[Atom, Type], Atom]
"""By id and type."""


def loop_row(run: Dual, let: Let, b: Builder) -> bool:
    """Translate a loop as one row, if its code is straight; return whether it is."""
    if not isinstance(let.op, (Loop, Sum_, Build)) or not _straight(run, let, set(), True):
        return False
    return Outermost(run, let, b).emit()


def _straight(run: Dual, let: Let, bound: set[Var], outermost: bool = False) -> bool:
    """Whether a loop consists of straight-line code; ``bound``: the variables of the loops around.
    The outermost loop may be sequential and carry arrays that it updates."""
    loop = Repetition.of(let)
    if not any(map(run.on, loop.results)) or not bound.isdisjoint(loop.extents):
        return False
    if len(loop.body.results) != len(loop.results):
        return False
    bound = {*bound, *loop.indices, *loop.carried}
    if outermost and any(isinstance(c.type, Array) for c in loop.carried):
        return _updates(run, loop, bound)
    return _scalar(run, loop.body, bound)


def _updates(run: Dual, loop: Repetition, bound: set[Var]) -> bool:
    """Whether the code of a loop is straight and puts reals into arrays that it carries, where no
    iteration reads an element that the loop has put there."""
    lets = loop.body.lets
    updates = [x for x in lets if isinstance(x.op, Update) and run.on(x.vars[0])]
    rest = [x for x in lets if x not in updates]
    bound = bound.union(v for x in lets for v in x.vars)
    made = {x.vars[0] for x in updates}
    if any(not isinstance(v.type, Array) or not isinstance(v.type.elem, Real) for v in made):
        return False
    if any(isinstance(x.op, Update) and len(x.op.indices) != array_type(x.vars[0].type).rank
           for x in updates):  # fmt: skip
        return False
    arrays = [c for c in loop.carried if not isinstance(c.type, (Real, Int, Bool))]
    if not all(isinstance(c.type, Array) and isinstance(c.type.elem, Real) for c in arrays):
        return False
    reads = {v for x in rest for v in free_variables_of(x.op)}
    return made.isdisjoint(reads) and all(
        plain(run, x) or _inside(run, x, bound) for x in rest
    )


def _scalar(run: Dual, body: Block, bound: set[Var]) -> bool:
    """Whether a block consists of straight-line code and its results are scalars."""
    if not all(isinstance(r.type, (Real, Int, Bool)) for r in body.results):
        return False
    bound = bound.union(v for x in body.lets for v in x.vars)
    return all(plain(run, x) or _inside(run, x, bound) for x in body.lets)


def _inside(run: Dual, let: Let, bound: set[Var]) -> bool:
    match let.op:
        case Loop() | Sum_():
            return _straight(run, let, bound)
        case If(_, then, orelse) if any(map(run.on, let.vars)):
            return _scalar(run, then, bound) and _scalar(run, orelse, bound)
        case _:
            return False


class Outermost(Made):
    """The outermost loop, to which the row belongs. ``done``: all its loops, those inside first."""

    def __init__(self, run: Dual, let: Let, b: Builder) -> None:
        super().__init__(run, let, None, Repetition.of(let))
        self.b = b
        self.done: list[Made] = []
        self.own, self.at = Var("id", I64), Var("at", I64)
        self.room: list[tuple[Atom, ...]] = []
        self.next: Atom = self.at
        self.front = Builder()

    def outermost(self) -> Outermost:
        return self

    def rest(self, back: Builder, around: dict[Var, Atom]) -> tuple[Atom, ...]:
        self.fixed: Cotangents = self.run.by_id(back, around)
        return tuple(self.fixed.values())

    def invariant(self, back: Block, varying: set[Var]) -> Block:
        return invariant_part(self.b, back, varying)

    def base(self, made: Made) -> Atom:
        """Return the place on the tape where the records of a loop begin."""
        out = self.next
        if made.record.size:
            size = (i64(made.record.size), *self.clamped([a.extent for a in made.axes()]))
            self.room.append(size)
            self.next = self.front.prim("add", out, product(self.front, size))
        return out

    def write(self, made: Made, few: Few) -> None:
        """Store a value that depends on few axes, in front of all loops."""
        axes, found = made.axes(), made.origins.lets(few.value)
        assert found is not None
        size = self.clamped([axes[k].extent for k in few.axes]) or (i64(1),)
        self.room.append(size)
        few.write(self.front, self.next, axes, found[0])
        self.next = self.front.prim("add", self.next, product(self.front, size))

    def clamped(self, extents: Sequence[Atom]) -> tuple[Atom, ...]:
        """Return the extents, with 0 in the place of negative ones."""
        out: list[Atom] = []
        for n in extents:
            natural = isinstance(n, Lit) and n.value >= 0
            out.append(n if natural else self.b.prim("max", n, i64(0)))
        return tuple(out)

    def emit(self) -> bool:
        """Emit the translated loop; return False if nothing in it has an id."""
        run, b = self.run, self.b
        level = self.placed()
        inits = self.inits() if self.state else {}
        read = any(made.kept or made.computed for made in self.done)
        if not read and not self.fixed and not inits:
            return False
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
        each = len(self.seeds) if arrays else len(self.put)
        count = (i64(len(self.seeds) - each),), (i64(each), *extents[-1])
        push = TapePush(words.write(b), count, tuple(self.room))
        b.lets.append(Let((self.own, self.at), push))
        b.lets += self.front.lets
        outs = self.results()
        b.lets.append(self.let_of(tuple(v for found in outs for v in found)))
        self.bind(outs, extents[-1])
        return True

    def free(self, level: Level) -> tuple[Var, ...]:
        """Return the values from before the loop that backward code reads."""
        out: dict[Var, None] = {}
        todo = [level]
        while todo:
            one = todo.pop()
            todo += one.below()
            out.update(dict.fromkeys(free_variables(one.back)))
            inside = {*one.outputs, *one.record.values, *one.indices, *one.needs}
            inside.update(x.value for x in one.few)
            self.made.update(v for v in inside if isinstance(v, Var))
        return tuple(v for v in out if v not in self.made)

    def inits(self) -> dict[int, Atom]:
        """Return the ids of the initial carried values, by their positions among the active ones.
        """
        ids = [self.run.dual(self.loop.inits[k], True, self.b)[1] for k in self.outs]
        return {k: a for k, a in enumerate(ids) if not isinstance(a, Lit)}

    def results(self) -> list[tuple[Var, ...]]:
        """Return the variables of each result: a carried active array comes with its ids."""
        out: list[tuple[Var, ...]] = []
        for k, v in enumerate(self.let.vars):
            out.append((Var(v.name, v.type),))
            if self.state and isinstance(v.type, Array) and self.run.on(self.loop.carried[k]):
                out[-1] += (Var(v.name, Array(I64, v.type.rank)),)
        return out

    def bind(self, outs: list[tuple[Var, ...]], counts: tuple[Atom, ...]) -> None:
        """Bind the ids of the results."""
        run, b = self.run, self.b
        extents = run.values(self.loop.extents)
        for k, (v, found) in enumerate(zip(self.let.vars, outs, strict=True)):
            run.env[v] = found
            if k not in self.outs:
                if run.on(v) and len(found) == 1:
                    run.env[v] = (*found, i64(0))
                continue
            here = i64(self.outs.index(k))
            if not isinstance(self.let.op, Build):
                run.env[v] = (*found, b.prim("add", self.own, here))
                continue
            start = b.prim("add", self.own, b.prim("mul", product(b, counts), here))
            run.env[v] = (*found, consecutive(b, start, extents))
            run.numbered[v] = Numbered.dense(b, start, extents)


__all__ = ["loop_row"]
