"""``sys.stdout`` and ``sys.stderr`` as attributes that a program may assign
(``contextlib.redirect_stdout``). Such a variable begins with a mark for the stream outside."""

from __future__ import annotations

import sys


class Stream:
    """What stands under this name in ``sys`` when it is written to."""

    def __init__(self, name: str) -> None:
        self.name = name

    def write(self, text: str) -> None:
        getattr(sys, self.name).write(text)

    def flush(self) -> None:
        getattr(sys, self.name).flush()


STREAMS = {name: Stream(name) for name in ("stdout", "stderr")}

__all__ = ["STREAMS", "Stream"]
