"""CHAD of sequential loops (derived; Efficient CHAD leaves them to the reader).

    C{foldl (a x. t) z s}: the primal keeps the backpropagators f_0..f_{n-1};
       \\d. for i = n-1..0: ((dx, da) <- scopes of f_i d; ds[i] = dx; d := da); z' d; s' (BArray ds)
    C{scan (p. t) s}: keeps f_1..f_{n-1}; \\d. acc = D[n-1]; for i = n-1..1: dp <- scope (f_i acc);
       ds[i] = lsnd dp; acc = D[i-1] + lfst dp;  ds[0] = acc; s' (BArray ds)       D = densify n d

The backpropagators are consed on to a list, so that the last one comes first.

>>> from pullback.papers.language.terms import R, Source
>>> from pullback.papers.chad.program import run_monadic
>>> a, p = Var("a"), E(Var("p"))
>>> horner = Foldl("s", "x", (E(Var("s")) * 2.0 + E(Var("x"))).t, Lit(0.0), a)
>>> run_monadic(Source((("a", Arr(R)),), horner, R), ([1.0, 5.0, 7.0],), 1.0).cotangents
([4.0, 2.0, 1.0],)
>>> products = Op("sum", (Scan("p", prim("mul", Fst(Var("p")), Snd(Var("p"))), a),))
>>> run_monadic(Source((("a", Arr(R)),), products, R), ([1.0, 5.0, 7.0],), 1.0).cotangents
([41.0, 8.0, 5.0],)
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.papers.chad.actions import Rule
from pullback.papers.chad.bags import densify
from pullback.papers.chad.types import t1, t2
from pullback.papers.language.build import (
    E,
    Like,
    case,
    if_,
    lam,
    let,
    let_pair,
    op,
    prim,
    term,
    tuple_,
)
from pullback.papers.language.check import Types
from pullback.papers.language.linear import return_, scope
from pullback.papers.language.terms import (
    EVM,
    ONE,
    Arr,
    Context,
    Data,
    Foldl,
    Fst,
    Fun,
    Inl,
    Inr,
    Let,
    Lit,
    Nil,
    Op,
    Pair,
    Prod,
    Scan,
    Snd,
    Term,
    Type,
    Var,
    fresh,
)


def loop(z: Like, a: Like, body: Callable[[E, E], Like]) -> Term:
    """foldl (acc x. body) z a."""
    acc, x = fresh("acc"), fresh("x")
    return Foldl(acc, x, term(body(E(Var(acc)), E(Var(x)))), term(z), term(a))


def nil(t: Type) -> Term:
    """[]."""
    return Op("lnil", (), (t,))


def foldl_rule(t: Foldl, gamma: Context, types: Types, chad: Rule) -> Term:
    """C{foldl (a x. t) z s}."""
    state, array = types[t.z], types[t.a]
    assert isinstance(array, Arr)
    ca, cx = t2(state), t2(array.elem)
    inner = (*gamma, (t.acc, ca), (t.x, cx))
    bp = Fun(ca, EVM(inner, ONE))
    found = Prod(ca, Data("List", (cx,)))

    def forward(z: E, s: E) -> Term:
        return loop(Pair(z.t, nil(bp)), s, lambda st, x: Let(t.acc, Fst(st.t), Let(
            t.x, x.t, let_pair(("y", "f"), chad(t.t, inner, types), lambda y, f: Pair(
                y.t, op("lcons", f, Snd(st.t)))))))

    def back(fs: E, z_: E, s_: E, d: E) -> Term:
        def step(m: E, f: E) -> Term:
            return op("bind", m, lam("st", found, lambda st: op(
                "bind", scope(t.acc, ca, scope(t.x, cx, f(Fst(st.t)).t)),
                lam("r", Prod(ca, Prod(cx, ONE)), lambda r: return_(Pair(Fst(r.t), op(
                    "lcons", Fst(Snd(r.t)), Snd(st.t))), gamma)))))

        start = return_(Pair(d.t, nil(cx)), gamma)
        return op("bind", loop(start, op("fromList", fs), step), lam("st", found, lambda st: op(
            "bind", z_(Fst(st.t)), lam("_", ONE, lambda _: s_(op(
                "BArray", op("fromList", Snd(st.t))))))))

    return let_pair(("z", "z'"), chad(t.z, gamma, types), lambda z, z_: let_pair(
        ("s1", "s'"), chad(t.a, gamma, types), lambda s1, s_: let_pair(
            ("y", "fs"), forward(z, s1), lambda y, fs: Pair(y.t, lam(
                "d", ca, lambda d: back(fs, z_, s_, d), role="bp")))))


def scan_rule(t: Scan, gamma: Context, types: Types, chad: Rule) -> Term:
    """C{scan (p. t) s}."""
    elem = types[t.t]
    cell, p = t2(elem), t2(Prod(elem, elem))
    inner = (*gamma, (t.p, p))
    bp = Fun(cell, EVM(inner, ONE))
    primal = t1(elem)
    found = Prod(cell, Data("List", (cell,)))

    # The state: the last value, if any, all values and all backpropagators, last first.
    def forward(s: E) -> Term:
        def more(x: E, last: E, kept: E) -> Term:
            return Let(t.p, Pair(last.t, x.t), let_pair(
                ("y", "f"), chad(t.t, inner, types), lambda y, f: tuple_(
                    Inr(y.t, ONE), op("lcons", y, Fst(kept.t)), op("lcons", f, Snd(kept.t)))))

        def step(st: E, x: E) -> Term:
            kept = Pair(Snd(Fst(st.t)), Snd(st.t))
            return let("kept", kept, lambda kept: case(
                Fst(Fst(st.t)), "_", lambda _: tuple_(
                    Inr(x.t, ONE), op("lcons", x, Fst(kept.t)), Snd(kept.t)),
                "last", lambda last: more(x, last, kept)))

        return loop(tuple_(Inl(Nil(), primal), nil(primal), nil(bp)), s, step)

    def back(n: Term, fs: E, s_: E, d: E) -> Term:
        def step(m: E, fd: E) -> Term:
            return op("bind", m, lam("st", found, lambda st: op(
                "bind", scope(t.p, p, E(Fst(fd.t))(Fst(st.t)).t),
                lam("r", Prod(p, ONE), lambda r: return_(Pair(
                    op("plus", Snd(fd.t), op("lfst", Fst(r.t))),
                    op("lcons", op("lsnd", Fst(r.t)), Snd(st.t))), gamma)))))

        def some(all_: E) -> Term:
            start = return_(Pair(op("index", all_, 0), nil(cell)), gamma)
            rest = op("slice", all_, 1, prim("sub", n, 1))
            return op("bind", loop(start, op("zip", op("fromList", fs), rest), step), lam(
                "st", found, lambda st: s_(op("BArray", op("fromList", op(
                    "lcons", Fst(st.t), Snd(st.t)))))))

        return if_(prim("eq", n, Lit(0)), return_(Nil(), gamma), let(
            "D", op("reverse", densify(n, cell, d.t)), some))

    return let_pair(("s1", "s'"), chad(t.a, gamma, types), lambda s1, s_: let(
        "st", forward(s1), lambda st: let_pair(
            ("ys", "fs"), Pair(op("reverse", op("fromList", Snd(Fst(st.t)))), Snd(st.t)),
            lambda ys, fs: Pair(ys.t, lam("d", t2(types[t]), lambda d: back(
                op("length", ys), fs, s_, d), role="bp")))))
