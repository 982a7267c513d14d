"""E: sums, declared types and recursion (The Differentiable Curry, section 6.2).

    inl = exT () (\\x. (inl x, \\g. ((), from_inl g)))
    case (exT τf f) (exT τg g) = exT (τf, τg) h        the branch that is not taken has a zero
    rec (exT τ f) = exT τ new_f     new_f t = letrec code in (exT (τ, T[t]) code, \\env. env)

>>> from pullback.papers.curry.dependent import dependent
>>> from pullback.papers.curry.environments import LIBRARY
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.language.terms import ONE, R
>>> print(show(dependent(Op("inl", (), (R, ONE))), library=LIBRARY))
((), \\x:R. (inl x, \\_g:R + 1. ((), from_inl g)))
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.curry.environments import DEPENDENT, ENV, T, e
from pullback.papers.curry.exists import back, both, closed, env
from pullback.papers.curry.sum_tangents import injected_sum, part, rolled_back
from pullback.papers.curry.tangents import named
from pullback.papers.language.build import E, app, case, lam, let, let_pair, op
from pullback.papers.language.terms import (
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
    """E{t}, a ~> c, of the combinators for sums, declared types and recursion."""
    match t.name:
        # inl = exT () (\x. (inl x, \g. ((), from_inl g)))
        case "inl" | "inr":
            assert isinstance(c, Plus)
            sum_ = c
            return closed("x", a, c, lambda x: (
                Inl(x.t, e(sum_.right)) if t.name == "inl" else Inr(x.t, e(sum_.left))),
                lambda x, g: part(t.name, a, sum_, x, g, DEPENDENT))
        # case (exT τf f) (exT τg g) = exT (τf, τg) h
        case "case":
            return named(fs, lambda f, g: cases(f, g, a, c))
        # roll = exT () (\x. (roll x, \g. ((), g)))
        case "roll" | "unroll":
            return closed("x", a, c, lambda x: Op(t.name, (x.t,), t.static),
                          lambda x, g: rolled_back(t.name, a, x, g, DEPENDENT))
        # rec (exT τ f) = exT τ new_f
        case _:
            return named(fs, lambda f: rec(f, a, c))


def cases(f: E, g: E, a: Type, c: Type) -> Term:
    """case (exT τf f) (exT τg g) = exT (τf, τg) h; the branch that is not taken has a zero."""
    assert isinstance(a, Prod) and isinstance(a.right, Plus)
    sum_ = a.right

    # h (d, inl x) = let (y, pf) = f (d, x) in (y, \gc. ((ef, 0), (gd, inl gx))) where
    # (ef, (gd, gx)) = pf gc
    def arm(h: E, other: E, w: E, p: E, x: E, index: int) -> Term:
        def envs(eh: E) -> Term:
            unused = Op("zero_env", (Fst(other.t),))
            return env(w, Pair(unused, eh.t) if index else Pair(eh.t, unused))

        return let_pair(("y", "ph"), app(Snd(h.t), Pair(Fst(p.t), x.t)), lambda y, ph: Pair(
            y.t, back(c, lambda gc: let_pair(("eh", "gp"), app(ph, gc), lambda eh, gp: Pair(
                envs(eh), Pair(Fst(gp.t), injected_sum(index, sum_, Snd(gp.t), DEPENDENT)))))))

    return both(f, g, lambda w: lam("p", e(a), lambda p: case(
        Snd(p.t), "x", lambda x: arm(f, g, w, p, x, 0),
        "y", lambda y: arm(g, f, w, p, y, 1))))


def rec(f: E, a: Type, g: Type) -> Term:
    """rec (exT τ f) = exT τ new_f."""
    assert isinstance(g, Fun)
    b, c = g.arg, g.result
    code = fresh("code")
    target = e(g)
    assert isinstance(target, Prod) and isinstance(target.right, Fun)
    kind = target.right

    # code s = let (r, pb) = f ((t, exT w code), s) in
    #     (r, \gr. let (cte, ((ctt, ctf), cts)) = pb gr in ((cte, ctt) + ctf, cts))
    # The function's own tangent ctf, of the calls inside, is again one of its environment.
    def again(t: E, w: E) -> Lam:
        return lam("s", e(b), lambda s: let_pair(
            ("r", "pb"), app(Snd(f.t), Pair(Pair(t.t, Pair(w.t, Var(code))), s.t)),
            lambda r, pb: Pair(r.t, back(c, lambda gr: let_pair(
                ("cte", "ct"), app(pb, gr), lambda cte, ct: let_pair(
                    ("ctt", "ctf"), Fst(ct.t), lambda ctt, ctf: Pair(
                        Op("plus_env", (env(w, Pair(cte.t, ctt.t)), ctf.t)), Snd(ct.t))))))))

    # new_f t = letrec code in (exT (τ, T[t]) code, \env. env)
    new_f = lam("t", e(a), lambda t: let(
        "w", op("ty_pair", Fst(f.t), op("ty_of", t, static=(a,))), lambda w: LetRec(
            (Rec(code, kind, again(t, w)),), Pair(Pair(w.t, Var(code)), back(
                g, lambda d: Op("open", (d,), (Prod(ENV, T(a)),)))))))
    return Pair(Fst(f.t), new_f)
