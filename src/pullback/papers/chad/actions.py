"""What C's rules write: actions on one environment of cotangents (Efficient CHAD, section 4.2).

    return v       adds nothing                     one_x d        adds d to the cell of x
    m >>= k        m, and then k of its value       scope_x 0 m    m with a new cell for x; what is
    m >> k         m >>= \\_. k                                     in it goes with m's value

An action of type EVM ctx t is run once, on the zero environment. It adds to cells, and never reads.

>>> from pullback.papers.language.terms import R, Var
>>> from pullback.papers.language.linear import one
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.chad.types import LINEAR
>>> gamma = (("x", t2(R)),)
>>> m = one("x", Var("e"), gamma)
>>> print(show(bp(R, lambda d: then(m, m, gamma)), 80, LINEAR))
\\d:L(R). let q = one_x e in (one_x e) >>= (\\_:1. q)
>>> print(show(scoped("y", t2(R), Var("m"), lambda dy: one("x", dy, gamma)), 80, LINEAR))
(scope_y 0 m) >>= (\\r:L(R) * 1. one_x (fst r))
>>> print(show(zeros(gamma), 80, LINEAR))
((), 0)
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.papers.chad.types import t2
from pullback.papers.language.build import E, Like, lam, let, op, term
from pullback.papers.language.check import Types
from pullback.papers.language.linear import scope, zero
from pullback.papers.language.terms import (
    ONE,
    Context,
    Fst,
    Lam,
    Nil,
    Pair,
    Prod,
    Term,
    Type,
)

Rule = Callable[[Term, Context, Types], Term]


def bp(t: Type, body: Callable[[E], Like]) -> Lam:
    """\\d. body, for a cotangent d of a value of type t."""
    return lam("d", t2(t), body, role="bp")


def then(m: Like, k: Like, gamma: Context) -> Term:
    """m >> k, with k evaluated first: let q = k in bind m (\\_. q)."""
    return let("q", k, lambda q: op("bind", m, lam("_", ONE, lambda _: q)))


def scoped(x: str, cell: Type, m: Like, k: Callable[[Term], Term]) -> Term:
    """scope m >>= \\r. k (fst r): what m has added into the new cell x goes to k."""
    return op("bind", scope(x, cell, term(m)), lam(
        "r", Prod(cell, ONE), lambda r: k(Fst(r.t))))


def zeros(gamma: Context) -> Term:
    """Return the zero environment: a tuple that begins with ()."""
    out: Term = Nil()
    for _, t in gamma:
        out = Pair(out, zero(t))
    return out
