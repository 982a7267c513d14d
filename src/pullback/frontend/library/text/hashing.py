"""The index of a hash table as plain Python that the front end compiles (``compiled_text``).

An index is a list of ints, as long as a power of two, of which no more than three fifths are used.
The key of entry e is looked for from the place that follows from the key (``first``), one place
after the other (``after``), until e + 1 or 0 stands there: so a look-up takes a few steps, however
many entries there are. -e - 1 stands where entry e has been deleted. No function raises anything
(``catching``). The index of a set (``pythons``) is CPython's own table (``setobject.c``): a set is
gone through in its order.
"""

from __future__ import annotations

from typing import Any

from pullback.frontend.library.hashing_steps import after, code, first, number, same

Keys = Any
Index = list[int]


def find(keys: Keys, index: Index, key: Any, holes: bool, pythons: bool) -> int:
    """Return the number of the entry with this key, or -1. ``holes``: some may be deleted."""
    number_of_key = code(key, pythons)  # at once: what looks for the key next has it too
    if len(index) == 0:
        return -1
    return number(index, _place(keys, index, key, number_of_key, holes, pythons)) - 1


def place(keys: Keys, index: Index, key: Any, pythons: bool) -> int:
    """Return where in the index the key is, or a free place where it could be put."""
    return _place(keys, index, key, code(key, pythons), True, pythons)


def _place(
    keys: Keys, index: Index, key: Any, number_of_key: int, holes: bool, pythons: bool
) -> int:
    at = start = first(number_of_key, index)
    rest = number_of_key
    while _goes_on(keys, index, at, key, holes):
        at, start, rest = after(at, start, rest, index, pythons)
    return at


def _goes_on(keys: Keys, index: Index, at: int, key: Any, holes: bool) -> bool:
    e = number(index, at)
    return e != 0 and ((holes and e < 0) or not same(keys, e - 1, key))


def free(index: Index, key: Any, pythons: bool) -> int:
    """Return the free place for a key that is in no entry."""
    rest = code(key, pythons)
    at = start = first(rest, index)
    while number(index, at) != 0:
        at, start, rest = after(at, start, rest, index, pythons)
    return at


def free_again(index: Index, key: Any, pythons: bool) -> int:
    """Return the same, or the last place on the way there where an entry has been deleted."""
    rest = code(key, pythons)
    at = start = first(rest, index)
    deleted = -1
    while number(index, at) != 0:
        if number(index, at) < 0:
            deleted = at
        at, start, rest = after(at, start, rest, index, pythons)
    return at if deleted < 0 else deleted


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


def indexed(keys: Keys, size: int, pythons: bool) -> Index:
    """Return an index with ``size`` places for these keys."""
    index = [0] * size
    for e in range(len(keys)):
        index[free(index, keys[e], pythons)] = e + 1
    return index


def laid_out(places: list[int], size: int) -> Index:
    """Return an index of this size with entries at these places (at p for ``~p``: a deleted one).
    """
    index = [0] * size
    for e, at in enumerate(places):
        if at < 0:
            index[~at] = -e - 1
        else:
            index[at] = e + 1
    return index


def size_above(count: int) -> int:
    """Return the least size of an index that is more than ``count``."""
    size = 8
    while size <= count:
        size = 2 * size
    return size


def size_after(live: int) -> int:
    """Return the size of an index after one that has become full, with so many entries left."""
    return size_above(2 * live if live > 50000 else 4 * live)


def size_of_copy(live: int) -> int:
    """Return the size of the index of a copy of a set."""
    return size_above(2 * live) if live >= 5 else 8


def is_sparse(used: int, live: int, size: int) -> bool:
    """Whether entries have been deleted at more than a quarter of the places of an index."""
    return used - live > (size - 1) // 4


def following_place(index: Index, start: int) -> int:
    """Return the first place from ``start`` on (and then from the front) where there is an entry.
    """
    at = first(start, index)
    while number(index, at) <= 0:
        at = first(at + 1, index)
    return at
