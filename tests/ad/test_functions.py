"""Calls and recursion."""

import numpy as np

from tests.ad.agreement import agree
from tests.ad.flatcore import A1, A2, BOOL, F64, I64, Fn, program

V = np.array([0.3, -0.2, 0.7, 1.1, 0.5])


def test_a_function_called_with_different_active_arguments() -> None:
    f = Fn("f", (F64, F64, A1), (F64, A1), lambda c, x, y, a: (
        c.sin(x) * y + a.at(0), c.build(a.dim(), lambda i: a.at(i) * x)))

    def body(c, x, a):
        s, u = c.call("f", x, 2.0, c.build(5, lambda i: c.real(i)))
        t, w = c.call("f", 3.0, s, a)
        v, _ = c.call("f", 3.0, 1.0, c.build(2, lambda i: 1.5))
        return t * v, c.total(u), w

    agree(program([F64, A1], body, [f]), [0.4, V])


def test_results_that_are_arguments_or_views_of_them() -> None:
    f = Fn("f", (A1, A1, F64), (A1, A1, F64, A1), lambda c, a, b, x: (
        a, b.view("slice", 4, 3, -1, static=(0,)), x, a))

    def body(c, a, x):
        p, q, y, r = c.call("f", a, a, x)
        s, t, z, _ = c.call("f", r, p, y * y)
        return c.total(p) * c.total(q), c.total(s) * c.total(t) * z, r

    agree(program([A1, F64], body, [f]), [V, 0.6])


def test_unused_results_and_functions_of_nothing() -> None:
    f = Fn("f", (F64,), (F64, A1, F64), lambda c, x: (
        c.exp(x), c.build(3, lambda i: c.sin(x)), c.sqrt(x - 9.0)))
    one = Fn("one", (), (F64, A1), lambda c: (c.expr(1.0), c.build(2, lambda i: 0.5)))

    def body(c, x):
        a, _, _ = c.call("f", x)
        b, grid = c.call("one")
        return a * b + grid.at(1) * x

    agree(program([F64], body, [f, one]), [0.4])


def test_calls_inside_loops_and_branches() -> None:
    g = Fn("g", (F64, A1, I64), (F64,), lambda c, x, a, i: c.if_(
        x > 0.45, lambda: x * a.at(i), lambda: c.sum(a.dim(), lambda j: a.at(j) * x)))

    def body(c, a, x):
        s = c.loop(5, (x,), lambda k, s: c.call("g", s, a, k) + 0.3)
        e = c.build(5, lambda i: c.call("g", a.at(i), a, i))
        return s * c.sum(5, lambda i: c.call("g", e.at(i), e, 4 - i))

    agree(program([A1, F64], body, [g]), [V, 0.9])


def test_recursion_on_scalars() -> None:
    power = Fn("power", (F64, I64), (F64,), lambda c, x, n: c.if_(
        n <= 0, lambda: c.expr(1.0), lambda: x * c.sin(c.call("power", x, n - 1))))
    fib = Fn("fib", (F64, I64), (F64,), lambda c, x, n: c.if_(
        n < 2, lambda: x, lambda: c.call("fib", x * 0.9, n - 1) * x + c.call("fib", x, n - 2)))
    p = program([F64, I64], lambda c, x, n: c.call("power", x, n) + c.call("fib", x, n),
                [power, fib])
    for n in (0, 1, 6):
        agree(p, [1.2, n])


def test_mutual_recursion() -> None:
    even = Fn("even", (F64, A1, I64), (F64, A1), lambda c, x, a, n: c.if_(
        n.eq(0), lambda: (x, a), lambda: c.call("odd", c.sin(x) * a.at(n), a, n - 1)))
    odd = Fn("odd", (F64, A1, I64), (F64, A1), lambda c, x, a, n: c.if_(
        n.eq(0), lambda: (x * x, c.build(2, lambda i: x)),
        lambda: c.call("even", x + a.at(n), a, n - 1)))

    def body(c, x, a, n):
        y, b = c.call("even", x, a, n)
        return y * c.total(b), b

    for n in (0, 3, 4):
        agree(program([F64, A1, I64], body, [even, odd]), [0.6, V, n])


def test_recursion_that_updates_its_array() -> None:
    """Divide and conquer in place: the array goes through all calls."""
    go = Fn("go", (A1, I64, I64), (A1,), lambda c, y, lo, hi: c.if_(
        hi - lo < 2,
        lambda: y.set(lo, c.sin(y.at(lo))),
        lambda: halves(c, y, lo, hi)))

    def halves(c, y, lo, hi):
        mid = c.floordiv(lo + hi, c.expr(2, I64))
        y = c.call("go", y, lo, mid)
        s = c.sum(hi - lo, lambda i: y.at(lo + i) * y.at(lo))
        y = c.call("go", y, mid, hi)
        return y.set(lo, y.at(mid) * y.at(hi - 1) + s)

    def body(c, a):
        y = c.call("go", c.prim("copy", a), 0, 5)
        return c.total(y), y

    agree(program([A1], body, [go]), [V])


def test_recursion_over_views() -> None:
    """Sum by halves of a slice, and a matrix by rows."""
    tree = Fn("tree", (A1,), (F64,), lambda c, a: c.if_(
        a.dim() < 2, lambda: a.at(0) * a.at(0),
        lambda: c.sin(c.call("tree", a.view("slice", 0, half(c, a), 1, static=(0,))))
        * c.call("tree", a.view("slice", half(c, a), a.dim() - half(c, a), 1, static=(0,)))))

    def half(c, a):
        return c.floordiv(a.dim(), c.expr(2, I64))

    def body(c, m):
        return c.sum(2, lambda i: c.call("tree", m.view("pick", i, static=(0,))))

    agree(program([A2], body, [tree]), [np.array([[0.1, 0.5, -0.4], [0.9, 0.2, 0.6]])])


def test_recursion_inside_a_sum_inside_recursion() -> None:
    f = Fn("f", (F64, I64), (F64,), lambda c, x, n: c.if_(
        n.eq(0), lambda: c.sin(x),
        lambda: c.sum(2, lambda i: c.call("f", x * c.real(i + 1), n - 1))))
    agree(program([F64, I64], lambda c, x, n: c.call("f", x, n), [f]), [0.3, 5])




def test_discrete_results_and_a_recursive_search() -> None:
    find = Fn("find", (A1, F64, I64), (I64, BOOL), lambda c, a, x, i: c.if_(
        i.eq(a.dim()), lambda: (i, False),
        lambda: c.if_(a.at(i) > x, lambda: (i, True), lambda: c.call("find", a, x, i + 1))))

    def body(c, a, x):
        i, found = c.call("find", a, x, 0)
        return c.if_(found, lambda: a.at(i) * x, lambda: x), i

    agree(program([A1, F64], body, [find]), [V, 0.6])
    agree(program([A1, F64], body, [find]), [V, 9.0])
