"""A value, or what may be in its place (``None``, a mark, a text, a tuple of another length):
whether it is the value, then its leaves and those of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import NoneType
from typing import get_args

from pullback.call.code.reading import Making, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.given import What
from pullback.call.shape import Leaves, Made, NodeOf, Part, Shape, shape_of
from pullback.call.shapes.constant import Constant
from pullback.call.shapes.fixed import Fixed
from pullback.call.shapes.symbol import Symbol
from pullback.call.space import words
from pullback.core.types import Array, Bool, Int, Named, Real, Type
from pullback.core.values import Node, make_array
from pullback.errors import UnsupportedError
from pullback.frontend.kinds.kinds import OptionalK
from pullback.frontend.python.unions import Union
from pullback.lower.loopcode import Ty
from pullback.native.pyabi import OB_TYPE, TUPLE_SIZE
from pullback.native.text import memory_type

_NOTHING = {Ty.F64: "0.0", Ty.F32: "0.0", Ty.PTR: "%block"}
"""What a word is where there is no value, if not 0: addresses are never null."""


class Optional(Shape, of=OptionalK):
    """A value, or the other. Where it is the other its numbers are zeros, its arrays empty."""

    def __init__(self, kind: OptionalK, declared: object) -> None:
        super().__init__(kind)
        hints = [a for a in get_args(declared) if a is not NoneType]
        self.item = shape_of(kind.inner, hints[0] if len(hints) == 1 else None)
        self.other = shape_of(kind.other)

    def leaf_types(self) -> Iterator[Type]:
        yield Bool()
        yield from self.item.types
        yield from self.other.types

    def parts(self) -> tuple[Shape, ...]:
        return (self.item, self.other)

    def _is_other(self, value: object) -> bool:
        """Whether a value is no value of the item."""
        match self.other:
            case Constant(object=known):
                return value is known
            case Fixed(items=items):
                return type(value) is tuple and len(value) == len(items)
            case other:
                return isinstance(other, Symbol) and type(value) is other.cls

    # --- values and leaves ---

    def inside(self, value: object) -> Sequence[Part]:
        if value is None and self._is_other(None):
            return ()
        return [Part(self.other if self._is_other(value) else self.item, value, None)]

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return parts[0] if parts else None

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        there = not self._is_other(value)
        out.append(there)
        if there:
            self.item.flatten(value, node, out)
            out.extend(map(_nothing, self.other.types))
        else:
            out.extend(map(_nothing, self.item.types))
            self.other.flatten(value, node, out)

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        if next(leaves):
            found = self.item.value(leaves, made, gradient)
            self.other.skip(leaves)
            return found
        self.item.skip(leaves)
        return self.other.value(leaves, made, gradient)

    def nodes_in(self, leaves: Leaves) -> Iterator[tuple[Union, Node]]:
        there = next(leaves)
        found = list(self.item.nodes_in(leaves))
        other = list(self.other.nodes_in(leaves))
        yield from found if there else other

    # --- tangents ---

    def tangents(self, leaves: Leaves, given: object, what: What, out: list[object]) -> None:
        there = next(leaves)
        out.append(None)
        self.item.tangents(leaves, given if there else None, what, out)
        self.other.tangents(leaves, None if there else given, what, out)

    # --- compiled conversions ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        c = w.code
        ((flag,), _), *rest = [next(slots) for _ in self.types]
        count = len(self.item.types)
        there, nothing, done = c.label("there"), c.label("nothing"), c.label("done")
        c.branch(self._same(w, obj), nothing, there)
        c.block(there)
        c.store("i8", "1", flag)
        self.item.encode(w, obj, iter(rest[:count]), where)
        _write_nothing(w, self.other, rest[count:], where)
        c.jump(done)
        c.block(nothing)
        if any(isinstance(t, Named) for t in self.item.types):
            c.jump("fail")  # no node stands for None
            c.block(c.label("never"))
        c.store("i8", "0", flag)
        _write_nothing(w, self.item, rest[:count], where)
        self.other.encode(w, obj, iter(rest[count:]), where)
        c.jump(done)
        c.block(done)

    def _same(self, w: Writing, obj: str) -> str:
        """Whether an object is no value of the item."""
        c = w.code
        if isinstance(self.other, Constant):
            known = self.other.object
            name = "pb_none" if known is None else w.names.symbol(known, self.other.key)
            return c.same(obj, f"@{name}")
        cls = c.load("ptr", obj, OB_TYPE)
        if isinstance(self.other, Symbol):
            own = self.other.cls
            return c.same(cls, f"@{'pb_str' if own is str else w.names.symbol(own)}")
        assert isinstance(self.other, Fixed)
        size = str(len(self.other.items))
        return c.choose(
            c.same(cls, "@pb_tuple_type"),
            lambda: c.same(c.load("i64", obj, TUPLE_SIZE), size, "i64"),
            lambda: "false",
            "i1",
        )

    def decode(self, m: Making, sources: Sources) -> str:
        c = m.code
        flag = c.load("i8", next(sources).words[0])
        inner = [next(sources) for _ in self.item.types]
        other = [next(sources) for _ in self.other.types]
        return c.choose(
            c.let(f"icmp ne i8 {flag}, 0"),
            lambda: self.item.decode(m, iter(inner)),
            lambda: self.other.decode(m, iter(other)),
            "ptr",
        )

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        c = m.code
        flag = c.load("i8", next(sources).words[0])
        inner = [next(sources) for _ in self.item.types]
        other = [next(sources) for _ in self.other.types]
        there = c.let(f"icmp ne i8 {flag}, 0")
        with c.when(there):
            self.item.seed(m, given, iter(inner))
        with c.when(c.let(f"xor i1 {there}, true")):
            self.other.seed(m, given, iter(other))


def _write_nothing(
    w: Writing, shape: Shape, slots: Sequence[tuple[list[str], list[str]]], where: Where
) -> None:
    """Write the words of a value that is not there."""
    for t, (own, more) in zip(shape.types, slots, strict=True):
        near = words(w.space.inside(t, where.in_node)) if more else ()
        for ty, slot in zip((*words(t), *near), (*own, *more), strict=True):
            w.code.store(memory_type(ty), _NOTHING.get(ty, "0"), slot)


def _nothing(t: Type) -> object:
    """A leaf that stands where there is no value."""
    match t:
        case Real():
            return 0.0
        case Int():
            return 0
        case Bool():
            return False
        case Array(elem, rank):
            return make_array(elem, [], (0,) * rank)
        case _:
            raise UnsupportedError("None in place of a node, outside of a union of dataclasses")
