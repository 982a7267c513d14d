"""The tables of Python's own sets, as CPython lays them out: where each item stands.

A set is gone through in the order of its table (``setobject.c``), which follows from the hashes of
its items and from how they were put in and taken out. Compiled code keeps the same table
(``library.text.hashing``), so it goes through sets of ints in the same order. What can differ
between Pythons is found by looking: if the memory of a set does not show what is expected, or a
table is used in another way, loops over such sets are refused, as over others.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Set

import numpy as np

from pullback.core.frozen import dataclass

_SMALL = 8
_MASK, _ENTRIES, _NEXT = 32, 40, 56
"""Where ``mask``, ``table`` and ``finger`` are in a ``PySetObject``: behind two words of every
object, and the numbers of entries that are not free and that are used."""


@dataclass(frozen=True, slots=True)
class SetTable:
    """How many places a table has; those of the items, in the order of the set; those from which
    items were taken out; where ``pop`` goes on."""

    size: int
    places: tuple[int, ...]
    deleted: tuple[int, ...]
    following: int = 0


def table_of(value: Set[object]) -> SetTable:
    """Return where the items of a set or frozenset are in its table."""
    size = ctypes.c_ssize_t.from_address(id(value) + _MASK).value + 1
    address = ctypes.c_void_p.from_address(id(value) + _ENTRIES).value
    assert address is not None
    entries = (ctypes.c_ssize_t * (2 * size)).from_address(address)
    keys, hashes = np.frombuffer(memoryview(entries).cast("B"), np.intp).reshape(-1, 2).T.copy()
    items, left_out = (
        tuple(np.flatnonzero((keys != 0) & test).tolist()) for test in (hashes != -1, hashes == -1)
    )
    following = ctypes.c_ssize_t.from_address(id(value) + _NEXT).value
    return SetTable(size, items, left_out, following)


def listed(value: Set[object], flat: bool = False) -> list[object]:
    """Return a set that is not empty as a list of pairs: each item with its place; one of them with
    ``~p`` for each place p from which one was taken out; then with the size of the table, the
    number of items, and the place where ``pop`` goes on. ``flat``: without the pairs."""
    table, items = table_of(value), [*value]
    numbers = [*table.places, *(~p for p in table.deleted)]
    numbers += [table.size, len(items), table.following]
    items += items[:1] * (len(numbers) - len(items))
    if not flat:
        return [*zip(items, numbers, strict=True)]
    found = [*items, *numbers]
    found[::2], found[1::2] = items, numbers
    return found


@functools.cache
def are_known() -> bool:
    """Whether this Python's sets are laid out as is written here."""
    shown = set.__basicsize__ >= _NEXT + 8 and _is_popped() and all(map(_is_as_expected, _EXPECTED))
    return shown and (not uses_again() or _at_the_last())


@functools.cache
def uses_again() -> bool:
    """Whether an item is put where another one has been taken out, on the way to a free place."""
    found = {0, _SMALL}
    found.discard(0)
    found.add(2 * _SMALL)
    return [*found] == [2 * _SMALL, _SMALL]


_EXPECTED: dict[tuple[int, ...], tuple[int, tuple[int, ...], tuple[int, ...]]] = {
    (0, 8): (8, (0, 1), ()),
    (3, 1, 8, 16, -1): (32, (1, 3, 8, 16, 30), ()),
    (0, 8, 16, ~0, ~16): (8, (1,), (0, 6)),
}
"""Items that are put in (``~n``: and n taken out); what the table is then."""


def _is_as_expected(items: tuple[int, ...]) -> bool:
    found = set[int]()
    for n in items:
        if n < 0 and ~n in found:
            found.discard(~n)
        else:
            found.add(n)
    size, places, deleted = _EXPECTED[items]
    return table_of(found) == SetTable(size, places, deleted)


def _is_popped() -> bool:
    found = {1, 2, 5}
    found.pop()
    return table_of(found) == SetTable(_SMALL, (2, 5), (1,), 2)


def _at_the_last() -> bool:
    """Whether it is the last such place on that way that is used."""
    found = {0, 8, 16}
    found -= {0, 16}
    found.add(24)
    return [*found] == [8, 24]


__all__ = ["SetTable", "are_known", "listed", "table_of", "uses_again"]
