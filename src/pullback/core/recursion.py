"""Deep recursion: Python's limit and the size of a thread's stack, which a whole process shares.

Both are global, so every change of them is made here: users of the limit are counted, in any
order of threads, and the size of stacks is changed only while one thread is started.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from pullback.core.waiting import Lock, join

__all__ = ["deeply", "recursion_limit", "with_large_stack"]

T = TypeVar("T")

STACK_BYTES = 512 * 1024 * 1024
PYTHON_FRAMES = 400_000

_lock = Lock()
_wanted: list[int] = []
"""The limits that are asked for at present, by all threads."""

_outside = 0
"""The limit that held before the first of them."""

_set = 0
"""The limit that was set last here. If another one holds, it is left alone."""


@contextmanager
def recursion_limit(least: int) -> Iterator[None]:
    """Raise Python's recursion limit to at least ``least`` while the body runs.

    Several threads may ask at once: the largest limit holds until its last user has ended, and
    the last of all brings back the limit that held before the first.

    >>> before = sys.getrecursionlimit()
    >>> with recursion_limit(before + 1000):
    ...     sys.getrecursionlimit() - before
    1000
    >>> sys.getrecursionlimit() - before
    0
    """
    _change(_wanted.append, least)
    try:
        yield
    finally:
        _change(_wanted.remove, least)


def _change(change: Callable[[int], None], limit: int) -> None:
    """Change the limits that are asked for, and set what follows from them."""
    global _outside, _set
    with _lock:
        now = sys.getrecursionlimit()
        if not _wanted or now != _set:
            _outside = now
        change(limit)
        _set = max(_outside, *_wanted) if _wanted else _outside
        if _set != now:
            sys.setrecursionlimit(_set)


def deeply(run: Callable[[], T]) -> T:
    """Return ``run()``, which can be run again: on a large stack, where it recurses deeper than
    Python allows. Passes recurse over nested blocks, and a chain of a thousand conditions is one
    thousand deep."""
    try:
        return run()
    except RecursionError:
        return with_large_stack(run)


def with_large_stack(run: Callable[[], T]) -> T:
    """Return ``run()``, run in another thread with a large stack, or raise what it raises.

    The waiting thread can be interrupted at any moment. The other one then ends by the same
    exception, at its next bytecode."""
    results: list[T] = []
    errors: list[BaseException] = []
    given_up = threading.Event()

    def work() -> None:
        if given_up.is_set():
            return
        try:
            with np.errstate(all="ignore"), recursion_limit(PYTHON_FRAMES):
                results.append(run())
        except BaseException as e:  # the waiting thread raises it
            errors.append(e)

    worker = threading.Thread(target=work, name="pullback-deep", daemon=True)

    def start() -> None:
        """Start the worker. Python's signal handlers never run here, in a thread of its own, so
        nothing comes between the change of the size and its return."""
        with _lock:
            before = threading.stack_size(STACK_BYTES)
            try:
                worker.start()
            except RuntimeError:  # the system gives no thread, or no memory for its stack
                errors.append(MemoryError(f"a thread with a stack of {STACK_BYTES >> 20} MiB"))
            finally:
                threading.stack_size(before)

    starter = threading.Thread(target=start, name="pullback-start")
    try:
        starter.start()
        join(starter)
        if worker.ident is not None:
            join(worker)
    except BaseException as e:
        given_up.set()
        if worker.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(worker.ident), ctypes.py_object(type(e))
            )
        raise
    if errors:
        raise errors[0]
    return results[0]
