"""Ctrl-C: every kind of loop, recursion and reverse sweep stops soon, and is usable afterwards."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from llvmlite.binding import ffi

import pullback as pb
import pullback.native.compile as compile_
from pullback.core.waiting import child, join, wait
from tests.campaign import rotated


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is interrupted is all of a compilation."""
    monkeypatch.setenv("PULLBACK_CACHE", "0")


FOREVER = 10**11
SOON = 1.0
"""Seconds of processor time. It takes a twentieth of that."""
WAITING = 30.0
"""Seconds on the clock for each second of processor time that is allowed."""


def counted(x: float, n: int) -> float:
    y = 0.0
    for _ in range(n):
        y = 0.5 * y + x
    return y


def whole_numbers(x: float, n: int) -> float:
    k = 0
    for i in range(n):
        k = (k * 31 + i) % 1009
    return x * k


def repeated(x: float, n: int) -> float:
    k = 0
    while k < n:
        x = x * 0.999 + 0.1
        k += 1
    return x


def many_short(x: float, n: int) -> float:
    y = 0.0
    for i in range(n):
        for j in range(i % 3):
            y = y * 0.5 + x * j
    return y


def long_inside(x: float, n: int) -> float:
    y = 0.0
    for _ in range(3):
        for _ in range(n):
            y = y * 0.5 + x
    return y


def in_lanes(x: float, n: int) -> float:
    return sum(math.sin(i * x) for i in range(n))


def loop_in_lanes(x: np.ndarray, n: int) -> float:
    total = 0.0
    for i in range(len(x)):
        y = 0.0
        for _ in range(n):
            y = 0.5 * y + x[i]
        total += y
    return total


def built(x: float, n: int) -> float:
    total = 0.0
    for i in range(n):
        total = total * 0.5 + np.max(np.array([math.sin(x * k * i) for k in range(20)]))
    return total


def grown(x: float, n: int) -> float:
    xs = [x]
    for i in range(n):
        xs.append(xs[-1] * 0.5 + i)
        if len(xs) > 1000:
            xs = [x]
    return sum(xs)


def copied(x: np.ndarray, n: int) -> float:
    y = x.copy()
    for i in range(n):
        z = np.concatenate([y[1:], y[:1]])
        z[i % len(x)] = 0.5
        y = z
    return np.sum(y)


def sorted_often(x: np.ndarray, n: int) -> float:
    y = x.copy()
    for i in range(n):
        y[i % 5] = y[i % 5] - 1.0
        y = np.sort(y)
    return y[0]


def fib(x: float, n: int) -> float:
    return x if n < 2 else fib(x, n - 1) * 0.5 + fib(x, n - 2)


def even(x: float, n: int) -> float:
    return x if n == 0 else odd(x * 0.5, n - 1) + odd(x * 0.25, n - 1)


def odd(x: float, n: int) -> float:
    return x + 1.0 if n == 0 else even(x, n - 1) - even(x * 0.1, n - 1)


