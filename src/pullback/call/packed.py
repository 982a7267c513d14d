"""Data in and out by compiled conversions, and data that is converted once (``pb.pack``).

For every kind of argument there is a layout (``native.shapes``) and with it compiled code that
checks and converts a value, and makes its gradient (``native.boundary``). Kinds with classes that
are not plain have none; they go the general way (``marshal``), as values that turn out unusual do.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pullback.call.fast_calls import result_form
from pullback.call.located import located
from pullback.call.marshal import Flattener, has_union
from pullback.call.request import Plan, What
from pullback.core.types import Bool, Int, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    StaticK,
    SymbolK,
    TupleK,
    UnionK,
)
from pullback.frontend.python import symbols
from pullback.frontend.python.pytypes import types_of
from pullback.frontend.python.records import Union, annotations_of, inside, is_tuple_of_any_length
from pullback.lower.values import machine
from pullback.native.boundary import Conversion
from pullback.native.choices import MOST_MEMBERS
from pullback.native.classes import access_of
from pullback.native.shapes import (
    Alternative,
    Boxed,
    Constant,
    Fixed,
    Instance,
    Layout,
    Many,
    Maybe,
    Number,
    Shape,
    Space,
    Strided,
    Symbol,
)

MOST_UNIONS = 15  # the table of objects tells them apart by the low bits of addresses


class NoLayout(Exception):
    """Values of this kind go the general way."""


def symbol_shape(cls: type) -> Symbol:
    """The shape of strings, or of the members of an enumeration."""
    if cls is str:
        return Symbol(cls, None, symbols.NUMBERS, symbols.STRINGS)
    found = symbols.members(cls)
    if len(found) > MOST_MEMBERS:
        raise NoLayout
    return Symbol(cls, found, {}, {})


class _Layouts:
    """Makes the shapes of one layout."""

    def __init__(self) -> None:
        self.unions: list[Union] = []

    def shape(self, kind: Kind, declared: object = None) -> Shape:
        """The shape of values of a kind; ``declared``: the annotation, which tells tuples from
        lists."""
        match kind:
            case ScalarK(t, py):
                if py and t not in (Real(64), Int(64), Bool()):
                    raise NoLayout
                return Number(machine(t), py)
            case ArrayK(elem, rank):
                return Strided(machine(elem), rank)
            case ListK(elem):
                part = self.shape(elem, inside(declared, 0))
                return Many(part, is_tuple_of_any_length(declared))
            case TupleK(items, is_list):
                parts = (self.shape(k, inside(declared, j)) for j, k in enumerate(items))
                return Fixed(tuple(parts), is_list)
            case RecordK():
                return self.instance(kind)
            case StaticK(key, value):
                return Constant(key, value)
            case SymbolK(cls):
                return symbol_shape(cls)
            case OptionalK(inner):
                if has_union(inner):
                    raise NoLayout
                hints = [a for a in typing.get_args(declared) if a is not types.NoneType]
                return Maybe(self.shape(inner, hints[0] if len(hints) == 1 else None))
            case UnionK(union):
                if union not in self.unions:
                    self.unions.append(union)
                return Boxed(self.unions.index(union))
            case _:
                raise NoLayout

    def instance(self, kind: RecordK) -> Instance:
        """The shape of a record."""
        access = access_of(kind.cls, tuple(name for name, _ in kind.fields))
        if access is None:
            raise NoLayout
        hints = annotations_of(kind.cls)
        parts = tuple(self.shape(k, hints.get(name)) for name, k in kind.fields)
        return Instance(kind.cls, access, parts)

    def alternative(self, union: Union, cls: type) -> Alternative:
        """One class of a union."""
        kind = union.variant_kind(cls)
        if cls is types.NoneType:
            return Alternative(union.tag(cls), None)
        assert isinstance(kind, RecordK)
        return Alternative(union.tag(cls), self.instance(kind))


def conversion_of(
    kind: Kind, space: Space, still: bool = False, handled: tuple[bool, ...] = (),
    one_home: bool = False,
) -> Conversion | None:  # fmt: skip
    """The compiled conversions of a kind in a space (for the rest see ``native.shapes.Layout``)."""
    return _conversion_of(kind, space, still, handled, one_home or space is not Space.PLAIN)


@lru_cache(maxsize=512)
def _conversion_of(
    kind: Kind, space: Space, still: bool, handled: tuple[bool, ...], one_home: bool
) -> Conversion | None:
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
    return Conversion(Layout(root, tuple(unions), space, still, handled, one_home))


@dataclass(frozen=True, slots=True)
class Block:
    """A converted value. Its cells are those from ``first`` up to ``end``."""

    conversion: Conversion
    capsule: object
    address: int
    first: int
    end: int


def encode(
    conversion: Conversion, value: object, first: int, copy: bool, tangent: object = None
) -> Block | None:
    """The block of a value; None if it is not what the conversion is made for."""
    found = conversion.encode(value, first, copy, tangent)
    if found is NotImplemented:
        return None
    assert isinstance(found, tuple)
    return Block(conversion, found[0], found[1], first, found[2])


# --- packed data ---------------------------------------------------------------------------------


class Packed:
    """Data that is converted for compiled code: what ``pb.pack`` returns, and the gradient by an
    argument that is packed. ``pb.unpack`` gives the data again."""

    __slots__ = ("_blocks", "_cotangents", "_value")

    def __init__(self, block: Block | None, value: object = None) -> None:
        self._blocks: dict[tuple[str, int], Block] = {}
        self._cotangents: tuple[object, tuple[object, ...]] | None = None
        self._value: list[object] = []
        if block is None:
            self._value.append(value)
        else:
            self._blocks[block.conversion.space, block.first] = block

    @staticmethod
    def gradient(block: Block, cells: object, cotangents: tuple[object, ...]) -> Packed:
        """The gradient by the value in a block."""
        out = Packed(block)
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
        known = (conversion.space, first)
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
    (kind,) = types_of((data,))
    conversion = conversion_of(kind, Space.FORWARD)
    block = None if conversion is None else encode(conversion, data, 0, True)
    if block is None:  # it may be unusual, or no argument
        with located((kind,), (data,)):
            Flattener().leaves(kind, data, varies=True)
    return Packed(block, data)


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

    @property
    def cells(self) -> int:
        """How many cells the arguments have."""
        return self.blocks[-1].end if self.blocks else 0

    def arguments(self, plan: Plan) -> list[int]:
        """What the entry is called with."""
        args = [b.address for b in self.blocks]
        if plan.cells:
            args.append(self.cells)
        if plan.request.what is What.TANGENT:
            args += [b.address + 8 * len(b.conversion.words) for b in self.blocks]
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
        self, values: Sequence[object], before: Blocks | None = None, copy: bool = False,
        tangents: Sequence[object] = (),
    ) -> Blocks | None:  # fmt: skip
        """The arguments converted (or after these, the hidden ones); None if one does not fit."""
        done = Blocks([], []) if before is None else before
        start = 0 if before is None else self.arguments
        end = self.arguments if before is None else len(self.conversions)
        if len(values) != end - start:
            return None
        cells = done.blocks[-1].end if done.blocks else 0
        given = (*tangents, *(None,) * (len(values) - len(tangents)))
        for conversion, value, tangent in zip(self.conversions[start:end], values, given):
            packed = isinstance(value, Packed)
            if isinstance(value, Packed) and tangent is None:
                block = value.block(conversion, cells)
            else:
                objects = value.value if isinstance(value, Packed) else value
                block = encode(conversion, objects, cells, copy, tangent)
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


def boundary_of(plan: Plan) -> Boundary | None:
    """The compiled way in for a plan; None where a kind has none."""
    space = space_of(plan)
    conversions: list[Conversion] = []
    for k, kind in enumerate(plan.kinds):
        still = space is Space.DUAL and k >= plan.arguments
        found = conversion_of(kind, space, still, one_home=plan.one_home)
        if found is None:
            return None
        conversions.append(found)
    return Boundary(conversions, plan.arguments)


def space_of(plan: Plan) -> Space:
    """The space of the data that an entry takes and gives."""
    return Space(plan.space)


def raw_results(plan: Plan) -> Conversion | None:
    """The conversion of what an entry keeps raw of its results; None: it gives leaves."""
    kind = plan.result
    if plan.request.what in (What.GRADIENT, What.VALUE_AND_GRADIENT):
        if not plan.request.has_aux:
            return None
        kind = plan.aux
    if result_form(kind) is not None:
        return None
    return conversion_of(kind, space_of(plan))


__all__ = ["Block", "Blocks", "Boundary", "Packed", "boundary_of", "conversion_of", "pack",
           "plain", "raw_results", "space_of", "unpack"]  # fmt: skip
