"""What Python data looks like, for compiled conversions (``encode``, ``decode``).

A *shape* says what an object is and how its parts are reached; its *leaves* are the Core types that
carry it, and a leaf's machine values are words of memory (``lower.values.leaves``). In the forward
space (``ad.spaces``) an array of reals is followed by its accumulator, in the dual space every real
and every array of reals by its tangent; an argument's or a result's own tangents come after all of
its leaves. Dual numbers have ids for tangents; beside an argument's own leaves is at most the first
id of each array of reals that is in an array: those of all its elements are consecutive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import assert_never

from pullback.core.types import BOOL, F32, F64, I32, I64, Array, Handle, Named, Real, Type
from pullback.lower.loopcode import Ty
from pullback.lower.values import leaves as machine_types
from pullback.native.classes import Access

CORE: dict[Ty, Type] = {Ty.F64: F64, Ty.F32: F32, Ty.I64: I64, Ty.I32: I32, Ty.I1: BOOL}


@dataclass(frozen=True, slots=True)
class Number:
    """A number of exactly one class: Python's (``py``) or NumPy's."""

    ty: Ty
    py: bool


@dataclass(frozen=True, slots=True)
class Strided:
    """An ndarray of rank >= 1."""

    ty: Ty
    rank: int


@dataclass(frozen=True, slots=True)
class Many:
    """A list or tuple of any length; in a result a list, or a tuple where that is declared."""

    item: Shape
    is_tuple: bool = False


@dataclass(frozen=True, slots=True)
class Fixed:
    """A tuple or list of known length."""

    items: tuple[Shape, ...]
    is_list: bool


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of exactly one class, field by field."""

    cls: type
    access: tuple[Access, ...]
    items: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """This very object; in a gradient ``None``."""

    key: tuple[object, ...]
    value: object = field(compare=False)


@dataclass(frozen=True, slots=True)
class Boxed:
    """A node of a union (its position in the layout)."""

    union: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A member of an enumeration, or a string (``members`` is None, and there are the tables of
    numbers by string and of strings by number); its number. In a gradient ``None``."""

    key: type
    members: tuple[object, ...] | None = field(compare=False)
    numbers: dict[str, int] = field(compare=False)
    strings: dict[int, str] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Maybe:
    """None, or a value without nodes. Where it is None its numbers are zeros, its arrays empty."""

    item: Shape


Shape = Number | Strided | Many | Fixed | Instance | Constant | Boxed | Symbol | Maybe


@dataclass(frozen=True, slots=True)
class Alternative:
    """One class of a union; ``shape`` is None for ``None``."""

    tag: int
    shape: Instance | None


class Space(Enum):
    """What stands beside the leaves."""

    PLAIN = ""
    FORWARD = "fwd"
    DUAL = "jvp"
    IDS = "ids"


@dataclass(frozen=True, slots=True)
class Layout:
    """The shape of a value, the unions that it reaches, and its space. ``still``: an argument in
    dual space that is not differentiated (its numbers and arrays have no tangents); ``handled``:
    of a result, which of its own leaves come with their accumulators or ids."""

    root: Shape
    unions: tuple[tuple[Alternative, ...], ...]
    space: Space
    still: bool = False
    handled: tuple[bool, ...] = ()
    one_home: bool = False


def leaf_types(shape: Shape) -> Iterator[Type]:
    """The Core types of the leaves."""
    match shape:
        case Number(ty):
            yield CORE[ty]
        case Strided(ty, rank):
            yield Array(CORE[ty], rank)
        case Many(item):
            yield I64
            for t in leaf_types(item):
                yield Array(t, 1)
        case Fixed(items) | Instance(items=items):
            for item in items:
                yield from leaf_types(item)
        case Constant():
            return
        case Boxed(union):
            yield Named(str(union))
        case Symbol():
            yield I64
        case Maybe(item):
            yield BOOL
            yield from leaf_types(item)
        case _:
            assert_never(shape)


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


def beside(layout: Layout, t: Type) -> Type | None:
    """The type of what stands beside a leaf inside data: its accumulator, tangent or id."""
    match layout.space:
        case Space.PLAIN:
            return None
        case Space.FORWARD:
            return accumulator(t)
        case Space.DUAL:
            return t if isinstance(t, Real) or accumulator(t) is not None else None
        case Space.IDS:
            return ids(t)


def root_beside(layout: Layout, t: Type) -> Type | None:
    """That of an argument's own leaf: a plain array of reals has its cotangent by value."""
    nested = isinstance(t, Array) and isinstance(t.elem, Array)
    own = nested or (layout.space is Space.DUAL and not layout.still)
    return beside_in(layout, t, False) if own else None


