"""What is only added to cells that nobody reads is left out, in the rounds where it is."""

import numpy as np
import pytest

import pullback as pb
from pullback.core.build import Builder, i64
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    Atom,
    Block,
    Build,
    Dialect,
    Function,
    If,
    Index,
    Program,
    Sum_,
    Var,
)
from pullback.core.traverse import all_lets
from pullback.core.types import BOOL, F64, I64, Array, Handle
from pullback.opt.control.null_cells import skip_null_cells
from tests.opt.agreement import agree, cost

VECTOR = Array(F64, 1)


def adding(
    way: bool = True, twice: bool = False, both: bool = False, read: bool = False
) -> Program:
    """Adds squares to an accumulator if a condition holds, and to the null cell otherwise.
    ``twice``: their other use; ``both``: to an accumulator of its own in either case; ``read``:
    somebody reads the one cell."""
    b = Builder()
    c, xs = Var("c", BOOL), Var("xs", VECTOR)
    n = b.dim(xs, 0)
    (h,) = b.let(AccNew((n,)), (Handle(1),))
    (other,) = b.let(AccNew((n,)), (Handle(1),))
    (cell,) = b.let(AccNew((i64(1),)), (Handle(1),))
    null = b.prim("broadcast", cell, n)
    arms = [Block((), (h,)), Block((), (other if both else null,))]
    (chosen,) = b.let(If(c, *(arms if way else arms[::-1])), (Handle(1),))
    i, body = Var("i", I64), Builder()
    x = body.index(xs, (i,), False)
    (squares,) = b.let(Build((n,), (i,), body.block((body.prim("mul", x, x),))), (VECTOR,))
    j, inner = Var("j", I64), Builder()
    inner.let(AccAdd(chosen, (j,), inner.index(squares, (j,), False)), ())
    b.let(Sum_((n,), (j,), inner.block()), ())
    k, out = Var("k", I64), Builder()
    (value,) = out.let(AccRead(h, (k,)), (F64,))
    (result,) = b.let(Build((n,), (k,), out.block((value,))), (VECTOR,))
    results: list[Atom] = [result]
    if twice:
        results += b.let(Index(squares, (i64(0),), False), (F64,))
    if read:
        results += b.let(AccRead(cell, (i64(0),)), (F64,))
    types = (VECTOR, *(F64,) * (len(results) - 1))
    main = Function("main", (c, xs), b.block(tuple(results)), types)
    return Program({"main": main}, {}, "main")


XS = np.arange(1.0, 9.0)
RUNS = [[c, XS] for c in (True, False)]


@pytest.mark.parametrize("way", [True, False])
def test_nothing_is_computed_for_cells_that_nobody_reads(way: bool) -> None:
    p = adding(way)
    q = agree(skip_null_cells, p, *RUNS, dialect=Dialect.ACCUMULATING)
    assert cost(q, [way, XS]) <= cost(p, [way, XS]) + 2
    assert cost(q, [not way, XS]) < cost(p, [not way, XS]) - 4 * len(XS)


def test_what_has_another_use_stays_where_it_is() -> None:
    q = agree(skip_null_cells, adding(twice=True), *RUNS, dialect=Dialect.ACCUMULATING)
    builds = [let for let in q.functions["main"].body.lets if isinstance(let.op, Build)]
    assert len(builds) == 2
    skipped = cost(adding(twice=True), RUNS[1]) - cost(q, RUNS[1])
    assert 0 < skipped < 4 * len(XS)


@pytest.mark.parametrize("how", ["both", "read"])
def test_cells_that_are_read_are_added_to(how: str) -> None:
    p = adding(both=how == "both", read=how == "read")
    q = agree(skip_null_cells, p, *RUNS, dialect=Dialect.ACCUMULATING)
    lets = all_lets(q.functions["main"].body)
    assert not any(isinstance(let.op, If) and not let.vars for let in lets)


def test_the_data_of_a_network_need_no_cotangent() -> None:
    def loss(ws, x):
        for w in ws:
            x = np.sin(x @ w)
        return np.sum(x)

    ws, x = [np.full((30, 30), 0.1), np.full((30, 30), 0.2)], np.ones((40, 30))
    text = pb.show(pb.grad(loss), ws, x)
    under = [line for line in text.splitlines() if "= product " in line]
    depth = sorted(len(line) - len(line.lstrip()) for line in under)
    assert depth[-1] > depth[-2]  # the cotangent of x stands in a branch of its own
    dx = pb.grad(loss, argnums=1)(ws, x)
    h = 1e-6
    ends = [loss(ws, x + s * h * np.eye(40, 30)) for s in (1, -1)]
    assert np.isclose(np.sum(dx * np.eye(40, 30)), (ends[0] - ends[1]) / (2 * h), rtol=1e-6)
