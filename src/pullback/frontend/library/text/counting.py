"""The methods of ``collections.Counter`` that dicts do not have, as plain Python that the front end
compiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
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
