"""Compile without collections of cyclic garbage.

What the compiler makes is freed by its reference counts or is kept. A collection looks at all
objects of the process all the same, and the compiler makes so many that one follows another."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
                gc.enable()
            except BaseException:  # an interrupt may come even here
                gc.enable()
                raise
