"""C: monadic CHAD (Efficient CHAD, Fig. 6, with the exact code of its Agda specification, App. D).

    T1 ctx |- C{t} : T1 s * (T2 s -> EVM (T2 ctx) 1)      for ctx |- t : s

The same rules as C0's, with 0 as ``return ()``, + as one action after the other, and split as
``scope``: an action on one environment that is only ever added into. m >> k is bind m (\\_. k).

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.build import E, reals
>>> from pullback.papers.language.pretty import show
>>> def printed(t, *names):
...     print(show(chad_of(Source(reals(*names), t, R)), library=CHAD))
>>> printed(Var("x"), "x")
(x, \\d:L(R). one_x d)
>>> printed((E(Var("x")) * E(Var("y"))).t, "x", "y")
let z = (x, \\d:L(R). one_x d) in
let x1 = fst z in
let x' = snd z in
let z1 = (y, \\d:L(R). one_y d) in
let x2 = fst z1 in
let x'1 = snd z1 in (x1 * x2, \\d:L(R). let q = x'1 (d * x1) in (x' (d * x2)) >>= (\\_:1. q))
>>> printed(Let("z", Prim("sin", (Var("x"),)), Var("z")), "x")
let a = let a = (x, \\d:L(R). one_x d) in
  (sin (fst a), \\d:L(R). snd a (let p = fst a in let e = d in cos p * e)) in
let z = fst a in
let b = (z, \\d:L(R). one_z d) in
(fst b, \\d:L(R). (scope_z 0 (snd b d)) >>= (\\r:L(R) * 1. snd a (fst r)))
"""

from __future__ import annotations

from typing import cast

