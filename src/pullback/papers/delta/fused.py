"""Selective fusion at compile time (Krawiec et al., section 8.7): no Delta inside a function.

    f : R^a -> R closed and straight-line                       e.g. f = \\x. x * sin x
    K'{f} = \\((x1,u1)..(xa,ua)). y = .. ; c1 = .. ; ca = .. ;
            do {i <- deltaLet (Add_k (Scale c_k u_k)); pure (y, Var i)}

The Delta constructors of K{f} are consumed by eval 1 where Fig. 15 runs both. On a straight line
both can be run on names instead of numbers, and only the coefficients are left: c_k is what eval 1
leaves at Var k, in the order in which eval goes over the bindings. ``Selective`` is K with K' for
every function that gains by it; when to fuse has no answer in the paper.

>>> from pullback.papers.language.terms import Z
>>> from pullback.papers.language.build import lam, prim
>>> from pullback.papers.language.check import types_of
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.delta.types import duals
>>> f = lam("x", R, lambda x: x * prim("sin", x))
>>> print(show(fused(f, types_of(f), duals(Z)), 80))
\\x:R * Delta.
 \\s:Z.
  let y = sin (fst x) in
  let y1 = fst x * y in
  let c = cos (fst x) in
  let c1 = fst x * c in
  let c2 = y + c1 in
  let i = deltaLet (Scale c2 (snd x)) s in (y1, Var (fst i), snd i)
"""

from __future__ import annotations

from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.closure import closure
from pullback.papers.delta.fusion import fuse
from pullback.papers.delta.line import Line, Node
from pullback.papers.delta.monadic import K
from pullback.papers.delta.rows import DELTA_SOURCE
from pullback.papers.delta.types import DELTA, DELTA_LET, ZERO, scaled
from pullback.papers.delta.wrapper import Variant
from pullback.papers.dual.block import Block
from pullback.papers.dual.types import Duals, dual_type
from pullback.papers.language.build import app
from pullback.papers.language.check import Types
from pullback.papers.language.terms import (
    Con,
    Fst,
    Int,
    Lam,
    Let,
    Lit,
    Nil,
    Pair,
    Prim,
    Prod,
    R,
    Real,
    Snd,
    Term,
    Type,
    Unit,
    Var,
    fresh,
)
from pullback.papers.language.traverse import free_vars, subterms
from pullback.papers.methods import Method, register

STRAIGHT = (Var, Lit, Nil, Let, Pair, Fst, Snd, Prim)


def straight_line(f: Lam, types: Types) -> bool:
    """Whether K' at compile time can be had: a closed f : R^a -> R (or with integers beside the
    reals) of lets, tuples and primitives."""
    return (types[f.body] == R and scalars(f.type) and R in leaves(f.type)
            and not free_vars(f) and all(isinstance(t, STRAIGHT) for t in subterms(f.body)))


def leaves(t: Type) -> list[Type]:
    """Return the components of a tuple type."""
    return [*leaves(t.left), *leaves(t.right)] if isinstance(t, Prod) else [t]


def scalars(t: Type) -> bool:
    """Whether a type is a tuple of scalars."""
    return all(isinstance(a, Real | Int | Unit) for a in leaves(t))


def fused(f: Lam, types: Types, n: Duals) -> Lam:
    """K'{f}."""
    x, s = fresh("x"), fresh("s")
    assert n.state is not None
    line = Line(types, Block())
    y = line.run(f.body, {f.x: line.input(f.type, Var(x))})
    assert isinstance(y, Node)
    parts, b = line.coefficients(y), line.block
    b.state = Var(s)
    delta: Term = ZERO
    if parts:
        i = b.name("i", app(DELTA_LET, scaled(parts), b.state))
        b.state, delta = Snd(i), Con("Var", (Fst(i),), DELTA)
    return Lam(x, dual_type(f.type, n), Lam(s, n.state, b.close(Pair(y.value, delta))))


class Selective(K):
    """K{·}, with K'{f} for straight-line functions of two real operations or more: a call then
    makes one binding, where it made one for each of them."""

    def fn(self, t: Lam) -> Lam:
        if straight_line(t, self.types) and self.operations(t.body) > 1:
            return fused(t, self.types, self.n)
        return super().fn(t)

    def operations(self, t: Term) -> int:
        """Return the number of real operations of a term."""
        return sum(isinstance(s, Prim) and self.types[s] == R for s in subterms(t))


class AtRunTime(Selective):
    """K{·}, with Fig. 15's K'{f} for the same functions of reals: each call evaluates the deltas of
    its body, and makes one binding."""

    def fn(self, t: Lam) -> Lam:
        if (straight_line(t, self.types) and self.operations(t.body) > 1
                and all(a == R for a in leaves(t.type))):
            return fuse(t, ARRAY)
        return super(Selective, self).fn(t)


VARIANT = Variant(Selective)
register(Method(
    "delta.fused", "K with selective fusion of straight lines (section 8.7)",
    DELTA_SOURCE, closure(ARRAY, VARIANT)))
register(Method(
    "delta.fused.runtime", "K with fusion when a function is called (Fig. 15)",
    DELTA_SOURCE, closure(ARRAY, Variant(AtRunTime))))
