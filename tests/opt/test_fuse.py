"""Elements are computed where they are read: when that costs nothing, and only then."""

import numpy as np
import pytest

from pullback.core.terms import Build, Sum_
from pullback.core.types import BOOL, F64, I64
from pullback.opt.arrays.fuse import fuse
from pullback.opt.dce import drop_dead
from pullback.opt.scalar.simplify import simplify
from tests.ad.flatcore import A1, A2, program
from tests.opt.agreement import agree, cost, ops, prims

V = np.array([0.3, -0.2, 0.7, 1.1])
M = np.arange(6.0).reshape(2, 3)
ALL = [simplify, drop_dead, fuse, drop_dead]


def builds(p):
    return len(ops(p, Build))


def test_a_chain_of_maps_is_one_loop() -> None:
    def body(c, a, x):
        n = a.dim()
        e = c.build(n, lambda i: c.exp(a.at(i)))
        f = c.build(n, lambda i: c.sin(e.at(i)) * x)
        g = c.build(n, lambda i: c.tan(f.at(i)) + f.at(i))
        return c.sum(n, lambda i: g.at(i) * c.cos(a.at(i)))

    p = program([A1, F64], body)
    q = agree(ALL, p, [V, 0.5], [V[:0], 0.5])
    assert builds(q) == 0 and cost(q, [V, 0.5]) < cost(p, [V, 0.5])
    assert prims(q).count("exp") == 1


def test_what_is_read_twice_is_kept() -> None:
    def body(c, a):
        n = a.dim()
        e = c.build(n, lambda i: c.exp(a.at(i)))
        z = c.sum(n, lambda i: e.at(i))
        return c.build(n, lambda i: e.at(i) / z)

    assert builds(agree(ALL, program([A1], body), [V])) == 2


def test_what_an_inner_loop_reads_again_is_kept() -> None:
    def body(c, m, a):
        e = c.build(2, 3, lambda i, k: c.exp(m.at(i, k)))
        return c.build(2, 4, lambda i, j: c.sum(3, lambda k: e.at(i, k) * a.at(j)))

    assert builds(agree(ALL, program([A2, A1], body), [M, V])) == 2


def test_rows_are_fused_into_the_loop_over_columns() -> None:
    def body(c, m):
        e = c.build(2, 3, lambda i, k: c.exp(m.at(i, k)))
        t = e.view("transpose", static=(1, 0))
        return c.build(2, lambda i: c.sum(3, lambda k: t.at(k, i)))

    q = agree(ALL, program([A2], body), [M])
    assert builds(q) == 1 and len(ops(q, Sum_)) == 1


def test_index_functions_are_always_fused() -> None:
    def body(c, a):
        n = a.dim()
        ramp = c.build(n, lambda i: c.real(i) * 0.5)
        back = c.build(n, lambda i: a.at(n - 1 - i))
        zeros = c.build(n, lambda i: c.expr(0.0))
        return c.build(n, n, lambda i, j: ramp.at(i) * back.at(j) + ramp.at(j) + zeros.at(0))

    assert builds(agree(ALL, program([A1], body), [V], [V[:0]])) == 1


def test_two_reads_make_no_index_function() -> None:
    def body(c, a, b):
        diff = c.build(4, lambda i: a.at(i) - b.at(i))
        return c.build(4, 4, lambda i, j: diff.at(j) * c.real(i))

    assert builds(agree(ALL, program([A1, A1], body), [V, V * 3.0])) == 2


def test_shifted_and_turned_reads_are_single_reads() -> None:
    def body(c, a, k):
        e = c.build(4, lambda i: c.exp(a.at(i)))
        f = c.build(4, lambda i: c.sin(a.at(i)))
        g = c.build(4, lambda i: c.cos(a.at(i)))
        s = c.sum(3, lambda i: e.at(i + 1))
        t = c.sum(4, lambda i: f.at(c.expr(3, I64) - i))
        u = c.sum(2, lambda i: g.at(i * 2))
        return s, t, u

    assert builds(agree(ALL, program([A1, I64], body), [V, 1])) == 0


def test_a_read_that_may_come_again_is_none() -> None:
    def body(c, a):
        e = c.build(4, lambda i: c.exp(a.at(i)))
        f = c.build(4, lambda i: c.sin(a.at(i)))
        return c.sum(4, lambda i: e.at(i % 2)), c.sum(4, lambda i: f.at(i * 0))

    q = agree([fuse, drop_dead], program([A1], body), [V])
    assert builds(q) == 2


def test_in_a_branch_it_is_computed_only_if_needed() -> None:
    def body(c, a, b):
        e = c.build(4, lambda i: c.exp(a.at(i)))
        return c.sum(4, lambda i: c.if_(b, lambda: e.at(i), lambda: c.expr(0.0)))

    p = program([A1, BOOL], body)
    q = agree(ALL, p, [V, True], [V, False])
    assert builds(q) == 0 and cost(q, [V, False]) < cost(p, [V, False]) / 2


