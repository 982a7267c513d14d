"""Write what a compiled call has changed into the objects that it was given.

What the entry tells (``frontend.seen_outside``) is planned in full before anything is written: a
list whose items were moved is told as a new one. That is what Python leaves if nobody else holds
one of the items, and else it is not known which of them is now where.
"""

from __future__ import annotations

import sys
from collections import ChainMap, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from operator import attrgetter, is_
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from pullback.core.draws import put_words, words_of
from pullback.core.terms import same_number
from pullback.frontend.kinds.kinds import Unread
from pullback.frontend.kinds.wrapped import GENERATORS, wrapper_of
from pullback.frontend.memory.updates import ITEMS, KEYS
from pullback.frontend.python.instances import is_inside
from pullback.frontend.python.object_classes import attributes_of, slots_of
from pullback.frontend.python.pytypes import MOST_ITEMS
from pullback.frontend.seen_outside import CHANGED, IMMUTABLE

CODE = (FunctionType, BuiltinFunctionType, MethodType, ModuleType, np.ufunc)
"""What a function holds is among what is read beside the arguments."""


class UnsaidError(Exception):
    """It is not known which object is now where."""


class Writing:
    """The writes of one call."""

    def __init__(self) -> None:
        self.writes: list[Callable[[], object]] = []

    def done(self) -> None:
        """Write."""
        for write in self.writes:
            write()

    def into(self, old: Any, told: Any) -> None:
        """Plan to write what is told of an object into it."""
        match old:
            case np.ndarray() if isinstance(told, dict):  # of complex numbers: its parts are views
                for name, part in told.items():
                    self.part(getattr(old, name), part)
            case np.ma.MaskedArray() if _is_merged(told):
                self.merged(old, told[1], frozenset())
            case np.ndarray():
                self.writes.append(partial(old.__setitem__, ..., told))
            case list() if isinstance(told, tuple) and len(told) == 3:
                for name, column in zip(*told[1:], strict=True):
                    if len(column) != len(old):
                        raise UnsaidError
                    self._column(old, name, column.tolist())
            case list() | tuple() | dict() | deque() | ChainMap() if _is_merged(told):
                put, new = told
                self.merged(old, new, frozenset(put))
            case _ if type(old) in GENERATORS:
                self.merged(old, told[1], frozenset())
            case list():
                self._refill(old, told)
            case set():
                self._changed(old, told)
            case dict():
                parts, keys = told
                if isinstance(parts, list):
                    new = dict(zip(parts, keys, strict=True))  # a table: keys and values
                else:
                    new = {
                        k: self.part(old.get(k), parts[k]) if k in parts else old[k] for k in keys
                    }
                self._renew(old, new)
            case _:
                for name, part in told.items():
                    if part is not None and not is_inside(name):  # None: not set on this path
                        before = getattr(old, name, None)
                        after = self.part(before, part)
                        if after is not before or after is None:
                            self.writes.append(partial(setattr, old, name, after))

    def part(self, old: Any, told: tuple[int, Any]) -> Any:
        """Return what is in a part of an object now: the same if it is equal, or was updated
        itself."""
        how, new = told
        if how == CHANGED:
            self.into(old, new)
            return old
        return number_now(old, new)

    def merged(self, old: Any, new: Any, put: frozenset[str]) -> Any:
        """Return what is now in a place where ``old`` was: that itself, with what is new in it, if
        nothing was put there. ``put``: the attributes into which objects have been put."""
        if isinstance(new, IMMUTABLE):
            return number_now(old, new)
        if new is Unread:
            return old
        match old, new:
            case np.ndarray(), np.ndarray() if old.shape == new.shape and old.dtype == new.dtype:
                self.writes.append(partial(old.__setitem__, ..., new))
            case list(), list() if _are_immutable(new) and _are_immutable(old):
                self._refill(old, new)
            case list(), list() if ITEMS in put:
                _check_alone(old)
                self._refill(old, new)
            case list(), list() if (names := _numbers_in(old, new)) is not None:
                for name in names:
                    self._column(old, name, [*map(attrgetter(name), new)])
            case list(), list():
                items = [self.merged(x, y, put) for x, y in zip(old, new, strict=False)]
                self._refill(old, items + new[len(old) :])
            case tuple(), tuple() if len(old) == len(new):
                items = [self.merged(x, y, put) for x, y in zip(old, new, strict=True)]
                if not all(map(is_, old, items)):
                    return type(new)(*items) if hasattr(new, "_fields") else tuple(items)
            case set(), set():
                self._changed(old, new)
            case deque(), deque() if _are_immutable([*old]) and _are_immutable([*new]):
                kept = [*map(number_now, old, new)]
                self.writes += (old.clear, partial(old.extend, [*kept, *[*new][len(kept) :]]))
            case ChainMap(), ChainMap() if len(old.maps) == len(new.maps):
                for x, y in zip(old.maps, new.maps, strict=True):
                    self.merged(x, y, put)
            case _ if type(old) in GENERATORS and type(old) is type(new):
                self.writes.append(partial(put_words, words_of(new), old))
            case (deque() | ChainMap()), _:
                raise UnsaidError
            case dict(), dict():
                if KEYS in put:
                    _check_alone(old)
                both = {k: self.merged(old[k], v, put) if k in old else v for k, v in new.items()}
                self._renew(old, new if KEYS in put else both)
            case _ if type(old) is type(new):
                self._attributes(old, new, put)
            case _:
                return new
        return old

    def _column(self, old: list[Any], name: str, after: list[Any]) -> None:
        """Plan to give objects these attributes, which are numbers or texts, where they are other
        ones."""
        before = [*map(attrgetter(name), old)]
        if {*map(type, before), *map(type, after)} == {float}:
            at = changed_floats(before, after)
        else:
            after = [*map(number_now, before, after)]
            at = [k for k, (x, y) in enumerate(zip(before, after, strict=True)) if x is not y]
        if at:
            changed = [old[k] for k in at], repeat(name), [after[k] for k in at]
            self.writes.append(lambda: deque(map(setattr, *changed), maxlen=0))

    def _attributes(self, old: object, new: object, put: frozenset[str]) -> None:
        """Plan to give an object the attributes of a new one."""
        for name, after in attributes_of(new).items():
            if name in put and not isinstance(after, IMMUTABLE):
                _check_alone(old, name)
                before = None
            else:
                before = getattr(old, name, None)
                after = self.merged(before, after, put)
            if after is not before or after is None:
                self.writes.append(partial(setattr, old, name, after))

    def _changed(self, old: set[Any], new: Iterable[Any]) -> None:
        """Plan to put the items into a set that it does not have, and to take out the others."""
        more, gone = [x for x in new if x not in old], old.difference(new)
        self.writes.append(lambda: deque(map(old.discard, gone), maxlen=0))
        self.writes.append(lambda: deque(map(old.add, more), maxlen=0))

    def _renew(self, old: dict[Any, Any], new: dict[Any, Any]) -> None:
        self.writes += (old.clear, partial(old.update, new))

    def _refill(self, old: list[Any], new: list[Any]) -> None:
        if old and isinstance(old[0], np.generic):
            new = [*map(number_now, old, new), *new[len(old) :]]
        self.writes.append(partial(old.__setitem__, slice(None), new))


