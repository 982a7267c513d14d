"""Checks that cannot fail go, all others stay. (The evaluator checks the unchecked accesses.)"""

import numpy as np
import pytest

from pullback.core.eval import evaluate
from pullback.core.types import BOOL, I64
from pullback.opt.scalar.bounds import remove_checks
from pullback.opt.scalar.simplify import simplify
from tests.ad.flatcore import A1, A2, AI, program
from tests.opt.agreement import agree, checked, prims

V = np.array([0.3, -0.2, 0.7, 1.1])
M = np.arange(6.0).reshape(2, 3)


def both(p, *runs):
    return agree([simplify, remove_checks, simplify], p, *runs)


def test_loops_over_the_array() -> None:
    def body(c, a, m):
        n = a.dim()
        s = c.sum(n, lambda i: a[i] * a[n - 1 - i])
        t = c.loop(n - 1, [s], lambda i, s: s + a[i + 1] * a[i])
        y = c.build(n + 1, lambda i: c.real(i))
        y = c.loop(n, [y], lambda i, y: y.set(i + 1, y[i] + a[i], checked=True))
        u = c.sum(m.dim(0), m.dim(1), lambda i, j: m[i, j] * m[0, j])
        return s, t, y, u

    q = both(program([A1, A2], body), [V, M], [V[:0], M])
    assert checked(q) == 0  # m[0, j]: in a round over the rows there is one


def test_triangles_and_ranges_that_start_later() -> None:
    def body(c, a):
        n = a.dim()
        low = c.sum(n, lambda i: c.sum(i, lambda j: a[j] * a[i]))
        high = c.sum(
            n, lambda i: c.sum(c.max_(n - (i + 1), 0), lambda t: a[i + 1 + t] - a[t])
        )
        return low, high

    assert checked(both(program([A1], body), [V])) == 0


def test_extents_that_were_required_to_be_equal() -> None:
    def body(c, a, b):
        c.require(a.dim().eq(b.dim()), "ValueError", "shapes")
        return c.sum(a.dim(), lambda i: a[i] * b[i])

    p = program([A1, A1], body)
    assert checked(both(p, [V, V], [V, V[1:]])) == 0

    def without(c, a, b):
        return c.sum(a.dim(), lambda i: a[i] * b[i])

    assert checked(both(program([A1, A1], without), [V, V], [V, V[1:]])) == 1


def test_conditions() -> None:
    def body(c, a, i):
        inside = c.prim("and", c.expr(0, I64) <= i, i < a.dim())
        x = c.if_(inside, lambda: a[i], lambda: c.expr(0.0))
        y = c.if_(i < a.dim(), lambda: c.expr(1.0), lambda: a[0])
        _, z = c.while_(
            [c.expr(0, I64), x], lambda k, z: k < a.dim(), lambda k, z: (k + 1, z + a[k])
        )
        return x, y, z, a[i]

    q = both(program([A1, I64], body), [V, 1], [V, 4], [V, -1])
    assert checked(q) == 3  # else a[0]; a[k]: nothing says k >= 0; a[i]


def test_after_the_branch_nothing_is_known() -> None:
    def body(c, a, n, b):
        c.if_(b, lambda: c.require(n < a.dim(), "ValueError", "no"), lambda: None)
        c.if_(b, lambda: c.total(c.build(n, lambda i: a.at(0))), lambda: c.expr(0.0))
        return c.sum(c.max_(n, 0), lambda i: a[i])

    p = program([A1, I64, BOOL], body)
    assert checked(both(p, [V, 3, True], [V, 5, False], [V, 5, True])) == 1


def test_sums_that_can_wrap_prove_nothing() -> None:
    """k + 1 < n holds for the largest k, whose successor is the smallest number."""

    def body(c, a, k):
        ok = c.prim("and", c.expr(0, I64) <= k, k + 1 < a.dim())
        return c.if_(ok, lambda: a[k], lambda: c.expr(0.0))

    q = both(program([A1, I64], body), [V, 1], [V, 2**63 - 1])
    assert checked(q) == 1


def test_overflow_checks_of_small_numbers() -> None:
    def body(c, a, n):
        last = c.prim("sub.ck", a.dim(), c.expr(1, I64))
        s = c.sum(a.dim(), lambda i: c.real(c.prim("add.ck", i, last)) * a[i])
        return s, c.prim("add.ck", n, last), c.prim("mul.ck", last, last)

    q = both(program([A1, I64], body), [V, 3], [V, 2**63 - 2])
    assert [name for name in prims(q) if name.endswith(".ck")] == ["add.ck", "mul.ck"]


