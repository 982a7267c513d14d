"""Loops in lanes with loops inside that emit arrays and accumulators, or carry views of them: what
reverse sweeps are made of. No outer loop here may be refused lanes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.terms import AccNew, AccRead
from pullback.core.types import F64, I64, Handle, Sum, Variant
from pullback.lower import lanes
from pullback.lower.values import NotInLanes
from tests.ad.flatcore import A1, A2, AI, Code, E, program
from tests.lower.test_lanes import add, in_lanes
from tests.programs import corpus

SIZES = [8, 11]
OPTION = Sum((Variant("none", ()), Variant("some", (A1, F64))))


@pytest.fixture(autouse=True)
def all_in_lanes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    vector = lanes.Parallel._vector
    refused: list[lanes.Parallel] = []

    def watched(loop: lanes.Parallel, *args: Any) -> Any:
        try:
            return vector(loop, *args)
        except NotInLanes:
            if loop.lo.copies == 0:  # (the scalar copy of the outer loop may have what it can)
                refused.append(loop)
            raise

    monkeypatch.setattr(lanes.Parallel, "_vector", watched)
    yield
    assert not refused


def fresh(c: Code, *extents: Any) -> E:
    op = AccNew(tuple(c.atom(n, I64) for n in extents))
    return c.let(op, [Handle(len(extents))])[0]


def read(c: Code, h: E, *idx: E) -> E:
    return c.let(AccRead(h.atom, tuple(i.atom for i in idx)), [F64])[0]


def total(c: Code, a: E) -> E:
    return c.sum(4, lambda k: a.at(k) * (c.real(k) + 1.0))


def step(c: Code, s: E, x: E) -> E:
    return c.build(4, lambda k: c.tanh(s.at(k) + x * s.at(3 - k)))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [0, 1, 5])
def test_emitted_arrays(n: int, m: int) -> None:
    """Carried and emitted as they are, made in the loop, parts of those; read backwards."""

    def body(c: Code, x: E, m: E) -> Any:
        def point(i: E) -> Any:
            start = c.build(4, lambda k: x.at(i, k))

            def forward(k: E, s: E) -> Any:
                t = step(c, s, x.at(i, 1))
                return t, s, t, t.view("slice", 1, 2, 2, static=(0,))

            last, ss, ts, parts = c.loop(m, [start], forward)

            def backward(j: E, d: E) -> E:
                k = m - 1 - j
                return total(c, ss.at(k)) * d + total(c, ts.at(k)) + parts.at(k).at(1)

            return total(c, last) + c.loop(m, [c.expr(1.0)], backward)

        return c.sum(x.dim(), point)

    x = np.linspace(-1, 1, 4 * n).reshape(n, 4)
    in_lanes(program([A2, I64], body), [x, m])


@pytest.mark.parametrize("n", SIZES)
def test_carried_views(n: int) -> None:
    """A row of an argument at first, later arrays of the loop's own, also of other extents; and
    rows that stay where they are."""

    def body(c: Code, x: E, m: E) -> Any:
        def point(i: E) -> Any:
            row = x.view("pick", i, static=(0,))

            def forward(k: E, s: E) -> Any:
                return c.build(3, lambda j: c.sin(s.at(j) + s.at(0))), s, row

            last, ss, rows = c.loop(m, [row], forward)
            ends = c.loop(m, [row], lambda k, s: (x.view("pick", i, static=(0,)), s))[1]
            return last.at(2) + c.sum(m, lambda k: c.sum(
                ss.at(k).dim(), lambda j: ss.at(k).at(j) + rows.at(k).at(j) * ends.at(k).at(j)))

        return c.sum(x.dim(), point)

    x = np.linspace(-1, 1, 4 * n).reshape(n, 4)
    in_lanes(program([A2, I64], body), [x, 5])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [0, 5])
def test_carried_and_emitted_accumulators(n: int, m: int) -> None:
    """Cells of an accumulator from outside at first, then cells of the iteration's own."""

    def body(c: Code, x: E, h: E, m: E) -> Any:
        def point(i: E) -> Any:
            outside = h.view("pick", i, static=(0,))

            def forward(k: E, s: E) -> Any:
                own = fresh(c, 4)
                return own, s, own

            last, before, after = c.loop(m, [outside], forward)
            c.sum(4, lambda k: add(c, last, [k], x.at(i) * c.real(k)))

            def backward(j: E, d: E) -> E:
                k = m - 1 - j
                here, there = after.at(k), before.at(k)
                c.sum(4, lambda t: add(c, there, [3 - t], c.sin(read(c, here, t)) * d))
                return d + read(c, here, c.expr(0, I64))

            return c.loop(m, [x.at(i)], backward)

        return c.sum(x.dim(), point)

    rng = np.random.default_rng(n)
    p = program([A1, Handle(2), I64], body)
    in_lanes(p, [rng.normal(size=n), rng.normal(size=(n, 4)), m])