def _is_merged(told: Any) -> bool:
    """Whether what is told are the attributes into which objects were put, and a new object."""
    return type(told) is tuple and isinstance(told[0], tuple)


def _numbers_in(old: list[Any], new: list[Any]) -> Sequence[str] | None:
    """Return the names of the attributes of the objects in two lists, if all of these are of one
    class, and numbers and texts are all that the new ones have."""
    if len(old) != len(new) or len({*map(type, old), *map(type, new)}) != 1:
        return None
    cls: Any = type(new[0])
    if slots_of(cls) or not hasattr(new[0], "__dict__"):
        return None
    names = tuple(vars(new[0]))
    mine, theirs = [*map(vars, old)], [*map(vars, new)]
    if any(held.keys() != theirs[0].keys() for held in theirs):
        return None
    try:
        values = [x for held in (*mine, *theirs) for x in map(held.__getitem__, names)]
    except KeyError:  # an attribute that is new
        return None
    return names if are_numbers(values) else None


def changed_floats(old: Sequence[float], new: Sequence[float]) -> list[int]:
    """Return where floats have other bits."""
    x, y = np.array(old), np.array(new[: len(old)])
    found: list[int] = np.flatnonzero(x.view(np.int64) != y.view(np.int64)).tolist()
    return found


def are_numbers(values: Iterable[Any]) -> bool:
    """Whether all values are numbers and texts (or None)."""
    return all(issubclass(c, IMMUTABLE) for c in set(map(type, values)))


def number_now(old: Any, new: Any) -> Any:
    """Return ``new``, or ``old`` if that is the same number (of Python or NumPy) or text."""
    same = type(old) is type(new) or (
        isinstance(old, np.generic) and type(new) is type(old.item())
    )
    if same and isinstance(new, float):
        return old if same_number(old, new) else new
    return old if same and isinstance(new, IMMUTABLE) and old == new else new


def parts_of(x: object) -> Iterator[Any]:
    """Return what is in an object. Of a long list of numbers or texts only that is given."""
    match x:
        case list() | tuple():
            if len(x) <= MOST_ITEMS or not isinstance(x[0], IMMUTABLE):
                yield from x  # more items are of one kind
        case _ if (wrapper := wrapper_of(type(x))) is not None:
            yield from wrapper.inside(x)
        case Mapping():
            yield from x.values()
        case np.ndarray():
            return
        case _:
            yield from attributes_of(x).values()


def _are_immutable(items: list[Any]) -> bool:
    """Whether the items of a list are numbers and texts; more than a few are of one kind."""
    return all(isinstance(x, IMMUTABLE) for x in items[:MOST_ITEMS])


def _check_alone(holder: object, name: str | None = None) -> None:
    """Make sure that what is in an object (or in one attribute of it), however deep, has no other
    holder, and that arrays have memory of their own."""
    match holder:
        case list() | tuple():
            keys: Iterable[Any] = () if _are_immutable([*holder]) else range(len(holder))
            take: Callable[[Any], Any] = holder.__getitem__
        case dict():
            keys, take = tuple(holder), holder.__getitem__
        case np.ndarray():
            keys, take = (), holder.item
            if holder.base is not None:
                raise UnsaidError
        case _:
            keys, take = (*attributes_of(holder),), partial(getattr, holder)
    for k in keys:
        if name is None or name == k:
            if isinstance(take(k), (*IMMUTABLE, *CODE)):
                continue
            if sys.getrefcount(take(k)) > _ONCE:
                raise UnsaidError
            _check_alone(take(k))


_HELD: list[Any] = [[]]
_ONCE = sys.getrefcount(_HELD.__getitem__(0))
"""What Python counts of an object that is in one list only, as it is asked above."""

__all__ = [
    "CODE", "UnsaidError", "Writing", "are_numbers", "changed_floats", "number_now", "parts_of",
]  # fmt: skip
