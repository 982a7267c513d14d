"""Tangent spaces (The Differentiable Curry, Fig. 6), and what both libraries share.

    T[Float] = Float        T[Tensor Float] = Tensor Float      T[(a, b)] = (T[a], T[b])
    T[Unit] = T[Int] = T[Bool] = T[Tensor Int] = Unit           T[a ~> b]: by the library

with 0 and + at every one of them. The zero of a tensor has the shape of the value it belongs to, so
zeros are made at a value.

>>> from pullback.papers.language.terms import R, Z
>>> from pullback.papers.language.pretty import show, show_type
>>> simply = Functions(lambda s, t: s, lambda s, t: Arr(s), lambda x: Nil(), lambda x, y: x)
>>> pair, x, y = Prod(Prod(R, Z), R), Var("x"), Var("y")
>>> print(show_type(tangent(pair, simply)), "|", show_type(tangent(Arr(Z), simply)))
R * 1 * R | 1
>>> print(show(zero(pair, x, simply)))
(0, (), 0)
>>> print(show(plus(Prod(R, R), x, y, simply)))
(fst x + fst y, snd x + snd y)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pullback.core.frozen import dataclass
from pullback.papers.curry.combinators import components
from pullback.papers.curry.universal_zero import tangent_data
from pullback.papers.language.build import E, let, lets, proj, tuple_
from pullback.papers.language.prims import arity, dop, is_discrete
from pullback.papers.language.terms import (
    ONE,
    Arr,
    Data,
    Fst,
    Fun,
    Int,
    Lit,
    Map,
    Nil,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    R,
    Real,
    Snd,
    Static,
    Term,
    Type,
    Unit,
    Var,
    ZipWith,
    fresh,
)
from pullback.papers.methods import Unsupported


@dataclass(frozen=True, slots=True)
class Functions:
    """What a library says about s ~> t: its representation and tangent type, the zero tangent at a
    value, and the sum of two tangents."""

    rep: Callable[[Type, Type], Type]
    tangent: Callable[[Type, Type], Type]
    zero: Callable[[Term], Term]
    plus: Callable[[Term, Term], Term]


def primal(t: Type, fs: Functions) -> Type:
    """Return the type with functions as the library has them."""
    match t:
        # a ~> b: what the library makes of it
        case Fun(s, u):
            return fs.rep(s, u)
        case Prod(s, u):
            return Prod(primal(s, fs), primal(u, fs))
        case Arr(s):
            return Arr(primal(s, fs))
        case Plus(s, u):
            return Plus(primal(s, fs), primal(u, fs))
        case _:
            return t


def tangent(t: Type, fs: Functions) -> Type:
    """T[t]."""
    match t:
        # T[Float] = Float
        case Real():
            return R
        # T[Tensor Float] = Tensor Float; T[Tensor Int] = Unit
        case Arr(s):
            inner = tangent(s, fs)
            return ONE if inner == ONE else Arr(inner)
        # T[(a, b)] = (T[a], T[b])
        case Prod(s, u):
            return Prod(tangent(s, fs), tangent(u, fs))
        # T[Unit] = T[Int] = T[Bool] = Unit
        case Unit() | Int():
            return ONE
        # T[a + b] = 0 | inl T[a] | inr T[b], T[T] = 0 | T[F]          (section 6.2)
        case Plus(s, u):
            left, right = tangent(s, fs), tangent(u, fs)
            return ONE if left == right == ONE else Plus(left, right)
        case Data():
            return tangent_data(t)
        # T[a ~> b]: by the library
        case Fun(s, u):
            return fs.tangent(s, u)
        case _:
            raise Unsupported(f"the Differentiable Curry has no tangents of {t}")


def zero(t: Type, x: Term, fs: Functions) -> Term:
    """Return the 0 of T[t], at the value x."""
    match t:
        # 0 = 0
        case Real():
            return Lit(0.0)
        # 0 of a tensor has the shape of x
        case Arr(s) if tangent(t, fs) != ONE:
            y = fresh("y")
            return Map(y, zero(s, Var(y), fs), x)
        # 0 = (0, 0)
        case Prod(s, u):
            return Pair(zero(s, Fst(x), fs), zero(u, Snd(x), fs))
        # 0 of T[a ~> b]: by the library
        case Fun():
            return fs.zero(x)
        case Plus() | Data() if tangent(t, fs) != ONE:
            return Op("zero_sum", (), (tangent(t, fs),))
        # 0 = ()
        case _:
            return Nil()


def plus(t: Type, x: Term, y: Term, fs: Functions) -> Term:
    """Return x + y in T[t]; x and y are variables or their parts."""
    match t:
        # x + y
        case Real():
            return Prim("add", (x, y))
        # pointwise
        case Arr(s) if tangent(t, fs) != ONE:
            v, w = fresh("v"), fresh("w")
            return ZipWith(v, w, plus(s, Var(v), Var(w), fs), x, y)
        # (x1, x2) + (y1, y2) = (x1 + y1, x2 + y2)
        case Prod(s, u):
            return _named(s, Fst(x), Fst(y), fs, lambda left: Pair(
                left, plus(u, Snd(x), Snd(y), fs)))
        # + of T[a ~> b]: by the library
        case Fun():
            return fs.plus(x, y)
        case Plus() | Data() if tangent(t, fs) != ONE:
            return Op("plus_sum", (x, y))
        # () + () = ()
        case _:
            return Nil()


def _named(t: Type, x: Term, y: Term, fs: Functions, then: Callable[[Term], Term]) -> Term:
    # The left part of a tuple is a tuple again: without a name its path would be walked each time.
    if not isinstance(t, Prod):
        return then(plus(t, x, y, fs))
    return let("x", x, lambda v: let("y", y, lambda w: then(plus(t, v.t, w.t, fs))))


# --- primitives and projections -------------------------------------------------------------------


def derivative(name: str, arg: Type, x: Term, g: Term, static: tuple[int | str, ...]) -> Term:
    """Return the cotangents of the arguments ``x`` (a tuple) of a primitive, for the cotangent
    g."""
    n = arity(name)
    xs = [Var(fresh("x")) for _ in range(n)]
    types = components(arg, n)
    discrete = is_discrete(name, R in types)
    parts = [
        Nil() if t != R else Lit(0.0) if discrete else dop(name, i, xs, g, static)
        for i, t in enumerate(types)
    ]
    return lets([(v.name, proj(x, i, n)) for i, v in enumerate(xs)], tuple_(*parts))


def injected(i: int, delta: Sequence[Type], d: Term, g: Term, fs: Functions) -> Term:
    """Return the tangent of the tuple d that is g at component i and 0 elsewhere."""
    n = len(delta)
    return tuple_(*(
        g if k == i else zero(t, proj(d, k, n), fs) for k, t in enumerate(delta)))


def type_of(s: Static) -> Type:
    """Return a static parameter that is a type."""
    return cast(Type, s)


def named(fs: Sequence[Term], body: Callable[..., Term]) -> Term:
    """Return ``body`` of the functions ``fs``, each under a name."""
    names = [fresh(hint) for hint in "fg"[: len(fs)]]
    return lets(list(zip(names, fs, strict=True)), body(*(E(Var(x)) for x in names)))
