"""Copies of lists and dicts of any length, as plain Python that the front end compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def of_items(items: list[Any], copied: Callable[[Any], Any]) -> list[Any]:
    """Return a list of copies of the items."""
    return [copied(x) for x in items]


def of_entries(items: dict[Any, Any], copied: Callable[[Any], Any]) -> dict[Any, Any]:
    """Return a dict of copies of the values."""
    return {k: copied(x) for k, x in items.items()}


def in_order(items: list[Any], copied: Callable[[Any, Any], Any], at: Any) -> list[Any]:
    """Return a list of copies of the items, made one after the other."""
    made = []
    for x in items:
        made.append(copied(x, at))  # each may be a row of a region
    return made
