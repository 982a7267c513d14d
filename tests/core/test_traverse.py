"""Renaming, free variables, uses and effects."""

from __future__ import annotations

import doctest
import importlib

import numpy as np
import pytest

from pullback.core.build import Builder, f64, i64
from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.pretty import show_block
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Block,
    Build,
    Call,
    Dialect,
    If,
    Index,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Update,
    Var,
)
from pullback.core.traverse import (
    Effect,
    callees,
    defined,
    effects,
    free_variables,
    is_pure,
    is_removable,
    reachable,
    refresh,
    refresh_function,
    substitute,
    uses,
)
from pullback.core.types import BOOL, F64, I64, Array, Handle
from tests.core.programs import block, function, program

VEC = Array(F64, 1)


def _sample() -> tuple[Var, Var, Builder, Var]:
    """y = sum_i sin(a[i]) * c, in a builder."""
    a, c, i = Var("a", VEC), Var("c", F64), Var("i", I64)
    b, body = Builder(), Builder()
    n = b.dim(a, 0)
    t = body.prim("mul", body.prim("sin", body.index(a, (i,), False)), c)
    (s,) = b.let(Sum_((n,), (i,), body.block((t,))), (F64,), None, ("s",))
    return a, c, b, s


def test_free_variables_and_uses() -> None:
    a, c, b, s = _sample()
    whole = b.block((s, s))
    assert free_variables(whole) == (a, c)
    assert (uses(whole)[a], uses(whole)[c], uses(whole)[s]) == (2, 1, 2)
    assert len(defined(whole)) == 6 and {a, c}.isdisjoint(defined(whole))


def test_refresh_renames_everything_bound() -> None:
    a, c, b, s = _sample()
    old = b.block((s,))
    new = refresh(old, {c: f64(2.0)})
    assert defined(old).isdisjoint(defined(new)) and len(defined(old)) == len(defined(new))
    assert free_variables(new) == (a,)
    assert show_block(new) == show_block(substitute(old, {c: f64(2.0)}))
    assert len(defined(substitute(old, {c: f64(2.0)})) & defined(old)) == len(defined(old))


def test_a_refreshed_function_means_the_same() -> None:
    a, c, b, s = _sample()
    f = function("main", [a, c], b, s)
    g = refresh_function(f, "g")
    both = Program({"main": f, "g": g}, {}, "main")
    check(both, Dialect.FLAT)
    args = [np.array([0.1, 0.2]), 3.0]
    assert evaluate(both, args) == evaluate(Program({"g": g}, {}, "g"), args)


def test_calls() -> None:
    b, b2 = Builder(), Builder()
    b.let(Call("f", ()), ())
    f = function("f", [], b2)
    unused = function("unused", [], Builder())
    p = program([], b, functions=[unused, f])
    assert callees(p.functions["main"]) == ("f",)
    assert reachable(p) == ("main", "f")


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
    assert effects(op, EMPTY) == found
    nested = If(Var("c", BOOL), Builder().block(), _block(op))
    assert effects(nested, EMPTY) == found
    assert is_pure(op, EMPTY) == (not found)
    assert is_removable(op, EMPTY) == found.isdisjoint({Effect.RAISE, Effect.WRITE})


def _block(op: Op) -> Block:
    b = Builder()
    types = {Prim: (), Index: (F64,), Update: (VEC,), AccNew: (Handle(1),)}
    b.let(op, types.get(type(op), ()))
    return b.block()


def test_an_op_that_updates_only_what_it_made_is_pure() -> None:
    b, i, k = Builder(), Var("i", I64), Var("k", I64)
    (a,) = b.let(Build((i64(3),), (k,), block(f64(0))), (VEC,))
    (c,) = b.let(Update(a, (i,), f64(1), False), (VEC,))
    op = Build((i64(3),), (i,), b.block((b.index(c, (i,), False),)))
    assert is_pure(op, EMPTY)


def test_a_loop_consumes_what_it_carries_into_an_update() -> None:
    body, c = Builder(), Var("c", VEC)
    (d,) = body.let(Update(c, (N,), f64(1), False), (VEC,))
    op = Loop(i64(3), Var("k", I64), (c,), (A,), body.block((d,)))
    assert effects(op, EMPTY) == {Effect.CONSUME}


def test_effects_of_callees_recursive_ones_too() -> None:
    body = Builder()
    body.let(Call("f", ()), ())
    body.prim("add.ck", N, N)
    p = program([], Builder(), functions=[function("f", [], body)])
    assert effects(Call("f", ()), p) == {Effect.RAISE}


@pytest.mark.parametrize("module", ["build", "eval", "pretty", "template"])
def test_doctests(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"pullback.core.{module}"))
    assert tried and not failed
