"""The lifting to a state monad, of loops over arrays (derived: Smeding & Vákár leave arrays out).

    N(Arr t) = Arr N(t)
    N{build n (k. t)} = \\i. let (n,i1) = N{n} i in traverse (\\k. N{t}) [0..n-1] i1
    N{map (x. t) s}, N{zipWith ..}: traverse too; fold and scan by foldM and scanM
    N{foldl (a x. t) z s} = \\i. .. foldl ((a,i) x. N{t} i) (z, i2) s

Loops hand the state on from element to element. ``Lifting`` is what a lifting has of itself;
``dual.lift`` has the other clauses.

>>> from pullback.papers.language.terms import App, Fun, R
>>> from pullback.papers.language.check import types_of
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.dual.lift import Lift
>>> t = Map("x", App(Var("f"), Var("x")), Var("a"))
>>> lift = Lift(types_of(t, {"a": Arr(Z), "f": Fun(Z, Z)}), Rules(
...     Duals(R, Z), lambda b, r: r, lambda b, t, xs, ds: t))
>>> print(show(lift.at(t, Var("i"))))
let a1 = traverse (\\x:Z. \\i1:Z. let z = f x i1 in let i2 = snd z in (fst z, i2)) a i in
let i1 = snd a1 in (fst a1, i1)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from pullback.core.frozen import dataclass
from pullback.papers.dual.block import Block
from pullback.papers.dual.types import Duals, dual_type
from pullback.papers.language.check import Types
from pullback.papers.language.terms import (
    Arr,
    Build,
    Fold,
    Foldl,
    Fst,
    Lam,
    Let,
    Map,
    Op,
    Pair,
    Prim,
    Prod,
    Scan,
    Snd,
    Term,
    Type,
    Var,
    Z,
    ZipWith,
    fresh,
)

Active = Sequence[tuple[int, Term]]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a stage does: ``number(b, r)`` is N{r}, and ``op(b, t, xs, ds)`` is N{op(t1..tn)} from
    the primals of its arguments and (position, second half) of those it depends on."""

    duals: Duals
    number: Callable[[Block, Term], Term]
    op: Callable[[Block, Prim, Sequence[Term], Active], Term]


@dataclass(frozen=True, slots=True)
class Lifting(ABC):
    """The transformation of a program whose subterms have these types."""

    types: Types
    rules: Rules

    @abstractmethod
    def value(self, t: Term, b: Block) -> Term:
        """Return the value of N{t} in the state of b, which goes on to the state afterwards."""

    def dual(self, t: Type) -> Type:
        return dual_type(t, self.rules.duals)

    def under(self, t: Term) -> Term:
        """N{t} : S -> N(type of t) * S."""
        i, state = fresh("i"), self.rules.duals.state
        assert state is not None
        return Lam(i, state, self.at(t, Var(i)))

    def at(self, t: Term, state: Term) -> Term:
        """N{t} i, a value and a state."""
        b = Block(state)
        return b.close(self.value(t, b))

    def over_array(self, t: Build | Map | ZipWith | Fold | Scan | Foldl, b: Block) -> Term:
        """Run a loop that hands the state on from element to element."""
        match t:
            # N{build n (k. t)} = \i. let (n,i1) = N{n} i in traverse (\k. N{t}) [0..n-1] i1
            case Build(n, i, body):
                j = fresh("j")
                return self.traverse(i, Z, body, Build(self.value(n, b), j, Var(j)), b)
            # N{map (x. t) s} = \i. let (s,i1) = N{s} i in traverse (\x. N{t}) s i1
            case Map(x, body, a):
                return self.traverse(x, self.elem(a), body, self.value(a, b), b)
            # N{zipWith (x y. t) s r}: of the pairs
            case ZipWith(x, y, body, a, c):
                p = fresh("p")
                pairs = self.value(a, b)
                both = Op("zip", (pairs, self.value(c, b)))
                inside = Let(x, Fst(Var(p)), Let(y, Snd(Var(p)), body))
                elem = Prod(self.elem(a), self.elem(c))
                return self.traverse(p, elem, inside, both, b)
            # N{foldl (a x. t) z s} = \i. .. foldl ((a,i) x. N{t} i) (z, i2) s
            case Foldl(acc, x, body, z, a):
                start = self.value(z, b)
                xs, p = self.value(a, b), fresh("p")
                inside = Let(acc, Fst(Var(p)), self.at(body, Snd(Var(p))))
                assert b.state is not None
                return b.run("z", Foldl(p, x, inside, Pair(start, b.state), xs))
            # N{fold (p. t) s}, N{scan (p. t) s}: with the state between the steps
            case Fold(p, body, a):
                return self.bracketed("foldM", p, body, a, b)
            case Scan(p, body, a):
                return self.bracketed("scanM", p, body, a, b)

    def elem(self, a: Term) -> Type:
        t = self.types[a]
        assert isinstance(t, Arr)
        return t.elem

    def traverse(self, x: str, elem: Type, body: Term, xs: Term, b: Block) -> Term:
        assert b.state is not None
        return b.run("a", Op("traverse", (Lam(x, self.dual(elem), self.under(body)), xs, b.state)))

    def bracketed(self, row: str, p: str, body: Term, a: Term, b: Block) -> Term:
        xs, e = self.value(a, b), self.dual(self.elem(a))
        assert b.state is not None
        return b.run("a", Op(row, (Lam(p, Prod(e, e), self.under(body)), xs, b.state)))
