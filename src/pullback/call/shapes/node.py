"""Nodes: values of unions of dataclasses. An object that is shared is one node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from types import NoneType

from pullback.call.code.fields import own_class
from pullback.call.code.reading import Making, Sources
from pullback.call.code.tangent_items import NONE
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.given import Normal, placed
from pullback.call.shape import Leaves, Made, NodeOf, Part, Shape
from pullback.call.shapes.record import Record
from pullback.call.space import of_reals
from pullback.core.types import Array, Named, Real, Type
from pullback.core.values import Node as Leaf
from pullback.errors import ArgumentTypeError, ArgumentValueError, brief, known_as
from pullback.frontend.derivatives.homes import leads_to_reals
from pullback.frontend.kinds.kinds import RecordK, UnionK
from pullback.frontend.python.unions import Union


class Alternative:
    """One alternative of a union: its shape (None: it is ``None``), the types of the leaves of its
    fields, and the positions of the arrays among them that have accumulators and of the numbers."""

    def __init__(self, union: Union, cls: type) -> None:
        self.tag = union.tag(cls)
        kind = union.variant_kind(cls)
        self.shape: Record | None = None
        if isinstance(kind, RecordK):
            self.shape = Record(kind, None)
        self.types: tuple[Type, ...] = () if self.shape is None else self.shape.types
        self.arrays = {
            k: t for k, t in enumerate(self.types) if isinstance(t, Array) and of_reals(t)
        }
        self.reals = [k for k, t in enumerate(self.types) if isinstance(t, Real)]
        self.holds_nodes = self.shape is not None and self.shape.holds_nodes
        self.bears = leads_to_reals(kind)


alternative = cache(Alternative)


def alternative_of(union: Union, value: object) -> Alternative:
    """The alternative that a value of a union is; a TypeError if it is none."""
    cls = own_class(type(value))
    if cls not in union.classes:
        raise ArgumentTypeError(
            f"{known_as(cls, union.classes)} where a {' or '.join(union.class_names())} is declared"
        )
    return alternative(union, cls)


def _other(given: object, value: object) -> str:
    """What a message calls a tangent of another class than its value."""
    if type(given).__name__ == type(value).__name__:
        return known_as(type(given), [type(value)])
    return brief(given)


def inside_node(union: Union, value: object) -> Iterator[tuple[Union, object]]:
    """The nodes that a node reaches without going through another one."""
    known = alternative_of(union, value)
    if known.shape is not None:
        yield from known.shape.nodes(value)


class Node(Shape, of=UnionK):
    """A node of a union."""

    grows = False
    holds_nodes = True

    def __init__(self, kind: UnionK, declared: object) -> None:
        super().__init__(kind)
        self.union = kind.union

    def leaf_types(self) -> Iterator[Type]:
        yield Named(self.union.name)

    # --- values and leaves ---

    def inside(self, value: object) -> Sequence[Part]:
        known = alternative_of(self.union, value)
        return () if known.shape is None else [Part(known.shape, value, None)]

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return parts[0] if parts else None

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        out.append(node(self.union, value))

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        return made[id(next(leaves))]

    def nodes(self, value: object) -> Iterator[tuple[Union, object]]:
        yield self.union, value

    def nodes_in(self, leaves: Leaves) -> Iterator[tuple[Union, Leaf]]:
        leaf = next(leaves)
        assert isinstance(leaf, Leaf)
        yield self.union, leaf

    # --- tangents: those of the leaves are inside the node ---

    def node_tangents(
        self, value: object, tangent: object
    ) -> Iterator[tuple[Union, object, object]]:
        if tangent is not None and type(tangent) is not type(value):
            other = _other(tangent, value)
            raise ArgumentTypeError(
                f"the tangent of a {type(value).__name__} has its form, not {other}"
            )
        yield self.union, value, tangent

    def normal(self, value: object, given: object, made: Normal, where: str) -> object:
        if given is None:
            return None
        with placed(where):
            if type(given) is not type(value):
                raise ArgumentTypeError(
                    f"the {made.what} of a {type(value).__name__} has its form, not "
                    f"{_other(given, value)}"
                )
            known = made.nodes.get(id(value))
            if known is not None and known[0] is not given:
                raise ArgumentValueError(f"one object has two different {made.what}s")
        if known is None:
            shape = alternative_of(self.union, value).shape
            assert shape is not None
            if issubclass(shape.cls, tuple):  # it cannot be made first and filled later
                node = shape.normal(value, given, made, where)
            else:
                node = object.__new__(shape.cls)
                made.todo.append(lambda: shape.fill_normal(node, value, given, made, where))
            known = made.nodes[id(value)] = given, node
        return known[1]

    # --- compiled conversions ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        (slot,), _ = next(slots)
        union = w.unions.index(self.union)
        node = w.code.call("ptr", f"pb.find.{union}", "ptr %block", f"ptr {obj}",
                           f"i1 {where.sole}", f"ptr {where.tangent or NONE}")  # fmt: skip
        w.code.need(w.code.let(f"icmp ne ptr {node}, null"), "fail")
        w.code.store("ptr", node, slot)

    def decode(self, m: Making, sources: Sources) -> str:
        return m.node(self.union, m.code.load("ptr", next(sources).words[0]))

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        c, union = m.code, m.unions.index(self.union)
        node = c.load("ptr", next(sources).words[0])
        done = c.call("i1", f"pb.seed.{union}", "ptr %table", f"ptr {node}", f"ptr {given}")
        c.need(done, "fail")


def alternatives(unions: Sequence[Union]) -> Iterator[tuple[int, int, Alternative]]:
    """All alternatives with their union and a number of their own."""
    every = [(u, alternative(union, c)) for u, union in enumerate(unions) for c in union.classes]
    for number, (u, known) in enumerate(every):
        yield number, u, known


def class_of(a: Alternative) -> type:
    """The class of the instances of an alternative, as compiled code sees them."""
    return NoneType if a.shape is None else a.shape.native
