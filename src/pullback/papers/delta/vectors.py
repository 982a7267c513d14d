"""K with a pair of vectors for a vector of reals (Krawiec et al., section 8.3, second translation).

    K(Vector R) = Vector R * Vector Delta          K(Vector A) = Vector K(A)   when A is not R
    K{build} runs its body for every element, and keeps values and deltas in two vectors
    K{index} ((xs,us),i) = (xs ! i, us ! i)        what moves elements about does so in both vectors

The primitives of vectors have the special case; where one takes or makes elements that are pairs
(``zip``, ``transpose``, loops over a vector) the two vectors are zipped.

>>> from pullback.papers.language.terms import Z
>>> from pullback.papers.language.check import types_of
>>> from pullback.papers.language.build import op, prim
>>> from pullback.papers.language.pretty import show, show_type
>>> from pullback.papers.dual.types import dual_type
>>> print(show_type(dual_type(Arr(R), vector_duals(Z))), "|",
...     show_type(dual_type(Arr(Prod(R, Z)), vector_duals(Z))))
Arr R * Arr Delta | Arr (R * Delta * Z)
>>> second = op("index", Var("a"), 1)
>>> types = types_of(second, {"a": Arr(R)})
>>> print(show(Vectors(types, vector_duals(Z)).inside(second, Var("s"))))
((fst a) ! 1, (snd a) ! 1, s)
>>> run(Source((("a", Arr(R)),), prim("sin", second), R), ([0.0, 0.0],), 2.0).cotangents
([0.0, 2.0],)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.monadic import K
from pullback.papers.delta.rows import DELTA_SOURCE
from pullback.papers.delta.types import DELTA
from pullback.papers.delta.wrapper import Variant, execute, wrap
from pullback.papers.dual.block import Block
from pullback.papers.dual.types import Duals
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    Arr,
    Data,
    Fst,
    Lit,
    Map,
    Op,
    Pair,
    Prod,
    R,
    Snd,
    Source,
    Static,
    Term,
    TyApp,
    TyLam,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.methods import Method, Outcome, Unsupported, register

VECTOR = Prod(Arr(R), Arr(DELTA))
MIXED = ("zip", "unzip", "transpose")
"""The operations whose elements have another type before than after."""


def vector_duals(state: Type, kept: frozenset[str] = frozenset()) -> Duals:
    """K(R) = R * Delta, K(Vector R) = Vector R * Vector Delta."""
    return Duals(Prod(R, DELTA), state, kept, VECTOR)


def zipped(x: Term) -> Term:
    """Vector (R * Delta)."""
    return Op("zip", (Fst(x), Snd(x)))


class Vectors(K):
    """K{·} with pairs of vectors."""

    def elements(self, e: Term, b: Block) -> Term:
        """Run loops over a vector on its elements, which are dual numbers."""
        a = self.term(e, b)
        return zipped(b.atom("a", a)) if self.types[e] == Arr(R) else a

    def vector(self, elem: Type, x: Term, b: Block) -> Term:
        return b.name("a", Op("unzip", (x,))) if elem == R else x

    # K{build_R} = pure (\(n,f). sequence2 (build (n,f))), which makes the two vectors
    def sequence(self, body: Term, actions: Term, b: Block) -> Term:
        name = "sequence2" if self.types[body] == R else "sequence"
        return b.run("r", Op(name, (actions, self.at(b))))

    def op(self, t: Op, b: Block) -> Term:
        kinds = [self.types[a] for a in t.args]
        if t.name in MIXED:
            return self.mixed(t, kinds, b)
        of_reals = kinds[0] if kinds and isinstance(kinds[0], Arr) else self.types[t]
        if of_reals != Arr(R) or t.name == "error":
            return super().op(t, b)
        args = [a if isinstance(a, Lit) else b.atom("a", a) for a in self.parts(t.args, b)]
        values = Op(t.name, tuple(map(part, args, kinds, [Fst] * len(args))), t.static)
        if self.types[t] not in (R, Arr(R)):  # length
            return values
        static: list[Static] = [DELTA if s == R else s for s in t.static]
        deltas = Op(t.name, tuple(map(part, args, kinds, [Snd] * len(args))), tuple(static))
        return Pair(values, deltas)

    def mixed(self, t: Op, kinds: Sequence[Type], b: Block) -> Term:
        """Return an operation that pairs elements, or takes pairs or rows apart."""
        args = [b.atom("a", a) for a in self.parts(t.args, b)]
        result = self.types[t]
        if t.name == "zip":
            return Op(
                "zip",
                tuple(zipped(a) if k == Arr(R) else a for a, k in zip(args, kinds, strict=False)),
            )
        if t.name == "unzip":
            assert isinstance(result, Prod)
            both = b.name("z", Op("unzip", tuple(args)))
            left, right = (
                b.name("v", Op("unzip", (half,))) if k == Arr(R) else half
                for k, half in ((result.left, Fst(both)), (result.right, Snd(both))))
            return Pair(left, right)
        if result != Arr(Arr(R)):
            return Op("transpose", tuple(args))
        row = fresh("row")
        values, deltas = (Op("transpose", (Map(row, part(Var(row)), args[0]),))
                          for part in (Fst, Snd))
        return Op("zip", (values, deltas))


def part(x: Term, kind: Type, half: type[Fst] | type[Snd]) -> Term:
    """Return the values or deltas of an argument; a discrete argument is its own."""
    return half(x) if kind in (R, Arr(R)) else x


def supported(source: Source) -> None:
    """Raise Unsupported for a program that would need the special case under a type variable."""
    for d in source.decls:
        if d.params and any(has_array(f) for _, fields in d.constructors for f in fields):
            raise Unsupported(f"pairs of vectors: {d.name} has a vector of its parameter")


def has_array(t: Type) -> bool:
    """Whether there is an array in a type."""
    match t:
        case Arr():
            return True
        case Prod(a, b):
            return has_array(a) or has_array(b)
        case Data(_, args):
            return any(map(has_array, args))
        case _:
            return False


VARIANT = Variant(Vectors, vector_duals)


def run(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Run a program by the method, as the driver asks."""
    supported(source)
    w = deeply(lambda: wrap(source, ARRAY, variant=VARIANT))
    return execute(w.term, source, args, seed, Machine())


DIALECT = replace(DELTA_SOURCE, terms=DELTA_SOURCE.terms - {TyLam, TyApp})
register(Method(
    "delta.vectors", "K: vectors of reals as pairs of vectors (section 8.3)",
    DIALECT, run))
__all__ = ["VECTOR", "Vectors", "run", "vector_duals"]
