"""What errors of compilation and of calls say: where a program has no derivative, which data has no
type, and whether an assumption about extents was wrong."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from pullback.ad.sweep import DerivativeError
from pullback.errors import ArgumentValueError, UnsupportedError
from pullback.frontend.kinds.extents import NO_BROADCAST
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.python.pytypes import types_of


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """What cannot be differentiated is shown at its place in the user's source."""
    try:
        yield
    except DerivativeError as e:
        raise UnsupportedError(e.reason, site=e.let.site) from None


def may_broadcast(error: Exception) -> bool:
    """Whether the error may be due to extents that were assumed to be equal."""
    match error.args:  # which may be arrays
        case (str(text),):
            return text == NO_BROADCAST
        case _:
            return False


def kinds_of(args: Sequence[object]) -> tuple[Kind, ...]:
    """The types of all arguments. Data that contains itself has none."""
    try:
        return types_of(args)
    except RecursionError:
        raise ArgumentValueError(
            "an argument contains itself, or is nested too deep",
            "pass data without cycles; of deep trees frozen dataclasses that name their own type",
        ) from None


__all__ = ["kinds_of", "may_broadcast", "refusals"]