def in_recursion(x: float, n: int) -> float:
    if n <= 3:
        return x
    y = in_recursion(x, 2)
    for _ in range(n):
        y = 0.5 * y + x
    return y + in_recursion(x, n // 10**9)


@dataclass(frozen=True)
class Node:
    value: float
    left: Node | None
    right: Node | None


def tree(depth: int, value: float = 0.5) -> Node | None:
    if depth == 0:
        return None
    return Node(value, tree(depth - 1, value * 0.5), tree(depth - 1, value + 0.25))


def walked(t: Node | None, n: int) -> float:
    total = 0.0
    for _ in range(n):
        total = total * 0.5 + over(t)
    return total


def over(t: Node | None) -> float:
    return 0.0 if t is None else math.sin(t.value) + over(t.left) * over(t.right)


VECTOR = np.array([0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25])

KINDS: list[tuple[Callable[..., Any], Any, int, int]] = [
    (counted, 0.5, 10, FOREVER), (whole_numbers, 0.5, 10, FOREVER), (repeated, 0.5, 10, FOREVER),
    (many_short, 0.5, 10, FOREVER), (long_inside, 0.5, 10, FOREVER), (in_lanes, 0.5, 20, FOREVER),
    (loop_in_lanes, VECTOR, 3, FOREVER), (built, 0.5, 10, FOREVER), (grown, 0.5, 10, FOREVER),
    (copied, VECTOR, 4, FOREVER), (sorted_often, VECTOR, 4, FOREVER), (fib, 0.5, 8, 60),
    (even, 0.5, 6, 60), (in_recursion, 0.5, 10, FOREVER), (walked, tree(3), 3, FOREVER),
]  # fmt: skip

LESS = {built: 10**6, grown: 5 * 10**6, copied: 3 * 10**6, walked: 10**6}
"""Iterations of which the reverse sweep keeps something."""

REVERSE = [
    (f, x, few, LESS.get(f, many))
    for f, x, few, many in KINDS if f not in (counted, long_inside, sorted_often)
]  # fmt: skip


@contextmanager
def handler(handle: Callable[..., object]) -> Iterator[None]:
    """Whoever runs the tests may ignore SIGINT."""
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def main_clock() -> Callable[[], float]:
    """The processor time of this thread, to be read from any thread: what else runs on the machine
    does not matter. Where threads have no such clock, that of the process."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock)


def interrupted(call: Callable[[], object], delay: float = 0.1) -> float:
    """Seconds of this thread between the signal and the end of a call that the signal stops; a
    thread that waits has ``WAITING`` times as long. (Python ignores an exception in a finaliser,
    such as that of a weak dictionary: then another signal is sent.)"""
    sent, stopped, clock = [(0.0, 0.0)], threading.Event(), main_clock()

    def send() -> None:
        wait = delay
        while not stopped.wait(wait):
            sent.append((clock(), time.perf_counter()))
            os.kill(os.getpid(), signal.SIGINT)
            wait = 10.0

    with handler(signal.default_int_handler):
        thread = threading.Thread(target=send)
        try:
            with pytest.raises(KeyboardInterrupt):
                thread.start()
                call()
                join(thread)
            used, waited = clock() - sent[-1][0], time.perf_counter() - sent[-1][1]
            return max(used, waited / WAITING)
        finally:
            stopped.set()
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            join(thread)


def same(a: object, b: object) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k[0].__name__)
def test_a_function_stops(kind: tuple[Callable[..., Any], Any, int, int]) -> None:
    f, x, few, many = kind
    compiled = pb.jit(f)
    same(compiled(x, few), f(x, few))
    assert interrupted(lambda: compiled(x, many)) < SOON
    same(compiled(x, few), f(x, few))


STOPPED = [
    (kind, method) for kind in REVERSE
    for method in rotated("interrupts", kind[0].__name__, ("chad", "dual"))
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "method"), STOPPED, ids=[f"{kind[0].__name__}-{method}" for kind, method in STOPPED]
)
def test_a_gradient_stops(kind: tuple[Callable[..., Any], Any, int, int], method: str) -> None:
    f, x, few, many = kind
    gradient = pb.value_and_grad(f, method=method)
    value, first = gradient(x, few)
    same(value, f(x, few))
    assert interrupted(lambda: gradient(x, many)) < SOON
    again, second = gradient(x, few)
    assert again == value
    if not isinstance(x, Node):
        assert np.array_equal(first, second)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_a_pullback_is_as_it_was(method: str) -> None:
    def f(x: float, n: int) -> float:
        y = x
        for _ in range(n):
            y = math.sin(y) + 0.5 * x
        return y

    _, pull = pb.vjp(f, 0.5, 3_000_000, method=method)
    expected = pull(1.0)
    for _ in range(3):
        def forever() -> None:
            while True:
                pull(2.0)

        assert interrupted(forever, 0.05) < SOON
        assert pull(1.0) == expected
    same(expected[0], pb.jvp(f, (0.5, 3_000_000), (1.0, None))[1])


class Stop(Exception):
    """The exception that a handler raises."""


@pytest.mark.parametrize("f", [counted, fib])
def test_a_handler_raises_what_it_likes(f: Callable[[float, int], float]) -> None:
    def handle(number: int, frame: object) -> None:
        raise Stop(number)

    compiled = pb.jit(f)
    compiled(0.5, 5)
    with handler(handle):
        timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(Stop, match=str(int(signal.SIGINT))):
            timer.start()
            compiled(0.5, 60 if f is fib else FOREVER)
        join(timer)
    same(compiled(0.5, 5), f(0.5, 5))


@pytest.mark.parametrize("f", [counted, fib])
def test_a_handler_that_returns_lets_the_loop_go_on(f: Callable[[float, int], float]) -> None:
    inner = pb.grad(fib)
    expected = inner(0.5, 9)
    seen = []

    def handle(number: int, frame: object) -> None:
        seen.append(inner(0.5, 9))  # compiled code runs while other compiled code waits

    compiled = pb.jit(f)
    n = 40 if f is fib else 300_000_000
    value = compiled(0.5, n)
    done = threading.Event()

    def send() -> None:
        while not done.wait(0.02):
            os.kill(os.getpid(), signal.SIGINT)

    with handler(handle):
        sender = threading.Thread(target=send)
        sender.start()
        try:
            again = {compiled(0.5, n)}
            while not seen:  # the sender may have had no turn yet
                again.add(compiled(0.5, n))
        finally:
            done.set()
            join(sender)
    assert again == {value}
    assert set(seen) == {expected}


def test_a_thread_computes_on_while_main_is_interrupted() -> None:
    compiled = pb.jit(counted)
    n, results = 300_000_000, []
    expected = compiled(0.5, n)
    ended = [threading.Event(), threading.Event()]

    def work(end: threading.Event) -> None:
        try:
            results.append(compiled(0.5, n))
        finally:
            end.set()

    workers = [threading.Thread(target=work, args=(end,)) for end in ended]

    def both() -> None:
        for w in workers:
            w.start()
        while True:  # join may be over before the signal comes
            for w in workers:
                join(w)

    assert interrupted(both, 0.05) < SOON
    for end in ended:  # a thread whose join was interrupted counts as ended for Python
        wait(end)
    assert results == [expected, expected]


def test_threads_that_fail_beside_one_that_is_interrupted() -> None:
    def f(x: float, n: int) -> float:
        y = x
        for i in range(n):
            if i == 1000 and x > 1.0:
                raise ValueError("too large")
            y = y * 0.5 + x
        return y

    compiled = pb.value_and_grad(f)
    expected = compiled(0.5, 100)
    wrong: list[object] = []
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            with suppress(ValueError):
                wrong.append(compiled(2.0, 2000))
            if compiled(0.5, 100) != expected:
                wrong.append("another gradient")

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    try:
        g = pb.jit(f)
        g(0.5, 10)
        for _ in range(3):
            assert interrupted(lambda: g(0.5, FOREVER)) < SOON
    finally:
        done.set()
        for t in threads:
            join(t)
    assert not wrong


def test_the_child_of_a_fork_is_interrupted_too() -> None:
    compiled = pb.jit(counted)
    compiled(0.5, 10)
    status: list[int] = []

    def fork() -> None:  # in the child this thread is the main thread
        pid = os.fork()
        if pid == 0:
            signal.alarm(300)  # ends it if nothing else does
            try:
                interrupted(lambda: compiled(0.5, FOREVER), 0.05)
                os._exit(0 if compiled(0.5, 10) == counted(0.5, 10) else 1)
            finally:
                os._exit(2)
        status.append(child(pid))

    thread = threading.Thread(target=fork)
    thread.start()
    join(thread)
    assert status == [0]


def test_loops_to_the_end_of_the_numbers() -> None:
    top = 2**63 - 1

    def f(lo: int, hi: int) -> int:
        k = 0
        for i in range(lo, hi):
            k = (k * 31 + i % 7) % 1009
        return k

    compiled = pb.jit(f)
    for lo, hi in ((top - 20, top), (-top, -top + 20), (-top - 1, -top + 9), (5, -5), (-5, 5)):
        assert compiled(lo, hi) == f(lo, hi)
    for n in (2**14, 100_003):  # a few pieces, and a bit more
        assert compiled(-7, n) == f(-7, n)


INTERRUPTED_COMPILATIONS = """
import linecache, os, random, signal, threading, time
import pullback as pb

signal.signal(signal.SIGINT, signal.default_int_handler)  # where it is ignored, too
random.seed(7)
done = threading.Event()

def spin():
    while not done.is_set():
        pass

for _ in range(2):
    threading.Thread(target=spin).start()
arrived = 0
try:
    for k in range(12):
        text = f"def f(x: float) -> float:\\n    return x * x + {k}.0\\n"
        linecache.cache[f"<f{k}>"] = (len(text), None, text.splitlines(True), f"<f{k}>")
        exec(compile(text, f"<f{k}>", "exec"))
        delay = random.uniform(0.0, 0.3)

        def send():
            time.sleep(delay)
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        try:
            sender.start()
            pb.grad(f)(0.5)
            sender.join(60)
            time.sleep(0.05)
        except KeyboardInterrupt:
            arrived += 1
        sender.join(60)
        assert pb.grad(f)(0.5) == 1.0
finally:
    done.set()
assert arrived == 12, arrived
"""


def test_no_interrupt_of_a_compilation_is_lost() -> None:
    """Nor does one free an object of LLVM twice, beside threads that keep the GIL busy."""
    command = [sys.executable, "-c", INTERRUPTED_COMPILATIONS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr


def test_the_main_thread_calls_nothing_of_llvm() -> None:
    """An interrupt between the taking of llvmlite's lock and the call would keep it for ever, and
    whoever needs LLVM next would wait in vain."""
    in_main: list[bool] = []

    def look() -> None:
        if threading.current_thread() is threading.main_thread():
            in_main.append(True)

    def leave() -> None:
        pass

    ffi.register_lock_callback(look, leave)
    try:
        for known in (compile_.wide_vectors, compile_._features):
            known.cache_clear()
        assert compile_.wide_vectors() in (True, False)
        assert pb.grad(lambda x: 3.0 * x * x)(0.5) == 3.0
        assert pb.jit(lambda xs: np.sum(xs * 2.0))(np.ones(3)) == 6.0
    finally:
        ffi.unregister_lock_callback(look, leave)
    assert not in_main
