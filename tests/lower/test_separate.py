"""Reverse loops whose rounds have cells of their own run in lanes; where the order of takes and
additions counts, loops stay sequential. The evaluator runs all of them in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pullback.core.terms import AccAdd, AccNew, AccRead, AccTake
from pullback.core.types import F64, Handle
from pullback.lower.arenas import instructions
from pullback.lower.loopcode import LANES, ForCode
from pullback.lower.lower import lower
from pullback.lower.separate import separate_loops
from tests.ad.flatcore import A1, I64, Code, E, Fn, program
from tests.lower.agreement import agree

SIZES = (0, 1, 7, 8, 9, 16, 21)
Round = Callable[["Cells", E, tuple[E, ...]], Any]


class Cells:
    """Builds a round that works on an accumulator of three rows."""

    def __init__(self, c: Code, n: E, rank: int = 2) -> None:
        extents = (c.expr(3), n + 2)[-rank:]
        self.c, self.handle = c, c.let(AccNew(tuple(e.atom for e in extents)), (Handle(rank),))[0]

    @classmethod
    def of(cls, c: Code, handle: E) -> Cells:
        out = cls.__new__(cls)
        out.c, out.handle = c, handle
        return out

    def where(self, i: tuple[Any, ...]) -> Any:
        return tuple(self.c.expr(x).atom for x in i)

    def take(self, *i: Any) -> E:
        return self.c.let(AccTake(self.handle.atom, self.where(i)), (F64,))[0]

    def read(self, *i: Any) -> E:
        return self.c.let(AccRead(self.handle.atom, self.where(i)), (F64,))[0]

    def add(self, value: E, *i: Any) -> None:
        self.c.let(AccAdd(self.handle.atom, self.where(i), value.atom), ())


def swept(round_: Round, sums: int = 1, backwards: bool = True) -> tuple[int, bool]:
    """Return how many loops are separate, and whether there is code in lanes for them."""

    def body(c: Code, x: E, n: E) -> Any:
        t = Cells(c, n)
        c.loop(3, [], lambda r: c.loop(n, [], lambda i: t.add(x.at(i) * c.real(r + 1), r, i)))
        last = n - 1

        def step(j: E, *s: E) -> Any:
            return round_(t, last - j if backwards else j, (x, n, *s))

        out = c.loop(n, [0.25] * sums, step)
        made = c.build(3, n + 2, lambda r, i: t.read(r, i))
        return (*(out if isinstance(out, tuple) else (out,) if sums else ()), made)

    p = program([A1, I64], body)
    for n in SIZES:
        agree(p, [np.cos(np.arange(n + 2.0)), n])
    found = separate_loops(p)
    module = lower(p)
    lanes = any(
        isinstance(i, ForCode) and i.step == LANES
        and any(getattr(x, "lanes", 1) == LANES for x in i.carried)
        for f in module.functions.values() for i in instructions(f.body.code)
    )  # fmt: skip
    return len(found), lanes


def rotation(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
    """Two rows are taken and mixed, as in the reverse of a Givens rotation."""
    x, _, s = rest
    d, e = t.take(0, i), t.take(2, i)
    t.add(d * 0.6 + e * 0.8, 0, i)
    t.add(e * 0.6 - d * 0.8, 2, i)
    return s + d * x.at(i)


@pytest.mark.parametrize("backwards", [True, False])
def test_rows_that_are_mixed(backwards: bool) -> None:
    assert swept(rotation, backwards=backwards) == (1, True)


def test_shifted_columns() -> None:
    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        k = i + 2
        d = t.take(1, k)
        t.add(d * 0.5, 0, k)
        return rest[2] + d

    assert swept(step) == (1, True)


def test_two_sums_and_none() -> None:
    def two(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        d = t.take(1, i)
        t.add(d * d, 0, i)
        return rest[2] + d, rest[3] + d * rest[0].at(i)

    def none(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        t.add(t.take(1, i) * 0.5, 2, i)
        return ()

    assert swept(two, sums=2) == (1, True)
    assert swept(none, sums=0)[0] == 1


def test_neighbours() -> None:
    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        d = t.take(1, i)
        t.add(d * 0.5, 1, i + 1)
        return rest[2] + d

    assert swept(step)[0] == 0
    assert swept(step, backwards=False)[0] == 0


def test_one_cell_for_all_rounds() -> None:
    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        d = t.take(1, i)
        t.add(d, 1, 0)
        return rest[2] + d

    assert swept(step)[0] == 0


def test_other_axes_differ_where_one_is_enough() -> None:
    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        d = t.take(i % 3, i)
        t.add(d, (i + 1) % 3, i)
        return rest[2] + d

    assert swept(step)[0] == 1


def test_places_that_come_back() -> None:
    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        k = i % 2
        d = t.take(1, k)
        t.add(d + 1.0, 1, k)
        return rest[2] + d

    assert swept(step)[0] == 0


def test_sums_that_are_used() -> None:
    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        d = t.take(1, i)
        t.add(d * rest[2], 0, i)
        return rest[2] + d

    assert swept(step)[0] == 0


def test_a_view_of_the_accumulator() -> None:
    def body(c: Code, x: E, n: E) -> Any:
        t = Cells(c, n, rank=1)
        c.loop(n, [], lambda i: t.add(x.at(i), i))
        other = Cells.of(c, t.handle.view("slice", 1, n, 1, static=(0,)))

        def step(j: E, s: E) -> Any:
            d = t.take(j)
            other.add(d * 0.5, j)  # the cell of the next round
            return s + d

        return c.loop(n, [0.0], step), c.build(n, lambda i: t.read(i))

    p = program([A1, I64], body)
    assert not separate_loops(p)
    for n in SIZES:
        agree(p, [np.cos(np.arange(n + 2.0)), n])




def test_handles_that_are_given() -> None:
    """One may be anything; of two it is not known whether they are the same."""

    def reverse(c: Code, h: E, other: E, x: E, n: E) -> Any:
        t, u = Cells.of(c, h), Cells.of(c, other)

        def step(j: E, s: E) -> Any:
            d = t.take(j)
            u.add(d * 0.5, j)
            return s + d

        return c.loop(n, [0.0], step)

    def alone(c: Code, h: E, other: E, x: E, n: E) -> Any:
        return reverse(c, h, h, x, n)

    for body, count in ((reverse, 0), (alone, 1)):
        f = Fn("back", (Handle(1), Handle(1), A1, I64), (F64,), body)

        def main(c: Code, x: E, n: E) -> Any:
            t = Cells(c, n, rank=1)
            c.loop(n, [], lambda i: t.add(x.at(i), i))
            view = t.handle.view("slice", 1, n, 1, static=(0,))
            return c.call("back", t.handle, view, x, n), c.build(n, lambda i: t.read(i))

        p = program([A1, I64], main, [f])
        assert len(separate_loops(p)) == count
        for n in SIZES:
            agree(p, [np.cos(np.arange(n + 2.0)), n])


def test_rows_that_may_be_the_same() -> None:
    """Within a round the order counts, and is kept."""

    def step(t: Cells, i: E, rest: tuple[E, ...]) -> Any:
        _, n, s = rest
        p, q = n % 3, n % 2  # the same for some sizes, not for others
        d = t.take(p, i)
        t.add(d * 0.5, q, i)
        e = t.take(q, i)
        t.add(e - d * 0.25, p, i)
        return s + d * e

    assert swept(step) == (1, True)
