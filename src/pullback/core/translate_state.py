"""Accumulators and the tape in the evaluator: the ops of ``translate.py`` that have a state.

An accumulator is an array of cells, a handle a view of it; the tape is two lists. A row costs a
step for each of its entries, besides the one of every let."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Protocol, assert_never, cast

import numpy as np

from pullback.core.terms import (
    AccAdd,
    AccCell,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeSum,
    Var,
)
from pullback.core.types import Real
from pullback.core.values import NDArray, boxer

Frame = list[object]
Step = Callable[[Frame], None]


@dataclass(slots=True)
class Tape:
    """Elements of rows; the last one of a row with k entries has the parent k."""

    parents: list[int] = field(default_factory=list)
    partials: list[float] = field(default_factory=list)

    def add(self, parent: object, partial: object) -> None:
        """One element."""
        self.parents.append(cast(int, parent))
        self.partials.append(cast(float, partial))

    def close(self, entries: int) -> int:
        """The end of a row: its id."""
        self.add(entries, 0.0)
        return len(self.parents) - 1


class Machine(Protocol):
    """What the steps change."""

    cost: int
    tape: Tape


class Translator(Protocol):
    """What is asked of the translator of a function."""

    @property
    def m(self) -> Machine: ...

    def slot(self, a: Atom) -> int: ...

    def all(self, xs: Sequence[Atom]) -> list[int]: ...

    def bind(self, v: Var) -> int: ...

    def binds(self, vs: Sequence[Var]) -> list[int]: ...

    def block(self, b: Block) -> tuple[Step, list[int]]: ...


def in_range(a: NDArray, point: tuple[object, ...]) -> None:
    """Unchecked access is a promise of the compiler: a broken one is its bug, not IndexError."""
    for i, n in zip(point, a.shape):
        if not 0 <= cast(int, i) < n:
            raise AssertionError(f"unchecked access at {point} of an array of shape {a.shape}")


def accumulator_step(
    t: Translator, op: AccNew | AccAdd | AccRead | AccTake | AccCell, out: tuple[Var, ...]
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
        case AccCell(h, indices):
            return _cell(t, h, indices, out)
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


def _cell(
    t: Translator, h: Atom, indices: Sequence[Atom], out: tuple[Var, ...]
) -> Step:
    handle, idx, dst = t.slot(h), t.all(indices), t.bind(out[0])

    def step(f: Frame) -> None:
        cells = start = cast(NDArray, f[handle])
        while isinstance(start.base, np.ndarray):
            start = start.base
        at = cells.__array_interface__["data"][0]
        at += sum(cast(int, f[i]) * s for i, s in zip(idx, cells.strides))
        f[dst] = (at - start.__array_interface__["data"][0]) // 8

    return step


def tape_step(
    t: Translator, op: TapeRoom | TapePush | TapeSum | TapeRead, out: tuple[Var, ...]
) -> Step:
    """An op on the tape."""
    m = t.m
    match op:
        case TapeRoom(count):
            n, dst = t.slot(count), t.bind(out[0])

            def room(f: Frame) -> None:
                f[dst] = len(m.tape.parents)
                for _ in range(cast(int, f[n])):
                    m.tape.add(0, 0.0)

            return room
        case TapePush(parents, partials):
            entries = list(zip(t.all(parents), t.all(partials)))
            dst = t.bind(out[0])

            def push(f: Frame) -> None:
                m.cost += len(entries)
                for parent, partial in entries:
                    m.tape.add(f[parent], f[partial])
                f[dst] = m.tape.close(len(entries))

            return push
        case TapeSum():
            return _sum(t, op, out)
        case TapeRead(_):
            first, second = t.binds(out)

            def read(f: Frame) -> None:
                f[first] = np.array(m.tape.parents, np.int64)
                f[second] = np.array(m.tape.partials)

            return read
        case _:
            assert_never(op)


def _sum(t: Translator, op: TapeSum, out: tuple[Var, ...]) -> Step:
    ns, ixs, m = t.all(op.extents), t.binds(op.indices), t.m
    run, (value, *rest) = t.block(op.body)
    entries = list(zip(rest[::2], rest[1::2]))
    box = boxer(out[0].type)
    dst, row = t.binds(out)

    def step(f: Frame) -> None:
        total, count = box(0), 0
        for point in product(*[range(cast(int, f[n])) for n in ns]):
            m.cost += 1 + len(entries)
            for i, k in zip(ixs, point):
                f[i] = k
            run(f)
            total = cast(float, total) + cast(float, f[value])
            count += len(entries)
            for parent, partial in entries:
                m.tape.add(f[parent], f[partial])
        f[dst], f[row] = box(total), m.tape.close(count)

    return step
