"""The effects of ops."""

import re
from pathlib import Path

import pytest

from pullback.core import effects as effects_module
from pullback.core.build import Builder, f64, i64
from pullback.core.effects import (
    Effect,
    EffectsOf,
    Work,
    done_again,
    in_any_order,
    is_total,
    may_duplicate,
    work_of,
)
from pullback.core.prims import TABLE
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Block,
    Build,
    Call,
    If,
    Index,
    Loop,
    Op,
    Prim,
    Program,
    Update,
    Var,
)
from pullback.core.types import BOOL, F64, I64, Array, Handle
from tests.core.programs import block, function, program

VEC = Array(F64, 1)
A, H, N = Var("a", VEC), Var("h", Handle(1)), i64(0)
EMPTY = Program({"main": function("main", [], Builder())}, {}, "main")


@pytest.mark.parametrize(
    ("op", "found"),
    [
        (Prim("sin", (f64(1),)), set()),
        (Prim("add.ck", (N, N)), {Effect.RAISE}),
        (Prim("require", (Var("c", BOOL),), ("ValueError", "")), {Effect.RAISE}),
        (Index(A, (N,), True), {Effect.RAISE}),
        (Index(A, (N,), False), set()),
        (Update(A, (N,), f64(1), False), {Effect.CONSUME}),
        (AccNew((N,)), {Effect.NEW}),
        (AccAdd(H, (N,), f64(1)), {Effect.WRITE}),
        (AccRead(H, (N,)), {Effect.READ}),
        (AccTake(H, (N,)), {Effect.READ, Effect.WRITE}),
    ],
)
def test_effects(op: Op, found: set[Effect]) -> None:
    effects = EffectsOf(EMPTY)
    assert effects(op) == found
    nested = If(Var("c", BOOL), Builder().block(), _block(op))
    assert effects(nested) == found
    assert effects.may_drop(op) == (found.isdisjoint({Effect.RAISE, Effect.WRITE}))


def _block(op: Op) -> Block:
    b = Builder()
    types = {Prim: (), Index: (F64,), Update: (VEC,), AccNew: (Handle(1),)}
    b.let(op, types.get(type(op), ()))
    return b.block()


def test_a_loop_consumes_what_it_carries_into_an_update() -> None:
    body, c = Builder(), Var("c", VEC)
    (d,) = body.let(Update(c, (N,), f64(1), False), (VEC,))
    op = Loop(i64(3), Var("k", I64), (c,), (A,), body.block((d,)))
    assert EffectsOf(EMPTY)(op) == {Effect.CONSUME}


def test_effects_of_callees_recursive_ones_too() -> None:
    body = Builder()
    body.let(Call("f", ()), ())
    body.prim("add.ck", N, N)
    p = program([], Builder(), functions=[function("f", [], body)])
    assert EffectsOf(p)(Call("f", ())) == {Effect.RAISE}


def test_a_function_that_updates_only_what_it_made_consumes_nothing() -> None:
    body, i, k = Builder(), Var("i", I64), Var("k", I64)
    (a,) = body.let(Build((i64(3),), (k,), block(f64(0))), (VEC,))
    (c,) = body.let(Update(a, (i,), f64(1), False), (VEC,))
    p = program([], Builder(), functions=[function("f", [i], body, body.index(c, (i,), False))])
    assert EffectsOf(p)(Call("f", (N,))) == frozenset()


@pytest.mark.parametrize(
    ("op", "work", "total"),
    [
        (Prim("dim", (A,), (0,)), Work.NONE, True),
        (Prim("slice", (A, N, N, N), (0,)), Work.NONE, True),
        (Prim("mul", (f64(1), f64(2))), Work.STEP, True),
        (Prim("add.ck", (N, N)), Work.STEP, False),
        (Index(A, (N,), False), Work.STEP, True),
        (Index(A, (N,), True), Work.STEP, False),
        (Prim("exp", (f64(1),)), Work.FUNCTION, True),
        (Prim("copy", (A,)), Work.MORE, True),
        (Build((N,), (Var("i", I64),), block(f64(0))), Work.MORE, False),
        (Call("main", ()), Work.MORE, False),
    ],
)
def test_what_is_copied_is_small_and_total(op: Op, work: Work, total: bool) -> None:
    assert (work_of(op), is_total(op)) == (work, total)
    assert may_duplicate(op) == (total and work <= Work.STEP)
    assert may_duplicate(op, Work.MORE) == (total and work <= Work.FUNCTION)


def test_what_can_raise_is_shared_but_not_dropped() -> None:
    effects, checked = EffectsOf(EMPTY), Prim("add.ck", (N, N))
    assert effects.may_share(checked) and not effects.may_drop(checked)
    assert not effects.is_pure(checked)
    assert effects.may_drop(AccNew((N,))) and not effects.may_share(AccNew((N,)))


@pytest.mark.parametrize(
    ("op", "again"),
    [
        (Prim("div", (f64(1), f64(2))), Prim("div", (f64(1), f64(2)))),
        (Prim("floor", (f64(1),)), Prim("floor", (f64(1),))),
        (Prim("mul.ck", (N, N)), Prim("mul", (N, N))),
        (Prim("dim", (A,), (0,)), Prim("dim", (A,), (0,))),
        (Prim("exp", (f64(1),)), None),
        (Prim("sqrt", (f64(1),)), None),
        (Prim("ipow.ck", (N, N)), None),
        (Prim("det", (Var("m", Array(F64, 2)),)), None),
        (Prim("slice", (A, N, N, N), (0,)), None),
        (Prim("require", (Var("c", BOOL),), ("ValueError", "")), None),
    ],
)
def test_what_is_done_again_has_no_check(op: Op, again: Op | None) -> None:
    found = done_again(op)
    if again is None:
        assert found is None
    else:
        assert isinstance(op, Prim) and isinstance(again, Prim) and isinstance(found, Prim)
        assert (found.name, found.static) == (again.name, again.static)
        assert is_total(found)


@pytest.mark.parametrize("name", ["floordiv", "mod"])
def test_integers_by_zero_are_total_so_loops_without_a_round_may_divide(name: str) -> None:
    assert is_total(Prim(name, (N, N))) and TABLE[name].numpy(7, 0) == 0


def test_what_lanes_do_in_any_order() -> None:
    assert in_any_order(AccAdd(H, (N,), f64(1))) and in_any_order(Prim("sin", (f64(1),)))
    assert not any(map(in_any_order, (AccTake(H, (N,)), Prim("add.ck", (N, N)), AccNew((N,)))))


ROOMS = ("ad", "convert", "lower", "opt")
LOOKS = re.compile(r"(row|TABLE\[[^]]*\]|\])\.(effect|cost|llvm)\b|\b_?(CHEAP|TOTAL)\b = frozenset")


def test_passes_ask_for_effects_and_do_not_look_at_the_table() -> None:
    source = Path(effects_module.__file__ or "").parents[1]
    looking = [
        str(path.relative_to(source))
        for room in ROOMS
        for path in sorted((source / room).rglob("*.py"))
        if LOOKS.search(path.read_text())
    ]
    assert looking == []
