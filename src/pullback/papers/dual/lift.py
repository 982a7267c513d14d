"""The lifting to a state monad that N2 and all later stages share (Smeding & Vákár, Fig. 8).

    N{x} = \\i. (x, i)      N{()}, N{n} likewise      N{\\x. t} = \\i. (\\x. N{t}, i)
    N{(s,t)} = \\i. let (x,i1) = N{s} i in let (y,i2) = N{t} i1 in ((x,y), i2)
    N{s t} = \\i. let (f,i1) = N{s} i in let (a,i2) = N{t} i1 in f a i2
    N{let x = s in t} = \\i. let (x,i1) = N{s} i in N{t} i1
    N{letrec f = \\x. s in t} = \\i. letrec f = \\x. N{s} in N{t} i
    N{case s of {inl x -> t1; inr y -> t2}} = \\i. let (v,i1) = N{s} i in
                                             case v of {inl x -> N{t1} i1; inr y -> N{t2} i1}

written so that ``N{t} i`` is reduced as it is made: ``value`` writes the lets of N{t} into a block
that knows the state, and gives the term for the value. A stage says what becomes of literals and of
operations (``Rules``), its type of dual numbers and the type of its state.

>>> from pullback.papers.language.terms import R, Z
>>> from pullback.papers.language.build import if_, prim
>>> from pullback.papers.language.check import types_of
>>> from pullback.papers.language.pretty import show
>>> t = if_(prim("lt", Var("x"), Var("y")), App(Var("f"), Var("x")), Var("y"))
>>> types = types_of(t, {"x": Z, "y": Z, "f": Fun(Z, Z)})
>>> from pullback.papers.dual.loops import Rules
>>> from pullback.papers.dual.types import Duals
>>> print(show(Lift(types, Rules(Duals(R, Z), lambda b, r: r, lambda b, t, xs, ds: t)).under(t)))
\\i:Z.
 let z = case x < y of {inl _ -> (y, i); inr _ -> let z = f x i in let i1 = snd z in (fst z, i1)} in
 let i1 = snd z in (fst z, i1)
"""

from __future__ import annotations

from typing import cast

from pullback.core.frozen import dataclass
from pullback.core.unhandled import unhandled
from pullback.papers.dual.block import Block, operands, retyped, statics
from pullback.papers.dual.loops import Lifting
from pullback.papers.language.terms import (
    App,
    Build,
    Case,
    Con,
    Data,
    Fold,
    Foldl,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Lit,
    Map,
    Match,
    MatchArm,
    Nil,
    Op,
    Pack,
    Pair,
    Prim,
    R,
    Rec,
    Scan,
    Snd,
    Term,
    TyApp,
    TyLam,
    Unpack,
    Var,
    ZipWith,
)
from pullback.papers.methods import Unsupported


@dataclass(frozen=True, slots=True)
class Lift(Lifting):
    """N{t} for every construct of the source language; what the stages differ in is ``Rules``."""

    def value(self, t: Term, b: Block) -> Term:
        """Return the value of N{t} in the state of b, which goes on to the state afterwards."""
        # N{let x = s in t} = \i. let (x,i1) = N{s} i in N{t} i1
        while isinstance(t, Let):
            b.lets.append((t.x, self.value(t.bound, b)))
            t = t.body
        assert b.state is not None
        match t:
            # N{x} = \i. (x, i)        N{()}, N{n} likewise
            case Var() | Nil():
                return t
            # N{r}: the stage's, for reals
            case Lit(value):
                return self.rules.number(b, t) if isinstance(value, float) else t
            # N{\x. t} = \i. (\x. N{t}, i)
            case Lam(x, a, body, kind, _):
                return Lam(x, self.dual(a), self.under(body), kind)
            # N{letrec f = \x. s in t} = \i. letrec f = \x. N{s} in N{t} i
            case LetRec(recs, body):
                lifted = tuple(Rec(r.f, cast(Fun, self.dual(r.type)), Lam(
                    r.fn.x, self.dual(r.fn.type), self.under(r.fn.body))) for r in recs)
                return b.run("z", LetRec(lifted, self.at(body, b.state)))
            # N{s t} = \i. let (f,i1) = N{s} i in let (a,i2) = N{t} i1 in f a i2
            case App(fn, arg):
                f = self.value(fn, b)
                return b.call("z", f, self.value(arg, b))
            # N{(s,t)} = \i. let (x,i1) = N{s} i in let (y,i2) = N{t} i1 in ((x,y), i2)
            case Pair(left, right):
                first = self.value(left, b)
                return Pair(first, self.value(right, b))
            # N{fst s} = \i. let (p,i1) = N{s} i in (fst p, i1)      snd, inl, inr likewise
            case Fst(s):
                return Fst(self.value(s, b))
            case Snd(s):
                return Snd(self.value(s, b))
            case Inl(s, other):
                return Inl(self.value(s, b), self.dual(other))
            case Inr(s, other):
                return Inr(self.value(s, b), self.dual(other))
            # N{case s of {inl x -> t1; inr y -> t2}} =
            #     \i. let (v,i1) = N{s} i in case v of {inl x -> N{t1} i1; inr y -> N{t2} i1}
            case Case(s, x, left, y, right):
                v = self.value(s, b)
                return b.run("z", Case(v, x, self.at(left, b.state), y, self.at(right, b.state)))
            # section 9: N{C t1 .. tn} = \i. let (x1,i1) = N{t1} i in .. in (C x1 .. xn, in)
            case Con(name, args, a):
                fields = tuple([self.value(arg, b) for arg in args])
                return Con(name, fields, cast(Data, self.dual(a)))
            # section 9: match as case
            case Match(s, arms):
                v = self.value(s, b)
                state = b.state
                return b.run("z", Match(v, tuple(
                    MatchArm(arm.con, arm.names, self.at(arm.body, state)) for arm in arms)))
            # N{op(t1..tn)}: the stage's
            case Prim():
                return self.prim(t, b)
            case Op(name, args, static):
                # Operations of arrays move elements about.
                return Op(name, tuple([self.value(a, b) for a in args]),
                          statics(static, self.dual))
            case TyLam() | TyApp():
                return self.polymorphic(t, b)
            # derived: dual_loops
            case Build() | Map() | ZipWith() | Fold() | Scan() | Foldl():
                return self.over_array(t, b)
            case Pack() | Unpack():
                raise Unsupported("dual numbers: existential types")
            case _:
                unhandled(t)

    def prim(self, t: Prim, b: Block) -> Term:
        """N{op(t1..tn)}: arguments first; what is not real, or depends on no real, has no
        backpropagator of its own."""
        xs, ds = operands(
            t, lambda ts: [self.value(a, b) for a in ts], self.types, b)
        result = Prim(t.op, tuple(xs), t.static)
        if self.types[t] != R:  # N{sign t} = sign (fst N{t})
            return result
        if not ds:
            return self.rules.number(b, result)
        return self.rules.op(b, t, xs, ds)

    def polymorphic(self, t: TyLam | TyApp, b: Block) -> Term:
        """Return N of a polymorphic value, which does nothing under its /\\a."""
        if isinstance(t, TyApp):
            return retyped(TyApp(self.value(t.t, b), t.types), self.dual)
        inner = Block(b.state)
        body = self.value(t.t, inner)
        if inner.lets:
            raise Unsupported("dual numbers: what is polymorphic must be a value")
        return TyLam(t.names, body)
