"""``functools.wraps`` as plain Python: compiled functions have no names and no documentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def wraps(wrapped: Callable[..., Any]) -> Callable[..., Any]:
    return lambda wrapper: wrapper
