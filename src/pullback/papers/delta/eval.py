"""runDelta and eval (Krawiec et al., Fig. 11).

    runDelta n m = let ((r,u),(_,bs)) = m (n,[]) in
                   (r, foldl (\\body (id,rhs). Let id rhs body) u bs)
    eval x Zero m = m                     eval x (Scale y u) m = eval (x*y) u m
    eval x (Add u v) m = eval x v (eval x u m)            eval x (Var i) m = addDelta i x m
    eval x (Let i u v) m = let m2 = eval x v m in
                           case lookup i m2 of {Nothing -> m2; Just y -> eval y u (delete i m2)}

DeltaState is (Id, [(Id, Delta)]), DeltaMap a persistent map. ``delta.arrays`` has both as mutable
arrays.

>>> from pullback.papers.language.pretty import show
>>> print(show(MAP.delta_let))
\\u:Delta. \\s:Z * DeltaBinds. let n = fst s in (n, (n + 1, Bind n u (snd s)))
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.frozen import dataclass
from pullback.papers.delta.types import DELTA
from pullback.papers.language.build import app, lam, let, op
from pullback.papers.language.terms import (
    ONE,
    App,
    Case,
    Con,
    Data,
    DataDecl,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Match,
    MatchArm,
    Nil,
    Pair,
    Prim,
    Prod,
    R,
    Rec,
    Snd,
    Term,
    Type,
    Var,
    Z,
    fresh,
)

BINDS = Data("DeltaBinds")
BINDS_DECL = DataDecl("DeltaBinds", (), (("Done", ()), ("Bind", (Z, DELTA, BINDS))))


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """An implementation of DeltaState and DeltaMap.

    start(n)          the state whose first fresh id is n
    again s           the state, to go on from more than once
    deltaLet u s      (id, state)
    run u s n         what is evaluated, made at the end of the forward phase; n the first fresh id
    fold x ran        the DeltaMap: eval x of it
    lookup fm i       lookupOrZero
    """

    name: str
    state: Type
    ran: Type
    start: Callable[[Term], Term]
    delta_let: Lam
    run: Callable[[Term, Term, Term], Term]
    fold: Callable[[Term, Term], Term]
    lookup: Callable[[Term, Term], Term]
    again: Callable[[Term], Term] = lambda s: s


DELTA_MAP = Data("Map", (Z, R))
MAP_STATE = Prod(Z, BINDS)


def _map_let() -> Lam:
    # deltaLet u = \(n,bs). (n, (n+1, (n,u):bs))
    return lam("u", DELTA, lambda u: lam("s", MAP_STATE, lambda s: let("n", Fst(s.t), lambda n: (
        Pair(n.t, Pair((n + 1).t, Con("Bind", (n.t, u.t, Snd(s.t)), BINDS)))))))


def nest(u: Term, s: Term, n: Term) -> Term:
    """foldl (\\body (id,rhs). Let id rhs body) u bs: the earliest binding is outermost."""
    go, p = fresh("nest"), fresh("p")
    i, d, rest = fresh("i"), fresh("d"), fresh("bs")
    more = Pair(Con("Let", (Var(i), Var(d), Fst(Var(p))), DELTA), Var(rest))
    body = Match(Snd(Var(p)), (
        MatchArm("Done", (), Fst(Var(p))),
        MatchArm("Bind", (i, d, rest), App(Var(go), more))))
    f = Fun(Prod(DELTA, BINDS), DELTA)
    return LetRec((Rec(go, f, Lam(p, f.arg, body)),), app(Var(go), Pair(u, Snd(s))))


Eval = Callable[[Term, Term, Term], Term]


def eval_term(
    m: Type, add: Callable[[Term, Term, Term], Term], let_: Callable[[Eval, Term, Term], MatchArm]
) -> Rec:
    """eval : (R * Delta) * DeltaMap -> DeltaMap, for an addDelta i x m and a clause for Let."""
    go, p = fresh("eval"), fresh("p")
    x, u, v, w, y, i = (fresh(n) for n in ("x", "u", "v", "w", "y", "i"))
    fm = Snd(Var(p))

    def call(x: Term, u: Term, m: Term) -> Term:
        return App(Var(go), Pair(Pair(x, u), m))

    arms = (
        # eval x Zero m = m
        MatchArm("Zero", (), fm),
        # eval x (Scale y u) m = eval (x*y) u m
        MatchArm("Scale", (y, u), call(Prim("mul", (Var(x), Var(y))), Var(u), fm)),
        # eval x (Add u v) m = eval x v (eval x u m)
        MatchArm("Add", (v, w), call(Var(x), Var(w), call(Var(x), Var(v), fm))),
        # eval x (Var i) m = addDelta i x m
        MatchArm("Var", (i,), add(Var(i), Var(x), fm)),
        let_(call, Var(x), fm),
    )
    body = Let(x, Fst(Fst(Var(p))), Match(Snd(Fst(Var(p))), arms))
    f = Fun(Prod(Prod(R, DELTA), m), m)
    return Rec(go, f, Lam(p, f.arg, body, role="eval"))


def let_arm(call: Eval, x: Term, fm: Term) -> MatchArm:
    """eval x (Let i u v) m = let m2 = eval x v m in case lookup i m2 of .."""
    i, u, v, m2, y = (fresh(n) for n in ("i", "u", "v", "m", "y"))
    rest = op("mdelete", Var(m2), Var(i))
    return MatchArm("Let", (i, u, v), Let(m2, call(x, Var(v), fm), Case(
        look_up(Var(m2), Var(i)), fresh("_"), Var(m2), y, call(Var(y), Var(u), rest))))


def look_up(m: Term, i: Term) -> Term:
    """lookup i m : 1 + R, of a map."""
    return Case(op("mmember", m, i), fresh("_"), Inl(Nil(), R),
                fresh("_"), Inr(op("mget", m, i, 0.0), ONE))


def _map_fold(x: Term, u: Term) -> Term:
    def added(i: Term, x: Term, m: Term) -> Term:
        return op("minsert", m, i, Prim("add", (op("mget", m, i, 0.0), x)))

    rec = eval_term(DELTA_MAP, added, let_arm)
    return LetRec((rec,), App(Var(rec.f), Pair(Pair(x, u), op("mempty", static=(R,)))))


MAP = Store(
    "map", MAP_STATE, DELTA, lambda n: Pair(n, Con("Done", (), BINDS)), _map_let(),
    nest, _map_fold, lambda fm, i: op("mget", fm, i, 0.0))
