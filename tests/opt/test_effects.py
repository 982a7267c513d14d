"""What ops do besides giving results."""

import re
from pathlib import Path

import pytest

from pullback.core.build import Builder, f64, i64
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
from pullback.opt import effects as effects_module
from pullback.opt.effects import Effect, EffectsOf, Work, is_total, may_duplicate, work_of
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


def test_passes_ask_for_effects_and_do_not_look_at_the_table() -> None:
    folder = Path(effects_module.__file__ or "").parent
    looking = [
        path.name
        for path in sorted(folder.rglob("*.py"))
        if path.name != "effects.py"
        and re.search(r"(row|\])\.(effect|cost|llvm)\b", path.read_text())
    ]
    assert looking == []
