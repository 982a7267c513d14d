"""Dual-numbers reverse AD: the languages, forward mode and the naive stage (Figs. 4 to 7)."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from pullback.papers.dual import naive as naive_stage
from pullback.papers.dual.forward import push
from pullback.papers.dual.ground import Wrapped, checked, prepared
from pullback.papers.dual.naive import n1
from pullback.papers.dual.rows import DUAL_OPS, plus_of
from pullback.papers.dual.types import Duals, cotangent, dual_type, parametric
from pullback.papers.language import eval as nested_eval
from pullback.papers.language.build import lam, lets, op, prim, reals
from pullback.papers.language.check import NestedTypeError, check, check_source
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.linearity import require_figure5
from pullback.papers.language.machine import Closure, Machine
from pullback.papers.language.ops import fits
from pullback.papers.language.terms import (
    App,
    Arr,
    Case,
    Data,
    Fst,
    Fun,
    Inl,
    Lam,
    Let,
    Lit,
    Nil,
    Op,
    Pair,
    Plus,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Type,
    Var,
    Z,
)
from pullback.papers.language.traverse import (
    alpha_eq,
    free_vars,
    map_parts,
    substitute,
    subterms,
)
from pullback.papers.language.values import Inj, pair, reals_in, tuple_value
from pullback.papers.methods import METHODS, Unsupported, run
from tests.papers.conformance import claim
from tests.papers.dual import (
    STAGES,
    case,
    outcome,
    primal_and_pullback,
)
from tests.papers.generate import (
    FIG1,
    HO3,
    close,
    count,
    finite_difference,
    random_program,
)

x, y, z = Var("x"), Var("y"), Var("z")


@pytest.mark.parametrize("name", [
    "types", "ground", "rows", "generic", "interleave", "rebuild", "deinterleave", "lift", "late",
    "forward", "naive", "staged", "cayley", "scalars", "mutable", "collector", "contrib", "tape"])
def test_the_figures(name: str) -> None:
    found = doctest.testmod(import_module(f"pullback.papers.dual.{name}"))
    assert found.failed == 0 and found.attempted > 0


@claim("DN-1")
def test_source_language(row: str) -> None:
    for i in range(20):
        check_source(random_program(i, "RGH", 15)[0])
    bad: list[Term] = [
        App(x, y), Fst(x), Snd(Lit(1.0)), prim("add", x, 1), prim("sin", Nil()), Var("no"),
        Let("v", Nil(), prim("add", Var("v"), x)), App(lam("v", Z, lambda v: v), x),
        prim("mul", Pair(x, y), y), Case(x, "a", x, "b", x), Case(
            Inl(x, R), "a", x, "b", Nil()), prim("add", x), prim("nothing", x), Op("length", (x,)),
        Op("nothing"), prim("sin", lam("v", R, lambda v: v)), Fst(Inl(x, R)),
        App(lam("v", Fun(R, R), lambda v: v(1.0)), y), prim("sign2", Lit(1)), Pair(x, Var("w")),
    ]  # fmt: skip
    assert len(bad) == 20
    for t in bad:
        with pytest.raises(NestedTypeError):
            check(t, {"x": R, "y": R})
    assert evaluate(FIG1.body, {"x": 3.0, "y": 4.0})[0] == 21.0


def linear(t: Type, body: Callable[[Term], Term]) -> Lam:
    """\\_z:t. body(z)."""
    return lam("z", t, lambda z: body(z.t), "-o")


NOT_LINEAR: dict[str, Lam] = {
    "z * z": linear(R, lambda z: prim("mul", z, z)),
    "1": linear(R, lambda z: Lit(1.0)),
    "x": linear(R, lambda z: x),
    "sin z": linear(R, lambda z: prim("sin", z)),
    "x + z": linear(R, lambda z: prim("add", x, z)),
    "x / z": linear(R, lambda z: prim("div", x, z)),
    "z * (x * z)": linear(R, lambda z: prim("mul", z, prim("mul", x, z))),
    "f (z * z)": linear(R, lambda z: App(Var("f"), prim("mul", z, z))),
    "g z": linear(R, lambda z: App(Var("g"), z)),
    "(z, 1)": linear(R, lambda z: Pair(z, Lit(1.0))),
    "sign z": linear(R, lambda z: Case(prim("sign2", z), "l", z, "r", Lit(0.0))),
    "(\\v. v) z": linear(R, lambda z: App(lam("v", R, lambda v: v), z)),
}
SCOPE = {"x": R, "f": Fun(R, R, "-o"), "g": Fun(R, R)}
LINEAR_BODIES = (
    linear(R, lambda z: z), linear(R, lambda z: App(Var("f"), prim("mul", x, z))),
    linear(Prod(R, R), lambda z: Pair(prim("add", Fst(z), Snd(z)), Lit(0.0))),
)


@claim("DN-2")
def test_target_language(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(count(200)):
        w = STAGES["N1"](random_program(i, "RGH")[0])
        require_figure5(w.body)
        assert all(t.type == R for t in subterms(w.body) if isinstance(t, Lam) and t.kind == "-o")
    for text, t in NOT_LINEAR.items():
        if text != "g z":  # which is in the grammar, but g : R -> R
            with pytest.raises(TypeError, match=r"Fig\. 5"):
                require_figure5(t)
        with pytest.raises(NestedTypeError, match="is not linear"):
            check(t, SCOPE)
        assert check(Lam(t.x, t.type, t.body), SCOPE), text  # the plain function has a type
    for t in LINEAR_BODIES:
        assert check(t, SCOPE)
    with pytest.raises(TypeError, match=r"Fig\. 5"):  # a function on the left of -o
        require_figure5(linear(Fun(R, R), lambda z: z))
    # a planted clause of N1, in which a backpropagator is not linear, does not get out of the stage
    monkeypatch.setattr(naive_stage, "dop", lambda op, k, xs, z, static: prim("mul", z, z))
    with pytest.raises(TypeError, match=r"Fig\. 5"):
        STAGES["N1"](FIG1)


@claim("DN-3")
def test_backpropagators_are_linear(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Closure] = []

    class Recorded(Closure):
        __slots__ = ()

        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            if self.serial >= 0:
                made.append(self)

    monkeypatch.setattr(nested_eval, "Closure", Recorded)
    tried = 0
    for i in range(count(120)):
        s, args, seed = case(i, "RGH")
        made.clear()
        outcome(STAGES["N1"], s, args, seed)
        for f in list(made[:30]):
            at = [f(v) for v in (0.0, 0.75, -2.5, -1.75)]
            assert all(r == 0 for r in reals_in(at[0]))
            assert close(plus_of(at[1], at[2]), at[3])
            tried += 1
    assert tried > 2.5 * count(120)


@claim("DN-4")
def test_linear_arrows_may_be_erased(row: str) -> None:
    def erased(t: Term) -> Term:
        if isinstance(t, Lam):
            return Lam(t.x, t.type, erased(t.body), "->", t.role)
        return map_parts(erased, t)

    for i in range(count(25)):
        s, args, seed = case(i, "RGH")
        for stage in STAGES.values():
            w = stage(s)
            out = []
            for term in (w.term, erased(w.term)):
                m = Machine()
                both, _ = evaluate(App(term, Var("a")), {"a": tuple_value(*args)},
                                   w.library, m)
                value, back = pair(both)
                out.append((value, apply(back, seed, machine=m)[0]))
            assert out[0] == out[1]


@claim("DN-6")
def test_forward(row: str) -> None:
    assert push(FIG1, (3.0, 4.0), (1.0, 0.0)) == (21.0, 10.0)
    assert push(FIG1, (3.0, 4.0), (0.0, 1.0)) == (21.0, 3.0)


@claim("DN-7")
def test_the_output_of_figure_1(row: str) -> None:
    def dual(primal: Term, *calls: tuple[Term, Term]) -> Term:
        def back(d: Term) -> Term:
            (f, p), (g, q) = calls
            return op("+_c", App(Snd(f), prim("mul", p, d)), App(Snd(g), prim("mul", q, d)))

        return Pair(primal, lam("d", R, lambda d: back(d.t), "-o"))

    wanted = Let("z", dual(prim("add", Fst(x), Fst(y)), (x, Lit(1.0)), (y, Lit(1.0))), dual(
        prim("mul", Fst(x), Fst(z)), (x, Fst(z)), (z, Fst(x))))
    body = STAGES["N1"](FIG1).body
    named = lets([("x", Fst(Var("p"))), ("y", Snd(Var("p")))], wanted)
    assert alpha_eq(_as(body, "p"), named)


def _as(t: Term, p: str) -> Term:
    (free,) = free_vars(t)
    return substitute(t, {free: Var(p)})


@claim("DN-8")
def test_types_of_the_output(row: str) -> None:
    for i in range(count(500)):
        s = random_program(i, "RGH")[0]
        w = STAGES["N1"](s)
        # N1 ctx |- N1{t} : N1 s, in a context of the dual argument and what 0_c is made of
        program, types = prepared(s)
        c = cotangent(program.type)
        n = Duals(Prod(R, Fun(R, c, "-o")), None, parametric(s.decls))
        body = n1(program.body, types, n, Var("whole"))
        context = {program.x: dual_type(program.type, n), "whole": program.type}
        wanted = dual_type(types[program.body], n)
        assert fits(check(body, context, library=DUAL_OPS), wanted)
        whole = check(w.term, (), w.decls, w.library)
        assert fits(whole, Fun(program.type, Prod(s.result, Fun(cotangent(s.result), c, "-o"))))
    # the wrapper refuses a term of another type, and one whose arrow is not linear
    program, _ = prepared(FIG1)
    for body in (lam("v", R, lambda v: v), lam("v", R, lambda v: Pair(v.t, v.t), "->")):
        wrong = Wrapped(lam("x", Prod(R, R), lambda v, b=body: Pair(Fst(v.t), b)), (), DUAL_OPS, x)
        with pytest.raises(NestedTypeError, match="the wrapper has type"):
            checked(wrong, FIG1, program)


@claim("DN-9")
def test_interleave_and_deinterleave(row: str) -> None:
    t = Prod(Prod(R, Z), Plus(R, Prod(R, R)))
    identity = Source((("x", t),), x, t)
    value = ((1.0, 7), Inj(1, (2.0, 3.0)))
    seed = ((0.5, ()), Inj(1, (0.25, -1.0)))
    for stage in STAGES.values():
        out = outcome(stage, identity, (value,), seed)
        assert (out.value, out.cotangents) == (value, (seed,))
    fig1 = outcome(STAGES["N1"], FIG1, (3.0, 4.0), 1.0)
    assert (fig1.value, fig1.cotangents) == (21.0, (10.0, 3.0))


@claim("DN-10")
def test_functions_are_refused_at_the_boundary(row: str) -> None:
    takes = Source((("f", Fun(R, R)),), App(Var("f"), Lit(1.0)), R)
    gives = Source(reals("x"), lam("v", R, lambda v: v), Fun(R, R))
    inside = [Source((("f", t),), Lit(1.0), R) for t in (
        Arr(Fun(R, R)), Prod(R, Fun(R, R)), Plus(Arr(Fun(R, R)), R), Data("List", (Fun(R, R),)))]
    for name in METHODS:
        if name.startswith("dual."):
            for bad in (takes, gives, *inside):
                assert "may not hold functions" in METHODS[name].supports(bad)
                with pytest.raises(Unsupported, match="may not hold functions"):
                    run(name, bad, (1.0,), 1.0)
    assert outcome(STAGES["N1"], HO3, (3.0,), 1.0).cotangents == (54.0,)


@claim("DN-11")
def test_the_pullback(row: str) -> None:
    for i in range(count(100)):
        s, args, seed = case(i, "RGH")
        m = Machine()
        _, back = primal_and_pullback(STAGES["N1"](s), args, m)
        first, again = apply(back, seed, machine=m)[0], apply(back, seed, machine=m)[0]
        assert first == again
        assert close(outcome(STAGES["N1"], s, args, seed).cotangents,
                     finite_difference(s, args, seed), 1e-5)
