"""Common subexpressions."""

import numpy as np

from pullback.core.terms import Build, Call, If, Index, Prim, Sum_
from pullback.core.types import F64, I64
from pullback.opt.cse import merge_common
from tests.ad.flatcore import A1, Fn, program
from tests.opt.agreement import agree, ops, prims

V = np.array([0.3, -0.2, 0.7])


def test_equal_ops_are_merged_and_commuted_ones() -> None:
    def body(c, x, y):
        return c.sin(x) * y + y * c.sin(x), c.sin(y), x - y, y - x

    q = agree(merge_common, program([F64, F64], body), [0.5, 2.0])
    assert prims(q) == ["add", "mul", "sin", "sin", "sub", "sub"]


def test_zeros_of_different_sign_are_different() -> None:
    def body(c, x):
        return x / 0.0, x / -0.0, c.expr(1, I64) + 0, c.real(c.expr(1, I64)) + 0.0

    agree(merge_common, program([F64], body), [0.5])


def test_loops_are_merged_when_equal_up_to_names() -> None:
    def body(c, a):
        n = a.dim()
        e = c.build(n, lambda i: c.exp(a[i]))
        f = c.build(n, lambda j: c.exp(a[j]))
        g = c.build(n, lambda j: c.exp(a[-1]))
        s = c.sum(n, lambda i: c.if_(e.at(i) < 1.0, lambda: e.at(i), lambda: c.expr(2.0)))
        t = c.sum(n, lambda i: c.if_(f.at(i) < 1.0, lambda: f.at(i), lambda: c.expr(2.0)))
        return s * t, g

    q = agree(merge_common, program([A1], body), [V])
    assert len(ops(q, Build)) == 2 and len(ops(q, Sum_)) == 1 and len(ops(q, If)) == 1


def test_scopes_end() -> None:
    def body(c, x):
        y = c.if_(x < 1.0, lambda: c.sin(x), lambda: c.sin(x) * 2.0)
        return y * c.sin(x) + c.sin(x)

    q = agree(merge_common, program([F64], body), [0.5], [2.0])
    assert prims(q).count("sin") == 3


def test_checks_are_made_once() -> None:
    def body(c, a, i):
        c.require(i < 3, "ValueError", "no")
        x = a[i] + a[i]
        c.require(i < 3, "ValueError", "no")
        c.require(i < 3, "TypeError", "no")
        return x

    p = program([A1, I64], body)
    q = agree(merge_common, p, [V, 1], [V, 3], [V, -5])
    assert len(ops(q, Index)) == 1 and prims(q).count("require") == 1


def test_arrays_that_are_updated_keep_their_storage() -> None:
    def body(c, n):
        y, z = c.build(n, lambda i: c.real(i)), c.build(n, lambda i: c.real(i))
        w = c.build(n, lambda i: c.real(i))
        y = y.set(0, 7.0)
        return y, z, w

    q = agree(merge_common, program([I64], body), [2])
    assert len(ops(q, Build)) == 2


def test_calls_without_effects() -> None:
    f = Fn("f", (F64,), (F64,), lambda c, x: c.exp(x))
    p = program([F64], lambda c, x: c.call("f", x) * c.call("f", x), [f])
    assert len(ops(agree(merge_common, p, [0.5]), Call)) == 1


def test_large_blocks_are_not_compared() -> None:
    def body(c, a):
        def long(i):
            x = a.at(i)
            for _ in range(80):
                x = c.sin(x)
            return x

        return c.build(a.dim(), long), c.build(a.dim(), long)

    q = agree(merge_common, program([A1], body), [V])
    assert len(ops(q, Build)) == 2 and all(isinstance(op, Prim) for op in ops(q, Prim))