def test_requirements_and_maxima_that_are_evident() -> None:
    def body(c, a, n):
        c.require(c.expr(0, I64) <= a.dim(), "ValueError", "never")
        c.require(a.dim().eq(a.dim()), "ValueError", "never")
        c.require(n < a.dim(), "ValueError", "maybe")
        m = c.max_(a.dim(), 0)
        return c.build(m, lambda i: a[i]), c.min_(n, a.dim())

    q = both(program([A1, I64], body), [V, 3], [V, 4])
    assert prims(q).count("require") == 1 and "max" not in prims(q) and "min" not in prims(q)
    assert checked(q) == 0


def test_views() -> None:
    def body(c, m, k):
        row = m.view("pick", 1, static=(0,))
        part = row.view("slice", 0, 2, 1, static=(0,))
        t = m.view("transpose", static=(1, 0))
        return (
            c.sum(m.dim(1), lambda j: row[j]),
            c.sum(2, lambda j: part[j]),
            c.sum(m.dim(0), m.dim(1), lambda i, j: t[j, i]),
            part[k],
        )

    assert checked(both(program([A2, I64], body), [M, 1], [M, 2])) == 1


def test_gathers_stay_checked() -> None:
    p = program([A1, AI], lambda c, a, k: c.sum(k.dim(), lambda i: a[k[i]]))
    q = both(p, [V, np.array([0, -1, 3])], [V, np.array([4])])
    assert checked(q) == 1


def test_a_long_chain_of_sums() -> None:
    def body(c, a, n):
        for _ in range(3000):
            n = c.prim("add.ck", n, c.expr(1, I64))
        return a[n]

    p = program([A1, I64], body)
    q = remove_checks(p)
    assert checked(q) == 1
    with pytest.raises(IndexError):
        evaluate(q, [V, 3])


def test_extents_of_windows_are_the_same_in_all_rounds() -> None:
    """``a[i : i + k]`` for all ``i`` at which it is within ``a``; what ``k`` is has been known
    before ``i`` (so the numbers of the variables are no order of the loops)."""

    def body(c, a, b):
        n, k = a.dim(), b.dim()

        def window(i):
            return c.max_(c.min_(i + k, n) - i, 0)

        def one(i):
            c.require(window(i).eq(k), "ValueError", "shapes")
            return c.sum(window(i), lambda j: a[i + j] * b[j])

        return c.sum(c.max_(n - k + 1, 0), one)

    q = both(program([A1, A1], body), [V, V[:2]], [V, V], [V[:2], V], [V, V[:0]])
    assert checked(q) == 0 and not {"require", "min"} & set(prims(q))
    assert prims(q).count("sub") == 1  # n - k: no round computes an extent


def test_conditions_behind_conditions() -> None:
    """``0 < i and i < n - 1``: the second operand is computed where the first one is true."""

    def body(c, a):
        n = a.dim()

        def one(i):
            inner = c.if_(c.expr(0, I64) < i, lambda: i < n - 1, lambda: c.expr(False))
            edge = c.if_(i < 1, lambda: c.expr(True), lambda: c.prim("ge", i, n - 1))
            x = c.if_(inner, lambda: a[i - 1] + a[i + 1], lambda: a[i])
            y = c.if_(edge, lambda: a[i], lambda: a[i - 1] - a[i + 1])
            chosen = c.prim("select", c.expr(0, I64) < i, i < n - 1, c.expr(False))
            return x + y + c.if_(chosen, lambda: a[i - 1] * a[i + 1], lambda: a[i])

        return c.build(n, one)

    assert checked(both(program([A1], body), [V], [V[:1]], [V[:2]], [V[:0]])) == 0


def test_operands_of_what_does_not_hold_prove_nothing() -> None:
    def body(c, a, k):
        both_hold = c.if_(c.expr(0, I64) <= k, lambda: k < a.dim(), lambda: c.expr(False))
        one_holds = c.if_(c.expr(0, I64) <= k, lambda: c.expr(True), lambda: k < a.dim())
        x = c.if_(both_hold, lambda: c.expr(0.0), lambda: a[k])
        return x + c.if_(one_holds, lambda: a[k], lambda: c.expr(0.0))

    p = program([A1, I64], body)
    assert checked(both(p, [V, 1], [V, 4], [V, -1], [V, -5])) == 2
