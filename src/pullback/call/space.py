"""A space says what stands beside the leaves of data: accumulators, tangents or ids.

A leaf's machine values are words of memory (``lower.values.leaves``). In the forward space
(``ad.spaces``) an array of reals is followed by its accumulator, in the dual space every real and
every array of reals by its tangent; an argument's or a result's own tangents come after all of its
leaves. Dual numbers have ids for tangents; beside an argument's own leaves is at most the first
id of each array of reals that is in an array: those of all its elements are consecutive.
"""

from __future__ import annotations

from enum import Enum

from pullback.core.types import I64, Array, Handle, Real, Type
from pullback.lower.loopcode import Ty
from pullback.lower.values import leaves as machine_types


class Space(Enum):
    """What stands beside the leaves."""

    PLAIN = ""
    FORWARD = "fwd"
    DUAL = "jvp"
    IDS = "ids"

    def beside(self, t: Type) -> Type | None:
        """The type of what stands beside a leaf inside a node: accumulator, tangent or id."""
        match self:
            case Space.PLAIN:
                return None
            case Space.FORWARD:
                return accumulator(t)
            case Space.DUAL:
                return t if isinstance(t, Real) or accumulator(t) is not None else None
            case Space.IDS:
                return ids(t)

    def inside(self, t: Type, in_node: bool) -> Type | None:
        """The type of what stands beside a leaf inside a list, which may be in a node."""
        return first_ids(t) if self is Space.IDS and not in_node else self.beside(t)


def accumulator(t: Type) -> Type | None:
    """The type of the accumulator of an array of (arrays of) reals; None for anything else."""
    if not isinstance(t, Array):
        return None
    if isinstance(t.elem, Real):
        return Handle(t.rank)
    inner = accumulator(t.elem)
    return None if inner is None else Array(inner, t.rank)


def ids(t: Type) -> Type | None:
    """The type of the ids of a real or of an array of (arrays of) reals."""
    if isinstance(t, Array):
        inner = ids(t.elem)
        return None if inner is None else Array(inner, t.rank)
    return I64 if isinstance(t, Real) else None


def first_ids(t: Type) -> Type | None:
    """The type of the first ids of the arrays of reals that are in an array, or of one of them."""
    if not isinstance(t, Array):
        return None
    if isinstance(t.elem, Real):
        return I64
    inner = first_ids(t.elem)
    return None if inner is None else Array(inner, t.rank)


def of_reals(t: Type) -> bool:
    """Whether it is a real, or an array of (arrays of) reals."""
    while isinstance(t, Array):
        t = t.elem
    return isinstance(t, Real)


def words(t: Type | None) -> tuple[Ty, ...]:
    """The machine values of a leaf or of its accumulator."""
    return () if t is None else machine_types(t)


__all__ = ["Space", "accumulator", "first_ids", "ids", "of_reals", "words"]
