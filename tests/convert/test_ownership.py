"""Copies where an update in place would be seen, and nowhere else."""

import numpy as np
import pytest

from pullback.convert.ownership import own_updates
from pullback.core.check import CheckError, check
from pullback.core.eval import evaluate
from pullback.core.terms import Dialect, Prim, Program
from pullback.core.traverse import all_lets
from pullback.core.types import F64, I64, Array
from tests.ad.flatcore import A1, A2, Fn, program


def copies(p: Program) -> int:
    """Return the number of copies that a program makes, counted in its text."""
    return sum(
        isinstance(let.op, Prim) and let.op.name == "copy"
        for f in p.functions.values()
        for let in all_lets(f.body)
    )


def owned(p: Program, args: list, want: list, expected: int) -> Program:
    q = own_updates(p)
    check(q, Dialect.FLAT)
    given = [np.array(a) if isinstance(a, list) else a for a in args]
    got, _ = evaluate(q, given)
    for g, w in zip(got, want, strict=True):
        assert np.array_equal(g, w), (g, w)
    for g, a in zip(given, args, strict=True):
        assert np.array_equal(g, a), "an argument was updated"
    assert copies(q) == expected
    return q


def zeros(c, n):
    return c.build(n, lambda i: c.expr(0.0))


def test_updates_of_fresh_arrays_are_in_place() -> None:
    def body(c, n):
        y = zeros(c, n)
        y = y.set(0, 1.0)
        y = c.loop(n, [y], lambda i, y: y.set(i, c.real(i) + y.at(0)))
        y = c.if_(n < 3, lambda: y.set(0, 5.0), lambda: y)
        return y.set(1, 7.0)

    p = program([I64], body)
    q = owned(p, [3], [[1.0, 7.0, 3.0]], 0)
    assert evaluate(q, [2])[0][0][0] == 5.0


def test_both_branches_update() -> None:
    def body(c, n):
        y = zeros(c, n)
        return c.loop(
            n, [y], lambda i, y: c.if_(i < 2, lambda: y.set(i, 1.0), lambda: y.set(i, 2.0))
        )

    owned(program([I64], body), [3], [[1.0, 1.0, 2.0]], 0)


def test_an_argument_is_copied_first() -> None:
    p = program([A1], lambda c, a: (a.set(0, 9.0), a.at(0)))
    with pytest.raises(CheckError):
        check(p, Dialect.FLAT)
    owned(p, [[1.0, 2.0]], [[9.0, 2.0], 1.0], 1)


def test_the_old_version_is_used_later() -> None:
    def body(c, n):
        y = zeros(c, n)
        z = y.set(0, 1.0)
        return y, z

    owned(program([I64], body), [2], [[0.0, 0.0], [1.0, 0.0]], 1)


def test_a_view_is_used_later() -> None:
    def body(c, n):
        y = zeros(c, n)
        v = y.view("slice", 0, 1, 1, static=(0,))
        z = y.set(0, 1.0)
        return v.at(0), z

    owned(program([I64], body), [2], [0.0, [1.0, 0.0]], 1)


def test_a_view_is_updated() -> None:
    def body(c, m):
        y = m.view("copy").view("pick", 0, static=(0,))
        wide = y.view("expand", static=(0,)).view("broadcast", 2, 2)
        return wide.set((0, 0), 5.0), c.expr(0.0)

    owned(program([A2], body), [[[1.0, 2.0], [3.0, 4.0]]], [[[5.0, 2.0], [1.0, 2.0]], 0.0], 2)


def test_the_initial_value_of_a_loop_is_used_later() -> None:
    def body(c, n):
        y = zeros(c, n)
        z = c.loop(n, [y], lambda i, z: z.set(i, 1.0))
        return y, z

    owned(program([I64], body), [2], [[0.0, 0.0], [1.0, 1.0]], 1)


def test_the_initial_value_is_read_in_the_loop() -> None:
    def body(c, n):
        y = zeros(c, n)
        return c.loop(n, [y], lambda i, z: z.set(i, y.at(0) + 1.0))

    owned(program([I64], body), [3], [[1.0, 1.0, 1.0]], 1)


