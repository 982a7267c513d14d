"""Iterators of ``itertools`` as plain Python with ``yield``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def compress(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    for item, kept in zip(data, selectors, strict=False):
        if kept:
            yield item
