"""K1: every real carries a tangent as large as the input (Krawiec et al., Figs. 5 and 6).

    K1_S(R) = R * δS                     K1{r} = (r, zeros_S)
    K1{+} = \\((x,a),(y,b)). (x+y, a ⊕_S b)
    K1{×} = \\((x,a),(y,b)). (x*y, (y ⊗_S a) ⊕_S (x ⊗_S b))
    K1{op} = (op x, ⊕_i (∂_i op x) ⊗_S a_i)                           the rest as in Fig. 3
    𝓡1{e} = \\(s,δt). snd (K1{e} (.. (s_i, δt ⊗ onehot i) ..))

Here for any first-order S, with the shape of zeros_S taken from the input; for a result that is not
real, e is first made so by ⊙ (Fig. 16), with δt = 1. ``plus``, ``times`` and ``zeros`` are ⊕_S, ⊗_S
and zeros_S, which the wrapper binds.

>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.pretty import show
>>> fig1 = Let("z", prim("add", Var("x"), Var("y")), prim("mul", Var("x"), Var("z")))
>>> s = Prod(R, R)
>>> print(show(K1(types_of(fig1, reals("x", "y")), dense(s)).term(fig1)))
let z = (fst x + fst y, plus (snd x, snd y)) in
(fst x * fst z, plus (times (fst z, snd x), times (fst x, snd z)))
>>> gradient(Source(reals("x", "y"), fig1, R), (3.0, 4.0), 2.0)
(21.0, (20.0, 6.0))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from pullback.papers.delta.direct import Direct
from pullback.papers.delta.families import Leaves, same
from pullback.papers.delta.ground import Polytypic
from pullback.papers.delta.rows import DELTA_SOURCE, LIBRARY
from pullback.papers.delta.wrapper import execute
from pullback.papers.dual.block import Block
from pullback.papers.dual.ground import prepared
from pullback.papers.dual.types import Duals, dual_decls, dual_type, parametric
from pullback.papers.language.build import app, if_, lets, prim
from pullback.papers.language.check import check, types_of
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    EV,
    EVM,
    ONE,
    Arr,
    Build,
    Case,
    Data,
    Exists,
    Forall,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Lam,
    Let,
    Lit,
    Op,
    Pair,
    Plus,
    Prod,
    R,
    Real,
    Snd,
    Source,
    Term,
    TVar,
    Type,
    Unit,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.methods import Method, Outcome, Unsupported, register

PLUS, TIMES, ZEROS = Var("plus"), Var("times"), Var("zeros")


def dense(s: Type, kept: frozenset[str] = frozenset()) -> Duals:
    """K1_S(R) = R * δS."""
    return Duals(Prod(R, s), None, kept)


class K1(Direct):
    """K1{·}."""

    def zero(self) -> Term:
        """zeros_S."""
        return ZEROS

    def combined(self, parts: Sequence[tuple[Term, Term]]) -> Term:
        """⊕_i (c_i ⊗_S a_i)."""
        terms = [a if isinstance(c, Lit) and c.value == 1.0 else app(TIMES, Pair(c, a))
                 for c, a in parts]
        if not terms:
            return ZEROS
        out = terms[0]
        for t in terms[1:]:
            out = app(PLUS, Pair(out, t))
        return out


def onehots(
    p: Polytypic, t: Type, x: Term, put: Callable[[Term], Term], dt: Term, n: Duals
) -> Term:
    """s0 : K1_S(t), the part x of the input with a tangent at every real: ``put`` makes of a value
    of the part's type the whole input that is zero elsewhere, so that put(δt) = δt ⊗ onehot."""
    match t:
        # s_i : R becomes (s_i, δt ⊗ onehot i)
        case Real():
            return Pair(x, put(dt))
        # what is discrete has no tangent
        case Int() | Unit():
            return x
        # every other part of the input is zero: of (a, b) the other component,
        case Prod(a, b):
            z = fresh("z")
            left, right = Fst(Var(z)), Snd(Var(z))
            return Let(z, x, Pair(
                onehots(p, a, left, lambda u: put(Pair(u, p.zeros(b, right))), dt, n),
                onehots(p, b, right, lambda u: put(Pair(p.zeros(a, left), u)), dt, n)))
        # of a sum nothing else,
        case Plus(a, b):
            v, w = fresh("a"), fresh("b")
            return Case(
                x, v, Inl(onehots(p, a, Var(v), lambda u: put(Inl(u, b)), dt, n), dual_type(b, n)),
                w, Inr(onehots(p, b, Var(w), lambda u: put(Inr(u, a)), dt, n), dual_type(a, n)))
        # of an array every element but i
        case Arr(a):
            z, i, j = fresh("z"), fresh("i"), fresh("j")
            size = Op("length", (Var(z),))

            def placed(u: Term) -> Term:
                other = p.zeros(a, Op("index", (Var(z), Var(j))))
                return put(Build(size, j, if_(prim("eq", Var(i), Var(j)), u, other)))

            element = Op("index", (Var(z), Var(i)))
            return Let(z, x, Build(size, i, onehots(p, a, element, placed, dt, n)))
        case Data():
            raise Unsupported("delta.dense: the arguments may not hold declared data types: "
                              "section 8.5 has them for K (delta.monadic)")
        case Fun() | TVar() | Forall() | Exists() | EV() | EVM():
            raise Unsupported("delta: the arguments and the result may not hold functions")
        case _:
            assert_never(t)


