"""What refusals say: where a program has no derivative, and which data has no type."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from pullback.ad.sweep import DerivativeError
from pullback.errors import ArgumentValueError, UnsupportedError
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.python.pytypes import types_of


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """What cannot be differentiated is shown at its place in the user's source."""
    try:
        yield
    except DerivativeError as e:
        raise UnsupportedError(e.reason, site=e.let.site) from None


def kinds_of(args: Sequence[object]) -> tuple[Kind, ...]:
    """The types of all arguments. Data that contains itself has none."""
    try:
        return types_of(args)
    except RecursionError:
        raise ArgumentValueError(
            "an argument contains itself, or is nested too deep",
            "pass data without cycles; of deep trees frozen dataclasses that name their own type",
        ) from None


__all__ = ["kinds_of", "refusals"]
