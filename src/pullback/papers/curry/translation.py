"""J: lambda-terms to combinators (The Differentiable Curry, section 2 and Fig. 1).

    J[Δ |- x_i] = proj_i                      J[Δ |- \\x.e] = curry b        b = J[Δ,x |- e]
    J[Δ |- e1 e2] = (prod b1 b2) ∘ eval       J[Δ |- (e1, e2)] = prod b1 b2
    J[Δ |- op e] = b ∘ op                     J[Δ |- c] = const c            literals, ()

    J[Δ |- inl e] = b ∘ inl         J[Δ |- case e of {inl x -> e1; inr y -> e2}]
                                      = (prod id b) ∘ case J[Δ,x |- e1] J[Δ,y |- e2]
    J[Δ |- letrec f = \\x.e1 in e2] = (prod id (rec J[Δ,f,x |- e1])) ∘ J[Δ,f |- e2]

The last three are section 6.2's, with declared types as sums (``curry.rolled``). ``∘`` is in the
order of the data: (f ∘ g) a = g (f a). Δ also stands for the tuple of its variables, to the left,
so that (Δ, x) is the tuple of Δ,x; where Δ is empty, it is ((), x), and a projection comes first.
Nothing here differentiates: what the combinators *are* is in ``curry.simple`` (section 4) and
``curry.dependent`` (section 5).

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.build import E, reals
>>> from pullback.papers.language.pretty import show
>>> def j(*names, body, type=R):
...     print(show(combinators(Source(reals(*names), body, type)), library=COMBINATORS))
>>> x, y, z = (E(Var(v)) for v in "xyz")
>>> j("x", "y", body=Var("y"))
proj_2
>>> j("x", "y", body=Pair(x.t, y.t), type=Prod(R, R))
prod proj_1 proj_2
>>> j("x", body=Lam("y", R, (x * y).t), type=Fun(R, R))
curry ((prod proj_1 proj_2) ∘ rep_mul)
>>> j("f", "x", body=App(Lam("z", R, (x * z).t), x.t))
(prod (curry ((prod proj_2 proj_3) ∘ rep_mul)) proj_2) ∘ eval
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.papers.curry.combinators import COMBINATORS, CURRY_SOURCE, proj, rep
from pullback.papers.curry.rolled import SOURCE_OPS, as_sums, require_ground
from pullback.papers.language.build import op, tuple_type
from pullback.papers.language.check import Types, check, check_source
from pullback.papers.language.pretty import show_type
from pullback.papers.language.terms import (
    ONE,
    App,
    Arr,
    Case,
    Context,
    Data,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Lam,
    Let,
    LetRec,
    Lit,
    Nil,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    Real,
    Snd,
    Source,
    Term,
    Type,
    Unit,
    Var,
)
from pullback.papers.language.traverse import deeply, map_parts, rename_apart
from pullback.papers.methods import Unsupported


def combinators(source: Source) -> Term:
    """Return the program as a combinator term of type Δ ~> t."""
    source = replace(source, body=rename_apart(source.body))
    check_source(source, dialect=CURRY_SOURCE)
    body = as_sums(source).body
    types = check_source(replace(source, body=body), SOURCE_OPS)
    for t in types.values():
        if isinstance(t, Data):
            require_ground(t, source.decls)
    delta = tuple((x, differentiable(t)) for x, t in source.context)
    out = deeply(lambda: J(delta, body, types))
    check(out, decls=source.decls, library=COMBINATORS)
    return out


def differentiable(t: Type) -> Type:
    """Return the type with ~> for ->: every function of the language is differentiable."""
    match t:
        # a -> b becomes a ~> b, everything else stays
        case Fun(s, u):
            return rep(differentiable(s), differentiable(u))
        case Prod(s, u):
            return Prod(differentiable(s), differentiable(u))
        case Arr(s):
            return Arr(differentiable(s))
        case Plus(s, u):
            return Plus(differentiable(s), differentiable(u))
        case Real() | Int() | Unit() | Data():
            return t
        case _:
            raise Unsupported(f"the Differentiable Curry: no values of type {show_type(t)}")


def J(delta: Context, t: Term, types: Types) -> Term:
    """Return the combinators of Δ |- t."""
    env = tuple_type(*(s for _, s in delta))
    match t:
        # J[Δ |- x_i] = proj_i                                                       BDVAR
        case Var(x):
            names = [v for v, _ in delta]
            return proj(len(names) - names[::-1].index(x), len(names), env)
        # J[Δ |- c] = const c
        case Lit() | Nil():
            return Op("const", (t,), (env,))
        # J[Δ |- \x.e] = curry J[Δ,x |- e]                                           BDLAM
        case Lam(x, s, body):
            return op("curry", under(delta, ((x, differentiable(s)),), body, types))
        # J[Δ |- e1 e2] = (prod b1 b2) ∘ eval                                        BDAPP
        case App(e1, e2):
            s, u = differentiable(types[e2]), differentiable(types[t])
            return op("comp", op("prod", J(delta, e1, types), J(delta, e2, types)),
                      Op("eval", (), (s, u)))
        # J[Δ |- let x = e1 in e2] = (prod id b1) ∘ b2, which is (\x.e2) e1 by the law of curry
        # and eval (``applied_lets`` writes it so).
        case Let(x, e1, e2):
            b2 = under(delta, ((x, differentiable(types[e1])),), e2, types)
            return op("comp", op("prod", Op("id", (), (env,)), J(delta, e1, types)), b2)
        # J[Δ |- (e1, e2)] = prod b1 b2                                              BDPROD
        case Pair(e1, e2):
            return op("prod", J(delta, e1, types), J(delta, e2, types))
        # fst and snd are primitives: proj_1 and proj_2 of a pair.
        case Fst(e) | Snd(e):
            pair = differentiable(types[e])
            return op("comp", J(delta, e, types), proj(1 if isinstance(t, Fst) else 2, 2, pair))
        # J[Δ |- op e] = b ∘ op: primitives come with their rep-functions.
        case Prim(name, args, static):
            b = Op("rep", (), (name, tuple_type(*(types[e] for e in args)),
                               *(s for s in static if isinstance(s, str | int))))
            return op("comp", tupled([J(delta, e, types) for e in args], env), b)
        # J[Δ |- inl e] = b ∘ inl
        case Inl(e) | Inr(e):
            both = differentiable(types[t])
            assert isinstance(both, Plus)
            inject = Op("inl" if isinstance(t, Inl) else "inr", (), (both.left, both.right))
            return op("comp", J(delta, e, types), inject)
        # J[Δ |- case e of {inl x -> e1; inr y -> e2}] = (prod id b) ∘ case b1 b2
        case Case(e, x, e1, y, e2):
            both = differentiable(types[e])
            assert isinstance(both, Plus)
            arms = op("case", under(delta, ((x, both.left),), e1, types),
                      under(delta, ((y, both.right),), e2, types))
            return op("comp", op("prod", Op("id", (), (env,)), J(delta, e, types)), arms)
        # J[Δ |- roll e] = b ∘ roll
        case Op("roll" | "unroll", (e,)):
            return op("comp", J(delta, e, types), Op(t.name, (), t.static))
        # J[Δ |- letrec f = \x.e1 in e2] = (prod id (rec J[Δ,f,x |- e1])) ∘ J[Δ,f |- e2]
        case LetRec((r,), e2):
            f = differentiable(r.type)
            assert isinstance(f, Fun)
            b1 = under(delta, ((r.f, f), (r.fn.x, f.arg)), r.fn.body, types)
            return op("comp", op("prod", Op("id", (), (env,)), op("rec", b1)),
                      under(delta, ((r.f, f),), e2, types))
        case LetRec():
            raise Unsupported("the Differentiable Curry: functions that call each other")
        case _:
            raise Unsupported(f"the Differentiable Curry has no {type(t).__name__.lower()}")


def tupled(terms: Sequence[Term], env: Type) -> Term:
    """Return the combinator that makes a tuple of pairs that are nested to the left."""
    if not terms:
        return Op("const", (Nil(),), (env,))
    out = terms[0]
    for t in terms[1:]:
        out = op("prod", out, t)
    return out


def under(delta: Context, new: Context, body: Term, types: Types) -> Term:
    """Return the combinators of ``body``, from the pair (Δ, x), or ((Δ, f), x) for two names."""
    b = J((*delta, *new), body, types)
    if delta:
        return b
    (_, first), *others = new
    env: Type = Prod(ONE, first)
    drop = proj(2, 2, env)  # Δ is (), which is no component of a tuple
    for _, s in others:
        env = Prod(env, s)
        drop = op("prod", op("comp", proj(1, 2, env), drop), proj(2, 2, env))
    return op("comp", drop, b)


def applied_lets(t: Term, types: Types) -> Term:
    """Return the term with (\\x.e2) e1 for each let x = e1 in e2: Fig. 1 has no other let."""
    if isinstance(t, Let):
        return App(Lam(t.x, types[t.bound], applied_lets(t.body, types)),
                   applied_lets(t.bound, types))
    return map_parts(lambda s: applied_lets(s, types), t)
