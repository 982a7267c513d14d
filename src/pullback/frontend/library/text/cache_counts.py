"""What ``cache_info()`` of a function that keeps its results gives."""

from __future__ import annotations

from typing import NamedTuple


class CacheInfo(NamedTuple):
    hits: int
    misses: int
    maxsize: int | None
    currsize: int
