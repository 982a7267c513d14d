"""The two rules of CH0, naive higher-order CHAD (Efficient CHAD, section 9).

    T1(s->t) = T1 s -> (T1 t * (T2 t -> T2 s))        T2(s->t) = List (T1 s * T2 t)
    C{\\x.t} = let f = \\x. C{t} in
             (\\x. let (y,y') = f x in (y, \\d. snd (split (y' d))),
              \\v. foldr ((x,d) acc. fst (split (snd (f x) d)) + acc) 0 v)
    C{t s}  = let (x,x')=C{t} in let (y,y')=C{s} in let (z,z')=x y in
              (z, \\d. y' (z' d) + x' [(y,d)])

The paper writes C{t} twice where ``f`` is: the same steps, but a text that doubles with every
lambda. The first-order rules are those of C0, on EMap.

>>> from pullback.papers.language.terms import R, Source
>>> from pullback.papers.language.build import E, reals
>>> from pullback.papers.chad.higher import run_higher
>>> x, f = E(Var("x")), E(Var("f"))
>>> twice = Let("f", Lam("y", R, (x * E(Var("y"))).t), f(f(x)).t)  # f y = x y
>>> done = run_higher(Source(reals("x"), twice, R), (2.0,), 1.0)
>>> done.value, done.cotangents
(8.0, (12.0,))
"""

from __future__ import annotations

from pullback.papers.chad.actions import Rule
from pullback.papers.chad.types import t1, t2
from pullback.papers.language.build import lam, let_pair, op
from pullback.papers.language.check import Types
from pullback.papers.language.terms import (
    EV,
    App,
    Context,
    Data,
    Fst,
    Lam,
    Let,
    Op,
    Pair,
    Prod,
    Snd,
    Term,
    Var,
    fresh,
)


def higher_rule(t: Lam | App, gamma: Context, types: Types, chad: Rule) -> Term:
    """C{t} for lambdas and applications."""
    match t:
        # C{\x.t}
        case Lam(x, a, body):
            cell, result = t2(a), t2(types[body])
            inner = (*gamma, (x, cell))
            ev, both = EV(gamma), EV(inner)
            entry = Prod(t1(a), result)
            f, q, u = fresh("f"), fresh("q"), fresh("u")
            step = Lam(q, Prod(entry, ev), op("ev_plus", Fst(op("split", App(Snd(App(
                Var(f), Fst(Fst(Var(q))))), Snd(Fst(Var(q)))), static=(both,))),
                Snd(Var(q))))
            primal = Lam(u, t1(a), let_pair(("y", "y'"), App(Var(f), Var(u)), lambda y, y_: Pair(
                y.t, lam("d", result, lambda d: Snd(op(
                    "split", y_(d), static=(both,))), role="call"))))
            back = lam("v", Data("List", (entry,)), lambda v: op(
                "foldr", step, Op("ev_zero", (), (ev,)), v), role="bp")
            return Let(f, Lam(x, t1(a), chad(body, inner, types)), Pair(primal, back))
        # C{t s}
        case App(fn, arg):
            entry = Prod(t1(types[arg]), t2(types[t]))
            return let_pair(("x", "x'"), chad(fn, gamma, types), lambda x, x_: let_pair(
                ("y", "y'"), chad(arg, gamma, types), lambda y, y_: let_pair(
                    ("z", "z'"), x(y), lambda z, z_: Pair(z.t, lam(
                        "d", t2(types[t]), lambda d: op("ev_plus", y_(z_(d)), x_(op(
                            "lcons", Pair(y.t, d.t), Op("lnil", (), (entry,))))),
                        role="bp")))))
