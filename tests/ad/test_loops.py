"""Sequential loops: carried values, emitted results, updates in place, while, zero trips."""

import numpy as np
import pytest

from tests.ad.agreement import agree
from tests.ad.flatcore import A1, A2, AI, BOOL, F64, I64, Fn, program

V = np.array([0.3, -0.2, 0.7, 1.1, 0.5])
M = np.array([[0.1, 0.5, -0.4], [0.9, 0.2, 0.6]])


def zeros(c, n):
    return c.build(n, lambda i: 0.0)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_carried_scalars_and_emitted_results(n: int) -> None:
    def body(c, n, x, y):
        def step(k, s, t):
            u = c.sin(s) * y
            return u, s * t + c.real(k), u * s, k

        s, t, out, ks = c.loop(n, (x, 0.5), step)
        return s * t, out, ks

    agree(program([I64, F64, F64], body), [n, 0.4, 0.9])


def test_loops_that_capture_scalars_and_ignore_what_they_carry() -> None:
    def body(c, x, y, z):
        s, dead, kept = c.loop(4, (x, y, z), lambda k, s, dead, kept: (s + z * z, y, kept))
        return s, dead, kept * s

    agree(program([F64] * 3, body), [0.4, 0.9, 1.2])


@pytest.mark.parametrize("n", [0, 1, 6])
def test_updates_in_a_loop(n: int) -> None:
    def body(c, xs, n):
        def step(k, y):
            before = c.max_(k - 1, c.expr(0, I64))
            return y.set(k, c.sin(xs.at(k % xs.dim())) * y.at(before) + xs.at(k % xs.dim()))

        y = c.loop(n, (zeros(c, n),), step)
        return c.sum(n, lambda i: y.at(i) * y.at(i)), y

    agree(program([A1, I64], body), [V, n])


def test_an_array_read_before_and_after_it_is_updated() -> None:
    """The reverse sweep must not read again what a sum has read: it has other values then."""
    def body(c, xs):
        y = c.build(5, lambda i: c.exp(xs.at(i)))
        before = c.sum(5, lambda i: c.sin(y.at(i)) * y.at(0))
        row = c.build(5, lambda i: y.at(i) * y.at(4 - i))
        y = y.set(2, before * xs.at(0))
        middle = c.sum(5, lambda i: c.sin(y.at(i)) * xs.at(i))
        y = c.loop(5, (y,), lambda k, y: y.set(k, y.at(k) * y.at(4 - k)))
        return before * middle + c.total(row), c.sum(5, lambda i: c.cos(y.at(i)))

    agree(program([A1], body), [V])


def test_views_of_arrays_that_are_updated_later() -> None:
    def body(c, m):
        y = c.build(2, 3, lambda i, j: c.exp(m.at(i, j)))
        row = y.view("transpose", static=(1, 0)).view("pick", 1, static=(1,))
        before = c.sum(row.dim(), lambda i: row.at(i) * row.at(i))
        n = row.dim()
        y = y.set((1, 0), before).set((0, 2), m.at(0, 0) * before)
        return c.total(y) * c.real(n), c.sum(2, lambda i: y.at(i, 0) * y.at(1 - i, 2))

    agree(program([A2], body), [M])


def test_a_row_that_is_updated_as_an_array_of_its_own() -> None:
    def body(c, m):
        row = c.prim("copy", m.view("pick", 0, static=(0,)))
        row = row.set(1, row.at(0) * row.at(2))
        row = row.set(-1, c.sin(row[-2]), checked=True)
        return c.total(row) * c.total(m)

    agree(program([A2], body), [M])


def test_checked_reads_of_arrays_that_are_updated_later() -> None:
    def body(c, xs, j):
        y = c.build(5, lambda i: c.exp(xs.at(i)))
        s = c.sum(2, lambda i: c.sin(y[j]) * y[-1 - i])
        y = y.set(j, y[j] * y[-1] * s, checked=True)
        return c.total(y)

    agree(program([A1, I64], body), [V, -3])


