"""Updates inside of lists where rows have several names or places: as in Python, or refused."""

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver


def one_row_n_times(x):
    t = [[0.0] * 2] * len(x)
    t[0][1] = x[0]
    return t[1][1]


def one_row_by_name(x):
    row = [0.0, 1.0]
    t = [row for _ in range(len(x))]
    t[0][1] = x[0]
    return t[1][1]


def row_seen_through_the_table(x):
    t = [[v] for v in x]
    row = [x[0]]
    t.append(row)
    row[0] = 5.0
    return t[-1][0]


def table_seen_through_the_row(x):
    t = [[v] for v in x]
    row = t[1]
    t[1][0] = 5.0
    return row[0]


def row_as_a_name(x):
    t = [[v] for v in x]
    row = t[1]
    row[0] = 5.0
    return t[1][0]


def loop_over_rows(x):
    t = [[v] for v in x]
    for row in t:
        row[0] *= 2.0
    return t[1][0]


def row_put_in_twice(x):
    t = [[v] for v in x]
    row = [x[0], x[1]]
    t.append(row)
    t.append(row)
    t[-1][0] = 7.0
    return t[-2][0]


def previous_row_put_in_again(x):
    t = []
    last = [1.0]
    for v in x:
        t.append(last)
        last = [v]
        t.append(last)
    t[1][0] = 7.0
    return t[2][0]


def row_of_another_place(x):
    t = [[v] for v in x]
    t[0] = t[1]
    t[0][0] = 7.0
    return t[1][0]


def copied_outside_only(x):
    t = [[v] for v in x]
    u = t[:]
    u[0][0] = 7.0
    return t[0][0]


def rows_of_two_tables(x):
    t = [[v] for v in x]
    u = [r for r in t]
    u[0][0] = 7.0
    return t[0][0]


def extended_in_place(x):
    t = [[v] for v in x]
    row = t[0]
    t[0] += [3.0]
    return float(len(row)) + row[0]


def array_added_in_place(x):
    t = [np.zeros(2) + v for v in x]
    a = t[0]
    t[0] += 3.0
    return a[0]


def one_array_under_two_keys(x):
    a = np.zeros(2)
    d = {"v": a, "w": a}
    d["v"][0] = x[0]
    return d["w"][0]


def array_and_a_row_of_it(x):
    a = np.zeros((2, 2))
    d = {"v": a, "w": a[0]}
    d["v"][0, 0] = x[0]
    return d["w"][0]


def table_in_two_places(x):
    t = [[v] for v in x]
    d = {"a": t, "b": [t]}
    d["a"][0][0] = 7.0
    return d["b"][0][0][0]


def _bump(t, x):
    t[0][0] += x


def shared_row_given_to_a_function(x):
    row = [1.0]
    t = [row for _ in range(len(x))]
    _bump(t, x[0])
    return t[1][0]


def _twice(t):
    t.append(t[0])


def row_shared_by_a_function(x):
    t = [[v] for v in x]
    _twice(t)
    t[-1][0] = 7.0
    return t[0][0]


def _first(t):
    return t[0]


def row_from_a_function(x):
    t = [[v] for v in x]
    row = _first(t)
    t[0][0] = 7.0
    return row[0]


def captured_table(x):
    t = [[v] for v in x]
    f = lambda: t[0][0]
    t[0][0] = 7.0
    return f()


def kept_in_a_tuple(x):
    t = [[v] for v in x]
    pair = (t[0], 1.0)
    t[0][0] = 7.0
    return pair[0][0]


def one_of_two_tables(x):
    t = [[v] for v in x]
    u = [[2.0 * v] for v in x]
    w = t if x[0] > 0.5 else u
    w[0][0] = 7.0
    return t[0][0] + u[0][0]


def put_in_within_a_loop(x):
    t = [[0.0] for _ in x]
    row = [1.0]
    for i in range(len(x)):
        t[i] = row
        row[0] += x[i]
    return t[0][0]


def exchanged_once_too_often(x):
    t = [[v] for v in x]
    t[0], t[1] = t[1], t[1]
    t[0][0] = 7.0
    return t[1][0]


def slice_of_a_table(x):
    t = [[v] for v in x]
    t[0:1] = [t[1], t[1]]
    t[0][0] = 7.0
    return t[1][0]


def popped_row(x):
    t = [[v] for v in x]
    row = t.pop()
    t.append(row)
    t[-1][0] = 7.0
    return row[0]


def short_row_in_two_places(x):
    r = [x[0]]
    t = [r] * 2
    for i in range(len(x)):
        t[i % 2][0] += x[i]
    return t[0][0] + 2.0 * t[1][0]


def copied_outside_only_short(x):
    t = [[v, 1.0] for v in x]
    u = t[:]
    for i in range(len(x)):
        u[i][0] += 1.0
    return t[0][0]


