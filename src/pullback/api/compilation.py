"""``pb.jit``: the function itself, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.api.operator_objects import PUBLIC, Operator
from pullback.call.binding import register_operators
from pullback.call.request import Request, What

_VALUE = Request(What.VALUE)


def jit(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f``, compiled: a function with the results of ``f`` itself.

    It is compiled for the types of the arguments at the first call with such types: numbers, arrays
    (of the shapes that NumPy gives), lists, dicts, records. Errors that ``f`` raises are raised; a
    function that cannot be compiled is refused with a ``PullbackError`` that shows the place.

    >>> jit(_square)(3.0)
    9.0
    """
    return Operator(f, _VALUE, ("jit",))


def _square(x: float) -> float:
    """For the examples above."""
    return x * x


register_operators(jit=jit)
PUBLIC["jit"] = jit


__all__ = ["jit"]
