"""Numbers inside Python values: as one vector, random tangents, steps along them, inner products.

Values are walked by their shapes, without recursion into nodes: a node that is shared inside a
value is one variable, as in gradients, and comes once. What is walked beside a value (its tangent,
say) has its form, or None for a part that is zero or has no derivative.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pullback.call.leaving import public
from pullback.call.located import located
from pullback.call.quick_ravel import quick
from pullback.call.shape import Step
from pullback.call.shapes import Shape, shape_of
from pullback.call.shapes.node import Node, alternative_of
from pullback.call.shapes.record import Record
from pullback.call.way_back import Slot, Unravel, text_of
from pullback.core.frozen import dataclass
from pullback.frontend.derivatives.homes import Homes
from pullback.frontend.kinds.complex_pairs import holds_pairs
from pullback.frontend.python.pytypes import type_of, types_of
from pullback.frontend.python.unions import Union

Change = Callable[..., object]


def is_real(shape: Shape, value: object) -> bool:
    """Whether a leaf has a derivative (a discrete one may be None instead of a number)."""
    return shape.real and value is not None


def _text(value: object, step: Step) -> str:
    """How Python writes the step to a part of a value."""
    if step is None:
        return ""
    return f".{step}" if isinstance(step, str) and not isinstance(value, dict) else f"[{step!r}]"


def zipped(shape: Shape, *values: object) -> Iterator[tuple[Shape, tuple[object, ...]]]:
    """The leaves of the first value, each with those of the others at its place."""
    todo: list[tuple[Shape, tuple[object, ...]]] = [(shape, values)]
    seen: set[tuple[int, Union]] = set()
    while todo:
        s, at = todo.pop()
        if s.leaf:
            yield s, at
            continue
        if isinstance(s, Node):
            if (id(at[0]), s.union) in seen:
                continue
            seen.add((id(at[0]), s.union))
        for part in reversed(s.inside(at[0])):
            todo.append((part.shape, tuple(s.part(v, part.step) for v in at)))


class Mapper:
    """Makes a value like another one, with other leaves: ``change(shape, leaf, leaves beside it)``.
    While a leaf is changed, ``path`` says where it is. ``native``: what is made is what compiled
    code reads (records are stand-ins); ``of_native``: so is what it is made of; ``gaps``: any part
    of the value may be None. ``adjoint``: it is a cotangent, of what the caller sees or back."""

    def __init__(
        self, change: Change, homes: Homes | None = None, native: bool = False, gaps: bool = False,
        of_native: bool = False, adjoint: bool = False,
    ) -> None:  # fmt: skip
        self.change = change
        self.homes = homes
        self.native = native
        self.gaps = gaps
        self.of_native = of_native
        self.adjoint = adjoint
        self.made: dict[tuple[int, Union], object] = {}
        self.todo: deque[tuple[Record, tuple[object, ...], object, str]] = deque()
        self.path = ""

    def value(self, shape: Shape, *values: object) -> object:
        """The new value; what is shared in the first of these is shared in it."""
        out = self._value(shape, values)
        while self.todo:
            record, at, node, path = self.todo.popleft()
            for part in record.inside(at[0]):
                self.path = path + _text(at[0], part.step)
                new = self._value(part.shape, tuple(record.part(v, part.step) for v in at))
                object.__setattr__(node, str(part.step), new)
        return out

    def _value(self, shape: Shape, at: tuple[object, ...]) -> object:
        if shape.leaf:
            return self.change(shape, *at)
        if isinstance(shape, Node):
            return self._node(shape, at)
        if self.gaps and at[0] is None:
            return None
        here, new = self.path, []
        for p in (shape.inside_native if self.of_native else shape.inside)(at[0]):
            self.path = here + _text(at[0], p.step)
            new.append(self._value(p.shape, tuple(shape.part(v, p.step) for v in at)))
        if self.adjoint:
            new = list(shape.adjoint(new, *at[1:2]))
        return (shape.made_native if self.native else shape.made)(new, at[0])

    def _class(self, shape: Record) -> type:
        return shape.native if self.native else shape.cls

    def _node(self, shape: Node, at: tuple[object, ...]) -> object:
        first = at[0]
        if first is None:
            return None
        if self.homes is not None:
            self.homes.enter(shape.union, first)
        key = (id(first), shape.union)
        if key not in self.made:
            record = alternative_of(shape.union, first).shape
            assert record is not None
            cls = self._class(record)
            if issubclass(cls, tuple):
                self.made[key] = self._value(record, at)
            else:
                self.made[key] = object.__new__(cls)
                self.todo.append((record, at, self.made[key], self.path))
        return self.made[key]


def as_it_is(shape: Shape, leaf: object, *beside: object) -> object:
    """A change that leaves leaves as they are."""
    return leaf


def seen(shape: Shape, gradient: object) -> object:
    """A tangent that was made as if it were a gradient, as it is."""
    if not holds_pairs(shape.kind):
        return gradient
    return Mapper(as_it_is, gaps=True, adjoint=True).value(shape, gradient)


# --- derivatives ---------------------------------------------------------------------------------


def _shape(x: object) -> Shape:
    return shape_of(type_of(x))


def has_float32(x: object) -> bool:
    """Whether a real number in it is of 32 bits."""
    leaves = (value for shape, (value,) in zipped(_shape(x), x) if is_real(shape, value))
    return any(getattr(value, "dtype", None) == np.float32 for value in leaves)


def direction(rng: np.random.Generator, x: object) -> object:
    """A random tangent of x, of numbers between 1/2 and 3/2 with either sign; ``None`` at its
    discrete leaves."""

    def some(size: Any = None) -> Any:
        return rng.choice((-1.0, 1.0), size) * rng.uniform(0.5, 1.5, size)

    def leaf(shape: Shape, value: object) -> object:
        if not is_real(shape, value):
            return None
        if isinstance(value, (np.ndarray, np.generic)):
            return np.asarray(some(value.shape), value.dtype)[()]
        return float(some())

    return Mapper(leaf).value(_shape(x), x)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A real leaf of a value: its place, and the root of the mean square of its numbers."""

    path: str
    size: float


