"""Loops in lanes: they are there where expected, and give what scalar code gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullback.core.terms import AccAdd, AccNew, AccRead, AccTake, Program
from pullback.core.types import Handle
from pullback.lower.loopcode import AtAdd, ForCode, Imm, Load, Reg
from pullback.lower.show import show_module
from pullback.opt.arrays.row_extents import know_rows
from tests.ad.flatcore import A1, A2, AI, F32, F64, I64, Code, E, Fn, program
from tests.lower.agreement import agree, code_of, run, vectors

SIZES = [0, 1, 7, 8, 9, 16, 21]


def add(c: Code, h: E, where: list[E], value: E) -> None:
    c.let(AccAdd(h.atom, tuple(i.atom for i in where), value.atom), [])


def in_lanes(p: Program, args: list[Any]) -> None:
    _, module = agree(p, args)
    assert vectors(module) > 0


@pytest.mark.parametrize("n", SIZES)
def test_elementwise(n: int) -> None:
    p = program([A1, F64], lambda c, a, x: c.build(a.dim(), lambda i: c.exp(a[i]) * x))
    in_lanes(p, [np.linspace(-1, 1, n), 0.5])


def test_contiguous_loads_and_no_bounds_checks() -> None:
    p = program([A1], lambda c, a: c.build(a.dim(), lambda i: a[i] * 2.0))
    _, module = agree(p, [np.arange(20.0)])
    loads = [i for i in code_of(module) if isinstance(i, Load)]
    assert all(isinstance(i.index, Reg) and i.index.lanes == 1 for i in loads)
    assert "raise" not in show_module(module)


@pytest.mark.parametrize("n", SIZES)
def test_sums(n: int) -> None:
    def body(c: Code, a: E, x: E) -> Any:
        return c.sum(a.dim(), lambda i: (c.sin(a[i]), a[i] * x, x))

    in_lanes(program([A1, F64], body), [np.linspace(-1, 1, n), 0.5])


def test_single_precision() -> None:
    p = program([F32, I64], lambda c, x, n: c.sum(n, lambda i: c.real(i, F32) * x))
    in_lanes(p, [np.float32(0.1), 19])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [0, 3, 9])
def test_matrix_product(n: int, m: int) -> None:
    def body(c: Code, a: E, b: E) -> Any:
        return c.build(a.dim(0), b.dim(1), lambda i, j: c.sum(
            a.dim(1), lambda k: a.at(i, k) * b.at(k, j)))

    rng = np.random.default_rng(n)
    in_lanes(program([A2, A2], body), [rng.normal(size=(m, 4)), rng.normal(size=(4, n))])


@pytest.mark.parametrize("n", SIZES)
def test_inner_arrays_are_interleaved(n: int) -> None:
    """A mixture: for each point an array over clusters, its maximum and a sum."""

    def density(c: Code, x: E, mu: E, i: E) -> E:
        k, d = mu.dim(0), mu.dim(1)

        def distance(j: E) -> E:
            return c.sum(d, lambda t: (x.at(i, t) - mu.at(j, t)) * (x.at(i, t) - mu.at(j, t)))

        v = c.build(k, lambda j: distance(j) * -0.5)
        best = c.loop(k, [c.expr(0, I64)], lambda j, b: c.if_(
            v.at(b) < v.at(j), lambda: j, lambda: b))
        top = v[best]
        return top + c.log(c.sum(v.dim(), lambda j: c.exp(v.at(j) - top)))

    p = program([A2, A2], lambda c, x, mu: c.sum(x.dim(0), lambda i: density(c, x, mu, i)))
    rng = np.random.default_rng(n)
    in_lanes(p, [rng.normal(size=(n, 2)), rng.normal(size=(5, 2))])


@pytest.mark.parametrize("n", SIZES)
def test_branches_become_masks(n: int) -> None:
    def body(c: Code, a: E, b: E) -> Any:
        def entry(i: E) -> Any:
            return c.if_(a[i] > 0.0, lambda: b[i + 1] + c.log(a[i]), lambda: c.if_(
                a[i] < -0.5, lambda: c.sum(3, lambda k: b[k] * a[i]), lambda: c.expr(7.0)))

        return c.build(a.dim(), entry), c.sum(a.dim(), entry)

    rng = np.random.default_rng(n)
    in_lanes(program([A1, A1], body), [rng.normal(size=n), rng.normal(size=n + 3)])
    last = -np.ones(n)  # the element that is out of range is never read
    last[: max(0, n - 3)] = 1.0
    in_lanes(program([A1, A1], body), [last, rng.normal(size=max(n - 2, 3))])


def test_errors_in_lanes_name_the_first() -> None:
    p = program([A1, AI], lambda c, a, idx: c.sum(idx.dim(), lambda i: a[idx[i]]))
    idx = np.zeros(20, int)
    agree(p, [np.arange(3.0), idx - 2])
    idx[13], idx[15] = 5, -9
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        run(p, [np.arange(3.0), idx])
    q = program([A1, I64], lambda c, a, n: c.sum(n, lambda i: a[i]))
    with pytest.raises(IndexError, match="index 18 is out of bounds for axis 0 with size 18"):
        run(q, [np.arange(18.0), 30])


@pytest.mark.parametrize("n", SIZES)
def test_gather_and_scatter(n: int) -> None:
    def body(c: Code, a: E, idx: E, h: E) -> Any:
        c.sum(idx.dim(), lambda i: add(c, h, [idx.at(i)], a.at(i) * 2.0))
        return c.sum(idx.dim(), lambda i: a[idx[i]] * a[i])

    rng = np.random.default_rng(n)
    idx = rng.integers(0, max(n, 1), size=n)
    in_lanes(program([A1, AI, Handle(1)], body), [rng.normal(size=n), idx, rng.normal(size=n + 1)])


@pytest.mark.parametrize("n", [*SIZES, 200])
@pytest.mark.parametrize("m", [1, 3, 9])
def test_additions_to_one_place(n: int, m: int) -> None:
    """Few additions: lanes are summed first; many: private cells."""

    def body(c: Code, x: E, h: E, g: E) -> Any:
        def point(i: E) -> None:
            def inner(k: E) -> None:
                add(c, h.view("pick", k, static=(1,)), [c.expr(1, I64)], x.at(i) * c.real(k))
                add(c, h, [c.expr(0, I64), k], x.at(i))

            c.sum(h.dim(1), inner)
            add(c, g, [i], x.at(i))

        c.sum(x.dim(), point)
        return c.expr(0.0)

    rng = np.random.default_rng(n)
    p = program([A1, Handle(2), Handle(1)], body)
    in_lanes(p, [rng.normal(size=n), rng.normal(size=(2, m)), rng.normal(size=n)])


@pytest.mark.parametrize("n", SIZES)
def test_accumulators_inside(n: int) -> None:
    def body(c: Code, x: E, idx: E, h: E) -> Any:
        def point(i: E) -> Any:
            (own,) = c.let(AccNew((c.atom(4, I64),)), [Handle(1)])
            c.sum(4, lambda k: add(c, own, [k], x.at(i)))
            add(c, own, [idx.at(i)], x.at(i) * x.at(i))
            c.if_(x.at(i) > 0.0, lambda: add(c, own, [idx.at(i)], c.expr(3.0)), lambda: None)
            (y,) = c.let(AccTake(own.atom, (idx.at(i).atom,)), [F64])
            add(c, h, [i], y)
            return c.let(AccRead(own.atom, (c.atom(2, I64),)), [F64])

        return c.sum(x.dim(), point)

    rng = np.random.default_rng(n)
    p = program([A1, AI, Handle(1)], body)
    in_lanes(p, [rng.normal(size=n), rng.integers(0, 4, size=n), rng.normal(size=n)])


@pytest.mark.parametrize("n", SIZES)
def test_inner_loops_carry_and_emit(n: int) -> None:
    def body(c: Code, x: E, m: E) -> Any:
        def point(i: E) -> Any:
            y, ys, zs = c.loop(m, [c.expr(1.0)], lambda k, s: (s * x.at(i), s, c.real(k)))
            return y + c.sum(m, lambda k: ys.at(k) * zs.at(k))

        return c.sum(x.dim(), point)

    in_lanes(program([A1, I64], body), [np.linspace(-1, 1, n), 5])


@pytest.mark.parametrize("n", SIZES)
def test_updates_in_lanes(n: int) -> None:
    def body(c: Code, x: E, m: E) -> Any:
        def point(i: E) -> Any:
            zeros = c.build(m, lambda k: c.expr(0.0))
            ys = c.loop(m, [zeros], lambda k, a: a.set(k, x.at(i) * c.real(k), checked=True))
            zs = ys.set(c.mod(i, m), 10.0, checked=True)
            return c.sum(m, lambda k: zs.at(k) * (c.real(k) + 1.0))

        return c.build(x.dim(), point)

    in_lanes(program([A1, I64], body), [np.linspace(-1, 1, n), 5])


@pytest.mark.parametrize("n", SIZES)
def test_views_that_differ_by_lane(n: int) -> None:
    def body(c: Code, x: E) -> Any:
        def point(i: E) -> Any:
            row = x.view("pick", i, static=(0,))
            flat = row.view("reshape", 2, 2)
            twice = c.copy(row)
            return c.total(row) + c.total(flat) * 2.0 + c.total(twice) + flat.at(1, 0)

        return c.sum(x.dim(), point)

    in_lanes(program([A2], body), [np.linspace(-1, 1, 4 * n).reshape(n, 4)])


def test_strides_are_tested() -> None:
    """A strided argument runs scalar code where the lanes assumed consecutive elements."""

    def body(c: Code, a: E) -> Any:
        part = a.view("slice", 0, 10, 2, static=(0,))
        return c.build(10, lambda i: part.at(i)), c.call("total", part)

    total = Fn("total", (A1,), (F64,), lambda c, a: c.sum(a.dim(), lambda i: a.at(i)))
    in_lanes(program([A1], body, [total]), [np.arange(20.0)])


def test_what_cannot_run_in_lanes() -> None:
    """A call inside: the outer loop is scalar, the loop inside it has lanes."""
    double = Fn("double", (F64,), (F64,), lambda c, x: x * 2.0)

    def body(c: Code, a: E) -> Any:
        def point(i: E) -> Any:
            return c.call("double", a.at(i)) + c.sum(a.dim(), lambda j: a.at(j))

        return c.build(a.dim(), point)

    in_lanes(program([A1], body, [double]), [np.arange(12.0)])


def test_loops_below_a_short_loop_have_lanes() -> None:
    def body(c: Code, a: E) -> Any:
        return c.build(a.dim(0), lambda i: c.sum(a.dim(1), lambda j: c.exp(a.at(i, j))))

    machine, _ = agree(program([A2], body), [np.ones((3, 64))])
    assert machine.steps < 3 * 64 * 4, "64 elements in 8 blocks"


def test_triangular_loop() -> None:
    def body(c: Code, a: E) -> Any:
        return c.sum(a.dim(0), lambda i: c.sum(i + 1, lambda j: a.at(i, j)))

    agree(program([A2], body), [np.arange(144.0).reshape(12, 12)])


def test_lanes_in_a_sequential_loop() -> None:
    def body(c: Code, w: E, n: E) -> Any:
        zeros = c.build(w.dim(), lambda i: c.expr(0.1))
        return c.loop(n, [zeros], lambda t, h: c.build(
            h.dim(), lambda i: c.tanh(h.at(i) * w.at(i))))

    _, module = agree(program([A1, I64], body), [np.linspace(1, 2, 14), 6])
    assert any(isinstance(i, Load) and i.dst.lanes == 8 for i in code_of(module))
    gathers = [i for i in code_of(module) if isinstance(i, Load)
               and isinstance(i.index, Reg) and i.index.lanes == 8]
    assert not gathers, "carried dense arrays stay dense"


def test_private_cells_are_vectors() -> None:
    def body(c: Code, x: E, h: E) -> Any:
        c.sum(x.dim(), lambda i: add(c, h, [c.expr(0, I64)], x.at(i)))
        return c.expr(0.0)

    _, module = agree(program([A1, Handle(1)], body), [np.ones(50), np.zeros(2)])
    adds = [i for i in code_of(module) if isinstance(i, AtAdd)]
    assert any(isinstance(i.value, Reg) and i.value.lanes == 8 for i in adds)


def test_short_rows_have_lanes_along_the_first_axis() -> None:
    def body(c: Code, a: E) -> Any:
        return (c.build(a.dim(0), a.dim(1), lambda i, j: c.exp(a[i, j])),
                c.sum(a.dim(0), a.dim(1), lambda i, j: c.exp(a[i, j])))

    machine, _ = agree(program([A2], body), [np.linspace(0, 1, 128).reshape(64, 2)])
    assert machine.steps < 2 * 128 * 3, "64 rows in 8 blocks"


@pytest.mark.parametrize("n", [3, 8, 13])
def test_windows_that_slide_with_the_lanes(n: int) -> None:
    """The loop over the window that shifts the lanes is the outer one."""

    def body(c: Code, x: E, h: E) -> Any:
        def point(i: E, j: E) -> None:
            def weight(k: E, m: E) -> None:
                add(c, h, [i + k, j + m], x.at(i + k, j + m) * c.real(k + m + 1))

            c.sum(2, 3, weight)

        c.sum(4, n, point)

    p = program([A2, Handle(2)], body)
    args = [np.sin(np.arange(5.0 * (n + 2))).reshape(5, n + 2), np.zeros((5, n + 2))]
    _, module = agree(p, args)
    windows = [i.hi.value for i in code_of(module)
               if isinstance(i, ForCode) and isinstance(i.hi, Imm) and i.hi.value < 4]  # fmt: skip
    assert [3, 2] in [windows[k : k + 2] for k in range(len(windows))]


@pytest.mark.parametrize("turn", [False, True])
@pytest.mark.parametrize("n", SIZES)
def test_rows_are_stored_as_they_are_made(n: int, turn: bool) -> None:
    """In lanes, eight rows at a time; also of rows with arrays and sequential loops inside."""

    def body(c: Code, a: E, m: E) -> Any:
        width = m.dim(0)

        def row(i: E) -> Any:
            first = c.build(width, lambda j: m.at(j) * a.at(i))
            total = c.sum(width, lambda j: first.at(j) * first.at(j))
            return c.build(width, lambda j: first.at(j) * total)

        rows = c.build(a.dim(), row).view("stack")
        return rows.view("transpose", static=(1, 0)) if turn else rows

    p = know_rows(program([A1, A1], body))
    args = [np.linspace(-1, 1, n), np.linspace(0.5, 1, 3)]
    in_lanes(p, args)
    _, module = agree(p, args)
    assert "inhomogeneous" not in show_module(module)


def test_what_is_the_same_in_all_lanes_runs_in_lanes_itself() -> None:
    def body(c: Code, a: E, m: E) -> Any:
        def row(i: E) -> E:
            even = c.build(m.dim(), lambda j: c.exp(m.at(j)))
            own = c.build(m.dim(), lambda j: even.at(j) * a.at(i))
            return c.sum(m.dim(), lambda j: own.at(j) * even.at(j))

        return c.build(a.dim(), row)

    p = program([A1, A1], body)
    for n in SIZES:
        in_lanes(p, [np.linspace(-1, 1, 9), np.linspace(0.5, 1, n)])


@pytest.mark.parametrize("n, m", [(0, 3), (1, 1), (2, 3), (5, 9)])
def test_an_array_of_one_number_has_one_axis(n: int, m: int) -> None:
    p = program([I64, I64, F64], lambda c, n, m, x: c.build(n, m, lambda i, j: x))
    _, module = agree(p, [n, m, 2.5])
    loops = [i for i in code_of(module) if isinstance(i, ForCode)]
    assert len(loops) == 2  # in lanes, and for few elements
