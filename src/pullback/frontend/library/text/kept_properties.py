"""``functools.cached_property``, as plain Python that the front end compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def kept(self: Any, make: Callable[[Any], Any], name: str) -> Any:
    """Return what a function makes of an object, and keep it there under a name."""
    value = make(self)
    setattr(self, name, value)
    return value


__all__ = ["kept"]
