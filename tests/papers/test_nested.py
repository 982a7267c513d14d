"""The ground floor of the papers' algorithms: terms, types, costs, printing, generators."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from pullback.papers.language.arrays import OPS
from pullback.papers.language.build import fun, if_, lam, let, letrec, op, prim
from pullback.papers.language.check import (
    EVERYTHING,
    FIRST_ORDER,
    NestedTypeError,
    check,
    check_source,
)
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.linear import (
    CHAD_OPS,
    DENSE_OPS,
    L_R,
    lprod,
    lsum,
    one,
    return_,
    run,
    scope,
    zero,
)
from pullback.papers.language.machine import Machine
from pullback.papers.language.pretty import show
from pullback.papers.language.prims import dop, partial
from pullback.papers.language.terms import (
    ONE,
    App,
    Con,
    Data,
    DataDecl,
    Fst,
    Fun,
    Inl,
    Lam,
    Let,
    Lit,
    Match,
    MatchArm,
    Nil,
    Op,
    Pair,
    Prim,
    Prod,
    R,
    Snd,
    Term,
    TVar,
    TyApp,
    TyLam,
    Type,
    Var,
    Z,
)
from pullback.papers.language.traverse import alpha_eq, free_vars, rename_apart, substitute
from pullback.papers.language.values import ConV, Inj, Zero
from tests.papers.conformance import claim
from tests.papers.generate import (
    DEAD,
    FIG1,
    STANDARD,
    close,
    dbl,
    every_program,
    finite_difference,
    random_program,
    random_value,
    sumsq,
)

x, y = Var("x"), Var("y")


@pytest.mark.parametrize(
    "module", ["terms", "build", "check", "eval", "pretty", "prims"])
def test_docstrings(module: str) -> None:
    found = doctest.testmod(import_module(f"pullback.papers.language.{module}"))
    assert found.failed == 0 and found.attempted > 0


@pytest.mark.parametrize("name", STANDARD)
def test_standard_programs(name: str) -> None:
    source, args, seed, value, gradient = STANDARD[name]
    check_source(source)
    env = dict(zip([v for v, _ in source.context], args))
    assert evaluate(source.body, env)[0] == value
    assert close(finite_difference(source, args, seed), gradient, 1e-6)


@claim("CHAD-37")
def test_source_costs(row: str) -> None:
    sq = prim("mul", x, x)
    doubled = Let("y", sq, prim("add", y, y))
    assert evaluate(x, {"x": 3.0}) == (3.0, 1)
    assert evaluate(Nil()) == ((), 1)
    assert evaluate(Pair(x, x), {"x": 3.0})[1] == 3
    assert evaluate(sq, {"x": 3.0}) == (9.0, 4)
    assert evaluate(doubled, {"x": 3.0}) == (18.0, 9)
    assert evaluate(Fst(x), {"x": (3.0, 4.0)}) == (3.0, 2)
    branch = import_module("pullback.papers.language.terms").Case(
        Inl(x, R), "a", prim("mul", Var("a"), Var("a")), "b", prim("neg", Var("b")))
    assert evaluate(branch, {"x": 3.0}) == (9.0, 7)  # 1 + (1+1) + 4
    for n in (1, 2, 4, 8, 16):
        assert evaluate(dbl(n).body, {"x0": 1.0})[1] == 5 * n + 1


def test_costs_of_other_constructs() -> None:
    captured = lam("v", R, lambda v: prim("add", v, prim("add", x, y)))
    assert evaluate(captured, {"x": 1.0, "y": 2.0})[1] == 3  # 1 + two captured
    assert evaluate(App(captured, Lit(1.0)), {"x": 1.0, "y": 2.0}) == (4.0, 1 + 3 + 2 + 7)
    assert evaluate(Prim("mul", (x,)), {"x": (3.0, 4.0)}) == (12.0, 2)  # prim on a tuple
    assert evaluate(Lit(2.0))[1] == 2
    assert evaluate(Op("index", (x, Lit(1))), {"x": [1.0, 2.0]}) == (2.0, 4)


def cost(t: Term, env: dict[str, object] | None = None, dense: bool = False) -> tuple[object, int]:
    return evaluate(t, env, DENSE_OPS if dense else CHAD_OPS)


@claim("CHAD-34")
def test_costs_of_cotangents_and_actions(row: str) -> None:
    pair, either = lprod(L_R, L_R), lsum(L_R, L_R)
    assert cost(zero(L_R)) == (0.0, 2)
    assert cost(zero(pair)) == (Zero(pair), 1)
    assert cost(op("lpair", x, x), {"x": 1.0}) == ((1.0, 1.0), 3)
    assert cost(op("lfst", x), {"x": (1.0, 2.0)}) == (1.0, 2)
    assert cost(op("lfst", x), {"x": Zero(pair)}) == (0.0, 3)
    assert cost(op("lcastl", x), {"x": Zero(either)}) == (0.0, 3)
    assert cost(op("lcastl", x), {"x": Inj(0, 1.0)}) == (1.0, 2)
    with pytest.raises(ValueError, match="other branch"):
        cost(op("lcastl", x), {"x": Inj(1, 1.0)})
    inner = Prod(R, R)
    t = lprod(lprod(pair, pair), L_R)
    left = ((Zero(pair), (1.0, 2.0)), 3.0)
    right = (((4.0, 5.0), Zero(pair)), 6.0)
    both = (((4.0, 5.0), (1.0, 2.0)), 9.0)
    assert check(op("plus", x, y), {"x": t, "y": t}, library=CHAD_OPS) == t
    assert cost(op("plus", x, y), {"x": left, "y": right}) == (both, 2 + 5)  # E.6: cost 5
    assert cost(zero(lprod(pair, pair)), dense=True) == (((0.0, 0.0), (0.0, 0.0)), 7)
    assert inner == Prod(R, R)


def test_actions() -> None:
    gamma = (("x", L_R),)
    inner = (*gamma, ("y", L_R))
    body = op("bind", one("y", Lit(2.0), inner), lam("_", ONE, lambda _: one(
        "x", Lit(5.0), inner)))
    whole = op("bind", scope("y", L_R, body), lam("r", Prod(L_R, ONE), lambda r: one(
        "x", Fst(r.t), gamma)))
    lib = CHAD_OPS.replaced()
    # Reals stand for L(R) only through lreal: the checker says so, the evaluator does not care.
    with pytest.raises(NestedTypeError):
        check(run(whole, Pair(Nil(), zero(L_R)), gamma), library=lib)
    value, _ = cost(run(whole, Pair(Nil(), zero(L_R)), gamma))
    assert value == ((), ((), 7.0))
    # the run node, run-pure (2 + |Gamma|), and the parts
    assert cost(run(return_(x, gamma), Pair(Nil(), y), gamma), {"x": (), "y": 1.0})[1] == (
        1 + (2 + 1) + (1 + 1) + (1 + 1 + 1))


def test_the_checker_refuses() -> None:
    for bad in (
        prim("add", x, Lit(1)), App(x, y), Fst(x), Var("nowhere"), prim("sin", Nil()),
        if_(x, y, y), lam("f", Fun(R, R), lambda f: f(1)).body, Op("no such thing"),
        Let("v", x, prim("add", Var("v"), Nil())), op("index", x, y), letrec(
            "f", Fun(R, Z), "v", lambda f, v: v, lambda f: f),
    ):
        with pytest.raises(NestedTypeError):
            check(bad, {"x": R, "y": R})
    with pytest.raises(NestedTypeError, match="no lam"):
        check(lam("v", R, lambda v: v), dialect=FIRST_ORDER)
    check(lam("v", R, lambda v: v), dialect=EVERYTHING)


def test_data_and_polymorphism() -> None:
    a = TVar("a")
    decl = DataDecl("List", ("a",), (("Nil", ()), ("Cons", (a, Data("List", (a,))))))
    t = Data("List", (R,))
    items = Con("Cons", (Lit(2.0), Con("Cons", (Lit(3.0), Con("Nil", (), t)), t)), t)
    total = letrec("go", Fun(t, R), "l", lambda go, xs: Match(xs.t, (
        MatchArm("Nil", (), Lit(0.0)),
        MatchArm("Cons", ("h", "r"), prim("add", Var("h"), App(go.t, Var("r")))))),
        lambda go: go(items))
    assert check(total, decls=[decl]) == R
    assert evaluate(total)[0] == 5.0
    assert evaluate(items)[0] == ConV("Cons", (2.0, ConV("Cons", (3.0, ConV("Nil", ())))))
    twice = TyLam(("a",), lam("f", Fun(a, a), lambda f: lam("v", a, lambda v: f(f(v)))))
    used: Term = Let("t", twice, Pair(
        App(App(TyApp(Var("t"), (R,)), lam("v", R, lambda v: v * v)), Lit(3.0)),
        App(App(TyApp(Var("t"), (Z,)), lam("v", Z, lambda v: v + 1)), Lit(3))))
    assert check(used) == Prod(R, Z)
    assert evaluate(used)[0] == (81.0, 5)


def test_instruments() -> None:
    m = Machine()
    bp = lam("d", R, lambda d: d * 2.0, kind="-o", role="op")
    f, _ = evaluate(Let("g", bp, Pair(Var("g"), App(Var("g"), Lit(1.0)))), machine=m)
    assert isinstance(f, tuple)
    assert apply(f[0], 4.0, machine=m) == (8.0, 1 + 5)
    assert (m.roles, m.calls, m.counts["role:op"], m.counts["prim:mul"]) == (["op"], [2], 1, 2)


def test_names() -> None:
    t = Lam("x", R, prim("add", x, y))
    assert free_vars(t) == ("y",)
    assert alpha_eq(t, rename_apart(t)) and not alpha_eq(t, Lam("x", R, prim("add", y, x)))
    assert show(substitute(t, {"y": x})) == "\\x1:R. x1 + x"
    shadowed = Let("x", prim("mul", x, x), Let("x", prim("add", x, y), x))
    assert evaluate(shadowed, {"x": 3.0, "y": 1.0})[0] == 10.0
    assert evaluate(rename_apart(shadowed), {"x": 3.0, "y": 1.0})[0] == 10.0


def test_printing() -> None:
    assert show(FIG1.body) == "let z = x + y in x * z"
    assert show(DEAD.body) == "let u = sin x in x * x"
    nested = let("d", x, lambda d: let("d", y, lambda e: d + e))
    assert show(nested) == "let d = x in let d1 = y in d + d1"
    assert show(Pair(Pair(x, y), Pair(x, y))) == "(x, y, (x, y))"


def test_partials_follow_the_table() -> None:
    assert show(partial("add", 0, (x, y))) == "1"
    assert show(dop("div", 1, (x, y), Var("z"))) == "mulz (-(x / y / y)) z"
    assert show(partial("floor", 0, (x,))) == "0"
    with pytest.raises(TypeError, match="no derivative"):
        partial("zeta", 0, (x, y))


def test_libraries() -> None:
    array = [1.0, 2.0, 3.0]
    assert evaluate(op("sum", x), {"x": array})[0] == 6.0
    assert evaluate(op("scatter_add", x, y, x), {"x": array, "y": [2, 0, 2]})[0] == [3.0, 2.0, 7.0]
    assert evaluate(op("scatter_set", x, y, x), {"x": array, "y": [2, 0, 2]})[0] == [2.0, 2.0, 3.0]
    m: Term = Op("mempty", (), (R,))
    for k in range(100):
        m = op("minsert", m, k, float(k))
    assert check(op("mmax", m)) == Prod(Z, R)
    assert evaluate(op("mmax", op("mdelete", m, 99)))[0] == (98, 98.0)
    assert len(OPS) > 20
    assert check(op("freeze", op("set", op("alloc", 3, 0.0), 1, 2.0))) is not None
    assert evaluate(op("freeze", op("set", op("alloc", 3, 0.0), 1, 2.0)))[0] == [0.0, 2.0, 0.0]


def test_deep_programs() -> None:
    n = 10_000
    source = dbl(n)
    check_source(source)
    assert evaluate(source.body, {"x0": 0.0}) == (0.0, 5 * n + 1)
    assert alpha_eq(source.body, rename_apart(source.body))
    wide = sumsq(3000)
    check_source(wide)


@pytest.mark.parametrize("fragment", ["RG", "RGH", "RGA"])
def test_random_programs_are_well_typed_and_run(fragment: str) -> None:
    for seed in range(300):
        source, args = random_program(seed, fragment)
        check_source(source)
        _, steps = evaluate(source.body, dict(zip([v for v, _ in source.context], args)))
        assert steps > 0
        assert show(source.body) == show(random_program(seed, fragment)[0].body)


@pytest.mark.parametrize("higher", [False, True])
def test_every_program_is_well_typed(higher: bool) -> None:
    seen = 0
    for source in every_program(5, higher):
        check_source(source)
        seen += 1
    assert seen > 100


def test_values_of_types() -> None:
    import random

    t: Type = Prod(R, Prod(Z, ONE))
    v = random_value(t, random.Random(1))
    assert isinstance(v[0], float) and isinstance(v[1][0], int) and v[1][1] == ()
    assert fun(R, R, R) == Fun(R, Fun(R, R)) and isinstance(Snd(x), Snd)


def test_the_cost_of_the_smallest_gradient() -> None:
    # TH2's left-hand side for chad x is 17 (Efficient CHAD, App. D).
    gamma = (("x", L_R),)
    chad = Pair(x, Lam("d", L_R, one("x", Var("d"), gamma)))
    t = run(App(Snd(chad), y), Pair(Nil(), zero(L_R)), gamma)
    assert check(t, {"x": R, "y": L_R}, library=CHAD_OPS) == Prod(ONE, Prod(ONE, L_R))
    assert cost(t, {"x": 3.0, "y": 1.0}) == (((), ((), 1.0)), 17)
