"""Data in and out by compiled conversions, and data that is converted once (``pb.pack``).

For every kind of argument there is a layout (``block_layout``) and with it compiled code that
checks and converts a value, and makes its gradient (``code.conversion``). Kinds with classes that
are not plain have none; they go by leaves (``by_leaves``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from pullback.call.block_layout import Layout, convertible, reached
from pullback.call.code.conversion import Conversion
from pullback.call.located import located
from pullback.call.normalise import not_taken, usual
from pullback.call.pytrees import Mapper
from pullback.call.request import Plan, What
from pullback.call.shapes import Shape, shape_of
from pullback.call.space import Space
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.python.pytypes import types_of


def conversion_of(
    kind: Kind, space: Space, still: bool = False, handled: tuple[bool, ...] = (),
    one_home: bool = False,
) -> Conversion | None:  # fmt: skip
    """The compiled conversions of a kind in a space (for the rest see ``block_layout.Layout``);
    None: there are none."""
    return _conversion_of(kind, space, still, handled, one_home or space is not Space.PLAIN)


@lru_cache(maxsize=512)
def _conversion_of(
    kind: Kind, space: Space, still: bool, handled: tuple[bool, ...], one_home: bool
) -> Conversion | None:
    root, unions = shape_of(kind), reached(kind)
    if not convertible(root, unions):
        return None
    return Conversion(Layout(root, unions, space, still, handled, one_home))


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
        shape = shape_of(kind)
        with located((shape,), (data,)):
            data = usual(shape, data, varies=True)
        if conversion is not None:
            block = encode(conversion, data, 0, True)
        else:
            data = Mapper(_copied).value(shape, data)
    return Packed(block, data)


def _copied(shape: Shape, leaf: object) -> object:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


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
        for conversion, value, tangent in zip(
            self.conversions[start:end], values, given, strict=False
        ):
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

    def everything(
        self, values: Sequence[object], tangents: Sequence[object] = (), copy: bool = True
    ) -> Blocks:
        """Usual arguments and hidden arguments. ``copy``: the blocks outlive the call."""
        done = self.blocks(values[: self.arguments], copy=copy, tangents=tangents)
        done = done and self.blocks(values[self.arguments :], done, copy)
        if done is None:
            raise not_taken(values)
        return done


def boundary_of(plan: Plan) -> Boundary | None:
    """The compiled way in for a plan; None where a kind has none."""
    space = plan.space
    conversions: list[Conversion] = []
    for k, kind in enumerate(plan.kinds):
        still = space is Space.DUAL and k >= plan.arguments
        found = conversion_of(kind, space, still, one_home=plan.one_home)
        if found is None:
            return None
        conversions.append(found)
    return Boundary(conversions, plan.arguments)


def raw_results(plan: Plan) -> Conversion | None:
    """The conversion of what an entry keeps raw of its results; None: it gives leaves."""
    kind, shape = plan.result, plan.result_shape
    if plan.request.what in (What.GRADIENT, What.VALUE_AND_GRADIENT):
        if not plan.request.has_aux:
            return None
        kind, shape = plan.aux, plan.aux_shape
    if shape.result_form() is not None:
        return None
    return conversion_of(kind, plan.space)


__all__ = ["Block", "Blocks", "Boundary", "Packed", "boundary_of", "conversion_of", "pack",
           "plain", "raw_results", "unpack"]  # fmt: skip