def test_while_loops_and_carried_reads() -> None:
    def body(c, a):
        e = c.build(4, lambda i: c.exp(a.at(i)))
        f = c.build(4, lambda i: c.exp(a.at(i)) * 2.0)
        s = c.loop(4, [c.expr(0.0)], lambda i, s: s * 0.5 + e.at(i))
        t, _ = c.while_(
            [c.expr(0.0), c.expr(0, I64)],
            lambda t, k: k < 4,
            lambda t, k: (t + f.at(k), k + 1),
        )
        return s, t

    assert builds(agree(ALL, program([A1], body), [V])) == 1


def test_several_results_share_one_computation() -> None:
    def body(c, a):
        e, f = c.build(4, lambda i: (c.exp(a.at(i)), c.exp(a.at(i)) * c.sin(a.at(i))))
        return c.sum(4, lambda i: e.at(i) * f.at(i) + e.at(i))

    q = agree(ALL, program([A1], body), [V])
    assert builds(q) == 0 and prims(q).count("sin") == 1


def test_arrays_that_are_updated_are_read_before() -> None:
    def body(c, a):
        y, n = a.view("copy"), a.dim()
        e = c.build(n, lambda i: y.at(i))
        y = y.set(0, 100.0)
        return c.sum(n, lambda i: e.at(i)), y

    q = agree(ALL, program([A1], body), [V])
    assert builds(q) == 1


@pytest.mark.parametrize("checked", [True, False])
def test_bodies_that_raise_move_only_as_a_whole(checked: bool) -> None:
    def body(c, a, b, k):
        n = a.dim()
        e = c.build(n, lambda i: a[i + k])
        if checked:
            c.require(k < 2, "ValueError", "too large")
        s = c.sum(n, lambda i: e.at(i))
        f = c.build(n, lambda i: a[i + k])
        t = c.sum(n, lambda i: c.if_(b, lambda: f.at(i), lambda: c.expr(1.0)))
        g = c.build(n, lambda i: a[i + k])
        u = c.sum(2, lambda i: g.at(i))
        return s, t, u

    p = program([A1, BOOL, I64], body)
    q = agree(ALL, p, [V, True, 0], [V, False, 0], [V, True, 1], [V, False, 9], [V, False, -9])
    assert builds(q) == (3 if checked else 2)


def test_flat_ranges_in_another_shape() -> None:
    def body(c, n):
        ramp = c.build(6, lambda i: c.real(i) * 2.0)
        grid = ramp.view("reshape", 2, 3)
        return c.build(2, 3, lambda i, j: grid.at(i, j) * c.real(j))

    assert builds(agree(ALL, program([I64], body), [3])) == 1


def test_a_body_that_can_raise_leaves_nothing_behind() -> None:
    def body(c, a, k):
        n = a.dim()
        e = c.build(n, lambda i: a[i + k])
        return c.sum(n, lambda i: e.at(i) * 2.0)

    q = agree(fuse, program([A1, I64], body), [V, 0], [V, 9], [V[:0], 9])
    assert builds(q) == 0 and len(ops(q, Sum_)) == 1



def test_an_array_that_is_updated_later_is_read_before_that() -> None:
    """The right side of ``x[1:-1] += x[2:] - 2 * x[1:-1] + x[:-2]`` is one array."""

    def body(c, a):
        n = a.dim()

        def step(_, x):
            left = c.build(n - 2, lambda i: x.at(i) - x.at(i + 1))
            right = c.build(n - 2, lambda i: left.at(i) - x.at(i + 1))
            both = c.build(n - 2, lambda i: right.at(i) + x.at(i + 2))
            return c.loop(n - 2, [x], lambda i, y: y.set(i + 1, y[i + 1] + both.at(i)))

        return c.loop(3, [c.build(n, lambda i: a.at(i))], step)

    p = program([A1], body)
    assert builds(agree(ALL, p, [V], [np.arange(9.0) ** 2])) == 2


def test_an_array_is_not_read_after_its_update() -> None:
    def body(c, a):
        n = a.dim()
        x = c.build(n, lambda i: c.exp(a.at(i)))
        old = c.build(n, lambda i: x.at(i) * 2.0)
        new = c.loop(n, [x], lambda i, y: y.set(i, y[i] + 1.0))
        return c.build(n, lambda i: old.at(i) * new.at(i))

    assert builds(agree(ALL, program([A1], body), [V])) == 3


def test_an_element_that_is_read_again_after_the_update_is_the_old_one() -> None:
    def body(c, a):
        x = c.build(a.dim(), lambda i: c.exp(a.at(i)))
        old = c.build(a.dim(), lambda i: x.at(i) * 2.0)
        before = old.at(1)
        new = c.loop(2, [x], lambda i, y: y.set(i, y[i] + 1.0))
        return before, old.at(1), new.at(1)

    agree(ALL, program([A1], body), [V])
    agree([fuse], program([A1], body), [V])
