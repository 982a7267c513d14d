"""N3m: only the scalars of the cotangent are kept, in a map (Smeding & Vákár, section 6).

    Staged = Map Z R * Map Z ((R -o Staged -> Staged) * R); operations, SCall and SResolve as in N3
    Inter_R x = \\i. (((x, (i, \\_z. SCotan (\\c. c[i -> z + c[i]]))), \\g. g[i]), i+1)
    Inter_Z n = \\i. ((n, \\g. ()), i)
    Inter_{s*t} (x,y): the rebuilder is \\g. (f1 g, f2 g); sums, arrays, data: as the actual value

O((T + I) log (T + I)): the map of scalars is the c of N3.

>>> from pullback.papers.language.build import reals, prim
>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(scalars(FIG1).body, 88, LIBRARY))
let x1 = fst x in
let y = snd x in
let i1 = i + 1 in
let z = (fst x1 + fst y, (i, \\_z:R. (SCall (snd x1) (1 * z)) ∘ (SCall (snd y) (1 * z)))) in
let i2 = i1 + 1 in
(fst x1 * fst z, (i1, \\_z1:R. (SCall (snd x1) (fst z * z1)) ∘ (SCall (snd z) (fst x1 * z1))), i2)
>>> runner(scalars)(FIG1, (3.0, 4.0), 1.0).cotangents
(10.0, 3.0)
"""

from __future__ import annotations

from pullback.papers.dual.block import Block
from pullback.papers.dual.calls import staged_type
from pullback.papers.dual.cayley import (
    LIBRARY,
    call_type,
    resolve,
    rules,
    scall,
    scotan,
    step,
)
from pullback.papers.dual.ground import DUAL_SOURCE, Wrapped, runner
from pullback.papers.dual.late import Late, wrap
from pullback.papers.dual.staged import next_id
from pullback.papers.language.build import lam, op, prim
from pullback.papers.language.terms import (
    App,
    Data,
    Fun,
    Lit,
    Op,
    Pair,
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

C = Data("Map", (Z, R))


def scalars(source: Source) -> Wrapped:
    """Wrap of section 6."""
    call, cotan, loop = (Var(fresh(x)) for x in ("SCall", "SCotan", "loop"))

    # Inter_R x = \i. (((x, (i, \_z. SCotan (\c. c[i -> z + c[i]]))), \g. g[i]), i+1)
    def leaf(b: Block, x: Term) -> tuple[Term, Term]:
        i = next_id(b)
        back = lam("z", R, lambda z: App(cotan, lam("c", C, lambda c: op(
            "minsert", c, i, prim("add", z, op("mget", c, i, 0.0))))), "-o", "input")
        return Pair(x, Pair(i, back)), lam("g", C, lambda g: op("mget", g, i, 0.0))

    # SResolve g = loop (g ({}, {}))
    def resolved(inputs: Term, end: Term, seeding: Term) -> Term:
        empty = Pair(
            Op("mempty", (), (R,)), Op("mempty", (), (Prod(Fun(R, step(C), "-o"), R),)))
        return App(loop, App(seeding, op("staged", empty)))

    return wrap(source, Late(
        real=Prod(R, call_type(C)), state=Z, start=Lit(0), staged=staged_type(C), collected=C,
        rules=lambda n: rules(n, call, staged_type(C)), leaf=leaf,
        seed=lambda x: App(call, Snd(x)), resolve=resolved,
        prelude=[(call.name, scall(C)), (cotan.name, scotan(C)), (loop.name, resolve(C))],
        decls=(), library=LIBRARY))


register(Method(
    "dual.scalars", "N3m: only scalars are collected (section 6)",
    DUAL_SOURCE, runner(scalars)))
