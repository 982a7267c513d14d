"""Loops that depend on nothing that a sequential loop carries leave it, all others stay."""

import numpy as np
import pytest

import pullback as pb
from pullback.core.terms import Build, Loop, Sum_
from pullback.core.traverse import all_lets
from pullback.opt.control.distribution import distribute_loops
from tests.ad.flatcore import A1, A2, program
from tests.opt.agreement import agree, ops, prims
from tests.test_kernels import KERNELS

M = np.arange(6.0).reshape(3, 2) / 7.0
W = np.array([0.5, -1.0, 2.0])
RUNS = ([M, W], [M[:0], W], [M[:, :0], W])


def stay(p) -> int:
    """How many sums stand in sequential loops."""
    return sum(
        isinstance(let.op, Sum_) for op in ops(p, Loop) for let in all_lets(op.body)
    )  # fmt: skip


def column_sum(c, m, w, i):
    return c.sum(m.dim(0), lambda k: m.at(k, i) * w.at(k))


def test_a_sum_leaves() -> None:
    def body(c, m, w):
        def one(i, s):
            return c.prim("sin", s + column_sum(c, m, w, i) * 2.0)

        return c.loop(m.dim(1), [c.expr(0.0)], one)

    q = agree(distribute_loops, program([A2, A1], body), *RUNS)
    assert stay(q) == 0 and len(ops(q, Build)) == 1


def test_a_sum_that_reads_what_is_carried_stays() -> None:
    def body(c, m, w):
        def one(i, s):
            return c.sum(m.dim(0), lambda k: m.at(k, i) * s) + column_sum(c, m, w, i)

        return c.loop(m.dim(1), [c.expr(1.0)], one)

    assert stay(agree(distribute_loops, program([A2, A1], body), *RUNS)) == 1


def test_a_count_below_zero_is_none() -> None:
    def body(c, m, w):
        def one(i, s):
            return s * 0.5 + column_sum(c, m, w, i)

        return c.loop(m.dim(1) - 5, [c.expr(1.0)], one)

    q = agree(distribute_loops, program([A2, A1], body), *RUNS)
    assert stay(q) == 0 and "max" in prims(q)


def test_a_sum_of_a_row_stays() -> None:
    """Its own lanes read neighbours, where rounds side by side would gather."""

    def body(c, m, w):
        def one(i, s):
            return c.prim("sin", s + c.sum(m.dim(1), lambda k: m.at(i, k) * w.at(k)))

        return c.loop(m.dim(0), [c.expr(0.0)], one)

    assert stay(agree(distribute_loops, program([A2, A1], body), [M, W])) == 1


def test_three_numbers_of_a_round_stay() -> None:
    def body(c, m, w):
        def one(i, s):
            a, b = column_sum(c, m, w, i), c.sum(m.dim(0), lambda k: m.at(k, i))
            return c.prim("sin", s + a) * (s + b) + c.sum(m.dim(0), lambda k: m.at(k, i) * 2.0) * s

        return c.loop(m.dim(1), [c.expr(1.0)], one)

    assert stay(agree(distribute_loops, program([A2, A1], body), *RUNS)) == 3


def test_checks_and_parallel_loops_stay() -> None:
    """A sum that can raise is not computed earlier, and a parallel loop has its own lanes."""

    def raising(c, m, w):
        def one(i, s):
            return s * 0.5 + c.sum(m.dim(0), lambda k: m.at(k, i) * w[k + 1])

        return c.loop(m.dim(1), [c.expr(1.0)], one)

    def inside(c, m, w):
        def state(j):
            return c.loop(
                m.dim(1), [w[j]], lambda i, s: c.prim("sin", s + column_sum(c, m, w, i))
            )

        return c.build(w.dim(), state)

    for body in (raising, inside):
        assert stay(agree(distribute_loops, program([A2, A1], body), *RUNS)) == 1


def parents(text: str, what: str) -> list[str]:
    """The lines of a plan around the loops of a kind."""
    found, around = [], [(-1, "")]
    for line in text.splitlines():
        depth, words = len(line) - len(line.lstrip()), line.split(": ", 1)[-1]
        while around[-1][0] >= depth:
            around.pop()
        if words.startswith(what) or line.lstrip().startswith(what):
            found.append(around[-1][1])
        around.append((depth, line))
    return found


@pytest.mark.parametrize(
    ("name", "spelling"),
    [("covariance", 1), ("covariance", 2), ("a driven state", 1), ("a driven state", 2)],
)
def test_in_kernels_no_sum_is_left_in_a_sequential_loop(name: str, spelling: int) -> None:
    kernel = KERNELS[name]
    text = pb.show(pb.jit(kernel.spellings[spelling]), *kernel.args, stage="plan")
    assert "loop, one round after the other" in text
    assert not any("one round after the other" in line for line in parents(text, "sum"))
