"""``collections.deque`` as a plain class that the front end compiles like the user's own.

Its items lie in two lists: those of ``_front`` from its end to the place ``_last``, then those of
``_back`` from the place ``_first`` on. Items are put at the ends of the lists and taken there, or
from the other end by a step of the place: so each method of the ends takes one step, and what has
been taken stays where it was, as the derivative wants it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_EMPTY = "pop from an empty deque"
_MUTATED = "deque mutated during iteration"
_OUTSIDE = "deque index out of range"


class deque:
    """A sequence that grows and shrinks at both ends."""

    __slots__ = ("_back", "_changes", "_first", "_front", "_last", "_most")

    def __init__(self, iterable: Iterable[Any] = (), maxlen: int | None = None) -> None:
        self._most = maxlen
        if maxlen is not None and maxlen < 0:
            raise ValueError("maxlen must be non-negative")
        self._front: list[Any] = []
        self._back: list[Any] = []
        self._first = 0
        self._last = 0
        self._changes = 0
        for x in iterable:
            self.append(x)

    @property
    def maxlen(self) -> int | None:
        return self._most

    def __len__(self) -> int:
        return len(self._front) - self._last + len(self._back) - self._first

    def __iter__(self) -> Iterator[Any]:
        before = self._changes
        for k in range(len(self)):
            if self._changes != before:
                raise RuntimeError(_MUTATED)
            yield self[k]
        if self._changes != before:
            raise RuntimeError(_MUTATED)

    def __reversed__(self) -> Iterator[Any]:
        before = self._changes
        for k in range(len(self)):
            if self._changes != before:
                raise RuntimeError(_MUTATED)
            yield self[-1 - k]
        if self._changes != before:
            raise RuntimeError(_MUTATED)

    def __getitem__(self, i: int) -> Any:
        k = i if i >= 0 else i + len(self)
        if k < 0 or k >= len(self):
            raise IndexError(_OUTSIDE)
        n = len(self._front) - self._last
        return self._front[len(self._front) - 1 - k] if k < n else self._back[self._first + k - n]

    def __setitem__(self, i: int, x: Any) -> None:
        k = i if i >= 0 else i + len(self)
        if k < 0 or k >= len(self):
            raise IndexError(_OUTSIDE)
        n = len(self._front) - self._last
        if k < n:
            self._front[len(self._front) - 1 - k] = x
        else:
            self._back[self._first + k - n] = x

    def __repr__(self) -> str:
        most = "" if self._most is None else f", maxlen={self._most}"
        return f"deque({list(self)!r}{most})"

    def __contains__(self, x: Any) -> bool:
        return any(y == x for y in self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, deque) or len(self) != len(other):
            return False
        return all(self[k] == other[k] for k in range(len(self)))

    def __iadd__(self, iterable: Iterable[Any]) -> deque:
        self.extend(iterable)
        return self

    def __add__(self, other: deque) -> deque:
        if not isinstance(other, deque):
            name = type(other).__name__
            raise TypeError(f'can only concatenate deque (not "{name}") to deque')
        both = self.copy()
        both.extend(other)
        return both

    def append(self, x: Any) -> None:
        self._changes += 1
        self._back.append(x)
        if self._most is not None and len(self) > self._most:
            self.popleft()

    def appendleft(self, x: Any) -> None:
        self._changes += 1
        self._front.append(x)
        if self._most is not None and len(self) > self._most:
            self.pop()

    def pop(self) -> Any:
        if len(self) == 0:
            raise IndexError(_EMPTY)
        self._changes += 1
        if len(self._back) > self._first:
            return self._back.pop()
        self._last += 1
        return self._front[self._last - 1]

    def popleft(self) -> Any:
        if len(self) == 0:
            raise IndexError(_EMPTY)
        self._changes += 1
        if len(self._front) > self._last:
            return self._front.pop()
        self._first += 1
        return self._back[self._first - 1]

    def extend(self, iterable: Iterable[Any]) -> None:
        for x in list(iterable) if isinstance(iterable, deque) else iterable:
            self.append(x)

    def extendleft(self, iterable: Iterable[Any]) -> None:
        for x in list(iterable) if isinstance(iterable, deque) else iterable:
            self.appendleft(x)

    def rotate(self, n: int = 1) -> None:
        if len(self) > 1:
            count = len(self)
            turns = n % count
            if 2 * turns <= count:
                for _ in range(turns):
                    self.appendleft(self.pop())
            else:
                for _ in range(count - turns):
                    self.append(self.popleft())

    def reverse(self) -> None:
        items = list(self)
        for k in range(len(items)):
            self[k] = items[-1 - k]
        self._changes += 1

    def clear(self) -> None:
        self._changes += 1
        self._front.clear()
        self._back.clear()
        self._first = 0
        self._last = 0

    def copy(self) -> deque:
        return deque(self, self._most)

    def count(self, x: Any) -> int:
        return sum(1 for y in self if y == x)

    def index(self, x: Any) -> int:
        for k in range(len(self)):
            if self[k] == x:
                return k
        raise ValueError(f"{x!r} is not in deque")

    def insert(self, i: int, x: Any) -> None:
        if self._most is not None and len(self) >= self._most:
            raise IndexError("deque already at its maximum size")
        items = list(self)
        items.insert(i, x)
        self.clear()
        self.extend(items)

    def remove(self, x: Any) -> None:
        if x not in self:
            raise ValueError(f"{x!r} is not in deque")
        gone = self.index(x)
        items = list(self)
        self.clear()
        for k in range(len(items)):
            if k != gone:
                self.append(items[k])


Sequence.register(deque)
