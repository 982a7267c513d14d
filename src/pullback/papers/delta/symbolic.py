"""K2: tangents as expressions, whose sharing is lost (Krawiec et al., Figs. 7 and 8).

    data Delta = Zero | OneHot Nat | Scale R Delta | Add Delta Delta
    K2(R) = R * Delta                    K2{r} = (r, Zero)
    K2{+} = (x+y, Add u v)               K2{×} = (x*y, Add (Scale y u) (Scale x v))
    eval2 : R -> Delta -> R^a -o R^a                                     in place on one vector
    eval2 x Zero w = w                   eval2 x (OneHot i) w = addAt i x w
    eval2 x (Scale y u) w = eval2 (x*y) u w
    eval2 x (Add u v) w = eval2 x v (eval2 x u w)
    𝓡2{e} = \\(s,δt). let (_,u) = K2{e} (.. (s_i, OneHot i) ..) in eval2 δt u zeros

>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.pretty import show
>>> fig1 = Let("z", prim("add", Var("x"), Var("y")), prim("mul", Var("x"), Var("z")))
>>> print(show(K2(types_of(fig1, reals("x", "y")), symbolic()).term(fig1)))
let z = (fst x + fst y, Add (snd x) (snd y)) in
(fst x * fst z, Add (Scale (fst z) (snd x)) (Scale (fst x) (snd z)))
>>> gradient(Source(reals("x", "y"), fig1, R), (3.0, 4.0), 1.0)
(21.0, (10.0, 3.0))
>>> print(show_delta(delta_of(Source(reals("x", "y"), fig1, R), (3.0, 4.0))))
Add (Scale 7 (OneHot 0)) (Scale 3 (Add (OneHot 0) (OneHot 1)))
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.delta.direct import Direct
from pullback.papers.delta.families import Leaves, same
from pullback.papers.delta.ground import Polytypic
from pullback.papers.delta.rows import DELTA_SOURCE, LIBRARY
from pullback.papers.delta.show import expose, show_delta
from pullback.papers.delta.types import scaled
from pullback.papers.delta.wrapper import execute
from pullback.papers.dual.block import Block
from pullback.papers.dual.ground import prepared
from pullback.papers.dual.types import Duals, dual_decls, dual_type, parametric
from pullback.papers.language.build import lets, op
from pullback.papers.language.check import check, types_of
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    ONE,
    App,
    Con,
    Data,
    DataDecl,
    Fst,
    Fun,
    Lam,
    Let,
    LetRec,
    Lit,
    Match,
    MatchArm,
    Pair,
    Prim,
    Prod,
    R,
    Rec,
    Snd,
    Source,
    Term,
    Type,
    Var,
    Z,
    fresh,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import ConV, tuple_value
from pullback.papers.methods import Method, Outcome, register

DELTA2 = Data("Delta2")
DELTA2_DECL = DataDecl("Delta2", (), (
    ("Zero", ()), ("OneHot", (Z,)), ("Scale", (R, DELTA2)), ("Add", (DELTA2, DELTA2))))
VECTOR = Data("MArr", (R,))


def symbolic(kept: frozenset[str] = frozenset()) -> Duals:
    """K2(R) = R * Delta."""
    return Duals(Prod(R, DELTA2), None, kept)


class K2(Direct):
    """K2{·}."""

    def zero(self) -> Term:
        """Zero."""
        return Con("Zero", (), DELTA2)

    def combined(self, parts: Sequence[tuple[Term, Term]]) -> Term:
        """Add (Scale c1 u1) (..)."""
        return scaled(parts, DELTA2)


def eval2() -> Rec:
    """eval2 : (R * Delta) * R^a -> R^a."""
    go, p, x, u, v, y, i = (fresh(n) for n in ("eval2", "p", "x", "u", "v", "y", "i"))
    w = Snd(Var(p))

    def call(x: Term, u: Term, w: Term) -> Term:
        return App(Var(go), Pair(Pair(x, u), w))

    arms = (
        # eval2 x Zero w = w
        MatchArm("Zero", (), w),
        # eval2 x (OneHot i) w = addAt i x w
        MatchArm("OneHot", (i,), op(
            "set", w, Var(i), Prim("add", (op("get", w, Var(i)), Var(x))))),
        # eval2 x (Scale y u) w = eval2 (x*y) u w
        MatchArm("Scale", (y, u), call(Prim("mul", (Var(x), Var(y))), Var(u), w)),
        # eval2 x (Add u v) w = eval2 x v (eval2 x u w)
        MatchArm("Add", (u, v), call(Var(x), Var(v), call(Var(x), Var(u), w))),
    )
    body = Let(x, Fst(Fst(Var(p))), Match(Snd(Fst(Var(p))), arms))
    f = Fun(Prod(Prod(R, DELTA2), VECTOR), VECTOR)
    return Rec(go, f, Lam(p, f.arg, body, role="eval"))


def wrap(source: Source, dot: bool | None = None) -> Lam:
    """𝓡2{e} for any S (Fig. 16, places from 0): (s, δt) -> (value, () -> gradient)."""
    e, types = prepared(source)
    dot = source.result != R if dot is None else dot
    s, dt, sd = e.type, source.result, fresh("in")
    n = symbolic(parametric(source.decls))
    p = Polytypic(source.decls)

    def dual(t: Type) -> Type:
        return dual_type(t, n)

    def init(r: Term, i: Term) -> Term:
        place = fresh("i")
        hot = Con("OneHot", (Var(place),), DELTA2)
        return Let(place, i, Pair(Pair(r, hot), Prim("add", (Var(place), Lit(1)))))

    k = Block()
    z = k.name("init", p.thread(s, Fst(Var(sd)), Lit(0), init, dual))
    k.lets.append((e.x, Fst(z)))
    y = k.name("y", K2(types, n).term(e.body))
    x, u = Snd(Var(sd)), y
    one: Term = x
    if dot:
        zeros = Leaves("initZeros", lambda r: Pair(r, Con("Zero", (), DELTA2)), same, dual)
        d0 = k.name("d", p.map(dt, x, zeros))
        q = Polytypic(source.decls)
        inner = q.close(q.dot(dt, y, d0))
        inner_types = types_of(inner, {y.name: dt, d0.name: dt}, source.decls)
        one, u = Lit(1.0), k.name("dot", K2(inner_types, n).term(inner))
    value = k.name("t", p.map(dt, y, Leaves("primal", Fst, dual, same)))
    u = k.name("u", Snd(u))
    fm, i, rec, q = fresh("w"), fresh("i"), eval2(), Polytypic(source.decls)
    arms = (*(MatchArm(c, tuple(fresh("_") for _ in fs), Lit(0.0)) if c != "OneHot" else
              MatchArm(c, (i,), op("get", Var(fm), Var(i))) for c, fs in DELTA2_DECL.constructors),)
    looked = q.map(s, Var(e.x), Leaves("lookup", lambda d: Match(Snd(d), arms), dual, same))
    vector = op("alloc", Snd(z), Lit(0.0))
    back = LetRec((rec,), Let(
        fm, App(Var(rec.f), Pair(Pair(one, u), vector)), q.close(looked)))
    out = Lam(sd, Prod(s, dt), p.close(lets(k.lets, Pair(value, Lam(fresh("_"), ONE, back)))))
    decls = (*source.decls, DELTA2_DECL, *dual_decls(source.decls, n))
    found = check(out, (), decls, LIBRARY)
    assert found == Fun(Prod(s, dt), Prod(dt, Fun(ONE, s))), found
    return out


def run(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Run a program by the method, as the driver asks."""
    return execute(deeply(lambda: wrap(source)), source, args, seed, Machine())


def gradient(
    source: Source, args: tuple[object, ...], seed: object
) -> tuple[object, tuple[object, ...]]:
    """Return the value and the cotangents."""
    out = run(source, args, seed)
    return out.value, out.cotangents


def delta_of(source: Source, args: tuple[object, ...]) -> ConV:
    """The Delta of a program with a real result at these arguments."""
    out = deeply(lambda: wrap(source))
    shown = App(Lam(out.x, out.type, expose(out.body)), Var("in"))
    found, _ = evaluate(shown, {"in": (tuple_value(*args), 1.0)}, LIBRARY)
    assert isinstance(found, ConV)
    return found


register(Method(
    "delta.symbolic", "K2: symbolic tangents, sharing lost (Figs. 7, 8)",
    DELTA_SOURCE, run))
__all__ = ["DELTA2", "K2", "delta_of", "eval2", "gradient", "show_delta", "wrap"]
