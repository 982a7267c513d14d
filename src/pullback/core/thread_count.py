"""How many threads compiled code may use; the runtime reads it where it forks."""

from __future__ import annotations

import ctypes
import os

_wanted = ctypes.c_int64(1)


def wanted_address() -> int:
    """Return the address at which the runtime (``pb_fork``) reads how many threads may run."""
    return ctypes.addressof(_wanted)


def let_run(threads: int) -> None:
    """Let so many threads run from now on, the caller's own included."""
    _wanted.value = threads


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
