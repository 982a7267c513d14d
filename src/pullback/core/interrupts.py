"""Know which thread handles signals: compiled code leaves the others alone, LLVM runs in another.

Python runs signal handlers in its main thread only, so only a loop of that thread has a reason to
take the GIL from time to time. In the child of a fork the main thread is the one that forked."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pullback.core.waiting import join, wait

_F = TypeVar("_F", bound=Callable[..., Any])

_main = (ctypes.c_uint64 * 3)(threading.main_thread().ident or 0)
"""The main thread; the thread whose time is limited, and when that ends."""

_unlimited = [True]
"""Has an item while no time is limited; ``pop`` is one step."""


class TooLongError(BaseException):
    """Compiled code has run for as long as it may (``within``)."""


@contextlib.contextmanager
def within(seconds: float) -> Iterator[bool]:
    """Let compiled code of this thread raise TooLongError when it has run for so long. Give False
    where the time of another thread is limited already."""
    try:
        _unlimited.pop()
    except IndexError:
        yield False
        return
    try:
        _main[2] = time.monotonic_ns() + int(seconds * 1e9)
        _main[1] = threading.get_ident()
        yield True
    finally:
        _main[1] = 0
        _unlimited.append(True)


def main_thread_address() -> int:
    """Return the address at which the runtime (``pb_poll``) reads the identity of the main thread,
    and whose time is limited."""
    return ctypes.addressof(_main)


def _forked() -> None:
    _main[0], _main[1] = threading.get_ident(), 0
    _unlimited[:] = [True]
    _running.clear()  # no other thread lives here


os.register_at_fork(after_in_child=_forked)


_running: set[threading.Event] = set()
"""One for each call that another thread makes, set at its end."""


@atexit.register
def _wait_for_calls() -> None:
    """Let the interpreter end after the calls that were given up: it would end under them, since
    Python takes a thread whose ``join`` was interrupted for one that has ended."""
    for ended in tuple(_running):
        wait(ended)


def shielded(f: _F) -> _F:
    """Return a function that calls ``f`` in another thread if the main thread calls it and waits.

    An interrupt ends the wait at once, whatever LLVM is doing, and the other thread goes on to its
    end. So no signal handler runs between two steps of llvmlite, where an exception would free an
    object of LLVM twice, or inside a ``__del__``, where it would be lost."""

    @functools.wraps(f)
    def run(*args: Any, **kwargs: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return f(*args, **kwargs)
        results: list[Any] = []
        errors: list[BaseException] = []
        ended = threading.Event()

        def work() -> None:
            _running.add(ended)
            try:
                results.append(f(*args, **kwargs))
            except BaseException as error:  # the waiting thread raises it
                errors.append(error)
            finally:
                ended.set()
                _running.discard(ended)

        thread = threading.Thread(target=work, name="pullback-llvm")
        thread.start()
        join(thread)
        if errors:
            raise errors.pop()
        return results.pop()

    return run  # type: ignore[return-value]  # the wrapper has the signature of f
