"""Efficient CHAD, section 9 and App. B: functions."""

from __future__ import annotations

import pytest

from pullback.papers.chad.actions import scoped
from pullback.papers.chad.closures import run_closures
from pullback.papers.chad.higher import BAGGED, HIGHER, run_higher, variable_calls
from pullback.papers.chad.monadic import CHAD, chad_of
from pullback.papers.chad.program import check_chad, pullback, run_monadic
from pullback.papers.chad.types import t2
from pullback.papers.closure_conversion import cc_type, convert
from pullback.papers.defunctionalisation import defunctionalised
from pullback.papers.language.build import B, E, if_, lam, let, reals
from pullback.papers.language.check import check_source
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    App,
    Data,
    DataDecl,
    Exists,
    Fst,
    Fun,
    Lam,
    Let,
    LetRec,
    Lit,
    Match,
    MatchArm,
    Op,
    Pair,
    R,
    Rec,
    Snd,
    Source,
    TVar,
    Var,
    Z,
)
from pullback.papers.language.traverse import free_vars, subterms
from pullback.papers.language.values import ConV, Packed, pair, to_bool
from pullback.papers.methods import Outcome, Unsupported, run
from tests.papers.chad_tools import apart, programs, slope
from tests.papers.conformance import claim
from tests.papers.families import FAMILIES, Case, few_used
from tests.papers.generate import STANDARD, close, finite_difference

x, y, f = E(Var("x")), E(Var("y")), E(Var("f"))
TWICE = Source(reals("x", "y"), Let("f", lam("u", R, lambda u: x * u), (f(y) + f(2.0)).t), R)
CHOOSE = Source((("c", B), *reals("x", "y")), Let("f", if_(
    Var("c"), lam("u", R, lambda u: x * (x * u)), lam("u", R, lambda u: x * (y + u))),
    (f(y) + f(x)).t), R)


def family(n: int) -> Source:
    """t_1 = x_1, t_k = (\\x_{k-1}. t_{k-1}) x_k."""
    t = E(Var("x1"))
    for k in range(2, n + 1):
        t = E(App(Lam(f"x{k - 1}", R, t.t), Var(f"x{k}")))
    return Source(reals(f"x{n}"), t.t, R)


@claim("CHAD-80")
def test_naive_higher_order(row: str) -> None:
    source, args, seed, value, gradient = STANDARD["HO3"]
    out = run_higher(source, args, seed)
    assert out.value == value and close(out.cotangents, gradient)
    for source, args, seed in programs("RGH"):
        out = run_higher(source, args, seed)
        assert close(finite_difference(source, args, seed), out.cotangents, 1e-4)


@claim("CHAD-81")
def test_it_is_exponential(row: str) -> None:
    for n in range(1, 9):
        out = run_higher(family(n), (3.0,), 1.0)
        assert (out.value, out.cotangents, variable_calls(out)) == (3.0, (1.0,), 2**n - 1)
        # The body's backpropagator runs for the argument, and for what was captured.
        m = out.machine
        calls = sum(k for role, k in zip(m.roles, m.calls, strict=True) if role == "call")
        assert calls + m.counts.get("op:foldr", 0) == 2**n - 2


def called(n: int) -> Source:
    """let f = \\u. x*u in f x + (f x + ..): n calls."""
    t = f(x)
    for _ in range(n - 1):
        t = f(x) + t
    return Source(reals("x"), Let("f", lam("u", R, lambda u: x * u), t.t), R)


@claim("CHAD-82")
def test_lists_as_bags(row: str) -> None:
    for source, args, seed in programs("RGH"):
        lists, bags = (run_higher(source, args, seed, lib) for lib in (HIGHER, BAGGED))
        assert lists.value == bags.value and close(lists.cotangents, bags.cotangents)
        assert "appended" not in bags.machine.counts
    sizes, appended, costs = (10, 20, 40), [], []
    for n in sizes:
        lists, bags = (run_higher(called(n), (3.0,), 1.0, lib) for lib in (HIGHER, BAGGED))
        assert lists.cotangents == bags.cotangents == (6.0 * n,)
        appended.append((n, lists.machine.counts["appended"]))
        costs.append((n, bags.cost))
    assert slope(appended) > 1.8 and slope(costs) < 1.1


