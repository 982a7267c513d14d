"""Data in and out by compiled conversions, and data that is converted once (``pb.pack``).

For every kind of argument there is a layout (``native.shapes``) and with it compiled code that
checks and converts a value, and makes its gradient (``native.boundary``). Kinds with classes that
are not plain have none; they go the general way (``marshal``), as values that turn out unusual do.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pullback.core.types import Bool, Int, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds import (
    ArrayK,
    Kind,
    ListK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    UnionK,
)
from pullback.frontend.pytypes import type_of
from pullback.frontend.records import Union
from pullback.lower.values import machine
from pullback.native.boundary import Conversion
from pullback.native.classes import access_of
from pullback.native.shapes import (
    Alternative,
    Boxed,
    Constant,
    Fixed,
    Instance,
    Layout,
    Many,
    Number,
    Shape,
    Strided,
)
from pullback.plans import Plan

MOST_UNIONS = 15  # the table of objects tells them apart by the low bits of addresses


class NoLayout(Exception):
    """Values of this kind go the general way."""


class _Layouts:
    """Makes the shapes of one layout."""

    def __init__(self) -> None:
        self.unions: list[Union] = []

    def shape(self, kind: Kind, inside: bool = False) -> Shape:
        """The shape of values of a kind; ``inside``: of a list or a node."""
        match kind:
            case ScalarK(t, py):
                if (inside and t == Real(32)) or (py and t not in (Real(64), Int(64), Bool())):
                    raise NoLayout
                return Number(machine(t), py)
            case ArrayK(elem, rank):
                if inside and elem == Real(32):
                    raise NoLayout
                return Strided(machine(elem), rank)
            case ListK(elem):
                return Many(self.shape(elem, True))
            case TupleK(items, is_list):
                return Fixed(tuple(self.shape(k, inside) for k in items), is_list)
            case RecordK():
                return self.instance(kind, inside)
            case StaticK(key, value):
                return Constant(key, value)
            case UnionK(union):
                if union not in self.unions:
                    self.unions.append(union)
                return Boxed(self.unions.index(union))
            case _:
                raise NoLayout

    def instance(self, kind: RecordK, inside: bool) -> Instance:
        """The shape of a record."""
        access = access_of(kind.cls, tuple(name for name, _ in kind.fields))
        if access is None:
            raise NoLayout
        return Instance(kind.cls, access, tuple(self.shape(k, inside) for _, k in kind.fields))

    def alternative(self, union: Union, cls: type) -> Alternative:
        """One class of a union."""
        kind = union.variant_kind(cls)
        if cls is types.NoneType:
            return Alternative(union.tag(cls), None)
        assert isinstance(kind, RecordK)
        return Alternative(union.tag(cls), self.instance(kind, True))


@lru_cache(maxsize=512)
def conversion_of(kind: Kind, forward: bool) -> Conversion | None:
    """The compiled conversions of a kind, in the forward space of gradients if ``forward``."""
    made = _Layouts()
    unions: list[tuple[Alternative, ...]] = []
    try:
        root = made.shape(kind)
        while len(unions) < len(made.unions):  # it grows meanwhile
            union = made.unions[len(unions)]
            unions.append(tuple(made.alternative(union, cls) for cls in union.classes))
    except NoLayout:
        return None
    if len(unions) > MOST_UNIONS:
        return None
    return Conversion(Layout(root, tuple(unions), forward))


@dataclass(frozen=True, slots=True)
class Block:
    """A converted value. Its cells are those from ``first`` up to ``end``."""

    conversion: Conversion
    capsule: object
    address: int
    first: int
    end: int


def encode(conversion: Conversion, value: object, first: int, copy: bool) -> Block | None:
    """The block of a value; None if it is not what the conversion is made for."""
    found = conversion.encode(value, first, copy)
    if found is NotImplemented:
        return None
    assert isinstance(found, tuple)
    return Block(conversion, found[0], found[1], first, found[2])


# --- packed data ---------------------------------------------------------------------------------


class Packed:
    """Data that is converted for compiled code: what ``pb.pack`` returns, and the gradient by an
    argument that is packed. ``pb.unpack`` gives the data again."""

    __slots__ = ("_blocks", "_cotangents", "_kind", "_value")

    def __init__(self, kind: Kind | None, block: Block | None, value: object = None) -> None:
        self._kind = kind
        self._blocks: dict[tuple[bool, int], Block] = {}
        self._cotangents: tuple[object, tuple[object, ...]] | None = None
        self._value: list[object] = []
        if block is None:
            self._value.append(value)
        else:
            self._blocks[block.conversion.layout.forward, block.first] = block

    @staticmethod
    def gradient(block: Block, cells: object, cotangents: tuple[object, ...]) -> Packed:
        """The gradient by the value in a block."""
        out = Packed(None, block)
        out._cotangents = cells, cotangents
        return out

    def make(self) -> object:
        """The data as new objects."""
        if not self._blocks:
            return self._value[0]
        block = next(iter(self._blocks.values()))
        if self._cotangents is None:
            return block.conversion.value(block.capsule, None, ())
        return block.conversion.gradient(block.capsule, *self._cotangents)

    @property
    def value(self) -> object:
        """The data as objects, made once: for whoever looks at their types."""
        if not self._value:
            self._value.append(self.make())
        return self._value[0]

    def block(self, conversion: Conversion, first: int) -> Block | None:
        """The data in a block for one conversion, whose cells begin at ``first``."""
        known = (conversion.layout.forward, first)
        if self._cotangents is None and known in self._blocks:
            found = self._blocks[known]
            return found if found.conversion is conversion else None
        made = encode(conversion, self.value, first, True)
        if made is not None and self._cotangents is None:
            self._blocks[known] = made
        return made

    def __repr__(self) -> str:
        what = "gradient" if self._cotangents is not None else "data"
        return f"<packed {what}>"


def pack(data: Any) -> Any:
    """``data`` (numbers, arrays, lists, records, trees), converted for compiled code once and for
    all: an object that stands for it wherever an argument is passed to ``pb.jit``, ``pb.grad`` and
    ``pb.value_and_grad``, as often as is wanted. It is a copy: changes of the data afterwards do
    not reach it. The gradient by a packed argument is packed too.

    Raises ``TypeError`` for what cannot be an argument.

    >>> unpack(pack([1.0, 2.0]))
    [1.0, 2.0]
    """
    if isinstance(data, Packed):
        return data
    kind = type_of(data)
    conversion = conversion_of(kind, True)
    block = None if conversion is None else encode(conversion, data, 0, True)
    return Packed(kind, block, data)


def unpack(packed: Any) -> Any:
    """The data in a packed object, as new objects of the user's own classes, made without
    ``__init__`` and ``__post_init__``; what was shared is shared. Raises ``TypeError`` for anything
    that is not packed.

    >>> unpack(pack((1.0, None)))
    (1.0, None)
    """
    if not isinstance(packed, Packed):
        raise ArgumentTypeError(
            f"pb.unpack takes what pb.pack gave, not a {type(packed).__name__}",
            "data that is not packed needs no pb.unpack",
        )
    return packed.make()


def plain(args: Sequence[object]) -> tuple[object, ...]:
    """The arguments, those that are packed as objects."""
    return tuple(a.value if isinstance(a, Packed) else a for a in args)


# --- calls ----------------------------------------------------------------------------------------


class Blocks:
    """The converted arguments of one call."""

    __slots__ = ("blocks", "packed")

    def __init__(self, blocks: list[Block], packed: list[bool]) -> None:
        self.blocks = blocks
        self.packed = packed

    def arguments(self, plan: Plan) -> list[int]:
        """What the entry is called with."""
        args = [b.address for b in self.blocks]
        if plan.cells:
            args.append(self.blocks[-1].end if self.blocks else 0)
        return args

    def gradients(
        self, plan: Plan, cotangents: Sequence[object], cells: object
    ) -> tuple[object, ...]:
        """The gradient of every differentiated argument: packed, where the argument is."""
        by_leaf = dict(zip(plan.wrt, cotangents, strict=True))
        out: list[object] = []
        for i in plan.differentiated:
            block = self.blocks[i]
            given = tuple(by_leaf[k] for k in plan.leaves_of(i) if k in by_leaf)
            if self.packed[i]:
                out.append(Packed.gradient(block, cells, given))
            else:
                out.append(block.conversion.gradient(block.capsule, cells, given))
        return tuple(out)


class Boundary:
    """The conversions of the arguments and hidden arguments of a plan."""

    def __init__(self, conversions: Sequence[Conversion], arguments: int) -> None:
        self.conversions = conversions
        self.arguments = arguments

    def blocks(
        self, values: Sequence[object], before: Blocks | None = None, copy: bool = False
    ) -> Blocks | None:
        """The arguments converted (or after these, the hidden ones); None if one does not fit."""
        done = Blocks([], []) if before is None else before
        start = 0 if before is None else self.arguments
        end = self.arguments if before is None else len(self.conversions)
        if len(values) != end - start:
            return None
        cells = done.blocks[-1].end if done.blocks else 0
        for conversion, value in zip(self.conversions[start:end], values):
            packed = isinstance(value, Packed)
            if isinstance(value, Packed):
                block = value.block(conversion, cells)
            else:
                block = encode(conversion, value, cells, copy)
            if block is None:
                return None
            cells = block.end
            done.blocks.append(block)
            done.packed.append(packed)
        return done

    def everything(self, values: Sequence[object]) -> Blocks | None:
        """Arguments and hidden arguments, copied: the blocks outlive the call."""
        done = self.blocks(values[: self.arguments], copy=True)
        return done and self.blocks(values[self.arguments :], done, copy=True)


def boundary_of(plan: Plan, forward: bool) -> Boundary | None:
    """The compiled way in for a plan; None where a kind has none."""
    found = [conversion_of(k, forward) for k in plan.kinds]
    conversions = [c for c in found if c is not None]
    return Boundary(conversions, plan.arguments) if len(conversions) == len(found) else None


__all__ = ["Block", "Blocks", "Boundary", "Packed", "boundary_of", "conversion_of", "pack",
           "plain", "unpack"]  # fmt: skip
