"""``combinations``, ``permutations`` and their like of any size, as plain Python with ``yield``:
the numbers of the items go through all selections in Python's order.

``slots`` is a tuple of as many None as items are selected, if their number is known when the text
is compiled, else None."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Slots = tuple[None, ...] | None


def at(pool: Sequence[Any], places: list[int], slots: Slots) -> tuple[Any, ...]:
    if slots is None:
        return tuple([pool[k] for k in places])
    return tuple([pool[places[k]] for k, _ in enumerate(slots)])


def combinations(
    pool: Sequence[Any], r: int, slots: Slots, again: bool
) -> Iterator[tuple[Any, ...]]:
    """``again``: an item may be selected more than once."""
    n = len(pool)
    if r == 0 or (n > 0 if again else r <= n):
        places = [0] * r if again else list(range(r))
        yield at(pool, places, slots)
        k = r - 1
        while k >= 0:
            if places[k] == (n - 1 if again else n - r + k):
                k -= 1
            else:
                places[k] += 1
                for j in range(k + 1, r):
                    places[j] = places[k] if again else places[j - 1] + 1
                yield at(pool, places, slots)
                k = r - 1


def permutations(pool: Sequence[Any], r: int, slots: Slots) -> Iterator[tuple[Any, ...]]:
    n = len(pool)
    if r <= n:
        places, left = list(range(n)), list(range(n, n - r, -1))
        yield at(pool, places[:r], slots)
        k = r - 1
        while k >= 0:
            left[k] -= 1
            if left[k] == 0:
                first = places[k]
                for j in range(k, n - 1):
                    places[j] = places[j + 1]
                places[n - 1] = first
                left[k] = n - k
                k -= 1
            else:
                other = n - left[k]
                places[k], places[other] = places[other], places[k]
                yield at(pool, places[:r], slots)
                k = r - 1
