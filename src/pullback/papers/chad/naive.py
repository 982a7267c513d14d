"""C0: naive CHAD (Efficient CHAD, Fig. 2).

    T1 ctx |- C{t} : T1 s * (T2 s -> EV (T2 ctx))      for ctx |- t : s

Cotangents and environments are dense: a zero, a sum and ``one`` cost the size of what they are
about (``chad.dense``), which is why the stage is inefficient. ``chad.sparse`` runs the same text
on other data.

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.build import E, reals
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.chad.dense import DENSE_EV
>>> def printed(t, *names):
...     print(show(c0_of(Source(reals(*names), t, R)), library=DENSE_EV))
>>> printed(Var("x"), "x")
(x, \\d:L(R). ev_one_x d)
>>> printed((E(Var("x")) * E(Var("y"))).t, "x", "y")
let z = (x, \\d:L(R). ev_one_x d) in
let x1 = fst z in
let x' = snd z in
let z1 = (y, \\d:L(R). ev_one_y d) in
let x2 = fst z1 in let x'1 = snd z1 in (x1 * x2, \\d:L(R). (x' (d * x2)) + (x'1 (d * x1)))
>>> printed(Let("z", Prim("sin", (Var("x"),)), Var("z")), "x")
let z = let z = (x, \\d:L(R). ev_one_x d) in
  let x1 = fst z in let x' = snd z in (sin x1, \\d:L(R). x' (cos x1 * d)) in
let x1 = fst z in
let x' = snd z in
let z1 = x1 in
let z2 = (z1, \\d:L(R). ev_one_z1 d) in
let y = fst z2 in
let y' = snd z2 in
(y, \\d:L(R). let z3 = split (y' d) in let d1 = fst z3 in let d2 = snd z3 in d1 + (x' d2))
"""

from __future__ import annotations

from typing import cast

