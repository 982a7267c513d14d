"""Numbers inside Python values: as one vector, random tangents, steps along them, inner products.

Values are walked by their kinds, without recursion into nodes: a node that is shared inside a value
is one variable, as in gradients, and comes once. What is walked beside a value (its tangent, say)
has its form, or None for a part that is zero or has no derivative.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.call.leaves import scalar
from pullback.call.located import located
from pullback.call.marshal import alternative_of
from pullback.core.types import Real
from pullback.errors import ArgumentValueError
from pullback.frontend.derivatives.homes import Homes
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    TupleK,
    UnionK,
)
from pullback.frontend.python.exact import require_exact
from pullback.frontend.python.instances import bare
from pullback.frontend.python.pytypes import type_of, types_of
from pullback.frontend.python.records import Union

Change = Callable[..., object]


def is_real(kind: Kind, value: object) -> bool:
    """Whether a leaf has a derivative (a discrete one may be None instead of a number)."""
    match kind:
        case ScalarK(Real()) | ArrayK(Real()):
            return value is not None
        case _:
            return False


def _inside(kind: Kind, value: object) -> list[tuple[Kind, object]] | None:
    """The parts of a value that is no leaf: their kinds, and how they are named in it."""
    match kind:
        case ListK(elem):
            assert isinstance(value, list | tuple)
            return [(elem, i) for i in range(len(value))]
        case TupleK(items):
            return [(k, i) for i, k in enumerate(items)]
        case RecordK(_, fields):
            return [(k, name) for name, k in fields]
        case _:
            return None


def _part(value: Any, name: object) -> object:
    if value is None:
        return None
    if isinstance(name, str) and not isinstance(value, dict):
        return getattr(value, name)
    return value[name]


def zipped(kind: Kind, *values: object) -> Iterator[tuple[Kind, tuple[object, ...]]]:
    """The leaves of the first value, each with those of the others at its place."""
    todo: list[tuple[Kind, tuple[object, ...]]] = [(kind, values)]
    seen: set[tuple[int, Union]] = set()
    while todo:
        k, at = todo.pop()
        match k:
            case UnionK(union):
                if at[0] is not None and (id(at[0]), union) not in seen:
                    seen.add((id(at[0]), union))
                    todo.append((alternative_of(union, at[0]).kind, at))
            case OptionalK(inner):
                if at[0] is not None:
                    todo.append((inner, at))
            case _:
                parts = None if at[0] is None else _inside(k, at[0])
                if parts is None:
                    yield k, at
                else:
                    todo += [(p, tuple(_part(v, name) for v in at)) for p, name in parts[::-1]]


class Mapper:
    """Makes a value like another one, with other leaves: ``change(kind, leaf, leaves beside it)``.
    """

    def __init__(self, change: Change, homes: Homes | None = None) -> None:
        self.change = change
        self.homes = homes
        self.made: dict[tuple[int, Union], object] = {}
        self.todo: deque[tuple[RecordK, tuple[object, ...], object]] = deque()

    def value(self, kind: Kind, *values: object) -> object:
        """The new value; what is shared in the first of these is shared in it."""
        out = self._value(kind, values)
        while self.todo:
            record, at, node = self.todo.popleft()
            for name, k in record.fields:
                part = self._value(k, tuple(_part(v, name) for v in at))
                object.__setattr__(node, name, part)
        return out

    def _value(self, kind: Kind, at: tuple[object, ...]) -> object:
        first = at[0]
        if isinstance(kind, OptionalK):
            return None if first is None else self._value(kind.inner, at)
        if isinstance(kind, UnionK):
            return self._node(kind, at)
        parts = None if first is None else _inside(kind, first)
        if parts is None:
            return self.change(kind, *at)
        new = [self._value(k, tuple(_part(v, name) for v in at)) for k, name in parts]
        if isinstance(kind, RecordK):
            return bare(kind.cls, {n: x for (n, _), x in zip(kind.fields, new, strict=True)})
        return new if isinstance(first, list) else tuple(new)

    def _node(self, kind: UnionK, at: tuple[object, ...]) -> object:
        first = at[0]
        if first is None:
            return None
        if self.homes is not None:
            self.homes.enter(kind.union, first)
        key = (id(first), kind.union)
        if key not in self.made:
            record = alternative_of(kind.union, first).kind
            assert isinstance(record, RecordK)
            if issubclass(record.cls, tuple):
                self.made[key] = self._value(record, at)
            else:
                self.made[key] = object.__new__(record.cls)
                self.todo.append((record, at, self.made[key]))
        return self.made[key]


# --- derivatives ---------------------------------------------------------------------------------


def has_float32(x: object) -> bool:
    """Whether a real number in it is of 32 bits."""
    leaves = (value for kind, (value,) in zipped(type_of(x), x) if is_real(kind, value))
    return any(getattr(value, "dtype", None) == np.float32 for value in leaves)


def direction(rng: np.random.Generator, x: object) -> object:
    """A random tangent of x; ``None`` at its discrete leaves."""

    def leaf(kind: Kind, value: object) -> object:
        if not is_real(kind, value):
            return None
        if isinstance(value, np.ndarray | np.generic):
            return np.asarray(rng.normal(size=value.shape), value.dtype)[()]
        return float(rng.normal())

    return Mapper(leaf).value(type_of(x), x)


def moved(x: object, tangent: object, by: float) -> object:
    """x + by * tangent; discrete leaves stay."""

    def leaf(kind: Kind, value: object, t: object) -> object:
        if t is None or not is_real(kind, value):
            return value
        if isinstance(value, np.ndarray | np.generic):
            return np.asarray(value + np.asarray(by * np.asarray(t), value.dtype), value.dtype)[()]
        assert isinstance(value, int | float) and isinstance(t, int | float)
        return value + by * t

    return Mapper(leaf).value(type_of(x), x, tangent)


def inner(like: object, x: object, y: object) -> float:
    """The inner product of two values of the form of ``like``; ``None`` is zero."""
    terms: list[float] = []
    for kind, (value, a, b) in zipped(type_of(like), like, x, y):
        if is_real(kind, value) and a is not None and b is not None:
            terms += np.ravel(np.asarray(a, np.float64) * np.asarray(b, np.float64)).tolist()
    return math.fsum(terms)


# --- one vector ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a leaf is in the vector; ``dtype`` is None for a Python float."""

    start: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None


