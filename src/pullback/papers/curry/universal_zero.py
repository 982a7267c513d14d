"""Tangents of sums and declared types (The Differentiable Curry, 6.2): one zero for all.

    T[a + b] = 0 | inl T[a] | inr T[b]        T[T] = 0 | T[F]        (Unit, where both are Unit)

The zero is the same for all values, so that it costs nothing; what takes a tangent apart
(``from_inl``) knows the value, and so the zero that is meant.

>>> from pullback.papers.language.values import Inj
>>> plus_values((ANY_ZERO, Inj(0, 2.0)), (Inj(1, 1.0), Inj(0, 3.0)))
(Inj(tag=1, value=1.0), Inj(tag=0, value=5.0))
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.frozen import dataclass
from pullback.papers.curry.rolled import ROLLING
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import Data, Plus, Static, TVar, Type
from pullback.papers.language.values import Inj, array


@dataclass(frozen=True, slots=True)
class AnyZero:
    """The zero of every tangent: Z + x = x."""


ANY_ZERO = AnyZero()


def plus_values(x: object, y: object) -> object:
    """Return x + y. Raise a TypeError if they are tangents of different types."""
    match x, y:
        case (AnyZero(), z) | (z, AnyZero()):
            return z
        case (float(), float()):
            return x + y
        case (list(), list()) if len(x) == len(y):
            return [plus_values(v, w) for v, w in zip(x, array(y), strict=True)]
        case ((), ()):
            return ()
        case Inj(i, v), Inj(j, w) if i == j:
            return Inj(i, plus_values(v, w))
        case (tuple((x1, x2)), tuple((y1, y2))):
            return plus_values(x1, y1), plus_values(x2, y2)
        case _:
            raise TypeError(f"tangents of different functions are added: {x} + {y}")


def tangent_data(t: Type) -> Data:
    """T[T], of a declared type."""
    return Data("Tangent", (t,))


def _part(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    # the part of a tangent of a sum that belongs to the value; 0 is the zero at that value
    d, zero = args
    if d is ANY_ZERO:
        return zero
    assert isinstance(d, Inj)
    return d.value


_a, _b = TVar("a"), TVar("b")
SUMS = (
    *ROLLING,
    Row("zero_sum", sig((), _a, "a"), pure(lambda: ANY_ZERO), show="0", linear=()),
    Row("plus_sum", sig((_a, _a), _a), pure(plus_values), show="{0} + {1}", linear=(0, 1)),
    # the tangent of x from that of inl x, or 0
    Row("from_inl", sig((Plus(_a, _b), _a), _a), _part, show="from_inl {0}", linear=(0, 1)),
    Row("from_inr", sig((Plus(_a, _b), _b), _b), _part, show="from_inr {0}", linear=(0, 1)),
    # T[T] is 0 or T[F]
    Row("opened", sig((Data("Tangent", (_b,)), _a), _a),
        pure(lambda d, zero: zero if d is ANY_ZERO else d), show="{0}", linear=(0, 1)),
    Row("closed", sig((_a,), tangent_data(_b), "b"), pure(lambda d: d), show="{0}", linear=(0,)),
)
"""What both libraries add to the language for sums and declared types."""
