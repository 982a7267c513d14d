"""Arbitrary primitives f : R^n -> R^m with their partials (Krawiec et al., section 8.2, Fig. 14).

    F{f} = \\((x1,u1)..(xn,un)). let (y1..ym) = f (x1..xn) in
           ((y1, Σ_i df_1i (x1..xn) * u_i), .., (ym, Σ_i df_mi (x1..xn) * u_i))
    K{f} = pure (\\((x1,u1)..(xn,un)). let (y1..ym) = f (x1..xn) in
           do {i1 <- deltaLet (Add_i (Scale (df_1i (x1..xn)) u_i)); ..;
               pure ((y1, Var i1), .., (ym, Var im))})

The figure mixes df_{i1} and df_{mi}: the coefficients of output j are df_{ji}. A primitive is an
operation, and so is each of its partials: nothing is recorded of f but the numbers in the Scales.

>>> from pullback.papers.language.terms import Prod
>>> from pullback.papers.language.build import reals
>>> from pullback.papers.delta.show import delta_of, show_delta
>>> square_and_product = Primitive("sp", 2, lambda x, y: (x * x, x * y), (
...     (lambda x, y: 2 * x, lambda x, y: 0.0), (lambda x, y: y, lambda x, y: x)))
>>> s = Source(reals("x", "y"), Op("sp", (Pair(Var("x"), Var("y")),)), Prod(R, R))
>>> reverse = variant(square_and_product)
>>> print(show_delta(delta_of(s, (3.0, 4.0), (1.0, 0.0), variant=reverse)).splitlines()[0])
Let 3 = Add (Scale 6 (Var 1)) (Scale 0 (Var 2)) in
>>> tangent(s, (3.0, 4.0), (1.0, 0.0), square_and_product)
((9.0, 12.0), (6.0, 4.0))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pullback.core.frozen import dataclass
from pullback.papers.delta.monadic import K
from pullback.papers.delta.rows import LIBRARY
from pullback.papers.delta.types import scaled
from pullback.papers.delta.wrapper import Variant
from pullback.papers.dual.block import Block
from pullback.papers.dual.forward import push
from pullback.papers.dual.types import Duals
from pullback.papers.language.arrays import OPS
from pullback.papers.language.build import lets, prim, proj, tuple_, tuple_type
from pullback.papers.language.check import Types
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import Fst, Op, Pair, R, Snd, Source, Term, Var, fresh
from pullback.papers.language.values import items, tuple_value


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """f : R^n -> R^m; ``partials[j][i]`` is df_{ji}."""

    name: str
    inputs: int
    function: Callable[..., Sequence[float]]
    partials: Sequence[Sequence[Callable[..., float]]]

    @property
    def outputs(self) -> int:
        """Return m, the number of results."""
        return len(self.partials)

    def rows(self) -> list[Row]:
        """Return f and its partials, as operations on a tuple."""
        n = self.inputs
        arg = tuple_type(*[R] * n)
        out = [Row(self.name, sig((arg,), tuple_type(*[R] * self.outputs)), pure(
            lambda p: tuple_value(*self.function(*items(p, n)))))]
        for j, row in enumerate(self.partials):
            out += [Row(self.partial(j, i), sig((arg,), R), pure(partial(_called, df, n)))
                    for i, df in enumerate(row)]
        return out

    def partial(self, j: int, i: int) -> str:
        """Return the name of df_{ji}."""
        return f"d{self.name}_{j + 1}{i + 1}"

    def at(self, arg: Term) -> tuple[list[tuple[str, Term]], list[Term], list[Term], Term]:
        """Return, for a tuple of dual numbers: the lets that name it, (x1..xn) and f of it; the
        second halves of x1 .. xn; y1 .. ym; and the tuple (x1..xn)."""
        p, xs, ys = fresh("p"), fresh("x"), fresh("y")
        duals = [proj(Var(p), i, self.inputs) for i in range(self.inputs)]
        bound = [(p, arg), (xs, tuple_(*map(Fst, duals))), (ys, Op(self.name, (Var(xs),)))]
        results = [proj(Var(ys), j, self.outputs) for j in range(self.outputs)]
        return bound, [Snd(d) for d in duals], results, Var(xs)

    def coefficients(self, j: int, xs: Term) -> list[Term]:
        """df_{j1} (xs) .. df_{jn} (xs)."""
        return [Op(self.partial(j, i), (xs,)) for i in range(self.inputs)]


def _called(df: Callable[..., float], n: int, p: object) -> object:
    return df(*items(p, n))


# --- reverse mode ---------------------------------------------------------------------------------


class WithPrimitives(K):
    """K{·} of a language with these primitives."""

    def __init__(
        self, known: dict[str, Primitive], types: Types, n: Duals, order: str = "lr",
        literals: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(types, n, order, literals)
        self.known = known

    # K{f}: a deltaLet for every output
    def op(self, t: Op, b: Block) -> Term:
        if t.name not in self.known:
            return super().op(t, b)
        f = self.known[t.name]
        bound, deltas, ys, xs = f.at(self.term(t.args[0], b))
        b.lets += bound
        return tuple_(*(
            self.bind(y, scaled(list(zip(f.coefficients(j, xs), deltas, strict=False))), b)
            for j, y in enumerate(ys)))


def variant(*primitives: Primitive) -> Variant:
    """Return K with primitives, for the wrapper."""
    library = LIBRARY.extended(*(row for p in primitives for row in p.rows()))
    return Variant(partial(WithPrimitives, {p.name: p for p in primitives}), library=library)


# --- forward mode ---------------------------------------------------------------------------------


def forward_term(f: Primitive, arg: Term) -> Term:
    """F{f} of a tuple of dual numbers."""
    bound, tangents, ys, xs = f.at(arg)

    def tangent_of(j: int) -> Term:
        parts = [prim("mul", c, u) for c, u in zip(f.coefficients(j, xs), tangents, strict=False)]
        out: Term = parts[0]
        for p in parts[1:]:
            out = prim("add", out, p)
        return out

    return lets(bound, tuple_(*(Pair(y, tangent_of(j)) for j, y in enumerate(ys))))


def tangent(
    source: Source, args: tuple[object, ...], tangents: tuple[object, ...], *primitives: Primitive
) -> tuple[object, object]:
    """Return the value and the tangent by the forward mode."""
    known = {p.name: partial(forward_term, p) for p in primitives}
    library = OPS.extended(*(row for p in primitives for row in p.rows()))
    return push(source, args, tangents, known=known, library=library)


__all__ = ["Primitive", "WithPrimitives", "tangent", "variant"]
