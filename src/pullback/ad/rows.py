"""Rows of the tape: what is written, and what goes backward through them.

A row is words: the values that its reverse needs, ids, two in a word, and last of all its *code*,
the number of its reverse among ``Codes``. Ids are given out in the order of the rows, so that going
backward the new ids of each row are the last ones that are left. The row of a loop has a record
for each iteration before these words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pullback.core.build import Builder, i64, lit
from pullback.core.terms import (
    AccAdd,
    AccRead,
    Atom,
    Block,
    If,
    Let,
    Loop,
    Var,
    While,
)
from pullback.core.traverse import refresh
from pullback.core.types import F64, I64, Int, Real, Type

HALF = 32
"""Bits of an id: the arena of ids ends before that overflows (``native.layout.ID_BYTES``)."""


def to_word(b: Builder, x: Atom) -> Atom:
    """A scalar as a word."""
    match x.type:
        case Real():
            return x if x.type == F64 else b.prim("to_real", x, static=(F64,))
        case Int():
            return x if x.type == I64 else b.prim("to_int", x, static=(I64,))
        case _:
            return b.prim("select", x, i64(1), i64(0))


def pack(b: Builder, numbers: Sequence[Atom]) -> list[Atom]:
    """Ids in words, two in each, the last words for the first ids."""
    out: list[Atom] = []
    for k in range(0, len(numbers), 2):
        word = numbers[k]
        if k + 1 < len(numbers):
            word = b.prim("or", word, b.prim("shl", numbers[k + 1], i64(HALF)))
        out.append(word)
    return out[::-1]


@dataclass(frozen=True)
class Words:
    """The end of a row, or one record of a loop, in the order in which it is written: values, then
    numbers (ids, or a code)."""

    values: tuple[Atom, ...]
    numbers: tuple[Atom, ...]

    @property
    def size(self) -> int:
        return len(self.values) + (len(self.numbers) + 1) // 2

    def write(self, b: Builder) -> tuple[Atom, ...]:
        """The words."""
        return (*(to_word(b, x) for x in self.values), *pack(b, self.numbers))


@dataclass(frozen=True)
class Tape:
    """What backward code reads: the words, and the accumulator of the cotangents of all ids."""

    ints: Atom
    reals: Atom
    h: Atom

    def value(self, b: Builder, at: Atom, t: Type) -> Atom:
        """A value of a type from its word."""
        match t:
            case Real():
                x = b.index(self.reals, (at,), checked=False)
                return x if t == F64 else b.prim("to_real", x, static=(t,))
            case Int():
                x = b.index(self.ints, (at,), checked=False)
                return x if t == I64 else b.prim("to_int", x, static=(t,))
            case _:
                return b.prim("ne", b.index(self.ints, (at,), checked=False), i64(0))

    def number(self, b: Builder, end: Atom, k: int) -> Atom:
        """Number ``k`` of the words that end there."""
        word = b.index(self.ints, (b.prim("sub", end, i64(k // 2 + 1)),), checked=False)
        if k % 2 == 1:
            return b.prim("shr", word, i64(HALF))
        return b.prim("and", word, i64((1 << HALF) - 1))

    def read(self, b: Builder, words: Words, end: Atom) -> dict[Var, Atom]:
        """The values of the words that end there."""
        first = b.prim("sub", end, i64(words.size))
        return {
            v: self.value(b, b.prim("add", first, i64(k)), v.type)
            for k, v in enumerate(words.values)
            if isinstance(v, Var)
        }

    def add(self, b: Builder, number: Atom, ct: Atom) -> None:
        """To the cotangent of an id."""
        b.lets.append(Let((), AccAdd(self.h, (number,), ct)))


@dataclass(frozen=True)
class Straight:
    """The reverse of straight-line code: ``back`` goes from ``outputs`` (cotangents) and the values
    of the row to a cotangent for each of its numbers but the first, which is the code."""

    words: Words
    outputs: tuple[Var, ...]
    back: Block

    def reverse(self, b: Builder, tape: Tape, end: Atom, cts: Sequence[Atom]) -> None:
        """Add to the cotangents of what the row comes from."""
        known = {**dict(zip(self.outputs, cts, strict=True)), **tape.read(b, self.words, end)}
        for k, ct in enumerate(b.extend(refresh(self.back, known))):
            tape.add(b, tape.number(b, end, k + 1), ct)

    def start(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """Where the row begins."""
        return b.prim("sub", end, i64(self.words.size))


@dataclass(frozen=True)
class Repeated:
    """The reverse of a loop, with ``record`` for each iteration and ``words`` at the end, the last
    value of which is how many iterations there are. ``back`` goes from the cotangents ``outputs``
    of what an iteration gives on to those of what it was given, and then to one for each id of the
    record and of what does not vary. ``inits``: which of the carried values begin with an id.
    ``index``: the number of the iteration, if the reverse needs it."""

    words: Words
    record: Words
    outputs: tuple[Var, ...]
    back: Block
    inits: tuple[int, ...]
    index: Var | None = None

    def reverse(self, b: Builder, tape: Tape, end: Atom, cts: Sequence[Atom]) -> None:
        """The same as ``Straight.reverse``."""
        n, each = len(self.outputs), len(self.record.numbers)
        known, count = tape.read(b, self.words, end), self._count(b, tape, end)
        last = b.prim("sub", end, i64(self.words.size))
        back, inner = Var("back", I64), Builder()
        stop = inner.prim("sub", last, inner.prim("mul", back, i64(self.record.size)))
        totals = tuple(Var("total", a.type) for a in self.back.results[n + each :])
        now = tuple(Var("ct", v.type) for v in self.outputs)
        here = {**known, **tape.read(inner, self.record, stop)}
        here.update(zip(self.outputs, now, strict=True))
        if self.index is not None:
            rest = inner.prim("sub", count, back)
            here[self.index] = inner.prim("sub", rest, i64(1))
        out = inner.extend(refresh(self.back, here))
        for k, ct in enumerate(out[n : n + each]):
            tape.add(inner, tape.number(inner, stop, k), ct)
        sums = [inner.prim("add", t, ct) for t, ct in zip(totals, out[n + each :], strict=True)]
        inits = (*cts, *(lit(0.0, t.type) for t in totals))
        state = (*now, *totals)
        loop = Loop(count, back, state, inits, inner.block((*out[:n], *sums)))
        found = b.let(loop, tuple(v.type for v in state))
        for k, ct in enumerate((*(found[i] for i in self.inits), *found[n:])):
            tape.add(b, tape.number(b, end, k + 1), ct)

    def _count(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        ids = self.words.size - len(self.words.values)
        return b.index(tape.ints, (b.prim("sub", end, i64(ids + 1)),), checked=False)

    def start(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """Where the row begins."""
        records = b.prim("mul", self._count(b, tape, end), i64(self.record.size))
        return b.prim("sub", b.prim("sub", end, i64(self.words.size)), records)


@dataclass
class Codes:
    """The reverses of all rows of a program, by their codes."""

    all: list[Straight | Repeated] = field(default_factory=list)

    @property
    def next(self) -> int:
        """The code of the next one."""
        return len(self.all)

    def resolve(self, b: Builder, tape: Tape, ids: Atom) -> None:
        """From the last row to the first, through all their reverses; ``ids``: how many there
        are. Where all cotangents are zero nothing is added, whatever the values are."""
        if not self.all:
            return
        end, top = Var("end", I64), Var("top", I64)
        test, body = Builder(), Builder()
        more = test.prim("gt", end, i64(0))
        code = tape.number(body, end, 0)
        out = self._choose(body, tape, code, end, top, range(len(self.all)))
        start = b.dim(tape.ints, 0)
        loop = While((end, top), (start, ids), test.block((more,)), body.block(out))
        b.let(loop, (I64, I64))

    def _choose(
        self, b: Builder, tape: Tape, code: Atom, end: Var, top: Var, among: range
    ) -> tuple[Atom, ...]:
        """Go back through the row with this code; where it begins, and its first id."""
        if len(among) == 1:
            return self._row(b, tape, among[0], end, top)
        half = len(among) // 2
        blocks = []
        for part in (among[:half], among[half:]):
            inner = Builder()
            blocks.append(inner.block(self._choose(inner, tape, code, end, top, part)))
        low = b.prim("lt", code, i64(among[half]))
        return b.let(If(low, *blocks), (I64, I64))

    def _row(self, b: Builder, tape: Tape, code: int, end: Var, top: Var) -> tuple[Atom, ...]:
        row = self.all[code]
        first = b.prim("sub", top, i64(len(row.outputs)))
        cts: list[Atom] = []
        some: Atom | None = None
        for k, v in enumerate(row.outputs):
            assert isinstance(v.type, Real)
            at = b.prim("add", first, i64(k))
            cts += b.let(AccRead(tape.h, (at,), v.type.bits), (v.type,), names=("ct",))
            nonzero = b.prim("ne", cts[-1], lit(0.0, v.type))
            some = nonzero if some is None else b.prim("or", some, nonzero)
        assert some is not None
        inner = Builder()
        row.reverse(inner, tape, end, cts)
        b.lets.append(Let((), If(some, inner.block(), Block((), ()))))
        return row.start(b, tape, end), first


__all__ = ["Codes", "Repeated", "Straight", "Tape", "Words"]
