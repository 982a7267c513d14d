"""Functions of one value, by type (Krawiec et al., Figs. 1 and 16).

    r ⊗_R s = r * s       r ⊗_K k = k        homomorphic on pairs, sums, arrays, data
    primal (x,_) = x      initZeros r = (r, Zero)      lookup fm (_,Var i) = lookupOrZero i fm
    initVars_R (r,n) = ((r, Var (n+1)), n+1)           the last used id comes back

>>> from pullback.papers.language.terms import R, Z
>>> from pullback.papers.language.pretty import show
>>> print(show(Maps(()).times(Prod(R, Plus(R, Z)), Var("r"), Var("s"))))
let z = s in (mulz r (fst z), case snd z of {inl a -> inl (mulz r a); inr b -> inr b})
>>> dual = Leaves("primal", Fst, same, same)
>>> print(show(Maps(()).map(Prod(Prod(R, Z), Arr(R)), Var("x"), dual)))
let z = x in (let z1 = fst z in (fst (fst z1), snd z1), map (v. fst v) (snd z))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never, cast

from pullback.papers.delta.families import Families, Leaves, same
from pullback.papers.language.build import lets
from pullback.papers.language.terms import (
    EV,
    EVM,
    Arr,
    Case,
    Con,
    Data,
    Exists,
    Forall,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Lam,
    Let,
    Lit,
    Map,
    Match,
    MatchArm,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    Real,
    Snd,
    Term,
    TVar,
    Type,
    Unit,
    Var,
    Z,
    ZipWith,
    fresh,
)
from pullback.papers.methods import Unsupported


class Maps(Families):
    """⊗, zeros, and what else is homomorphic but at reals."""

    def times(self, t: Type, r: Term, s: Term) -> Term:
        """r ⊗_t s. A partial that is infinite or NaN, such as that of x ** 2 by the exponent, takes
        no part where the tangent is 0."""
        return self.map(t, s, Leaves("times", lambda x: Prim("mulz", (r, x)), same, same))

    def zeros(self, t: Type, s: Term) -> Term:
        """zeros_t, in the shape of s: at a sum it depends on the value (section 5.2)."""
        return self.map(t, s, Leaves("zeros", lambda x: Lit(0.0), same, same))

    def map(self, t: Type, x: Term, f: Leaves) -> Term:
        """f_t x."""
        match t:
            # f_R x: the leaf
            case Real():
                return f.leaf(x)
            # f_K k = k
            case Int() | Unit():
                return x
            # f_{A*B} (x,y) = (f_A x, f_B y)
            case Prod(a, b):
                z = fresh("z")
                return Let(z, x, Pair(self.map(a, Fst(Var(z)), f), self.map(b, Snd(Var(z)), f)))
            # f_{A+B} (inl x) = inl (f_A x), (inr y) = inr (f_B y)
            case Plus(a, b):
                v, w = fresh("a"), fresh("b")
                return Case(x, v, Inl(self.map(a, Var(v), f), f.target(b)),
                            w, Inr(self.map(b, Var(w), f), f.target(a)))
            # f_{Arr A} x = map f_A x
            case Arr(a):
                return self.map_array(t, a, x, f)
            # f_T (C x1..xn) = C (f x1) .. (f xn), a function of one letrec group
            case Data():
                to = cast(Data, f.target(t))

                def arms(p: Term) -> Term:
                    out = []
                    for c, fs in self.fields(t):
                        names = tuple(fresh("f") for _ in fs)
                        parts = tuple(
                            self.map(a, Var(v), f) for a, v in zip(fs, names, strict=True)
                        )
                        out.append(MatchArm(c, names, Con(c, parts, to)))
                    return Match(p, tuple(out))

                return self.call(f.name, t, Fun(f.source(t), to), arms, x)
            case Fun() | TVar() | Forall() | Exists() | EV() | EVM():
                raise Unsupported("delta: the arguments and the result may not hold functions")
            case _:
                assert_never(t)

    def map_array(self, t: Arr, a: Type, x: Term, f: Leaves) -> Term:
        """f_t of an array; before or after, it may be a pair of arrays (section 8.3)."""
        v, w, z = fresh("v"), fresh("w"), fresh("z")
        if isinstance(f.source(t), Prod):
            both = f.leaf(Pair(Var(v), Var(w)))
            return Let(z, x, ZipWith(v, w, both, Fst(Var(z)), Snd(Var(z))))
        each = Map(v, self.map(a, Var(v), f), x)
        return Op("unzip", (each,)) if isinstance(f.target(t), Prod) else each

    def thread(
        self, t: Type, x: Term, n: Term, leaf: Callable[[Term, Term], Term],
        target: Callable[[Type], Type],
    ) -> Term:  # fmt: skip
        """f_t (x, n) : target(t) * Z for a function that counts the reals, from left to right."""

        def go(t: Type, x: Term, n: Term) -> Term:
            return self.thread(t, x, n, leaf, target)

        match t:
            # f_R (x, n): the leaf
            case Real():
                return leaf(x, n)
            # f_K (k, n) = (k, n)
            case Int() | Unit():
                return Pair(x, n)
            # f_{A*B} ((x,y),n) = let (x,n) = f_A (x,n) in let (y,n) = f_B (y,n) in ((x,y),n)
            case Prod(a, b):
                z, p, q = fresh("z"), fresh("p"), fresh("q")
                return lets([(z, x), (p, go(a, Fst(Var(z)), n)),
                             (q, go(b, Snd(Var(z)), Snd(Var(p))))],
                            Pair(Pair(Fst(Var(p)), Fst(Var(q))), Snd(Var(q))))
            # f_{A+B} (inl x, n) = let (x,n) = f_A (x,n) in (inl x, n), inr likewise
            case Plus(a, b):
                v, w, p, q = fresh("a"), fresh("b"), fresh("p"), fresh("q")
                left = Pair(Inl(Fst(Var(p)), target(b)), Snd(Var(p)))
                right = Pair(Inr(Fst(Var(q)), target(a)), Snd(Var(q)))
                return Case(x, v, Let(p, go(a, Var(v), n), left),
                            w, Let(q, go(b, Var(w), n), right))
            # f_{Arr A} (x, n) = sequence (map f_A x) n
            case Arr(a):
                v, k = fresh("v"), fresh("n")
                row = "sequence2" if isinstance(target(t), Prod) else "sequence"
                return Op(row, (Map(v, Lam(k, Z, go(a, Var(v), Var(k))), x), n))
            # f_T (C x1..xk, n): from field to field
            case Data():
                to = cast(Data, target(t))

                def arms(p: Term) -> Term:
                    out = []
                    for c, fs in self.fields(t):
                        names, bound, k = tuple(fresh("f") for _ in fs), [], cast(Term, Snd(p))
                        for a, v in zip(fs, names, strict=True):
                            q = fresh("q")
                            bound.append((q, go(a, Var(v), k)))
                            k = Snd(Var(q))
                        made = Con(c, tuple(Fst(Var(q)) for q, _ in bound), to)
                        out.append(MatchArm(c, names, lets(bound, Pair(made, k))))
                    return Match(Fst(p), tuple(out))

                return self.call("init", t, Fun(Prod(t, Z), Prod(to, Z)), arms, Pair(x, n))
            case Fun() | TVar() | Forall() | Exists() | EV() | EVM():
                raise Unsupported("delta: the arguments and the result may not hold functions")
            case _:
                assert_never(t)
