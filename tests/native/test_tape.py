"""The tape in native code: it grows, is given back, belongs to a pullback, and can be too large."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.waiting import join


def decay(x, n):
    """Its derivative needs a number of every iteration."""
    s = 1.0
    for _ in range(n):
        s = math.cos(s) + x * x
    return s


def waves(x, y):
    total = 0.0
    for i in range(len(x)):
        total = total + math.sin(x[i] * y) * total + x[i]
    return total, x * y


@pytest.mark.parametrize("n", [0, 1, 2, 1000, 100_000])
def test_tapes_of_any_length(n: int) -> None:
    expected = pb.grad(decay)(0.25, n)
    assert pb.grad(decay, method="dual")(0.25, n) == pytest.approx(expected, rel=1e-12)


def test_rows_of_many_entries_leave_no_gaps() -> None:
    """A row of 40 entries is longer than what arenas align."""

    def f(x):
        s = 0.0
        for _ in range(3):
            s = s * (x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] + x[8] + x[9] + x[10]
                     + x[11] + x[12] + x[13] + x[14] + x[15] + x[16] + x[17] + x[18] + x[19]
                     + x[20] + x[21] + x[22] + x[23] + x[24] + x[25] + x[26] + x[27] + x[28]
                     + x[29] + x[30] + x[31] + x[32] + x[33] + x[34]) + x[0]  # fmt: skip
        return s

    x = np.random.default_rng(0).normal(size=35)
    np.testing.assert_allclose(pb.grad(f, method="dual")(x), pb.grad(f)(x), rtol=1e-12)


def test_a_pullback_keeps_its_tape() -> None:
    """Called again, from several threads, among other calls, after the arguments changed; more
    pullbacks than whole contexts are kept for."""
    rng = np.random.default_rng(1)
    args = [(rng.normal(size=50), float(k)) for k in range(12)]
    cotangents = [(rng.normal(), rng.normal(size=50)) for _ in range(4)]
    expected = [[pb.vjp(waves, *a)[1](c) for c in cotangents] for a in args]
    pullbacks = [pb.vjp(waves, *a, method="dual")[1] for a in args]
    for x, _ in args:
        x[:] = math.nan
    pb.grad(decay, method="dual")(0.5, 10_000)
    found: dict[tuple[int, int], Any] = {}

    def call(k: int) -> None:
        for i, pullback in enumerate(pullbacks):
            found[i, k] = pullback(cotangents[k])

    threads = [threading.Thread(target=call, args=(k,)) for k in range(len(cotangents))]
    for t in threads:
        t.start()
    for t in threads:
        join(t)
    for (i, k), (dx, dy) in found.items():
        np.testing.assert_allclose(dx, expected[i][k][0], rtol=1e-10)
        assert dy == pytest.approx(expected[i][k][1], rel=1e-10)


MEMORY = """
import resource
import pullback as pb
from tests.native.test_tape import decay

gradient = pb.grad(decay, method="dual")
gradient(0.5, 10)

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20

before = resident()
for _ in range(3):
    gradient(0.5, 12_000_000)
assert resident() - before < 200, (before, resident())
"""

TOO_LARGE = """
import resource
import pullback as pb
from tests.native.test_tape import decay

have = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = have + (LEFT << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
gradient = pb.grad(decay, method="dual")
assert gradient(0.5, 10) == pb.grad(decay)(0.5, 10)
try:
    gradient(0.5, 100_000_000)
except MemoryError:
    print("refused")
assert gradient(0.5, 10) == pb.grad(decay)(0.5, 10)
"""


CAPTURED = """
import resource
import numpy as np
import pullback as pb
from tests.native.test_tape import chained

gradient = pb.grad(chained, method="dual")
gradient(np.full(10, 0.5))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert gradient(np.full(10_000, 0.5))[3] == 1.0
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert after - before < 400_000, (before, after)  # kilobytes
"""


def chained(xs):
    """Every one of n closures has captured the array."""

    def go(i, k):
        if i == len(xs):
            return k(0.0)
        return go(i + 1, lambda r: k(r + xs[i]))

    return go(0, lambda r: r)


def in_a_process(text: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_tape_is_given_back() -> None:
    in_a_process(MEMORY)


@pytest.mark.skipif(sys.platform != "linux", reason="in kilobytes on Linux")
def test_ids_of_an_argument_are_shared_by_all_nodes() -> None:
    in_a_process(CAPTURED)


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("left", [300, 520, 640])  # megabytes; 520 and 640 left Python nothing
def test_a_tape_that_does_not_fit_is_a_memory_error(left: int) -> None:
    assert "refused" in in_a_process(TOO_LARGE.replace("LEFT", str(left)))
