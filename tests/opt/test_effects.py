"""What ops do besides giving results."""

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
from pullback.opt.effects import Effect, EffectsOf
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
    assert effects.kept(op) == (not found.isdisjoint({Effect.RAISE, Effect.WRITE}))


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
