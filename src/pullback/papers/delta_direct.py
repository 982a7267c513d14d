"""The rules that the direct translations take over from the forward mode (Krawiec et al., Fig. 3).

    D{r} = (r, zero)      D{op} = \\((x1,u1)..(xn,un)). (op x, Σ_i (∂_i op x) u_i)
    everything else is homomorphic, and x:A becomes x:D(A) at every binder (equation 1)

K1 (``delta_dense``) and K2 (``delta_symbolic``) differ in what a tangent is: dense vectors of the
type of the input, or expressions.

>>> from pullback.core.nested import Let, Var
>>> from pullback.core.nested_build import prim, reals
>>> from pullback.core.nested_check import types_of
>>> from pullback.core.nested_pretty import show
>>> from pullback.papers.delta_symbolic import K2, symbolic
>>> t = Let("f", Var("g"), prim("sin", prim("add", Var("n"), 1.0)))
>>> print(show(K2(types_of(t, {"g": R, "n": R}), symbolic()).term(t)))
let f = g in
let t = let t = (1, Zero) in (fst n + fst t, Add (snd n) (snd t)) in
(sin (fst t), Scale (cos (fst t)) (snd t))
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from pullback.core.nested import Fst as Primal
from pullback.core.nested import Lit, Pair, Prim, R, Snd, Term, Type
from pullback.core.nested_build import proj
from pullback.core.nested_check import Types
from pullback.core.nested_prims import arity, is_discrete, partial, split_type
from pullback.core.nested_traverse import map_parts
from pullback.papers.dual_block import Block, retyped
from pullback.papers.dual_types import Duals, dual_type
from pullback.papers.methods import Unsupported


class Translation(Protocol):
    """What ``operands`` needs of a translation."""

    types: Types

    def term(self, t: Term, b: Block) -> Term: ...

    def parts(self, ts: Sequence[Term], b: Block) -> list[Term]: ...


class Direct(ABC):
    """A translation by Fig. 3; what tangents are is up to the subclass."""

    def __init__(self, types: Types, n: Duals) -> None:
        self.types, self.n = types, n

    @abstractmethod
    def zero(self) -> Term:
        """The tangent of a literal."""

    @abstractmethod
    def combined(self, parts: Sequence[tuple[Term, Term]]) -> Term:
        """Σ_i c_i u_i."""

    def type(self, t: Type) -> Type:
        """D(t)."""
        return dual_type(t, self.n)

    def parts(self, ts: Sequence[Term], b: Block) -> list[Term]:
        """D{t1} .. D{tn}."""
        return [self.term(t, b) for t in ts]

    def term(self, t: Term, b: Block | None = None) -> Term:
        """D{t}."""
        match t:
            # D{r} = (r, zero)
            case Lit(value):
                return Pair(t, self.zero()) if isinstance(value, float) else t
            # D{op(t1..tn)} = let t1 = D{t1} .. in (op(x1..xn), Σ_i (∂_i op x) u_i)
            case Prim():
                block = Block()
                xs, active = operands(t, self, block)
                y = Prim(t.op, xs, t.static)
                if self.types[t] != R:
                    return block.close(y)
                parts = [(c, u) for i, u in active if not is_zero(c := coefficient(t, i, xs))]
                return block.close(Pair(y, self.combined(parts)))
            case _:
                return map_parts(self.term, retyped(t, self.type))


def operands(
    t: Prim, k: Translation, b: Block
) -> tuple[tuple[Term, ...], list[tuple[int, Term]]]:
    """The primals of the arguments, and place and tangent of those that are dual numbers."""
    n = arity(t.op)
    if len(t.args) == 1 and n > 1:  # op on a tuple
        whole = b.atom("p", k.term(t.args[0], b))
        given = [proj(whole, i, n) for i in range(n)]
        kinds = split_type(k.types[t.args[0]], n)
    else:
        given, kinds = k.parts(t.args, b), [k.types[a] for a in t.args]
    xs: list[Term] = []
    active: list[tuple[int, Term]] = []
    for i, (dual, kind) in enumerate(zip(given, kinds)):
        if kind != R:
            xs.append(dual if isinstance(dual, Lit) else b.atom("k", dual))
            continue
        dual = b.atom("t", dual)
        xs.append(Primal(dual))
        active.append((i, Snd(dual)))
    smooth = k.types[t] == R and not is_discrete(t.op, t.static)
    return tuple(xs), active if smooth else []


def coefficient(t: Prim, i: int, xs: Sequence[Term]) -> Term:
    """∂_i op (xs)."""
    try:
        return partial(t.op, i, xs, t.static)
    except TypeError as e:
        raise Unsupported(f"delta: {e}") from None


def is_zero(c: Term) -> bool:
    """Whether a partial is 0 by rule."""
    return isinstance(c, Lit) and c.value == 0.0
