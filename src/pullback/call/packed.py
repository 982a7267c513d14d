"""Data in and out by compiled conversions, and data that is converted once (``pb.pack``).

For every kind of argument there is a layout (``block_layout``) and with it compiled code that
checks and converts a value, and makes its gradient (``code.conversion``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from pullback.call.block_layout import Layout, reached
from pullback.call.code.conversion import Conversion
from pullback.call.leaving import public
from pullback.call.located import located
from pullback.call.normalise import as_compiled, not_taken, usual
from pullback.call.request import Plan, What
from pullback.call.shapes import shape_of
from pullback.call.shapes.instance import Instance
from pullback.call.space import Space
from pullback.call.translated import Translated, Trimmed
from pullback.call.trees import Fast, Guards, Hidden, Writer, defined
from pullback.core.frozen import dataclass
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.python.pytypes import type_of, types_of
from pullback.native import Leaf, PyInt, Words


def conversion_of(
    kind: Kind, space: Space, still: bool = False, handled: tuple[bool, ...] = (),
    one_home: bool = False,
) -> Conversion:  # fmt: skip
    """The conversions of a kind in a space (for the rest see ``block_layout.Layout``)."""
    return _conversion_of(kind, space, still, handled, one_home or space is not Space.PLAIN)


@lru_cache(maxsize=512)
def _conversion_of(
    kind: Kind, space: Space, still: bool, handled: tuple[bool, ...], one_home: bool
) -> Conversion:
    layout = Layout(shape_of(kind), reached(kind), space, still, handled, one_home)
    if not layout.plain:
        return Translated(layout)
    changes = any(isinstance(shape, Instance) for shape in layout.shapes())
    return Trimmed(layout) if changes else Conversion(layout)


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
    """The block of a value; None if the value is not of the layout."""
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

    def __init__(self, block: Block) -> None:
        self._blocks = {(block.conversion.space, block.first): block}
        self._cotangents: tuple[object, tuple[object, ...]] | None = None
        self._value: list[object] = []

    @staticmethod
    def gradient(block: Block, cells: object, cotangents: tuple[object, ...]) -> Packed:
        """The gradient by the value in a block."""
        out = Packed(block)
        out._cotangents = cells, cotangents
        return out

    def make(self) -> object:
        """The data as new objects."""
        block = next(iter(self._blocks.values()))
        if self._cotangents is None:
            return block.conversion.value(block.capsule, None, ())
        return block.conversion.gradient(block.capsule, *self._cotangents)

    @property
    def value(self) -> object:
        """The data as objects, which are made once, for the driver to look at their types."""
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


@public
def pack(data: Any) -> Any:
    """Return an object that stands for ``data``, converted for compiled code once and for all.

    It is passed in place of the data to ``pb.jit``, ``pb.grad`` and ``pb.value_and_grad``, as often
    as is wanted, so that calls do not convert lists and objects again. The gradient by a packed
    argument is packed, too. It is a copy: changes of the data afterwards do not reach it.

    Args:
        data: numbers, arrays, lists, records, trees: anything that can be an argument.

    Returns:
        The packed object.

    Raises:
        TypeError: ``data`` cannot be an argument.

    Example:
        >>> import pullback as pb
        >>> pb.unpack(pb.pack([1.0, 2.0]))
        [1.0, 2.0]
    """
    if isinstance(data, Packed):
        return data
    (kind,) = types_of((data,))
    conversion = conversion_of(kind, Space.FORWARD)
    block = encode(conversion, data, 0, True)
    if block is None:  # it may be unusual, or no argument
        shape = shape_of(kind)
        with located((shape,), (data,)):
            data = usual(shape, data, varies=True)
        block = encode(conversion, data, 0, True)
    if block is None:
        raise not_taken((data,))
    return Packed(block)


@public
def unpack(packed: Any) -> Any:
    """Return the data in a packed object.

    Args:
        packed: what ``pb.pack`` returned, or the gradient by such an argument.

    Returns:
        New objects of the user's own classes, made without ``__init__`` and ``__post_init__``. What
        was shared in the data is shared in them.

    Raises:
        TypeError: the argument is not packed.

    Example:
        >>> import pullback as pb
        >>> pb.unpack(pb.pack((1.0, None)))
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
    return tuple(map(objects, args))


def objects(value: object) -> object:
    """A value, as objects if it is packed."""
    return value.value if isinstance(value, Packed) else value


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
        """What an entry point is called with (``Boundary.parameters``)."""
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
            given = tuple(by_leaf[k] for k in plan.leaves[i] if k in by_leaf)
            if self.packed[i]:
                out.append(Packed.gradient(block, cells, given))
            else:
                out.append(block.conversion.gradient(block.capsule, cells, given))
        return tuple(out)