from pullback.papers.chad.actions import bp, scoped, then
from pullback.papers.chad.arrays import array_rule
from pullback.papers.chad.bags import BAGS
from pullback.papers.chad.closed import CLOSED, closed_rule
from pullback.papers.chad.data import DECLARED, data_rule
from pullback.papers.chad.operations import OPERATIONS, primitive_rule
from pullback.papers.chad.prims import prim_rule
from pullback.papers.chad.types import product, t1, t2, t2_context
from pullback.papers.language.build import E, lam, let, op
from pullback.papers.language.check import Types, check_source
from pullback.papers.language.linear import one, return_, zero
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import (
    App,
    Build,
    Case,
    Con,
    Context,
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
    Nil,
    Op,
    Pack,
    Pair,
    Prim,
    Scan,
    Snd,
    Source,
    Term,
    Unpack,
    Var,
    ZipWith,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.methods import Unsupported

CHAD: Library = BAGS.extended(*CLOSED, *DECLARED)
"""The target language of C."""


def chad(t: Term, gamma: Context, types: Types) -> Term:
    """C{t}; ``gamma`` has the cotangent types of the context."""
    match t:
        # C{f} = (f, \d. return ()), closed functions have no cotangent
        case Var() if isinstance(types[t], Fun):
            return Pair(t, bp(types[t], lambda d: return_(Nil(), gamma)))
        # C{x} = (x, \d. one_x d)
        case Var(x):
            return Pair(t, lam("d", t2(types[t]), lambda d: one(x, d.t, gamma), role="var"))
        # C{let x=t in s} = let a=C{t} in let x=fst a in let b=C{s} in
        #                   (fst b, \d. scope (snd b d) >>= \r. snd a (fst r))
        case Let(x, bound, body):
            cell = t2(types[bound])
            inner = (*gamma, (x, cell))
            return let("a", chad(bound, gamma, types), lambda a: Let(x, Fst(a.t), let(
                "b", chad(body, inner, types), lambda b: Pair(Fst(b.t), bp(
                    types[body], lambda d: scoped(x, cell, App(Snd(b.t), d.t), lambda dx: App(
                        Snd(a.t), dx)))))))
        # C{()} = ((), \d. return ())    C{r} = (r, \d. return ())
        case Nil() | Lit():
            return Pair(t, bp(types[t], lambda d: return_(Nil(), gamma)))
        # C{(t,s)} = let a=(C{t},C{s}) in ((fst (fst a), fst (snd a)),
        #                                  \d. snd (fst a) (lfst d) >> snd (snd a) (lsnd d))
        case Pair(left, right):
            return let("a", Pair(chad(left, gamma, types), chad(right, gamma, types)), lambda a:
                       Pair(Pair(Fst(Fst(a.t)), Fst(Snd(a.t))), bp(types[t], lambda d: then(
                           App(Snd(Fst(a.t)), op("lfst", d)), App(Snd(Snd(a.t)), op("lsnd", d)),
                           gamma))))
        # C{fst t} = let a=C{t} in (fst (fst a), \d. snd a <d,0>)      C{snd t}: <0,d>
        case Fst(of):
            whole = product(types[of])
            return let("a", chad(of, gamma, types), lambda a: Pair(Fst(Fst(a.t)), bp(
                whole.left, lambda d: App(Snd(a.t), op("lpair", d, zero(t2(whole.right)))))))
        case Snd(of):
            whole = product(types[of])
            return let("a", chad(of, gamma, types), lambda a: Pair(Snd(Fst(a.t)), bp(
                whole.right, lambda d: App(Snd(a.t), op("lpair", zero(t2(whole.left)), d)))))
        # C{inl t} = let a=C{t} in (inl (fst a), \d. snd a (lcastl d))      C{inr t}: lcastr
        case Inl(of, other):
            return let("a", chad(of, gamma, types), lambda a: Pair(
                Inl(Fst(a.t), t1(other)), bp(types[t], lambda d: App(
                    Snd(a.t), op("lcastl", d)))))
        case Inr(of, other):
            return let("a", chad(of, gamma, types), lambda a: Pair(
                Inr(Fst(a.t), t1(other)), bp(types[t], lambda d: App(
                    Snd(a.t), op("lcastr", d)))))
        # C{case t of {inl x -> s; inr y -> r}} = let a=C{t} in case fst a of
        #   {inl x -> let b=C{s} in (fst b, \d. scope (snd b d) >>= \r. snd a (linl (fst r)));
        #    inr y -> .. linr (fst r)}
        case Case(of, x, left, y, right):
            cells = cast("tuple[Data, Data]", t2(types[of]).args)

            def branch(v: str, k: int, body: Term, a: E) -> Term:
                return let("b", chad(body, (*gamma, (v, cells[k])), types), lambda b: Pair(
                    Fst(b.t), bp(types[t], lambda d: scoped(
                        v, cells[k], App(Snd(b.t), d.t), lambda dx: App(Snd(a.t), op(
                            ("linl", "linr")[k], dx, static=(cells[1 - k],)))))))

            return let("a", chad(of, gamma, types), lambda a: Case(
                Fst(a.t), x, branch(x, 0, left, a), y, branch(y, 1, right, a)))
        # C{op(t1..tn)}: chad_prims
        case Prim():
            return prim_rule(t, gamma, types, chad)
        # C{f t} for f : R^n -> R^m that a user adds: chad_operations
        case Op(name) if name in OPERATIONS:
            return primitive_rule(t, gamma, types, chad)
        # Fig. 8: chad_arrays
        case Build() | Map() | ZipWith() | Fold() | Scan() | Foldl() | Op():
            return array_rule(t, gamma, types, chad)
        # App. B, after closure conversion: chad_closed
        case Lam() | App() | Pack() | Unpack():
            return closed_rule(t, gamma, types, chad)
        # derived: chad_data
        case LetRec() | Con() | Match():
            return data_rule(t, gamma, types, chad)
        case _:
            raise Unsupported(f"chad.monadic: no rule for {type(t).__name__}")


def chad_of(source: Source, types: Types | None = None) -> Term:
    """C{body}; the bound names must be distinct."""
    types = types or check_source(source, CHAD)
    return deeply(lambda: chad(source.body, t2_context(source.context), types))
