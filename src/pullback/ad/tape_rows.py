"""Rows of the tape: how they are written, and the code that goes backward through them.

A row consists of words: the values that its reverse needs, ids, two in a word, and at the end its
*code*, the number of its reverse among ``Codes``. Ids are assigned in the order of the rows, so
going backward, the ids that a row defines are always the last ones that are left. The row of a loop
has a record for each iteration before these words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from pullback.core.build import Builder, i64, lit
from pullback.core.frozen import dataclass, field
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
    """Emit a scalar as a word."""
    match x.type:
        case Real():
            return x if x.type == F64 else b.prim("to_real", x, static=(F64,))
        case Int():
            return x if x.type == I64 else b.prim("to_int", x, static=(I64,))
        case _:
            return b.prim("select", x, i64(1), i64(0))


def pack(b: Builder, numbers: Sequence[Atom]) -> list[Atom]:
    """Emit ids as words, two in each; the last words hold the first ids."""
    out: list[Atom] = []
    for k in range(0, len(numbers), 2):
        word = numbers[k]
        if k + 1 < len(numbers):
            word = b.prim("or", word, b.prim("shl", numbers[k + 1], i64(HALF)))
        out.append(word)
    return out[::-1]


@dataclass(frozen=True)
class Words:
    """The end of a row, or one record of a loop, in the order of writing: values, then numbers
    (ids, or a code)."""

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
    """The state of backward code: the words, and the accumulator of the cotangents of all ids."""

    ints: Atom
    reals: Atom
    h: Atom

    def value(self, b: Builder, at: Atom, t: Type) -> Atom:
        """Emit a value of a type, from its word."""
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
        """Emit one of two numbers that are packed in a word."""
        word = b.index(self.ints, (at,), checked=False)
        if k % 2 == 1:
            return b.prim("shr", word, i64(HALF))
        return b.prim("and", word, i64((1 << HALF) - 1))

    def number(self, b: Builder, words: Words, k: int, place: Place) -> Atom:
        """Emit number ``k`` of the words at these places."""
        return self.half(b, place(words.size - k // 2 - 1), k)

    def read(self, b: Builder, words: Words, place: Place) -> dict[Var, Atom]:
        """Emit the values of the words at these places."""
        return {
            v: self.value(b, place(k), v.type)
            for k, v in enumerate(words.values)
            if isinstance(v, Var)
        }

    def add(self, b: Builder, number: Atom, ct: Atom) -> None:
        """Add to the cotangent of an id."""
        b.lets.append(Let((), AccAdd(self.h, (number,), ct)))


class Row(Protocol):
    """The reverse of a row whose words end at ``end``."""

    def start(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """Emit the place where the row begins."""
        ...

    def count(self, b: Builder, tape: Tape, end: Atom) -> Atom:
        """Emit the number of ids that it defines."""
        ...

    def reverse(self, b: Builder, tape: Tape, end: Atom, first: Atom) -> None:
        """Add the cotangents of the ids that the row reads, computed from those of the ids that it
        defines."""
        ...


def before(b: Builder, end: Atom, words: Words) -> Place:
    """Return the places of words that end there."""
    return lambda k: b.prim("sub", end, i64(words.size - k))


def given(b: Builder, tape: Tape, outputs: Sequence[Var], first: Atom) -> list[Atom]:
    """Emit the cotangents of the ids of ``outputs``."""
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
    """Emit ``then`` with the cotangents of the ids of ``outputs``, under the condition that not all
    are zero: otherwise nothing is added, whatever the values are."""
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
    """The reverse of straight-line code. ``back`` goes from ``outputs`` (cotangents) and the values
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
            known = {
                **tape.read(inner, self.words, place),
                **dict(zip(self.outputs, cts, strict=True)),
            }
            for k, ct in enumerate(inner.extend(refresh(self.back, known))):
                tape.add(inner, tape.number(inner, self.words, k + 1, place), ct)

        where_any(b, tape, self.outputs, first, add)


@dataclass
class Codes:
    """The reverses of all rows of a program, by their codes."""

    all: list[Row] = field(default_factory=list)

    @property
    def next(self) -> int:
        """Return the code of the next row that is added."""
        return len(self.all)

    def resolve(self, b: Builder, tape: Tape, ids: Atom) -> None:
        """Emit the loop from the last row to the first, through the reverse of each; ``ids``: the
        number of all ids."""
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
        """Emit the reverse of the row with this code; return its begin and its first id."""
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
