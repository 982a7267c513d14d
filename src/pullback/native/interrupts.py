"""Which thread handles signals: compiled code leaves the others alone.

Python runs signal handlers in its main thread only, so only a loop of that thread has a reason
to take the GIL from time to time. In the child of a fork it is the thread that forked."""

from __future__ import annotations

import ctypes
import os
import threading

_main = ctypes.c_uint64(threading.main_thread().ident or 0)


def main_thread_address() -> int:
    """Where the identity of the main thread is kept, for the runtime (``pb_poll``) to read."""
    return ctypes.addressof(_main)


def _forked() -> None:
    _main.value = threading.get_ident()


os.register_at_fork(after_in_child=_forked)
