"""E: the dependently typed library (The Differentiable Curry, Fig. 5, Defs. 5.1 and 5.2).

    a ~> b = exists env. a -> (b, T b -> (env, T a))         T[v : a ~> b] = the witness of v

    eval = exT () (\\(exT τ f, x). let (y, pb) = f x in (y, \\g. ((), pb g)))
    comp (exT τf f) (exT τg g) = exT (τf, τg) (\\a. let (b, pf) = f a in let (c, pg) = g b in
        (c, \\gc. let (eg, gb) = pg gc in let (ef, ga) = pf gb in ((ef, eg), ga)))
    curry (exT τ f) = exT τ (\\t. (exT (τ, T[t]) gf, \\env. env))  where
        gf s = let (r, pb) = f (t, s) in
            (r, \\gr. let (cte, (ctt, cts)) = pb gr in ((cte, ctt), cts))

The tangent of a function is that of the environment it closed over, so nothing runs twice. Figure 5
prints ``exT () new_f`` for curry; as new_pb returns (τ, T[t]), the witness is τ.

What T[v] is at run time is in ``curry.environments``.

>>> from pullback.papers.language.terms import Prod, R
>>> from pullback.papers.curry.environments import LIBRARY
>>> from pullback.papers.language.build import op
>>> from pullback.papers.language.pretty import show
>>> f = Op("rep", (), ("mul", Prod(R, R)))
>>> print(show(dependent(f), library=LIBRARY))
((), \\x:R * R. (mul x, \\_g:R. ((), let x1 = fst x in let x2 = snd x in (x2 * g, x1 * g))))
>>> print(show(dependent(op("curry", f)).body, width=80, library=LIBRARY))
(fst f, \\t:R.
 let w = ((fst f), T[t]) in
 (w, \\s:R.
  let z = snd f (t, s) in
  let r = fst z in
  let pb = snd z in
  (r, \\_g:R.
   let z1 = pb g in
   let cte = fst z1 in let ct = snd z1 in ((cte, fst ct), snd ct)), \\_g:Env. g))
"""

from __future__ import annotations

