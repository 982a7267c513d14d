"""Scalar code: every construct once, against the Core evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullback.core.eval import Node, evaluate
from pullback.core.terms import AccAdd, AccNew, AccRead, AccTake
from pullback.core.types import Decl, Handle, Named, Sum, Variant
from tests.ad.flatcore import A1, A2, F32, F64, I64, Code, E, Fn, program
from tests.lower.agreement import agree, run


def test_arithmetic() -> None:
    p = program([F64, F64], lambda c, x, y: (c.sin(x) * y + x / y, c.max_(x, y), x < y))
    agree(p, [0.3, -1.5])


def test_single_precision() -> None:
    p = program([F32, F64], lambda c, x, y: (c.exp(x), c.real(x) * y, c.real(y, F32)))
    agree(p, [np.float32(0.3), -1.5])


def test_checked_integers() -> None:
    def body(c: Code, n: E, m: E) -> Any:
        return c.prim("add.ck", n, m), c.prim("mul.ck", n, m), c.mul(n, m), c.mod(n, m)

    p = program([I64, I64], body)
    agree(p, [7, -3])
    with pytest.raises(OverflowError):
        run(p, [2**62, 5])


def test_require() -> None:
    def body(c: Code, x: E) -> Any:
        c.require(x > 0.0, "ValueError", "math domain error")
        return c.log(x)

    p = program([F64], body)
    agree(p, [2.0])
    with pytest.raises(ValueError, match="math domain error"):
        run(p, [-2.0])


@pytest.mark.parametrize("i", [0, 2, -1, -3, 3, -4])
def test_checked_index(i: int) -> None:
    p = program([A1, I64], lambda c, a, j: a[j])
    if -3 <= i < 3:
        agree(p, [np.arange(3.0), i])
        return
    with pytest.raises(IndexError) as e:
        run(p, [np.arange(3.0), i])
    assert str(e.value) == f"index {i} is out of bounds for axis 0 with size 3"


@pytest.mark.parametrize("n", [0, 1, 5])
def test_sequential_loop(n: int) -> None:
    def body(c: Code, a: E, n: E) -> Any:
        s, xs = c.loop(n, [0.5], lambda i, s: (s * 1.1 + a.at(i), c.sin(s)))
        return s, xs

    agree(program([A1, I64], body), [np.arange(6.0), n])


def test_while() -> None:
    def body(c: Code, x: E) -> Any:
        return c.while_([x, c.expr(0, I64)], lambda y, k: y < 100.0,
                        lambda y, k: (y * 1.5, k + 1, c.sin(y), y > 10.0))

    p = program([F64], body)
    agree(p, [0.01])
    agree(p, [200.0])


@pytest.mark.parametrize("x", [-1.0, 2.0])
def test_if(x: float) -> None:
    def body(c: Code, x: E, a: E, b: E) -> Any:
        y, v = c.if_(x > 0.0, lambda: (x * 2.0, a), lambda: (c.sin(x), b))
        return y, v.at(0), v.dim()

    agree(program([F64, A1, A1], body), [x, np.arange(3.0), np.ones(5)])


def test_call_and_recursion() -> None:
    def power(c: Code, x: E, n: E) -> Any:
        return c.if_(n < 1, lambda: c.expr(1.0), lambda: c.call("power", x, n - 1) * x)

    p = program([F64, I64], lambda c, x, n: c.call("power", x, n),
                [Fn("power", (F64, I64), (F64,), power)])
    agree(p, [1.5, 7])


LIST = Decl("list", (Variant("nil", ()), Variant("cons", (F64, Named("list")))))


def test_nodes() -> None:
    def total(c: Code, xs: E) -> Any:
        return c.case(xs, lambda: c.expr(0.0), lambda x, rest: c.call("total", rest) + x)

    def body(c: Code, n: E) -> Any:
        nil = c.inject(Named("list"), 0)
        xs = c.loop(n, [nil], lambda i, xs: c.inject(Named("list"), 1, c.real(i), xs))
        return c.call("total", xs), xs

    p = program([I64], body, [Fn("total", (Named("list"),), (F64,), total)], [LIST])
    agree(p, [10])
    q = program([Named("list")], lambda c, xs: c.call("total", xs),
                [Fn("total", (Named("list"),), (F64,), total)], [LIST])
    agree(q, [Node(1, (2.0, Node(1, (3.0, Node(0)))))])


SHAPE = Sum((Variant("disc", (F64,)), Variant("rows", (A1, I64)), Variant("none", ())))


@pytest.mark.parametrize("k", [0, 1, 2])
def test_unboxed_sums(k: int) -> None:
    def body(c: Code, k: E, a: E) -> Any:
        s = c.if_(k < 1, lambda: c.inject(SHAPE, 0, 2.5),
                  lambda: c.if_(k < 2, lambda: c.inject(SHAPE, 1, a, 1),
                                lambda: c.inject(SHAPE, 2)))
        return s, c.case(s, lambda r: r * r, lambda xs, i: xs[i], lambda: c.expr(-1.0))

    agree(program([I64, A1], body), [k, np.arange(3.0)])


def test_views() -> None:
    def body(c: Code, a: E) -> Any:
        t = a.view("transpose", static=(1, 0))
        row = a.view("pick", 1, static=(0,))
        part = row.view("slice", 4, 2, -2, static=(0,))
        wide = row.view("expand", static=(0,)).view("broadcast", 3, row.dim())
        return t, row, part, wide, c.copy(t), t.view("reshape", 10), a.view("reshape", 5, 2)

    agree(program([A2], body), [np.arange(10.0).reshape(2, 5)])


def test_stack() -> None:
    def body(c: Code, a: E, n: E) -> Any:
        rows = c.build(n, lambda i: c.build(a.dim(), lambda j: a.at(j) * c.real(i)))
        return c.stack(rows), rows

    agree(program([A1, I64], body), [np.arange(3.0), 4])
    agree(program([A1, I64], body), [np.arange(3.0), 0])


def test_update() -> None:
    def body(c: Code, a: E, n: E) -> Any:
        def step(i: E, b: E) -> Any:
            return b.set(i, b.at(i - 1) * 0.5 + a.at(i), checked=True)

        return c.loop(n - 1, [c.copy(a)], lambda i, b: step(i + 1, b))

    agree(program([A1, I64], body), [np.arange(9.0), 9])


def test_arrays_of_many_types() -> None:
    def body(c: Code, n: E) -> Any:
        flags, numbers, shapes = c.build(n, lambda i: (
            i < 3, i * i,
            c.if_(i < 2, lambda: c.inject(SHAPE, 0, c.real(i)), lambda: c.inject(SHAPE, 2))))
        return flags, numbers, shapes, flags.at(1), shapes.at(1)

    agree(program([I64], body), [5])


def test_accumulators() -> None:
    def body(c: Code, h: E, n: E) -> Any:
        (mine,) = c.let(AccNew((n.atom, c.atom(3, I64))), [Handle(2)])
        row = mine.view("pick", 2, static=(0,))
        c.let(AccAdd(row.atom, (c.atom(1, I64),), c.atom(1.5, F64)), [])
        c.let(AccAdd(mine.atom, (c.atom(2, I64), c.atom(1, I64)), c.atom(2.0, F64)), [])
        (x,) = c.let(AccTake(row.atom, (c.atom(1, I64),)), [F64])
        (y,) = c.let(AccRead(row.atom, (c.atom(1, I64),)), [F64])
        c.let(AccAdd(h.atom, (c.atom(1, I64),), x.atom), [])
        return x, y

    agree(program([Handle(1), I64], body), [np.arange(4.0), 4])


def test_errors_agree() -> None:
    p = program([A2, I64], lambda c, a, i: c.build(3, lambda j: a[i, j]))
    for i in (-2, -1, 0, 1):
        agree(p, [np.arange(6.0).reshape(2, 3), i])
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        run(p, [np.arange(6.0).reshape(2, 3), 2])
    with pytest.raises(IndexError):
        evaluate(p, [np.arange(6.0).reshape(2, 3), 2])


def test_nested_arrays() -> None:
    def body(c: Code, n: E) -> Any:
        rows = c.build(n, lambda i: c.build(i + 1, lambda j: c.real(j)))
        return rows, c.sum(n, lambda i: rows.at(i).at(i)), rows.dim()

    agree(program([I64], body), [4])