class Boundary:
    """The conversions of the arguments and hidden arguments of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        still = plan.space is Space.DUAL
        self.conversions = [
            conversion_of(kind, plan.space, still and k >= plan.arguments, one_home=plan.one_home)
            for k, kind in enumerate(plan.kinds)
        ]

    def parameters(self) -> tuple[Leaf, ...]:
        """What an entry point takes for converted values: the address of the words of each, how
        many cells they have, and in forward mode the address of the tangent of each."""
        given: list[Leaf] = [Words(c.words) for c in self.conversions]
        if self.plan.cells:
            given.append(PyInt())
        if self.plan.request.what is What.TANGENT:
            given += [Words(c.tangent_words) for c in self.conversions]
        return tuple(given)

    def blocks(
        self, values: Sequence[object], tangents: Sequence[object] = (), copy: bool = False,
        before: Blocks | None = None,
    ) -> Blocks | None:  # fmt: skip
        """Convert the arguments, or after the blocks ``before`` the hidden arguments; None if one
        does not fit. ``copy``: the blocks outlive the call."""
        done = Blocks([], [])
        if before is not None:
            done = Blocks([*before.blocks], [*before.packed])
        first, n = len(done.blocks), self.plan.arguments
        some = self.conversions[first : n if before is None else None]
        given = (*tangents, *(None,) * (len(values) - len(tangents)))
        for conversion, value, tangent in zip(some, values, given, strict=True):
            cells, packed = done.cells, isinstance(value, Packed)
            if isinstance(value, Packed) and tangent is None:
                block = value.block(conversion, cells)
            else:
                data, moved = objects(value), objects(tangent)
                block = encode(conversion, data, cells, copy, moved)
                if block is None:
                    again = as_compiled(conversion.layout.root, data)
                    if again is not data:
                        block = encode(conversion, again, cells, copy, moved)
            if block is None:
                return None
            done.blocks.append(block)
            done.packed.append(packed)
        return done

    def _hidden(self, values: Sequence[object], before: Blocks, copy: bool) -> Blocks | None:
        """Convert the hidden arguments too, unusual ones after they are built again."""
        done = self.blocks(values, (), copy, before)
        if done is None:
            kinds = self.plan.kinds[self.plan.arguments :]
            shapes = self.plan.shapes[self.plan.arguments :]
            if any(type_of(v) != k for k, v in zip(kinds, values, strict=True)):
                return None
            again = [usual(s, v, self.plan.one_home) for s, v in zip(shapes, values, strict=False)]
            done = self.blocks(again, (), True, before)  # nobody holds these
        return done

    def call(
        self, hidden: Hidden, guards: Guards, run: Callable[[Blocks], object], copy: bool = False
    ) -> Fast:
        """The call fast(f, *args), in forward mode fast(f, *args, *tangents), of any function with
        the code that was compiled: it converts the arguments and calls ``run``."""
        w = Writer.around(hidden, guards)
        count, names = self.plan.arguments, "at" if self.plan.request.what is What.TANGENT else "a"
        if any(path[:1] and path[0][0] == "arg" for path in (*(g.path for g in guards),
                                                             *(p for p, _ in hidden))):
            names = "p" + names[1:]
            w.first = [f"a{k} = objects(p{k})" for k in range(count)]
        values, *tangents = (
            f"({''.join(f'{name}{k}, ' for k in range(count))})" for name in names
        )
        given = "".join(f"h{k}, " for k in range(len(hidden)))
        body = [
            f"b = blocks({', '.join([values, *(tangents or ['()'])])}, {copy})",
            *([f"if b is not None: b = hidden(({given}), b, {copy})"] if hidden else []),
            "return NotImplemented if b is None else run(b)",
        ]
        params = [f"{name}{k}" for name in names for k in range(count)]
        mentioned = {"objects": objects, "blocks": self.blocks, "hidden": self._hidden, "run": run}
        return defined(w.text_for_any(params, count, body), {**w.objects, **mentioned})()


def raw_results(plan: Plan) -> Conversion | None:
    """The conversion of what an entry keeps raw of its results; None: it boxes all of them."""
    kind, shape = plan.result, plan.result_shape
    if plan.request.what in (What.GRADIENT, What.VALUE_AND_GRADIENT):
        if not plan.request.has_aux:
            return None
        kind, shape = plan.aux, plan.aux_shape
    if shape.result_form() is not None:
        return None
    return conversion_of(kind, plan.space)


__all__ = ["Block", "Blocks", "Boundary", "Packed", "conversion_of", "pack",
           "plain", "raw_results", "unpack"]  # fmt: skip
