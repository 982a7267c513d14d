"""Lists of equal rows are one array with numbers of rows, and mean what they meant."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import harness

XS = np.array([0.7, 1.2, 0.4, 1.1, 0.9])


def agree(f: Callable[..., Any], *args: Any) -> None:
    """The compiled values and gradients are those of Python and of differences."""
    value, found = pb.value_and_grad(f)(*args)
    assert value == pytest.approx(float(f(*args)), rel=1e-12)
    tangent = np.cos(np.arange(args[0].size)).reshape(args[0].shape)
    slope = harness.difference(lambda x: f(x, *args[1:]), (args[0],), (tangent,))
    assert np.sum(found * tangent) == pytest.approx(slope, rel=1e-7, abs=1e-7)


def is_array(f: Callable[..., Any], *args: Any) -> bool:
    """Whether the table is an array after the pass."""
    before, after = (pb.show(f, *args, stage=s) for s in ("trim", "tables"))
    assert "[:][:]" in before
    return after.count("[:][:]") == after.count("stack")


def rows(xs, m):
    """A table: one row for each number."""
    return [[x * (j + 1.0) for j in range(m)] for x in xs]


def total(t):
    return sum(t[i][0] * t[i][1] * (i + 1) + t[i][-1] for i in range(len(t)))


# --- tables that are arrays -----------------------------------------------------------------------


def exchanges(xs, order):
    t = rows(xs, len(xs) - 2)
    for k in order:
        t[0], t[k] = t[k], t[0]
        t[k][1] *= t[0][2]
        t[0][0] += t[k][1]
    return total(t)


def on_some_paths(xs, order):
    t = rows(xs, len(xs) - 2)
    for k in order:
        if t[k][0] > 0.8:
            t[k][1] += t[0][0] ** 2
        elif k % 2:
            t[k], t[0] = t[0], t[k]
        else:
            t[k], t[0] = t[0], t[k]
            t[0][0] *= t[k][1] + xs[k]
    return total(t)


def early_exits(xs, order):
    t = rows(xs, len(xs) - 2)
    k = 0
    while k < min(len(order), 4):
        if t[0][1] > 3.0:
            break
        for j in range(2):
            if t[order[k]][j] > 2.5:
                break
            t[order[k]][j] += t[k][0] + 0.5
        k += 1
        if k == 2:
            continue
        t[0], t[k] = t[k], t[0]
    if k > 3:
        return t[0][0] * t[k][1]
    return total(t)


def negative_places(xs, order):
    t = rows(xs, len(xs) - 2)
    for k in order:
        t[-1], t[k] = t[k], t[-1]
        t[-1][-2] += t[k][-1]
    return total(t)


def rows_by_their_length(xs, order):
    t = [[x] * len(order) for x in xs]
    for i in range(len(t)):
        for j in range(len(t[i])):
            t[i][order[j] % len(t[0])] += t[(i + 1) % len(t)][j] * 0.5
    return sum(sum(row) * (i + 1) for i, row in enumerate(t))


def two_tables(xs, order):
    t = rows(xs, len(xs) - 2)
    u = rows(xs[::-1], len(xs) - 3)
    for k in order:
        u[k][0] += t[k][0] * u[0][1]
        t[k], t[0] = t[0], t[k]
        t[k][1] -= u[k][0]
        u[0], u[k] = u[k], u[0]
    return total(t) * total(u)


def numbers_in_the_rows(xs, order):
    t = [[1] * (len(xs) - 3) for _ in xs]
    for k in order:
        t[k][0] += 1
        t[k][1] *= 2
        t[0], t[k] = t[k], t[0]
    return sum(xs[i] ** t[i][0] * t[i][1] for i in range(len(xs)))


ARRAYS = [
    exchanges, on_some_paths, early_exits, negative_places, rows_by_their_length,
    two_tables, numbers_in_the_rows,
]  # fmt: skip
ORDERS = [[3, 1, 4, 2], [0, 0, 3], [], [4, 4, 4, 1, 1, 2, 0, 3]]


@pytest.mark.parametrize("f", ARRAYS, ids=lambda f: f.__name__)
def test_tables_that_are_arrays(f: Callable[..., Any]) -> None:
    assert is_array(f, XS, np.array(ORDERS[0]))
    for order in ORDERS:
        agree(f, XS, np.array(order, dtype=np.int64))


def test_no_rows_and_empty_rows() -> None:
    def f(xs, m):
        t = [[x] * m for x in xs]
        for i in range(len(t)):
            for j in range(len(t[i])):
                t[i][j] *= xs[i] + j
        return sum(sum(row) for row in t) + 1.0

    for n, m in ((0, 3), (3, 0), (0, 0), (2, 3)):
        agree(f, XS[:n], m)


def test_rows_that_do_not_exist() -> None:
    def f(xs, i, j):
        t = rows(xs, len(xs) - 2)
        for k in range(len(xs)):
            t[k][0] += 1.0
        t[i], t[0] = t[0], t[i]
        t[i][j] *= 2.0
        return t[0][0] * t[i][j]

    agree(f, XS, -5, -2)
    for i, j in ((5, 0), (-6, 0), (0, 3), (0, -4)):
        for g in (f, pb.grad(f)):
            with pytest.raises(IndexError):
                g(XS, i, j)


# --- tables that stay -----------------------------------------------------------------------------


def ragged(xs, order):
    t = [[xs[i]] * (i + 1) for i in range(len(xs))]
    for k in order:
        t[0], t[k] = t[k], t[0]
        t[k][-1] *= t[0][0]
        t[k][0] += 1.0
    return sum(sum(row) * len(row) for row in t)


def one_row_in_two_places(xs, order):
    t = rows(xs, len(xs) - 2)
    for k in order:
        t[k] = [v for v in t[0]]
        t[k][0] += xs[k]
        t[0][1] *= 2.0
    return total(t)


def rows_that_grow(xs, order):
    t = rows(xs, len(xs) - 2)
    for k in order:
        t[k].append(t[0][0] * 2.0)
        t[k][0] += t[k][-1]
    return sum(sum(row) * len(row) for row in t)


def rows_handed_on(xs, order):
    t = rows(xs, len(xs) - 2)
    best = t[0]
    for k in order:
        t[k][1] += t[0][0]
        best = t[k] if t[k][1] > 2.0 else [1.0] * 3
    return total(t) + best[0] * best[1]


@pytest.mark.parametrize(
    "f", [ragged, one_row_in_two_places, rows_that_grow, rows_handed_on], ids=lambda f: f.__name__
)
def test_tables_that_stay(f: Callable[..., Any]) -> None:
    for order in ([3, 1, 4, 2], [1, 1, 0]):
        agree(f, XS, np.array(order))