from pullback.papers.chad.lists import higher_rule
from pullback.papers.chad.prims import dops, is_constant, lpairs
from pullback.papers.chad.types import product, t1, t2, t2_context
from pullback.papers.language.build import E, lam, let_pair, op, proj
from pullback.papers.language.check import Types, check_source
from pullback.papers.language.linear import zero
from pullback.papers.language.prims import arity, split_type
from pullback.papers.language.terms import (
    EV,
    App,
    Case,
    Context,
    Data,
    Fst,
    Inl,
    Inr,
    Lam,
    Let,
    Lit,
    Nil,
    Op,
    Pair,
    Prim,
    Snd,
    Source,
    Term,
    Var,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.methods import Unsupported


def c0(t: Term, gamma: Context, types: Types) -> Term:
    """C{t}; ``gamma`` has the cotangent types of the context."""
    ev = EV(gamma)
    nothing: Term = Op("ev_zero", (), (ev,))
    match t:
        # C{x} = (x, \d. one_x d)
        case Var(x):
            return Pair(t, lam("d", t2(types[t]), lambda d: op(
                "ev_one", d, static=(x, ev)), role="var"))
        # C{let x=t in s} = let (x,x')=C{t} in let (y,y')=C{s} in
        #                   (y, \d. let (d1,d2)=split (y' d) in d1 + x' d2)
        case Let(x, bound, body):
            inner = (*gamma, (x, t2(types[bound])))
            return let_pair(("x", "x'"), c0(bound, gamma, types), lambda v, v_: Let(
                x, v.t, let_pair(("y", "y'"), c0(body, inner, types), lambda y, y_: Pair(
                    y.t, lam("d", t2(types[body]), lambda d: let_pair(
                        ("d1", "d2"), op("split", y_(d), static=(EV(inner),)),
                        lambda d1, d2: op("ev_plus", d1, v_(d2))), role="bp")))))
        # C{()} = ((), \d. 0)    C{r} = (r, \d. 0)
        case Nil() | Lit():
            return Pair(t, lam("d", t2(types[t]), lambda d: nothing, role="bp"))
        # C{(t,s)} = let (x,x')=C{t} in let (y,y')=C{s} in ((x,y), \d. x' (lfst d) + y' (lsnd d))
        case Pair(a, b):
            return let_pair(("x", "x'"), c0(a, gamma, types), lambda x, x_: let_pair(
                ("y", "y'"), c0(b, gamma, types), lambda y, y_: Pair(
                    Pair(x.t, y.t), lam("d", t2(types[t]), lambda d: op(
                        "ev_plus", x_(op("lfst", d)), y_(op("lsnd", d))), role="bp"))))
        # C{fst t} = let (x,x')=C{t} in (fst x, \d. x' <d,0>)      C{snd t}: <0,d>
        case Fst(a):
            whole = product(types[a])
            return let_pair(("x", "x'"), c0(a, gamma, types), lambda x, x_: Pair(
                Fst(x.t), lam("d", t2(whole.left), lambda d: x_(
                    op("lpair", d, zero(t2(whole.right)))), role="bp")))
        case Snd(a):
            whole = product(types[a])
            return let_pair(("x", "x'"), c0(a, gamma, types), lambda x, x_: Pair(
                Snd(x.t), lam("d", t2(whole.right), lambda d: x_(
                    op("lpair", zero(t2(whole.left)), d)), role="bp")))
        # C{inl t} = let (x,x')=C{t} in (inl x, \d. x' (lcastl d))      C{inr t}: lcastr
        case Inl(a, other):
            return let_pair(("x", "x'"), c0(a, gamma, types), lambda x, x_: Pair(
                Inl(x.t, t1(other)), lam(
                    "d", t2(types[t]), lambda d: x_(op("lcastl", d)), role="bp")))
        case Inr(a, other):
            return let_pair(("x", "x'"), c0(a, gamma, types), lambda x, x_: Pair(
                Inr(x.t, t1(other)), lam(
                    "d", t2(types[t]), lambda d: x_(op("lcastr", d)), role="bp")))
        # C{case t of {inl x -> s; inr y -> r}} = let (z,z')=C{t} in case z of
        #   {inl x -> let (w,w')=C{s} in (w, \d. let (d1,d2)=split (w' d) in d1 + z' (linl d2));
        #    inr y -> .. z' (linr d2)}
        case Case(a, x, left, y, right):
            of = t2(types[a])

            def branch(v: str, k: int, body: Term, z_: E) -> Term:
                cell, other = cast("tuple[Data, Data]", of.args[k::-1] if k else of.args)
                inner = (*gamma, (v, cell))
                return let_pair(("w", "w'"), c0(body, inner, types), lambda w, w_: Pair(
                    w.t, lam("d", t2(types[t]), lambda d: let_pair(
                        ("d1", "d2"), op("split", w_(d), static=(EV(inner),)),
                        lambda d1, d2: op("ev_plus", d1, z_(op(
                            ("linl", "linr")[k], d2, static=(other,))))), role="bp")))

            return let_pair(("z", "z'"), c0(a, gamma, types), lambda z, z_: Case(
                z.t, x, branch(x, 0, left, z_), y, branch(y, 1, right, z_)))
        # C{op(t1..tn)} = let (x1,x1')=C{t1} .. in
        #                 (op(x1..xn), \d. let <d1..dn> = Dop^t (x1..xn) d in x1' d1 + .. + xn' dn)
        case Prim():
            return _prim(t, gamma, types)
        case Lam() | App():  # section 9
            return higher_rule(t, gamma, types, c0)
        case _:
            raise Unsupported(f"chad.naive: no rule for {type(t).__name__}")


def _prim(t: Prim, gamma: Context, types: Types) -> Term:
    if len(t.args) == 1 and arity(t.op) > 1:  # op t, for a t of tuple type
        n = arity(t.op)
        parts = split_type(types[t.args[0]], n)
        return let_pair(("x", "x'"), c0(t.args[0], gamma, types), lambda x, x_: Pair(
            Prim(t.op, (x.t,), t.static), lam("d", t2(types[t]), lambda d: x_(lpairs(
                dops(t.op, [proj(x, i, n) for i in range(n)], parts, d.t)))
                if not is_constant(t.op, parts, types[t])
                else Op("ev_zero", (), (EV(gamma),)), role="bp")))

    def rest(k: int, xs: list[E], bps: list[E]) -> Term:
        if k < len(t.args):
            return let_pair(("x", "x'"), c0(t.args[k], gamma, types), lambda x, x_: rest(
                k + 1, [*xs, x], [*bps, x_]))
        args = [types[a] for a in t.args]
        constant = is_constant(t.op, args, types[t])

        def body(d: E) -> Term:
            if constant:
                return Op("ev_zero", (), (EV(gamma),))
            ds = dops(t.op, [x.t for x in xs], args, d.t)
            out = bps[0](ds[0]).t
            for bp, each in zip(bps[1:], ds[1:], strict=True):
                out = op("ev_plus", out, bp(each))
            return out

        return Pair(Prim(t.op, tuple(x.t for x in xs), t.static), lam(
            "d", t2(types[t]), body, role="bp"))

    return rest(0, [], [])


def c0_of(source: Source) -> Term:
    """C{body}; the bound names must be distinct."""
    types = check_source(source)
    return deeply(lambda: c0(source.body, t2_context(source.context), types))
