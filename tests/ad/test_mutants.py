"""A test of the tests: every planted mistake in the derivative code is caught."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from pullback.ad import activity, forward, reverse, reverse_branches, reverse_loops, sweep
from pullback.ad.contributions import Contributions
from pullback.ad.frames import Frame
from pullback.core.check import CheckError
from pullback.core.prims import TABLE
from pullback.core.terms import AccRead, If, Lit, Var
from pullback.core.types import F64
from tests.ad.agreement import agree
from tests.ad.flatcore import Code, E, program
from tests.ad.generate import Generator
from tests.ad.test_cost import COST, calls, costs

Patch = Callable[[pytest.MonkeyPatch], None]
WITNESSES = 60


def wrong_partial(m: pytest.MonkeyPatch) -> None:
    row = TABLE["tanh"]
    m.setitem(TABLE, "tanh", replace(row, partials=(lambda b, a, r: b.prim("cos", a[0]),)))


def dropped_accumulation(m: pytest.MonkeyPatch) -> None:
    m.setattr(sweep.Sweep, "accumulate", lambda self, h, idx, value, b: self.touch((h,)))


def dropped_sum(m: pytest.MonkeyPatch) -> None:
    """The second contribution to a scalar replaces the first."""
    def add(self: Any, f: Any, ct: Any, a: Any, k: int, value: Any, b: Any) -> None:
        if value is not None and isinstance(a, Var) and f.active(a):
            ct.setdefault(a, [None] * len(f.spaces.cotangent(a.type)))[k] = value

    m.setattr(sweep.Sweep, "add", add)


def dropped_touch(m: pytest.MonkeyPatch) -> None:
    m.setattr(sweep.Sweep, "join", lambda self, source, target: None)


def swapped_branches(m: pytest.MonkeyPatch) -> None:
    run = reverse_branches._run

    def swapped(*args: Any) -> Any:
        op = run(*args)
        return If(op.cond, op.orelse, op.then) if isinstance(op, If) else op

    m.setattr(reverse_branches, "_run", swapped)


def kept_after_update(m: pytest.MonkeyPatch) -> None:
    """The reverse of an update reads the cell but leaves it."""
    m.setattr(sweep, "AccTake", AccRead)


def forwards_again(m: pytest.MonkeyPatch) -> None:
    """The reverse loop runs in the order of the forward one."""
    prim = reverse_loops.Builder.prim

    class Builder(reverse_loops.Builder):
        def prim(self, name: str, *args: Any, **more: Any) -> Any:
            if name == "sub" and isinstance(args[1], Var) and args[1].name == "j":
                return prim(self, "add", args[1], Lit(0, args[1].type))
            return prim(self, name, *args, **more)

    m.setattr(reverse_loops, "Builder", Builder)


def stale_reads(m: pytest.MonkeyPatch) -> None:
    """Arrays that are updated later are read again in the reverse sweep."""
    m.setattr(activity, "consumed_arrays", lambda flow, everything: set())
    m.setattr(Frame, "volatile", lambda self, let, args: False)


def lost_captures(m: pytest.MonkeyPatch) -> None:
    """Scalars around a parallel loop get no cotangent from its body."""
    m.setattr(reverse_loops, "keys_of", lambda cts: [])


def lost_tangents(m: pytest.MonkeyPatch) -> None:
    """Forward mode loses the tangents of products."""
    class Lost(Contributions):
        def product(self, b: Any, row: Any, p: Any, ct: Any, t: Any) -> Any:
            return Lit(0.0, F64) if row.name == "mul" else super().product(b, row, p, ct, t)

    m.setattr(forward, "Contributions", Lost)


def shared_null_cells(m: pytest.MonkeyPatch) -> None:
    """Versions of an updated array are not active together."""
    m.setattr(activity, "updated_groups", lambda flow: [])


def no_new_cells(m: pytest.MonkeyPatch) -> None:
    """A copy shares the accumulator of its source as if it were a view."""
    m.setattr(reverse.Reverse, "rearranged", lambda *args: None)


MUTANTS: list[Patch] = [
    wrong_partial, dropped_accumulation, dropped_sum, dropped_touch, swapped_branches,
    kept_after_update, forwards_again, stale_reads, lost_captures, lost_tangents,
    shared_null_cells, no_new_cells,
]


def _joined(c: Code, x: E, y: E) -> E:
    a = c.if_(x > y, lambda: c.build(2, lambda i: x * y), lambda: c.build(2, lambda i: y + x * x))
    return c.if_(x > y, lambda: x, lambda: y * 2.0) * c.tanh(a.at(0))


def _filled(c: Code, x: E, y: E) -> E:
    """An array that was inactive is updated, on one side of a branch."""
    a = c.build(3, lambda i: c.real(i))
    a = c.if_(x < y, lambda: a, lambda: c.build(3, lambda i: x))
    a = a.set(1, x * y)
    return c.sin(a.at(1)) * a.at(0) + a.at(2) * x


joined, filled = (program([F64, F64], body) for body in (_joined, _filled))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda f: f.__name__)
def test_a_planted_mistake_is_caught(mutant: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant(monkeypatch)
    simple = [(joined, [0.3, 0.8]), (joined, [0.8, 0.3]), (filled, [0.3, 0.8])]
    made = (Generator(seed).program() for seed in range(WITNESSES))
    for p, args in chain(simple, made):
        try:  # (random arguments may be near a kink: no differences)
            agree(p, args, differences=p in (joined, filled))
        except (AssertionError, CheckError):
            return
    pytest.fail("no program notices")


def test_recomputing_through_calls_breaks_the_cost_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert costs(*calls(9))[2] <= COST / 2
    monkeypatch.setattr(reverse_loops, "_depth", lambda callees, block: 0)
    assert costs(*calls(9))[2] > COST / 2
