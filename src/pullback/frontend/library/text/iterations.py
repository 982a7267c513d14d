"""Iterators of ``itertools`` as plain Python with ``yield``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def compress(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    for item, kept in zip(data, selectors, strict=False):
        if kept:
            yield item


def zip_longest(*iterables: Any, fillvalue: Any = None) -> Iterator[tuple[Any, ...]]:
    n = 0
    for items in iterables:
        n = max(n, len(items))
    for k in range(n):
        yield tuple([items[k] if k < len(items) else fillvalue for items in iterables])
