"""Long loops run in chunks on threads: the same bits for any number of threads, whatever the loop
does, in any process and beside any other thread."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.thresholds import LIMITS
from pullback.core.waiting import join
from pullback.lower import chunk_code, lapack_calls
from tests import harness
from tests.campaign import part
from tests.test_interrupts import interrupted

HERE = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def threads_as_before() -> Iterator[None]:
    before = pb.config.threads
    yield
    pb.config.threads = before


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """All loops that may run in chunks do."""
    monkeypatch.setattr(LIMITS, "worth", 1)
    monkeypatch.setattr(LIMITS, "body", 0)
    monkeypatch.setattr(LIMITS, "cell", 0)
    monkeypatch.setattr(lapack_calls, "LARGE", 1)
    monkeypatch.setattr(lapack_calls, "PART", 4)


# --- the programs ---------------------------------------------------------------------------------


def pairs(x):
    """Private accumulators: iterations add to cells of others."""
    s = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            d = x[i] - x[j]
            s += math.exp(-d * d) * math.cos(d)
    return s


def rows(a, w):
    """One accumulator with cells for each iteration, one that all add to."""
    s = 0.0
    for i in range(a.shape[0]):
        t = 0.0
        for j in range(a.shape[1]):
            t += a[i, j] * w[j]
        s += math.log1p(math.exp(t))
    return s


def mapped(x):
    """An array of elements, each by a loop; two sums behind it."""
    y = np.array([sum(math.sin(x[i] * k) for k in range(1, 9)) for i in range(len(x))])
    return np.sum(y * y) + np.sum(np.exp(-y))


def smooth(t):
    return t / (1.0 + math.exp(-t))


def by_calls(x, k):
    """The iterations call a function, and have a while loop of their own."""
    s = 0.0
    for i in range(len(x)):
        t = x[i]
        n = 0
        while t > 0.1 and n < k:
            t = smooth(t) * 0.7
            n += 1
        s += t * (1.0 + n)
    return s


def waves(t, k):
    s = 0.0
    for _ in range(k):
        s += t
        t = t / (1.0 + np.exp(-t)) if t > 0.5 else np.tanh(t * s)
        s = s * np.cos(t) if s > 1.0 else s + np.sin(t)
        s = s * np.cos(2.0 * t) if s > 2.0 else s + np.sin(s)
    end = np.cos(s * s) * np.exp(-t) + np.cos(1.0 + s) * np.sin(t)
    return end + np.tanh(s) * np.tanh(t) * np.tanh(s * t) + np.cos(s * t) * np.sin(s - t)


def by_nodes(x, k):
    """What the calls of an iteration keep are nodes."""
    s = 0.0
    for i in range(len(x)):
        s += waves(waves(x[i], k) + x[i], k)
    return s


def branches(x):
    """Branches, and cells of neighbours."""
    s = 0.0
    for i in range(len(x)):
        if i % 3 == 0:
            s += np.exp(x[i])
        else:
            s -= np.tanh(x[i] * x[i - 1])
    return s


def below(t, i, limit):
    if t > limit:
        raise ValueError(f"too large: {t} at {i}")
    return math.exp(-t * t)


def checked(x, limit):
    """Errors."""
    return np.sum(np.array([below(x[i], i, limit) for i in range(len(x))]) ** 2)


def steps(x, n):
    """A loop in order, of which each round is long."""
    for _ in range(n):
        x = x + 0.01 * np.array([math.sin(np.sum(x[i] - x)) for i in range(len(x))])
    return np.sum(x * x)


def in_place(a):
    """Updates of rows: in reverse, iterations have cells of their own."""
    a = a.copy()
    for j in range(a.shape[1]):
        a[2, j] += np.sin(a[1, j]) * np.exp(-a[2, j])
        a[0, j] *= np.cos(a[2, j])
    return np.sum(a * a)


def many(x):
    """Seven results at once."""
    a = b = c = d = e = f = g = 0.0
    for i in range(len(x)):
        t = math.exp(-x[i])
        a += t
        b += t * t
        c += t * x[i]
        d += math.sin(t)
        e += math.cos(t) * x[i]
        f += math.sqrt(1.0 + t)
        g += math.log1p(t)
    return a * b + c * d + e * f + g


def product(a, b):
    return np.sum(np.tanh(a @ b))


def solved(a, b):
    """Linear algebra inside of chunks."""
    s = 0.0
    for i in range(b.shape[0]):
        s += np.sum(np.linalg.solve(a + np.eye(3) * (4.0 + math.exp(-b[i, 0])), b[i]) ** 2)
    return s


def _numbers(*shape, dtype=float):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]], int]] = {
    "pairs": (pairs, lambda n: (_numbers(n),), 300),
    "rows": (rows, lambda n: (_numbers(n, 7), _numbers(7)), 20_000),
    "mapped": (mapped, lambda n: (_numbers(n),), 5_000),
    "by calls": (by_calls, lambda n: (np.abs(_numbers(n)), 20), 10_000),
    "by nodes": (by_nodes, lambda n: (_numbers(n), 3), 3_000),
    "branches": (branches, lambda n: (_numbers(n),), 40_000),
    "checked": (checked, lambda n: (_numbers(n), 99.0), 40_000),
    "steps": (steps, lambda n: (_numbers(n), 3), 400),
    "in place": (in_place, lambda n: (_numbers(3, n),), 50_000),
    "many": (many, lambda n: (_numbers(n),), 20_000),
    "product": (product, lambda n: (_numbers(n, n), _numbers(n, n)), 257),
    "solved": (solved, lambda n: (_numbers(3, 3), _numbers(n, 3)), 3_000),
    "single": (rows, lambda n: (_numbers(n, 7, dtype=np.float32),
                                _numbers(7, dtype=np.float32)), 20_000),
}  # fmt: skip
"""Functions, their arguments of a size, and a size at which they fork."""


def leaves(x: Any) -> list[Any]:
    return [np.asarray(leaf) for leaf in harness.leaves(x)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_any_number_of_threads_gives_the_same_bits(name: str) -> None:
    f, given, size = PROGRAMS[name]
    args = given(size)
    function, both = pb.jit(f), pb.value_and_grad(f)
    found = []
    for threads in (1, 2, 3, 7):
        pb.config.threads = threads
        found += [leaves((function(*args), both(*args))) for _ in range(2)]
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
    np.testing.assert_allclose(found[0][0], f(*args), rtol=1e-4 if name == "single" else 1e-10)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_fork(name: str) -> None:
    f, given, _ = PROGRAMS[name]
    text = pb.show(pb.grad(f), *given(9), stage="loop")
    assert "fork" in text


@pytest.mark.parametrize("name", part("agreement", [*PROGRAMS], 3))
def test_all_modes_agree_in_chunks(everywhere: None, name: str) -> None:
    f, given, _ = PROGRAMS[name]
    single = name == "single"
    close = {"rtol": 2e-4 if single else 1e-9, "atol": 1e-5 if single else 1e-11}
    pb.config.threads = 3

    def fresh(*xs: Any) -> Any:  # nothing of it is compiled
        return f(*xs)

    for n in (0, 1, 2, 7, 8, 9, 17, 20 if name == "product" else 130):
        args = given(max(n, 3) if name in ("steps", "in place") else n)
        floats = tuple(i for i, a in enumerate(args) if isinstance(a, np.ndarray))
        value, gradient = harness.gradient(fresh, args, floats, "native")
        by_dual = harness.gradient(fresh, args, floats, "native", "dual")[1]
        evaluated, by_evaluator = harness.gradient(fresh, args, floats, "eval")
        np.testing.assert_allclose(value, f(*args), **close)
        np.testing.assert_allclose(value, evaluated, **close)
        for a, b, c in zip(leaves(gradient), leaves(by_evaluator), leaves(by_dual), strict=True):
            np.testing.assert_allclose(a, b, **close)
            np.testing.assert_allclose(a, c, **close)
        rng = np.random.default_rng(n)
        tangents = tuple(harness.direction(rng, a) for a in args)
        moved = harness.forward(fresh, args, tangents)
        inner = sum(
            float(np.sum(np.asarray(g, float) * tangents[i]))
            for i, g in zip(floats, gradient, strict=True)
        )
        np.testing.assert_allclose(moved, inner, rtol=1e-3 if single else 1e-8, atol=1e-4)


def test_private_cells_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above it the loop runs as a whole: its bits are those of one chunk."""

    def first(x: Any) -> Any:
        return pairs(x)

    def second(x: Any) -> Any:
        return pairs(x)

    def third(x: Any) -> Any:
        return pairs(x)

    x = _numbers(300)
    chunks = pb.grad(first)(x)
    monkeypatch.setattr(chunk_code, "MOST_CELLS", 299)
    above = pb.grad(second)(x)
    monkeypatch.setattr(LIMITS, "worth", 1 << 60)
    one = pb.grad(third)(x)
    assert np.array_equal(above, one)
    assert not np.array_equal(chunks, one)
    np.testing.assert_allclose(chunks, one, rtol=1e-9, atol=1e-12)


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_first_error_of_the_program_is_raised(threads: int) -> None:
    pb.config.threads = threads
    x = _numbers(40_000)
    for place in (39_999, 20_001, 20_000, 7):
        x[place] = 100.0 + place
        with pytest.raises(ValueError, match=rf"too large: {x[place]} at {place}$"):
            pb.grad(checked)(x, 99.0)
    assert pb.jit(checked)(_numbers(40_000), 99.0) == pytest.approx(
        checked(_numbers(40_000), 99.0), rel=1e-10
    )


