"""The rows of loops: one row for all iterations, and for those of the loops inside.

A row consists of the records of all its *levels* (a loop, and every loop inside of it), and after
them of words, the last of which are the extents. The records of a sequential loop lie one after the
other. If a loop has independent iterations, its records are columns, one for each word, so that
lanes find the words of eight iterations side by side; the reverse of such a loop has independent
iterations too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pullback.ad.broadcast_residuals import Axis, Few, in_order
from pullback.ad.cells import flatten, indices
from pullback.ad.contributions import handed_on
from pullback.ad.tape_rows import Place, Tape, Words, before, given, where_any
from pullback.core.build import Builder, i64, lit
from pullback.core.frozen import dataclass
from pullback.core.terms import AccRead, Atom, Block, Call, If, Loop, Sum_, Var
from pullback.core.traverse import refresh
from pullback.core.types import I64, Real, Type


def product(b: Builder, extents: Sequence[Atom]) -> Atom:
    """Return the number of points of these extents."""
    out: Atom = extents[0] if extents else i64(1)
    for n in extents[1:]:
        out = b.prim("mul", out, n)
    return out


def places(b: Builder, base: Atom, width: int, axes: Sequence[Axis]) -> Place:
    """Return the places of the words of a record; there is a record at each point of the axes."""
    order = in_order(axes, axes)
    flat = flatten(b, tuple(a.index for a in order), tuple(a.extent for a in order))
    if not any(a.parallel for a in axes):
        start = b.prim("add", base, b.prim("mul", flat, i64(width)))
        return lambda k: b.prim("add", start, i64(k))
    size = product(b, [a.extent for a in order])
    return lambda k: b.prim("add", b.prim("add", base, b.prim("mul", size, i64(k))), flat)


@dataclass(frozen=True, eq=False)
class Level:
    """The reverse of a loop.

    ``back`` goes from ``outputs``, the cotangents of the results of an iteration, to three groups
    of cotangents: those of the values that the iteration got from the one before (if
    ``sequential``), those of the ids that it has read, and those of the values that are the same
    for all iterations.

    Of the ids that it has read, the first are the numbers of its ``record``; the others are the
    last results of ``back``, ``computed`` of them. The last outputs, ``cells`` of them, belong to
    elements that the iterations of a sequential loop have put into arrays. Besides the record there
    are the values of ``few`` axes. In ``back``, calls stand for the loops ``inner``; their
    arguments are cotangents and the values that they need. Levels are numbered, those inside first.
    """

    number: int
    record: Words
    few: tuple[Few, ...]
    cells: int
    indices: tuple[Var, ...]
    outputs: tuple[Var, ...]
    back: Block
    computed: int
    sequential: bool
    needs: tuple[Var, ...]
    inner: dict[str, Level | Branch]

    @property
    def carried(self) -> int:
        """The number of outputs that an iteration passes to the next one."""
        return len(self.outputs) - self.cells if self.sequential else 0

    def below(self) -> list[Level]:
        """Return the levels inside."""
        found = (x.arms if isinstance(x, Branch) else (x,) for x in self.inner.values())
        return [level for levels in found for level in levels]

    def around(
        self, axes: tuple[Axis, ...], extents: Sequence[tuple[Atom, ...]]
    ) -> dict[int, tuple[Level, tuple[Atom, ...]]]:
        """Return the levels by their numbers, each with all extents of its records."""
        own = (*axes, *(Axis(i64(0), n, self.number, False) for n in extents[self.number]))
        out = {self.number: (self, tuple(a.extent for a in own))}
        for level in self.below():
            out.update(level.around(own, extents))
        return out


@dataclass(frozen=True, eq=False)
class Branch:
    """The reverse of a branch: its arms, which are levels without an index. Its results are
    cotangents of ``types``; ``takes`` says for each arm which of the arm's results these are (None:
    zero)."""

    arms: tuple[Level, Level]
    takes: tuple[tuple[int | None, ...], ...]
    types: tuple[Type, ...]


@dataclass(frozen=True)
class Looped:
    """The row of a loop.

    inits    which of the carried values (of a sequential loop) begin with an id
    arrays   whether the loop builds arrays, with an id for each element, one result after the other
    """

    words: Words
    level: Level
    inits: tuple[int, ...] = ()
    arrays: bool = False

    def extents(self, b: Builder, tape: Tape, end: Atom) -> list[tuple[Atom, ...]]:
        """Return the numbers of iterations along each axis of all levels."""
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
    ) -> list[list[Atom]]:
        """Return the places where the records of each level begin, followed by those of its values
        of few axes; the last ones end where the words do."""
        levels = self.level.around((), extents)
        at: Atom = b.prim("sub", end, i64(self.words.size))
        out = []
        for number in sorted(levels, reverse=True):
            level, around = levels[number]
            here: list[Atom] = []
            for few in reversed(level.few):
                at = b.prim("sub", at, product(b, [around[k] for k in few.axes]))
                here.insert(0, at)
            if level.record.size:
                room = b.prim("mul", product(b, around), i64(level.record.size))
                at = b.prim("sub", at, room)
            out.append([at, *here])
        return out[::-1]

    def start(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """See ``Row``."""
        return self.bases(b, tape, end, self.extents(b, tape, end))[0][0]

    def count(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """See ``Row``."""
        level = self.level
        each = len(level.outputs) if self.arrays else level.cells
        once = i64(len(level.outputs) - each)
        if each == 0:
            return once
        own = b.prim("mul", product(b, self.extents(b, tape, end)[-1]), i64(each))
        return b.prim("add", own, once)

    def reverse(self, b: Builder, tape: Tape, end: Atom, first: Atom) -> None:
        """See ``Row``. The cells of results differ from those that are added to, so the iterations
        of a loop that builds arrays are independent in reverse too."""
        level = self.level
        if self.arrays or level.cells:
            start = b.prim("add", first, i64(level.carried))
            every = b.prim("sub", self.count(b, tape, end), i64(level.carried))
            own = b.prim("slice", tape.h, start, every, i64(1), static=(0,))
            self._add(b, tape, end, given(b, tape, level.outputs[: level.carried], first), own)
            return

        def add(inner: Builder, cts: Sequence[Atom]) -> None:
            self._add(inner, tape, end, cts, None)

        where_any(b, tape, level.outputs, first, add)

    def _add(
        self, b: Builder, tape: Tape, end: Atom, cts: Sequence[Atom], own: Atom | None
    ) -> None:
        place = before(b, end, self.words)
        extents = self.extents(b, tape, end)
        back = _Backward(tape, extents, self.bases(b, tape, end, extents), own)
        found = back.loop(b, self.level, cts, (), tape.read(b, self.words, place))
        if self.level.sequential:
            n = self.level.carried
            found = [*(found[i] for i in self.inits), *found[n:]]
        for k, ct in enumerate(found):
            tape.add(b, tape.number(b, self.words, k + 1, place), ct)


@dataclass(frozen=True)
class _Backward:
    """The walk backward through the levels of a row. ``own``: the cells of the elements that the
    outermost level puts into arrays, those of each result (or of each update) side by side."""

    tape: Tape
    extents: list[tuple[Atom, ...]]
    bases: list[list[Atom]]
    own: Atom | None

    def loop(
        self, b: Builder, level: Level, cts: Sequence[Atom], axes: tuple[Axis, ...],
        here: Mapping[Var, Atom],
    ) -> list[Atom]:
        """Emit all iterations: from the cotangents of the results of the loop to those of its
        initial values (if it is sequential) and of the values that are the same for all iterations.
        """
        go = self._sequential if level.sequential else self._independent
        return go(b, level, cts, axes, here)

    def _sequential(
        self, b: Builder, level: Level, cts: Sequence[Atom], axes: tuple[Axis, ...],
        here: Mapping[Var, Atom],
    ) -> list[Atom]:
        ((index,), (count,), n) = level.indices, self.extents[level.number], level.carried
        gone, inner = Var("gone", I64), Builder()
        i = inner.prim("sub", inner.prim("sub", count, gone), i64(1))
        now = tuple(Var("ct", v.type) for v in level.outputs[:n])
        mine = (*axes, Axis(i, count, level.number, False))
        cells = self._cells(inner, level.outputs[n:], mine)
        given = {**here, index: i, **dict(zip(level.outputs, (*now, *cells), strict=False))}
        out = self._again(inner, level, mine, given, inner)
        totals = tuple(Var("total", a.type) for a in out[n:])
        sums = [inner.prim("add", t, ct) for t, ct in zip(totals, out[n:], strict=True)]
        inits = (*cts, *(lit(0.0, t.type) for t in totals))
        ends = handed_on(inner, count, now, out[:n])
        loop = Loop(count, gone, (*now, *totals), inits, inner.block((*ends, *sums)))
        return list(b.let(loop, tuple(v.type for v in (*now, *totals))))

    def _independent(
        self, b: Builder, level: Level, cts: Sequence[Atom], axes: tuple[Axis, ...],
        here: Mapping[Var, Atom],
    ) -> list[Atom]:
        extents = self.extents[level.number]
        idx, inner = indices(len(extents)), Builder()
        mine = (
            *axes,
            *(Axis(i, n, level.number, True) for i, n in zip(idx, extents, strict=False)),
        )
        if self.own is not None and not axes:
            cts = self._cells(inner, level.outputs, mine)
        given = {
            **here,
            **dict(zip(level.indices, idx, strict=False)),
            **dict(zip(level.outputs, cts, strict=False)),
        }
        out = self._again(inner, level, mine, given, inner)
        loop = Sum_(extents, idx, inner.block(tuple(out)))
        return list(b.let(loop, tuple(a.type for a in out)))

    def _cells(
        self, b: Builder, outputs: Sequence[Var], axes: tuple[Axis, ...]
    ) -> list[Atom]:
        extents = tuple(a.extent for a in axes)
        flat = flatten(b, tuple(a.index for a in axes), extents)
        size = product(b, extents)
        out: list[Atom] = []
        for k, v in enumerate(outputs):
            assert isinstance(v.type, Real) and self.own is not None
            at = b.prim("add", b.prim("mul", size, i64(k)), flat)
            out += b.let(AccRead(self.own, (at,), v.type.bits), (v.type,), names=("ct",))
        return out

    def _again(
        self, b: Builder, level: Level, axes: tuple[Axis, ...], given: Mapping[Var, Atom],
        front: Builder,
    ) -> list[Atom]:
        """Go through an iteration, adding to the ids that it has read; return the other cotangents.
        Its record is read in ``front``."""
        base, *bases = self.bases[level.number]
        place = places(front, base, level.record.size, axes)
        here = {**given, **self.tape.read(front, level.record, place)}
        for few, start in zip(level.few, bases, strict=True):
            at = few.place(front, start, axes)
            here[few.value] = self.tape.value(front, at, few.value.type)
        found: Sequence[Atom]
        for let in level.back.lets:
            match let.op:
                case Call(name, args):
                    values = [here.get(a, a) if isinstance(a, Var) else a for a in args]
                    found = self._inside(b, level.inner[name], values, axes, here)
                case _:
                    found = b.extend(refresh(Block((let,), let.vars), here))
            here.update(zip(let.vars, found, strict=False))
        out = [here.get(a, a) if isinstance(a, Var) else a for a in level.back.results]
        carried, last = level.carried, len(out) - level.computed
        kept = range(len(level.record.numbers))
        numbers = [*(self.tape.number(front, level.record, k, place) for k in kept), *out[last:]]
        for number, ct in zip(numbers, out[carried:], strict=False):
            self.tape.add(b, number, ct)
        return [*out[:carried], *out[carried + len(numbers) : last]]

    def _inside(
        self, b: Builder, item: Level | Branch, values: Sequence[Atom], axes: tuple[Axis, ...],
        here: Mapping[Var, Atom],
    ) -> list[Atom]:
        """Go through a loop or branch, for which a call stands in the backward code."""
        if isinstance(item, Level):
            n = len(item.outputs)
            known = {**here, **dict(zip(item.needs, values[n:], strict=False))}
            return self.loop(b, item, values[:n], axes, known)
        n = len(item.arms[0].outputs)
        cond, rest, blocks = values[n], values[n + 1 :], []
        lanes = any(a.parallel for a in axes)  # all lanes read side by side, whichever need it
        for arm, takes in zip(item.arms, item.takes, strict=True):
            inner = Builder()
            mine = {
                **here,
                **dict(zip(arm.outputs, values, strict=False)),
                **dict(zip(arm.needs, rest, strict=False)),
            }
            rest = rest[len(arm.needs) :]
            out = self._again(inner, arm, axes, mine, b if lanes else inner)
            zeros = [lit(0.0, t) for t in item.types]
            blocks.append(inner.block(tuple(
                zero if k is None else out[k] for k, zero in zip(takes, zeros, strict=True)
            )))  # fmt: skip
        return list(b.let(If(cond, *blocks), item.types))


__all__ = ["Branch", "Level", "Looped", "places", "product"]
