"""Functions of two values of one shape, by type (Krawiec et al., Figs. 1 and 16).

    s ⊕_R t = s + t       k ⊕_K _ = k        on two shapes: an error
    s ⊙_R t = s * t       k ⊙_K _ = 0        the sum over the parts

>>> from pullback.papers.language.terms import Z
>>> from pullback.papers.language.pretty import show
>>> print(show(Zips(()).plus(Prod(R, Z), Var("s"), Var("t"))))
let z = s in let w = t in (fst z + fst w, snd z)
>>> print(show(Zips(()).dot(Prod(R, Prod(Z, R)), Var("s"), Var("t"))))
let z = s in
let w = t in fst z * fst w + (let z1 = snd z in let w1 = snd w in 0 + snd z1 * snd w1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from pullback.papers.delta.families import Families
from pullback.papers.language.build import lets
from pullback.papers.language.terms import (
    EV,
    EVM,
    Arr,
    Case,
    Con,
    Data,
    Exists,
    Foldl,
    Forall,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Let,
    Lit,
    Match,
    MatchArm,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    R,
    Real,
    Snd,
    Term,
    TVar,
    Type,
    Unit,
    Var,
    ZipWith,
    fresh,
)
from pullback.papers.methods import Unsupported


class Zips(Families):
    """⊕ and ⊙."""

    def plus(self, t: Type, s: Term, u: Term) -> Term:
        """s ⊕_t u."""
        return self.zip("plus", t, t, s, u, dot=False)

    def dot(self, t: Type, s: Term, u: Term) -> Term:
        """s ⊙_t u : R."""
        return self.zip("dot", t, R, s, u, dot=True)

    def zip(self, name: str, t: Type, result: Type, x: Term, y: Term, dot: bool) -> Term:
        """Return ⊙ (``dot``) or ⊕ of two values of one shape."""

        def go(t: Type, x: Term, y: Term) -> Term:
            return self.zip(name, t, R if dot else t, x, y, dot)

        mismatch = Op("error", (), (result, "two values of different shapes"))
        match t:
            # s ⊕ t = s + t      s ⊙ t = s * t
            case Real():
                return Prim("mul" if dot else "add", (x, y))
            # k ⊕ _ = k          k ⊙ _ = 0
            case Int() | Unit():
                return Lit(0.0) if dot else x
            # (s,s') ⊕ (t,t') = (s ⊕ t, s' ⊕ t')      ⊙: s ⊙ t + s' ⊙ t'
            case Prod(a, b):
                z, w = fresh("z"), fresh("w")
                p, q = go(a, Fst(Var(z)), Fst(Var(w))), go(b, Snd(Var(z)), Snd(Var(w)))
                return lets([(z, x), (w, y)], Prim("add", (p, q)) if dot else Pair(p, q))
            # inl s ⊕ inl t = inl (s ⊕ t), inl s ⊙ inl t = s ⊙ t, inr likewise, else an error
            case Plus(a, b):
                v, w, k, m, o = (fresh(n) for n in ("a", "b", "a", "b", "o"))
                left, right = go(a, Var(v), Var(k)), go(b, Var(w), Var(m))
                return Let(o, y, Case(
                    x, v, Case(Var(o), k, left if dot else Inl(left, b), fresh("_"), mismatch),
                    w, Case(Var(o), fresh("_"), mismatch, m, right if dot else Inr(right, a))))
            # zipWith ⊕; of ⊙ the sum
            case Arr(a):
                v, w, acc, e = fresh("v"), fresh("w"), fresh("s"), fresh("e")
                each = ZipWith(v, w, go(a, Var(v), Var(w)), x, y)
                return Foldl(
                    acc, e, Prim("add", (Var(acc), Var(e))), Lit(0.0), each) if dot else each
            # C s1..sn ⊕ C t1..tn = C (s1 ⊕ t1) .. (sn ⊕ tn); of ⊙ the sum
            case Data():

                def arms(p: Term) -> Term:
                    out = []
                    for c, fs in self.fields(t):
                        left = tuple(fresh("f") for _ in fs)
                        inner = []
                        for other, gs in self.fields(t):
                            right = tuple(fresh("g") for _ in gs)
                            body: Term = mismatch
                            if c == other:
                                parts = tuple(
                                    go(a, Var(v), Var(w))
                                    for a, v, w in zip(fs, left, right, strict=False)
                                )
                                body = total(parts) if dot else Con(c, parts, t)
                            inner.append(MatchArm(other, right, body))
                        out.append(MatchArm(c, left, Match(Snd(p), tuple(inner))))
                    return Match(Fst(p), tuple(out))

                return self.call(name, t, Fun(Prod(t, t), result), arms, Pair(x, y))
            case Fun() | TVar() | Forall() | Exists() | EV() | EVM():
                raise Unsupported("delta: the arguments and the result may not hold functions")
            case _:
                assert_never(t)


def total(parts: Sequence[Term]) -> Term:
    """t1 + t2 + ..., 0 if there is none."""
    if not parts:
        return Lit(0.0)
    out = parts[0]
    for t in parts[1:]:
        out = Prim("add", (out, t))
    return out
