"""What ``collections.Counter`` and ``OrderedDict`` do that dicts do not, and how ranges
and lists are compared, as plain Python that the front end compiles."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any


def most_common(self: Counter[Any], n: int | None = None) -> list[tuple[Any, int]]:
    """Return the pairs with the largest numbers; of equal ones, those that were put in first."""
    pairs = sorted(self.items(), key=lambda pair: pair[1], reverse=True)
    return pairs if n is None else pairs[: max(n, 0)]


def elements(self: Counter[Any]) -> Iterator[Any]:
    for key, n in self.items():
        for _ in range(n):
            yield key


def total(self: Counter[Any]) -> int:
    return sum(self.values())


def added(self: Counter[Any], other: Counter[Any]) -> Counter[Any]:
    made: Counter[Any] = Counter()
    for key, n in self.items():
        if n + other[key] > 0:
            made[key] = n + other[key]
    for key, n in other.items():
        if key not in self and n > 0:
            made[key] = n
    return made


def subtracted(self: Counter[Any], other: Counter[Any]) -> Counter[Any]:
    made: Counter[Any] = Counter()
    for key, n in self.items():
        if n - other[key] > 0:
            made[key] = n - other[key]
    for key, n in other.items():
        if key not in self and n < 0:
            made[key] = 0 - n
    return made


def joined(self: Counter[Any], other: Counter[Any]) -> Counter[Any]:
    made: Counter[Any] = Counter()
    for key, n in self.items():
        most = other[key] if n < other[key] else n
        if most > 0:
            made[key] = most
    for key, n in other.items():
        if key not in self and n > 0:
            made[key] = n
    return made


def met(self: Counter[Any], other: Counter[Any]) -> Counter[Any]:
    made: Counter[Any] = Counter()
    for key, n in self.items():
        least = n if n < other[key] else other[key]
        if least > 0:
            made[key] = least
    return made


OPERATORS = {"+": added, "-": subtracted, "|": joined, "&": met}


def equal(self: Counter[Any], other: Counter[Any]) -> bool:
    """Whether two have the same numbers; of what is not there there are 0."""
    mine = all(n == other[key] for key, n in self.items())
    return mine and all(n == self[key] for key, n in other.items())


def equal_ranges(self: range | slice, other: Any) -> bool:
    """Whether two ranges have the same numbers, or two slices the same bounds."""
    if isinstance(self, slice):
        bounds: bool = (self.start, self.stop, self.step) == (other.start, other.stop, other.step)
        return bounds
    n = len(self)
    return n == len(other) and (n == 0 or (self[0] == other[0] and self[-1] == other[-1]))


def in_order(self: Sequence[Any], other: Sequence[Any], op: Callable[[Any, Any], bool]) -> bool:
    """Whether two lists or tuples are in an order: the first items that differ decide, or the
    lengths."""
    for k in range(min(len(self), len(other))):
        if self[k] != other[k]:
            return op(self[k], other[k])
    return op(len(self), len(other))


def same_order(self: OrderedDict[Any, Any], other: OrderedDict[Any, Any]) -> bool:
    return list(self) == list(other) and list(self.values()) == list(other.values())
