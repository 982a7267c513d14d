"""``combinations``, ``permutations``, ``product`` and their like of any size, as plain Python with
``yield``: the numbers of the items go through all selections in Python's order.

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


def product(pools: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """One item of each, and of the last ones first all."""
    kept = [list(pool) for pool in pools]
    sizes = [len(pool) for pool in kept]
    count = len(sizes)
    if 0 not in sizes:
        places = [0] * count
        yield tuple([kept[k][places[k]] for k in range(count)])
        k = count - 1
        while k >= 0:
            if places[k] == sizes[k] - 1:
                places[k] = 0
                k -= 1
            else:
                places[k] += 1
                yield tuple([kept[j][places[j]] for j in range(count)])
                k = count - 1


def repeated(pool: Sequence[Any], repeat: int) -> Iterator[tuple[Any, ...]]:
    """``product(pool, repeat=repeat)``."""
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    n = len(pool)
    if repeat == 0 or n > 0:
        places = [0] * repeat
        yield at(pool, places, None)
        k = repeat - 1
        while k >= 0:
            if places[k] == n - 1:
                places[k] = 0
                k -= 1
            else:
                places[k] += 1
                yield at(pool, places, None)
                k = repeat - 1