def test_errors_of_python_and_memory() -> None:
    def roots(x: Any) -> float:
        s = 0.0
        for i in range(len(x)):
            s += math.sqrt(x[i]) * math.exp(-x[i])
        return s

    x = np.abs(_numbers(100_000))
    pb.config.threads = 4
    assert pb.jit(roots)(x) == pytest.approx(roots(x), rel=1e-10)
    x[77_777] = -1.0
    for f in (roots, pb.jit(roots), pb.grad(roots)):
        with pytest.raises(ValueError, match=r"math domain error|expected a nonnegative input"):
            f(x)


# --- processes, threads, signals ------------------------------------------------------------------


def run(text: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=300, cwd=HERE,
        env={**os.environ, "PYTHONPATH": "src", **environment}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


START = """
import os, sys, threading, time, numpy as np, pullback as pb
from tests.test_threads import pairs, rows, _numbers
def name(task):
    try:
        return open(f"/proc/self/task/{task}/comm").read().strip()
    except OSError:  # it has ended meanwhile
        return ""
def tasks():
    return sum(name(k) == "pullback" for k in os.listdir("/proc/self/task"))
def settled(number):
    for _ in range(200):  # a thread takes its name itself
        if tasks() == number:
            break
        time.sleep(0.01)
    return tasks()
x = _numbers(600)
g = pb.grad(pairs)
"""

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the threads of a process")


@LINUX
def test_threads_are_made_when_a_loop_is_long() -> None:
    text = START + """
g(x[:20])
before = tasks()
g(x)
print(before, settled(pb.config.threads - 1), pb.config.threads)
"""
    assert run(text, PULLBACK_THREADS="4").split() == ["0", "3", "4"]
    assert run(text, PULLBACK_THREADS="1").split() == ["0", "0", "1"]
    assert run(text, PULLBACK_THREADS="many").split()[2] == str(len(os.sched_getaffinity(0)))


@LINUX
def test_the_child_of_a_fork_makes_its_own_threads() -> None:
    text = START + """
want = g(x)
settled(2)
pid = os.fork()
if pid == 0:
    alone = tasks()
    same = np.array_equal(g(x), want)
    os._exit(0 if same and alone == 0 and settled(2) == 2 else 1)
_, status = os.waitpid(pid, 0)
print(status, np.array_equal(g(x), want))
"""
    assert run(text, PULLBACK_THREADS="3").split() == ["0", "True"]


@LINUX
def test_a_fork_while_a_loop_runs_in_another_thread() -> None:
    text = START + """
want, stop, wrong = g(x), [], []
def work():
    while not stop:
        if not np.array_equal(g(x), want):
            wrong.append(1)
worker = threading.Thread(target=work)
worker.start()
statuses = []
for _ in range(20):
    time.sleep(0.002)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.array_equal(g(x), want) else 1)
    statuses.append(os.waitpid(pid, 0)[1])
stop.append(1)
worker.join(60)
print(sum(statuses), len(wrong))
"""
    assert run(text, PULLBACK_THREADS="3").split() == ["0", "0"]


def test_two_threads_of_python_at_once() -> None:
    pb.config.threads = 3
    x, (a, w) = _numbers(300), (_numbers(20_000, 7), _numbers(7))
    first, second = pb.grad(pairs), pb.grad(rows, argnums=(0, 1))
    want = first(x), second(a, w)
    wrong: list[str] = []

    def work(f: Callable[..., Any], args: tuple[Any, ...], expected: Any) -> None:
        for _ in range(30):
            for p, q in zip(leaves(f(*args)), leaves(expected), strict=True):
                if not np.array_equal(p, q):
                    wrong.append(f"{f}")

    jobs = [(first, (x,), want[0]), (second, (a, w), want[1])] * 2
    workers = [threading.Thread(target=work, args=job) for job in jobs]
    for worker in workers:
        worker.start()
    for worker in workers:
        join(worker)
    assert not wrong


def test_other_threads_run_meanwhile() -> None:
    pb.config.threads = 2
    g, x = pb.jit(pairs), _numbers(12_000)
    g(x[:5])
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    g(x)
    done.set()
    join(ticker)
    assert len(ticks) > 5


@pytest.mark.skipif(sys.platform != "linux", reason="the time of the process is measured")
def test_an_interrupt_ends_a_fork() -> None:
    pb.config.threads = 2
    g = pb.grad(pairs)
    g(_numbers(300))
    x = _numbers(400_000)
    start = time.process_time()
    interrupted(lambda: g(x), 0.3)
    assert time.process_time() - start < 50.0  # all of it takes minutes
    assert np.array_equal(g(_numbers(300)), g(_numbers(300)))


def test_nested_loops_fork_once() -> None:
    pb.config.threads = 3

    def outer(a: Any) -> float:
        s = 0.0
        for i in range(a.shape[0]):
            s += pairs(a[i])
        return s

    a = _numbers(5, 200)
    want = sum(pairs(row) for row in a)
    assert pb.jit(outer)(a) == pytest.approx(want, rel=1e-10)
    one = pb.grad(outer)(a)
    pb.config.threads = 1
    np.testing.assert_array_equal(one, pb.grad(outer)(a))
    np.testing.assert_allclose(one[2], pb.grad(pairs)(a[2]), rtol=1e-9, atol=1e-12)


def test_the_setting() -> None:
    for bad in (0, -1, 2.0, True, None):
        with pytest.raises(ValueError, match=r"pb.config.threads is a positive int"):
            pb.config.threads = bad  # type: ignore[assignment]  # what is refused
    pb.config.threads = 2
    assert pb.config.threads == 2
