"""Operations f : R^n -> R^m that a user adds, and their Dop^t (Efficient CHAD, section 2).

    Df^t (x1..xn) <d1..dm> = <Σ_j d_j * df_j1 (x1..xn), .., Σ_j d_j * df_jn (x1..xn)>
    C{f t} = let a=C{t} in (f (fst a), \\d. snd a (let p=fst a in let e=d in Df^t p e))

Footnote 4: an operation gives one Df^t : R^n -> R^m -> R^n, linear in its second argument. It is
made of the partials of ``delta.primitives``.

>>> from pullback.papers.language.terms import Prod, R, Source, Var
>>> from pullback.papers.language.build import reals, tuple_
>>> from pullback.papers.chad.monadic import CHAD
>>> from pullback.papers.chad.program import run_monadic
>>> sp = Primitive("sp", 2, lambda x, y: (x * x, x * y), (
...     (lambda x, y: 2 * x, lambda x, y: 0.0), (lambda x, y: y, lambda x, y: x)))
>>> OPERATIONS["sp"] = sp
>>> s = Source(reals("x", "y"), Op("sp", (tuple_(Var("x"), Var("y")),)), Prod(R, R))
>>> done = run_monadic(s, (3.0, 4.0), (1.0, 10.0), CHAD.extended(*sp.rows()))
>>> done.value, done.cotangents
((9.0, 12.0), (46.0, 30.0))
>>> del OPERATIONS["sp"]
"""

from __future__ import annotations

from pullback.papers.chad.actions import Rule
from pullback.papers.chad.types import t2
from pullback.papers.delta.primitives import Primitive
from pullback.papers.language.build import E, lam, let, op
from pullback.papers.language.check import Types
from pullback.papers.language.linear import L_R, zero
from pullback.papers.language.terms import App, Context, Fst, Op, Pair, Snd, Term

OPERATIONS: dict[str, Primitive] = {}
"""The operations that were added, by name; the library needs their rows too."""


def primitive_rule(t: Op, gamma: Context, types: Types, chad: Rule) -> Term:
    """C{f t} = let a=C{t} in (f (fst a), \\d. snd a (let p=fst a in let e=d in Df^t p e))."""
    f = OPERATIONS[t.name]
    return let("a", chad(t.args[0], gamma, types), lambda a: Pair(
        Op(t.name, (Fst(a.t),)), lam("d", t2(types[t]), lambda d: App(Snd(a.t), let(
            "p", Fst(a.t), lambda p: let("e", d, lambda e: transposed(f, p, e)))), role="bp")))


def transposed(f: Primitive, p: E, e: E) -> Term:
    """Df^t p e, with e.j read by lfst and lsnd."""
    ds: list[Term] = []
    at = e.t
    for _ in range(f.outputs - 1):
        ds.insert(0, op("lsnd", at))
        at = op("lfst", at)
    ds.insert(0, at)

    def sum_of(i: int) -> Term:
        out = zero(L_R)
        for j, d in enumerate(ds):
            term = op("lscale", d, Op(f.partial(j, i), (p.t,)))
            out = term if j == 0 else op("plus", out, term)
        return out

    out = sum_of(0)
    for i in range(1, f.inputs):
        out = op("lpair", out, sum_of(i))
    return out


__all__ = ["OPERATIONS", "Primitive", "primitive_rule", "transposed"]