@claim("CHAD-83")
def test_closure_conversion(row: str) -> None:
    for source, args, _ in programs("RGH"):
        source = apart(source)
        converted = convert(source)
        check_source(converted)
        env = dict(zip([v for v, _ in source.context], args))
        assert evaluate(converted.body, env)[0] == evaluate(source.body, env)[0]
        for t in subterms(converted.body):
            if isinstance(t, Lam):
                assert t.kind == "->□" and free_vars(t) == ()


@claim("CHAD-84")
def test_conversion_preserves_cost(row: str) -> None:
    worst = 0.0
    for source, args, _ in programs("RGH"):
        source = apart(source)
        env = dict(zip([v for v, _ in source.context], args))
        plain = evaluate(source.body, env)[1]
        worst = max(worst, evaluate(convert(source).body, env)[1] / plain)
    assert worst < 12

    def converted(c: Case, alone: bool = True) -> float:
        """Steps after closure conversion (by itself, or C of it) over those of the program."""
        s = apart(c.source)
        env = dict(zip([v for v, _ in s.context], c.args))
        after = (evaluate(convert(s).body, env)[1] if alone
                 else run_closures(s, c.args, c.seed).cost)
        return after / evaluate(s.body, env)[1]

    # An environment is opened once: the factor does not depend on how much a closure captures.
    for name in ("many captures", "nested functions", "chain of closures"):
        small, large = (FAMILIES[name](n) for n in (10, 80))
        assert converted(large) < min(12, 1.25 * converted(small)), name
        assert converted(large, False) < min(120, 1.25 * converted(small, False)), name
    # What the claim misses: n calls open n variables each, and the program uses none of them.
    few = [converted(few_used(n)) for n in (10, 40)]
    assert few[1] > 3 * few[0]


@claim("CHAD-85")
def test_chad_of_closures(row: str) -> None:
    out = run_closures(TWICE, (3.0, 5.0), 1.0)
    assert (out.value, out.cotangents) == (21.0, (7.0, 3.0))
    for c, value, dx, dy in ((True, 72.0, 57.0, 9.0), (False, 54.0, 21.0, 9.0)):
        out = run_closures(CHOOSE, (to_bool(c), 3.0, 5.0), 1.0)
        assert (out.value, out.cotangents[1:]) == (value, (dx, dy))
    with pytest.raises(ValueError, match="another closure"):
        evaluate(Op("lcast", (x.t,), (Z, Exists("a", TVar("a")))), {"x": Packed(R, 1.0)}, CHAD)


@claim("CHAD-86")
def test_efficiency_is_back(row: str) -> None:
    points = []
    for n in (2, 4, 8, 16, 32, 64):
        out = run_closures(family(n), (3.0,), 1.0)
        assert out.cotangents == (1.0,)
        points.append((n, out.cost))
    assert 0.95 < slope(points) < 1.05


@claim("CHAD-89")
def test_casts_never_fail(row: str) -> None:
    for source, args, seed in programs("RGH"):
        check_chad(convert(apart(source)))
        out = run_closures(source, args, seed)
        assert close(finite_difference(source, args, seed), out.cotangents, 1e-4)
    # and there are casts, which do fail where the tag is another closure's
    assert run_closures(CHOOSE, (to_bool(True), 3.0, 5.0), 1.0).machine.counts["op:lcast"] > 0
    cast_ = Op("lcast", (x.t,), (R, Exists("a", TVar("a"))))
    assert evaluate(cast_, {"x": Packed(R, 1.0)}, CHAD)[0] == 1.0
    with pytest.raises(ValueError, match="another closure"):
        evaluate(cast_, {"x": Packed(Z, ())}, CHAD)


LISTS = DataDecl("Reals", (), (("End", ()), ("More", (R, Data("Reals")))))


def reals_list(*xs: float) -> ConV:
    out = ConV("End", ())
    for v in reversed(xs):
        out = ConV("More", (v, out))
    return out


