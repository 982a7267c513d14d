"""``functools.wraps`` and ``cmp_to_key`` as plain Python: compiled functions have no names and no
documentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def wraps(wrapped: Callable[..., Any]) -> Callable[..., Any]:
    return lambda wrapper: wrapper


class _Key:
    """The key of an item that a function of two items compares with others."""

    def __init__(self, compare: Callable[[Any, Any], Any], item: Any) -> None:
        self.compare, self.item = compare, item

    def __lt__(self, other: _Key) -> bool:
        return bool(self.compare(self.item, other.item) < 0)


def cmp_to_key(mycmp: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    return lambda item: _Key(mycmp, item)
