"""Compile without collections of cyclic garbage.

What the compiler makes is freed by its reference counts or is kept, but for a third or so. A
collection looks at all young objects of the process, and the compiler makes so many that one would
follow another. The one after a compilation still takes a tenth of its time, so in a process that
has compiled little what was made is old at once; later it is collected as everything else."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 250_000
"""So many objects are old at once: their garbage, at most 50 MB, waits for a whole collection."""

_made = 0


@contextmanager
def uncollected() -> Iterator[None]:
    """Switch the collector off, and on again if it was on. It is used under the lock of the
    compiler, so no two threads do so at once."""
    collecting = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if collecting:
            try:
                _grow_old()
                gc.enable()
            except BaseException:  # an interrupt may come even here
                gc.enable()
                raise


def _grow_old() -> None:
    """Let all objects be old, in no time: what is taken out of the sight of the collector, and
    given back, is. What the user has taken out of its sight would be given back too, so there it is
    left alone for good (to count that takes long)."""
    global _made
    if _made < MOST:
        _made = MOST if gc.get_freeze_count() else _made + gc.get_count()[0]
        if _made < MOST:
            gc.freeze()
            gc.unfreeze()
