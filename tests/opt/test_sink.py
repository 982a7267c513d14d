"""An addition from only one arm of a branch moves into the arm, and no other one moves."""

import numpy as np
import pytest

from pullback.core.build import Builder, boolean, f64, i64
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Dialect,
    Function,
    If,
    Let,
    Program,
    Var,
)
from pullback.core.traverse import all_lets
from pullback.core.types import BOOL, F64, Handle
from pullback.opt.control.sink import add_in_branches
from tests.opt.agreement import agree, ops


def taking(between=None, after=None, other=0.0, way=True) -> Program:
    """Takes one of three cells in a branch and adds it to the others."""
    b = Builder()
    c, x = Var("c", BOOL), Var("x", F64)
    (h,) = b.let(AccNew((i64(3),)), (Handle(1),))

    def add(k: int, value: Atom, into: Builder = b) -> None:
        into.lets.append(Let((), AccAdd(h, (i64(k),), value)))

    for k in range(3):
        add(k, b.prim("mul", x, f64(k + 1.0)))
    arm = Builder()
    (taken,) = arm.let(AccTake(h, (i64(0),)), (F64,))
    arms = [arm.block((taken,)), Builder().block((f64(other),))]
    (d,) = b.let(If(c, *(arms if way else arms[::-1])), (F64,))
    add(1, d)
    if between is not None:
        between(b, h, d)
    add(2, d)
    if after is not None:
        after(b, h, d)
    cells = tuple(b.let(AccRead(h, (i64(k),)), (F64,))[0] for k in range(3))
    main = Function("main", (c, x), b.block(cells), (F64,) * 3)
    return Program({"main": main}, {}, "main")


RUNS = [[c, x] for c in (True, False) for x in (0.5, -3.0)]


def in_branches(p: Program) -> int:
    """Return how many additions there are in branches."""
    lets = [x for op in ops(p, If) for block in (op.then, op.orelse) for x in all_lets(block)]
    return sum(isinstance(x.op, AccAdd) for x in lets)


@pytest.mark.parametrize("way", [True, False])
def test_additions_move(way: bool) -> None:
    q = agree(add_in_branches, taking(way=way), *RUNS, dialect=Dialect.ACCUMULATING)
    assert in_branches(q) == 2
    assert all(not x.vars for f in q.functions.values() for x in f.body.lets
               if isinstance(x.op, If))  # fmt: skip


def read_cell(b, h, d):
    (r,) = b.let(AccRead(h, (i64(1),)), (F64,))
    b.lets.append(Let((), AccAdd(h, (i64(2),), r)))


def used(b, h, d):
    b.lets.append(Let((), AccAdd(h, (i64(0),), b.prim("sin", d))))


def into_new(b, h, d):
    (g,) = b.let(AccNew((i64(1),)), (Handle(1),))
    b.lets.append(Let((), AccAdd(g, (i64(0),), d)))


@pytest.mark.parametrize("between", [read_cell, used, into_new])
def test_additions_stay(between) -> None:
    for p in (taking(between=between), taking(other=1.0)):
        q = agree(add_in_branches, p, *RUNS, dialect=Dialect.ACCUMULATING)
        assert in_branches(q) == 0


def test_what_follows_may_read() -> None:
    q = agree(
        add_in_branches, taking(after=read_cell), *RUNS, dialect=Dialect.ACCUMULATING
    )
    assert in_branches(q) == 2


def test_a_branch_that_only_computes_stays() -> None:
    b, x = Builder(), Var("x", F64)
    (h,) = b.let(AccNew((i64(1),)), (Handle(1),))
    arm = Builder()
    y = arm.prim("sin", x)
    (d,) = b.let(
        If(boolean(True), arm.block((y,)), Builder().block((f64(0.0),))), (F64,)
    )
    b.lets.append(Let((), AccAdd(h, (i64(0),), d)))
    cells = b.let(AccRead(h, (i64(0),)), (F64,))
    p = Program({"main": Function("main", (x,), b.block(cells), (F64,))}, {}, "main")
    q = agree(add_in_branches, p, [float(np.pi / 3)], dialect=Dialect.ACCUMULATING)
    assert in_branches(q) == 0
