"""What classes of named tuples do, as plain Python to be compiled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def make(cls: Any, iterable: Iterable[Any]) -> Any:
    """Return ``cls._make(iterable)``."""
    items = tuple(iterable)
    if len(items) != len(cls._fields):
        raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(items)}")
    return cls(*items)
