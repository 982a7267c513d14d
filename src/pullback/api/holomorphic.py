"""Holomorphic functions: the gradient of the real part is the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def real_part(f: Callable[..., Any], has_aux: bool) -> Callable[..., Any]:
    """Return the function of the real part of what ``f`` returns (with ``has_aux``, beside it)."""

    def real(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs).real

    def real_and_aux(*args: Any, **kwargs: Any) -> Any:
        value, aux = f(*args, **kwargs)
        return value.real, aux

    return real_and_aux if has_aux else real


__all__ = ["real_part"]
