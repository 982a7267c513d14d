"""Wait for threads, locks, events and processes in steps, so that no signal waits with them.

Python runs a signal handler between two bytecodes, or when a signal ends a wait of the system. A
signal that comes after the last bytecode and before the wait does neither: its handler runs when
the wait is over. So nothing here or in the tests waits without a limit
(``tests/house/test_waiting.py``): after each step the main thread runs bytecode, and with it the
handlers of what has come.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Protocol

STEP = 0.05
"""The seconds of a step: so late is a signal that came between the bytecode and the wait."""


class Worker(Protocol):
    """A thread or a process."""

    def is_alive(self) -> bool: ...
    def join(self, timeout: float | None = None) -> None: ...


class Happening(Protocol):
    """An event."""

    def wait(self, timeout: float | None = None) -> bool: ...


def join(worker: Worker) -> None:
    """Wait until a thread or a process has ended."""
    while worker.is_alive():
        worker.join(STEP)


def wait(event: Happening) -> None:
    """Wait until an event is set."""
    while not event.wait(STEP):
        pass


def child(pid: int) -> int:
    """Wait until a child process has ended, and return its status as ``os.waitpid`` does."""
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        time.sleep(STEP / 10)


class Lock:
    """A lock for a ``with`` statement, which the thread that holds it may take again.

    An exception of a signal handler comes out of the wait without the lock, and never while it is
    given back: the ``with`` statement gets the ``__exit__`` of C's lock."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        taken: list[bool] = []
        try:
            while not (taken and taken[-1]):
                # one step of C: no handler runs between the lock and the note that it is taken
                taken.extend(map(self._lock.acquire, (True,), (STEP,)))
        except BaseException:
            if taken and taken[-1]:
                self._lock.release()
            raise

    @property
    def __exit__(self) -> Callable[..., None]:
        return self._lock.__exit__


__all__ = ["STEP", "Lock", "child", "join", "wait"]
