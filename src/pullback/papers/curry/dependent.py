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

>>> from pullback.papers.language.terms import R
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

from collections.abc import Callable

from pullback.papers.curry.combinators import COMBINATORS, CURRY_SOURCE, components, parameters
from pullback.papers.curry.environments import DEPENDENT, ENV, ERASED, LIBRARY, T, e
from pullback.papers.curry.run import linearise_rep
from pullback.papers.curry.simple import named
from pullback.papers.curry.tangents import (
    derivative,
    injected,
    injected_sum,
    part,
    plus,
    rolled_back,
    zero,
)
from pullback.papers.curry.translation import combinators
from pullback.papers.language.build import E, app, case, lam, let, let_pair, op, proj
from pullback.papers.language.check import Types, check, types_of
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import (
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    LetRec,
    Nil,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    Rec,
    Snd,
    Source,
    Term,
    Type,
    Var,
    fresh,
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
        # inl = exT () (\x. (inl x, \g. ((), the part of g)))
        case "inl" | "inr":
            assert isinstance(c, Plus)
            sum_ = c
            return closed("x", a, c, lambda x: (
                Inl(x.t, e(sum_.right)) if t.name == "inl" else Inr(x.t, e(sum_.left))),
                lambda x, g: part(t.name, a, sum_, x, g, DEPENDENT))
        # case (exT τf f) (exT τg g) = exT (τf, τg) h
        case "case":
            return named(fs, lambda f, g: cases(f, g, a, c))
        # roll = exT () (\x. (roll x, \g. ((), g)))
        case "roll" | "unroll":
            return closed("x", a, c, lambda x: Op(t.name, (x.t,), t.static),
                          lambda x, g: rolled_back(t.name, a, x, g, DEPENDENT))
        # rec (exT τ f) = exT τ new_f
        case "rec":
            return named(fs, lambda f: rec(f, a, c))
        case _:
            raise TypeError(f"no combinator {t.name}")


UNIT = Op("env", (Op("ty_unit"), Nil()))
"""The tangent of an empty environment."""


def closed(
    x: str, a: Type, c: Type, value: Callable[[E], Term], tangent: Callable[[E, Term], Term],
    roles: tuple[str, str] = ("", ""),
) -> Term:  # fmt: skip
    """exT () (\\x. (value, \\g. ((), tangent)))."""
    return Pair(Op("ty_unit"), lam(x, e(a), lambda v: Pair(
        value(v), back(c, lambda g: Pair(UNIT, tangent(v, g)), roles[1])), role=roles[0]))


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


def cases(f: E, g: E, a: Type, c: Type) -> Term:
    """case (exT τf f) (exT τg g) = exT (τf, τg) h; the branch that is not taken has a zero."""
    assert isinstance(a, Prod) and isinstance(a.right, Plus)
    sum_ = a.right

    # h (d, inl x) = let (y, pf) = f (d, x) in (y, \gc. ((ef, 0), (gd, inl gx))) where
    # (ef, (gd, gx)) = pf gc
    def arm(h: E, other: E, w: E, p: E, x: E, index: int) -> Term:
        def envs(eh: E) -> Term:
            unused = Op("zero_env", (Fst(other.t),))
            return env(w, Pair(unused, eh.t) if index else Pair(eh.t, unused))

        return let_pair(("y", "ph"), app(Snd(h.t), Pair(Fst(p.t), x.t)), lambda y, ph: Pair(
            y.t, back(c, lambda gc: let_pair(("eh", "gp"), app(ph, gc), lambda eh, gp: Pair(
                envs(eh), Pair(Fst(gp.t), injected_sum(index, sum_, Snd(gp.t), DEPENDENT)))))))

    return both(f, g, lambda w: lam("p", e(a), lambda p: case(
        Snd(p.t), "x", lambda x: arm(f, g, w, p, x, 0),
        "y", lambda y: arm(g, f, w, p, y, 1))))


def rec(f: E, a: Type, g: Type) -> Term:
    """rec (exT τ f) = exT τ new_f."""
    assert isinstance(g, Fun)
    b, c = g.arg, g.result
    code = fresh("code")
    target = e(g)
    assert isinstance(target, Prod) and isinstance(target.right, Fun)
    kind = target.right

    # code s = let (r, pb) = f ((t, exT w code), s) in
    #     (r, \gr. let (cte, ((ctt, ctf), cts)) = pb gr in ((cte, ctt) + ctf, cts))
    # The function's own tangent ctf, of the calls inside, is again one of its environment.
    def again(t: E, w: E) -> Lam:
        return lam("s", e(b), lambda s: let_pair(
            ("r", "pb"), app(Snd(f.t), Pair(Pair(t.t, Pair(w.t, Var(code))), s.t)),
            lambda r, pb: Pair(r.t, back(c, lambda gr: let_pair(
                ("cte", "ct"), app(pb, gr), lambda cte, ct: let_pair(
                    ("ctt", "ctf"), Fst(ct.t), lambda ctt, ctf: Pair(
                        Op("plus_env", (env(w, Pair(cte.t, ctt.t)), ctf.t)), Snd(ct.t))))))))

    # new_f t = letrec code in (exT (τ, T[t]) code, \env. env)
    new_f = lam("t", e(a), lambda t: let(
        "w", op("ty_pair", Fst(f.t), op("ty_of", t, static=(a,))), lambda w: LetRec(
            (Rec(code, kind, again(t, w)),), Pair(Pair(w.t, Var(code)), back(
                g, lambda d: Op("open", (d,), (Prod(ENV, T(a)),)))))))
    return Pair(Fst(f.t), new_f)


def both(f: E, g: E, code: Callable[[E], Term]) -> Term:
    """exT (τf, τg) code."""
    return let("w", op("ty_pair", Fst(f.t), Fst(g.t)), lambda w: Pair(w.t, code(w)))


def env(w: E, t: Term) -> Term:
    """Return ``t`` as the tangent of an environment."""
    return Op("env", (w.t, t))


def back(t: Type, body: Callable[[Term], Term], role: str = "") -> Term:
    """Return a backpropagator, from a cotangent of ``t``."""
    return lam("g", T(t), lambda g: body(g.t), kind="-o", role=role)


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
