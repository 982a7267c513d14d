"""Dual-numbers reverse AD on the whole language: section 9, and programs of section 10."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from pullback.core import prims
from pullback.papers.dual.types import parametric
from pullback.papers.language.build import app, if_, lam, letrec, op, prim, reals
from pullback.papers.language.terms import (
    App,
    Build,
    Case,
    Con,
    Data,
    DataDecl,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Lit,
    Match,
    MatchArm,
    Op,
    Pair,
    Plus,
    Prod,
    R,
    Rec,
    Snd,
    Source,
    Term,
    TVar,
    TyApp,
    TyLam,
    Type,
    Var,
    Z,
)
from pullback.papers.language.values import ConV, Inj
from tests.papers.conformance import claim
from tests.papers.dual import STAGES, outcome
from tests.papers.generate import POW5, STANDARD, close, finite_difference

x, y = Var("x"), Var("y")
a = TVar("a")


@claim("DN-5")
def test_a_new_operation(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """f (a, b, c) = a b + sin c: a row with values and partials of its own, and nothing else."""
    new = replace(
        prims.TABLE["fma"], name="bent", numpy=lambda a, b, c: np.float64(a * b + np.sin(c)),
        partials=(lambda b, xs, r: xs[1], lambda b, xs, r: xs[0],
                  lambda b, xs, r: b.prim("cos", xs[2])))
    monkeypatch.setitem(prims.TABLE, "bent", new)
    s = Source(reals("x", "y"), prim("bent", prim("mul", x, y), prim("sin", x), prim(
        "bent", y, y, x)), R)
    args = (0.75, -0.5)
    inner = args[1] ** 2 + math.sin(args[0])
    for stage in STAGES.values():
        out = outcome(stage, s, args, 1.0)
        assert out.value == args[0] * args[1] * math.sin(args[0]) + math.sin(inner)
        assert close(out.cotangents, finite_difference(s, args, 1.0), 1e-6)


@claim("DN-54")
def test_recursion(row: str) -> None:
    def half(other: str, less: Term) -> Lam:
        step = App(Var(other), prim("sub", Var("k"), 1.0))
        return Lam("k", R, if_(prim("lt", Var("k"), 0.5), Lit(1.0), prim("mul", less, step)))

    f = Fun(R, R)
    both = LetRec((Rec("even", f, half("odd", x)), Rec("odd", f, half("even", prim("sin", x)))),
                  App(Var("even"), Lit(5.0)))
    mutual = Source(reals("x"), both, R)
    for stage in STAGES.values():
        power = outcome(stage, POW5, (2.0,), 1.0)
        assert (power.value, power.cotangents) == (32.0, (80.0,))
        assert close(outcome(stage, mutual, (0.7,), 1.0).cotangents,
                     finite_difference(mutual, (0.7,), 1.0), 1e-6)


@claim("DN-55")
def test_coproducts(row: str) -> None:
    s, t = R, Prod(R, R)
    body = Case(Var("s"), "v", Inl(prim("mul", Var("v"), Var("v")), R), "p",
                Inr(prim("mul", Fst(Var("p")), Snd(Var("p"))), R))
    source = Source((("s", Plus(s, t)),), body, Plus(R, R))
    for stage in STAGES.values():
        for name in ("ABS-", "ABS+"):
            program, args, seed, value, gradient = STANDARD[name]
            out = outcome(stage, program, args, seed)
            assert (out.value, out.cotangents) == (value, gradient)
        assert outcome(stage, source, (Inj(0, 3.0),), Inj(0, 1.0)).cotangents == (Inj(0, 6.0),)
        assert outcome(stage, source, (Inj(1, (3.0, 4.0)),), Inj(1, 1.0)).cotangents == (
            Inj(1, (4.0, 3.0)),)
        with pytest.raises(RuntimeError, match="another branch"):
            outcome(stage, source, (Inj(0, 3.0),), Inj(1, 1.0))


def trees(scalar: Type, params: tuple[str, ...]) -> tuple[DataDecl, DataDecl]:
    """T1 and T2 of section 9, inhabited: T2 has C4."""
    args = tuple(map(TVar, params))
    t1, t2 = Data("T1", args), Data("T2", args)
    return (DataDecl("T1", params, (("C1", (a, t2)), ("C2", (scalar,)))),
            DataDecl("T2", params, (("C3", (Z, t1, t2)), ("C4", ()))))


def product(decls: tuple[DataDecl, DataDecl], args: tuple[Type, ...]) -> Source:
    """The product of all reals."""
    t1, t2 = Data("T1", args), Data("T2", args)
    one = Lam("p", t1, Match(Var("p"), (
        MatchArm("C1", ("h", "q"), prim("mul", Var("h"), app(Var("g"), Var("q")))),
        MatchArm("C2", ("r",), Var("r")))))
    two = Lam("p", t2, Match(Var("p"), (
        MatchArm("C3", ("n", "u", "q"), prim("mul", app(Var("f"), Var("u")), app(
            Var("g"), Var("q")))),
        MatchArm("C4", (), Lit(1.0)))))
    body = LetRec((Rec("f", Fun(t1, R), one), Rec("g", Fun(t2, R), two)), app(Var("f"), Var("t")))
    return Source((("t", t1),), body, R, decls)


def tree(r: tuple[float, float, float], n: tuple[object, object]) -> ConV:
    end = ConV("C4", ())
    inner = ConV("C3", (n[1], ConV("C1", (r[2], end)), end))
    return ConV("C1", (r[0], ConV("C3", (n[0], ConV("C2", (r[1],)), inner))))


@claim("DN-57")
def test_data_types(row: str) -> None:
    s = product(trees(R, ("a",)), (R,))
    assert parametric(s.decls) == frozenset()
    for stage in STAGES.values():
        out = outcome(stage, s, (tree((2.0, 3.0, 4.0), (5, 7)),), 1.0)
        assert out.value == 24.0
        assert out.cotangents == (tree((12.0, 8.0, 6.0), ((), ())),)


@claim("DN-58")
def test_scalars_by_parameters(row: str) -> None:
    s = product(trees(TVar("b"), ("a", "b")), (R, R))
    assert parametric(s.decls) == {"T1", "T2"}
    for stage in STAGES.values():
        w = stage(s)
        assert {"D_T1", "D_T2"}.isdisjoint(d.name for d in w.decls)
        out = outcome(stage, s, (tree((2.0, 3.0, 4.0), (5, 7)),), 1.0)
        assert out.cotangents == (tree((12.0, 8.0, 6.0), ((), ())),)


@claim("DN-59")
def test_polymorphism(row: str) -> None:
    twice = TyLam(("a",), lam("f", Fun(a, a), lambda f: lam("v", a, lambda v: f(f(v)))))
    b, c = TVar("b"), TVar("c")
    compose = TyLam(("a", "b", "c"), lam("f", Fun(a, b), lambda f: lam(
        "g", Fun(b, c), lambda g: lam("v", a, lambda v: g(f(v))))))
    at_real = app(TyApp(Var("twice"), (R,)), lam("v", R, lambda v: v * x), Lit(2.0))
    swap = lam("p", Prod(R, R), lambda p: Pair(prim("sin", Snd(p.t)), Fst(p.t)))
    at_pair = app(TyApp(Var("twice"), (Prod(R, R),)), swap, Pair(x, at_real))
    body = Let("twice", twice, Let("compose", compose, app(
        TyApp(Var("compose"), (Prod(R, R), R, R)),
        lam("p", Prod(R, R), lambda p: prim("mul", Fst(p.t), Snd(p.t))),
        lam("v", R, lambda v: prim("cos", v)), at_pair)))
    s = Source(reals("x"), body, R)
    for stage in STAGES.values():
        assert close(outcome(stage, s, (0.8,), 1.0).cotangents,
                     finite_difference(s, (0.8,), 1.0), 1e-6)


def list_map() -> Source:
    """A user's map on a user's list, at two types, and the sum of what comes out."""
    lists = DataDecl("List", ("a",), (("End", ()), ("More", (a, Data("List", (a,))))))
    t = Data("List", (R,))
    more = Con("More", (App(Var("f"), Var("h")), app(Var("go"), Var("r"))), t)
    mapped = letrec("go", Fun(t, t), "l", lambda go, xs: Match(xs.t, (
        MatchArm("End", (), Con("End", (), t)),
        MatchArm("More", ("h", "r"), _with(more, go.t)))), lambda go: go)
    body = Let("f", lam("v", R, lambda v: v * v * x), Let("m", mapped, app(
        Var("m"), app(Var("m"), Var("l")))))
    return Source((("x", R), ("l", t)), body, t, (lists,))


def _with(t: Term, go: Term) -> Term:
    return Let("go", go, t)


def test_lists_as_results() -> None:
    def value(*rs: float) -> ConV:
        out = ConV("End", ())
        for r in reversed(rs):
            out = ConV("More", (r, out))
        return out

    s = list_map()
    args, seed = (0.5, value(1.0, -2.0, 3.0)), value(1.0, 0.5, -1.0)
    for stage in STAGES.values():
        assert close(outcome(stage, s, args, seed).cotangents,
                     finite_difference(s, args, seed), 1e-5)


@claim("DN-63")
def test_rotation_by_a_quaternion(row: str) -> None:
    """q v q* for q = (w, u): v + 2 u x (u x v + w v), a result of three reals."""
    q, u, v = ("w", "a", "b", "c"), ("a", "b", "c"), ("x", "y", "z")
    var = Var

    def cross(p: list[Term], r: list[Term]) -> list[Term]:
        return [prim("sub", prim("mul", p[i], r[j]), prim("mul", p[j], r[i]))
                for i, j in ((1, 2), (2, 0), (0, 1))]

    us, vs = [var(n) for n in u], [var(n) for n in v]
    inner = [prim("add", k, prim("mul", var("w"), m)) for k, m in zip(cross(us, vs), vs)]
    out = [prim("add", m, prim("mul", 2.0, k)) for m, k in zip(vs, cross(us, inner))]
    s = Source(reals(*q, *v), Pair(Pair(out[0], out[1]), out[2]), Prod(Prod(R, R), R))
    args = (0.5, -0.1, 0.3, 0.8, 1.0, 2.0, -1.5)
    for seed in (((1.0, 0.0), 0.0), ((0.0, 1.0), 0.0), ((0.0, 0.0), 1.0)):
        for stage in STAGES.values():
            assert close(outcome(stage, s, args, seed).cotangents,
                         finite_difference(s, args, seed), 1e-6)


@claim("DN-73")
def test_arrays(row: str) -> None:
    from pullback.papers.language.terms import Arr, Fold

    products = Build(Op("length", (x,)), "i", prim(
        "mul", op("index", x, Var("i")), op("index", y, Var("i"))))
    dot = Source((("x", Arr(R)), ("y", Arr(R))), Fold("p", prim(
        "add", Fst(Var("p")), Snd(Var("p"))), products), R)
    for stage in STAGES.values():
        out = outcome(stage, dot, ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), 1.0)
        assert (out.value, out.cotangents) == (32.0, ([4.0, 5.0, 6.0], [1.0, 2.0, 3.0]))
