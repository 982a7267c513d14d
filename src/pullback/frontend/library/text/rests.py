"""What ``f(*items)`` does where only the run knows how many items there are, as plain Python to be
compiled."""

from __future__ import annotations

from typing import Any


def itself(value: Any) -> Any:
    """What a call gives that has been made already."""
    return value


def after(items: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """Return the items without the first ``count``: those that ``*rest`` takes."""
    return items[count:]


def largest(items: tuple[Any, ...]) -> Any:
    """Return ``max(*items)`` of numbers."""
    if len(items) == 0:
        raise TypeError("max expected at least 1 argument, got 0")
    if len(items) == 1:
        raise TypeError(f"{type(items[0]).__name__!r} object is not iterable")
    return max(items)


def least(items: tuple[Any, ...]) -> Any:
    """Return ``min(*items)`` of numbers."""
    if len(items) == 0:
        raise TypeError("min expected at least 1 argument, got 0")
    if len(items) == 1:
        raise TypeError(f"{type(items[0]).__name__!r} object is not iterable")
    return min(items)
