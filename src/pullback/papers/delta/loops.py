"""K of loops over arrays (Krawiec et al., section 8.3, the first way: arrays are homomorphic).

    K(Arr A) = Arr K(A)
    K{build} = pure (\\(n,f). sequence (build (n,f)))          sequence : Arr (M A) -> M (Arr A)
    K{map}, K{zipWith}: as build;  fold and scan by foldM and scanM, foldl threads the state itself

``Actions`` is what a translation into the state monad needs of itself, and ``Loops`` the clauses;
``delta.monadic`` has the rest of K, and ``delta.vectors`` the second way.

>>> from pullback.papers.language.terms import Prim, R, Z
>>> from pullback.papers.language.check import types_of
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.delta.monadic import k_term
>>> t = Build(Var("n"), "i", Prim("mul", (Var("x"), Var("x"))))
>>> print(show(k_term(t, {"n": Z, "x": R}, Var("s")), 88))
let r = sequence (build n (i. \\s1:DeltaState.
     let i1 = deltaLet (Add (Scale (fst x) (snd x)) (Scale (fst x) (snd x))) s1 in
     let s2 = snd i1 in (fst x * fst x, Var (fst i1), s2))) s in
let i = snd r in (fst r, i)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial as given
from typing import assert_never

from pullback.papers.dual.block import Block
from pullback.papers.dual.types import Duals, dual_type
from pullback.papers.language.check import Types
from pullback.papers.language.terms import (
    Build,
    Fold,
    Foldl,
    Fst,
    Lam,
    Map,
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


class Actions(ABC):
    """A translation into the state monad. ``order``: of the parts of a pair, an application and a
    primitive, "lr" or "rl"."""

    types: Types
    n: Duals
    order: str

    @abstractmethod
    def term(self, t: Term, b: Block) -> Term:
        """K{t}: its do-block goes to ``b``, and this is what it returns."""

    def type(self, t: Type) -> Type:
        """K(t)."""
        return dual_type(t, self.n)

    def parts(self, ts: Sequence[Term], b: Block) -> list[Term]:
        """do {x1 <- K{t1}; ..}: the results, in the order given."""
        return self.ordered(*(given(self.term, t, b) for t in ts))

    def ordered(self, *actions: Callable[[], Term]) -> list[Term]:
        """Return the results of actions that write to one block, made from left to right or
        back."""
        if self.order == "lr":
            return [action() for action in actions]
        return [action() for action in reversed(actions)][::-1]

    def action(self, t: Term, hint: str = "s") -> Lam:
        """K{t} as a function of the state."""
        s = fresh(hint)
        assert self.n.state is not None
        return Lam(s, self.n.state, self.inside(t, Var(s)))

    def inside(self, t: Term, state: Term) -> Term:
        """K{t} at a state."""
        b = Block(state)
        return b.close(self.term(t, b))

    def fn(self, t: Lam) -> Lam:
        """\\x. K{t}."""
        return Lam(t.x, self.type(t.type), self.action(t.body), t.kind, t.role)

    def step(self, p: str, body: Term, elem: Type) -> Lam:
        """\\p. K{body} for the combinators that take two elements."""
        return Lam(p, self.type(Prod(elem, elem)), self.action(body))

    def at(self, b: Block) -> Term:
        """Return the state as it is."""
        assert b.state is not None
        return b.state


class Loops(Actions):
    """The clauses for arrays."""

    # K{build} = pure (\(n,f). sequence (build (n,f))), and so for the other loops
    def over_array(self, t: Build | Map | ZipWith | Fold | Scan | Foldl, b: Block) -> Term:
        """Return a loop over an array."""
        match t:
            # K{build n (i. t)} = do {n <- K{n}; sequence (build n (i. K{t}))}
            case Build(e, i, body):
                count = b.atom("n", self.term(e, b))
                return self.sequence(body, Build(count, i, self.action(body)), b)
            # K{map (x. t) s} = do {s <- K{s}; sequence (map (x. K{t}) s)}
            case Map(x, body, e):
                return self.sequence(body, Map(x, self.action(body), self.elements(e, b)), b)
            # K{zipWith (x y. t) s r}: likewise
            case ZipWith(x, y, body, e1, e2):
                p, q = self.ordered(lambda: self.elements(e1, b), lambda: self.elements(e2, b))
                return self.sequence(body, ZipWith(x, y, self.action(body), p, q), b)
            # K{fold (p. t) s} = do {s <- K{s}; foldM (\p. K{t}) s}
            case Fold(x, body, e):
                a = self.elements(e, b)
                f = self.step(x, body, self.types[t])
                return b.run("r", Op("foldM", (f, a, self.at(b))))
            # K{scan (p. t) s}: by scanM
            case Scan(x, body, e):
                a = self.elements(e, b)
                f = self.step(x, body, self.types[body])
                return self.vector(self.types[body], b.run("r", Op("scanM", (f, a, self.at(b)))), b)
            # K{foldl (a x. t) z s}: foldl of (a, the state)
            case Foldl(acc, x, body, e1, e2):
                z, a = self.ordered(lambda: self.term(e1, b), lambda: self.elements(e2, b))
                both = fresh("p")
                inner = Block(Snd(Var(both)))
                inner.lets.append((acc, Fst(Var(both))))
                step = inner.close(self.term(body, inner))
                return b.run("r", Foldl(both, x, step, Pair(z, self.at(b)), a))
            case _:
                assert_never(t)

    def elements(self, e: Term, b: Block) -> Term:
        """K{e} as an array of K(A), for e : Arr A."""
        return self.term(e, b)

    def vector(self, elem: Type, x: Term, b: Block) -> Term:
        """K(Arr A) of an array of K(A)."""
        return x

    def sequence(self, body: Term, actions: Term, b: Block) -> Term:
        """sequence, of an array of actions K{body}."""
        return b.run("r", Op("sequence", (actions, self.at(b))))
