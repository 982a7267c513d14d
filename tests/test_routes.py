"""Calls with lists of lists, dicts and records: one builtin converts, runs and makes the result."""

import gc
import sys
from typing import NamedTuple

import numpy as np
import pytest

import pullback as pb


class Pair(NamedTuple):
    left: list[float]
    right: list[list[float]]


def weighted(matrix, vector):
    return sum(sum(a * x for a, x in zip(row, vector)) for row in matrix)


def quotient(p, s):
    total = 0.0
    for row in p.right:
        for x, y in zip(row, p.left):
            total += x / (y - s)
    return total


def rows(n, m):
    return [[0.5 * i + j for j in range(m)] for i in range(n)]


gradient = pb.grad(weighted, argnums=(0, 1))


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_the_call_is_one_builtin():
    matrix, vector = rows(3, 4), [1.0, 2.0, 3.0, 4.0]
    by_matrix, by_vector = gradient(matrix, vector)
    assert by_matrix == [vector] * 3
    assert by_vector == [sum(column) for column in zip(*matrix)]
    assert by_matrix[0] is not by_matrix[1]


def test_results_are_kept():
    kept = [gradient(rows(3, 4), [float(k)] * 4) for k in range(200)]
    for k, (by_matrix, _) in enumerate(kept):
        assert by_matrix == [[float(k)] * 4] * 3


@pytest.mark.parametrize("odd", [2, True, np.float64(2.0), "2", None])
def test_an_odd_number_inside(odd):
    """The call does as in plain Python, or is refused, and gives all references back."""
    matrix, vector = rows(10, 10), [1.0] * 10
    matrix[5][7] = odd
    gc.collect()  # the 1.0 of the source is in the vectors of earlier tests too
    counts = [sys.getrefcount(x) for x in (*matrix, matrix[5][6], *vector)]
    for _ in range(3):
        try:
            found = gradient(matrix, vector)[1]
        except (TypeError, pb.PullbackError):
            continue
        assert found == [sum(float(row[j]) for row in matrix) for j in range(10)]
        del found
    assert [sys.getrefcount(x) for x in (*matrix, matrix[5][6], *vector)] == counts
    assert gradient(rows(2, 2), [1.0, 1.0])[1] == [0.5, 2.5]


def test_values_and_what_is_beside_them():
    """Every form of a result: of records, of lists of lists, with and without aux."""

    def both(p, s):
        scaled = [[x * s for x in row] for row in p.right]
        return sum(p.left) * s, Pair([s], scaled)

    p = Pair([1.0, 2.0], rows(2, 2))
    want = Pair([3.0], [[x * 3.0 for x in row] for row in p.right])
    assert pb.jit(both)(p, 3.0) == (9.0, want)
    assert pb.grad(both, has_aux=True)(p, 3.0) == (Pair([3.0, 3.0], [[0.0] * 2] * 2), want)
    assert pb.value_and_grad(both, 1, has_aux=True)(p, 3.0) == ((9.0, want), 3.0)
    assert pb.value_and_grad(lambda p, s: both(p, s)[0], (0, 1))(p, 3.0) == (
        9.0, (Pair([3.0, 3.0], [[0.0] * 2] * 2), 3.0))  # fmt: skip


def test_what_is_raised_comes_out_and_leaves_nothing_behind():
    f = pb.value_and_grad(quotient)
    p = Pair([1.0] * 100, rows(20, 100))
    with pytest.raises(ZeroDivisionError):
        f(p, 1.0)

    def all_ways() -> None:
        with pytest.raises(ZeroDivisionError):
            f(p, 1.0)
        with pytest.raises(TypeError):
            f(Pair([1.0] * 99 + ["x"], p.right), 2.0)
        f(p, 3.0)

    for _ in range(100):
        all_ways()
    gc.collect()
    blocks, bytes_ = sys.getallocatedblocks(), resident()
    for _ in range(400):
        all_ways()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 3000
    assert resident() - bytes_ < 4 << 20