from pullback.papers.curry.combinators import COMBINATORS, CURRY_SOURCE, components, parameters
from pullback.papers.curry.dependent_sums import of_sums
from pullback.papers.curry.environments import DEPENDENT, ENV, ERASED, LIBRARY, T, e
from pullback.papers.curry.exists import UNIT, back, both, closed, env
from pullback.papers.curry.run import linearise_rep
from pullback.papers.curry.tangents import derivative, injected, named, plus, zero
from pullback.papers.curry.translation import combinators
from pullback.papers.language.build import E, app, lam, let, let_pair, op, proj
from pullback.papers.language.check import Types, check, types_of
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import (
    Fst,
    Fun,
    Op,
    Pair,
    Prim,
    Prod,
    Snd,
    Source,
    Term,
    Type,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import pair
from pullback.papers.methods import Curried, Linearised, Method, register


def dependent(t: Term) -> Term:
    """Return a combinator term as a lambda-term."""
    types = types_of(t, library=COMBINATORS)
    return deeply(lambda: D(t, types))


def D(t: Term, types: Types) -> Term:
    """E{t}: what each combinator is."""
    arrow = types[t]
    if not (isinstance(t, Op) and isinstance(arrow, Fun)):
        return t  # the constant of a const
    a, c = arrow.arg, arrow.result
    fs = [D(arg, types) for arg in t.args]
    match t.name:
        # id = exT () (\x. (x, \g. ((), g)))
        case "id":
            return closed("x", a, c, lambda x: x.t, lambda x, g: g)
        # const c = exT () (\y. (c, \_. ((), 0)))
        case "const":
            return closed("y", a, c, lambda y: fs[0], lambda y, g: zero(a, y.t, DEPENDENT))
        # proj_i = exT () (\d. (d_i, \g. ((), (0,..,g,..,0))))
        case "proj":
            i, n = int(str(t.static[0])) - 1, int(str(t.static[1]))
            return closed("d", a, c, lambda d: proj(d, i, n), lambda d, g: injected(
                i, components(a, n), d.t, g, DEPENDENT))
        # mult = exT () (\(x1, x2). (x1 * x2, \g. ((), (x2 * g, x1 * g))))
        case "rep":
            name, static = str(t.static[0]), parameters(t.static)
            return closed("x", a, c, lambda x: Prim(name, (x.t,), static),
                          lambda x, g: derivative(name, a, x.t, g, static), ("forward", "backward"))
        # exT τf f ∘ exT τg g = exT (τf, τg) h
        case "comp":
            return named(fs, lambda f, g: comp(f, g, a, c))
        # prod (exT τf f) (exT τg g) = exT (τf, τg) h
        case "prod":
            return named(fs, lambda f, g: prod(f, g, a, c))
        # eval = exT () (\(exT τ f, x). let (y, pb) = f x in (y, \g. ((), pb g)))
        case "eval":
            return Pair(Op("ty_unit"), lam("p", e(a), lambda p: let_pair(
                ("y", "pb"), app(Snd(Fst(p.t)), Snd(p.t)),
                lambda y, pb: Pair(y.t, back(c, lambda g: Pair(UNIT, app(pb, g)))))))
        # curry (exT τ f) = exT τ new_f
        case "curry":
            return named(fs, lambda f: curry(f, a, c))
        case "inl" | "inr" | "case" | "roll" | "unroll" | "rec":
            return of_sums(t, a, c, fs)
        case _:
            raise TypeError(f"no combinator {t.name}")


def comp(f: E, g: E, a: Type, c: Type) -> Term:
    """comp (exT τf f) (exT τg g) = exT (τf, τg) h."""
    # h a = let (b, pf) = f a in let (c, pg) = g b in (c, \gc. ((ef, eg), ga)) where
    # (eg, gb) = pg gc and (ef, ga) = pf gb
    return both(f, g, lambda w: lam("a", e(a), lambda x: let_pair(
        ("b", "pf"), app(Snd(f.t), x), lambda y, pf: let_pair(
            ("c", "pg"), app(Snd(g.t), y), lambda z, pg: Pair(z.t, back(c, lambda gc: let_pair(
                ("eg", "gb"), app(pg, gc), lambda eg, gb: let_pair(
                    ("ef", "ga"), app(pf, gb),
                    lambda ef, ga: Pair(env(w, Pair(ef.t, eg.t)), ga.t)))))))))


def prod(f: E, g: E, a: Type, c: Type) -> Term:
    """prod (exT τf f) (exT τg g) = exT (τf, τg) h."""
    # h y = let (a, pf) = f y in let (b, pg) = g y in ((a, b), \(ga,gb). ((ef, eg), y1 + y2)) where
    # (ef, y1) = pf ga and (eg, y2) = pg gb
    return both(f, g, lambda w: lam("y", e(a), lambda y: let_pair(
        ("a", "pf"), app(Snd(f.t), y), lambda x, pf: let_pair(
            ("b", "pg"), app(Snd(g.t), y), lambda z, pg: Pair(
                Pair(x.t, z.t), back(c, lambda gs: let_pair(
                    ("ef", "y1"), app(pf, Fst(gs)), lambda ef, y1: let_pair(
                        ("eg", "y2"), app(pg, Snd(gs)), lambda eg, y2: Pair(
                            env(w, Pair(ef.t, eg.t)),
                            plus(a, y1.t, y2.t, DEPENDENT))))))))))


def curry(f: E, a: Type, g: Type) -> Term:
    """curry (exT τ f) = exT τ new_f."""
    assert isinstance(g, Fun)
    b, c = g.arg, g.result

    # gf s = let (r, pb) = f (t, s) in (r, \gr. let (cte, (ctt, cts)) = pb gr in ((cte,ctt), cts))
    def gf(t: E, w: E) -> Term:
        return lam("s", e(b), lambda s: let_pair(
            ("r", "pb"), app(Snd(f.t), Pair(t.t, s.t)),
            lambda r, pb: Pair(r.t, back(c, lambda gr: let_pair(
                ("cte", "ct"), app(pb, gr),
                lambda cte, ct: Pair(env(w, Pair(cte.t, Fst(ct.t))), Snd(ct.t)))))))

    # new_f t = (exT (τ, T[t]) gf, \env. env)
    new_f = lam("t", e(a), lambda t: let(
        "w", op("ty_pair", Fst(f.t), op("ty_of", t, static=(a,))), lambda w: Pair(
            Pair(w.t, gf(t, w)), back(g, lambda d: Op("open", (d,), (Prod(ENV, T(a)),))))))
    return Pair(Fst(f.t), new_f)


def linearise_dependent(
    source: Source, args: tuple[object, ...], library: Library = LIBRARY
) -> Linearised:
    """Return the rep-function of the program, run; the tangent of its empty environment is
    dropped."""
    term = dependent(combinators(source))
    check(term, decls=source.decls, library=LIBRARY)
    return linearise_rep(
        term, library, lambda f: pair(f)[1], source, args, lambda d: pair(d)[1])


register(Method("curry.dependent",
                "E: the tangent of a function is that of its environment (Fig. 5)",
                CURRY_SOURCE, Curried(linearise_dependent)))
register(Method("curry.erased",
                "E without witnesses: one zero for every environment (end of section 5)",
                CURRY_SOURCE,
                Curried(lambda source, args: linearise_dependent(source, args, ERASED))))
