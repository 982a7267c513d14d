"""Lists and dicts that change: what is refused, at which line; errors as in Python."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.call import driver
from pullback.errors import (
    EndlessError,
    MutationError,
    StaticIndexError,
    StaticKeyError,
    UnknownNameError,
    UnsupportedError,
)
from tests.frontend.harness import agrees, run, same


def push(xs, y):
    xs.append(y)
    return xs


def pushes_argument(xs):
    return sum(push(xs, 1.0))


def adds_to_argument(xs):
    xs += [1.0]
    return sum(xs)


def read_before(x):
    xs = [x, 1.0]
    return (xs, xs.pop())


def holder_after(x):
    xs = [x]
    t = (xs, 1)
    xs.append(x)
    return sum(t[0])


def grows_under_loop(x):
    xs = [x, 2.0]
    for v in xs:
        if len(xs) < 7:
            xs.append(v * x)
    return sum(xs)


def in_comprehension(x):
    xs = [x, 2.0]
    return sum([xs.pop() for _ in range(2)])


def two(a, b):
    a.append(1.0)
    return sum(b)


def passed_twice(x):
    xs = [x]
    return two(xs, xs)


def in_condition(x):
    xs = [x, 1.0, 2.0]
    while xs.pop() > 1.0:
        x = x * 2
    return x


def inner_list(x):
    row = [x]
    rows = [row, row]
    rows[0].append(x)
    return rows[1][1]


def table(n):
    rows = [[0.0] * n] * n
    rows[0][1] = 1.0
    return rows[0][1]


def mixed(n):
    xs = []
    for i in range(n):
        xs.append(i)
        xs.append([i])
    return len(xs)


def pops_nothing(x):
    xs = []
    return xs.pop() + x


def new_key_in_loop(n):
    d = {"a": n}
    for i in range(n):
        d["b"] = i
    return d["b"]


def missing_key(x):
    return {"a": x}["b"]


def updates_dict_argument(d):
    d["a"] = 1.0
    return d["a"]


def captured(x):
    xs = [x]

    def f():
        xs.append(x)

    twice(f if x > 0.0 else lambda: None)
    return sum(xs)


def twice(f):
    f()
    f()


CASES = [
    (pushes_argument, [1.0], MutationError, "push(xs, 1.0)"),
    (adds_to_argument, [1.0], MutationError, "xs += [1.0]"),
    (pops_nothing, 1.0, StaticIndexError, "xs.pop() + x"),
    (missing_key, 1.0, StaticKeyError, '{"a": x}["b"]'),
    (updates_dict_argument, {"a": 2.0}, MutationError, 'd["a"] = 1.0'),
]


def test_an_update_by_a_function_that_is_chosen():
    assert run(captured, 1.0) == captured(1.0)
    assert run(captured, -1.0) == captured(-1.0)


def test_a_key_that_comes_in_a_loop():
    assert run(new_key_in_loop, 3) == 2
    with pytest.raises(KeyError, match="'b'"):
        run(new_key_in_loop, 0)


@pytest.mark.parametrize(
    "f", [read_before, holder_after, grows_under_loop, passed_twice, inner_list]
)
def test_lists_with_two_names(f):
    assert run(f, 1.5) == f(1.5)


@pytest.mark.parametrize("f", [table, mixed])
def test_rows_that_are_one_list(f):
    assert run(f, 3) == f(3)


@pytest.mark.parametrize("f, arg, error, line", CASES, ids=[c[0].__name__ for c in CASES])
def test_refused(f, arg, error, line):
    with pytest.raises(error) as caught:
        run(f, arg)
    text = str(caught.value)
    shown = next(n for n, part in enumerate(text.splitlines()) if n > 1 and line in part)
    assert "^" in text.splitlines()[shown + 1], text
    assert isinstance(caught.value, UnsupportedError | UnknownNameError | EndlessError | TypeError
                      | LookupError | ValueError)  # fmt: skip


@pytest.mark.parametrize("f", [in_comprehension, in_condition])
def test_pops_in_turn(f):
    assert run(f, 1.5) == f(1.5)


def out_of_range(n):
    xs = [i for i in range(n)]
    xs[n] = 1
    return xs


def pops_too_many(n):
    xs = [1.0, 2.0]
    for _ in range(n):
        xs.pop()
    return xs


def pops_outside(n):
    return [i for i in range(n)].index(7), n


def never_there(n):
    xs = [1.0, 2.0]
    for _ in range(n):
        xs[2] = 1.0
    return xs


@pytest.mark.parametrize(
    ("f", "n"),
    [(out_of_range, 3), (pops_too_many, 3), (pops_too_many, 1), (pops_outside, 3),
     (never_there, 0), (never_there, 1)],
)  # fmt: skip
def test_errors_are_those_of_python(f, n):
    try:
        wanted = f(n)
    except (IndexError, ValueError) as e:
        with pytest.raises(type(e)):
            run(f, n)
    else:
        same(run(f, n), wanted)


def results(n):
    """Lists as results have their own length, wherever they are."""
    xs = []
    for i in range(n):
        xs.append(i * 0.5)
    ys = [x for x in xs if x > 0.5]
    ys.append(2.0)
    rows = []
    for i in range(n):
        row = [1.0]
        for k in range(i):
            row.append(k * 0.5)
        rows.append(row)
    return xs, (ys, {"rows": rows}), [xs, ys], sorted(xs, reverse=True), xs == ys


@pytest.mark.parametrize("n", [0, 1, 3, 20])
def test_results(n):
    wanted, found = results(n), run(results, n)
    assert found == wanted


def test_index_errors_have_the_text_of_python():
    def read(xs, n):
        return xs[n]

    def looped(xs, n):
        return sum([xs[k] * 2.0 for k in range(n + 1)])

    def nested(xs, n):
        t = [[x] for x in xs]
        return t[0][n]

    def of_tuple(xs, n):
        return (xs[0], xs[1])[n]

    def stored(xs, n):
        ys = list(xs)
        ys[n] = 1.0
        return ys[0]

    def of_array(xs, n):
        return np.array(xs)[n]

    for f in (read, looped, nested, of_tuple, stored, of_array):
        with pytest.raises(IndexError) as expected:
            f([1.0, 2.0, 3.0], 7)
        for tier in ("native", "eval"):
            with pytest.raises(IndexError) as found:
                driver.run(f, ([1.0, 2.0, 3.0], 7), tier=tier)
            assert str(found.value) == str(expected.value)


def test_a_whole_slice_is_a_copy():
    def changed(xs, rows):
        ys, rest = xs[:], rows[:]
        ys.append(xs[0])
        ys[0] = 3.0
        total = 0.0
        while rest:
            total += sum(rest.pop()) * ys[-1]
        return total + sum(y * y for y in ys) + len(xs) + len(rows)

    agrees(changed, [1.0, 2.0], [[1.0], [2.0, 3.0]])
    agrees(changed, [1.0], [[1.0]])


def test_keys_and_captured_lists_of_the_run():
    def found(xs):
        d = {0: 1.0, 1: 2.0}
        out = [xs[0]]

        def push(i):
            out.append(d[i] * xs[i])

        push(1)
        return sum(d[i] * x for i, x in enumerate(xs)) + sum(out)

    agrees(found, [1.5, 2.5])


def test_slices_are_lists_of_their_own():
    """Slices of arguments too, and what a pattern leaves over."""

    def changed(xs, rows):
        ys, last = xs[1:], rows[-1:]
        zs = ys
        ys[0] = 2.0 * xs[0]
        ys.append(1.0)
        last[0] = [3.0]
        match xs:
            case [first, *rest]:
                rest[0] = first * 3.0
            case _:
                rest = []
        return sum(zs) + sum(xs) + sum(rest) + len(zs) + sum(map(sum, rows)) + sum(last[0])

    agrees(changed, [1.0, 2.0, 3.0], [[1.0], [2.0, 3.0]])

    def helper(xs, n):
        total = 0.0
        for i in range(n):
            part = xs[i:]
            xs[i] = 2.0 * xs[i]
            part[0] = part[0] * total
            total += xs[i] + sum(part)
        return total

    agrees(lambda x: helper([x, x * x, 1.0], 3), 1.5)

    def rows_are_shared(rows):
        part = rows[1:]
        part[0][0] = 3.0
        return part[0][0]

    with pytest.raises(MutationError, match="other places too"):
        run(rows_are_shared, [[1.0], [2.0]])
