"""Signatures that show types: ``help`` and ``inspect.signature`` read annotations as they are."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

F = TypeVar("F", bound=Callable[..., Any])


def with_types(f: F) -> F:
    """Return a function whose annotations are types, where its module has them as texts."""
    inner = inspect.unwrap(f)
    inner.__annotations__ = f.__annotations__ = get_type_hints(inner)
    return f


__all__ = ["with_types"]
