"""N3: the Cayley transform of the staged calls (Smeding & Vákár, Fig. 9).

    the codomain of backpropagators is Staged c -> Staged c;  0_S = id,  +_S = ∘;  else as N2
    SCall (i,f) a (c,m) = (c, m[i -> (f, a + a')])    if m[i] = (f,a'), with a' = 0 if there is none
    SCotan g (c,m) = (g c, m)
    Inter_R (x,d) = \\i. ((x, (i, \\_z. d (\\a. z + a))), i+1)
    Inter_{s*t} ((x,y),d): d of the left is \\_f. d (\\(v,w). (f v, w)), of the right (v, f w)
    SResolve g = loop (g (0_c, {}))    where loop (c,m) = if m empty then c else
                                       let i = max key, (f,a) = m[i] in loop (f a (c, m\\i))

0_c is made once and +_c never; an input's backpropagator costs the depth of its leaf.

>>> from pullback.papers.language.build import reals, prim
>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(cayley(FIG1).body, 88, LIBRARY))
let x1 = fst x in
let y = snd x in
let i1 = i + 1 in
let z = (fst x1 + fst y, (i, \\_z:R. (SCall (snd x1) (1 * z)) ∘ (SCall (snd y) (1 * z)))) in
let i2 = i1 + 1 in
(fst x1 * fst z, (i1, \\_z1:R. (SCall (snd x1) (fst z * z1)) ∘ (SCall (snd z) (fst x1 * z1))), i2)
>>> print(show(scall(R), 88, LIBRARY))
\\d:Z * (R -o Staged R -> Staged R).
 \\_a:R.
  \\s:Staged R.
   let s1 = unstaged s in
   staged (fst s1, (snd s1)[(fst d) ↦ (snd d, a + snd (mget (snd s1) (fst d) (snd d, 0)))])
>>> print(show(resolve(R), 88, LIBRARY))
letrec loop : Staged R -> R = \\s:Staged R.
   let s1 = unstaged s in
   case msize (snd s1) == 0 of {
     inl _ -> let e = mmax (snd s1) in
       loop (fst (snd e) (snd (snd e)) (staged (fst s1, (snd s1) \\ (fst e))));
     inr _ -> fst s1} in
loop
>>> done = runner(cayley)(FIG1, (3.0, 4.0), 1.0)
>>> done.cotangents, done.machine.calls
((10.0, 3.0), [1, 1, 1, 1])
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.dual.block import Block
from pullback.papers.dual.calls import staged_type
from pullback.papers.dual.deinterleave import Deinterleave
from pullback.papers.dual.ground import DUAL_SOURCE, Wrapped, checked, prepared, runner
from pullback.papers.dual.interleave import Interleave
from pullback.papers.dual.lift import Lift
from pullback.papers.dual.loops import Active, Rules
from pullback.papers.dual.rows import DUAL_OPS
from pullback.papers.dual.staged import next_id
from pullback.papers.dual.types import Duals, cotangent, cotangent_decls, dual_decls, parametric
from pullback.papers.language.build import E, if_, lam, let, letrec, op, prim
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.prims import dop
from pullback.papers.language.terms import (
    App,
    Data,
    Fst,
    Fun,
    Lam,
    Let,
    Lit,
    Op,
    Pair,
    Prim,
    Prod,
    R,
    Snd,
    Source,
    Term,
    TVar,
    Type,
    Var,
    Z,
    fresh,
)
from pullback.papers.methods import Method, register

C = TVar("c")
LIBRARY = DUAL_OPS.extended(
    Row("unstaged", sig((staged_type(C),), Prod(C, Data("Map", (Z, Prod(Fun(R, Fun(
        staged_type(C), staged_type(C)), "-o"), R))))), pure(lambda s: s)),
    Row("staged", sig((Prod(C, Data("Map", (Z, Prod(Fun(R, Fun(
        staged_type(C), staged_type(C)), "-o"), R)))),), staged_type(C)), pure(lambda s: s)),
)


def step(c: Type) -> Fun:
    """Staged c -> Staged c."""
    return Fun(staged_type(c), staged_type(c))


def call_type(c: Type) -> Type:
    """Z * (R -o Staged c -> Staged c)."""
    return Prod(Z, Fun(R, step(c), "-o"))


def scall(c: Type) -> Term:
    """SCall (i,f) a (c,m) = (c, m[i -> (f, a + snd m[i])])."""
    def call(d: E, a: E, s: E) -> Term:
        old = Snd(op("mget", Snd(s.t), Fst(d.t), Pair(Snd(d.t), Lit(0.0))))
        new = Pair(Snd(d.t), prim("add", a, old))
        return op("staged", Pair(Fst(s.t), op("minsert", Snd(s.t), Fst(d.t), new)))

    return lam("d", call_type(c), lambda d: lam("a", R, lambda a: lam(
        "s", staged_type(c), lambda s: let(
            "s", op("unstaged", s), lambda s: call(d, a, s))), "-o"))


def scotan(c: Type) -> Term:
    """SCotan g (c,m) = (g c, m)."""
    return lam("g", Fun(c, c), lambda g: lam("s", staged_type(c), lambda s: let(
        "s", op("unstaged", s), lambda s: op("staged", Pair(App(g.t, Fst(s.t)), Snd(s.t))))), "-o")


def resolve(c: Type) -> Term:
    """loop : Staged c -> c."""
    return letrec("loop", Fun(staged_type(c), c), "s", lambda loop, s: let(
        "s", op("unstaged", s), lambda s: if_(
            prim("eq", op("msize", Snd(s.t)), 0),
            Fst(s.t),
            let("e", op("mmax", Snd(s.t)), lambda e: loop(App(
                App(Fst(Snd(e.t)), Snd(Snd(e.t))),
                op("staged", Pair(Fst(s.t), op("mdelete", Snd(s.t), Fst(e.t))))))),
        )), lambda loop: loop)  # fmt: skip


def composed(calls: Sequence[Term]) -> Term:
    """f1 ∘ .. ∘ fn."""
    out = calls[0]
    for call in calls[1:]:
        out = op("∘", out, call)
    return out


def rules(n: Duals, call: Term, state: Type) -> Rules:
    """Return the clauses for literals and operations, for any ``SCall`` to states of this type."""

    # N3{r} = \i. ((r, (i, \_z. id)), i+1)
    def number(b: Block, r: Term) -> Term:
        return Pair(r, Pair(next_id(b), lam(
            "z", R, lambda z: Op("id", (), (state,)), "-o", "const")))

    # N3{op(t1..tn)} = .. ((op(x1..xn), (i, \_z. SCall d1 (dop_1(x..)(z)) ∘ ..)), i+1)
    def operation(b: Block, t: Prim, xs: Sequence[Term], ds: Active) -> Term:
        def back(z: Term) -> Term:
            return composed([
                App(App(call, d), dop(t.op, k, xs, z, t.static)) for k, d in ds])

        return Pair(Prim(t.op, tuple(xs), t.static), Pair(next_id(b), lam(
            "z", R, lambda z: back(z.t), "-o", "op")))

    return Rules(n, number, operation)


def cayley(source: Source) -> Wrapped:
    """Return the wrapper Wrap3."""
    program, types = prepared(source)
    s, t = program.type, source.result
    c = cotangent(s)
    n = Duals(Prod(R, call_type(c)), Z, parametric(source.decls))
    call, arg = Var(fresh("SCall")), fresh("x")
    lift = Lift(types, rules(n, call, staged_type(c)))

    # Inter_R (x,d) = \i. ((x, (i, \_z. d (\a. z + a))), i+1)
    def leaf(b: Block, x: Term, d: Term) -> Term:
        back = lam("z", R, lambda z: App(d, lam("a", R, lambda a: z + a)), "-o", "input")
        return Pair(x, Pair(next_id(b), back))

    inter = Interleave(n, source.decls, leaf=leaf, target=step(c), update=True)
    deinter = Deinterleave(
        n, source.decls, target=step(c), zero=lambda: Op("id", (), (staged_type(c),)),
        leaf=lambda x: App(call, Snd(x)), plus=lambda p, q: op("∘", p, q))
    b = Block(Lit(0))
    b.lets.append((program.x, inter.go(b, s, Var(arg), b.name("SCotan", scotan(c)))))
    assert b.state is not None
    body = lift.at(program.body, b.state)
    y, d = deinter.go(b, t, b.run("y", body))
    back, loop = b.name("d", d), b.name("loop", resolve(c))
    b.state = None
    pullback = op("homomorphism", lam("z", cotangent(t), lambda z: App(loop, App(
        App(back, z.t), op("staged", Pair(op("0_c", Var(arg)), Op(
            "mempty", (), (Prod(Fun(R, step(c), "-o"), R),))))))))
    inside = inter.around(deinter.around(b.close(Pair(y, pullback))))
    term = Lam(arg, s, Let(call.name, scall(c), inside))
    decls = (*source.decls, *dual_decls(source.decls, n), *cotangent_decls(source.decls))
    return checked(Wrapped(term, decls, LIBRARY, body), source, program)


register(Method(
    "dual.cayley", "N3: changes of staged calls are composed (Fig. 9)",
    DUAL_SOURCE, runner(cayley)))