def ravel(tree: Any) -> tuple[np.ndarray, Callable[[Any], Any]]:
    """All real numbers of ``tree`` (numbers, arrays, lists, dicts, records, trees) as one vector of
    float64, and the function that makes a value of the same form of such a vector.

    Ints, bools, strings and None stay as they are in ``tree``. A node that is shared inside it
    comes once, and so a gradient has the entries of its argument in the same places; ``unravel``
    gives a value that is shared likewise. Numbers come in the order of fields and items, those
    inside nodes after all others, level by level. The value shares no arrays with ``tree`` or with
    the vector. Raises ``TypeError`` where ``tree`` cannot be an argument, ``unravel`` a
    ``ValueError`` for a vector of another size.

    >>> vector, unravel = ravel((1.5, [2.0, 3.0], np.ones(2), 7))
    >>> vector.tolist(), unravel(2 * vector)
    ([1.5, 2.0, 3.0, 1.0, 1.0], (3.0, [4.0, 6.0], array([2., 2.]), 7))
    """
    (kind,) = types_of((tree,))
    found: list[np.ndarray] = []
    size = 0

    def slot(k: Kind, x: object) -> object:
        nonlocal size
        if not is_real(k, x):
            return x.copy() if isinstance(x, np.ndarray) else x
        if isinstance(k, ScalarK):
            scalar(k.type, x)  # which refuses text, and subclasses
        require_exact(x)
        flat = np.asarray(x, np.float64)
        found.append(flat.ravel())
        dtype = x.dtype if isinstance(x, np.ndarray | np.generic) else None
        size += flat.size
        return _Slot(size - flat.size, flat.shape, dtype)

    with located((kind,), (tree,)):
        form = Mapper(slot, Homes(kind)).value(kind, tree)

    def unravel(vector: Any) -> Any:
        given = np.asarray(vector, np.float64)
        if given.shape != (size,):
            raise ArgumentValueError(f"a vector of shape {given.shape}, not ({size},)")

        def leaf(_: Kind, x: object) -> object:
            if not isinstance(x, _Slot):
                return x.copy() if isinstance(x, np.ndarray) else x
            if x.dtype is None:
                return float(given[x.start])
            part = given[x.start : x.start + math.prod(x.shape)]
            return part.astype(x.dtype).reshape(x.shape)[()]

        return Mapper(leaf).value(kind, form)

    return np.concatenate(found) if found else np.zeros(0), unravel
