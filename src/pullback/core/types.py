"""The types of Core.

    t ::= Real(bits) | Int(bits) | Bool                    scalars
        | Array(t, rank)                                   dynamic shape, element strides
        | Tuple((t...), names, cls)                        tuples and named records
        | Sum((Variant...))                                unboxed sum
        | Named(name)                                      a declared, possibly recursive sum: boxed
        | Handle(rank)                                     the name of an accumulator (after ad)

Types are small, compared structurally and hashable. There is no unit type: an expression may bind
no variable at all. ``Tuple`` disappears in ``convert`` (see ``terms.Dialect``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pullback.core.frozen import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Real:
    """A floating-point number of 64 or 32 bits."""

    bits: int


@dataclass(frozen=True, slots=True)
class Int:
    """A signed integer of 64 or 32 bits, or (in data only) of 16 or 8. Overflow is the primitive's
    business, not the type's."""

    bits: int


@dataclass(frozen=True, slots=True)
class Bool:
    """A truth value."""


@dataclass(frozen=True, slots=True)
class Array:
    """A rectangular array of rank >= 1 (shape dynamic), or an immutable sequence (rank 1)."""

    elem: Type
    rank: int


@dataclass(frozen=True, slots=True)
class Tuple:
    """A product. A record has field ``names`` and the key ``cls`` of the user's class."""

    items: tuple[Type, ...]
    names: tuple[str, ...] = ()
    cls: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One alternative of a sum: its name and the types of its fields."""

    name: str
    fields: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """An unboxed sum: a tag and the fields of the variant that the tag names."""

    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A reference to the declaration ``name`` of the program; its values are boxed nodes."""

    name: str


@dataclass(frozen=True, slots=True)
class Handle:
    """The name of an accumulator of real cells, with the shape and strides of a view of it."""

    rank: int


Type = Real | Int | Bool | Array | Tuple | Sum | Named | Handle


@dataclass(frozen=True, slots=True)
class Decl:
    """The declaration that ``Named(name)`` refers to. Fields may mention ``Named`` again."""

    name: str
    variants: tuple[Variant, ...]


F64 = Real(64)
F32 = Real(32)
I64 = Int(64)
I32 = Int(32)
BOOL = Bool()


def levels(t: Type, indices: Sequence[T]) -> list[tuple[T, ...]]:
    """Indices into an array, and on into its elements that are arrays, level by level."""
    out: list[tuple[T, ...]] = []
    rest = tuple(indices)
    while isinstance(t, Array) and rest:
        out.append(rest[: t.rank])
        rest, t = rest[t.rank :], t.elem
    return out


def variants_of(t: Type, decls: dict[str, Decl]) -> tuple[Variant, ...]:
    """The alternatives of a ``Sum`` or of the declaration behind a ``Named``."""
    match t:
        case Sum(variants):
            return variants
        case Named(name):
            return decls[name].variants
        case _:
            raise TypeError(f"not a sum type: {t}")


def has_reals(t: Type, decls: dict[str, Decl]) -> bool:
    """Whether there can be a real in a value of this type."""
    seen: set[str] = set()
    todo = [t]
    while todo:
        match todo.pop():
            case Real():
                return True
            case Array(elem, _):
                todo.append(elem)
            case Sum(variants):
                todo.extend(f for v in variants for f in v.fields)
            case Named(name) if name not in seen:
                seen.add(name)
                todo.extend(f for v in decls[name].variants for f in v.fields)
            case Tuple(items):
                todo.extend(items)
            case _:
                pass
    return False
