"""The entries of tracebacks: which are of this package, and a traceback of some of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import PurePath
from types import TracebackType

TRACE = "PULLBACK_TRACE"
"""The variable of the environment that asks for whole tracebacks: it is 1."""

_HERE = f"{PurePath(__file__).parents[1]}{os.sep}"
_DEMO = f"{_HERE}demo{os.sep}"


def wants_all() -> bool:
    """Whether whole tracebacks are asked for."""
    return os.environ.get(TRACE, "") not in ("", "0")


def is_own(file: str) -> bool:
    """Whether a file, or a text that was written at run time, is a part of this package."""
    own = file.startswith(("<pullback", _HERE))
    return own and not file.startswith(_DEMO)


def frames(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback, the outermost first."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def chained(entries: list[TracebackType]) -> TracebackType | None:
    """The traceback of these entries."""
    made: TracebackType | None = None
    for entry in reversed(entries):
        made = TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made


__all__ = ["TRACE", "chained", "frames", "is_own", "wants_all"]
