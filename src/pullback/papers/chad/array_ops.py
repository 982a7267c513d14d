"""CHAD of the other array operations (Efficient CHAD, Fig. 8 for ! and length; the others derived).

    C{t ! s}    = let (x,x')=C{t} in let (i,_)=C{s} in (x ! i, \\d. x' (BOne (i,d)))
    C{length t} = (length (fst C{t}), \\d. return ())

An operation that only moves elements moves the pairs of ``collect d``: one BPairs for an argument.

>>> from pullback.papers.language.terms import R, Source, Z
>>> from pullback.papers.chad.program import run_monadic
>>> def gradient(t, *args):
...     context = (("a", Arr(R)), ("i", Z))
...     return run_monadic(Source(context, t, R), args, 1.0).cotangents
>>> gradient(Op("index", (Var("a"), Var("i"))), [4.0, 5.0, 6.0], 1)
([0.0, 1.0, 0.0], ())
>>> gradient(Op("sum", (Op("gather", (Var("a"), Build(Lit(4), "k", Var("i")))),)), [4.0, 5.0], 1)
([0.0, 4.0], ())
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.papers.chad.actions import Rule
from pullback.papers.chad.bags import densify
from pullback.papers.chad.types import t2
from pullback.papers.language.build import E, Like, if_, lam, let, let_pair, op, prim, term
from pullback.papers.language.check import Types
from pullback.papers.language.linear import return_, zero
from pullback.papers.language.terms import (
    ONE,
    Arr,
    Build,
    Context,
    Data,
    Fst,
    Lit,
    Map,
    Nil,
    Op,
    Pair,
    Prod,
    Snd,
    Term,
    Var,
    fresh,
)
from pullback.papers.methods import Unsupported


def operation_rule(t: Op, gamma: Context, types: Types, chad: Rule) -> Term:
    """C{name(t1..tn)} = let (x1,x1')=C{t1} .. in (name(x1..xn), \\d. what the operation does)."""
    if t.name not in (
        "index", "length", "sum", "replicate", "gather", "scatter_add", "scatter_set", "transpose",
        "zip", "unzip", "append", "reverse", "slice", "nil",
    ):  # fmt: skip
        raise Unsupported(f"chad.monadic: no rule for the operation {t.name}")
    if not t.args:  # C{[]} = ([], \d. return ())
        return Pair(t, lam("d", t2(types[t]), lambda _: return_(Nil(), gamma), role="bp"))

    def rest(k: int, xs: list[E], bps: list[E]) -> Term:
        if k < len(t.args):
            return let_pair(("x", "x'"), chad(t.args[k], gamma, types), lambda x, x_: rest(
                k + 1, [*xs, x], [*bps, x_]))
        out = Op(t.name, tuple(x.t for x in xs), t.static)
        if t.name == "scatter_set":  # which element of v came last
            return let("win", winners(xs[0], xs[1]), lambda win: Pair(out, lam(
                "d", t2(types[t]), lambda d: _set(win, bps[0], bps[2], d), role="bp")))
        return Pair(out, lam(
            "d", t2(types[t]), lambda d: back(t, xs, bps, d, gamma, types), role="bp"))

    return rest(0, [], [])


def back(t: Op, xs: list[E], bps: list[E], d: E, gamma: Context, types: Types) -> Term:
    """Return the backpropagator of an operation."""
    x, x_ = xs[0], bps[0]
    match t.name:
        # \d. x' (BOne (i,d))
        case "index":
            return x_(op("BOne", Pair(xs[1].t, d.t))).t
        # \d. return ()
        case "length":
            return return_(Nil(), gamma)
        # sum: \d. x' (BArray (replicate n d)), which is affine for reals only
        case "sum":
            return x_(op("BArray", op("replicate", op("length", x), d))).t
        # replicate n x: \d. x' (the sum of the cotangents in collect d)
        case "replicate":
            return bps[1](op("total", moved(d, lambda _, e: e), zero(t2(types[t.args[1]])))).t
        # gather a ix: \d. a' (BPairs [(ix!j, e) | (j,e) <- collect d])
        case "gather":
            return pairs(x_, d, lambda j, e: Pair(op("index", xs[1], j), e.t))
        # scatter_add a ix v: \d. let D = densify n d in v' (BArray (gather D ix)); a' (BArray D)
        case "scatter_add":
            cell = cell_of(t2(types[t]))
            return let("D", densify(op("length", x), cell, d.t), lambda dense: then(
                bps[2](op("BArray", op("gather", dense, xs[1]))), x_(op("BArray", dense))))
        # transpose: \d. x' (BPairs [(i, BOne (j,e)) | (j,b) <- collect d, (i,e) <- collect b])
        case "transpose":
            return x_(op("BPairs", op("concat", moved(d, lambda j, b: moved(
                b, lambda i, e: Pair(i.t, op("BOne", Pair(j.t, e.t)))))))).t
        # zip a b: \d. a' [(i, lfst e)]; b' [(i, lsnd e)]
        case "zip":
            return then(pairs(x_, d, lambda i, e: Pair(i.t, op("lfst", e))),
                        pairs(bps[1], d, lambda i, e: Pair(i.t, op("lsnd", e))))
        # unzip a: \d. a' ([(i, <e,0>) from lfst d] + [(i, <0,e>) from lsnd d])
        case "unzip":
            elem = types[t.args[0]]
            assert isinstance(elem, Arr)
            left, right = t2(elem.elem).args
            return x_(op("plus", op("BPairs", moved(op("lfst", d), lambda i, e: Pair(
                i.t, op("lpair", e, zero(right))))), op("BPairs", moved(
                    op("lsnd", d), lambda i, e: Pair(i.t, op("lpair", zero(left), e)))))).t
        # append a b: the pairs below the length of a, and the others
        case "append":
            n = op("length", x)
            return then(kept(x_, d, lambda i, e: (prim("lt", i, n), Pair(i.t, e.t))),
                        kept(bps[1], d, lambda i, e: (
                            prim("ge", i, n), Pair(prim("sub", i, n), e.t))))
        # reverse a: the pairs with the index from the other end
        case "reverse":
            last = prim("sub", op("length", x), 1)
            return pairs(x_, d, lambda i, e: Pair(prim("sub", last, i), e.t))
        # slice a start n
        case "slice":
            return pairs(x_, d, lambda i, e: Pair(prim("add", i, xs[1]), e.t))
        case name:
            raise Unsupported(f"chad.monadic: no rule for the operation {name}")


def cell_of(bag_type: Data) -> Data:
    """Return the cotangent type in a bag."""
    (entry,) = bag_type.args
    assert isinstance(entry, Prod) and isinstance(entry.right, Data)
    return entry.right


def moved(d: Like, body: Callable[[E, E], Like]) -> Term:
    """[body i e | (i,e) <- collect d]."""
    q = fresh("q")
    return Map(q, term(body(E(Fst(Var(q))), E(Snd(Var(q))))), op("collect", d))


def pairs(bp: E, d: Like, body: Callable[[E, E], Like]) -> Term:
    """bp (BPairs [body i e | (i,e) <- collect d])."""
    return bp(op("BPairs", moved(d, body))).t


def kept(bp: E, d: Like, body: Callable[[E, E], tuple[Term, Term]]) -> Term:
    """bp (BPairs [e' | (i,e) <- collect d, c]), where ``body i e`` is the condition c and the
    entry e'."""

    def one(i: E, e: E) -> Term:
        condition, entry = body(i, e)
        n = if_(condition, Lit(1), Lit(0))
        return let("q", entry, lambda q: op("replicate", n, q))

    return bp(op("BPairs", op("concat", moved(d, one)))).t


def then(m: Like, k: Like) -> Term:
    """m >> k."""
    return op("bind", m, lam("_", ONE, lambda _: k))


def winners(a: E, ix: E) -> Term:
    """Return the array that has, for each index of a, the position in ix of its last writer, or
    -1."""
    n, k = fresh("_"), fresh("k")
    return op("scatter_set", Build(op("length", a), n, Lit(-1)), ix, Build(
        op("length", ix), k, Var(k)))


def _set(win: E, a_: E, v_: E, d: E) -> Term:
    # scatter_set a ix v: index i with a last writer k: (k,e) to v'; otherwise (i,e) to a'
    def writer(i: E) -> Term:
        return op("index", win, i)

    return then(
        kept(v_, d, lambda i, e: (prim("ge", writer(i), 0), Pair(writer(i), e.t))),
        kept(a_, d, lambda i, e: (prim("lt", writer(i), 0), Pair(i.t, e.t))))
