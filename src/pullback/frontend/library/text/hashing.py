"""The index of a hash table as plain Python that the front end compiles (``compiled_text``).

An index is a list of ints, as long as a power of two, of which more than half are 0. The key of
entry e is looked for from the place that follows from the key (``first``), one place after the
other, until e + 1 or 0 stands there: so a look-up takes a few steps, however many entries there
are. -1 stands where an entry has been deleted. No function raises anything (``catching``).
"""

from __future__ import annotations

from typing import Any

from pullback.frontend.library.hashing_steps import after, code, first, number, same

Keys = Any
Index = list[int]


def find(keys: Keys, index: Index, key: Any, holes: bool) -> int:
    """Return the number of the entry with this key, or -1. ``holes``: some may be deleted."""
    number_of_key = code(key)  # at once: what looks for the key next has it too
    if len(index) == 0:
        return -1
    return number(index, _place(keys, index, key, number_of_key, holes)) - 1


def place(keys: Keys, index: Index, key: Any) -> int:
    """Return where in the index the key is, or a free place where it could be put."""
    return _place(keys, index, key, code(key), True)


def _place(keys: Keys, index: Index, key: Any, number_of_key: int, holes: bool) -> int:
    at = first(number_of_key, index)
    while _goes_on(keys, index, at, key, holes):
        at = after(at, index)
    return at


def _goes_on(keys: Keys, index: Index, at: int, key: Any, holes: bool) -> bool:
    e = number(index, at)
    return e != 0 and ((holes and e < 0) or not same(keys, e - 1, key))


def free(index: Index, key: Any) -> int:
    """Return a free place for a key that is in no entry."""
    at = first(code(key), index)
    while number(index, at) != 0:
        at = after(at, index)
    return at


def following(there: list[bool], start: int) -> int:
    """Return the first entry from ``start`` on that has not been deleted, of which there is one.
    """
    e = start
    while not there[e]:
        e += 1
    return e


def last(there: list[bool], start: int) -> int:
    """Return the last entry that has not been deleted, of which there is one."""
    e = len(there) - 1
    while not there[e]:
        e -= 1
    return e


def indexed(keys: Keys, size: int) -> Index:
    """Return an index with ``size`` places for these keys."""
    index = [0] * size
    for e in range(len(keys)):
        index[free(index, keys[e])] = e + 1
    return index


def size_for(count: int) -> int:
    """Return how many places an index has when it is made for so many entries and one more."""
    size = 8
    while size < 4 * (count + 1):
        size = 2 * size
    return size