def leaves(x: object) -> list[Leaf]:
    """The real leaves of x, in the order in which ``only`` counts them."""
    found: list[Leaf] = []

    def leaf(shape: Shape, value: object) -> object:
        if is_real(shape, value):
            numbers = np.asarray(value, np.float64)
            square = float(np.mean(numbers * numbers)) if numbers.size else 0.0
            found.append(Leaf(mapper.path, math.sqrt(square)))
        return None

    mapper = Mapper(leaf)
    mapper.value(_shape(x), x)
    return found


def only(x: object, tangent: object, wanted: Sequence[bool]) -> object:
    """The tangent of x with zeros in place of the leaves that are not wanted."""
    rest = iter(wanted)

    def leaf(shape: Shape, value: object, t: object) -> object:
        if not is_real(shape, value):
            return t
        if next(rest):
            return t
        return np.asarray(t)[()] * 0 if isinstance(value, (np.generic, np.ndarray)) else 0.0

    return Mapper(leaf).value(_shape(x), x, tangent)


def moved(x: object, tangent: object, by: float) -> object:
    """x + by * tangent; discrete leaves stay."""

    def leaf(shape: Shape, value: object, t: object) -> object:
        if t is None or not is_real(shape, value):
            return value
        if isinstance(value, (np.ndarray, np.generic)):
            return np.asarray(value + np.asarray(by * np.asarray(t), value.dtype), value.dtype)[()]
        assert isinstance(value, (int, float)) and isinstance(t, (int, float))
        return value + by * t

    return Mapper(leaf).value(_shape(x), x, tangent)


def inner(like: object, x: object, y: object) -> float:
    """The inner product of two values of the form of ``like``; ``None`` is zero. One of them is a
    cotangent: of complex numbers it is the real part of the product."""
    terms: list[float] = []
    for shape, (value, a, b) in zipped(_shape(like), like, x, seen(_shape(like), y)):
        if is_real(shape, value) and a is not None and b is not None:
            terms += np.ravel(np.asarray(a, np.float64) * np.asarray(b, np.float64)).tolist()
    return math.fsum(terms)


# --- one vector ----------------------------------------------------------------------------------


@public
def ravel(tree: Any) -> tuple[np.ndarray, Callable[[Any], Any]]:
    """Return all real numbers of ``tree`` as one vector, and the function that goes back.

    Numbers come in the order of fields and items; those inside nodes of recursive data come after
    all others, level by level. A node that is shared in ``tree`` comes once, so a gradient has the
    entries of its argument in the same places.

    Args:
        tree: numbers, arrays, lists, dicts, records, trees.

    Returns:
        ``(vector, unravel)``, a vector of float64, and the function that makes of such a vector a
        value of the form of ``tree``. Ints, bools, texts and ``None`` are not in the vector; they
        stay as they are in ``tree``. The value shares no arrays with ``tree`` or with the vector.
        ``unravel`` may be called inside compiled code.

    Raises:
        TypeError: ``tree`` cannot be an argument.
        ValueError: ``unravel`` was given a vector of another size.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> vector, unravel = pb.ravel((1.5, [2.0, 3.0], np.ones(2), 7))
        >>> vector.tolist(), unravel(2 * vector)
        ([1.5, 2.0, 3.0, 1.0, 1.0], (3.0, [4.0, 6.0], array([2., 2.]), 7))
    """
    plain = quick(tree)
    if plain is not None:
        return plain
    shape = shape_of(*types_of((tree,)))
    found: list[np.ndarray] = []
    size = 0

    def slot(s: Shape, x: object) -> object:
        nonlocal size
        if not is_real(s, x):
            return x.copy() if isinstance(x, np.ndarray) else x
        s.inside(x)  # which refuses text, and subclasses
        flat = np.asarray(x, np.float64)
        found.append(flat.ravel())
        dtype = x.dtype if isinstance(x, (np.ndarray, np.generic)) else None
        size += flat.size
        return Slot(size - flat.size, flat.shape, dtype)

    with located((shape,), (tree,)):
        form = Mapper(slot, Homes(shape.kind), native=True).value(shape, tree)

    def leaf_of(vector: np.ndarray) -> Change:
        def leaf(_: Shape, x: object) -> object:
            if isinstance(x, Slot):
                return x.value(vector)
            return x.copy() if isinstance(x, np.ndarray) else x

        return leaf

    def unravel(vector: np.ndarray) -> Any:
        return Mapper(leaf_of(vector), of_native=True).value(shape, form)

    whole = np.concatenate(found) if found else np.zeros(0)
    return whole, Unravel(unravel, size, lambda: text_of(shape, form))
