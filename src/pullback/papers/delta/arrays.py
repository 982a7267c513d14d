"""DeltaState and DeltaMap as mutable arrays (Krawiec et al., section 5.3.3).

    deltaLet u = push u on the bindings        addDelta i x m: in place        the id is the place

DeltaMap is an array of 1 + R (inl (): no entry, so that dead bindings are skipped as they are with
a map), and nested Lets are not built: a loop goes over the bindings, the latest first.

>>> from pullback.papers.language.pretty import show
>>> print(show(ARRAY.delta_let))
\\u:Delta. \\bs:MArr Delta. let n = size bs in (n, push bs u)
"""

from __future__ import annotations

from pullback.papers.delta.eval import Eval, Store, eval_term
from pullback.papers.delta.types import DELTA, ZERO
from pullback.papers.language.build import lam, let, lets, op, prim
from pullback.papers.language.terms import (
    ONE,
    App,
    Build,
    Case,
    Data,
    Foldl,
    Fst,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Lit,
    MatchArm,
    Nil,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    R,
    Snd,
    Term,
    Var,
    Z,
    fresh,
)

MAYBE = Plus(ONE, R)
ARRAY_STATE = Data("MArr", (DELTA,))
ARRAY_MAP = Data("MArr", (MAYBE,))


def _array_let() -> Lam:
    # deltaLet u = \bs. let n = size bs in (n, push bs u)
    return lam("u", DELTA, lambda u: lam("bs", ARRAY_STATE, lambda bs: let(
        "n", op("size", bs), lambda n: Pair(n.t, op("push", bs, u)))))


def added_in_place(i: Term, x: Term, m: Term) -> Term:
    """Return addDelta i x m in place: the first summand is stored as it is, as 0 + x."""
    a = fresh("a")
    total = Case(op("get", m, i), fresh("_"), Prim("add", (Lit(0.0), x)),
                 a, Prim("add", (Var(a), x)))
    return op("set", m, i, Inr(total, ONE))


def no_let(call: Eval, x: Term, fm: Term) -> MatchArm:
    """Return the clause for Let where the bindings are visited by a loop."""
    wrong = Op("error", (), (ARRAY_MAP, "Let in a binding"))
    return MatchArm("Let", (fresh("i"), fresh("u"), fresh("v")), wrong)


def _array_fold(x: Term, ran: Term) -> Term:
    # for i = the last id, .., n: case fm[i] of Nothing -> fm
    #                                           Just y -> fm[i] := Nothing; eval y bs[i] fm
    rec = eval_term(ARRAY_MAP, added_in_place, no_let)
    r, bs, m, k, i, j, y = (fresh(n) for n in ("r", "bs", "m", "k", "i", "j", "y"))
    none: Term = Inl(Nil(), R)

    def run(x: Term, u: Term, m: Term) -> Term:
        return App(Var(rec.f), Pair(Pair(x, u), m))

    size = op("size", Var(bs))
    visit = Let(i, prim("sub", prim("sub", size, 1), Var(k)), Case(
        op("get", Var(m), Var(i)), fresh("_"), Var(m),
        y, run(Var(y), op("get", Var(bs), Var(i)), op("set", Var(m), Var(i), none))))
    start = run(x, Fst(Fst(Var(r))), op("alloc", size, none))
    count = prim("sub", size, Snd(Var(r)))
    loop = Foldl(m, k, visit, start, Build(count, j, Var(j)))
    return lets([(r, ran), (bs, Snd(Fst(Var(r))))], LetRec((rec,), loop))


ARRAY = Store(
    "array", ARRAY_STATE, Prod(Prod(DELTA, ARRAY_STATE), Z),
    lambda n: op("alloc", n, ZERO), _array_let(),
    lambda u, s, n: Pair(Pair(u, s), n), _array_fold,
    lambda fm, i: Case(op("get", fm, i), fresh("_"), Lit(0.0), "y", Var("y")),
    lambda bs: op("copy", bs))
