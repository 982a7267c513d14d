"""Interleave: an input as dual numbers (Smeding & Vákár, Fig. 7, section 9; Fig. 9).

    Inter_R (x,d) = the leaf of the stage       Inter_Z (n,d) = n       Inter_1 ((),d) = ()
    Inter_{s*t} ((x,y),d) = (Inter_s (x, \\_z. d (z, 0)), Inter_t (y, \\_z. d (0, z)))
    Inter_{s+t} (inl x, d) = inl (Inter_s (x, \\_z. d (inl z)))
    after the Cayley transform: \\_f. d (\\(v,w). (f v, w)), \\_f. d (\\(v,w). (v, f w))

Arrays and declared types follow the same pattern. From section 6 on, there is no d
(``dual.rebuild``).

>>> from pullback.papers.language.terms import Z
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.dual.types import Duals
>>> b = Block()
>>> pair = Interleave(Duals(Prod(R, R)), ()).go(b, Prod(R, Z), Var("x"), Var("d"))
>>> print(show(b.close(pair), 90))
let x1 = fst x in
let d1 = \\_z:R. d (z, 0_c (snd x)) in
let x2 = snd x in let d2 = \\_z:1. d (0_c (fst x), z) in (x1, d1, x2)
>>> b = Block()
>>> pair = Interleave(Duals(Prod(R, R)), (), update=True).go(b, Prod(R, R), Var("x"), Var("d"))
>>> print(show(b.close(pair), 90))
let x1 = fst x in
let d1 = \\_f:R -> R. d (\\v:R * R. (f (fst v), snd v)) in
let x2 = snd x in
let d2 = \\_f:R -> R. d (\\v:R * R. (fst v, f (snd v))) in (x1, d1, (x2, d2))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from pullback.core.frozen import dataclass
from pullback.papers.dual.block import Block
from pullback.papers.dual.generic import Generic, cot, each, error, indices, only, zero
from pullback.papers.dual.types import cotangent
from pullback.papers.language.build import lam, op
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
    Match,
    MatchArm,
    Op,
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
    Z,
    fresh,
)
from pullback.papers.methods import Unsupported


@dataclass
class Interleave(Generic):
    """Inter with a function d from where the value is: for one-hot vectors (``update`` False),
    d : t' -o target; for changes, d : (t' -> t') -o target. ``leaf(b, x, d)`` is Inter_R."""

    leaf: Callable[[Block, Term, Term], Term] = lambda b, x, d: Pair(x, d)
    target: Type = R
    update: bool = False

    def place(self, t: Type) -> Type:
        """Return the argument of d."""
        return Fun(cotangent(t), cotangent(t)) if self.update else cotangent(t)

    def child(
        self, d: Term, part: Type, whole: Type,
        put: Callable[[Term], Term], change: Callable[[Term, Term], Term],
    ) -> Term:  # fmt: skip
        """Return the d of a component: ``put z`` is the whole with z in its place and 0 elsewhere,
        ``change f v`` the whole v with f applied in its place."""
        if self.update:
            return lam("f", self.place(part), lambda f: App(d, lam(
                "v", cotangent(whole), lambda v: change(f.t, v.t))), kind="-o")
        return lam("z", cotangent(part), lambda z: App(d, put(z.t)), kind="-o")

    def go(self, b: Block, t: Type, x: Term, d: Term) -> Term:
        x, d = b.atom("x", x), b.atom("d", d)
        match t:
            # Inter_R (x,d): the leaf of the stage
            case Real():
                return self.leaf(b, x, d)
            # Inter_Z (n,d) = n      Inter_1 ((),d) = ()
            case Int() | Unit():
                return x
            # Fig. 7: Inter_{s*t} ((x,y),d) = (Inter_s (x, \_z. d (z,0)),
            #                                  Inter_t (y, \_z. d (0,z)))
            # Fig. 9: .. (Inter_s (x, \_f. d (\(v,w). (f v,w))),
            #             Inter_t (y, \_f. d (\(v,w). (v,f w))))
            case Prod(s, r):
                left = self.go(b, s, Fst(x), self.child(
                    d, s, t, lambda z: Pair(z, zero(Snd(x))),
                    lambda f, v: Pair(App(f, Fst(v)), Snd(v))))
                right = self.go(b, r, Snd(x), self.child(
                    d, r, t, lambda z: Pair(zero(Fst(x)), z),
                    lambda f, v: Pair(Fst(v), App(f, Snd(v)))))
                return Pair(left, right)
            # Section 9: Inter_{s+t} (inl x, d) = inl (Inter_s (x, \_z. d (inl z))); with changes
            # \_f. d (\v. case v of {inl p -> inl (f p); inr _ -> error})
            case Plus(s, r):
                return self.plus(b, t, s, r, x, d)
            # the same for every element of an array, and every field of a constructor
            case Arr(s):
                return self.array(b, s, x, d)
            case Data():
                kind = self.stateful(t, Fun(self.place(t), self.target, "-o"), self.dual(t))
                return b.call("y", self.function("inter", t, kind, lambda: self.data(t)), x, d)
            case _:
                raise Unsupported("dual numbers: an argument that holds functions")

    def plus(self, b: Block, t: Plus, s: Type, r: Type, x: Term, d: Term) -> Term:
        v, w = fresh("v"), fresh("w")
        cs, cr = cotangent(s), cotangent(r)

        def inl(c: Block) -> Term:
            return Inl(self.go(c, s, Var(v), self.child(
                d, s, t, lambda z: Inl(z, cr), lambda f, u: Case(
                    u, "p", Inl(App(f, Var("p")), cr), "q", error(Plus(cs, cr))))), self.dual(r))

        def inr(c: Block) -> Term:
            return Inr(self.go(c, r, Var(w), self.child(
                d, r, t, lambda z: Inr(z, cs), lambda f, u: Case(
                    u, "p", error(Plus(cs, cr)), "q", Inr(App(f, Var("q")), cs)))), self.dual(s))

        return b.run("s", Case(x, v, self.branch(b, inl), w, self.branch(b, inr)))

    def array(self, b: Block, s: Type, x: Term, d: Term) -> Term:
        def element(c: Block, k: Term) -> Term:
            def put(z: Term) -> Term:
                return each(k, Op("length", (x,)), z, lambda j: zero(op("index", x, j)))

            def change(f: Term, v: Term) -> Term:
                return each(k, Op("length", (v,)), App(f, op("index", v, k)), lambda j: op(
                    "index", v, j))

            return self.go(c, s, op("index", x, k), self.child(d, s, Arr(s), put, change))

        return self.traverse(b, indices(x), Z, element)

    def data(self, t: Data) -> Lam:
        x, d = fresh("x"), fresh("d")

        def body(b: Block) -> Term:
            return b.run("y", Match(Var(x), tuple(
                self.arm(b, t, c, fields, Var(d)) for c, fields in self.fields(t))))

        return Lam(x, t, Lam(d, Fun(self.place(t), self.target, "-o"), self.body(body)))

    def arm(self, b: Block, t: Data, con: str, fields: tuple[Type, ...], d: Term) -> MatchArm:
        names = tuple(fresh("x") for _ in fields)

        def one(c: Block, k: int) -> Term:
            def put(z: Term) -> Term:
                return Con(con, tuple(
                    z if j == k else zero(Var(y)) for j, y in enumerate(names)), cot(t))

            def change(f: Term, v: Term) -> Term:
                return only(con, self.fields(t), cot(t), v, lambda vs: Con(con, tuple(
                    App(f, w) if j == k else w for j, w in enumerate(vs)), cot(t)))

            return self.go(c, fields[k], Var(names[k]), self.child(d, fields[k], t, put, change))

        return MatchArm(con, names, self.branch(b, lambda c: Con(
            con, tuple(one(c, k) for k in range(len(fields))), cast(Data, self.dual(t)))))
