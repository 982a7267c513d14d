"""Efficient CHAD, section 8 and App. E: parallel accumulation."""

from __future__ import annotations

import doctest
import random
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from threading import Barrier, Thread
from typing import Any

import pytest

from pullback.core.waiting import join
from pullback.papers.chad import cells as chad_cells
from pullback.papers.chad.bags import TREE
from pullback.papers.chad.monadic import chad_of
from pullback.papers.chad.parallel import parallel, parallel_library, run_parallel
from pullback.papers.chad.program import run_monadic
from pullback.papers.chad.span import Span, run_span
from pullback.papers.chad.types import t1_context
from pullback.papers.chad.workers import Workers
from pullback.papers.language.build import op, prim, reals
from pullback.papers.language.check import check
from pullback.papers.language.eval import evaluate
from pullback.papers.language.linear import L_R, lprod, lsum
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    Arr,
    Build,
    Fold,
    Fst,
    Let,
    Lit,
    Map,
    Op,
    R,
    Snd,
    Source,
    Term,
    Var,
)
from pullback.papers.language.traverse import subterms
from pullback.papers.language.values import Inj, Zero, map_reals
from tests.papers.chad_tools import COUNT, apart, programs
from tests.papers.conformance import claim
from tests.papers.generate import close

FEW = COUNT // 8
"""Every one of these programs starts threads."""
X = Var("x")


def total(t: Term) -> Term:
    return Fold("p", prim("add", Fst(Var("p")), Snd(Var("p"))), t)


# sum over i of let z = a!i * x in z * z + x: two scopes in every element, and x shared by all
SCOPES = Source((("a", Arr(R)), *reals("x")), total(Build(op("length", Var("a")), "i", Let(
    "z", prim("mul", op("index", Var("a"), Var("i")), X),
    prim("add", prim("mul", Var("z"), Var("z")), X)))), R)


