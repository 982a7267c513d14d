"""``pb.profile``: the time goes to the lines where it is spent; ``PULLBACK_PERF`` tells others."""

import ctypes
import json
import math
import os
import signal
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import pullback as pb
from pullback.explanation.profile import Profile
from pullback.native.compile import link_alone
from pullback.native.sampler import sampling
from tests.explanation.nasty_programs import CASES

PROGRAM = """
import math
import numpy as np
import pullback as pb


def kernel(x, n):
    total = 0.0
    for k in range(n):
        for v in x:
            total += math.sin(v * k)
    return total


pb.grad(kernel)(np.linspace(0.0, 1.0, 100), 10)
from pullback.native.code_map import map_path
print(map_path().read_text())
map_path().unlink()
"""


def waves(x, n):
    total = 0.0
    for k in range(n):
        for v in x:
            total += math.sin(v * k)
            total -= v * v * 0.5
    return total


@pytest.fixture(scope="module")
def made() -> Profile:
    return pb.profile(waves, np.linspace(0.0, 1.0, 1000), 50, seconds=0.3)


def test_the_time_is_where_the_work_is(made: Profile) -> None:
    times = {line.text.strip(): line for line in made.lines}
    sine, square = times["total += math.sin(v * k)"], times.get("total -= v * v * 0.5")
    assert sine.value > 0.4 * made.value_seconds
    assert sine.value > 2 * (square.value if square else 0.0)
    assert made.gradient_seconds is not None
    assert min(sine.forward + sine.again, sine.reverse) > 0.1 * made.gradient_seconds
    whole = sum(line.value for line in made.lines) + made.outside[0]
    assert whole == pytest.approx(made.value_seconds)


def test_the_table_and_the_trace(made: Profile, tmp_path: Path) -> None:
    assert "total += math.sin(v * k)" in str(made) and "reverse" in str(made)
    trace = json.loads(made.trace(tmp_path / "trace.json").read_text())
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    names = {e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"}
    assert names == {"value", "value and gradient"}
    lasted = sum(e["dur"] for e in events if e["tid"] == 1)
    ends = [e["ts"] + e["dur"] for e in events if e["tid"] == 1]
    assert lasted == max(ends) > 0, "the events follow each other"
    assert any(e["args"]["source"] == "total += math.sin(v * k)" for e in events)


@pytest.mark.parametrize("name", ["tree", "exceptions", "generators", "no reals", "an array"])
def test_every_program_can_be_measured(name: str) -> None:
    f, args = CASES[name]
    found = pb.profile(f, *args, seconds=0.02)
    assert found.value_seconds > 0
    assert (found.gradient_seconds is None) == (name in ("no reals", "an array"))


def test_the_timer_of_the_user_is_left() -> None:
    rang = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    try:
        pb.profile(waves, np.ones(3), 3, seconds=0.02)
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        signal.raise_signal(signal.SIGALRM)
        assert rang == [1]
    finally:
        signal.signal(signal.SIGALRM, before)


def test_another_thread_is_refused() -> None:
    caught: list[BaseException] = []

    def run() -> None:
        try:
            pb.profile(waves, np.ones(3), 3)
        except pb.PullbackError as e:
            caught.append(e)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert "main thread" in str(caught[0])


def test_perf_is_told_functions_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(path)], env={**os.environ, "PULLBACK_PERF": "1"},
        capture_output=True, text=True, timeout=120, check=True)
    rows = [line.split(" ", 2) for line in done.stdout.splitlines() if line]
    assert any(name == "py::kernel program.py:11 reverse" for _, _, name in rows)
    ranges = sorted((int(a, 16), int(n, 16)) for a, n, _ in rows)
    assert all(a + n <= b for (a, n), (b, _) in pairwise(ranges)), "none overlap"


def test_recursions_on_stacks_of_their_own() -> None:
    for n in (10, 20_000):
        made = pb.profile(_power, 1.0 + 1e-6, n)
        assert "_power" in str(made) or "return" in str(made)


def test_the_caller_of_a_library_is_found_wherever_the_stack_is() -> None:
    # The frames of `sin` and of its caller may be on two pages.
    text = """
declare double @llvm.sin.f64(double)
define double @spin(i64 %room, i64 %n) noinline {
  %hole = alloca i8, i64 %room
  store volatile i8 0, ptr %hole
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %x = sitofp i64 %k to double
  %y = call double @llvm.sin.f64(double %x)
  %more = fadd double %sum, %y
  %next = add i64 %k, 1
  %going = icmp ult i64 %next, %n
  br i1 %going, label %loop, label %done
done:
  ret double %more
}
"""
    linked = link_alone(text, ("spin",), {}, False)
    spin = linked.address("spin")
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_int64)(spin)
    for room in range(0, 4096, 256):
        with sampling(2e-4) as samples:
            call(room, 1_000_000)
        inside = [any(spin <= word < spin + 512 for word in sample) for sample in samples]
        assert sum(inside) > 0.8 * len(inside) > 0, room


def _power(x: float, n: int) -> float:
    return 1.0 if n == 0 else x * _power(x, n - 1)
