"""A shape describes how data of one kind looks, in Python and in memory: nothing else does.

All that crosses between Python and compiled code is written from shapes: the leaves of a value
(``flatten``) and the value of leaves (``value``), errors and their places (``inside``), tangents
and cotangents (``tangents``, ``normal``), what an entry point reads and makes itself (``argument``,
``result_form``, ``gradient_form``), and compiled conversions (``encode``, ``decode``, ``seed``).
The *leaves* of a value are what ``frontend.kinds.leaf_types`` names, depth first, in the form of
the evaluator (``core.values``).

A kind of data is one class in one file of ``shapes``; it says of which kinds it is the shape when
it is declared: ``class Array(Shape, of=ArrayK)``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from pullback.call.code.reading import Making, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.given import Normal, What, placed
from pullback.call.trees import Form, NoForm, Writer
from pullback.core.types import Real, Type
from pullback.core.values import Node
from pullback.errors import ArgumentTypeError, known_as
from pullback.frontend.kinds.complex_pairs import Pair
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import Kind, RecordK
from pullback.frontend.python.object_classes import is_container_class, is_object_class
from pullback.frontend.python.unions import Union
from pullback.native import Tree

Step = object
"""How a part is reached: an index, the name of a field, a key; None: it is the value itself."""

Leaves = Iterator[object]
Made = dict[int, object]
"""The Python object for every node, by the identity of the node."""

NodeOf = Callable[[Union, object], Node]
"""The node that stands for an object."""


class Part(NamedTuple):
    """A part of a value."""

    shape: Shape
    value: object
    step: Step


class Shape(ABC):
    """The description of the values of one kind."""

    leaf = False  # whether a value has no parts
    atomic = False  # whether a value is a number or an array
    real = False  # whether such a number or array has a derivative
    is_float = False  # whether a value is a Python float
    grows = False  # whether a value can be put into itself
    classes: ClassVar[dict[tuple[type, object], Callable[[Any, object], Shape]]] = {}

    def __init_subclass__(cls, of: type | None = None, container: type | None = None) -> None:
        if of is not None:
            cls.classes[of, container] = cls

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    @abstractmethod
    def leaf_types(self) -> Iterator[Type]:
        """The Core types of the leaves."""

    @cached_property
    def types(self) -> tuple[Type, ...]:
        """The Core types of the leaves."""
        return tuple(self.leaf_types())

    @property
    def reals(self) -> int:
        """How many of the leaves are real numbers."""
        return sum(isinstance(t, Real) for t in self.types)

    def parts(self) -> tuple[Shape, ...]:
        """The shapes directly inside, but for those in nodes."""
        return ()

    @cached_property
    def holds_nodes(self) -> bool:
        """Whether a value of this shape leads to nodes."""
        return any(part.holds_nodes for part in self.parts())

    @property
    def plain(self) -> bool:
        """Whether compiled code reads and makes the values themselves (but for those in nodes)."""
        return all(part.plain for part in self.parts())

    # --- values ---

    @abstractmethod
    def inside(self, value: object) -> Sequence[Part]:
        """The parts of a value; an error if it is not of this shape."""

    @abstractmethod
    def made(self, parts: Sequence[object], like: object = None) -> object:
        """Build the value of these parts; ``like``: of the same class as this value."""

    def part(self, value: Any, step: Step) -> object:
        """The part of a value that a step leads to; the value may be one beside, or None."""
        if value is None or step is None:
            return value
        if isinstance(step, str) and not isinstance(value, dict):
            return getattr(value, step)
        return value[step]

    def inside_native(self, value: object) -> Sequence[Part]:
        """The parts of what compiled code reads and makes in the place of a value."""
        return self.inside(value)

    def made_native(self, parts: Sequence[object], like: object = None) -> object:
        """Build what compiled code reads in the place of a value."""
        return self.made(parts, like)

    def adjoint(self, parts: Sequence[object], of: object = None) -> Sequence[object]:
        """The parts of a cotangent as those of what the caller sees, and back; ``of``: the value
        that it is of, where that is at hand."""
        return parts

    def native(self, value: object) -> object:
        """What compiled code reads in the place of a value that has no parts."""
        return value

    def place(self, step: Step) -> str:
        """How a part is written behind the value, in messages."""
        return "" if step is None else f"[{step!r}]"

    def mismatch(self, value: object) -> ArgumentTypeError:
        """The error for a value that is not of this shape."""
        wanted = getattr(self.kind, "cls", None)
        called = known_as(type(value), [wanted] if isinstance(wanted, type) else [])
        return ArgumentTypeError(f"{called} where {describe(self.kind)} is expected")

    # --- leaves ---

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        """Add the leaves of a value to ``out``."""
        for part in self.inside(value):
            part.shape.flatten(part.value, node, out)

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        """The value with these leaves; in a gradient discrete leaves become ``None``."""
        return self.made([part.value(leaves, made, gradient) for part in self.parts()])

    def nodes(self, value: object) -> Iterator[tuple[Union, object]]:
        """The values of unions that are reached without going through one."""
        if self.holds_nodes:
            for part in self.inside(value):
                yield from part.shape.nodes(part.value)

    def nodes_in(self, leaves: Leaves) -> Iterator[tuple[Union, Node]]:
        """The nodes among the leaves of a value, which are taken from the iterator."""
        if not self.holds_nodes:
            self.skip(leaves)
        else:
            for part in self.parts():
                yield from part.nodes_in(leaves)

    def skip(self, leaves: Leaves) -> None:
        """Take the leaves of a value from the iterator, and leave them out."""
        for _ in self.types:
            next(leaves)

    # --- tangents and cotangents that a caller gives ---

    def given(self, given: object, count: int, what: What) -> Iterator[object]:
        """The parts of a tangent, one for each of the ``count`` parts of the value."""
        return iter((given,) * count)

    def tangents(self, leaves: Leaves, given: object, what: What, out: list[object]) -> None:
        """Add the leaves of a tangent to ``out``, one for each leaf of the value (``None`` where
        that is discrete)."""
        parts = self.parts()
        if not parts:
            self.skip(leaves)
            out += [None] * len(self.types)
            return
        for part, mine in zip(parts, self.given(given, len(parts), what), strict=True):
            part.tangents(leaves, mine, what, out)

    def node_tangents(
        self, value: object, tangent: object
    ) -> Iterator[tuple[Union, object, object]]:
        """The values of unions reached without going through one, with their tangents."""
        if self.holds_nodes:
            parts = self.inside(value)
            for part, mine in zip(parts, self.given(tangent, len(parts), "tangent"), strict=True):
                yield from part.shape.node_tangents(part.value, mine)

    def root_numbers(self, given: object, what: What) -> Iterator[object]:
        """The tangents of the numbers that are in no list and no node."""
        return iter(())

    def normal(self, value: object, given: object, made: Normal, where: str) -> object:
        """Bring a tangent of a value into normal form; ``where``: how messages call it."""
        if given is None or self.leaf:
            return None
        parts = self.inside(value)
        with placed(where):
            tangents = self.given(given, len(parts), made.what)
        out: list[object] = []
        for part in parts:
            place = where + self.place(part.step)
            with placed(place):
                mine = next(tangents)
            out.append(part.shape.normal(part.value, mine, made, place))
        return self.made_given(out)

    def made_given(self, parts: Sequence[object]) -> object:
        """The tangent of these parts, as compiled code reads it."""
        return self.made(parts)

    # --- what an entry point reads and makes itself ---

    @property
    def direct(self) -> bool:
        """Whether an entry point reads a value all by itself."""
        return False

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        """The tree of an argument and the expression that gives its value; None: no value goes
        in (it is static)."""
        raise NoForm

    def result_form(self) -> Form | None:
        """The form of a result; None: an entry point does not make it itself."""
        return None

    def gradient_form(self) -> Form | None:
        """The form of the gradient of an argument; None: an entry point does not make it itself."""
        return None

    def tangent_form(self) -> Form | None:
        """The form of the tangent of a result; None: an entry point does not make it itself."""
        return self.gradient_form()

    def tangent_argument(
        self, w: Writer, at: str, sizes: Iterator[str]
    ) -> tuple[Tree, str] | None:
        """The tree of a tangent and the expression that gives it; None: no value goes in.
        ``sizes``: those of the value, as ``sizes`` has them."""
        raise NoForm

    def sizes(self, at: str, w: Writer | None) -> Iterator[str]:
        """Expressions of the shapes and lengths of what has tangents in a value: the user's
        object, or (no ``w``) in the tree of a result, where records are tuples."""
        return iter(())

    def blank(self, sizes: Iterator[tuple[int, ...] | int]) -> Iterator[object]:
        """Leaves of some value whose arrays and lists have these shapes and lengths."""
        return iter([0] * len(self.types))

    # --- compiled conversions ---

    @abstractmethod
    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        """Print code that writes the words of an object, and that goes on at the block "fail" if
        the object is not of this shape."""

    @abstractmethod
    def decode(self, m: Making, sources: Sources) -> str:
        """Print code that makes the object of some words; the name of the new reference."""

    @abstractmethod
    def seed(self, m: Making, given: str, sources: Sources) -> None:
        """Print code that adds a cotangent into cells, and that goes on at the block "fail" if the
        cotangent does not have the form of the value."""


TEXTS = "pullback.frontend.library.text."


class Text:
    """Stands in the table of shapes for all classes that the library has as text, unless they are
    tuples or frozen dataclasses of results."""


def _is_result(cls: object) -> bool:
    """Whether a class of a text is that of a result of a function of SciPy."""
    if not isinstance(cls, type):
        return False
    of_scipy = cls.__module__.startswith(f"{TEXTS}scipy_")
    return issubclass(cls, tuple) or (of_scipy and is_dataclass(cls))


class Changing:
    """Stands in the table of shapes for all classes whose objects change."""


def shape_of(kind: Kind, declared: object = None) -> Shape:
    """The shape of values of a kind; ``declared``: its annotation, for tuples of any length."""
    known, container = Shape.classes, getattr(kind, "cls", None)
    if isinstance(container, type) and issubclass(container, Pair):
        container = Pair
    elif isinstance(kind, RecordK) and is_container_class(kind.cls):
        container = Text
    elif getattr(container, "__module__", "").startswith(TEXTS):
        container = None if _is_result(container) else Text
    elif isinstance(container, type) and is_object_class(container):
        container = Changing
    found = known.get((type(kind), container)) or known.get((type(kind), None))
    return (found or known[Shape, None])(kind, declared)


__all__ = ["Changing", "Leaves", "Made", "NodeOf", "Part", "Shape", "Step", "Text", "shape_of"]
