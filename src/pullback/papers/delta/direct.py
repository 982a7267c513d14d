"""The rules that the direct translations take over from the forward mode (Krawiec et al., Fig. 3).

    D{r} = (r, zero)      D{op} = \\((x1,u1)..(xn,un)). (op x, Σ_i (∂_i op x) u_i)
    everything else is homomorphic, and x:A becomes x:D(A) at every binder (equation 1)

K1 (``delta.dense``) and K2 (``delta.symbolic``) differ in what a tangent is: dense vectors of the
type of the input, or expressions.

>>> from pullback.papers.language.terms import Let, Var
>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.check import types_of
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.delta.symbolic import K2, symbolic
>>> t = Let("f", Var("g"), prim("sin", prim("add", Var("n"), 1.0)))
>>> print(show(K2(types_of(t, {"g": R, "n": R}), symbolic()).term(t)))
let f = g in
let t = let t = (1, Zero) in (fst n + fst t, Add (snd n) (snd t)) in
(sin (fst t), Scale (cos (fst t)) (snd t))
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pullback.papers.dual.block import Block, operands, retyped
from pullback.papers.dual.types import Duals, dual_type
from pullback.papers.language.check import Types
from pullback.papers.language.prims import partial
from pullback.papers.language.terms import Lit, Pair, Prim, R, Term, Type
from pullback.papers.language.traverse import map_parts
from pullback.papers.methods import Unsupported


class Direct(ABC):
    """A translation by Fig. 3; what tangents are is up to the subclass."""

    def __init__(self, types: Types, n: Duals) -> None:
        self.types, self.n = types, n

    @abstractmethod
    def zero(self) -> Term:
        """Return the tangent of a literal."""

    @abstractmethod
    def combined(self, parts: Sequence[tuple[Term, Term]]) -> Term:
        """Σ_i c_i u_i."""

    def type(self, t: Type) -> Type:
        """D(t)."""
        return dual_type(t, self.n)

    def term(self, t: Term) -> Term:
        """D{t}."""
        match t:
            # D{r} = (r, zero)
            case Lit(value):
                return Pair(t, self.zero()) if isinstance(value, float) else t
            # D{op(t1..tn)} = let t1 = D{t1} .. in (op(x1..xn), Σ_i (∂_i op x) u_i)
            case Prim():
                block = Block()
                xs, active = operands(
                    t, lambda ts: list(map(self.term, ts)), self.types, block)
                y = Prim(t.op, tuple(xs), t.static)
                if self.types[t] != R:
                    return block.close(y)
                parts = [(coefficient(t, i, xs), u) for i, u in active]
                return block.close(Pair(y, self.combined(parts)))
            case _:
                return map_parts(self.term, retyped(t, self.type))


def coefficient(t: Prim, i: int, xs: Sequence[Term]) -> Term:
    """∂_i op (xs)."""
    try:
        return partial(t.op, i, xs, t.static)
    except TypeError as e:
        raise Unsupported(f"delta: {e}") from None


def is_zero(c: Term) -> bool:
    """Whether a partial is 0 by rule."""
    return isinstance(c, Lit) and c.value == 0.0
