"""CHAD of primitives (Efficient CHAD, section 2 and Fig. 6; App. D).

    C{op(t1..tn)} = let (x1,x1')=C{t1} .. in (op(x1..xn), \\d. let <d1..dn> = Dop^t (x1..xn) d in
                                                          x1' d1 >> .. >> xn' dn)
    Dop^t (x1..xn) d = <d * d op/dx1, .., d * d op/dxn>

>>> from pullback.papers.language.terms import Var
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.chad.types import LINEAR
>>> def printed(name, *xs):
...     for d in dops(name, [Var(x) for x in xs], [R for _ in xs], Var("d")):
...         print(show(d, library=LINEAR))
>>> printed("mul", "x", "y")
d * y
d * x
>>> printed("sin", "x")
cos x * d
>>> printed("add", "x", "y")
d
d
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.chad.actions import Rule, bp, then
from pullback.papers.chad.types import t2
from pullback.papers.language.build import E, let, let_pair, op, proj
from pullback.papers.language.check import Types
from pullback.papers.language.linear import L_1, lsum, return_, zero
from pullback.papers.language.prims import arity, dop, is_discrete, split_type
from pullback.papers.language.terms import (
    App,
    Context,
    Fst,
    Nil,
    Op,
    Pair,
    Prim,
    R,
    Snd,
    Term,
    Type,
)


def is_constant(name: str, types: list[Type], result: Type) -> bool:
    """Whether no cotangent goes through a primitive."""
    return result != R or is_discrete(name, R in types)


def dops(name: str, xs: list[Term], types: list[Type], d: Term) -> list[Term]:
    """Dop^t (x1..xn) d = <d1,..,dn>, one cotangent per argument."""
    match name:
        # Dadd^t (x,y) d = <d, d>
        case "add":
            return [d, d]
        # Dmul^t (x,y) d = <y * d, x * d>
        case "mul":
            return [op("lscale", d, xs[1]), op("lscale", d, xs[0])]
        # Dneg^t x d = <-d>
        case "neg":
            return [op("lneg", d)]
        # of a choice: nothing for the truth value
        case "select":
            types = [R, *types[1:]]
            return [Op("zero", (), (lsum(L_1, L_1),)), *(
                op("lreal", dop(name, i, xs, op("lread", d))) for i in (1, 2))]
        # Dop^t (x1..xn) d = <d * d op/dx1, .., d * d op/dxn>
        case _:
            return [
                op("lreal", dop(name, i, xs, op("lread", d))) if t == R
                else Op("zero", (), (t2(t),))
                for i, t in enumerate(types)
            ]


def prim_rule(t: Prim, gamma: Context, types: Types, chad: Rule) -> Term:
    """C{op(t1..tn)}, or of the unary operations on tuples of the Agda code."""
    n = arity(t.op)
    if len(t.args) == 1:
        # C{op t} = let a=C{t} in (op (fst a), \d. snd a (let p=fst a in let e=d in Dop^t p e))
        of = types[t.args[0]]
        parts = split_type(of, n)

        def body(a: E, d: E) -> Term:
            return App(Snd(a.t), let("p", Fst(a.t), lambda p: let("e", d, lambda e: _dprim(
                t, [proj(p, i, n) for i in range(n)], parts, e, types[t]))))

        return let("a", chad(t.args[0], gamma, types), lambda a: Pair(
            Prim(t.op, (Fst(a.t),), t.static), bp(types[t], lambda d: body(a, d))))

    # C{op(t1..tn)} = let (x1,x1')=C{t1} .. in (op(x1..xn), \d. let <d1..dn> = Dop^t (x1..xn) d in
    #                                                       x1' d1 >> .. >> xn' dn)
    args = [types[a] for a in t.args]

    def rest(k: int, xs: list[E], bps: list[E]) -> Term:
        if k < n:
            return let_pair(("x", "x'"), chad(t.args[k], gamma, types), lambda x, x_: rest(
                k + 1, [*xs, x], [*bps, x_]))
        return Pair(Prim(t.op, tuple(x.t for x in xs), t.static), bp(types[t], lambda d: actions(
            d, xs, bps)))

    def actions(d: E, xs: list[E], bps: list[E]) -> Term:
        if is_constant(t.op, args, types[t]):
            return return_(Nil(), gamma)
        *ms, out = [bps[i](each).t for i, each in enumerate(dops(
            t.op, [x.t for x in xs], args, d.t)) if args[i] == R] or [return_(Nil(), gamma)]
        for m in reversed(ms):
            out = then(m, out, gamma)
        return out

    return rest(0, [], [])


def _dprim(t: Prim, xs: list[Term], parts: list[Type], e: E, result: Type) -> Term:
    """Return Dop^t of a tuple. A component without a derivative gets lunits for integers, zeros for
    reals."""
    if is_constant(t.op, parts, result):
        ds: list[Term] = [zero(t2(p)) for p in parts]
    else:
        ds = dops(t.op, xs, parts, e.t)
    return lpairs(ds)


def lpairs(ds: Sequence[Term]) -> Term:
    """The tuple <d1,..,dn>: pairs, nested to the left."""
    out = ds[0]
    for d in ds[1:]:
        out = op("lpair", out, d)
    return out
