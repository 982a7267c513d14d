"""The wrapper of the monadic translation (Krawiec et al., Figs. 10 and 16).

    𝓡{e} = \\(s,δt). let (s0,n) = initVars (s,0) in let d0 = initZeros δt in
           let (_,u) = runDelta (n+1) (K{\\(s,δt). e s ⊙ δt} (s0,d0)) in
           let fm = eval 1 u {} in lookup (fm, s0)

Where e gives a real, Fig. 10 does without ⊙: eval δt u {}. The term here gives the value as well,
and the rest (eval, lookup) as a function of (), so that the two phases can be timed. Nothing of K,
Delta and eval is changed for general S and T.

>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.pretty import show
>>> fig1 = Let("z", prim("add", Var("x"), Var("y")), prim("mul", Var("x"), Var("z")))
>>> from pullback.papers.delta.arrays import ARRAY
>>> fig1 = Source(reals("x", "y"), fig1, R)
>>> gradient(fig1, (3.0, 4.0), 1.0, ARRAY)
(21.0, (10.0, 3.0))
>>> two = Source(reals("x", "y"), Pair(prim("mul", Var("x"), Var("y")), Var("y")), Prod(R, R))
>>> gradient(two, (3.0, 4.0), (10.0, 100.0), MAP)
((12.0, 4.0), (40.0, 130.0))
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.frozen import dataclass, field
from pullback.papers.delta.eval import BINDS_DECL, MAP, Store
from pullback.papers.delta.families import Leaves, same
from pullback.papers.delta.ground import Polytypic, structured, unstructured
from pullback.papers.delta.monadic import K
from pullback.papers.delta.rows import LIBRARY
from pullback.papers.delta.types import DELTA, DELTA_DECL, DELTA_LET, ZERO, duals
from pullback.papers.dual.block import Block
from pullback.papers.dual.ground import prepared
from pullback.papers.dual.types import Duals, dual_decls, dual_type, parametric
from pullback.papers.language.build import lets
from pullback.papers.language.check import Types, check, types_of
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import (
    ONE,
    App,
    Con,
    DataDecl,
    Fst,
    Fun,
    Lam,
    Let,
    Lit,
    Match,
    MatchArm,
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
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import items, pair, tuple_value
from pullback.papers.methods import Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """K or one like it: on terms; on types, from the state's type and the types that stay as they
    are; and the operations that it knows."""

    translation: Callable[[Types, Duals, str, bool], K] = K
    types: Callable[[Type, frozenset[str]], Duals] = duals
    library: Library = field(default_factory=lambda: LIBRARY)


PLAIN = Variant()


@dataclass(frozen=True, slots=True, eq=False)
class Wrapped:
    """A program wrapped: (s, δt) -> (value, () -> gradient), and its declarations."""

    term: Lam
    decls: tuple[DataDecl, ...]


def wrap(
    source: Source, store: Store = MAP, dot: bool | None = None, order: str = "lr",
    literals: bool = False, variant: Variant = PLAIN, curried: bool = False,
) -> Wrapped:  # fmt: skip
    """𝓡{e}, by Fig. 10 for a real result and else by Fig. 16 (``dot``: which of them);
    ``curried``: s -> (value, δt -> gradient), where everything that needs δt is in the closure."""
    e, types = prepared(source, variant.library)
    n = variant.types(store.state, parametric(source.decls))
    translation = variant.translation
    p = Polytypic(source.decls)
    dot = source.result != R if dot is None else dot
    sd, s, dt = fresh("in"), e.type, source.result
    input_: Term = Var(sd) if curried else Fst(Var(sd))
    given = Var(fresh("dt"))
    seed: Term = given if curried else Snd(Var(sd))

    def ktype(t: Type) -> Type:
        return dual_type(t, n)

    initialised = fresh("init")
    k = Block()
    k.lets.append((initialised, p.thread(s, input_, Lit(0), init_var, ktype)))
    last = k.name("n", Snd(Var(initialised)))
    k.state = store.start(Prim("add", (last, Lit(1))))
    k.lets.append((e.x, Fst(Var(initialised))))
    y = k.name("y", translation(types, n, order, literals).term(e.body, k))
    x: Term = seed
    u: Term = y
    late = k  # where what comes after y goes: with ⊙, into the closure if there is one
    if dot:
        late = Block(store.again(k.state)) if curried else k
        zeros = Leaves("initZeros", lambda r: Pair(r, ZERO), same, ktype)
        d0 = late.name("d", p.map(dt, seed, zeros))
        product = Polytypic(source.decls)
        inner = product.close(product.dot(dt, y, d0))
        inner_types = types_of(inner, {y.name: dt, d0.name: dt}, source.decls)
        u, x = translation(inner_types, n, order, False).term(inner, late), Lit(1.0)
    u = late.name("u", Snd(u))
    value = k.name("t", p.map(dt, y, Leaves("primal", Fst, ktype, same)))
    assert late.state is not None
    ran = late.name("r", store.run(u, late.state, Prim("add", (last, Lit(1)))))
    fm = fresh("fm")
    looked = Leaves("lookup", lambda d: look(store, Var(fm), d), ktype, same)
    q = Polytypic(source.decls)
    got = Let(fm, store.fold(x, ran), q.close(q.map(s, Var(e.x), looked)))
    closure = Lam(fresh("_"), ONE, got)
    if curried:
        closure = Lam(given.name, dt, got if late is k else lets(late.lets, got))
    arg = s if curried else Prod(s, dt)
    body = Let(DELTA_LET.name, store.delta_let, p.close(lets(k.lets, Pair(value, closure))))
    out = Lam(sd, arg, body)
    decls = (*source.decls, DELTA_DECL, BINDS_DECL, *dual_decls(source.decls, n))
    found = check(out, (), decls, variant.library)
    assert found == Fun(arg, Prod(dt, Fun(closure.type, s))), found
    return Wrapped(out, decls)


def init_var(r: Term, n: Term) -> Term:
    """initVars_R (r,n) = ((r, Var (n+1)), n+1)."""
    i = fresh("n")
    return Let(i, Prim("add", (n, Lit(1))), Pair(Pair(r, Con("Var", (Var(i),), DELTA)), Var(i)))


def look(store: Store, fm: Term, dual: Term) -> Term:
    """lookup_R (fm, (r, Var i)) = lookupOrZero i fm."""
    i = fresh("i")
    none = tuple(fresh("_") for _ in range(7))
    return Match(Snd(dual), (
        MatchArm("Zero", (), Lit(0.0)),
        MatchArm("Scale", none[:2], Lit(0.0)),
        MatchArm("Add", none[2:4], Lit(0.0)),
        MatchArm("Var", (i,), store.lookup(fm, Var(i))),
        MatchArm("Let", none[4:], Lit(0.0))))


def run(
    store: Store, variant: Variant = PLAIN, dot: bool | None = None
) -> Callable[[Source, tuple[object, ...], object], Outcome]:
    """Run 𝓡 of a store, for K or a variant, on arguments and cotangent together."""

    def runner(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
        w, m = deeply(lambda: wrap(source, store, dot, variant=variant)), Machine()
        return execute(w.term, source, args, seed, m, variant.library)

    return runner


def execute(
    t: Term, source: Source, args: tuple[object, ...], seed: object, m: Machine,
    library: Library = LIBRARY,
) -> Outcome:  # fmt: skip
    """Run (s, δt) -> (value, () -> gradient): both phases with their costs."""
    env = dict(zip((x for x, _ in source.context), args, strict=True))
    value, _ = evaluate(source.body, env, library)  # δA is A: the discrete parts of the value
    given = (tuple_value(*args), structured(seed, value))
    both, forward = evaluate(App(t, Var("in")), {"in": given}, library, m)
    value, back = pair(both)
    ct, reverse = apply(back, (), machine=m)
    grads = tuple(unstructured(c) for c in items(ct, len(args)))
    return Outcome(value, grads, forward, reverse, m, t)


def gradient(
    source: Source, args: tuple[object, ...], seed: object, store: Store = MAP
) -> tuple[object, tuple[object, ...]]:
    """Return the value and the cotangents."""
    out = run(store)(source, args, seed)
    return out.value, out.cotangents