def test_one_array_enters_as_two() -> None:
    def body(c, n):
        y = zeros(c, n)
        return c.loop(n, [y, y], lambda i, z, w: (z.set(i, w.at(0) + 1.0), w))

    owned(program([I64], body), [2], [[1.0, 1.0], [0.0, 0.0]], 1)


def test_arrays_that_change_places() -> None:
    def body(c, n):
        return c.loop(
            n, [zeros(c, n), zeros(c, n)], lambda i, z, w: (w, z.set(i, c.real(i) + w.at(0)))
        )

    p = program([I64], body)
    q = own_updates(p)
    check(q, Dialect.FLAT)
    assert copies(q) == 0
    z, w = [0.0] * 3, [0.0] * 3
    for i in range(3):
        z[i] = i + w[0]
        z, w = w, z
    got, _ = evaluate(q, [3])
    assert np.array_equal(got[0], z) and np.array_equal(got[1], w)


def test_the_body_returns_an_array_from_outside() -> None:
    def body(c, n):
        base = c.build(n, lambda i: c.real(i))

        def step(i, y):
            z = y.set(i, 1.0)
            return c.if_(z.at(0) > 5.0, lambda: z, lambda: base)

        return c.loop(n, [zeros(c, n)], step), base

    p = program([I64], body)
    owned(p, [3], [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]], 1)


def test_versions_that_are_kept() -> None:
    def body(c, n):
        return c.loop(n, [zeros(c, n)], lambda i, y: (y.set(i, 1.0), y))

    p = program([I64], body)
    q = own_updates(p)
    check(q, Dialect.FLAT)
    last, kept = evaluate(q, [2])[0]
    assert list(last) == [1.0, 1.0] and [list(k) for k in kept] == [[0.0, 0.0], [1.0, 0.0]]
    assert copies(q) == 1


def test_while_and_branches_inside() -> None:
    def body(c, n):
        def step(y, k):
            y = c.if_(k < 2, lambda: y.set(k, 3.0), lambda: y)
            return y, k + 1

        y, _ = c.while_([zeros(c, n), c.expr(0, I64)], lambda y, k: k < n, step)
        return y

    owned(program([I64], body), [3], [[3.0, 3.0, 0.0]], 0)


def test_elements_of_arrays_are_not_owned() -> None:
    rows = Array(A1, 1)

    def body(c, n):
        xs = c.build(n, lambda i: c.build(n, lambda j: c.real(j)))
        row = xs.at(0)
        return row.set(0, 9.0), xs.at(0).at(0)

    p = program([I64], body)
    assert rows == Array(Array(F64, 1), 1)
    owned(p, [2], [[9.0, 1.0], 0.0], 1)


def test_a_callee_updates_its_parameter() -> None:
    put = Fn("put", (A1, I64), (A1,), lambda c, a, i: a.set(i, 4.0))

    def gives_away(c, n):
        return c.loop(n, [zeros(c, n)], lambda i, y: c.call("put", y, i))

    owned(program([I64], gives_away, [put]), [2], [[4.0, 4.0]], 0)

    def keeps(c, n):
        y = zeros(c, n)
        return c.call("put", y, c.expr(0, I64)), y

    owned(program([I64], keeps, [put]), [2], [[4.0, 0.0], [0.0, 0.0]], 1)


def test_a_recursion_that_updates_its_array() -> None:
    def go(c, a, i):
        return c.if_(
            i < a.dim(), lambda: c.call("go", a.set(i, c.real(i)), i + 1), lambda: a
        )

    fn = Fn("go", (A1, I64), (A1,), go)

    def main(c, n):
        return c.call("go", zeros(c, n), c.expr(1, I64)).set(0, 5.0)

    owned(program([I64], main, [fn]), [4], [[5.0, 1.0, 2.0, 3.0]], 0)


def test_a_callee_returns_its_argument() -> None:
    same = Fn("same", (A1,), (A1,), lambda c, a: a)

    def body(c, n):
        y = zeros(c, n)
        return c.call("same", y).set(0, 1.0), y

    owned(program([I64], body, [same]), [2], [[1.0, 0.0], [0.0, 0.0]], 1)


def test_it_is_idempotent() -> None:
    p = own_updates(program([A1], lambda c, a: (a.set(0, 9.0), a.at(0))))
    assert copies(own_updates(p)) == copies(p) == 1


