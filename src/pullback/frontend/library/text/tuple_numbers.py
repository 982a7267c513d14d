"""The numbers of tuples of any length as keys of hash tables."""

from __future__ import annotations

from typing import Any

from pullback.frontend.library.tuple_steps import ended, joined, none


def of_items(items: Any) -> int:
    """Return a number that follows from the items of a tuple, as from a key."""
    code = none()
    for item in items:
        code = joined(code, item)
    return ended(code, len(items))
