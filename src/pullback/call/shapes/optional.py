"""``None``, or a value: whether there is one, then its leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import NoneType
from typing import get_args

from pullback.call.code.reading import Making, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.given import What
from pullback.call.shape import Leaves, Made, NodeOf, Part, Shape, shape_of
from pullback.call.space import words
from pullback.core.types import Array, Bool, Int, Named, Real, Type
from pullback.core.values import Node, make_array
from pullback.errors import UnsupportedError
from pullback.frontend.kinds.kinds import OptionalK
from pullback.frontend.python.unions import Union
from pullback.lower.loopcode import Ty
from pullback.native.builder import increment
from pullback.native.text import memory_type

_NOTHING = {Ty.F64: "0.0", Ty.F32: "0.0", Ty.PTR: "%block"}
"""What a word is where there is no value, if not 0: addresses are never null."""


class Optional(Shape, of=OptionalK):
    """None, or a value. Where it is None its numbers are zeros, its arrays empty."""

    def __init__(self, kind: OptionalK, declared: object) -> None:
        super().__init__(kind)
        hints = [a for a in get_args(declared) if a is not NoneType]
        self.item = shape_of(kind.inner, hints[0] if len(hints) == 1 else None)

    def leaf_types(self) -> Iterator[Type]:
        yield Bool()
        yield from self.item.types

    def parts(self) -> tuple[Shape, ...]:
        return (self.item,)

    # --- values and leaves ---

    def inside(self, value: object) -> Sequence[Part]:
        return () if value is None else [Part(self.item, value, None)]

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return parts[0] if parts else None

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        out.append(value is not None)
        if value is None:
            out.extend(map(_nothing, self.item.types))
        else:
            self.item.flatten(value, node, out)

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        if next(leaves):
            return self.item.value(leaves, made, gradient)
        self.item.skip(leaves)
        return None

    def nodes_in(self, leaves: Leaves) -> Iterator[tuple[Union, Node]]:
        there = next(leaves)
        found = list(self.item.nodes_in(leaves))
        if there:
            yield from found

    # --- tangents ---

    def tangents(self, leaves: Leaves, given: object, what: What, out: list[object]) -> None:
        there = next(leaves)
        out.append(None)
        self.item.tangents(leaves, given if there else None, what, out)

    # --- compiled conversions ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        c = w.code
        ((flag,), _), *rest = [next(slots) for _ in self.types]
        there, nothing, done = c.label("there"), c.label("nothing"), c.label("done")
        c.branch(c.same(obj, "@pb_none"), nothing, there)
        c.block(there)
        c.store("i8", "1", flag)
        self.item.encode(w, obj, iter(rest), where)
        c.jump(done)
        c.block(nothing)
        if any(isinstance(t, Named) for t in self.item.types):
            c.jump("fail")  # no node stands for None
            c.block(c.label("never"))
        c.store("i8", "0", flag)
        for t, (own, more) in zip(self.item.types, rest, strict=True):
            near = words(w.space.inside(t, where.in_node)) if more else ()
            for ty, slot in zip((*words(t), *near), (*own, *more), strict=True):
                c.store(memory_type(ty), _NOTHING.get(ty, "0"), slot)
        c.jump(done)
        c.block(done)

    def decode(self, m: Making, sources: Sources) -> str:
        c = m.code
        flag = c.load("i8", next(sources).words[0])
        inner = [next(sources) for _ in self.item.types]
        return c.choose(
            c.let(f"icmp ne i8 {flag}, 0"),
            lambda: self.item.decode(m, iter(inner)),
            lambda: increment(c, "@pb_none"),
            "ptr",
        )

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        c = m.code
        flag = c.load("i8", next(sources).words[0])
        inner = [next(sources) for _ in self.item.types]
        with c.when(c.let(f"icmp ne i8 {flag}, 0")):
            self.item.seed(m, given, iter(inner))


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
