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


def check_keywords(
    given: dict[str, Any], names: tuple[str, ...], by_name: tuple[str, ...],
    by_place: tuple[str, ...], f: str, called: str,
) -> None:  # fmt: skip
    """Raise what Python raises if a dict has a name that is no parameter, or one that has its
    argument already."""
    for name in given:
        if name in by_name:
            raise TypeError(f"{called} got multiple values for keyword argument {name!r}")
    for name in given:
        if name in by_place:
            raise TypeError(f"{f}() got multiple values for argument {name!r}")
        if name not in names:
            raise TypeError(f"{f}() got an unexpected keyword argument {name!r}")