def test_what_a_callee_hands_through_is_the_argument() -> None:
    put = Fn("put", (A1, A1, I64), (A1, A1), lambda c, a, b, i: (a.set(i, 4.0), b))

    def both(c, i, y, z):
        y, z = c.call("put", y, z, i)
        return y, z.set(i, y.at(i))

    def body(c, n):
        return c.loop(n, [zeros(c, n), zeros(c, n)], lambda i, y, z: both(c, i, y, z))

    owned(program([I64], body, [put]), [2], [[4.0, 4.0], [4.0, 4.0]], 0)


def test_a_recursion_hands_through_what_it_leaves_alone() -> None:
    def go(c, a, b, i):
        def on():
            y, z = c.call("go", a.set(i, b.at(i)), b, i + 1)
            return y, z

        return c.if_(i < a.dim(), on, lambda: (a, b))

    fn = Fn("go", (A1, A1, I64), (A1, A1), go)

    def main(c, n):
        y, z = c.call("go", zeros(c, n), zeros(c, n), c.expr(0, I64))
        return y.set(0, 5.0), z.set(1, 6.0)

    owned(program([I64], main, [fn]), [2], [[5.0, 0.0], [0.0, 6.0]], 0)


def test_what_is_handed_through_and_still_read_is_copied() -> None:
    pair = Fn("pair", (A1, A1, A1), (A1, A1), lambda c, a, b, d: (b, a))

    def body(c, n):
        y, z = c.call("pair", zeros(c, n), zeros(c, n), zeros(c, n))
        w = z.set(0, 1.0)
        return y, z, w

    owned(program([I64], body, [pair]), [2], [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], 1)


A_ROWS = Array(A1, 1)


def renewed(c, rows, n, i):
    """A function that puts a row of its own in the place of one."""
    return rows.set(i, zeros(c, n))


RENEW = Fn("renew", (A_ROWS, I64, I64), (A_ROWS,), renewed)


def test_a_callee_puts_rows_into_a_table() -> None:
    def body(c, n):
        rows = c.build(n, lambda i: zeros(c, n))
        return c.loop(n, [rows], lambda i, t: c.call("renew", t, n, i).set((i, 0), c.real(i)))

    def first(c, n):
        rows = body(c, n)
        return rows.at(0), rows.at(1)

    owned(program([I64], first, [RENEW]), [2], [[0.0, 0.0], [1.0, 0.0]], 0)


def test_a_callee_puts_rows_into_a_table_of_equal_rows() -> None:
    def body(c, n):
        row = zeros(c, n)
        rows = c.call("renew", c.build(n, lambda i: row), n, c.expr(0, I64))
        rows = rows.set((1, 0), c.expr(7.0))
        return rows.at(0), rows.at(1), rows.at(2)

    zero = [0.0, 0.0, 0.0]
    owned(program([I64], body, [RENEW]), [3], [zero, [7.0, 0.0, 0.0], zero], 1)


def test_a_callee_makes_one_table_of_two() -> None:
    def either(c, a, b):
        return c.build(a.dim(), lambda i: c.if_(i < 1, lambda: a.at(i), lambda: b.at(i)))

    def both(c, a, b):
        """The tables are taken over, and one of them has rows of both."""
        return a.set(0, b.at(1)), b.set(0, zeros(c, b.dim()))

    mix = Fn("mix", (A_ROWS, A_ROWS), (A_ROWS,), either)
    put = Fn("both", (A_ROWS, A_ROWS), (A_ROWS, A_ROWS), both)

    def mixed(c, n):
        rows = c.build(n, lambda i: zeros(c, n))
        turned = c.build(n, lambda i: rows.at(1 - i))
        made = c.call("mix", rows, turned).set((0, 0), c.expr(7.0))
        return made.at(0), made.at(1)

    def shared(c, n):
        rows, others = (c.build(n, lambda i: zeros(c, n)) for _ in range(2))
        made, rest = c.call("both", rows, others)
        made = made.set((0, 0), c.expr(7.0))
        return made.at(0), made.at(1), rest.at(0), rest.at(1)

    zero = [0.0, 0.0]
    for body, want in ((mixed, [[7.0, 0.0], zero]), (shared, [[7.0, 0.0], zero, zero, zero])):
        q = own_updates(program([I64], body, [mix, put]))
        got, _ = evaluate(q, [2])
        assert [list(g) for g in got] == want


