"""Compile without collections of cyclic garbage.

What the compiler makes is freed by its reference counts or is kept, but for a third or so. A
collection looks at all young objects of the process, and the compiler makes so many that one would
follow another, and a last one take a tenth of the time of a compilation. So what it has made is
old at once; a collection of everything follows when there has been much of it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 1_000_000
"""So many objects are made before a collection of everything, which frees at most 200 MB."""

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
    given back, is. (What the user has taken out of its sight would be given back, too.)"""
    global _made
    _made += gc.get_count()[0]
    if _made > MOST:
        _made = 0
        gc.collect()
    elif not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