@pytest.fixture()
def busy() -> Iterator[None]:
    """Threads give way to each other as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("module", ["cells", "parallel", "span", "workers"])
def test_docstrings(module: str) -> None:
    found = doctest.testmod(import_module(f"pullback.papers.chad.{module}"))
    assert found.failed == 0 and found.attempted > 0


def whole(v: Any) -> Any:
    """Small integers for reals, so that sums are exact in any order."""
    return map_reals(lambda r: float(round(r * 4)), v, discrete=False)


@claim("CHAD-69")
def test_actions_commute(row: str) -> None:
    rng = random.Random(1)
    for source, args, seed in programs("RGA", FEW):
        wanted = run_monadic(source, args, seed)
        found = run_parallel(source, args, seed, Workers(1, order=rng))
        assert close(wanted.cotangents, found.cotangents, 1e-12)
    given = ([1.0, 2.0, 3.0, 4.0], 5.0)
    for _ in range(20):
        found = run_parallel(SCOPES, given, 1.0, Workers(1, order=rng))
        assert found.cotangents == run_monadic(SCOPES, given, 1.0).cotangents


@claim("CHAD-70")
def test_threads(row: str, busy: None) -> None:
    forks = 0
    for source, args, seed in programs("RGA", FEW):
        t = parallel(chad_of(apart(source)))
        assert check(t, t1_context(source.context), (TREE,), parallel_library(Workers(1)))
        wanted, workers = run_monadic(source, args, seed), Workers(8)
        found = run_parallel(source, args, seed, workers)
        assert found.value == wanted.value
        assert close(wanted.cotangents, found.cotangents, 1e-12)
        forks += workers.forks
    assert forks > FEW // 4
    given = ([float(k) for k in range(9)], 3.0)
    wanted = run_monadic(SCOPES, given, 1.0)
    for _ in range(100):  # no addition is lost
        assert run_parallel(SCOPES, given, 1.0, Workers(8)).cotangents == wanted.cotangents


@claim("CHAD-71")
def test_cells(row: str, busy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [
        (0.0, 1.0, lambda n: float(n)),
        (Zero(lprod(L_R, L_R)), (1.0, 2.0), lambda n: (float(n), 2.0 * n)),
        (Zero(lsum(L_R, L_R)), Inj(1, 3.0), lambda n: Inj(1, 3.0 * n)),
        (Zero(lprod(L_R, lsum(L_R, L_R))), (1.0, Inj(0, 1.0)),
         lambda n: (float(n), Inj(0, float(n)))),
    ]
    for zero, d, wanted in kinds:
        cell = chad_cells.make(Machine(), zero)

        def add(count: int, cell: chad_cells.Cell = cell, d: object = d) -> None:
            m = Machine()
            for _ in range(count):
                cell.add(m, d)

        threads = [Thread(target=add, args=(25_000 // 8,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            join(thread)
        assert cell.read(Machine()) == wanted(25_000)

    # The race: two threads find the cell empty, both make the parts, one loses.
    barrier, plain, machines = Barrier(2, timeout=60), chad_cells.opened, (Machine(), Machine())
    met: set[int] = set()

    def opened(d: object) -> Any:
        if id(d) not in met:
            met.add(id(d))
            barrier.wait(300)
        return plain(d)

    monkeypatch.setattr(chad_cells, "opened", opened)
    cell = chad_cells.make(Machine(), Zero(lprod(L_R, L_R)))
    pairs = [(1.0, 10.0), (2.0, 20.0)]
    threads = [Thread(target=cell.add, args=(m, d)) for m, d in zip(machines, pairs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        join(thread)
    assert cell.read(Machine()) == (3.0, 30.0)
    assert sum(m.counts.get("lost race", 0) for m in machines) == 1
    # The work is the same as without the race.
    alone = Machine()
    cell = chad_cells.make(Machine(), Zero(lprod(L_R, L_R)))
    for d in pairs:
        cell.add(alone, d)
    assert sum(m.cost for m in machines) == alone.cost


@claim("CHAD-72")
def test_the_defects_of_the_printed_code(row: str, busy: None) -> None:
    # H-47: the variables of the program itself are cells too.
    source = Source(reals("x", "y"), prim("mul", X, Var("y")), R)
    assert run_parallel(source, (3.0, 4.0), 1.0).cotangents == (4.0, 3.0)
    # H-48: scopes that are open at the same time have cells of their own.
    given = ([float(k) for k in range(16)], 2.0)
    wanted = ([2.0 * 2.0 * 2.0 * k for k in range(16)],
              sum(2.0 * k * 2.0 * k for k in range(16)) + 16.0)
    for _ in range(20):
        assert run_parallel(SCOPES, given, 1.0, Workers(8)).cotangents == wanted


@claim("CHAD-73")
def test_work_is_that_of_the_sequential_run(row: str) -> None:
    for source, args, seed in programs("RGA", FEW):
        one, many = (run_parallel(source, args, seed, Workers(n)) for n in (1, 8))
        assert one.reverse == many.reverse
        assert many.reverse <= 2 * run_monadic(source, args, seed).reverse + 2 * len(args)


@claim("CHAD-74")
def test_spans(row: str) -> None:
    spans = []
    for n in (2, 8, 32, 128, 512):
        source = Source(reals("x"), op("sum", Build(Lit(n), "i", X)), R)
        body = Build(Lit(n), "i", X)
        assert evaluate(body, {"x": 1.0}, machine=Span())[1] == 4
        done = run_span(source, (3.0,), 1.0)
        assert done.cotangents == (float(n),)
        spans.append(done.reverse)
    # n cotangents are added into one cell: log n steps of these are the cell's
    in_one_cell = [run_span(Source(reals("x"), op("index", Build(Lit(n), "i", X), Lit(0)), R),
                            (1.0,), 1.0).reverse for n in (4, 64, 1024)]
    assert in_one_cell == [48, 56, 64]
    growth = {b - a for a, b in pairwise(spans)}
    assert len(growth) == 1 and min(growth) > 0  # by the same for every factor of 4


@claim("CHAD-94")
def test_the_switch_to_sequential(row: str) -> None:
    values = [0.5 + k for k in range(12)]
    source = Source((("a", Arr(R)),), total(Map("v", prim("sin", Var("v")), Var("a"))), R)
    term = parallel(chad_of(source))
    assert {"also", "par"} <= {t.name for t in subterms(term) if isinstance(t, Op)}
    forks, cotangents = [], []
    for threshold, depth in ((2, 3), (6, 0), (100, 0)):
        workers = Workers(4, threshold, depth)
        cotangents.append(run_parallel(source, (values,), 1.0, workers).cotangents)
        forks.append(workers.forks)
    assert cotangents[0] == cotangents[1] == cotangents[2]
    assert forks[0] > 0 and forks[1] > 0 and forks[2] == 0
