"""S: the simply typed library (The Differentiable Curry, Figs. 2 and 3, section 4).

    a ~> b = a -> (b, T b -> T a)               T[a ~> b] = [(a, T b)], 0 = [], + = ++

    (f ∘ g) a  = let (b, pf) = f a in let (c, pg) = g b in (c, \\gc. pf (pg gc))
    prod f g y = let (a, pf) = f y in let (b, pg) = g y in ((a, b), \\(ga, gb). pf ga + pg gb)
    eval (f,x) = let (y, pb) = f x in (y, \\g. ([(x, g)], pb g))
    curry f t  = (\\s. let (r, pb) = f (t, s) in (r, \\gr. snd (pb gr)),
                  \\grs. sum [fst (snd (f (t, s)) gr) | (s, gr) <- grs])

The tangent of a function is the list of its calls; ``curry`` runs f forward again for every one of
them, so that nested functions take exponential time.

>>> from pullback.papers.language.terms import R, Z
>>> from pullback.papers.language.build import op
>>> from pullback.papers.language.pretty import show, show_type
>>> from pullback.papers.curry.combinators import proj as project, rep
>>> print(show_type(primal(rep(R, Z), SIMPLE)), "|", show_type(tangent(rep(R, R), SIMPLE)))
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

from collections.abc import Callable, Sequence
from typing import cast

from pullback.papers.curry.combinators import COMBINATORS, CURRY_SOURCE, components, parameters
from pullback.papers.curry.run import linearise_rep
from pullback.papers.curry.sums import SUMS
from pullback.papers.curry.tangents import (
    Functions,
    derivative,
    injected,
    injected_sum,
    part,
    plus,
    primal,
    rolled_back,
    tangent,
    zero,
)
from pullback.papers.curry.translation import combinators
from pullback.papers.language.arrays import OPS
from pullback.papers.language.build import E, app, case, lam, let, let_pair, lets, op, proj
from pullback.papers.language.check import Types, check, types_of
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import (
    App,
    Arr,
    Foldl,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    LetRec,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    Rec,
    Snd,
    Source,
    Term,
    TVar,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.methods import Curried, Linearised, Method, register

SIMPLE = Functions(
    # a ~> b = a -> (b, T b -> T a)
    lambda a, b: Fun(s(a), Prod(s(b), Fun(T(b), T(a), "-o"))),
    # T[a ~> b] = [(a, T b)]
    lambda a, b: Arr(Prod(s(a), T(b))),
    # 0 = [] (the type follows from the function)
    lambda f: Op("no_calls", (f,)),
    # x + y = x ++ y
    lambda x, y: Op("append", (x, y)),
)
LIBRARY = OPS.extended(
    Row("no_calls", sig((Fun(TVar("a"), Prod(TVar("b"), Fun(TVar("d"), TVar("e")))),),
                        Arr(Prod(TVar("a"), TVar("d")))), pure(lambda f: []), show="[]", linear=()),
    *SUMS,
    Row("one_call", sig((TVar("a"), TVar("b")), Arr(Prod(TVar("a"), TVar("b")))),
        pure(lambda x, g: [(x, g)]), show="[({0}, {1})]", linear=(1,)),
)


def s(t: Type) -> Type:
    """Return the type of values."""
    return primal(t, SIMPLE)


def T(t: Type) -> Type:
    """Return the type of tangents."""
    return tangent(t, SIMPLE)


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
        case "inl" | "inr":
            return lam("x", s(a), lambda x: injection(t.name, a, c, x))
        # case f g (d, inl x) = let (y, pf) = f (d, x) in
        #     (y, \g. let (gd, gx) = pf g in (gd, inl gx))
        case "case":
            return named(fs, lambda f, g: lam("p", s(a), lambda p: cases(f, g, a, c, p)))
        case "roll" | "unroll":
            return lam("x", s(a), lambda x: rolled(t, a, c, x))
        case "rec":
            return named(fs, lambda f: rec(f, a, c))
        case _:
            raise TypeError(f"no combinator {t.name}")


def injection(name: str, a: Type, c: Type, x: E) -> Term:
    """inl x = (inl x, \\g. the part of g)."""
    assert isinstance(c, Plus)
    value = Inl(x.t, s(c.right)) if name == "inl" else Inr(x.t, s(c.left))
    return Pair(value, back(c, lambda g: part(name, a, c, x, g, SIMPLE)))


def cases(f: E, g: E, a: Type, c: Type, p: E) -> Term:
    """case f g p."""
    assert isinstance(a, Prod) and isinstance(a.right, Plus)
    sum_ = a.right

    def arm(h: E, x: E, index: int) -> Term:
        return let_pair(("y", "ph"), h(Pair(Fst(p.t), x.t)), lambda y, ph: Pair(y.t, back(
            c, lambda gy: let_pair(("gd", "gx"), app(ph, gy), lambda gd, gx: Pair(
                gd.t, injected_sum(index, sum_, gx.t, SIMPLE))))))

    return case(Snd(p.t), "x", lambda x: arm(f, x, 0), "y", lambda y: arm(g, y, 1))


def rolled(t: Op, a: Type, c: Type, x: E) -> Term:
    """roll x = (roll x, \\g. g) and unroll likewise."""
    return Pair(Op(t.name, (x.t,), t.static), back(c, lambda g: rolled_back(
        t.name, a, x, g, SIMPLE)))


def rec(f: E, a: Type, g: Type) -> Term:
    """rec f t = (new_g, new_pb), as curry, of a function that knows itself."""
    assert isinstance(g, Fun)
    b, c = g.arg, g.result
    new_g, new_pb = fresh("new_g"), fresh("new_pb")

    # new_g x = let (r, pb) = f ((t, new_g), x) in (r, \gr. snd (pb gr))
    def again(t: E) -> Lam:
        return lam("s", s(b), lambda x: let_pair(
            ("r", "pb"), f(Pair(Pair(t.t, Var(new_g)), x.t)),
            lambda r, pb: Pair(r.t, back(c, lambda gr: Snd(app(pb, gr))))))

    # new_pb grs = sum [gt + new_pb gf | (s, gr) <- grs, ((gt, gf), _) = snd (f ((t, new_g), s)) gr]
    def of_calls(t: E) -> Lam:
        acc, call = fresh("acc"), fresh("call")
        aux = Fst(app(Snd(app(f, Pair(Pair(t.t, Var(new_g)), Fst(Var(call))))), Snd(Var(call))))
        step = let("u", aux, lambda u: let("v", App(Var(new_pb), Snd(u.t)), lambda v: let(
            "w", plus(a, Var(acc), v.t, SIMPLE), lambda w: plus(a, w.t, Fst(u.t), SIMPLE))))
        return lam("g", T(g), lambda grs: Foldl(acc, call, step, zero(a, t.t, SIMPLE), grs.t))

    return lam("t", s(a), lambda t: LetRec(
        (Rec(new_g, cast(Fun, s(g)), again(t)),),
        LetRec((Rec(new_pb, Fun(T(g), T(a)), of_calls(t)),), Pair(
            Var(new_g), Op("homomorphism", (lam("g", T(g), lambda grs: App(
                Var(new_pb), grs.t)),))))))


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


def back(t: Type, body: Callable[[Term], Term], role: str = "") -> Term:
    """Return a backpropagator, from a cotangent of ``t``."""
    return lam("g", T(t), lambda g: body(g.t), kind="-o", role=role)


def named(fs: Sequence[Term], body: Callable[..., Term]) -> Term:
    """Return ``body`` of the functions ``fs``, each under a name."""
    names = [fresh(hint) for hint in "fg"[: len(fs)]]
    return lets(list(zip(names, fs, strict=True)), body(*(E(Var(x)) for x in names)))


def linearise_simple(source: Source, args: tuple[object, ...]) -> Linearised:
    """Return the rep-function of the program, run."""
    term = simple(combinators(source))
    check(term, decls=source.decls, library=LIBRARY)
    return linearise_rep(term, LIBRARY, lambda f: f, source, args, lambda d: d)


register(Method("curry.simple",
                "S: the tangent of a function is the list of its calls (Figs. 2, 3)",
                CURRY_SOURCE, Curried(linearise_simple)))
