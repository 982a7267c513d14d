"""Attributes that an object may not have, as plain Python that the front end compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def has(obj: Any, name: str) -> bool:
    """``hasattr(obj, name)``"""
    try:
        getattr(obj, name)
    except AttributeError:
        return False
    return True


def or_default(obj: Any, name: str, default: Any) -> Any:
    """``getattr(obj, name, default)``"""
    try:
        return getattr(obj, name)
    except AttributeError:
        return default


def or_asked(
    obj: Any, name: str, get: Callable[..., Any], given: tuple[Any, ...],
    ask: Callable[[Any, str], Any],
) -> Any:  # fmt: skip
    """Return an attribute that a class computes; ``__getattr__`` is asked if that fails."""
    try:
        return get(obj, *given)
    except AttributeError:
        pass
    return ask(obj, name)


__all__ = ["has", "or_asked", "or_default"]
