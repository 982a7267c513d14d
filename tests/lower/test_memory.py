"""Loops run in constant memory, and nothing that is still needed is given back (the evaluator
overwrites what is)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullback.core.thresholds import LIMITS
from pullback.core.types import Decl, Named, Sum, Variant
from tests.ad.flatcore import A1, A2, F64, I64, Code, E, Fn, program
from tests.lower.agreement import agree


def peaks(p: Any, args: list[Any]) -> tuple[int, int]:
    machine, _ = agree(p, args)
    return machine.arenas["temp"].peak, machine.arenas["residual"].peak


def test_array_state() -> None:
    def body(c: Code, a: E, n: E) -> Any:
        return c.loop(n, [a], lambda t, x: c.build(x.dim(), lambda i: c.sin(x.at(i)) + 0.5))

    p = program([A1, I64], body)
    temp, residual = peaks(p, [np.linspace(0, 1, 50), 900])
    assert temp < 2 * LIMITS.slack and residual <= 400


def test_two_states_that_are_swapped_and_kept() -> None:
    def body(c: Code, a: E, n: E) -> Any:
        def step(t: E, x: E, y: E, z: E) -> Any:
            new = c.build(x.dim(), lambda i: x.at(i) * 0.5 + y.at(i))
            return y, new, c.if_(t < 3, lambda: new, lambda: z)

        return c.loop(n, [a, a, a], step)

    temp, _ = peaks(program([A1, I64], body), [np.linspace(0, 1, 60), 400])
    assert temp < 2 * LIMITS.slack


def test_scalar_state_with_arrays_inside() -> None:
    def body(c: Code, n: E) -> Any:
        def step(t: E, x: E) -> Any:
            a = c.build(50, lambda i: x + c.real(i))
            rows = c.build(3, lambda i: c.build(4, lambda j: x))
            return c.sum(50, lambda i: a.at(i)) * 0.01 + rows.at(2).at(1)

        return c.loop(n, [c.expr(0.1)], step), c.sum(n, lambda t: step(t, c.real(t)))

    temp, residual = peaks(program([I64], body), [200])
    assert temp < 8 * 500 and residual < 8 * 500  # eight iterations at a time


def test_transposed_state() -> None:
    def body(c: Code, a: E, n: E) -> Any:
        def step(t: E, x: E) -> Any:
            y = c.build(x.dim(0), x.dim(1), lambda i, j: x.at(i, j) * 0.9 + 1.0)
            return y.view("transpose", static=(1, 0))

        return c.loop(n, [a], step)

    temp, _ = peaks(program([A2, I64], body), [np.arange(35.0).reshape(5, 7), 400])
    assert temp < 2 * LIMITS.slack


def test_nested_arrays_as_state() -> None:
    def body(c: Code, n: E) -> Any:
        first = c.build(4, lambda i: c.build(i + 1, lambda j: c.real(j)))
        return c.loop(n, [first], lambda t, rows: c.build(
            4, lambda i: c.build(i + 1, lambda j: rows.at(i).at(j) * 0.5 + 1.0)))

    temp, _ = peaks(program([I64], body), [700])
    assert temp < 2 * LIMITS.slack


def test_while_with_array_state() -> None:
    def body(c: Code, a: E) -> Any:
        def step(x: E, k: E) -> Any:
            return c.build(x.dim(), lambda i: x.at(i) * 0.99), k + 1, c.copy(x), x

        return c.while_([a, c.expr(0, I64)], lambda x, k: k < 300, step)

    temp, _ = peaks(program([A1], body), [np.linspace(0, 1, 40)])
    assert temp < 2 * LIMITS.slack


PAIR = Sum((Variant("one", (A1,)), Variant("two", (A1, F64))))


def test_sums_with_arrays_as_state() -> None:
    def body(c: Code, n: E) -> Any:
        def step(t: E, s: E) -> Any:
            def grow(a: E, x: float) -> E:
                return c.build(30, lambda i: a.at(i) * 0.9 + x)

            return c.case(s, lambda a: c.inject(PAIR, 1, grow(a, 1.0), 2.0),
                          lambda a, x: c.inject(PAIR, 0, grow(a, 3.0)))

        return c.loop(n, [c.inject(PAIR, 0, c.build(30, lambda i: c.real(i)))], step)

    temp, _ = peaks(program([I64], body), [401])
    assert temp < 2 * LIMITS.slack


def test_emitted_arrays_survive() -> None:
    def body(c: Code, a: E, n: E) -> Any:
        def step(t: E, x: E) -> Any:
            new = c.build(x.dim(), lambda i: x.at(i) * 0.5 + c.real(t))
            inner = c.loop(3, [c.expr(0.0)], lambda k, s: (s + x.at(0), s))
            return new, x, new, inner[1], c.build(2, lambda i: new)

        x, xs, ys, zs, rows = c.loop(n, [a], step)
        return x, xs, ys, zs, rows

    agree(program([A1, I64], body), [np.linspace(0, 1, 11), 30])


def test_arrays_in_nodes() -> None:
    decl = Decl("list", (Variant("nil", ()), Variant("cons", (A1, Named("list")))))
    total = Fn("total", (Named("list"),), (F64,), lambda c, xs: c.case(
        xs, lambda: c.expr(0.0), lambda a, rest: c.call("total", rest) + c.total(a)))

    def body(c: Code, n: E) -> Any:
        def step(t: E, xs: E) -> Any:
            a = c.build(5, lambda i: c.real(i) * c.real(t))
            return c.inject(Named("list"), 1, a, xs)

        xs = c.loop(n, [c.inject(Named("list"), 0)], step)
        return c.call("total", xs), xs

    agree(program([I64], body, [total], [decl]), [20])


def test_an_array_in_many_nodes_is_not_copied() -> None:
    decl = Decl("list", (Variant("nil", ()), Variant("cons", (A1, Named("list")))))

    def body(c: Code, a: E, n: E) -> Any:
        shared = c.build(a.dim(), lambda i: c.sin(a.at(i)))
        tail = shared.view("slice", c.expr(1), a.dim() - 1, c.expr(1), static=(0,))
        start = c.inject(Named("list"), 0)
        xs = c.loop(n, [start], lambda t, xs: c.inject(Named("list"), 1, shared, xs))
        return c.loop(n, [xs], lambda t, xs: c.inject(Named("list"), 1, tail, xs))

    found = [
        peaks(program([A1, I64], body, [], [decl]), [np.linspace(0, 1, 100), n])[1]
        for n in (10, 60)
    ]
    assert found[1] - found[0] <= 2 * 50 * 64, found  # nodes of 40 bytes, not arrays of 800


def test_what_a_loop_makes_anew_is_given_back_though_the_last_is_put_into_a_node() -> None:
    decl = Decl("list", (Variant("nil", ()), Variant("cons", (A1, Named("list")))))

    def body(c: Code, a: E, n: E) -> Any:
        def step(t: E, x: E) -> Any:
            return c.build(x.dim(), lambda i: c.sin(x.at(i)))

        last = c.loop(n, [a], step)
        return c.inject(Named("list"), 1, last, c.inject(Named("list"), 0))

    _, residual = peaks(program([A1, I64], body, [], [decl]), [np.linspace(0, 1, 50), 900])
    assert residual < 3000


def test_what_is_filled_or_emitted_by_an_inner_loop_is_made_where_its_node_lives() -> None:
    decl = Decl("list", (Variant("nil", ()), Variant("cons", (A1, A1, Named("list")))))

    def body(c: Code, n: E) -> Any:
        def step(t: E, xs: E) -> Any:
            new = c.build(40, lambda i: c.expr(0.0))
            filled = c.loop(40, [new], lambda i, a: a.set(i, c.real(i * t)))
            _, emitted = c.loop(40, [c.real(t)], lambda i, s: (s * 0.5, s))
            return c.inject(Named("list"), 1, filled, emitted, xs)

        return c.loop(n, [c.inject(Named("list"), 0)], step)

    temp, residual = peaks(program([I64], body, [], [decl]), [20])
    assert temp == 0 and residual < 20 * 2 * (320 + 64)  # each array once, and never copied


def test_updated_array_of_arrays() -> None:
    def body(c: Code, n: E) -> Any:
        rows = c.build(3, lambda i: c.build(4, lambda j: c.real(j)))

        def step(t: E, rows: E) -> Any:
            new = c.build(4, lambda j: rows.at(c.mod(t, 3)).at(j) + 1.0)
            return rows.set(c.mod(t, 3), new)

        return c.loop(n, [rows], step)

    agree(program([I64], body), [60])


@pytest.mark.parametrize("n", [5, 20])
def test_array_state_in_lanes(n: int) -> None:
    def body(c: Code, x: E, m: E) -> Any:
        def point(i: E) -> Any:
            start = c.build(3, lambda k: x.at(i))
            end = c.loop(m, [start], lambda t, s: c.build(3, lambda k: s.at(k) * 0.9 + c.real(k)))
            return c.total(end)

        return c.build(x.dim(), point)

    machine, _ = agree(program([A1, I64], body), [np.linspace(0, 1, n), 600])
    assert machine.arenas["temp"].peak < 2 * LIMITS.slack




def test_a_carried_array_that_is_in_what_is_emitted_stays() -> None:
    """The rows of what is emitted are the carried array, which moves when memory is given back;
    they share one copy of it."""

    def body(c: Code, a: E, n: E) -> Any:
        def step(t: E, x: E) -> Any:
            new = c.build(x.dim(), lambda i: c.sin(x.at(i)) + 0.5)
            return new, c.build(3, lambda i: x)

        _, tables = c.loop(n, [a], step)
        return c.sum(n, lambda t: tables.at(t).at(2).at(1) * tables.at(t).at(0).at(0))

    machine, _ = agree(program([A1, I64], body), [np.linspace(0, 1, 80), 120])
    assert machine.arenas["temp"].peak < 2 * LIMITS.slack
    assert machine.arenas["residual"].peak < 120 * (2 * 640 + 10 * 24)
