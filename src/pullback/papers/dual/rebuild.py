"""Interleave with a rebuilder (Smeding & Vákár, sections 6 and 7, and 9).

    Inter_R x = \\i. (the leaf of the stage)            Inter_Z n: \\g. ()       Inter_1: \\g. ()
    Inter_{s*t} (x,y): \\g. (f1 g, f2 g)               Inter_{s+t} (inl x): \\g. inl (f g)

Beside its value Interleave gives a function that makes the cotangent of the input from those of
its scalars: g is a map or an array.

>>> from pullback.papers.language.terms import R, Z
>>> from pullback.papers.language.build import op
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.dual.types import Duals
>>> n, b = Duals(Prod(R, Z), Z), Block(Var("i"))
>>> leaf = lambda b, x: (Pair(x, Var("i")), lam("g", Arr(R), lambda g: op("index", g, Var("i"))))
>>> value, rebuild = Rebuilding(n, (), leaf=leaf, source=Arr(R)).go(b, Prod(R, Z), Var("x"))
>>> b.state = None
>>> print(show(b.close(Pair(value, rebuild)), 90))
let x1 = fst x in
let f = \\g:Arr R. g ! i in
let x2 = snd x in let f1 = \\g:Arr R. () in (x1, i, x2, \\g:Arr R. (f g, f1 g))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from pullback.core.frozen import dataclass
from pullback.papers.dual.block import Block
from pullback.papers.dual.generic import Generic, cot
from pullback.papers.dual.types import cotangent
from pullback.papers.language.build import lam
from pullback.papers.language.terms import (
    App,
    Arr,
    Case,
    Con,
    Data,
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
    fresh,
)
from pullback.papers.methods import Unsupported


@dataclass
class Rebuilding(Generic):
    """Inter from section 6 on: ``leaf(b, x)`` is Inter_R, a dual number and its rebuilder, a
    function of ``source`` (a map or an array of the scalars' cotangents)."""

    leaf: Callable[[Block, Term], tuple[Term, Term]] = lambda b, x: (x, x)
    source: Type = R

    def function_of(self, make: Callable[[Term], Term]) -> Term:
        return lam("g", self.source, lambda g: make(g.t))

    def both(self, t: Type) -> Prod:
        return Prod(self.dual(t), Fun(self.source, cotangent(t)))

    def go(self, b: Block, t: Type, x: Term) -> tuple[Term, Term]:
        x = b.atom("x", x)
        match t:
            # Inter_R x = \i. (the leaf of the stage)
            case Real():
                return self.leaf(b, x)
            # Inter_Z n, Inter_1: \g. ()
            case Int() | Unit():
                return x, self.function_of(lambda g: Nil())
            # Inter_{s*t} (x,y): \g. (f1 g, f2 g)
            case Prod(s, r):
                left, f1 = self.go(b, s, Fst(x))
                f1 = b.atom("f", f1)
                right, f2 = self.go(b, r, Snd(x))
                f2 = b.atom("f", f2)
                return Pair(left, right), self.function_of(lambda g: Pair(App(f1, g), App(f2, g)))
            # Inter_{s+t} (inl x): \g. inl (f g)
            case Plus():
                z = b.atom("y", b.run("s", self.plus(b, t, x)))
            # the same for every element of an array, and every field of a constructor
            case Arr(s):
                q, g = fresh("q"), fresh("g")
                z = b.atom("y", self.traverse(b, x, s, lambda c, e: Pair(*self.go(c, s, e))))
                return Map(q, Fst(Var(q)), z), Lam(
                    g, self.source, Map(q, App(Snd(Var(q)), Var(g)), z))
            case Data():
                f = self.function("inter", t, self.stateful(t, self.both(t)), lambda: self.data(t))
                z = b.atom("y", b.call("s", f, x))
            case _:
                raise Unsupported("dual numbers: an argument that holds functions")
        return Fst(z), Snd(z)

    def plus(self, b: Block, t: Plus, x: Term) -> Term:
        v, w = fresh("v"), fresh("w")
        cs, cr = cotangent(t.left), cotangent(t.right)

        def inl(c: Block) -> Term:
            y, f = self.go(c, t.left, Var(v))
            f = c.atom("f", f)
            return Pair(Inl(y, self.dual(t.right)), self.function_of(lambda g: Inl(App(f, g), cr)))

        def inr(c: Block) -> Term:
            y, f = self.go(c, t.right, Var(w))
            f = c.atom("f", f)
            return Pair(Inr(y, self.dual(t.left)), self.function_of(lambda g: Inr(App(f, g), cs)))

        return Case(x, v, self.branch(b, inl), w, self.branch(b, inr))

    def data(self, t: Data) -> Lam:
        x = fresh("x")

        def arm(b: Block, con: str, fields: tuple[Type, ...]) -> MatchArm:
            names = tuple(fresh("x") for _ in fields)

            def inside(c: Block) -> Term:
                made = []
                for f, y in zip(fields, names, strict=True):
                    dual, rebuild = self.go(c, f, Var(y))
                    made.append((c.atom("y", dual), c.atom("f", rebuild)))
                return Pair(
                    Con(con, tuple(y for y, _ in made), cast(Data, self.dual(t))),
                    self.function_of(lambda g: Con(con, tuple(App(f, g) for _, f in made), cot(t))))

            return MatchArm(con, names, self.branch(b, inside))

        return Lam(x, t, self.body(lambda b: b.run("y", Match(
            Var(x), tuple(arm(b, c, fields) for c, fields in self.fields(t))))))
