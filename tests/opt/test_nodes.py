"""Nodes of recursions hold what is read of them."""

import math
import re

import numpy as np
import pytest

import pullback as pb
from examples.determinant import determinant
from tests.harness import difference, direction, distance, gradient, inner

V = np.array([0.5, -2.0, 3.0, 0.25])
M = np.random.default_rng(4).normal(size=(4, 4))


def node(f, *args):
    """The fields of the nodes of a gradient's recursion, variant by variant."""
    text = pb.show(pb.grad(f), *args)
    (line,) = re.findall(r"^type \S*R = (.*)$", text, re.M)
    return line.split(" | ")


def halves(xs):
    """A recursion over slices; the length is asked before the branch."""
    n = len(xs)
    if n <= 1:
        return xs[0] * xs[0]
    return halves(xs[: n // 2]) * math.sin(halves(xs[n // 2 :]))


def both_read(xs, depth):
    """The leaf reads its array backwards, too."""
    if depth == 0:
        return sum(x * x for x in xs)
    ys = np.array([math.sin(x) for x in xs])
    return both_read(ys, depth - 1) * xs[0]


def fans(xs, depth):
    """New arrays in a loop, each for one call, of one length; a branch chooses among arrays, so
    that their accumulators are numbered forward."""
    total, scale = xs[0] * xs[1], 1.0
    if depth > 0:
        for i in range(len(xs)):
            scale = -scale
            same = np.zeros(len(xs))
            for j in range(len(xs)):
                same[j] = xs[j] * (i + 1.0)
            some = same if i > 1 else xs
            total += scale * math.sin(fans(same, depth - 1)) * some[0]
    return total


def growing(xs, depth):
    total, scale = xs[0] * xs[1], 1.0
    if depth > 0:
        for i in range(len(xs) - 1):
            scale = -scale
            longer = np.zeros(i + 2)
            for j in range(i + 2):
                longer[j] = xs[j] * 0.5
            some = longer if i > 1 else xs
            total += scale * math.sin(growing(longer, depth - 1)) * some[0]
    return total


PROGRAMS = [
    (determinant, [(M,), (M[:1, :1],)]), (halves, [(V,), (V[:1],)]),
    (both_read, [(V, 2), (V, 0)]), (fans, [(V, 2), (V, 0)]), (growing, [(V, 2)]),
]  # fmt: skip


@pytest.mark.parametrize(("f", "runs"), PROGRAMS)
def test_agreement(f, runs) -> None:
    for args in runs:
        wanted = f(*args)
        steps = (direction(np.random.default_rng(1), args[0]),)

        def close(found, args=args, steps=steps) -> bool:
            slope = difference(lambda x: f(x, *args[1:]), args[:1], steps)
            return math.isclose(inner((found,), steps), slope, rel_tol=1e-6, abs_tol=1e-9)

        for tier in "eval", "native":
            value, found = gradient(f, args, (0,), tier)
            assert distance(value, wanted) < 1e-12 and close(found[0]), tier
        value, back = pb.vjp(f, *args)
        found = back(1.0)
        assert distance(value, wanted) < 1e-12
        assert close(found[0] if isinstance(found, tuple) else found)


def test_a_leaf_keeps_nothing() -> None:
    assert node(determinant, M)[0] == "R0"


def test_parts_of_one_accumulator() -> None:
    assert any("handle[:,:]" in v for v in node(fans, V, 2))
    assert not any("handle[:,:]" in v for v in node(growing, V, 2))  # of different lengths


def steps_of_a_matrix(m, depth):
    """Each call has a matrix of its own; the reverse half reads one row and one number of it."""
    if depth == 0:
        return m[0, 0] * m[1, 1]
    new = np.zeros((len(m), len(m)))
    for i in range(len(m)):
        for j in range(len(m)):
            new[i, j] = m[j, i] * 0.5
    total = 0.0
    for j in range(len(m)):
        total += m[1, j] * math.sin(steps_of_a_matrix(new, depth - 1)) * m[j, 0]
    return total


def one_matrix(m, depth):
    """All calls have the same matrix."""
    total = m[0, 0]
    for j in range(len(m) if depth > 0 else 0):
        total += m[1, j] * math.sin(one_matrix(m, depth - 1)) * m[j, 0]
    return total


def by_products(m, depth):
    """The elements that two loops read of a matrix would take as much room as the matrix."""
    if depth == 0:
        return m[0, 0]
    new = np.array([[math.sin(x) for x in row] for row in m])
    total = by_products(new, depth - 1)
    for i in range(len(m)):
        for j in range(len(m)):
            total = total * m[i, j] + m[j, i]
    return total


def test_rows_instead_of_matrices() -> None:
    assert not any("[:,:]" in v for v in node(steps_of_a_matrix, M, 2))
    assert any("f64[:,:]" in v for v in node(one_matrix, M, 2))
    assert any("f64[:,:]" in v for v in node(by_products, M * 0.1, 2))


def signs(xs, depth):
    """Alternating signs, from two places."""
    total, sign = 0.0, 1.0
    for x in xs:
        sign = -sign
        total += sign * math.sin(x * (signs(xs * 0.5, depth - 1) if depth > 0 else 0.25)) * x
    return total


def test_alternating_signs_are_not_kept() -> None:
    (kept,) = (v for v in node(determinant, M) if "determinant.R" in v)
    assert kept == "R1(f64[:], f64[:], determinant.R[:])"


@pytest.mark.parametrize(("f", "x"), [
    (steps_of_a_matrix, M), (one_matrix, M), (by_products, M * 0.1), (signs, V)
])  # fmt: skip
def test_what_is_kept_instead(f, x) -> None:
    steps = (direction(np.random.default_rng(1), x),)
    slope = difference(lambda x: f(x, 2), (x,), steps)
    value, found = pb.value_and_grad(f)(x, 2)
    assert math.isclose(value, f(x, 2), rel_tol=1e-12)
    assert math.isclose(inner((found,), steps), slope, rel_tol=1e-6, abs_tol=1e-9)
