"""N2: staged calls of backpropagators with IDs (Smeding & Vákár, Fig. 8).

    N2_c(R) = R * (Z * (R -o Staged c))         N2_c(s -> t) = N2(s) -> Z -> N2(t) * Z
    N2{r} = \\i. ((r, (i, \\_z. 0_S)), i+1)
    N2{op(t1..tn)} = \\i. let ((x1,d1),i1) = N2{t1} i in .. let ((xn,dn),in) = N2{tn} .. in
       ((op(x1..xn), (in, \\_z. SCall d1 (dop_1(x..)(z)) +_S ..)), in+1)
    Wrap2{\\x. t} = \\x. let (x,i) = Inter (x, SCotan) 0 in let (y,d) = Deinter (fst (N2{t} i)) in
                   (y, \\_z. SResolve (d z))

Deinterleave stages too (SCall), else a backpropagator could be called by the wrapper and by
SResolve. ``dual.calls`` has Staged c with 0_S, +_S, SCall and SResolve.

>>> from pullback.papers.language.build import reals, prim
>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(staged(FIG1).body, 88, LIBRARY))
let x1 = fst x in
let y = snd x in
let i1 = i + 1 in
let z = (fst x1 + fst y, (i, \\_z:R. (SCall (snd x1) (1 * z)) +_S (SCall (snd y) (1 * z)))) in
let i2 = i1 + 1 in
(fst x1 * fst z, (i1, \\_z1:R. (SCall (snd x1) (fst z * z1)) +_S (SCall (snd z) (fst x1 * z1))), i2)
>>> done = runner(staged)(FIG1, (3.0, 4.0), 1.0)
>>> done.cotangents, done.machine.calls
((10.0, 3.0), [1, 1, 1, 1])
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.dual.block import Block
from pullback.papers.dual.calls import LIBRARY, resolve, staged_type
from pullback.papers.dual.deinterleave import Deinterleave
from pullback.papers.dual.ground import DUAL_SOURCE, Wrapped, checked, prepared, runner
from pullback.papers.dual.interleave import Interleave
from pullback.papers.dual.lift import Lift
from pullback.papers.dual.loops import Active, Rules
from pullback.papers.dual.types import Duals, cotangent, cotangent_decls, dual_decls, parametric
from pullback.papers.language.build import lam, op, prim
from pullback.papers.language.prims import dop
from pullback.papers.language.terms import (
    App,
    Fun,
    Lam,
    Let,
    Lit,
    Pair,
    Prim,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Var,
    Z,
    fresh,
)
from pullback.papers.methods import Method, register


def next_id(b: Block) -> Term:
    """Return the next ID; the state goes on to the one after it."""
    assert b.state is not None
    i = b.atom("i", b.state)
    b.state = b.name("i", prim("add", i, 1))
    return i


def rules(n: Duals, zero: Term) -> Rules:
    """Return N2's clauses for literals and operations."""

    # N2{r} = \i. ((r, (i, \_z. 0_S)), i+1)
    def number(b: Block, r: Term) -> Term:
        return Pair(r, Pair(next_id(b), lam("z", R, lambda z: op("0_S", zero), "-o", "const")))

    # N2{op(t1..tn)} = .. ((op(x1..xn), (i, \_z. SCall d1 (dop_1(x..)(z)) +_S ..)), i+1)
    def operation(b: Block, t: Prim, xs: Sequence[Term], ds: Active) -> Term:
        def back(z: Term) -> Term:
            out: Term | None = None
            for k, d in ds:
                call = op("SCall", d, dop(t.op, k, xs, z, t.static), zero)
                out = op("+_S", out, call) if out else call
            assert out
            return out

        return Pair(Prim(t.op, tuple(xs), t.static), Pair(next_id(b), lam(
            "z", R, lambda z: back(z.t), "-o", "op")))

    return Rules(n, number, operation)


def staged(source: Source) -> Wrapped:
    """Return the wrapper Wrap2."""
    program, types = prepared(source)
    s, t = program.type, source.result
    c = cotangent(s)
    st = staged_type(c)
    n = Duals(Prod(R, Prod(Z, Fun(R, st, "-o"))), Z, parametric(source.decls))
    zero, arg = fresh("zero"), fresh("x")
    lift = Lift(types, rules(n, Var(zero)))

    # Inter_R (x,d) = \i. ((x,(i,d)), i+1)
    def leaf(b: Block, x: Term, d: Term) -> Term:
        return Pair(x, Pair(next_id(b), lam("z", R, lambda z: App(d, z.t), "-o", "input")))

    # Deinter_R (x,(i,f)) = (x, \_z. SCall (i,f) z)
    inter = Interleave(n, source.decls, leaf=leaf, target=st)
    deinter = Deinterleave(
        n, source.decls, target=st, zero=lambda: op("0_S", Var(zero)),
        leaf=lambda x: lam("z", R, lambda z: op("SCall", Snd(x), z, Var(zero)), "-o"),
        plus=lambda p, q: op("+_S", p, q))
    b = Block(Lit(0))
    scotan = b.name("d", lam("z", c, lambda z: op("SCotan", z), "-o"))
    b.lets.append((program.x, inter.go(b, s, Var(arg), scotan)))
    assert b.state is not None
    body = lift.at(program.body, b.state)
    y, d = deinter.go(b, t, b.run("y", body))
    back = b.name("d", d)
    loop = b.name("SResolve", resolve(c))
    b.state = None
    pullback = op("homomorphism", lam("z", cotangent(t), lambda z: App(loop, App(back, z.t))))
    inside = inter.around(deinter.around(b.close(Pair(y, pullback))))
    term = Lam(arg, s, Let(zero, op("0_c", Var(arg)), inside))
    decls = (*source.decls, *dual_decls(source.decls, n), *cotangent_decls(source.decls))
    return checked(Wrapped(term, decls, LIBRARY, body), source, program)


register(Method(
    "dual.staged", "N2: staged calls with IDs, each at most once (Fig. 8)",
    DUAL_SOURCE, runner(staged)))
