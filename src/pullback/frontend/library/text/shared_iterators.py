"""The iterators of ``itertools`` that go through one iterator together, as plain classes that the
front end compiles like the user's own: what one takes, the others do not find any more."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from pullback.errors import UnsupportedError
from pullback.frontend.library.text_helpers import known, times

_ONE = itertools.tee("", 1)[0]
COPIES = itertools.tee(_ONE, 1)[0] is not _ONE
"""Whether a ``tee`` of what a ``tee`` gave makes new iterators only: before Python 3.13, the first
of them is the one that it was given."""


class Groups:
    """Pairs of a key and an iterator over the items that have it, one behind the other."""

    def __init__(
        self, group: type[Group], items: Iterator[Any], key: Callable[..., Any] | None
    ) -> None:
        self._made_of = group
        self._items = items
        self._key = key
        self._group = 0  # the number of the group that may still be gone through
        self._waits = False  # whether the last item has not been given to anybody

    def _take(self) -> None:
        self._item: Any = next(self._items)
        self._now: Any = self._item if self._key is None else self._key(self._item)
        self._waits = True
        if isinstance(self._now, float) and self._now != self._now:
            raise UnsupportedError(
                "groupby with a key that is NaN: whether it is equal to another one depends on "
                "which objects they are",
                "let the key of such an item be another number",
            )

    def __iter__(self) -> Groups:
        return self

    def __next__(self) -> Any:
        self._group += 1
        if self._group == 1:
            self._take()
        while not self._waits or (self._group > 1 and self._now == self._target):
            self._take()
        self._target: Any = self._now
        return self._now, self._made_of(self, self._group)


class Group:
    """The items of a group, as long as nobody asks for the next group."""

    def __init__(self, whole: Groups, number: int) -> None:
        self._whole = whole
        self._number = number

    def __iter__(self) -> Group:
        return self

    def __next__(self) -> Any:
        whole = self._whole
        if whole._group != self._number:
            raise StopIteration
        if not whole._waits:
            whole._take()
        if whole._now != whole._target:
            raise StopIteration
        whole._waits = False
        return whole._item


def groups(
    whole: type[Groups], group: type[Group], items: Iterator[Any], key: Any
) -> Groups:
    return whole(group, items, key)


class Source:
    """An iterator, with the items that have been taken from it."""

    def __init__(self, items: Iterator[Any]) -> None:
        self.items = items
        self.taken: list[Any] = []


class Copy:
    """One of several iterators over the items of a source."""

    def __init__(self, source: Source, at: int) -> None:
        self.source = source
        self.at = at

    def __iter__(self) -> Copy:
        return self

    def __next__(self) -> Any:
        source = self.source
        if self.at == len(source.taken):
            source.taken.append(next(source.items))
        self.at += 1
        return source.taken[self.at - 1]


def copies(
    source: type[Source], copy: type[Copy], items: Iterator[Any], n: int
) -> tuple[Copy, ...]:
    if n < 0:
        raise ValueError("n must be >= 0")
    begun = source(items)
    made: tuple[Copy, ...] = ()
    for _ in times(n):
        made = (*made, copy(begun, 0))
    return made


def more_copies(copy: type[Copy], one: Copy, n: int) -> tuple[Copy, ...]:
    """Return iterators that go on where one of several is."""
    count = known(n)
    if count < 0:
        raise ValueError("n must be >= 0")
    made: tuple[Copy, ...] = () if COPIES or count == 0 else (one,)
    for _ in times(count if COPIES else count - 1):
        made = (*made, copy(one.source, one.at))
    return made
