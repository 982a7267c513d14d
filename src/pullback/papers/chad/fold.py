"""CHAD of fold, with the tree of its backpropagators (Efficient CHAD, Figs. 8 and 9).

    data Tree a f = Leaf a | Node (Tree a f) a f (Tree a f)
    getA (Leaf x) = x      getA (Node _ x _ _) = x
    C{fold (p. t) s} = let (s1,s')=C{s} in
       let tree = fold (q. let p = (getA (fst q), getA (snd q)) in
                           let (y,f) = C{t} in Node (fst q) y f (snd q)) (map (x. Leaf x) s1) in
       (getA tree, \\d. unTree d tree >>= \\ds. s' (BArray (fromList (ds []))))
    unTree d (Leaf _) = return (\\k. d :: k)
    unTree d (Node l _ f r) = scope (f d) >>= \\((),dp). unTree (lfst dp) l >>= \\r1.
                              unTree (lsnd dp) r >>= \\r2. return (\\k. r1 (r2 k))

``unTree`` goes down the tree, so that each backpropagator is called once; the cotangents of the
elements come out as a difference list, whose appends cost 1.

>>> from pullback.papers.language.terms import Arr, R, Source
>>> from pullback.papers.language.build import prim
>>> from pullback.papers.chad.program import run_monadic
>>> product = Fold("p", prim("mul", Fst(Var("p")), Snd(Var("p"))), Var("a"))
>>> done = run_monadic(Source((("a", Arr(R)),), product, R), ([4.0, 5.0, 6.0],), 1.0)
>>> done.value, done.cotangents
(120.0, ([30.0, 24.0, 20.0],))
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.papers.chad.actions import Rule
from pullback.papers.chad.types import t1, t2
from pullback.papers.language.build import E, Like, lam, let, let_pair, op, term
from pullback.papers.language.check import Types
from pullback.papers.language.linear import return_, scope
from pullback.papers.language.terms import (
    EVM,
    ONE,
    App,
    Con,
    Context,
    Data,
    Fold,
    Fst,
    Fun,
    Let,
    LetRec,
    Map,
    Match,
    MatchArm,
    Op,
    Pair,
    Prod,
    Rec,
    Snd,
    Term,
    Var,
    fresh,
)


def get_a(tree: Term) -> Term:
    """getA (Node _ x _ _) = x; getA (Leaf x) = x."""
    x, names = fresh("x"), [fresh(h) for h in ("l", "x", "f", "r")]
    return Match(tree, (
        MatchArm("Leaf", (x,), Var(x)), MatchArm("Node", tuple(names), Var(names[1]))))


def fold_rule(t: Fold, gamma: Context, types: Types, chad: Rule) -> Term:
    """C{fold (p. t) s}."""
    elem = types[t.t]
    cell, p = t2(elem), t2(Prod(elem, elem))
    inner = (*gamma, (t.p, p))
    bp = Fun(cell, EVM(inner, ONE))
    tree = Data("Tree", (t1(elem), bp))
    q, x = fresh("q"), fresh("x")

    # tree = fold (q. let p = (getA (fst q), getA (snd q)) in
    #              let (y,f) = C{t} in Node (fst q) y f (snd q)) (map (x. Leaf x) s1)
    def grown(s1: E) -> Term:
        def node(y: E, f: E) -> Term:
            return Con("Node", (Fst(Var(q)), y.t, f.t, Snd(Var(q))), tree)

        at = Pair(get_a(Fst(Var(q))), get_a(Snd(Var(q))))
        combine = let("p", at, lambda v: let_pair(("y", "f"), _under(t.p, v, chad(
            t.t, inner, types)), node))
        return Fold(q, combine, Map(x, Con("Leaf", (Var(x),), tree), s1.t))

    def back(s_: E, grown_: E, d: E) -> Term:
        dlist = Fun(Data("List", (cell,)), Data("List", (cell,)))
        return _un_tree(gamma, t.p, p, cell, tree, lambda go: op(
            "bind", go(d)(grown_), lam("ds", dlist, lambda ds: s_(op("BArray", op(
                "fromList", ds(Op("lnil", (), (cell,)))))))))

    return let_pair(("s1", "s'"), chad(t.a, gamma, types), lambda s1, s_: let(
        "tree", grown(s1), lambda g: Pair(get_a(g.t), lam(
            "d", t2(types[t]), lambda d: back(s_, g, d), role="bp"))))


def _under(p: str, value: E, t: Term) -> Term:
    return Let(p, value.t, t)


def _un_tree(
    gamma: Context, name: str, p: Data, cell: Data, tree: Data,
    body: Callable[[E], Like],
) -> Term:
    # unTree d (Leaf _) = return (\k. d :: k)
    # unTree d (Node l _ f r) = scope (f d) >>= \((),dp). unTree (lfst dp) l >>= \r1.
    #                           unTree (lsnd dp) r >>= \r2. return (\k. r1 (r2 k))
    items = Data("List", (cell,))
    dlist = Fun(items, items)
    go, leaf = fresh("unTree"), fresh("_")
    left, at, f, right = (fresh(h) for h in ("l", "_", "f", "r"))
    kind = Fun(cell, Fun(tree, EVM(gamma, dlist)))

    def down(d: E) -> Term:
        def both(dp: Term) -> Term:
            return let("dp", dp, lambda v: op("bind", E(Var(go))(op("lfst", v))(Var(left)), lam(
                "r1", dlist, lambda r1: op("bind", E(Var(go))(op("lsnd", v))(Var(right)), lam(
                    "r2", dlist, lambda r2: return_(lam(
                        "k", items, lambda k: r1(r2(k))), gamma))))))

        return op("bind", scope(name, p, App(Var(f), d.t)), lam(
            "r", Prod(p, ONE), lambda r: both(Fst(r.t))))

    fn = lam("d", cell, lambda d: lam("tree", tree, lambda tr: Match(tr.t, (
        MatchArm("Leaf", (leaf,), return_(lam(
            "k", items, lambda k: op("lcons", d, k)), gamma)),
        MatchArm("Node", (left, at, f, right), down(d))))))
    return LetRec((Rec(go, kind, fn),), term(body(E(Var(go)))))
