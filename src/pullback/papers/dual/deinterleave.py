"""Deinterleave: a result's value and backpropagator (Smeding & Vákár, Fig. 7, section 9).

    Deinter_R (x,d) = (x, d), or what the stage has for d
    Deinter_1 () = ((), \\_z. 0)        Deinter_Z n = (n, \\_z. 0)
    Deinter_{s*t} (x,y) = let (x1,x2) = Deinter_s x in let (y1,y2) = Deinter_t y in
                          ((x1,y1), \\_z. x2 (fst z) + y2 (snd z))
    Deinter_{s+t} (inl x) = let (v,d) = Deinter_s x in
                            (inl v, \\_z. case z of {inl w -> d w; inr _ -> error})

>>> from pullback.papers.language.build import op
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.dual.types import Duals
>>> deinter = Deinterleave(Duals(Prod(R, R)), (), zero=lambda: op("0_c", Var("x")),
...                        plus=lambda p, q: op("+_c", p, q))
>>> b = Block()
>>> print(show(b.close(Pair(*deinter.go(b, Prod(R, R), Var("x")))), 90))
let x1 = fst x in
let y = fst x1 in
let d = snd x1 in
let x2 = snd x in
let y1 = fst x2 in let d1 = snd x2 in (y, y1, \\_z:R * R. +_c (d (fst z)) (d1 (snd z)))
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.frozen import dataclass
from pullback.papers.dual.block import Block
from pullback.papers.dual.generic import Generic, error, only
from pullback.papers.dual.types import cotangent
from pullback.papers.language.build import lam
from pullback.papers.language.terms import (
    App,
    Arr,
    Case,
    Con,
    Data,
    Foldl,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Lam,
    Map,
    Match,
    MatchArm,
    Nil,
    Pair,
    Plus,
    Prod,
    R,
    Real,
    Snd,
    Term,
    Type,
    Unit,
    Var,
    ZipWith,
    fresh,
)
from pullback.papers.methods import Unsupported


@dataclass
class Deinterleave(Generic):
    """Deinter: ``leaf(x)`` is the second half of Deinter_R x, ``zero`` and ``plus`` combine them at
    the type ``target``."""

    leaf: Callable[[Term], Term] = Snd
    target: Type = R
    zero: Callable[[], Term] = Nil
    plus: Callable[[Term, Term], Term] = Pair

    def back(self, t: Type, make: Callable[[Term], Term]) -> Term:
        return lam("z", cotangent(t), lambda z: make(z.t), kind="-o")

    def go(self, b: Block, t: Type, x: Term) -> tuple[Term, Term]:
        x = b.atom("x", x)
        match t:
            # Deinter_R (x,d) = (x, d), or what the stage has for d
            case Real():
                return Fst(x), self.leaf(x)
            # Deinter_1 () = ((), \_z. 0)      Deinter_Z n = (n, \_z. 0)
            case Int() | Unit():
                return x, self.back(t, lambda z: self.zero())
            # Deinter_{s*t} (x,y) = ((x1,y1), \_z. x2 (fst z) + y2 (snd z))
            case Prod(s, r):
                y1, d1 = self.named(b, s, Fst(x))
                y2, d2 = self.named(b, r, Snd(x))
                return Pair(y1, y2), self.back(t, lambda z: self.plus(
                    App(d1, Fst(z)), App(d2, Snd(z))))
            # Deinter_{s+t} (inl x) = (inl v, \_z. case z of {inl w -> d w; inr _ -> error})
            case Plus(s, r):
                y = b.name("y", self.case(t, s, r, x))
            # the elements one by one, the cotangents added up; so the fields of constructors
            case Arr(s):
                return self.array(b, s, x)
            case Data():
                kind = Fun(self.dual(t), Prod(t, Fun(cotangent(t), self.target, "-o")))
                y = b.name("y", App(self.function("deinter", t, kind, lambda: self.data(t)), x))
            case _:
                raise Unsupported("dual numbers: a result that holds functions")
        return Fst(y), Snd(y)

    def named(self, b: Block, t: Type, x: Term) -> tuple[Term, Term]:
        y, d = self.go(b, t, x)
        return b.atom("y", y), b.atom("d", d)

    def alone(self, make: Callable[[Block], tuple[Term, Term]]) -> Term:
        b = Block()
        return b.close(Pair(*make(b)))

    def case(self, t: Type, s: Type, r: Type, x: Term) -> Term:
        v, w = fresh("v"), fresh("w")

        def inl(b: Block) -> tuple[Term, Term]:
            y, d = self.named(b, s, Var(v))
            return Inl(y, r), self.back(t, lambda z: Case(
                z, "p", App(d, Var("p")), "q", error(self.target)))

        def inr(b: Block) -> tuple[Term, Term]:
            y, d = self.named(b, r, Var(w))
            return Inr(y, s), self.back(t, lambda z: Case(
                z, "p", error(self.target), "q", App(d, Var("q"))))

        return Case(x, v, self.alone(inl), w, self.alone(inr))

    def array(self, b: Block, s: Type, x: Term) -> tuple[Term, Term]:
        e, q, w, acc = fresh("x"), fresh("q"), fresh("w"), fresh("acc")
        both = b.name("y", Map(e, self.alone(lambda c: self.go(c, s, Var(e))), x))
        return Map(q, Fst(Var(q)), both), self.back(Arr(s), lambda z: Foldl(
            acc, e, self.plus(Var(acc), Var(e)), self.zero(),
            ZipWith(q, w, App(Snd(Var(q)), Var(w)), both, z)))

    def data(self, t: Data) -> Lam:
        x = fresh("x")

        def arm(con: str, fields: tuple[Type, ...]) -> MatchArm:
            names = tuple(fresh("x") for _ in fields)

            def inside(b: Block) -> tuple[Term, Term]:
                made = [self.named(b, f, Var(y)) for f, y in zip(fields, names, strict=True)]

                def back(vs: list[Term]) -> Term:
                    total = [App(d, v) for (_, d), v in zip(made, vs, strict=True)]
                    out = total[0] if total else self.zero()
                    for p in total[1:]:
                        out = self.plus(out, p)
                    return out

                return Con(con, tuple(y for y, _ in made), t), self.back(t, lambda z: only(
                    con, self.fields(t), self.target, z, back))

            return MatchArm(con, names, self.alone(inside))

        return Lam(x, self.dual(t), Match(Var(x), tuple(
            arm(c, fields) for c, fields in self.fields(t))))
