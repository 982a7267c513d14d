"""The class method of dicts, as plain Python that the front end compiles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def fromkeys(iterable: Iterable[Any], value: Any = None, /) -> dict[Any, Any]:
    """Return a dict with these keys, which all have the one value."""
    return {key: value for key in iterable}
