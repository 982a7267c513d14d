"""S: sums, declared types and recursion (The Differentiable Curry, section 6.2).

    inl x = (inl x, \\g. from_inl g)              roll x = (roll x, \\g. g)
    case f g (d, inl x) = let (y, pf) = f (d, x) in (y, \\g. let (gd, gx) = pf g in (gd, inl gx))
    rec f t = (new_g, new_pb), as curry f' where f' knows itself: f' (t, s) = f ((t, new_g), s)

>>> from pullback.papers.curry.combinators import rep
>>> from pullback.papers.curry.simple import simple
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.language.terms import ONE, R
>>> print(show(simple(Op("inl", (), (R, ONE)))))
\\x:R. (inl x, \\_g:R + 1. from_inl g 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pullback.papers.curry.call_lists import SIMPLE, T, back, s
from pullback.papers.curry.sum_tangents import injected_sum, part, rolled_back
from pullback.papers.curry.tangents import named, plus, zero
from pullback.papers.language.build import E, app, case, lam, let, let_pair
from pullback.papers.language.terms import (
    App,
    Foldl,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    LetRec,
    Op,
    Pair,
    Plus,
    Prod,
    Rec,
    Snd,
    Term,
    Type,
    Var,
    fresh,
)


def of_sums(t: Op, a: Type, c: Type, fs: Sequence[Term]) -> Term:
    """S{t}, a ~> c, of the combinators for sums, declared types and recursion."""
    match t.name:
        # inl x = (inl x, \g. from_inl g)
        case "inl" | "inr":
            return lam("x", s(a), lambda x: injection(t.name, a, c, x))
        # case f g (d, inl x) = let (y, pf) = f (d, x) in
        #     (y, \g. let (gd, gx) = pf g in (gd, inl gx))
        case "case":
            return named(fs, lambda f, g: lam("p", s(a), lambda p: cases(f, g, a, c, p)))
        # roll x = (roll x, \g. g)
        case "roll" | "unroll":
            return lam("x", s(a), lambda x: Pair(Op(t.name, (x.t,), t.static), back(
                c, lambda g: rolled_back(t.name, a, x, g, SIMPLE))))
        # rec f t = (new_g, new_pb)
        case _:
            return named(fs, lambda f: rec(f, a, c))


def injection(name: str, a: Type, c: Type, x: E) -> Term:
    """inl x = (inl x, \\g. the part of g)."""
    assert isinstance(c, Plus)
    value = Inl(x.t, s(c.right)) if name == "inl" else Inr(x.t, s(c.left))
    return Pair(value, back(c, lambda g: part(name, a, c, x, g, SIMPLE)))


def cases(f: E, g: E, a: Type, c: Type, p: E) -> Term:
    """case f g p."""
    assert isinstance(a, Prod) and isinstance(a.right, Plus)
    sum_ = a.right

    def arm(h: E, x: E, index: int) -> Term:
        return let_pair(("y", "ph"), h(Pair(Fst(p.t), x.t)), lambda y, ph: Pair(y.t, back(
            c, lambda gy: let_pair(("gd", "gx"), app(ph, gy), lambda gd, gx: Pair(
                gd.t, injected_sum(index, sum_, gx.t, SIMPLE))))))

    return case(Snd(p.t), "x", lambda x: arm(f, x, 0), "y", lambda y: arm(g, y, 1))


def rec(f: E, a: Type, g: Type) -> Term:
    """rec f t = (new_g, new_pb), as curry, of a function that knows itself."""
    assert isinstance(g, Fun)
    b, c = g.arg, g.result
    new_g, new_pb = fresh("new_g"), fresh("new_pb")

    # new_g x = let (r, pb) = f ((t, new_g), x) in (r, \gr. snd (pb gr))
    def again(t: E) -> Lam:
        return lam("s", s(b), lambda x: let_pair(
            ("r", "pb"), f(Pair(Pair(t.t, Var(new_g)), x.t)),
            lambda r, pb: Pair(r.t, back(c, lambda gr: Snd(app(pb, gr))))))

    # new_pb grs = sum [gt + new_pb gf | (s, gr) <- grs, ((gt, gf), _) = snd (f ((t, new_g), s)) gr]
    def of_calls(t: E) -> Lam:
        acc, call = fresh("acc"), fresh("call")
        aux = Fst(app(Snd(app(f, Pair(Pair(t.t, Var(new_g)), Fst(Var(call))))), Snd(Var(call))))
        step = let("u", aux, lambda u: let("v", App(Var(new_pb), Snd(u.t)), lambda v: let(
            "w", plus(a, Var(acc), v.t, SIMPLE), lambda w: plus(a, w.t, Fst(u.t), SIMPLE))))
        return lam("g", T(g), lambda grs: Foldl(acc, call, step, zero(a, t.t, SIMPLE), grs.t))

    return lam("t", s(a), lambda t: LetRec(
        (Rec(new_g, cast(Fun, s(g)), again(t)),),
        LetRec((Rec(new_pb, Fun(T(g), T(a)), of_calls(t)),), Pair(
            Var(new_g), Op("homomorphism", (lam("g", T(g), lambda grs: App(
                Var(new_pb), grs.t)),))))))
