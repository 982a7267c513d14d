"""Rows of the tape: what is written, and what goes backward through them.

A row is words: the values that its reverse needs, ids, two in a word, and last of all its *code*,
the number of its reverse among ``Codes``. Ids are given out in the order of the rows, so that going
backward the new ids of each row are the last ones that are left. The row of a loop has a record
for each iteration before these words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pullback.core.build import Builder, i64, lit
from pullback.core.terms import (
    AccAdd,
    AccRead,
    Atom,
    Block,
    If,
    Let,
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


Place = Callable[[int], Atom]
"""The numbers of words, by their places in a row."""


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

    def half(self, b: Builder, at: Atom, k: int) -> Atom:
        """The number that is an even or odd one of those that are packed."""
        word = b.index(self.ints, (at,), checked=False)
        if k % 2 == 1:
            return b.prim("shr", word, i64(HALF))
        return b.prim("and", word, i64((1 << HALF) - 1))

    def number(self, b: Builder, words: Words, k: int, place: Place) -> Atom:
        """Number ``k`` of the words that are at these places."""
        return self.half(b, place(words.size - k // 2 - 1), k)

    def read(self, b: Builder, words: Words, place: Place) -> dict[Var, Atom]:
        """The values of the words that are at these places."""
        return {
            v: self.value(b, place(k), v.type)
            for k, v in enumerate(words.values)
            if isinstance(v, Var)
        }

    def add(self, b: Builder, number: Atom, ct: Atom) -> None:
        """To the cotangent of an id."""
        b.lets.append(Let((), AccAdd(self.h, (number,), ct)))


class Row(Protocol):
    """What goes backward through a row whose words end at ``end``."""

    def start(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """Where the row begins."""
        ...

    def count(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """How many ids it defines."""
        ...

    def reverse(self, b: Builder, tape: Tape, end: Atom, first: Atom) -> None:
        """Add to the cotangents of what the row comes from, from those of its ids."""
        ...


def before(b: Builder, end: Atom, words: Words) -> Place:
    """The places of words that end there."""
    return lambda k: b.prim("sub", end, i64(words.size - k))


def given(b: Builder, tape: Tape, outputs: Sequence[Var], first: Atom) -> list[Atom]:
    """The cotangents of the ids of ``outputs``."""
    out: list[Atom] = []
    for k, v in enumerate(outputs):
        assert isinstance(v.type, Real)
        at = b.prim("add", first, i64(k))
        out += b.let(AccRead(tape.h, (at,), v.type.bits), (v.type,), names=("ct",))
    return out


def where_any(
    b: Builder, tape: Tape, outputs: Sequence[Var], first: Atom,
    then: Callable[[Builder, Sequence[Atom]], None],
) -> None:
    """What is done with the cotangents of the ids of ``outputs``, unless all are zero: then nothing
    is added, whatever the values are."""
    cts = given(b, tape, outputs, first)
    some: Atom | None = None
    for ct in cts:
        nonzero = b.prim("ne", ct, lit(0.0, ct.type))
        some = nonzero if some is None else b.prim("or", some, nonzero)
    assert some is not None
    inner = Builder()
    then(inner, cts)
    b.lets.append(Let((), If(some, inner.block(), Block((), ()))))


@dataclass(frozen=True)
class Straight:
    """The reverse of straight-line code: ``back`` goes from ``outputs`` (cotangents) and the values
    of the row to a cotangent for each of its numbers but the first, which is the code."""

    words: Words
    outputs: tuple[Var, ...]
    back: Block

    def start(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """See ``Row``."""
        return b.prim("sub", end, i64(self.words.size))

    def count(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """See ``Row``."""
        return i64(len(self.outputs))

    def reverse(self, b: Builder, tape: Tape, end: Atom, first: Atom) -> None:
        """See ``Row``."""

        def add(inner: Builder, cts: Sequence[Atom]) -> None:
            place = before(inner, end, self.words)
            known = {**tape.read(inner, self.words, place), **dict(zip(self.outputs, cts))}
            for k, ct in enumerate(inner.extend(refresh(self.back, known))):
                tape.add(inner, tape.number(inner, self.words, k + 1, place), ct)

        where_any(b, tape, self.outputs, first, add)


@dataclass
class Codes:
    """The reverses of all rows of a program, by their codes."""

    all: list[Row] = field(default_factory=list)

    @property
    def next(self) -> int:
        """The code of the next one."""
        return len(self.all)

    def resolve(self, b: Builder, tape: Tape, ids: Atom) -> None:
        """From the last row to the first, through all their reverses; ``ids``: how many there
        are."""
        if not self.all:
            return
        end, top = Var("end", I64), Var("top", I64)
        test, body = Builder(), Builder()
        more = test.prim("gt", end, i64(0))
        code = tape.half(body, body.prim("sub", end, i64(1)), 0)
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
        first = b.prim("sub", top, row.count(b, tape, end))
        row.reverse(b, tape, end, first)
        return row.start(b, tape, end), first


__all__ = ["Codes", "Place", "Row", "Straight", "Tape", "Words", "before", "given",
           "where_any"]  # fmt: skip
