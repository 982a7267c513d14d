"""Staged calls of backpropagators (Smeding & Vákár, section 4): linear factoring.

    Staged c = c * Map Z ((R -o Staged c) * R)         (c,m) stands for c + Σ_i f_i a_i
    0_S = (0_c, {})      (c,m) +_S (c',m') = (c +_c c', m ∪ m'), a common key has (f, a + a')
    SCotan c = (c, {})   SCall (i,f) a = (0_c, {i -> (f,a)})
    SResolve (c,m) = if m empty then c else let i = max key, (f,a) = m[i] in
                     SResolve (f a +_S (c, m\\i))

f a + f b = f (a + b): a backpropagator that is staged twice is called once, with the sum. 0_c is
made of the input, whose sums and arrays it copies.

>>> from pullback.papers.language.terms import Lit, Op, Var
>>> from pullback.papers.language.eval import evaluate
>>> from pullback.papers.language.pretty import show
>>> f = lambda z: (10.0 * z, None)  # R -o Staged R
>>> call = Op("SCall", (Pair(Lit(7), Var("f")), Var("a"), Lit(0.0)))
>>> twice = op("+_S", op("SCotan", Lit(5.0)), op("+_S", call, call))
>>> staged = evaluate(twice, {"f": f, "a": 2.0}, LIBRARY)[0]
>>> cotangent, calls = staged
>>> cotangent, [(i, a) for i, (_, a) in tree.entries(calls)]
(5.0, [(7, 4.0)])
>>> evaluate(App(resolve(R), Var("s")), {"s": staged}, LIBRARY)[0]
45.0
>>> print(show(resolve(R), 88, LIBRARY))
letrec loop : Staged R -> R = \\s:Staged R.
   let s1 = unstaged s in
   case msize (snd s1) == 0 of {
     inl _ -> let e = mmax (snd s1) in
       loop ((fst (snd e) (snd (snd e))) +_S (staged (fst s1, (snd s1) \\ (fst e))));
     inr _ -> fst s1} in
loop
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pullback.papers.dual.rows import DUAL_OPS, plus_of, size_of
from pullback.papers.language import maps as tree
from pullback.papers.language.build import E, if_, let, letrec, op, prim
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import (
    App,
    Data,
    Fst,
    Fun,
    Pair,
    Prod,
    R,
    Snd,
    Static,
    Term,
    TVar,
    Type,
    Z,
)
from pullback.papers.language.values import pair, real

Bp = Fun(R, Data("Staged", (TVar("c"),)), "-o")
Calls = Data("Map", (Z, Prod(Bp, R)))
S = Data("Staged", (TVar("c"),))


def staged_type(c: Type) -> Data:
    """Staged c."""
    return Data("Staged", (c,))


def _plus(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    (c, p), (e, q) = pair(args[0]), pair(args[1])
    small, large = cast(tree.Map, p), cast(tree.Map, q)
    if tree.size(small) > tree.size(large):
        small, large = large, small
    for i, call in list(tree.entries(small)):
        old = tree.lookup(large, i)
        m.cost += 1 + tree.size(large).bit_length()
        if old:
            (f, a), (g, b) = pair(call), pair(old.value)
            assert f is g, "an ID stands for one backpropagator"
            call = (f, real(a) + real(b))
        large = tree.insert(large, i, call)
        m.count("map")
        m.count("+_S inserts")
    m.cost += size_of(c)
    m.count("+_c")
    return plus_of(c, e), large


def _call(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    i, f = pair(args[0])
    m.cost += size_of(args[2])
    m.count("scall")
    return args[2], tree.insert(None, cast(int, i), (f, args[1]))


def _zero(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.cost += size_of(args[0])
    return args[0], None


C = TVar("c")
LIBRARY = DUAL_OPS.extended(
    Row("0_S", sig((C,), S), _zero, show="0_S", linear=()),
    Row("+_S", sig((S, S), S), _plus, show="{0} +_S {1}", linear=(0, 1)),
    Row("SCotan", sig((C,), S), pure(lambda c: (c, None)), show="SCotan {0}",
        linear=(0,)),
    Row("SCall", sig((Prod(Z, Bp), R, C), S), _call, show="SCall {0} {1}",
        linear=(1,)),
    Row("unstaged", sig((S,), Prod(C, Calls)), pure(lambda s: s)),
    Row("staged", sig((Prod(C, Calls),), S), pure(lambda s: s)),
)


def resolve(c: Type) -> Term:
    """SResolve : Staged c -> c."""

    def next_call(loop: E, s: E) -> Term:
        return let("e", op("mmax", Snd(s.t)), lambda e: loop(op(
            "+_S",
            App(Fst(Snd(e.t)), Snd(Snd(e.t))),
            op("staged", Pair(Fst(s.t), op("mdelete", Snd(s.t), Fst(e.t)))))))

    return letrec("loop", Fun(staged_type(c), c), "s", lambda loop, s: let(
        "s", op("unstaged", s), lambda s: if_(
            prim("eq", op("msize", Snd(s.t)), 0), Fst(s.t), next_call(loop, s))),
        lambda loop: loop)  # fmt: skip
