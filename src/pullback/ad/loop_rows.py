"""The rows of loops: one for all iterations, and for those of the loops inside.

A row is the records of all its *levels* (a loop, and every loop inside of it), and then words, the
last of which are the extents. The records of sequential loops are one after the other. Where a loop
has independent iterations the records are columns, one for each word, in which lanes find 8 of them
side by side; and the reverse of such a loop is such a loop too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pullback.ad.cells import flatten, indices
from pullback.ad.rows import Place, Tape, Words, before, where_any
from pullback.core.build import Builder, i64, lit
from pullback.core.terms import AccRead, Atom, Block, Call, Loop, Sum_, Var
from pullback.core.traverse import refresh
from pullback.core.types import I64, Real


@dataclass(frozen=True)
class Axis:
    """An index below an extent, of the loop with a number; ``parallel``: its iterations are
    independent."""

    index: Atom
    extent: Atom
    loop: int
    parallel: bool


def product(b: Builder, extents: Sequence[Atom]) -> Atom:
    """How many points there are."""
    out = extents[0]
    for n in extents[1:]:
        out = b.prim("mul", out, n)
    return out


def places(b: Builder, base: Atom, width: int, axes: Sequence[Axis]) -> Place:
    """The places of the words of a record, of which there is one at each point of the axes. Lanes
    run along the last axis of the outermost loop with independent iterations, if there is one."""
    outer = next((a.loop for a in axes if a.parallel), None)
    lanes = [a for a in axes if a.loop == outer][-1:]
    order = [a for a in axes if a not in lanes] + lanes
    flat = flatten(b, tuple(a.index for a in order), tuple(a.extent for a in order))
    if outer is None:
        start = b.prim("add", base, b.prim("mul", flat, i64(width)))
        return lambda k: b.prim("add", start, i64(k))
    size = product(b, [a.extent for a in order])
    return lambda k: b.prim("add", b.prim("add", base, b.prim("mul", size, i64(k))), flat)


@dataclass(frozen=True, eq=False)
class Level:
    """The reverse of a loop. ``back`` goes from ``outputs``, the cotangents of what an iteration
    gives, to those of what it was given by the one before (if ``sequential``), those of the ids
    that it has read, and those of what is the same for all iterations. Of the ids that it has read
    the first are the numbers of its ``record``; the others are the last results of ``back``, of
    which there are ``computed``. In ``back``, calls stand for the loops ``inner``, given their
    cotangents and what they need. Levels are numbered, those inside first."""

    number: int
    record: Words
    indices: tuple[Var, ...]
    outputs: tuple[Var, ...]
    back: Block
    computed: int
    sequential: bool
    needs: tuple[Var, ...]
    inner: dict[str, Level]

    def around(
        self, axes: tuple[Axis, ...], extents: Sequence[tuple[Atom, ...]]
    ) -> dict[int, tuple[Level, tuple[Atom, ...]]]:
        """The levels by their numbers, each with all extents of its records."""
        own = (*axes, *(Axis(i64(0), n, self.number, False) for n in extents[self.number]))
        out = {self.number: (self, tuple(a.extent for a in own))}
        for level in self.inner.values():
            out.update(level.around(own, extents))
        return out


@dataclass(frozen=True)
class Looped:
    """The row of a loop. ``inits``: which of the carried values begin with an id (of a sequential
    loop). ``arrays``: it makes arrays, with an id for each element, the results one after the
    other."""

    words: Words
    level: Level
    inits: tuple[int, ...] = ()
    arrays: bool = False

    def extents(self, b: Builder, tape: Tape, end: Atom) -> list[tuple[Atom, ...]]:
        """How many iterations there are along each axis of all levels."""
        place = before(b, end, self.words)
        levels = self.level.around((), [(i64(0),) * 9] * (self.level.number + 1))
        at = len(self.words.values) - sum(len(x.indices) for x, _ in levels.values())
        out = []
        for number in sorted(levels):
            rank = len(levels[number][0].indices)
            out.append(tuple(tape.value(b, place(at + k), I64) for k in range(rank)))
            at += rank
        return out

    def bases(
        self, b: Builder, tape: Tape, end: Atom, extents: Sequence[tuple[Atom, ...]]
    ) -> list[Atom]:
        """Where the records of all levels begin; those of the last one end where the words do."""
        levels = self.level.around((), extents)
        at: Atom = b.prim("sub", end, i64(self.words.size))
        out = []
        for number in sorted(levels, reverse=True):
            level, around = levels[number]
            if level.record.size:
                room = b.prim("mul", product(b, around), i64(level.record.size))
                at = b.prim("sub", at, room)
            out.append(at)
        return out[::-1]

    def start(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """See ``Row``."""
        return self.bases(b, tape, end, self.extents(b, tape, end))[0]

    def count(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """See ``Row``."""
        k = i64(len(self.level.outputs))
        if not self.arrays:
            return k
        return b.prim("mul", product(b, self.extents(b, tape, end)[-1]), k)

    def reverse(self, b: Builder, tape: Tape, end: Atom, first: Atom) -> None:
        """See ``Row``. The cells of results are others than those that are added to, so iterations
        that make arrays are independent in reverse too."""
        if self.arrays:
            every, one = self.count(b, tape, end), i64(1)
            own = b.prim("slice", tape.h, first, every, one, static=(0,))
            self._add(b, tape, end, (), own)
            return

        def add(inner: Builder, cts: Sequence[Atom]) -> None:
            self._add(inner, tape, end, cts, None)

        where_any(b, tape, self.level.outputs, first, add)

    def _add(
        self, b: Builder, tape: Tape, end: Atom, cts: Sequence[Atom], own: Atom | None
    ) -> None:
        place = before(b, end, self.words)
        extents = self.extents(b, tape, end)
        back = _Backward(tape, extents, self.bases(b, tape, end, extents), own)
        found = back.loop(b, self.level, cts, (), tape.read(b, self.words, place))
        if self.level.sequential:
            n = len(self.level.outputs)
            found = [*(found[i] for i in self.inits), *found[n:]]
        for k, ct in enumerate(found):
            tape.add(b, tape.number(b, self.words, k + 1, place), ct)


@dataclass(frozen=True)
class _Backward:
    """Goes backward through the levels of a row. ``own``: the cells of the arrays that the
    outermost one makes."""

    tape: Tape
    extents: list[tuple[Atom, ...]]
    bases: list[Atom]
    own: Atom | None

    def loop(
        self, b: Builder, level: Level, cts: Sequence[Atom], axes: tuple[Axis, ...],
        here: Mapping[Var, Atom],
    ) -> list[Atom]:
        """All iterations, from the cotangents of what the loop gives to those of what it was given
        (if it is sequential) and of what is the same for all iterations."""
        go = self._sequential if level.sequential else self._independent
        return go(b, level, cts, axes, here)

    def _sequential(
        self, b: Builder, level: Level, cts: Sequence[Atom], axes: tuple[Axis, ...],
        here: Mapping[Var, Atom],
    ) -> list[Atom]:
        ((index,), (count,), n) = level.indices, self.extents[level.number], len(level.outputs)
        gone, inner = Var("gone", I64), Builder()
        i = inner.prim("sub", inner.prim("sub", count, gone), i64(1))
        now = tuple(Var("ct", v.type) for v in level.outputs)
        mine = (*axes, Axis(i, count, level.number, False))
        out = self._again(inner, level, mine, {**here, index: i, **dict(zip(level.outputs, now))})
        totals = tuple(Var("total", a.type) for a in out[n:])
        sums = [inner.prim("add", t, ct) for t, ct in zip(totals, out[n:], strict=True)]
        inits = (*cts, *(lit(0.0, t.type) for t in totals))
        loop = Loop(count, gone, (*now, *totals), inits, inner.block((*out[:n], *sums)))
        return list(b.let(loop, tuple(v.type for v in (*now, *totals))))

    def _independent(
        self, b: Builder, level: Level, cts: Sequence[Atom], axes: tuple[Axis, ...],
        here: Mapping[Var, Atom],
    ) -> list[Atom]:
        extents = self.extents[level.number]
        idx, inner = indices(len(extents)), Builder()
        mine = (*axes, *(Axis(i, n, level.number, True) for i, n in zip(idx, extents)))
        if self.own is not None and not axes:
            cts = self._cells(inner, self.own, level, mine)
        given = {**here, **dict(zip(level.indices, idx)), **dict(zip(level.outputs, cts))}
        out = self._again(inner, level, mine, given)
        loop = Sum_(extents, idx, inner.block(tuple(out)))
        return list(b.let(loop, tuple(a.type for a in out)))

    def _cells(
        self, b: Builder, own: Atom, level: Level, axes: tuple[Axis, ...]
    ) -> list[Atom]:
        extents = tuple(a.extent for a in axes)
        flat = flatten(b, tuple(a.index for a in axes), extents)
        size = product(b, extents)
        out: list[Atom] = []
        for k, v in enumerate(level.outputs):
            assert isinstance(v.type, Real)
            at = b.prim("add", b.prim("mul", size, i64(k)), flat)
            out += b.let(AccRead(own, (at,), v.type.bits), (v.type,), names=("ct",))
        return out

    def _again(
        self, b: Builder, level: Level, axes: tuple[Axis, ...], given: Mapping[Var, Atom]
    ) -> list[Atom]:
        """Through an iteration, adding to the ids that it has read; the other cotangents."""
        place = places(b, self.bases[level.number], level.record.size, axes)
        here = {**given, **self.tape.read(b, level.record, place)}
        for let in level.back.lets:
            match let.op:
                case Call(name, args):
                    inner = level.inner[name]
                    values = [here.get(a, a) if isinstance(a, Var) else a for a in args]
                    n = len(inner.outputs)
                    known = {**here, **dict(zip(inner.needs, values[n:]))}
                    found: Sequence[Atom] = self.loop(b, inner, values[:n], axes, known)
                case _:
                    found = b.extend(refresh(Block((let,), let.vars), here))
            here.update(zip(let.vars, found))
        out = [here.get(a, a) if isinstance(a, Var) else a for a in level.back.results]
        carried = len(level.outputs) if level.sequential else 0
        last = len(out) - level.computed
        kept = range(len(level.record.numbers))
        numbers = [*(self.tape.number(b, level.record, k, place) for k in kept), *out[last:]]
        for number, ct in zip(numbers, out[carried:]):
            self.tape.add(b, number, ct)
        return [*out[:carried], *out[carried + len(numbers) : last]]


__all__ = ["Axis", "Level", "Looped", "places", "product"]
