"""Lists of ints and floats of which the run knows which is which: their ints are indices, bounds
and keys, as in heaps of rows that begin with ``[0, start]``."""

import heapq

import numpy as np
import pytest

import pullback as pb
from tests.foreign.__main__ import is_right

XS = [0.4, 0.7, 0.9]


def graph(xs):
    a, b, c = xs
    return [[[1, a], [2, b + 1.0]], [[2, c], [3, a * b + 2.0]], [[3, b]], []]


def distances_in_a_list(xs):
    rows, heap = graph(xs), [[0, 0]]
    found = [float("inf")] * 4
    found[0] = 0
    while heap:
        d, u = heapq.heappop(heap)
        if d > found[u]:
            continue
        for v, w in rows[u]:
            if d + w < found[v]:
                found[v] = d + w
                heapq.heappush(heap, [found[v], v])
    return found[3] * found[2]


def distances_in_a_dict(xs):
    rows, heap, found, seen = graph(xs), [[0, 0]], {0: 0.0}, set()
    while heap:
        d, u = heapq.heappop(heap)
        if u in seen:
            continue
        seen.add(u)
        for v, w in rows[u]:
            if v not in found or d + w < found[v]:
                found[v] = d + w
                heapq.heappush(heap, [d + w, v])
    return found[3] * found[2] + len(seen)


def spanning_tree(xs):
    rows, heap, tree, cost = graph(xs), [[0, 0]], [], 0
    while len(heap) > 0:
        weight, u = heapq.heappop(heap)
        if u in tree:
            continue
        cost += weight
        tree.append(u)
        for v, w in rows[u]:
            if v not in tree:
                heapq.heappush(heap, [w, v])
    return cost * xs[0]


def indices_and_bounds(xs):
    row, values, total = [xs[0], 1, 2], np.array(xs), 0.0
    for k in range(1, 3):
        total += values[row[k]] * xs[row[k]]
        for j in range(row[k]):
            total += xs[1] * j
    return total


def keys(xs):
    row, table = [xs[0], 1, 2], {}
    for k in range(3):
        if k:
            table[row[k]] = xs[1] * k
    return table[1] * table[2] + sum(k for k in table)


@pytest.mark.parametrize(
    "f", [distances_in_a_list, distances_in_a_dict, spanning_tree, indices_and_bounds, keys],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_as_in_python(f):
    is_right(f, (XS,))
    value, slope = pb.jvp(f, (XS,), ([1.0, 0.5, -1.0],))
    assert value == pytest.approx(f(XS))
    gradient = pb.grad(f)(XS)
    assert slope == pytest.approx(gradient[0] + 0.5 * gradient[1] - gradient[2])


@pytest.mark.parametrize("f", [
    lambda xs: sum(1.0 for k in range(3) for _ in range([xs[0], 1, 2][k])),
    lambda xs: sum(xs[[1, 2, xs[0]][k]] for k in range(3)),
    lambda xs: sum(np.array(xs)[[1, 2, xs[0]][k]] for k in range(3)),
], ids=["range", "list", "array"])  # fmt: skip
def test_a_float_is_pythons_error(f):
    with pytest.raises((TypeError, IndexError)) as wanted:
        f(XS)
    with pytest.raises(wanted.type) as found:
        pb.jit(f)(XS)
    assert str(wanted.value) in str(found.value)


def test_a_float_as_a_key_is_refused_by_the_run():
    def f(xs):
        row, seen = [1, 2, xs[0]], set()
        for k in range(len(xs)):
            seen.add(row[k])
        return len(seen) * xs[0]

    assert pb.jit(f)(XS[:2]) == 2 * XS[0]
    with pytest.raises(NotImplementedError, match="a float as a key"):
        pb.jit(f)(XS)
