"""S: the simply typed library (The Differentiable Curry, Figs. 2 and 3, section 4).

    a ~> b = a -> (b, T b -> T a)               T[a ~> b] = [(a, T b)], 0 = [], + = ++

    (f ∘ g) a  = let (b, pf) = f a in let (c, pg) = g b in (c, \\gc. pf (pg gc))
    prod f g y = let (a, pf) = f y in let (b, pg) = g y in ((a, b), \\(ga, gb). pf ga + pg gb)
    eval (f,x) = let (y, pb) = f x in (y, \\g. ([(x, g)], pb g))
    curry f t  = (\\s. let (r, pb) = f (t, s) in (r, \\gr. snd (pb gr)),
                  \\grs. sum [fst (snd (f (t, s)) gr) | (s, gr) <- grs])

The tangent of a function is the list of its calls; ``curry`` runs f forward again for every one of
them, so that nested functions take exponential time.

>>> from pullback.papers.language.terms import Prod, R, Z
>>> from pullback.papers.language.build import op
>>> from pullback.papers.language.pretty import show, show_type
>>> from pullback.papers.curry.combinators import proj as project, rep
>>> print(show_type(s(rep(R, Z))), "|", show_type(T(rep(R, R))))
R -> Z * (1 -o R) | Arr (R * R)
>>> f = Op("rep", (), ("mul", Prod(R, R)))
>>> print(show(simple(f)))
\\x:R * R. (mul x, \\_g:R. let x1 = fst x in let x2 = snd x in (x2 * g, x1 * g))
>>> print(show(simple(project(1, 2, Prod(R, R)))))
\\d:R * R. (fst d, \\_g:R. (g, 0))
>>> print(show(simple(op("curry", Op("rep", (), ("mul", Prod(R, R))))), width=80))
let f = \\x:R * R.
   (mul x, \\_g:R. let x1 = fst x in let x2 = snd x in (x2 * g, x1 * g)) in
\\t:R.
 (\\s:R.
  let z = f (t, s) in let r = fst z in let pb = snd z in (r, \\_g:R. snd (pb g)), \\_g:Arr (R * R).
  foldl (acc call. let u = fst (snd (f (t, fst call)) (snd call)) in acc + u) 0 g)
"""

from __future__ import annotations

