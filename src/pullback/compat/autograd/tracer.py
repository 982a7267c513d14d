"""What autograd asks of traced values: there are none."""

from __future__ import annotations

from typing import Any

from pullback.combinators import stop_gradient
from pullback.compat.autograd.extend import notrace_primitive, primitive


def getval(x: Any) -> Any:
    """Return the value without its derivative."""
    return stop_gradient(x)


def isbox(x: Any) -> bool:
    """Whether a value is traced: none is."""
    return False


__all__ = ["getval", "isbox", "notrace_primitive", "primitive"]
