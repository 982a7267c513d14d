"""What Python has read from standard input: it keeps no text of that before 3.13, but others may.

A file that was redirected (``python < file``, in many shells a here-document too) can be read once
more, from its beginning. What was typed at the prompt is in the history of ``readline``, line by
line. Whether such a text is the source of a function is proved as of any other (``texts``).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator

STDIN = "<stdin>"
"""The name that Python gives to what it reads there."""

MOST_STATEMENTS = 200
"""So many statements of the history are looked at, from the last one on."""

_GO_ON = (" ", "\t", ")", "]", "}", "else", "elif", "except", "finally", "case")
"""Beginnings of lines that go on with a statement."""

_MOST_BYTES = 1 << 24


def typed() -> Iterator[str]:
    """Iterate over the texts that standard input may have given, the likeliest first."""
    yield from _redirected()
    yield from _history()


def _redirected() -> Iterator[str]:
    try:
        size = os.fstat(0).st_size
        if stat.S_ISREG(os.fstat(0).st_mode) and size <= _MOST_BYTES:
            yield os.pread(0, size, 0).decode()  # which leaves the place of its reader
    except (OSError, UnicodeDecodeError):
        return


def _history() -> Iterator[str]:
    readline = sys.modules.get("readline")  # which the prompt has imported
    if readline is None:
        return
    count = readline.get_current_history_length()
    lines = [readline.get_history_item(k) or "" for k in range(max(1, count - 4000), count + 1)]
    end, found = len(lines), 0
    for k in range(len(lines) - 1, -1, -1):
        if lines[k].startswith(_GO_ON) or not lines[k].strip():
            continue
        text = "\n".join(lines[k:end]) + "\n"
        yield text
        found += 1
        if found >= MOST_STATEMENTS:
            return
        if k and not lines[k - 1].startswith("@"):
            end = k


__all__ = ["STDIN", "typed"]