@claim("CHAD-91")
def test_recursion_and_declared_types(row: str) -> None:
    source, args, seed, value, gradient = STANDARD["POW5"]
    out = run_closures(source, args, seed)
    assert (out.value, out.cotangents) == (value, gradient)
    # sum of c * x^2 over a recursive list, by a recursive function that captures c
    reals_type, go = Data("Reals"), E(Var("go"))
    body = Match(Var("xs"), (MatchArm("End", (), Lit(0.0)), MatchArm(
        "More", ("h", "t"), (E(Var("c")) * E(Var("h")) * E(Var("h")) + go(Var("t"))).t)))
    total = Source((("c", R), ("all", reals_type)), LetRec((Rec(
        "go", Fun(reals_type, R), Lam("xs", reals_type, body)),), go(Var("all")).t), R, (LISTS,))
    check_chad(convert(apart(total)))
    points = []
    for n in (4, 64, 128):
        xs = [1.0 + k for k in range(n)]
        given = (2.0, reals_list(*xs))
        out, dual = run_closures(total, given, 1.0), run("dual.tape", total, given, 1.0)
        assert out.cotangents == (
            sum(v * v for v in xs), reals_list(*(4.0 * v for v in xs)))
        assert close((out.value, *out.cotangents), (dual.value, *dual.cotangents))
        points.append((n, out.cost))
    assert 0.95 < slope(points) < 1.05


def by_tags(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    return run_monadic(source, args, seed, prepare=defunctionalised)


@claim("CHAD-87")
def test_defunctionalisation(row: str) -> None:
    assert by_tags(TWICE, (3.0, 5.0), 1.0).cotangents == (7.0, 3.0)
    for c, value, dx, dy in ((True, 72.0, 57.0, 9.0), (False, 54.0, 21.0, 9.0)):
        out = by_tags(CHOOSE, (to_bool(c), 3.0, 5.0), 1.0)
        assert (out.value, out.cotangents[1:]) == (value, (dx, dy))
    standard = [STANDARD[name][:3] for name in ("HO3", "POW5")]
    for source, args, seed in [*standard, *programs("RGH")]:
        plain = defunctionalised(apart(source))
        types = check_source(plain)
        for t in subterms(plain.body):  # no function but the closed ones that letrec binds
            assert isinstance(t, LetRec | Var) or isinstance(types[t], Fun) == isinstance(t, Lam)
            assert not isinstance(types[t], Exists)
        check_chad(plain)
        wanted, found = run_closures(source, args, seed), by_tags(source, args, seed)
        assert wanted.value == found.value and close(wanted.cotangents, found.cotangents)
    points = [(n, by_tags(family(n), (3.0,), 1.0).cost) for n in (8, 16, 32)]
    assert slope(points) < 1.1


@claim("CHAD-88")
def test_closure_conversion_is_local(row: str) -> None:
    # A library and two programs that use it, differentiated one by one and put together after.
    context, g, cell = reals("x", "y"), E(Var("g")), t2(cc_type(Fun(R, R)))
    library = apart(Source(context, lam("u", R, lambda u: x * u), Fun(R, R)))
    compiled = chad_of(convert(library))
    for use in ((g(y) + g(2.0)).t, (g(g(y)) * y).t):
        main = apart(Source((*context, ("g", Fun(R, R))), use, R))
        user = convert(main)
        user = Source((*context, ("g", cc_type(Fun(R, R)))), user.body, R)
        other = chad_of(user)
        # let a = library in let g = fst a in let b = main in (fst b, \\d. scope .. >>= snd a)
        linked = let("a", compiled, lambda a, other=other: Let("g", Fst(a.t), let(
            "b", other, lambda b: Pair(Fst(b.t), lam("d", t2(R), lambda d: scoped(
                "g", cell, App(Snd(b.t), d.t), lambda dg: App(Snd(a.t), dg)))))))
        whole = Source(context, Let("g", library.body, use), R)
        wanted = run_closures(whole, (3.0, 5.0), 1.0)
        both, _ = evaluate(pullback(whole, linked), {"x": 3.0, "y": 5.0}, CHAD, m := Machine())
        value, back = pair(both)
        _, cells = pair(m.call(back, 1.0))
        assert value == wanted.value and pair(cells) == (
            ((), wanted.cotangents[0]), wanted.cotangents[1])
        with pytest.raises(Unsupported, match="whole programs"):
            defunctionalised(main)
