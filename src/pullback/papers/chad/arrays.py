"""CHAD of array programs (Efficient CHAD, section 7, Figs. 8 and 9).

    C{build s (i. t)} = let (n,_)=C{s} in let (a1,a2) = unzip (build n (i. C{t})) in
       (a1, \\d. sequence (zipWith (f d'. scope (f d')) a2 (densify n d)) >>= \\_. return ())
    C{t ! s}          = let (x,x')=C{t} in let (i,_)=C{s} in (x ! i, \\d. x' (BOne (i,d)))

The rules of fold are in ``chad.fold``, of loops with a state in ``chad.scans``, and of the other
operations in ``chad.array_ops``.

>>> from pullback.papers.language.terms import Lit, R, Source
>>> from pullback.papers.language.build import prim
>>> from pullback.papers.chad.program import run_monadic
>>> at = op("index", Var("a"), Var("i"))
>>> dot = op("sum", Build(op("length", Var("a")), "i", prim("mul", at, op(
...     "index", Var("b"), Var("i")))))
>>> two = Source((("a", Arr(R)), ("b", Arr(R))), dot, R)
>>> done = run_monadic(two, ([1.0, 2.0], [3.0, 4.0]), 1.0)
>>> done.value, done.cotangents
(11.0, ([3.0, 4.0], [1.0, 2.0]))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from pullback.papers.chad.actions import Rule
from pullback.papers.chad.array_ops import operation_rule
from pullback.papers.chad.bags import densify
from pullback.papers.chad.fold import fold_rule
from pullback.papers.chad.scans import foldl_rule, scan_rule
from pullback.papers.chad.types import t2
from pullback.papers.language.build import E, Like, lam, let_pair, op, term
from pullback.papers.language.check import Types
from pullback.papers.language.linear import return_, scope
from pullback.papers.language.terms import (
    ONE,
    Arr,
    Build,
    Context,
    Data,
    Fold,
    Foldl,
    Fst,
    Map,
    Nil,
    Op,
    Pair,
    Prod,
    Scan,
    Snd,
    Term,
    Type,
    Var,
    ZipWith,
    fresh,
)


def array_rule(
    t: Build | Map | ZipWith | Fold | Scan | Foldl | Op, gamma: Context, types: Types, chad: Rule
) -> Term:
    """C{t} for the array constructs."""
    match t:
        # C{build s (i. t)} = let (n,_)=C{s} in let (a1,a2) = unzip (build n (i. C{t})) in
        #   (a1, \d. sequence (zipWith (f d'. scope (f d')) a2 (densify n d)) >>= \_. return ())
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
        # the others have files of their own
        case Fold():
            return fold_rule(t, gamma, types, chad)
        case Scan():
            return scan_rule(t, gamma, types, chad)
        case Foldl():
            return foldl_rule(t, gamma, types, chad)
        case Op():
            return operation_rule(t, gamma, types, chad)
        case _:
            assert_never(t)


def elem_t2(t: Type) -> Data:
    """Return the cotangent type of an array's elements."""
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
