"""What users give the operators by mistake: errors that say how they are called; and an error that
may be a mistake of the compiler's own."""

from __future__ import annotations

from typing import Any

from pullback.errors import ArgumentTypeError, brief
from pullback.frontend.kinds.extents import NO_BROADCAST


def may_broadcast(error: Exception) -> bool:
    """Whether the error may be due to extents that were assumed to be equal."""
    match error.args:  # which may be arrays
        case (str(text),):
            return text == NO_BROADCAST
        case _:
            return False


def require_function(f: object, operator: str, use: str) -> None:
    """A TypeError unless f can be called; ``use``: how the operator is used."""
    if not callable(f):
        raise ArgumentTypeError(
            f"pb.{operator} is applied to a function, not to {brief(f)}", f"write {use}"
        )


def values_of(given: object, operator: str) -> tuple[Any, ...]:
    """The values that are given as one argument, a tuple or a list of them."""
    if type(given) is tuple:
        return given
    if not isinstance(given, (tuple, list)):
        raise ArgumentTypeError(
            f"pb.{operator} takes a tuple with one value for each argument, not {brief(given)}",
            "write (x,) for a single one",
        )
    return tuple(given)


__all__ = ["may_broadcast", "require_function", "values_of"]
