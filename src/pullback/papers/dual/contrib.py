"""N4b: defunctionalised backpropagators (Smeding & Vákár, section 8.2).

    Contrib = [(R, (Z, Contrib))]       N4b(R) = R * (Z * Contrib)
    an input's or a literal's is [], an operation's [(dop_1(x..)(1), d1), .., (dop_n(x..)(1), dn)]
    for \\_z. SCall d1 (z * a1) ∘ .. ∘ SCall dn (z * an)
    m : MArr (Contrib * R), initially ([], 0);   seeding: m[i] := (cb, snd m[i] + z)
    SResolve: for i = n-1 downto 0: (cb,a) = m[i]; for (w,(j,cb')) in cb:
              m[j] := (cb', snd m[j] + a*w)

As f ∘ g calls g first, lists are gone through from the last to the first: then all sums are those
of N4a, bit for bit. a*w is 0 where a is, whatever w.

>>> from pullback.papers.language.build import reals, prim
>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(contrib(FIG1).body, 88, LIBRARY))
let x1 = fst x in
let y = snd x in
let i1 = i + 1 in
let z = (fst x1 + fst y, (i, Edges ([(1, snd x1), (1, snd y)]))) in
let i2 = i1 + 1 in
(fst x1 * fst z, (i1, Edges ([(fst z, snd x1), (fst x1, snd z)])), i2)
>>> runner(contrib)(FIG1, (3.0, 4.0), 1.0).cotangents
(10.0, 3.0)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.dual.block import Block
from pullback.papers.dual.ground import DUAL_SOURCE, Wrapped, runner
from pullback.papers.dual.late import Late, wrap
from pullback.papers.dual.loops import Active, Rules
from pullback.papers.dual.mutable import downto
from pullback.papers.dual.rows import DUAL_OPS, listed
from pullback.papers.dual.staged import next_id
from pullback.papers.dual.types import Duals
from pullback.papers.language.build import E, app, lam, let, op, prim
from pullback.papers.language.prims import partial
from pullback.papers.language.terms import (
    Arr,
    Con,
    Data,
    DataDecl,
    Foldl,
    Fst,
    Lit,
    Match,
    MatchArm,
    Op,
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

CONTRIB = Data("Contrib")
CALL = Prod(Z, CONTRIB)
EDGE = Prod(R, CALL)
STAGED = Data("MArr", (Prod(CONTRIB, R),))
DECL = DataDecl("Contrib", (), (("Edges", (Arr(EDGE),)),))
LIBRARY = DUAL_OPS


def edges(es: Sequence[Term]) -> Term:
    """A Contrib."""
    return Con("Edges", (listed(es) if es else Op("nil", (), (EDGE,)),), CONTRIB)


def rules(n: Duals) -> Rules:
    """Return N4b's clauses."""

    # N4b{r} = \i. ((r, (i, [])), i+1)
    def number(b: Block, r: Term) -> Term:
        return Pair(r, Pair(next_id(b), edges(())))

    # N4b{op(t1..tn)} = .. ((op(x1..xn), (i, [(dop_1(x..)(1), d1), ..])), i+1)
    def operation(b: Block, t: Prim, xs: Sequence[Term], ds: Active) -> Term:
        es = [Pair(partial(t.op, k, xs, t.static), d) for k, d in ds]
        return Pair(Prim(t.op, tuple(xs), t.static), Pair(next_id(b), edges(es)))

    return Rules(n, number, operation)


def scall() -> Term:
    """SCall (i,cb) a m = m[i] := (cb, snd m[i] + a)."""
    def call(d: E, a: E, m: E) -> Term:
        return op("set", m, Fst(d.t), Pair(
            Snd(d.t), prim("add", a, Snd(op("get", m, Fst(d.t))))))

    return lam("d", CALL, lambda d: lam("a", R, lambda a: lam(
        "m", STAGED, lambda m: call(d, a, m)), "-o"))


def sresolve(call: Term) -> Term:
    """SResolve n m, the two loops."""

    def node(i: Term, m: Term) -> Term:
        s, e, es = fresh("m"), fresh("e"), fresh("es")
        return let("p", op("get", m, i), lambda p: Match(Fst(p.t), (MatchArm("Edges", (es,), Foldl(
            s, e, app(call, Snd(Var(e)), prim("mulz", Fst(Var(e)), Snd(p.t)), Var(s)),
            m, op("reverse", Var(es)))),)))

    return lam("n", Z, lambda n: lam("m", STAGED, lambda m: downto(n.t, m.t, node)))


def contrib(source: Source) -> Wrapped:
    """Return the wrapper of section 8.2."""
    call, loop = Var(fresh("SCall")), Var(fresh("SResolve"))
    frozen = Arr(Prod(CONTRIB, R))

    # Inter_R x = \i. (((x, (i, [])), \m. snd (m @ i)), i+1)
    def leaf(b: Block, x: Term) -> tuple[Term, Term]:
        i = next_id(b)
        return Pair(x, Pair(i, edges(()))), lam("m", frozen, lambda m: Snd(op("index", m, i)))

    def resolved(inputs: Term, end: Term, seeding: Term) -> Term:
        start = op("alloc", end, Pair(edges(()), Lit(0.0)))
        return op("freeze", app(loop, end, app(seeding, start)))

    return wrap(source, Late(
        real=Prod(R, CALL), state=Z, start=Lit(0), staged=STAGED, collected=frozen,
        rules=rules, leaf=leaf, seed=lambda x: app(call, Snd(x)), resolve=resolved,
        prelude=[(call.name, scall()), (loop.name, sresolve(call))],
        decls=(DECL,), library=LIBRARY))


register(Method(
    "dual.contrib", "N4b: defunctionalised backpropagators (section 8.2)",
    DUAL_SOURCE, runner(contrib)))
