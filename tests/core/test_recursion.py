"""Python's recursion limit and the size of stacks, which several threads change at once."""

from __future__ import annotations

import inspect
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import pullback as pb
from pullback.core.recursion import recursion_limit, with_large_stack
from tests.test_compile_growth import loaded


def now() -> tuple[int, int]:
    return sys.getrecursionlimit(), threading.stack_size()


def depth(n: int) -> int:
    return 1 + depth(n - 1) if n else 0


def test_threads_in_any_order_leave_nothing_behind() -> None:
    before = now()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: with_large_stack(lambda: depth(n)), [30_000] * 32))
    assert found == [30_000] * 32
    assert now() == before


def test_one_inside_another() -> None:
    before = now()
    inner = lambda: with_large_stack(lambda: depth(30_000))
    assert with_large_stack(lambda: inner() + depth(20_000)) == 50_000
    assert now() == before


def test_the_first_to_come_leaves_first() -> None:
    """The limit of the second one holds until its own end."""
    before = sys.getrecursionlimit()
    first, second = recursion_limit(before + 50), recursion_limit(before + 500)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert sys.getrecursionlimit() == before + 500
    second.__exit__(None, None, None)
    assert sys.getrecursionlimit() == before


def test_a_limit_that_somebody_else_sets_is_left_alone() -> None:
    before = sys.getrecursionlimit()
    try:
        with recursion_limit(before + 50):
            sys.setrecursionlimit(before + 7)
        assert sys.getrecursionlimit() == before + 7
    finally:
        sys.setrecursionlimit(before)


def test_errors_come_out() -> None:
    before = now()
    with pytest.raises(ZeroDivisionError):
        with_large_stack(lambda: 1 // 0)
    with pytest.raises(RecursionError):
        with_large_stack(lambda: depth(10**9))
    assert now() == before


def test_an_interrupt_ends_both_threads() -> None:
    """The thread that waits is interrupted; the one that works ends too."""
    workers: list[threading.Thread] = []

    def endless() -> None:
        workers.append(threading.current_thread())
        while True:
            pass

    def send() -> None:
        while not workers:
            time.sleep(0.001)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=send).start()
        with pytest.raises(KeyboardInterrupt):
            with_large_stack(endless)
    finally:
        signal.signal(signal.SIGINT, handler)
    workers[0].join(60)
    assert not workers[0].is_alive()


def test_a_thread_that_the_system_does_not_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raised names the stack, and nothing waits for a thread that never began."""
    begin = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        if thread.name == "pullback-deep":
            raise RuntimeError("can't start new thread")
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(MemoryError, match="a thread with a stack of 512 MiB"):
        with_large_stack(lambda: 1)


CHAIN = "\n".join([
    "def f(x):", "    if x > 60.5: y = x",
    *(f"    elif x > {60 - k}.5: y = x * {k}.25" for k in range(60)),
    "    else: y = x * x", "    return y", "",
])  # fmt: skip


@pytest.mark.parametrize("operator", ["linearize", "vjp", "jvp", "hessian"])
def test_operators_compile_programs_deeper_than_the_limit(operator: str, tmp_path: Path) -> None:
    f, before = loaded(tmp_path / "chain.py", CHAIN), sys.getrecursionlimit()
    runs: dict[str, Callable[[], object]] = {
        "linearize": lambda: pb.linearize(f, 0.5)[1](1.0), "vjp": lambda: pb.vjp(f, 0.5)[1](1.0)[0],
        "jvp": lambda: pb.jvp(f, (0.5,), (1.0,))[1], "hessian": lambda: pb.hessian(f)(0.5),
    }  # fmt: skip
    try:
        sys.setrecursionlimit(len(inspect.stack(0)) + 270)
        found = runs[operator]()
    finally:
        sys.setrecursionlimit(before)
    assert found == (2.0 if operator == "hessian" else 1.0)