def test_carried_arrays_that_are_made_anew() -> None:
    def body(c, xs, m):
        def step(k, a, total):
            b = c.build(5, lambda i: c.sin(a.at(i)) + c.sum(2, lambda j: m.at(j, 0) * a.at(i)))
            return b, total + b.at(0) * a.at(4), c.total(a), b

        a, total, sums, rows = c.loop(3, (xs, 0.0), step)
        return c.total(a) * total, sums, c.total(rows.view("stack")), rows

    agree(program([A1, A2], body), [V, M])


def test_carried_arrays_that_swap() -> None:
    def body(c, xs):
        def step(k, old, new):
            nxt = c.build(5, lambda i: old.at(4 - i) * new.at(i))
            return new, nxt

        a, b = c.loop(3, (xs, xs.view("slice", 4, 5, -1, static=(0,))), step)
        return c.total(a), c.total(b)

    agree(program([A1], body), [V])


def test_double_buffers() -> None:
    """Two arrays that are written in turns."""
    def body(c, xs):
        def step(k, old, new):
            new = c.loop(5, (new,), lambda i, w: w.set(i, c.sin(old.at(i)) + old.at(0)))
            return new, old

        a, _ = c.loop(3, (c.prim("copy", xs), zeros(c, 5)), step)
        return c.total(a)

    agree(program([A1], body), [V])


def test_an_inactive_carried_array_beside_an_active_one() -> None:
    def body(c, xs):
        def step(k, grid, y):
            v = grid.at(k) * xs.at(k) + y.at(0)
            return grid.set(k, c.real(k)), y.set(k, v)

        grid, y = c.loop(5, (zeros(c, 5), zeros(c, 5)), step)
        return c.total(y), grid

    agree(program([A1], body), [V])


def test_while_loops() -> None:
    def body(c, x, y):
        def step(s, n):
            return c.sqrt(s * y), n + 1, s * y, n

        s, n, path, ns = c.while_((x, c.expr(0, I64)), lambda s, n: s > y * 1.5, step)
        return s * c.real(n), path, ns

    for x in (40.0, 0.1):
        agree(program([F64, F64], body), [x, 0.9])


def test_while_with_updates_and_a_condition_on_the_array() -> None:
    def body(c, xs):
        def step(y, k):
            return y.set(k, y.at(k) + xs.at(k) * y.at(0)), k + 1

        y, k = c.while_(
            (c.prim("copy", xs), c.expr(0, I64)),
            lambda y, k: c.prim("and", k < 5, y.at(c.min_(k, c.expr(4, I64))) < 1.0), step)
        return c.total(y), k

    agree(program([A1], body), [V])


def test_loops_inside_loops_inside_sums() -> None:
    def body(c, m, x):
        def line(i):
            def outer(k, s):
                t, y = c.loop(3, (s, zeros(c, 3)), lambda j, t, y: (
                    c.sin(t * m.at(i, j)) + x, y.set(j, t * x)))
                return t + c.total(y) * s

            return c.loop(2, (m.at(i, 0),), outer)

        rows = c.build(2, 2, lambda i, j: line(i) * m.at(j, 1))
        return c.sum(2, lambda i: c.exp(line(i)) * rows.at(i, 0))

    agree(program([A2, F64], body), [M, 0.7])


def test_a_scan_and_its_reverse() -> None:
    def body(c, xs):
        _, out = c.loop(xs.dim(), (0.0,), lambda k, s: (s * 0.5 + xs.at(k), c.sin(s) * xs.at(k)))
        rev = out.view("slice", 4, 5, -1, static=(0,))
        return c.loop(5, (1.0,), lambda k, s: s * 0.9 + rev.at(k))

    agree(program([A1], body), [V])


