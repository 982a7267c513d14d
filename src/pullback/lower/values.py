"""A Core value while it is being lowered: its registers, and the facts about them.

    scalar   a value; within lanes it is uniform (one register) or varying (a vector register), and
             a varying integer may be *affine*: base + lane * step, both scalars
    view     an array or an accumulator: element e is at ptrs[.] + start + sum(index * stride);
             within lanes also + lane * step + shift. ``lanes`` = 8: each lane has its own
             elements, interleaved: element e of lane l is at 8 * e + l. An array of arrays that
             differ by lane has an ``item``, which says what of its elements is stored.
    sum      a tag and the values of the fields of all variants

Everything is a property of the value, so the same code lowers scalar code and lanes.
"""

from __future__ import annotations

from pullback.core.frozen import dataclass
from pullback.core.types import (
    Array,
    Bool,
    Decl,
    Handle,
    Int,
    Named,
    Real,
    Sum,
    Tuple,
    Type,
    variants_of,
)
from pullback.lower.loopcode import Imm, Reg, Ty, Value

ZERO = Imm(0, Ty.I64)
ONE = Imm(1, Ty.I64)
NULL = Imm(0, Ty.PTR)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, a truth value or the pointer of a node.

    value     the register; None for an affine value that was not needed as a vector yet
    base,step an affine value: lane l has base + l * step
    natural   known not to be negative
    bound     0 <= value < bound is known"""

    type: Type
    value: Value | None
    base: Value | None = None
    step: Value | None = None
    natural: bool = False
    bound: Value | None = None


@dataclass(frozen=True, slots=True)
class View:
    """An array or an accumulator (of an accumulator in lanes=1, ``start`` is the absolute cell and
    there is no pointer)."""

    type: Array | Handle
    ptrs: tuple[Value, ...]
    start: Value
    extents: tuple[Value, ...]
    strides: tuple[Value, ...]
    dense: bool = False  # C order without gaps
    lanes: int = 1
    step: Value | None = None
    shift: Value | None = None
    root: View | None = None  # the accumulator from outside the lanes of which this is a view
    item: Item | None = None

    @property
    def uniform(self) -> bool:
        """The same view of the same memory in every lane."""
        return self.lanes == 1 and self.step is None and self.shift is None and self.item is None

    @property
    def columns(self) -> tuple[tuple[Ty, int], ...]:
        """The stored parts of an element: their machine types, and for how many lanes."""
        if self.item is not None:
            return self.item.columns
        elem = leaves(self.type.elem) if isinstance(self.type, Array) else (Ty.F64,)
        return tuple((ty, self.lanes) for ty in elem)


@dataclass(frozen=True, slots=True)
class Item:
    """In lanes, the elements of an array of arrays (or of accumulators, or of sums with such):
    each has the form of ``like``, and stored are the registers of that form."""

    like: Val
    columns: tuple[tuple[Ty, int], ...]


@dataclass(frozen=True, slots=True)
class SumVal:
    """An unboxed sum."""

    type: Sum
    tag: Value
    fields: tuple[tuple[Val, ...], ...]


Val = Scalar | View | SumVal


def machine(t: Type) -> Ty:
    """The machine type of a scalar Core type."""
    match t:
        case Real(64):
            return Ty.F64
        case Real(_):
            return Ty.F32
        case Int(bits):
            return Ty(f"i{bits}")
        case Bool():
            return Ty.I1
        case Named(_):
            return Ty.PTR
        case _:
            raise TypeError(f"not a scalar: {t}")


def leaves(t: Type) -> tuple[Ty, ...]:
    """The machine values that a Core value is made of, in the order of the calling convention.

    >>> [x.value for x in leaves(Array(Real(64), 2))]
    ['ptr', 'i64', 'i64', 'i64', 'i64']
    """
    match t:
        case Real() | Int() | Bool() | Named():
            return (machine(t),)
        case Array(elem, rank):
            return (Ty.PTR,) * len(leaves(elem)) + (Ty.I64,) * (2 * rank)
        case Handle(rank):
            return (Ty.I64,) * (1 + 2 * rank)
        case Sum(variants):
            return (Ty.I64, *(x for v in variants for f in v.fields for x in leaves(f)))
        case Tuple():
            raise TypeError(f"not flat: {t}")


def has_temporaries(t: Type) -> bool:
    """Whether registers of such a value point to arrays (nodes are in the residual arena)."""
    match t:
        case Array():
            return True
        case Sum(variants):
            return any(has_temporaries(f) for v in variants for f in v.fields)
        case _:
            return False


def has_pointers(t: Type) -> bool:
    """Whether a value of this type has pointers of any kind."""
    return Ty.PTR in leaves(t)


def mentions_handle(t: Type, decls: dict[str, Decl], seen: frozenset[str] = frozenset()) -> bool:
    """Whether an accumulator can be reached from a value of this type."""
    match t:
        case Handle():
            return True
        case Array(elem, _):
            return mentions_handle(elem, decls, seen)
        case Sum() | Named():
            if isinstance(t, Named):
                if t.name in seen:
                    return False
                seen = seen | {t.name}
            return any(
                mentions_handle(f, decls, seen) for v in variants_of(t, decls) for f in v.fields
            )
        case _:
            return False


def lanes_of(v: Value) -> int:
    """1 or 8."""
    return v.lanes if isinstance(v, Reg) else 1


class NotInLanes(Exception):
    """This code cannot run in lanes: the loop around it stays scalar. The argument is the reason,
    as a sentence about the loop."""

