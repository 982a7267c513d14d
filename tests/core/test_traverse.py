"""Renaming, free variables, uses and calls."""

from __future__ import annotations

import doctest
import importlib

import pytest

from pullback.core.build import Builder, f64
from pullback.core.pretty import show_block
from pullback.core.terms import (
    Call,
    Sum_,
    Var,
)
from pullback.core.traverse import (
    callees,
    defined,
    free_variables,
    reachable,
    refresh,
    substitute,
    uses,
)
from pullback.core.types import F64, I64, Array
from tests.core.programs import function, program

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


def test_calls() -> None:
    b, b2 = Builder(), Builder()
    b.let(Call("f", ()), ())
    f = function("f", [], b2)
    unused = function("unused", [], Builder())
    p = program([], b, functions=[unused, f])
    assert callees(p.functions["main"]) == ("f",)
    assert reachable(p) == ("main", "f")


@pytest.mark.parametrize("module", ["build", "eval", "pretty", "template"])
def test_doctests(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"pullback.core.{module}"))
    assert tried and not failed
