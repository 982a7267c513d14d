"""Whether two items of containers are equal, in plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any


def are_equal(a: Any, b: Any) -> bool:
    """Return whether two items are one object or equal, as Python does for items."""
    return a is b or a == b


__all__ = ["are_equal"]
