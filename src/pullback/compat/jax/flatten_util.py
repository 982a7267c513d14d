"""``jax.flatten_util.ravel_pytree``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.compat.autograd.misc.flatten import flatten


def ravel_pytree(pytree: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the numbers of a structure as a vector, and the function from such a vector to a
    structure."""
    return flatten(pytree)


__all__ = ["ravel_pytree"]