@pytest.mark.parametrize("n", SIZES)
def test_nested_loops_emit(n: int) -> None:
    """Arrays of arrays of arrays, and of accumulators, of extents that differ by iteration."""

    def body(c: Code, x: E, m: E) -> Any:
        def point(i: E) -> Any:
            def inner(k: E, j: E, s: E) -> Any:
                own = fresh(c, 4)
                add(c, own, [j % 4], s.at(0))
                return step(c, s, x.at(i)), s, own

            def outer(k: E, s: E) -> Any:
                return c.loop(k + 1, [s], lambda j, t: inner(k, j, t))

            start = c.build(4, lambda k: x.at(i) * c.real(k))
            last, ss, hs = c.loop(m, [start], outer)

            def cell(k: E, j: E) -> E:
                return total(c, ss.at(k).at(j)) * read(c, hs.at(k).at(j), j % 4)

            return total(c, last) + c.sum(
                m, lambda k: c.sum(ss.at(k).dim(), lambda j: cell(k, j)))

        return c.sum(x.dim(), point)

    in_lanes(program([A1, I64], body), [np.linspace(-1, 1, n), 4])


@pytest.mark.parametrize("n", SIZES)
def test_emitted_under_a_mask(n: int) -> None:
    def body(c: Code, x: E, m: E) -> Any:
        def point(i: E) -> Any:
            row = x.view("pick", i, static=(0,))

            def some() -> Any:
                def forward(k: E, s: E) -> Any:
                    own = fresh(c, 4)
                    c.sum(4, lambda t: add(c, own, [t], s.at(t)))
                    return step(c, s, x.at(i, 0)), s, own

                last, ss, hs = c.loop(m, [row], forward)
                return total(c, last) + c.sum(
                    m, lambda k: total(c, ss.at(k)) * read(c, hs.at(k), k % 4))

            return c.if_(x.at(i, 0) > 0.1, some, lambda: c.expr(1.0))

        return c.sum(x.dim(), point)

    x = np.random.default_rng(n).normal(size=(n, 4))
    in_lanes(program([A2, I64], body), [x, 3])


@pytest.mark.parametrize("n", SIZES)
def test_emitted_sums_with_arrays(n: int) -> None:
    """Unboxed sums whose fields are arrays; the same variant in all lanes."""

    def body(c: Code, x: E, flags: E, m: E) -> Any:
        def point(i: E) -> Any:
            start = c.build(4, lambda k: x.at(i) + c.real(k))

            def forward(k: E, s: E) -> Any:
                t = step(c, s, x.at(i))
                maybe = c.if_(
                    flags.at(k) > 0, lambda: c.inject(OPTION, 1, t, x.at(i)),
                    lambda: c.inject(OPTION, 0))
                return t, c.inject(OPTION, 1, s, x.at(i)), maybe

            last, always, maybe = c.loop(m, [start], forward)

            def value(o: E) -> E:
                return c.case(o, lambda: c.expr(2.0), lambda a, y: total(c, a) * y)

            return total(c, last) + c.sum(m, lambda k: value(always.at(k)) + value(maybe.at(k)))

        return c.sum(x.dim(), point)

    args = [np.linspace(-1, 1, n), np.array([1, 0, 1]), 3]
    in_lanes(program([A1, AI, I64], body), args)


def test_emitted_arrays_outlive_the_memory_of_iterations() -> None:
    """Carried arrays move when the temporaries have doubled; emitted ones stay."""

    def body(c: Code, x: E, m: E) -> Any:
        def point(i: E) -> Any:
            row = x.view("pick", i, static=(0,))

            def forward(k: E, s: E, r: E) -> Any:
                t = c.build(s.dim(), lambda j: c.sin(s.at(j) + c.real(j)))
                u = c.build(s.dim(), lambda j: t.at(j) * r.at(s.dim() - 1 - j))
                return t, u.view("slice", 0, s.dim(), 1, static=(0,)), s, r

            last, end, ss, rs = c.loop(m, [row, row], forward)
            return c.total(last) + c.total(end) + c.sum(
                m, lambda k: c.total(ss.at(k)) + c.total(rs.at(k)))

        return c.sum(x.dim(), point)

    x = np.random.default_rng(0).normal(size=(8, 250))
    in_lanes(program([A2, I64], body), [x, 4])


@pytest.mark.parametrize("name", ["examples/recurrent", "examples/regression"])
def test_reverse_sweeps_of_networks(name: str) -> None:
    """A loop over time and a loop over layers of several widths, for each of the data."""
    network = next(p for p in corpus() if p.name == name)
    args = network.make_args(np.random.default_rng(0), 9)
    shown = pb.show(pb.value_and_grad(network.f, argnums=network.argnums), *args, stage="loop")
    assert "f64x8" in shown
