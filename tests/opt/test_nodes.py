"""Nodes of recursions hold what is read of them; a case is done where its sum is made."""

import math
import re

import numpy as np
import pytest

import pullback as pb
from examples.determinant import determinant
from pullback.core.terms import Case
from pullback.core.types import Sum, Variant
from pullback.opt.arms import case_in_arms
from tests.ad.flatcore import A1, BOOL, F64, program
from tests.harness import difference, direction, distance, gradient, inner
from tests.opt.agreement import agree, ops

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


SHAPE = Sum((Variant("A", (F64,)), Variant("B", (A1, F64))))


@pytest.mark.parametrize("q", [True, False])
def test_what_stands_between_is_done_in_both_arms(q: bool) -> None:
    def body(c, q, x, xs):
        s, y = c.if_(
            q, lambda: (c.inject(SHAPE, 0, x), x * 2.0), lambda: (c.inject(SHAPE, 1, xs, x), x)
        )
        t = c.sin(y)
        return c.case(s, lambda a: a * t, lambda a, b: a.at(0) * b + t) + y

    p = program([BOOL, F64, A1], body)
    assert not ops(agree(case_in_arms, p, [q, 0.3, V]), Case)