def beside_in(layout: Layout, t: Type, in_node: bool) -> Type | None:
    """That of a leaf inside a list, which may be in a node."""
    by_first = layout.space is Space.IDS and not in_node
    return first_ids(t) if by_first else beside(layout, t)


def words(t: Type | None) -> tuple[Ty, ...]:
    """The machine values of a leaf or of its accumulator."""
    return () if t is None else machine_types(t)


def root_words(layout: Layout) -> tuple[Ty, ...]:
    """The machine values of an argument, as an entry takes them (but for ``tangent_words``)."""
    apart = layout.space is Space.DUAL
    return tuple(
        ty
        for t in leaf_types(layout.root)
        for part in (t, None if apart else root_beside(layout, t))
        for ty in words(part)
    )


def tangent_words(layout: Layout) -> tuple[Ty, ...]:
    """The machine values of the tangents of an argument in dual space."""
    if layout.space is not Space.DUAL:
        return ()
    return tuple(ty for t in leaf_types(layout.root) for ty in words(root_beside(layout, t)))


def block_words(layout: Layout) -> int:
    """How many words a block has for an argument and its tangents."""
    return len(root_words(layout)) + len(tangent_words(layout))


Span = tuple[int, int]
"""The first word, and how many."""


def root_places(layout: Layout) -> Iterator[tuple[Type, Span, Span]]:
    """Every leaf of an argument with the places of its words and of what is beside it."""
    apart = layout.space is Space.DUAL
    at, then = 0, len(root_words(layout))
    for t in leaf_types(layout.root):
        n, m = len(words(t)), len(words(root_beside(layout, t)))
        yield t, (at, n), (then if apart else at + n, m)
        at += n if apart else n + m
        then += m


def result_places(layout: Layout) -> Iterator[tuple[Type, Span, Span]]:
    """Every leaf of a result with the places of its words and, counted on their own, of those of
    its accumulator, tangent or ids."""
    at, then = 0, 0
    for k, t in enumerate(leaf_types(layout.root)):
        handled = layout.space is Space.DUAL or (layout.handled and layout.handled[k])
        n, m = len(words(t)), len(words(beside(layout, t))) if handled else 0
        yield t, (at, n), (then, m)
        at += n
        then += m


def node_words(layout: Layout, shape: Instance) -> int:
    """How many slots the fields of a node take."""
    count = 0
    for t in leaf_types(shape):
        count += len(words(t)) + len(words(beside(layout, t)))
    return count + (3 if layout.space is Space.FORWARD and reals(shape) else 0)


def reals(shape: Shape) -> int:
    """How many of the leaves are real numbers."""
    return sum(isinstance(t, Real) for t in leaf_types(shape))


def parts_of(shape: Shape) -> tuple[Shape, ...]:
    """The shapes directly inside."""
    match shape:
        case Many(item) | Maybe(item):
            return (item,)
        case Fixed(items) | Instance(items=items):
            return items
        case _:
            return ()


def anywhere(layout: Layout) -> Iterator[Shape]:
    """Every shape inside the alternatives of the unions."""
    todo: list[Shape] = [a.shape for u in layout.unions for a in u if a.shape is not None]
    todo = [part for shape in todo for part in parts_of(shape)]
    while todo:
        shape = todo.pop()
        yield shape
        todo += parts_of(shape)
