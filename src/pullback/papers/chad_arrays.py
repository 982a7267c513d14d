"""CHAD of array programs (Efficient CHAD, section 7, Figs. 8 and 9).

    C{build s (i. t)} = let (n,_)=C{s} in let (a1,a2) = unzip (build n (i. C{t})) in
       (a1, \\d. sequence (zipWith (f d'. scope (f d')) a2 (densify n d)) >>= \\_. return ())
    C{t ! s}          = let (x,x')=C{t} in let (i,_)=C{s} in (x ! i, \\d. x' (BOne (i,d)))
    C{fold (p. t) s}  = let (s1,s')=C{s} in let tree = .. in
       (getA tree, \\d. unTree .. d tree >>= \\ds. s' (BArray (fromList (ds []))))

``fold`` keeps the tree of its backpropagators, and ``unTree`` goes down it, so that each is called
once. The rules of the other operations are in ``chad_array_ops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from pullback.core.nested import (
    EVM,
    ONE,
    App,
    Arr,
    Build,
    Con,
    Context,
    Data,
    Fold,
    Foldl,
    Fst,
    Fun,
    Let,
    LetRec,
    Map,
    Match,
    MatchArm,
    Nil,
    Op,
    Pair,
    Prod,
    Rec,
    Scan,
    Snd,
    Term,
    Type,
    Var,
    ZipWith,
    fresh,
)
from pullback.core.nested_build import E, Like, lam, let, let_pair, op, term
from pullback.core.nested_check import Types
from pullback.core.nested_linear import return_, scope
from pullback.papers.chad_array_ops import operation_rule
from pullback.papers.chad_bags import densify
from pullback.papers.chad_scans import foldl_rule, scan_rule
from pullback.papers.chad_types import t1, t2

Rule = Callable[[Term, Context, Types], Term]


def array_rule(
    t: Build | Map | ZipWith | Fold | Scan | Foldl | Op, gamma: Context, types: Types, chad: Rule
) -> Term:
    """C{t} for the array constructs."""
    match t:
        case Build(n, i, body):
            elem = t2(types[body])
            inner = (*gamma, (i, t2(types[n])))
            return let_pair(("n", "_"), chad(n, gamma, types), lambda n1, _: let_pair(
                ("a1", "a2"), op("unzip", Build(n1.t, i, chad(body, inner, types))),
                lambda a1, a2: Pair(a1.t, lam("d", t2(types[t]), lambda d: op(
                    "bind", op("sequence", zipped(a2, densify(n1.t, elem, d.t), lambda f, e: scope(
                        i, t2(types[n]), f(e).t))),
                    lam("_", Arr(Prod(t2(types[n]), ONE)), lambda _: return_(Nil(), gamma))),
                    role="bp"))))
        # C{map (x. t) s} = let (s1,s')=C{s} in let (a1,fs) = unzip (map (x. C{t}) s1) in
        #   (a1, \d. sequence (zipWith (f d'. scope (f d')) fs (densify n d)) >>=
        #        \ds. s' (BArray ds))
        case Map(x, body, a):
            cell = elem_t2(types[a])
            inner = (*gamma, (x, cell))
            return let_pair(("s1", "s'"), chad(a, gamma, types), lambda s1, s_: let_pair(
                ("a1", "fs"), op("unzip", Map(x, chad(body, inner, types), s1.t)),
                lambda a1, fs: Pair(a1.t, lam("d", t2(types[t]), lambda d: op(
                    "bind", op("sequence", zipped(fs, densify(
                        op("length", a1), t2(types[body]), d.t), lambda f, e: scope(
                            x, cell, f(e).t))),
                    lam("r", Arr(Prod(cell, ONE)), lambda r: s_(op("BArray", firsts(r))))),
                    role="bp"))))
        # C{zipWith (x y. t) s u}: per element scope (scope (f d')) gives (dx, (dy, ()))
        case ZipWith():
            return _zip_with(t, gamma, types, chad)
        case Fold():
            return _fold(t, gamma, types, chad)
        case Scan():
            return scan_rule(t, gamma, types, chad)
        case Foldl():
            return foldl_rule(t, gamma, types, chad)
        case Op():
            return operation_rule(t, gamma, types, chad)
        case _:
            assert_never(t)


def elem_t2(t: Type) -> Data:
    """The cotangent type of an array's elements."""
    assert isinstance(t, Arr)
    return t2(t.elem)


def zipped(a: Like, b: Like, body: Callable[[E, E], Like]) -> Term:
    """zipWith (f e. body) a b."""
    f, e = fresh("f"), fresh("d'")
    return ZipWith(f, e, term(body(E(Var(f)), E(Var(e)))), term(a), term(b))


def firsts(r: Like) -> Term:
    """map (q. fst q) r."""
    q = fresh("q")
    return Map(q, Fst(Var(q)), term(r))


def _zip_with(t: ZipWith, gamma: Context, types: Types, chad: Rule) -> Term:
    x, y = t.x, t.y
    cx, cy = elem_t2(types[t.a]), elem_t2(types[t.b])
    inner = (*gamma, (x, cx), (y, cy))

    def back(s_: E, u_: E, a1: E, fs: E, d: E) -> Term:
        ds = op("sequence", zipped(fs, densify(
            op("length", a1), t2(types[t.t]), d.t), lambda f, e: scope(
                x, cx, scope(y, cy, f(e).t))))
        q = fresh("q")
        return op("bind", ds, lam("r", Arr(Prod(cx, Prod(cy, ONE))), lambda r: op(
            "bind", s_(op("BArray", firsts(r))), lam("_", ONE, lambda _: u_(op(
                "BArray", Map(q, Fst(Snd(Var(q))), r.t)))))))

    return let_pair(("s1", "s'"), chad(t.a, gamma, types), lambda s1, s_: let_pair(
        ("u1", "u'"), chad(t.b, gamma, types), lambda u1, u_: let_pair(
            ("a1", "fs"), op("unzip", ZipWith(x, y, chad(t.t, inner, types), s1.t, u1.t)),
            lambda a1, fs: Pair(a1.t, lam(
                "d", t2(types[t]), lambda d: back(s_, u_, a1, fs, d), role="bp")))))


# --- fold -----------------------------------------------------------------------------------------


def get_a(tree: Term) -> Term:
    """getA (Node _ x _ _) = x; getA (Leaf x) = x."""
    x, names = fresh("x"), [fresh(h) for h in ("l", "x", "f", "r")]
    return Match(tree, (
        MatchArm("Leaf", (x,), Var(x)), MatchArm("Node", tuple(names), Var(names[1]))))


def _fold(t: Fold, gamma: Context, types: Types, chad: Rule) -> Term:
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
        return _un_tree(gamma, t.p, p, cell, tree, bp, lambda go: op(
            "bind", go(d)(grown_), lam("ds", dlist, lambda ds: s_(op("BArray", op(
                "fromList", ds(Op("lnil", (), (cell,)))))))))

    return let_pair(("s1", "s'"), chad(t.a, gamma, types), lambda s1, s_: let(
        "tree", grown(s1), lambda g: Pair(get_a(g.t), lam(
            "d", t2(types[t]), lambda d: back(s_, g, d), role="bp"))))


def _under(p: str, value: E, t: Term) -> Term:
    return Let(p, value.t, t)


def _un_tree(
    gamma: Context, name: str, p: Data, cell: Data, tree: Data, bp: Fun,
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

