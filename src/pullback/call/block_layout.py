"""A layout says where the words of an argument, of a result and of their nodes are."""

from __future__ import annotations

from collections.abc import Iterator

from pullback.call.shape import Shape
from pullback.call.shapes.node import Alternative, alternatives
from pullback.call.shapes.record import Record
from pullback.call.space import Space, words
from pullback.core.frozen import dataclass
from pullback.core.types import Array, Type
from pullback.frontend.kinds.kinds import Kind, unions_in
from pullback.frontend.python.unions import Union
from pullback.lower.loopcode import Ty

Span = tuple[int, int]
"""The first word, and how many."""


def reached(kind: Kind) -> tuple[Union, ...]:
    """The unions in values of a kind, those inside their fields too."""
    found: dict[Union, None] = {}
    todo = [kind]
    while todo:
        for union in unions_in(todo.pop()):
            if union not in found:
                found[union] = None
                todo += union.variant_kinds()
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The shape of a value, the unions that it reaches, and its space. ``still``: an argument in
    dual space that is not differentiated (its numbers and arrays have no tangents); ``handled``:
    of a result, which of its own leaves come with their accumulators or ids; ``one_home``: an
    object is in one union only."""

    root: Shape
    unions: tuple[Union, ...]
    space: Space
    still: bool = False
    handled: tuple[bool, ...] = ()
    one_home: bool = False

    @property
    def plain(self) -> bool:
        """Whether compiled code reads and makes the user's objects, and no stand-ins."""
        shapes = (self.root, *(a.shape for _, _, a in self.alternatives()))
        return all(s is None or s.plain for s in shapes)

    def alternatives(self) -> Iterator[tuple[int, int, Alternative]]:
        """All alternatives with the number of their union and one of their own."""
        return alternatives(self.unions)

    def beside_root(self, t: Type) -> Type | None:
        """The type of what stands beside an argument's own leaf: a plain array of reals has its
        cotangent by value."""
        nested = isinstance(t, Array) and isinstance(t.elem, Array)
        own = nested or (self.space is Space.DUAL and not self.still)
        return self.space.inside(t, False) if own else None

    def words(self) -> tuple[Ty, ...]:
        """The machine values of an argument, as an entry takes them (but for its tangents)."""
        apart = self.space is Space.DUAL
        return tuple(
            ty
            for t in self.root.types
            for part in (t, None if apart else self.beside_root(t))
            for ty in words(part)
        )

    def tangent_words(self) -> tuple[Ty, ...]:
        """The machine values of the tangents of an argument in dual space."""
        if self.space is not Space.DUAL:
            return ()
        return tuple(ty for t in self.root.types for ty in words(self.beside_root(t)))

    def block_words(self) -> int:
        """How many words a block has for an argument and its tangents."""
        return len(self.words()) + len(self.tangent_words())

    def argument_places(self) -> Iterator[tuple[Type, Span, Span]]:
        """Every leaf of an argument with the places of its words and of what is beside it."""
        apart = self.space is Space.DUAL
        at, then = 0, len(self.words())
        for t in self.root.types:
            n, m = len(words(t)), len(words(self.beside_root(t)))
            yield t, (at, n), (then if apart else at + n, m)
            at += n if apart else n + m
            then += m

    def result_places(self) -> Iterator[tuple[Type, Span, Span]]:
        """Every leaf of a result with the places of its words and, counted on their own, of those
        of its accumulator, tangent or ids."""
        at, then = 0, 0
        for k, t in enumerate(self.root.types):
            handled = self.space is Space.DUAL or (self.handled and self.handled[k])
            n, m = len(words(t)), len(words(self.space.beside(t))) if handled else 0
            yield t, (at, n), (then, m)
            at += n
            then += m

    def node_places(self, shape: Record) -> Iterator[tuple[Type, Span, Span]]:
        """Every leaf of a node with the places of its words and of what is beside it."""
        at = 1
        for t in shape.types:
            n, m = len(words(t)), len(words(self.space.beside(t)))
            yield t, (at, n), (at + n, m)
            at += n + m

    def node_words(self, shape: Record) -> int:
        """How many slots the fields of a node take."""
        count = sum(n + m for _, (_, n), (_, m) in self.node_places(shape))
        return count + (3 if self.space is Space.FORWARD and shape.reals else 0)

    def slots(self, a: Alternative) -> int:
        """How many slots a node of an alternative takes."""
        return 1 + (0 if a.shape is None else self.node_words(a.shape))

    def shapes(self) -> Iterator[Shape]:
        """Every shape in a value, those inside its nodes too."""
        todo = [self.root]
        todo += [part for _, _, a in self.alternatives() if a.shape for part in a.shape.items]
        while todo:
            shape = todo.pop()
            yield shape
            todo += shape.parts()

    def told(self) -> str:
        """Return a text of all that compiled code relies on: where the words of a value are, and
        which node is which alternative, with the names and places of its fields."""
        nodes = [
            (union, a.tag, a.shape and (
                a.shape.cls.__module__, a.shape.cls.__qualname__, a.shape.names,
                self.node_words(a.shape), tuple(self.node_places(a.shape)),
            ))
            for _, union, a in self.alternatives()
        ]  # fmt: skip
        places = tuple(self.argument_places()), tuple(self.result_places())
        return repr((self.space, self.words(), self.tangent_words(), places, nodes))

    def acyclic(self) -> bool:
        """Whether no object can become part of a cycle of references."""
        return not any(shape.grows for shape in self.shapes())


__all__ = ["Layout", "reached"]
