"""Accumulators that only reverse sweeps know: recursions hand them down and keep none."""

import math
import re
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb
from tests.harness import difference, direction, distance, gradient, inner

V = np.array([0.5, -2.0, 3.0, 0.25])
M = np.random.default_rng(4).normal(size=(4, 4))


def slices(xs):
    n = len(xs)
    if n <= 2:
        return xs[0] * xs[-1]
    return math.sin(slices(xs[: n // 2])) * slices(xs[n // 2 :]) + slices(xs[1:-1])


def rows(m, depth):
    """Rows and columns of a matrix that is made for each call."""
    if depth == 0:
        return m[0, 1] * m[1, 0]
    new = np.zeros((len(m), len(m)))
    for i in range(len(m)):
        for j in range(len(m)):
            new[i, j] = m[i, j] * m[j, i]
    some = [along(new[i], depth) * along(m[:, i], 1) for i in range(len(m))]
    return sum(some) + rows(new.T * 0.5, depth - 1)


def along(xs, depth):
    return xs[0] * math.cos(xs[1]) if depth == 0 else along(xs[1:], depth - 1) * xs[0]


def even(xs, n):
    return xs[0] if n == 0 else odd(xs, np.array([x * 0.9 for x in xs]), n - 1)


def odd(xs, ys, n):
    return xs[1] * ys[0] if n == 0 else even(ys, n - 1) * math.sin(even(xs, n - 1))


def twice(xs, depth):
    """One array for two parameters."""
    return add(xs, xs, depth)


def add(xs, ys, depth):
    if depth == 0:
        return xs[0] * ys[1]
    return add(ys, np.array([math.sin(x) for x in xs]), depth - 1) + add(ys, xs, depth - 1) * xs[2]


def given_back(xs, depth):
    """The array comes back: its number goes forward."""
    return sum(back(xs, depth)) * 0.5


def back(xs, depth):
    if depth == 0:
        return xs
    return back(np.array([x * x for x in back(xs, depth - 1)]), depth - 1)


@dataclass(frozen=True)
class Node:
    xs: np.ndarray
    w: float


def in_data(xs, depth):
    if depth == 0:
        return xs[0]
    node = Node(np.array([math.sin(x) for x in xs]), xs[1])
    some = [node, Node(xs, node.w)]
    return in_data(some[depth % 2].xs, depth - 1) * sum(s.w * s.xs[0] for s in some)


def swapped(xs, depth):
    """A loop carries two arrays and swaps them."""
    if depth == 0:
        return xs[0] * xs[2]
    a, b = np.array([x * 2.0 for x in xs]), np.array([math.cos(x) for x in xs])
    for _ in range(depth):
        a, b = b, a
    return swapped(a, depth - 1) * xs[1] + swapped(b, depth - 1)


def chosen(xs, depth):
    ys = np.array([x * x for x in xs])
    zs = xs if xs[0] > ys[1] else ys
    return zs[0] * zs[1] if depth == 0 else chosen(zs, depth - 1) + chosen(ys, depth - 1) * zs[2]


def updated(xs, depth):
    """The callee updates what it is given."""
    ys = np.zeros(len(xs))
    for i in range(len(xs)):
        ys[i] = xs[i] * xs[0]
    ys = scaled(ys, depth)
    return ys[1] if depth == 0 else updated(ys, depth - 1) * ys[2] + ys[0]


def scaled(ys, depth):
    for i in range(len(ys)):
        ys[i] = math.sin(ys[i]) * 1.5
    return scaled(ys, depth - 1) if depth > 0 else ys


def derived(xs, depth):
    """A derivative inside."""
    if depth == 0:
        return xs[0] * xs[1] ** 3
    g = pb.grad(lambda ys: ys[0] * ys[1] * ys[1] + ys[2] ** 2)(xs)
    return derived(np.array([math.sin(v) for v in g]), depth - 1) * xs[0]


ONLY = [
    (slices, (np.append(V, V * 0.3),)), (rows, (M, 2)), (even, (V, 4)), (twice, (V, 3)),
]  # fmt: skip
TOLD = [
    (given_back, (V * 0.5, 2)), (in_data, (V, 3)), (swapped, (V, 2)), (chosen, (V * 0.3, 2)),
    (updated, (V, 2)), (derived, (V, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), ONLY + TOLD)
def test_agreement(f, args) -> None:
    wanted = f(*args)
    steps = (direction(np.random.default_rng(1), args[0]),)
    slope = difference(lambda x: f(x, *args[1:]), args[:1], steps)
    value, (found,) = gradient(f, args, (0,), "eval")
    assert distance(value, wanted) < 1e-12
    assert math.isclose(inner((found,), steps), slope, rel_tol=1e-6, abs_tol=1e-9)
    value, pull = pb.vjp(lambda x: f(x, *args[1:]), args[0])  # may run again
    assert distance(value, wanted) < 1e-12
    assert np.allclose(pull(1.0)[0], found) and np.allclose(pull(2.0)[0], 2.0 * found)


@pytest.mark.parametrize(("f", "args"), ONLY)
def test_nodes_keep_no_handles(f, args) -> None:
    text = pb.show(pb.grad(f), *args)
    nodes = re.findall(r"^type \S*R = (.*)$", text, re.M)
    assert nodes and not any("handle" in node for node in nodes)
    for params in re.findall(r"^fun \S*\.fwd\((.*)\)", text, re.M):
        assert "handle" not in params
    assert np.allclose(pb.grad(f)(*args), gradient(f, args, (0,), "eval")[1][0])


def test_handles_that_flow_forward_are_kept() -> None:
    assert "handle" in pb.show(pb.grad(given_back), V, 2).split("\n")[0]