def replaced_row(x):
    t = [[v] for v in x]
    row = t[0]
    t[0] = [9.0]
    row[0] = x[1]
    return t[0][0] + row[0]


def replaced_by_another_name(x):
    t = [[v] for v in x]
    u = t
    row = t[0]
    u[0] = [9.0]
    row[0] = x[1]
    return t[0][0] + row[0]


def table_bound_anew(x):
    t = [[v] for v in x]
    row = t[0]
    t = [[1.0]]
    row[0] = x[1]
    return t[0][0] + row[0]


def last_row_is_another(x):
    t = [[v] for v in x]
    row = t[-1]
    t.append([1.0])
    row[0] = x[1] * 5
    return t[-1][0] + t[-2][0] + row[0]


def name_from_the_round_before(x):
    t = [[v] for v in x]
    row = [1.0]
    for k in range(2):
        if k > 0:
            row[0] = 4.0
        row = t[k]
    return t[0][0] + t[1][0]


def name_of_two_things(x):
    t = [[v] for v in x]
    row = t[0]
    if x[0] > 0:
        row = [x[1]]
    row[0] = 3.0 * x[0]
    return t[0][0] + row[0]


def rows_replaced_in_the_loop(x):
    t = [[v] for v in x]
    for row in t:
        t[0] = [7.0]
        row[0] *= 2.0
    return t[0][0] + t[1][0]


def rows_added_in_the_loop(x):
    t = [[v] for v in x]
    for row in t:
        if len(t) < 8:
            t.append([1.0])
        row[0] *= 2.0
    return t[0][0] + t[1][0]


def loop_over_one_row_twice(x):
    r = [x[0]]
    t = [r, r]
    for row in t:
        row[0] *= 2.0
    return t[0][0]


def row_captured(x):
    t = [[v] for v in x]
    row = t[0]
    f = lambda: row[0]
    row[0] = x[1] * 3
    return f()


def replaced_above(x):
    t = [[[v, 1.0] for v in x] for _ in x]
    row = t[0][1]
    for plane in t:
        plane[1] = [9.0, 0.0]
    row[0] = 5.0
    return t[0][1][0] + row[0]


def added_above(x):
    t = [[[v, 1.0] for v in x] for _ in x]
    row = t[0][-1]
    t[0] += [[x[0] * 7, 0.0]]
    row[0] = 5.0
    return t[0][-1][0] + row[0] + t[0][-2][0]


def replaced_in_a_plane(x):
    t = [[[v, 1.0] for v in x] for _ in x]
    row = t[0][1]
    plane = t[0]
    plane[1] = [8.0, 0.0]
    row[0] = 5.0 * x[0]
    return t[0][1][0] + row[0]


def exchanged_under_a_name(x):
    t = [[v] for v in x]
    row = t[0]
    t[0], t[1] = t[1], t[0]
    row[0] = 5.0 * x[0]
    return t[0][0] + t[1][0] * 2 + row[0]


def sorted(q):  # hides the builtin
    q[0] = [77.0]
    return q


def given_to_a_function_of_a_builtin_name(x):
    t = [[v] for v in x]
    row = t[0]
    sorted(t)
    row[0] = 5.0 * x[0]
    return t[0][0] + row[0]


def name_hidden_by_a_comprehension(x):
    t = [[v, v] for v in x]
    for row in t:
        ys = [row[0] * v for row in [[1.0], [2.0]] for v in row]
        row[1] = sum(ys)
    return t[0][1] + t[1][1]


def neighbours(x):
    t = [[v] for v in x]
    for a, b in zip(t, t[1:]):  # noqa: RUF007  # ``zip`` of a list and its rest
        b[0] += a[0]
    return t[-1][0]


def int_rows(x):
    a = np.zeros((3, 2), dtype=int)
    for row in a:
        row *= 2
        row += 3
    return x[0] * a[0, 0]


def _takes_out(row, other):
    row[0] = 100.0
    return other


def row_taken_out_meanwhile(x):
    t = [[v] for v in x]
    q = _takes_out(t[0], t.pop(0))
    return t[0][0] + q[0]


def _binds(row):
    row = [v * 2 for v in row]
    row[0] = 5.0
    return sum(row)


def row_of_a_function_of_its_own(x):
    t = [[v, v] for v in x]
    return _binds(t[0]) + t[0][0]


def _captures(row):
    h = lambda: row[0]
    row[0] = 7.0
    return h()


def row_captured_in_a_function(x):
    t = [[v, v] for v in x]
    return _captures(t[0]) + t[0][0]


def _both(row, t):
    row[0] = 7.0
    return t[0][0]


def row_and_table_given(x):
    t = [[v, v] for v in x]
    return _both(t[0], t)


def _swaps(a, b):
    a[0], b[0] = b[0], a[0]
    return a[0] - b[0]