def grown(row, c, n):
    """A row with the rows of another one and one more."""
    m = row.dim()
    return c.build(m + 1, lambda i: c.if_(i < m, lambda: row.at(i), lambda: zeros(c, n)))


def tables(c, n):
    """A list of lists of rows."""
    return c.build(n, lambda i: c.build(1, lambda j: zeros(c, n)))


def test_a_list_of_lists_grows_in_its_place() -> None:
    def body(c, n):
        def step(i, t):
            at = c.expr(0, I64)
            t = t.set(at, grown(t.at(at), c, n))
            return t.set((at, i + 1, 0), c.real(i) + 1.0)

        t = c.loop(n, [tables(c, n)], step)
        return t.at(0).at(0), t.at(0).at(1), t.at(0).at(2), t.at(1).at(0)

    zero = [0.0, 0.0]
    owned(program([I64], body), [2], [zero, [1.0, 0.0], [2.0, 0.0], zero], 0)


def test_a_list_of_lists_grows_in_another_place() -> None:
    def body(c, n):
        t = tables(c, n)
        t = t.set(1, grown(t.at(0), c, n))
        t = t.set((1, 0, 0), c.expr(7.0))
        return t.at(0).at(0), t.at(1).at(0)

    q = own_updates(program([I64], body))
    assert [list(x) for x in evaluate(q, [2])[0]] == [[0.0, 0.0], [7.0, 0.0]]
    assert copies(q) == 1


def test_a_list_of_lists_grows_and_is_still_read() -> None:
    def body(c, n):
        t = tables(c, n)
        old = t.at(0)
        t = t.set(0, grown(old, c, n))
        t = t.set((0, 0, 0), c.expr(7.0))
        return old.at(0), t.at(0).at(0)

    q = own_updates(program([I64], body))
    assert [list(x) for x in evaluate(q, [2])[0]] == [[0.0, 0.0], [7.0, 0.0]]
    assert copies(q) == 1


def test_displays_of_empty_lists_share_nothing() -> None:
    """As of ``d[k] = [[], []]``: what is put into a table is chosen among arrays from outside."""

    def body(c, n):
        def step(i, t):
            first, second = (c.build(c.expr(0, I64), lambda j: c.expr(0.0)) for _ in range(2))
            pair = c.build(2, lambda j: c.if_(j < 1, lambda: first, lambda: second))
            t = t.set(i, pair).set((i, 1), c.build(1, lambda j: c.expr(0.0)))
            return t.set((i, 1, 0), c.real(i) + 1.0)

        t = c.loop(n, [tables(c, n)], step)
        return t.at(0).at(0), t.at(0).at(1), t.at(1).at(1)

    owned(program([I64], body), [2], [[], [1.0], [2.0]], 0)


def test_a_table_that_lives_on_keeps_its_rows() -> None:
    """The callee gets a copy of the table, which has the rows of the table."""

    def body(c, n):
        rows = c.build(n, lambda i: zeros(c, n))
        made = c.call("renew", rows, n, c.expr(0, I64)).set((1, 0), c.expr(7.0))
        return rows.at(1), made.at(1)

    q = own_updates(program([I64], body, [RENEW]))
    assert [list(x) for x in evaluate(q, [2])[0]] == [[0.0, 0.0], [7.0, 0.0]]


def test_one_table_given_twice() -> None:
    """The second argument is copied, and its rows are those of the first, which digs."""

    def both(c, a, b):
        b = b.set(1, zeros(c, b.dim()))
        return a.set((0, 0), c.expr(1.0)), b

    fn = Fn("both", (A_ROWS, A_ROWS), (A_ROWS, A_ROWS), both)

    def body(c, n):
        rows = c.build(n, lambda i: zeros(c, n))
        a, b = c.call("both", rows, rows)
        return a.at(0), b.at(0)

    q = own_updates(program([I64], body, [fn]))
    assert [list(x) for x in evaluate(q, [2])[0]] == [[1.0, 0.0], [0.0, 0.0]]