from pullback.papers.curry.call_lists import LIBRARY, SIMPLE, T, back, s
from pullback.papers.curry.combinators import COMBINATORS, CURRY_SOURCE, components, parameters
from pullback.papers.curry.run import linearise_rep
from pullback.papers.curry.simple_sums import of_sums
from pullback.papers.curry.tangents import derivative, injected, named, plus, zero
from pullback.papers.curry.translation import combinators
from pullback.papers.language.build import E, app, lam, let, let_pair, op, proj
from pullback.papers.language.check import Types, check, types_of
from pullback.papers.language.terms import (
    Foldl,
    Fst,
    Fun,
    Op,
    Pair,
    Prim,
    Snd,
    Source,
    Term,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.methods import Curried, Linearised, Method, register


def simple(t: Term) -> Term:
    """Return a combinator term as a lambda-term."""
    types = types_of(t, library=COMBINATORS)
    return deeply(lambda: S(t, types))


def S(t: Term, types: Types) -> Term:
    """S{t}: what each combinator is."""
    arrow = types[t]
    if not (isinstance(t, Op) and isinstance(arrow, Fun)):
        return t  # the constant of a const
    a, c = arrow.arg, arrow.result
    fs = [S(arg, types) for arg in t.args]
    match t.name:
        # id x = (x, \g. g)
        case "id":
            return lam("x", s(a), lambda x: Pair(x.t, back(a, lambda g: g)))
        # const c y = (c, \_. 0)
        case "const":
            return lam("y", s(a), lambda y: Pair(fs[0], back(c, lambda _: zero(a, y.t, SIMPLE))))
        # proj_i d = (d_i, \g. (0,..,g,..,0))
        case "proj":
            i, n = int(str(t.static[0])) - 1, int(str(t.static[1]))
            delta = components(a, n)
            return lam("d", s(a), lambda d: Pair(
                proj(d, i, n), back(c, lambda g: injected(i, delta, d.t, g, SIMPLE))))
        # mult (x1, x2) = (x1 * x2, \g. (x2 * g, x1 * g)), and so every primitive
        case "rep":
            name, static = str(t.static[0]), parameters(t.static)
            return lam("x", s(a), lambda x: Pair(
                Prim(name, (x.t,), static),
                back(c, lambda g: derivative(name, a, x.t, g, static), "backward")),
                role="forward")
        # (f ∘ g) a = let (b, pf) = f a in let (c, pg) = g b in (c, \gc. pf (pg gc))
        case "comp":
            return named(fs, lambda f, g: lam("a", s(a), lambda x: let_pair(
                ("b", "pf"), f(x), lambda y, pf: let_pair(("c", "pg"), g(y), lambda z, pg: Pair(
                    z.t, back(c, lambda gc: app(pf, app(pg, gc))))))))
        # prod f g y = let (a, pf) = f y in let (b, pg) = g y in ((a,b), \(ga,gb). pf ga + pg gb)
        case "prod":
            return named(fs, lambda f, g: lam("y", s(a), lambda y: let_pair(
                ("a", "pf"), f(y), lambda x, pf: let_pair(("b", "pg"), g(y), lambda z, pg: Pair(
                    Pair(x.t, z.t), back(c, lambda gs: let("ta", app(pf, Fst(gs)), lambda ta: let(
                        "tb", app(pg, Snd(gs)), lambda tb: plus(a, ta.t, tb.t, SIMPLE)))))))))
        # eval (f, x) = let (y, pb) = f x in (y, \g. ([(x, g)], pb g))
        case "eval":
            return lam("p", s(a), lambda p: let("x", Snd(p.t), lambda x: let_pair(
                ("y", "pb"), app(Fst(p.t), x), lambda y, pb: Pair(y.t, back(
                    c, lambda g: Pair(op("one_call", x, g), app(pb, g)))))))
        # curry f t = (\s. .., \grs. sum [.. | (s,gr) <- grs])
        case "curry":
            return named(fs, lambda f: curry(f, a, c))
        case "inl" | "inr" | "case" | "roll" | "unroll" | "rec":
            return of_sums(t, a, c, fs)
        case _:
            raise TypeError(f"no combinator {t.name}")


def curry(f: E, a: Type, g: Type) -> Term:
    """curry f t = (new_g, new_pb)."""
    assert isinstance(g, Fun)
    b, c = g.arg, g.result

    # new_g s = let (r, pb) = f (t, s) in (r, \gr. snd (pb gr))
    def new_g(t: E) -> Term:
        return lam("s", s(b), lambda x: let_pair(
            ("r", "pb"), f(Pair(t.t, x.t)),
            lambda r, pb: Pair(r.t, back(c, lambda gr: Snd(app(pb, gr))))))

    # new_pb grs = sum (map aux grs)   where aux (s, gr) = fst ((snd (f (t, s))) gr)
    def new_pb(t: E) -> Term:
        acc, call = fresh("acc"), fresh("call")
        aux = Fst(app(Snd(app(f, Pair(t.t, Fst(Var(call))))), Snd(Var(call))))
        step = let("u", aux, lambda u: plus(a, Var(acc), u.t, SIMPLE))
        # linear up to the equivalence of lists of calls (section 4.1)
        return Op("homomorphism", (lam("g", T(g), lambda grs: Foldl(
            acc, call, step, zero(a, t.t, SIMPLE), grs.t)),))

    return lam("t", s(a), lambda t: Pair(new_g(t), new_pb(t)))


def linearise_simple(source: Source, args: tuple[object, ...]) -> Linearised:
    """Return the rep-function of the program, run."""
    term = simple(combinators(source))
    check(term, decls=source.decls, library=LIBRARY)
    return linearise_rep(term, LIBRARY, lambda f: f, source, args, lambda d: d)


register(Method("curry.simple",
                "S: the tangent of a function is the list of its calls (Figs. 2, 3)",
                CURRY_SOURCE, Curried(linearise_simple)))