def one_row_given_twice(x):
    t = [[v, v] for v in x]
    return _swaps(t[0], t[0]) + _swaps(t[1], t[0]) + t[0][0]


def one_array_n_times(x):
    rows = [np.zeros(2)] * 3
    rows[0][0] += x[0]
    return rows[1][0]


SHARED = [
    short_row_in_two_places, copied_outside_only_short,
    one_row_n_times, one_row_by_name, row_seen_through_the_table, table_seen_through_the_row,
    row_as_a_name, loop_over_rows, row_put_in_twice, previous_row_put_in_again,
    row_of_another_place, copied_outside_only, rows_of_two_tables, extended_in_place,
    array_added_in_place, one_array_under_two_keys, array_and_a_row_of_it, table_in_two_places,
    shared_row_given_to_a_function, row_shared_by_a_function, row_from_a_function, captured_table,
    kept_in_a_tuple, one_of_two_tables, put_in_within_a_loop, exchanged_once_too_often,
    slice_of_a_table, popped_row, row_taken_out_meanwhile, row_of_a_function_of_its_own,
    row_captured_in_a_function, row_and_table_given, one_row_given_twice,
    replaced_row, replaced_by_another_name, table_bound_anew, last_row_is_another,
    name_from_the_round_before, name_of_two_things, rows_replaced_in_the_loop,
    rows_added_in_the_loop, loop_over_one_row_twice, row_captured, replaced_above, added_above,
    replaced_in_a_plane, exchanged_under_a_name, given_to_a_function_of_a_builtin_name,
    name_hidden_by_a_comprehension, neighbours, int_rows, one_array_n_times,
]  # fmt: skip


@pytest.mark.parametrize("f", SHARED, ids=lambda f: f.__name__)
def test_shared_rows_are_as_in_python_or_refused(f):
    x = np.array([0.75, 1.5, 2.25])
    try:
        value = driver.run(f, (x,))
    except pb.PullbackError as e:
        assert "Instead:" in str(e) and ".py:" in str(e)  # where, and what to write
    else:
        assert value == f(x)


def test_tables_of_the_caller_are_updated():
    def updates(t):
        t[0][0] = 1.0
        return t[0][0] + t[1][0]

    def updates_a_copy(t):
        u = t[:]
        u[0][0] = 1.0
        return u[0][0] + t[1][0]

    table = [[2.0], [3.0]]
    assert pb.grad(updates)(table) == [[0.0], [1.0]]
    assert table == [[1.0], [3.0]]
    table = [[2.0], [3.0]]  # its rows are those of the copy
    assert pb.grad(updates_a_copy)(table) == [[0.0], [1.0]]
    assert table == [[1.0], [3.0]]


def test_an_array_of_ints_takes_no_floats_in_place():
    def f(x):
        a = np.zeros((3, 2), dtype=int)
        for row in a:
            row *= 2.5
        return x[0] * a[0, 0]

    def g(x):
        a = np.zeros((3, 2), dtype=int)
        a[1] *= 2.5
        return x[0] * a[0, 0]

    for h in (f, g):
        with pytest.raises(TypeError):
            h(np.ones(2))
        with pytest.raises(TypeError):
            driver.run(h, (np.ones(2),))


def test_an_update_by_the_name_of_a_row_takes_constant_time():
    def f(n, x):
        t = [[x] * n for _ in range(2)]
        for k in range(n):
            row = t[k % 2]
            row[k] = row[k - 1] * x
        return t[0][0] + t[1][1]

    def bump(row, k, v):
        row[k] = row[k - 1] * v

    def g(n, x):
        t = [[x] * n for _ in range(2)]
        for k in range(n):
            bump(t[k % 2], k, x)
        return t[0][0] + t[1][1]

    for h, method in ((f, None), (f, "chad"), (g, None), (g, "chad")):
        given = {} if method is None else {"method": method}
        costs = [pb.cost(h, n, 0.5, **given) for n in (50, 100, 200)]
        assert costs[2] - costs[1] <= 2.1 * (costs[1] - costs[0])


def test_errors_are_those_of_python():
    def reads(x, i, j):
        t = [[v] * 2 for v in x]
        t[i][j] += 1.0
        return t[0][0]

    def stores(x, i, j):
        t = [[v] * 2 for v in x]
        t[i][j] = 1.0
        return t[0][0]

    def pops(x, i, j):
        t = [[v] for v in x]
        for _ in range(j):
            t[i].pop()
        return t[0][0]

    x = np.ones(3)
    for f in (reads, stores, pops):
        for i, j in ((0, 0), (-1, -2), (3, 0), (0, 2), (-4, 0), (0, -3)):
            try:
                expected = f(x, i, j)
            except IndexError:
                with pytest.raises(IndexError, match=r"index|empty"):
                    driver.run(f, (x, i, j))
            else:
                assert driver.run(f, (x, i, j)) == expected