def test_accumulation_at_colliding_indices() -> None:
    def body(c, xs, idx):
        y = c.loop(
            idx.dim(), (zeros(c, 3),),
            lambda k, y: y.set(idx.at(k), y.at(idx.at(k)) + xs.at(k) * xs.at(k)))
        return c.sum(3, lambda i: c.sin(y.at(i)))

    agree(program([A1, AI], body), [V, np.array([0, 2, 0, 1, 2])])


def test_an_if_in_a_loop_that_updates_in_one_branch() -> None:
    def body(c, xs, q):
        def step(k, y, s):
            x = xs.at(k)
            y, s = c.if_(
                x > 0.4, lambda: (s * y.at(0), y.set(k, x * s))[::-1], lambda: (y, s + x))
            y = c.if_(q, lambda: y, lambda: y.set(0, y.at(0) * x))
            return y, c.if_(x < 0.6, lambda: s * x, lambda: c.exp(x))

        y, s = c.loop(5, (c.prim("copy", xs), 1.0), step)
        return c.total(y), s

    for q in (True, False):
        agree(program([A1, BOOL], body), [V, q])


def test_an_update_that_a_callee_does() -> None:
    """The caller's earlier reads of the array must not be repeated later, and its array, not
    active before, has an accumulator when it comes back."""
    put = Fn("put", (A1, I64, F64), (A1,), lambda c, y, i, v: y.set(i, v * y.at(0)))
    get = Fn("get", (A1, I64), (F64,), lambda c, y, i: c.sin(y.at(i)) * y.at(1))

    def body(c, xs):
        y = c.build(5, lambda i: 1.0 + c.real(i))
        z = c.build(5, lambda i: xs.at(i) * 2.0)
        before = c.sum(5, lambda i: c.sin(z.at(i)) * z.at(0)) * c.call("get", z, 2)
        z = c.call("put", z, 3, xs.at(1))
        z = c.call("put", z, 0, before)
        y = c.call("put", y, 2, xs.at(0))
        y = c.call("put", y, 0, y.at(2))
        y = c.loop(5, (y,), lambda k, y: c.call("put", y, k, xs.at(k)))
        return c.total(y), c.total(z)

    agree(program([A1], body, [put, get]), [V])


def test_an_array_from_a_branch_that_a_callee_updates() -> None:
    fill = Fn("fill", (A1, A1), (A1,), lambda c, y, x: c.loop(
        y.dim(), (y,), lambda k, y: y.set(k, y.at(k) * x.at(k) + y.at(0))))

    def body(c, xs, q):
        a = c.build(5, lambda i: 1.0 + c.real(i))
        z = c.if_(q, lambda: a, lambda: c.build(5, lambda i: c.sin(xs.at(i))))
        return c.total(c.call("fill", z, xs))

    for q in (True, False):
        agree(program([A1, BOOL], body, [fill]), [V, q])


def test_an_array_that_a_callee_hands_through_and_the_caller_updates() -> None:
    same = Fn("same", (A1, F64), (A1, F64), lambda c, y, x: (y, c.sin(x) * y.at(1)))

    def body(c, xs):
        z = c.build(5, lambda i: xs.at(i) * 2.0)
        before = c.sum(5, lambda i: c.exp(z.at(i)) * z.at(2))
        w, s = c.call("same", z, xs.at(0))
        w = c.loop(5, (w,), lambda k, w: w.set(k, w.at(k) * w.at(0) * s))
        return c.total(w) * before

    agree(program([A1], body, [same]), [V])


def test_lists_of_arrays_that_are_updated() -> None:
    def body(c, xs):
        rows = c.build(3, lambda i: c.build(2, lambda j: c.real(i + j)))
        rows = c.loop(3, (rows,), lambda k, rows: rows.set(
            k, c.build(2, lambda j: xs.at(j) * c.sin(xs.at(k)))))
        rows = rows.set(1, c.build(5, lambda j: xs.at(j) * 2.0))
        return c.sum(3, lambda k: c.total(rows.at(k))), rows.at(2)

    agree(program([A1], body), [V])
