"""N1: naive dual-numbers reverse AD (Smeding & Vákár, Figs. 6 and 7).

    N1_c(R) = R * (R -o c), otherwise homomorphic
    N1{r} = (r, \\_z. 0_c)
    N1{op(t1..tn)} = let (x1,d1) = N1{t1} in .. let (xn,dn) = N1{tn} in
                     (op(x1..xn), \\_z. d1 (dop_1(x1..xn)(z)) +_c .. +_c dn (dop_n(x1..xn)(z)))
    Wrap1{\\x. t} = \\x. let x = Inter (x, id) in Deinter N1{t}

A backpropagator is called once for every path to it: exponential.

>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(naive(FIG1).body, 88, LIBRARY))
let x1 = fst x in
let y = snd x in
let z = (fst x1 + fst y, \\_z:R. (snd x1 (1 * z)) +_c (snd y (1 * z))) in
(fst x1 * fst z, \\_z1:R. (snd x1 (fst z * z1)) +_c (snd z (fst x1 * z1)))
>>> runner(naive)(FIG1, (3.0, 4.0), 1.0).cotangents
(10.0, 3.0)
"""

from __future__ import annotations

from pullback.papers.dual.block import Block, operands, retyped
from pullback.papers.dual.deinterleave import Deinterleave
from pullback.papers.dual.ground import DUAL_SOURCE, Wrapped, checked, prepared, runner
from pullback.papers.dual.interleave import Interleave
from pullback.papers.dual.rows import DUAL_OPS
from pullback.papers.dual.types import (
    Duals,
    cotangent,
    cotangent_decls,
    dual_decls,
    dual_type,
    parametric,
)
from pullback.papers.language.build import lam, lets
from pullback.papers.language.check import Types
from pullback.papers.language.linearity import require_figure5
from pullback.papers.language.prims import dop
from pullback.papers.language.terms import (
    App,
    Fst,
    Fun,
    Lam,
    Let,
    Lit,
    Nil,
    Op,
    Pair,
    Prim,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import map_parts
from pullback.papers.methods import Method, register

LIBRARY = DUAL_OPS


def n1(t: Term, types: Types, n: Duals, zero: Term) -> Term:
    """N1{t}; ``zero`` is a variable that holds the input: 0_c has its shape."""

    def go(t: Term) -> Term:
        match t:
            # N1{r} = (r, \_z. 0_c)        N1{n} = n for integers
            case Lit(float()):
                return Pair(t, lam("z", R, lambda z: Op("0_c", (zero,)), "-o", "const"))
            # N1{op(t1..tn)} = let (x1,d1) = N1{t1} in .. (op(x1..xn), \_z. d1 (dop_1 ..) + ..)
            case Prim(op, _, static):
                b = Block()
                xs, ds = operands(t, lambda ts: list(map(go, ts)), types, b)
                if types[t] != R:  # N1{sign t} = sign (fst N1{t})
                    return b.close(Prim(op, tuple(xs), static))

                def back(z: Term) -> Term:
                    calls: list[Term] = [App(d, dop(op, k, xs, z, static)) for k, d in ds]
                    out = calls[0] if calls else Op("0_c", (zero,))
                    for call in calls[1:]:
                        out = Op("+_c", (out, call))
                    return out

                role = "op" if ds else "const"
                return b.close(Pair(Prim(op, tuple(xs), static), lam(
                    "z", R, lambda z: back(z.t), "-o", role)))
            # N1{x} = x        N1{()} = ()
            case Var() | Nil():
                return t
            # N1{(s,t)} = (N1{s}, N1{t})
            case Pair(left, right):
                return Pair(go(left), go(right))
            # N1{fst t} = fst N1{t}        N1{snd t} = snd N1{t}
            case Fst(of):
                return Fst(go(of))
            case Snd(of):
                return Snd(go(of))
            # N1{s t} = N1{s} N1{t}
            case App(fn, arg):
                return App(go(fn), go(arg))
            # N1{\x:s. t} = \x:N1(s). N1{t}
            case Lam(x, s, of, kind, role):
                return Lam(x, dual_type(s, n), go(of), kind, role)
            # N1{let x=s in t} = let x=N1{s} in N1{t}
            case Let():
                bound = []
                while isinstance(t, Let):  # programs are long
                    bound.append((t.x, go(t.bound)))
                    t = t.body
                return lets(bound, go(t))
            # Section 9, likewise: letrec, inl, inr, case, C, match, arrays, /\a. t, t [a]
            case _:
                return map_parts(go, retyped(t, lambda a: dual_type(a, n)))

    return go(t)


def naive(source: Source) -> Wrapped:
    """Return the wrapper Wrap1."""
    source_lam, types = prepared(source)
    s, t = source_lam.type, source.result
    c: Type = cotangent(s)
    n = Duals(Prod(R, Fun(R, c, "-o")), None, parametric(source.decls))
    arg = fresh("x")
    zero = arg  # 0_c is made of the input
    body = n1(source_lam.body, types, n, Var(zero))
    require_figure5(body)
    # Inter_R (x,d) = (x,d), but that the backpropagator is marked as an input's
    inter = Interleave(n, source.decls, leaf=lambda b, x, d: Pair(
        x, lam("z", R, lambda z: App(d, z.t), "-o", "input")), target=c)
    deinter = Deinterleave(
        n, source.decls, leaf=Snd, target=c, zero=lambda: Op("0_c", (Var(zero),)),
        plus=lambda p, q: Op("+_c", (p, q)))
    b = Block()
    identity = b.name("d", lam("z", c, lambda z: z, "-o"))
    b.lets.append((source_lam.x, inter.go(b, s, Var(arg), identity)))
    y, d = deinter.go(b, t, b.name("y", body))
    term = Lam(arg, s, inter.around(deinter.around(b.close(Pair(y, d)))))
    decls = (*source.decls, *dual_decls(source.decls, n), *cotangent_decls(source.decls))
    return checked(Wrapped(term, decls, LIBRARY, body), source, source_lam)


register(Method(
    "dual.naive", "N1: a backpropagator is called once per path (Figs. 6, 7)",
    DUAL_SOURCE, runner(naive)))