def wrap(source: Source, dot: bool | None = None) -> Lam:
    """𝓡1{e}: (s, δt) -> (value, () -> gradient). All the work is in the first phase."""
    e, types = prepared(source)
    dot = source.result != R if dot is None else dot
    s, dt, sd = e.type, source.result, fresh("in")
    n = dense(s, parametric(source.decls))
    p = Polytypic(source.decls)
    w = fresh("w")
    k = Block()
    x = k.name("s", Fst(Var(sd)))
    both = Prod(s, s)
    k.lets += [
        ("zeros", p.zeros(s, x)),
        ("plus", Lam(w, both, p.plus(s, Fst(Var(w)), Snd(Var(w))), role="⊕")),
        ("times", Lam(w, Prod(R, s), p.times(s, Fst(Var(w)), Snd(Var(w))), role="⊗")),
    ]
    one: Term = Lit(1.0) if dot else Snd(Var(sd))
    k.lets.append((e.x, onehots(p, s, x, lambda u: u, k.name("d", one), n)))
    y = k.name("y", K1(types, n).term(e.body))
    result: Term = y
    if dot:
        d0 = k.name("d", p.map(dt, Snd(Var(sd)), Leaves(
            "initZeros", lambda r: Pair(r, ZEROS), same, lambda t: dual_type(t, n))))
        q = Polytypic(source.decls)
        inner = q.close(q.dot(dt, y, d0))
        inner_types = types_of(inner, {y.name: dt, d0.name: dt}, source.decls)
        result = K1(inner_types, n).term(inner)
    result = k.name("u", Snd(result))
    value = k.name("t", p.map(dt, y, Leaves("primal", Fst, lambda t: dual_type(t, n), same)))
    body = lets(k.lets, Pair(value, Lam(fresh("_"), ONE, result)))
    out = Lam(sd, Prod(s, dt), p.close(body))
    found = check(out, (), (*source.decls, *dual_decls(source.decls, n)), LIBRARY)
    assert found == Fun(Prod(s, dt), Prod(dt, Fun(ONE, s))), found
    return out


def run(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Run a program by the method, as the driver asks."""
    return execute(deeply(lambda: wrap(source)), source, args, seed, Machine())


def gradient(
    source: Source, args: tuple[object, ...], seed: object
) -> tuple[object, tuple[object, ...]]:
    """Return the value and the cotangents."""
    out = run(source, args, seed)
    return out.value, out.cotangents


register(Method(
    "delta.dense", "K1: dense tangent vectors (Figs. 5, 6)", DELTA_SOURCE, run))
