"""A round that settles what later ones branch on is compiled apart; other loops stay."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import pullback as pb
from pullback.core.build import Builder, boolean, f64, i64
from pullback.core.terms import Atom, Block, Function, If, Index, Loop, Program, Var, While
from pullback.core.types import BOOL, F64, I64, Array
from pullback.opt.control import peeling
from pullback.opt.control.peeling import peel_rounds
from tests.opt.agreement import agree, ops

X = np.array([1.5, -2.0, 4.0, 0.5])
NOTHING = np.zeros(0)


def step(first: Atom, s: Atom, x: Atom, after: bool | None) -> Block:
    """A round: ``s = x if first else s * x``, and what becomes of the flag (None: it stays)."""
    b, arm = Builder(), Builder()
    product = arm.prim("mul", s, x)
    (t,) = b.let(If(first, Block((), (x,)), arm.block((product,))), (F64,))
    return b.block((first if after is None else boolean(after), t))


def over(after: bool | None, init: bool = True) -> Program:
    """The product of the items of an array, by a flag that says which round is the first."""
    b, body = Builder(), Builder()
    x, i, first, s = Var("x", Array(F64, 1)), Var("i", I64), Var("first", BOOL), Var("s", F64)
    (item,) = body.let(Index(x, (i,), checked=False), (F64,))
    results = body.extend(step(first, s, item, after))
    loop = Loop(b.dim(x, 0), i, (first, s), (boolean(init), f64(0.0)), body.block(results))
    made = b.let(loop, (BOOL, F64))
    return Program({"main": Function("main", (x,), b.block(made), (BOOL, F64))}, {}, "main")


def until(limit: float) -> Program:
    """Powers of a number, until one is beyond the limit."""
    b, cond = Builder(), Builder()
    x, first, s = Var("x", F64), Var("first", BOOL), Var("s", F64)
    below = cond.prim("lt", s, f64(limit))
    going = cond.prim("or", first, below)
    loop = While((first, s), (boolean(True), f64(0.0)), cond.block((going,)),
                 step(first, s, x, False))  # fmt: skip
    (_, made) = b.let(loop, (BOOL, F64))
    return Program({"main": Function("main", (x,), b.block((made,)), (F64,))}, {}, "main")


def test_a_flag_is_settled_by_the_first_round() -> None:
    q = agree(peel_rounds, over(False), [X], [X[:1]], [NOTHING])
    (loop,) = ops(q, Loop)
    assert len(loop.carried) == 1, "the flag is carried"
    assert len(ops(q, If)) == 1, "a round branches"


@pytest.mark.parametrize("after, init", [(None, True), (False, False), (True, True)])
def test_what_does_not_change_is_not_peeled(after: bool | None, init: bool) -> None:
    q = agree(peel_rounds, over(after, init), [X], [NOTHING])
    assert not any(isinstance(x.op, Loop) for branch in ops(q, If) for x in branch.then.lets)


def test_a_while_is_peeled_under_its_condition() -> None:
    q = agree(peel_rounds, until(50.0), [3.0], [60.0])
    (loop,) = ops(q, While)
    assert len(loop.carried) == 1


def test_long_rounds_are_not_written_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peeling, "_MOST", 2)
    p = over(False)
    assert peel_rounds(p) is p


def nested(depth: int) -> Program:
    """Loops in loops, each with a flag of its own."""
    x = Var("x", F64)

    def loop(depth: int, outer: Atom, b: Builder) -> Atom:
        first, s = Var("first", BOOL), Var("s", F64)
        body = Builder()
        given = loop(depth - 1, s, body) if depth > 1 else x
        results = body.extend(step(first, s, given, False))
        made = Loop(i64(3), Var("i", I64), (first, s), (boolean(True), outer), body.block(results))
        return b.let(made, (BOOL, F64))[1]

    b = Builder()
    result = loop(depth, f64(0.0), b)
    return Program({"main": Function("main", (x,), b.block((result,)), (F64,))}, {}, "main")


def test_loops_in_loops_do_not_grow_with_their_depth() -> None:
    sizes = [len(ops(agree(peel_rounds, nested(d), [1.1]))) for d in (2, 4, 6, 8, 10)]
    assert sizes[1] > len(ops(nested(4))), "nothing is peeled"
    grown = [b - a for a, b in pairwise(sizes[2:])]
    assert max(grown) <= 2 * peeling._MOST


def test_programs_keep_their_values() -> None:
    def largest(x):
        best = None
        for v in x:
            if best is None or v * v > best:
                best = v * v
        return 0.0 if best is None else best

    def path(x):
        first, last, s = True, 0.0, 0.0
        for v in x:
            if first:
                first = False
            else:
                s += (v - last) ** 2
            last = v
        return s

    for f in (largest, path):
        for x in (X, X[:1], NOTHING):
            assert pb.jit(f)(x) == f(x)
            at, h = [], 1e-6
            for k in range(len(x)):
                e = np.zeros(len(x))
                e[k] = h
                at.append((f(x + e) - f(x - e)) / (2 * h))
            np.testing.assert_allclose(pb.grad(f)(x), at, rtol=1e-6, atol=1e-8)
