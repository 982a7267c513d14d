"""A signal that comes after the last bytecode and before a wait is handled within a step."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from pullback.core.interrupts import shielded
from pullback.core.recursion import with_large_stack
from pullback.core.waiting import Lock, child, join, wait


@pytest.fixture
def asleep() -> Iterator[Callable[[], None]]:
    """What a worker does: it takes the signal upon itself, so that Python notes the signal while
    the main thread waits and nothing ends the wait, and works on until the test ends."""
    done = threading.Event()
    main = threading.main_thread().ident

    def work() -> None:
        time.sleep(0.01)  # the main thread begins to wait
        assert threading.get_ident() != main
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        deadline = time.monotonic() + 30
        while not done.wait(0.001) and time.monotonic() < deadline:
            pass

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield work
    done.set()
    signal.signal(signal.SIGINT, handler)


def started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def waits_for_a_thread(work: Callable[[], None]) -> None:
    join(started(work))


def waits_for_an_event(work: Callable[[], None]) -> None:
    started(work)
    wait(threading.Event())


def waits_for_a_lock(work: Callable[[], None]) -> None:
    lock, held = Lock(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            work()

    started(hold)
    assert held.wait(10)
    with lock:
        pass


def waits_for_a_deep_thread(work: Callable[[], None]) -> None:
    with_large_stack(work)


def waits_for_llvm(work: Callable[[], None]) -> None:
    shielded(work)()


@pytest.mark.parametrize("waiting", [
    waits_for_a_thread, waits_for_an_event, waits_for_a_lock, waits_for_a_deep_thread,
    waits_for_llvm,
])  # fmt: skip
def test_a_signal_that_comes_before_the_wait(
    waiting: Callable[[Callable[[], None]], None], asleep: Callable[[], None]
) -> None:
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        waiting(asleep)
    assert time.monotonic() - before < 20  # the worker gives up after 30


def test_a_lock_that_is_interrupted_is_not_taken(asleep: Callable[[], None]) -> None:
    """Whoever waits and is interrupted leaves the lock to others; its holder may take it again."""
    lock, held, end = Lock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock, lock:
            held.set()
            assert end.wait(10)

    holder = started(hold)
    assert held.wait(10)
    with pytest.raises(KeyboardInterrupt):
        started(asleep)
        with lock:
            raise AssertionError
    end.set()
    join(holder)
    got: list[bool] = []

    def take() -> None:
        with lock:
            got.append(True)

    started(take).join(10)
    assert got == [True]


def test_a_child_process() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(3)
    assert os.waitstatus_to_exitcode(child(pid)) == 3
