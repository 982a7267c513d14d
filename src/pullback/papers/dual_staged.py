"""N2: staged calls of backpropagators with IDs (Smeding & Vákár, Fig. 8).

    N2_c(R) = R * (Z * (R -o Staged c))         N2_c(s -> t) = N2(s) -> Z -> N2(t) * Z
    Staged c = c * Map Z ((R -o Staged c) * R)
    0_S = (0_c, {})      (c,m) +_S (c',m') = (c +_c c', m ∪ m'), a common key has (f, a + a')
    SCotan c = (c, {})   SCall (i,f) a = (0_c, {i -> (f,a)})
    N2{r} = \\i. ((r, (i, \\_z. 0_S)), i+1)
    N2{op(t1..tn)} = \\i. let ((x1,d1),i1) = N2{t1} i in .. let ((xn,dn),in) = N2{tn} .. in
       ((op(x1..xn), (in, \\_z. SCall d1 (dop_1(x..)(z)) +_S ..)), in+1)
    Wrap2{\\x. t} = \\x. let (x,i) = Inter (x, SCotan) 0 in let (y,d) = Deinter (fst (N2{t} i)) in
                   (y, \\_z. SResolve (d z))
    SResolve (c,m) = if m empty then c else let i = max key, (f,a) = m[i] in
                     SResolve (f a +_S (c, m\\i))

Deinterleave stages too (SCall), else a backpropagator could be called by the wrapper and by
SResolve. 0_c is made of the input, whose sums and arrays it copies.

>>> from pullback.core.nested_build import reals, prim
>>> from pullback.core.nested import Let
>>> from pullback.core.nested_pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(staged(FIG1).body, 88, LIBRARY))
let x1 = fst x in
let y = snd x in
let i1 = i + 1 in
let z = (fst x1 + fst y, (i, \\_z:R. (SCall (snd x1) (1 * z)) +_S (SCall (snd y) (1 * z)))) in
let i2 = i1 + 1 in
(fst x1 * fst z, (i1, \\_z1:R. (SCall (snd x1) (fst z * z1)) +_S (SCall (snd z) (fst x1 * z1))), i2)
>>> print(show(resolve(R), 88, LIBRARY))
letrec loop : Staged R -> R = \\s:Staged R.
   let s1 = unstaged s in
   case msize (snd s1) == 0 of {
     inl _ -> let e = mmax (snd s1) in
       loop ((fst (snd e) (snd (snd e))) +_S (staged (fst s1, (snd s1) \\ (fst e))));
     inr _ -> fst s1} in
loop
>>> done = runner(staged)(FIG1, (3.0, 4.0), 1.0)
>>> done.cotangents, done.machine.calls
((10.0, 3.0), [1, 1, 1, 1])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pullback.core import nested_map as tree
from pullback.core.nested import (
    App,
    Data,
    Fst,
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
    Static,
    Term,
    TVar,
    Type,
    Var,
    Z,
    fresh,
)
from pullback.core.nested_build import E, if_, lam, let, letrec, op, prim
from pullback.core.nested_machine import Machine
from pullback.core.nested_ops import Row, pure, sig
from pullback.core.nested_prims import dop
from pullback.core.nested_values import pair, real
from pullback.papers.dual_deinterleave import Deinterleave
from pullback.papers.dual_ground import DUAL_SOURCE, Block, Wrapped, checked, prepared, runner
from pullback.papers.dual_interleave import Interleave
from pullback.papers.dual_lift import Active, Lift, Rules
from pullback.papers.dual_rows import DUAL_OPS, plus_of, size_of
from pullback.papers.dual_types import Duals, cotangent, cotangent_decls, dual_decls, parametric
from pullback.papers.methods import Method, register

Bp = Fun(R, Data("Staged", (TVar("c"),)), "-o")
Calls = Data("Map", (Z, Prod(Bp, R)))
S = Data("Staged", (TVar("c"),))


def staged_type(c: Type) -> Data:
    """Staged c."""
    return Data("Staged", (c,))


def _plus(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    (c, p), (e, q) = pair(args[0]), pair(args[1])
    small, large = cast(tree.Map, p), cast(tree.Map, q)
    if tree.size(small) > tree.size(large):
        small, large = large, small
    for i, call in list(tree.entries(small)):
        old = tree.lookup(large, i)
        m.cost += 1 + tree.size(large).bit_length()
        if old:
            (f, a), (g, b) = pair(call), pair(old.value)
            assert f is g, "an ID stands for one backpropagator"
            call = (f, real(a) + real(b))
        large = tree.insert(large, i, call)
    m.cost += size_of(c)
    m.count("+_c")
    return plus_of(c, e), large


def _call(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    i, f = pair(args[0])
    m.cost += size_of(args[2])
    m.count("scall")
    return args[2], tree.insert(None, cast(int, i), (f, args[1]))


def _zero(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.cost += size_of(args[0])
    return args[0], None


C = TVar("c")
LIBRARY = DUAL_OPS.extended(
    Row("0_S", sig((C,), S), _zero, show="0_S"),
    Row("+_S", sig((S, S), S), _plus, show="{0} +_S {1}"),
    Row("SCotan", sig((C,), S), pure(lambda c: (c, None)), show="SCotan {0}"),
    Row("SCall", sig((Prod(Z, Bp), R, C), S), _call, show="SCall {0} {1}"),
    Row("unstaged", sig((S,), Prod(C, Calls)), pure(lambda s: s)),
    Row("staged", sig((Prod(C, Calls),), S), pure(lambda s: s)),
)


def resolve(c: Type) -> Term:
    """SResolve : Staged c -> c."""

    def next_call(loop: E, s: E) -> Term:
        return let("e", op("mmax", Snd(s.t)), lambda e: loop(op(
            "+_S",
            App(Fst(Snd(e.t)), Snd(Snd(e.t))),
            op("staged", Pair(Fst(s.t), op("mdelete", Snd(s.t), Fst(e.t)))))))

    return letrec("loop", Fun(staged_type(c), c), "s", lambda loop, s: let(
        "s", op("unstaged", s), lambda s: if_(
            prim("eq", op("msize", Snd(s.t)), 0), Fst(s.t), next_call(loop, s))),
        lambda loop: loop)  # fmt: skip


def next_id(b: Block) -> Term:
    """The ID that is next; the state goes on to the one after it."""
    assert b.state is not None
    i = b.atom("i", b.state)
    b.state = b.name("i", prim("add", i, 1))
    return i


def rules(n: Duals, zero: Term) -> Rules:
    """N2's clauses for literals and operations."""

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
    """Wrap2."""
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
    pullback = lam("z", cotangent(t), lambda z: App(loop, App(back, z.t)), "-o")
    inside = inter.around(deinter.around(b.close(Pair(y, pullback))))
    term = Lam(arg, s, Let(zero, op("0_c", Var(arg)), inside))
    decls = (*source.decls, *dual_decls(source.decls, n), *cotangent_decls(source.decls))
    return checked(Wrapped(term, decls, LIBRARY, body), source, program)


register(Method(
    "dual.staged", "dual_staged", "N2: staged calls with IDs, each at most once (Fig. 8)",
    DUAL_SOURCE, runner(staged)))
