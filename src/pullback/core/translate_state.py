"""Accumulators and the tape in the evaluator: the ops of ``translate.py`` that have a state.

An accumulator is an array of cells, a handle a view of it; the tape is a list. A row costs a step
for each of its words, besides the step of every let.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Protocol, assert_never, cast

import numpy as np

from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Var,
)
from pullback.core.types import Real
from pullback.core.values import NDArray, boxer

Frame = list[object]
Step = Callable[[Frame], None]


@dataclass(slots=True)
class Tape:
    """The words of the rows, and the number of ids."""

    words: list[int | float] = field(default_factory=list)
    ids: int = 0

    def new(self, count: int) -> int:
        """Return the first of ``count`` new ids."""
        self.ids += count
        return self.ids - count

    def all(self, kind: type[int] | type[float]) -> NDArray:
        """The words as numbers of one kind, 0 where they are of the other."""
        made = [w if isinstance(w, kind) else kind(0) for w in self.words]
        return np.array(made, np.int64 if kind is int else np.float64)


class Machine(Protocol):
    """The state that the steps change."""

    cost: int
    tape: Tape


class Translator(Protocol):
    """The interface of the translator of a function."""

    @property
    def m(self) -> Machine: ...

    def slot(self, a: Atom) -> int: ...

    def all(self, xs: Sequence[Atom]) -> list[int]: ...

    def bind(self, v: Var) -> int: ...

    def binds(self, vs: Sequence[Var]) -> list[int]: ...

    def block(self, b: Block) -> tuple[Step, list[int]]: ...


def in_range(a: NDArray, point: tuple[object, ...]) -> None:
    """Assert that an unchecked access is in range: the compiler promises that, so a failure is its
    mistake, not an IndexError."""
    for i, n in zip(point, a.shape):
        if not 0 <= cast(int, i) < n:
            raise AssertionError(f"unchecked access at {point} of an array of shape {a.shape}")


def accumulator_step(
    t: Translator, op: AccNew | AccAdd | AccRead | AccTake, out: tuple[Var, ...]
) -> Step:
    """An op on an accumulator."""
    match op:
        case AccNew(extents):
            return _new(t, extents, out)
        case AccAdd(h, indices, v):
            return _add(t, h, indices, v)
        case AccRead(h, indices, bits):
            return _read(t, h, indices, bits, out, take=False)
        case AccTake(h, indices, bits):
            return _read(t, h, indices, bits, out, take=True)
        case _:
            assert_never(op)


def _new(t: Translator, extents: Sequence[Atom], out: tuple[Var, ...]) -> Step:
    ns, dst, m = t.all(extents), t.bind(out[0]), t.m

    def step(f: Frame) -> None:
        cells = np.zeros([cast(int, f[n]) for n in ns])
        m.cost += cells.size
        f[dst] = cells

    return step


def _add(t: Translator, h: Atom, indices: Sequence[Atom], v: Atom) -> Step:
    handle, idx, value = t.slot(h), t.all(indices), t.slot(v)

    def step(f: Frame) -> None:
        cells = cast(NDArray, f[handle])
        point = tuple([cast(int, f[i]) for i in idx])
        in_range(cells, point)
        cells[point] += cast(float, f[value])

    return step


def _read(
    t: Translator, h: Atom, indices: Sequence[Atom], bits: int, out: tuple[Var, ...], take: bool
) -> Step:
    handle, idx, dst, box = t.slot(h), t.all(indices), t.bind(out[0]), boxer(Real(bits))

    def step(f: Frame) -> None:
        cells = cast(NDArray, f[handle])
        point = tuple([cast(int, f[i]) for i in idx])
        in_range(cells, point)
        f[dst] = box(cells[point])
        if take:
            cells[point] = 0.0

    return step


def tape_step(
    t: Translator, op: TapeRoom | TapePush | TapeWrite | TapeRead, out: tuple[Var, ...]
) -> Step:
    """An op on the tape."""
    m = t.m
    match op:
        case TapeRoom(count):
            n, dst = t.slot(count), t.bind(out[0])

            def room(f: Frame) -> None:
                f[dst] = m.tape.new(cast(int, f[n]))

            return room
        case TapePush(words, counts, sizes):
            slots, (row, first) = t.all(words), t.binds(out)
            many, room_ = ([t.all(n) for n in part] for part in (counts, sizes))

            def total(f: Frame, part: list[list[int]]) -> int:
                return sum(prod(cast(int, f[k]) for k in n) for n in part)

            def push(f: Frame) -> None:
                m.cost += len(slots)
                f[first] = len(m.tape.words)
                m.tape.words += [0] * total(f, room_)
                m.tape.words += [cast(float, f[k]) for k in slots]
                f[row] = m.tape.new(total(f, many))

            return push
        case TapeWrite(at, word):
            place, value = t.slot(at), t.slot(word)

            def write(f: Frame) -> None:
                m.cost += 1
                m.tape.words[cast(int, f[place])] = cast(float, f[value])

            return write
        case TapeRead(_):
            first, second, third = t.binds(out)

            def read(f: Frame) -> None:
                f[first], f[second] = m.tape.all(int), m.tape.all(float)
                f[third] = m.tape.ids

            return read
        case _:
            assert_never(op)
