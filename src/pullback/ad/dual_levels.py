"""The levels of a row: a loop of straight-line code, and the loops and branches inside of it.

Each level has a record on the tape for every point of the loops around it, and backward code of its
own, in which a call stands for each level inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pullback.ad.broadcast_residuals import FEW, FULL, Axis, Few, Origins, checks
from pullback.ad.contributions import Contributions
from pullback.ad.loop_rows import Branch, Level, places
from pullback.ad.min_cut import above, fewest
from pullback.ad.straight import is_operation, product_of, sweep
from pullback.ad.tape_rows import Words
from pullback.core.build import Builder, i64, lit
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    If,
    Index,
    Let,
    Loop,
    Op,
    Prim,
    Sum_,
    TapeWrite,
    Update,
    Var,
    sub_blocks,
)
from pullback.core.terms import atoms as atoms_of
from pullback.core.traverse import all_lets, free_variables, refresh
from pullback.core.types import Array, Real

if TYPE_CHECKING:
    from pullback.ad.dual import Dual
    from pullback.ad.dual_loops import Outermost


@dataclass(frozen=True)
class Repetition:
    """The fields that all sorts of loops have."""

    extents: tuple[Atom, ...]
    indices: tuple[Var, ...]
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Block
    results: tuple[Var, ...]

    @staticmethod
    def of(let: Let) -> Repetition:
        match let.op:
            case Loop(n, i, carried, inits, body):
                return Repetition((n,), (i,), carried, inits, body, carried)
            case Build(extents, indices, body) | Sum_(extents, indices, body):
                return Repetition(extents, indices, (), (), body, let.vars)
            case _:
                raise AssertionError("not a loop")


def plain(run: Dual, let: Let) -> bool:
    """Whether a let is an operation, reads an array or part of one, or works on no value with an
    id."""
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


class Made:
    """The translation of a loop (or of an arm): its forward code and its backward code.

    outs   the numbers of the results that are active
    made   the variables of the forward code, also those of loops inside
    """

    def __init__(self, run: Dual, let: Let, up: Made | None, loop: Repetition) -> None:
        self.run, self.let, self.up, self.loop = run, let, up, loop
        results = [*zip(self.loop.results, self.loop.body.results, strict=True)]
        self.outs = [
            k for k, (v, r) in enumerate(results) if run.on(v) and isinstance(r.type, Real)
        ]
        self.inner = Builder()
        self.items: list[Let | Made | Choice] = []
        self.inside = tuple(run.fresh(i)[0] for i in self.loop.indices)
        self.state: tuple[Var, ...] = ()
        for c in self.loop.carried:
            if isinstance(c.type, Array):
                self.state += run.fresh(c)
            else:
                self.state += (Var(c.name, c.type),)
                run.env[c] = self.state[-1:]
        self.seeds = tuple(Var("ct", self.loop.body.results[k].type) for k in self.outs)
        self.put: list[Var] = []
        self.made: set[Var] = set(self.state)
        self.levels: dict[str, Level | Branch] = {}

    def outermost(self) -> Outermost:
        """Return the outermost loop, to which the row belongs."""
        assert self.up is not None
        return self.up.outermost()

    def forward(self) -> None:
        """Translate the body."""
        run = self.run
        for x in self.loop.body.lets:
            if is_operation(x, run.on, gates=True):
                run.operation(x, self.inner)
                self.items.append(x)
            elif isinstance(x.op, If) and not plain(run, x):
                self.inside_of(x, Choice(run, x, self))
            elif isinstance(x.op, (Loop, Sum_)) and not plain(run, x):
                self.inside_of(x, Made(run, x, self, Repetition.of(x)))
            elif isinstance(x.op, Update) and run.on(x.vars[0]):
                self.update(x, x.op)
            else:
                run.let(x, self.inner)
            self.made.update(v for y in self.inner.lets for v in y.vars)

    def update(self, let: Let, op: Update) -> None:
        """Put an element with its id into an array. An element without an id gets one: such ids
        follow those of the results, the ids of each update side by side."""
        run, inner, value = self.run, self.inner, op.value
        own: Atom = i64(0)
        if isinstance(value, Var) and run.on(value):
            if len(run.look(value)) > 1:
                own = run.id(value)
            else:
                (n,), outermost = run.values(self.loop.extents), self.outermost()
                start = inner.prim("mul", n, i64(len(self.put)))
                start = inner.prim("add", start, i64(len(self.outs)))
                start = inner.prim("add", outermost.own, start)
                own = inner.prim("add", start, self.inside[0])
                self.put.append(value)
        where = run.values(op.indices)
        array, ids = run.look(op.array)
        made = run.fresh(let.vars[0])
        for v, old, x in zip(made, (array, ids), (run.value(value), own), strict=True):
            inner.lets.append(Let((v,), Update(old, where, x, op.checked), let.site))

    def inside_of(self, let: Let, item: Made | Choice) -> None:
        """Translate a loop or branch inside of this one."""
        self.items.append(item)
        level = item.placed()
        self.levels[item.name] = level
        self.made |= item.made
        outs = tuple(Var(v.name, v.type) for v in let.vars)
        self.run.env.update((v, (out,)) for v, out in zip(let.vars, outs, strict=False))
        self.inner.lets.append(item.let_of(outs))

    def partly(self, k: int) -> bool:
        """Whether result ``k`` may lack a cotangent: it is an element of an array, belongs to a
        loop inside of another one, or is carried and read by nobody after the loop."""
        if self.up is not None or k >= len(self.outs) + len(self.put) - self.cells:
            return True
        unread = self.let.vars[self.outs[k]] not in self.run.users
        return bool(self.state) and unread and self.run.functions.wild

    @property
    def cells(self) -> int:
        """The number of results that are elements of arrays; they come last, and may lack a
        cotangent."""
        n = len(self.put)
        return n + len(self.outs) if isinstance(self.let.op, Build) else n

    # -- backward -------------------------------------------------------------------------------

    def sweep(self, back: Builder, cts: Sequence[Atom]) -> tuple[Atom, ...]:
        """Emit the backward code, from the cotangents of the results to those of all variables that
        they come from."""
        run, loop, sums = self.run, self.loop, Contributions()
        ct: dict[Var, Atom] = {}
        given = [*(loop.body.results[k] for k in self.outs), *self.put]
        for k, (r, seed) in enumerate(zip(given, cts, strict=True)):
            if isinstance(r, Var) and run.on(r):
                if self.partly(k):
                    sums.nonzero(back, seed)
                ct[r] = sums.sum(back, ct[r], seed) if r in ct else seed
        for item in reversed(self.items):
            if isinstance(item, Let):
                sweep(back, [item], ct, run.value, run.on, sums)
            else:
                item.called(back, ct, sums)
        ct = {v: sums.closed(back, x) for v, x in ct.items()}
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
        """Split cotangents into those of values that are read inside and those of values from
        around."""
        done = {v for x in self.items for v in (x if isinstance(x, Let) else x.let).vars}
        bound = {v for x in all_lets(self.loop.body) for v in x.vars}
        read = {v: x for v, x in ct.items() if v in bound - done}
        inside = bound.union(self.loop.carried)
        return read, {v: x for v, x in ct.items() if v not in inside}

    def rest(self, back: Builder, around: dict[Var, Atom]) -> tuple[Atom, ...]:
        """Return the cotangents of the values that are the same for all iterations."""
        self.around = {v: x for v, x in around.items() if self.run.on(v)}
        return tuple(self.around.values())

    def called(self, back: Builder, ct: dict[Var, Atom], sums: Contributions) -> None:
        """In the backward code of the loop around, go backward through this one."""
        outs = [self.let.vars[k] for k in self.outs]
        if not any(v in ct for v in outs):
            return
        given = tuple(ct.get(v, lit(0.0, v.type)) for v in outs)
        inits = [self.loop.inits[k] for k in self.outs] if self.loop.carried else []
        targets: list[Atom] = [*inits, *self.around]
        go_through(back, self.name, given, self.needs, targets, ct, sums, self.run)

    def known(self, own: Atom) -> bool:
        """Whether backward code can compute an id, so that it need not be kept."""
        return above([own], self.run.cheap, self.varies) is not None

    def same(self, own: Atom) -> bool:
        """Whether backward code can compute an id that is the same in all iterations."""
        lets = above([own], self.run.cheap, self.varies)
        if lets is None:
            return False
        return {own, *(a for x in lets for a in atoms_of(x.op))}.isdisjoint(self.inside)

    def varies(self, v: Var) -> bool:
        """Whether a value differs between iterations in another way than by the number of the
        iteration."""
        return v in self.made

    def level(self) -> Level:
        """Write the backward code, and add to the forward code what the backward code needs of it.
        """
        self.forward()
        self.seeds += tuple(Var("ct", v.type) for v in self.put)
        self.sweep(Builder(), self.seeds)
        operations = [x for x in self.items if isinstance(x, Let)]
        straight = len(operations) == len(self.items)
        factor = product_of(operations) if straight else None
        if factor is not None and (self.cells or self.up is not None):
            factor = "mulz"
        self.origins, few = self.known_before(), dict[Var, Few | None]()

        def weight(v: Var) -> int:
            if v not in few:
                few[v] = self.origins.few(v)
            return FULL if few[v] is None else FEW

        kept = fewest(self.sweep, self.seeds, factor, self.run.cheap, self.varies, weight)
        self.inner.lets.extend(kept.front)
        self.made.update(v for y in kept.front for v in y.vars)
        self.few = tuple(x for v in kept.stored if (x := few.get(v)) is not None)
        apart = {x.value for x in self.few}
        full = tuple(v for v in kept.stored if v not in apart)
        self.record = Words(full, tuple(a for a, _ in self.kept))
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
            self.number, self.record, self.few, len(self.put), self.inside, self.seeds, back,
            len(numbers), bool(self.state), self.needs, self.levels,
        )

    def invariant(self, back: Block, varying: set[Var]) -> Block:
        """Return the backward code of an iteration; what does not vary is done in front of the
        loop."""
        return refresh(back)

    def needed(self, back: Block) -> tuple[Var, ...]:
        """Return the values of the loops around that backward code reads."""
        own: set[Atom] = {*self.seeds, *self.record.values, *self.inside}
        own.update(x.value for x in self.few)
        up, found = self.up, set[Var]()
        while up is not None:
            found |= up.made
            up = up.up
        return tuple(v for v in free_variables(back) if v in found and v not in own)

    # -- the records ----------------------------------------------------------------------------

    def axes(self) -> tuple[Axis, ...]:
        """The axes of this loop and of the loops around it."""
        extents = self.run.values(self.loop.extents)
        parallel = not self.state
        mine = (Axis(i, n, id(self), parallel) for i, n in zip(self.inside, extents, strict=True))
        return (*(self.up.axes() if self.up else ()), *mine)

    def known_before(self) -> Origins:
        """Return where values come from that may be kept once for several iterations. A value that
        is read in an arm or after a check is none of them, for its indices may be in range only
        there."""
        around: list[Made] = [self]
        while (up := around[-1].up) is not None:
            around.append(up)
        if any(isinstance(one, Arm) or checks(one.inner.lets) for one in around):
            return Origins({}, {}, lambda v: True)
        made = set[Var]().union(*(one.made for one in around))
        define = {v: x for one in around for x in one.inner.lets for v in x.vars}
        axes = {a.index: k for k, a in enumerate(self.axes()) if isinstance(a.index, Var)}
        return Origins(define, axes, made.union(define).__contains__)

    def placed(self) -> Level:
        """Return the backward code; the forward code then writes the records, those of the loops
        inside first."""
        level = self.level()
        base = self.outermost().base(self)
        place = places(self.inner, base, self.record.size, self.axes())
        for k, word in enumerate(self.record.write(self.inner)):
            self.inner.lets.append(Let((), TapeWrite(place(k), word)))
        for few in self.few:
            self.outermost().write(self, few)
        return level

    def block(self) -> Block:
        """Return the body of the forward code."""
        run, results = self.run, self.loop.body.results
        arrays = [run.on(v) and isinstance(v.type, Array) for v in self.loop.carried]
        if not any(arrays):
            return self.inner.block(tuple(map(run.value, results)))
        pairs = zip(results, arrays, strict=True)
        found = [x for r, on in pairs for x in self.both(r, on, self.inner)]
        return self.inner.block(tuple(found))

    def both(self, a: Atom, on: bool, b: Builder) -> tuple[Atom, ...]:
        """Return the value of an atom and, if it is an active array, its ids."""
        return self.run.dual(a, True, b) if on else (self.run.value(a),)

    def let_of(self, outs: tuple[Var, ...]) -> Let:
        """Return the let of the translated loop."""
        run, loop = self.run, self.loop
        extents, body = run.values(loop.extents), self.block()
        op: Op
        match self.let.op:
            case Loop():
                b = self.outermost().b
                on = [run.on(v) and isinstance(v.type, Array) for v in loop.carried]
                first = [
                    x
                    for a, each in zip(loop.inits, on, strict=False)
                    for x in self.both(a, each, b)
                ]
                op = Loop(extents[0], self.inside[0], self.state, tuple(first), body)
            case Sum_():
                op = Sum_(extents, self.inside, body)
            case _:
                op = Build(extents, self.inside, body)
        return Let(outs, op, self.let.site)


class Arm(Made):
    """An arm of a branch: a loop without an index, whose body runs once or not at all. It handles
    the ids that it reads by itself, because indices may be in range only there."""

    def same(self, own: Atom) -> bool:
        return False


class Choice:
    """The translation of a branch: its forward code and its backward code."""

    def __init__(self, run: Dual, let: Let, up: Made) -> None:
        assert isinstance(let.op, If)
        self.run, self.let, self.cond = run, let, let.op.cond
        self.arms = [
            Arm(run, let, up, Repetition((), (), (), (), body, let.vars))
            for body in (let.op.then, let.op.orelse)
        ]
        self.made: set[Var] = set()

    def placed(self) -> Branch:
        """Return the backward code; the forward code then writes the records of the arms."""
        first, second = (arm.placed() for arm in self.arms)
        self.name = f"branch {second.number}"
        self.made.update(*(arm.made for arm in self.arms))
        around = [list(arm.around) for arm in self.arms]
        self.targets = list(dict.fromkeys(v for vs in around for v in vs))
        takes = tuple(
            tuple(vs.index(v) if v in vs else None for v in self.targets) for vs in around
        )
        types = tuple(v.type for v in self.targets)
        return Branch((first, second), takes, types)

    def let_of(self, outs: tuple[Var, ...]) -> Let:
        """Return the let of the translated branch."""
        then, orelse = (arm.block() for arm in self.arms)
        return Let(outs, If(self.run.value(self.cond), then, orelse), self.let.site)

    def called(self, back: Builder, ct: dict[Var, Atom], sums: Contributions) -> None:
        """See ``Made.called``."""
        outs = [v for v in self.let.vars if self.run.on(v)]
        if not any(v in ct for v in outs):
            return
        given = tuple(ct.get(v, lit(0.0, v.type)) for v in outs)
        rest = (self.run.value(self.cond), *(v for arm in self.arms for v in arm.needs))
        go_through(back, self.name, given, rest, self.targets, ct, sums, self.run)


def go_through(
    back: Builder, name: str, given: Sequence[Atom], rest: Sequence[Atom],
    targets: Sequence[Atom], ct: dict[Var, Atom], sums: Contributions, run: Dual,
) -> None:
    """Emit the call of the backward code of a loop or branch inside: from the cotangents of its
    results to those of ``targets``."""
    args = (*(sums.closed(back, x) for x in given), *rest)
    found = back.let(Call(name, args), tuple(v.type for v in targets))
    for v, x in zip(targets, found, strict=True):
        if isinstance(v, Var) and run.on(v):
            sums.nonzero(back, x)
            ct[v] = sums.sum(back, ct[v], x) if v in ct else x


__all__ = ["Made", "Repetition", "plain"]
