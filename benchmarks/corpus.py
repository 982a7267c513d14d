"""Time the programs of ``examples/`` and of the tests at sizes over two decades.

For each program the table has the time of (value, gradient), divided by the time of the function
and the time that it takes to write the gradient, and the exponent of this ratio in n. Lists and
trees are packed beforehand (but not records of numbers and arrays, which would go a longer way if
they were packed), so that the conversion of Python objects (``benchmarks/boundary.py``) is not
timed. The clock is the processor's time of the thread, so that a busy machine does not count long
calls as longer.

A call from Python takes a fraction of a microsecond whatever it does, which would hide the ratio of
small calls. So the smallest n is the first (doubling) at which the function takes ``SHORTEST``, and
``CALLS`` times its time for the smallest input (a packed tree takes some 20 µs to pass), and the
largest n is 128 times that. If the work grows faster than n, or if it takes seconds to make the
arguments, the largest n is smaller: the function may take no more than ``LONGEST``. The exponent of
such programs is over two decades all the same: it is fitted to halves of the smallest n too, down
to a 128th of the largest, although the ratio of the smallest calls is that of two calls.

A program that fails, or whose figures would measure nothing, is a row that says so. Figures measure
nothing if a result or a gradient is infinite or NaN, or if the arithmetic is on subnormal numbers:
each such operation traps into microcode, which shows as a call that is much faster if the processor
takes subnormal numbers as 0.
"""

import ctypes
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import pullback as pb
from benchmarks.common import pin_to_one_core, seconds
from pullback.core.recursion import recursion_limit
from tests import harness
from tests.programs import Program, corpus

LIMIT, EXPONENT = 8.0, 0.25
SHORTEST, LONGEST, DOUBLINGS, CALLS = 20e-6, 30e-3, 7, 2
MAKING = 3.0  # seconds; arguments that take longer to make are not doubled
# A call may take so many times as long as with subnormal numbers taken as 0.
SUBNORMAL = 1.2
LARGEST = 1 << 26

# Where the work is no power of n: it grows like 2^n or n!, or hardly, or up and down. The exponent
# is that in the time of the function. The last two have subnormal numbers where n is larger.
SIZES: dict[str, tuple[int, int, int]] = {
    "collatz_product": (27, 871, 77031),
    "romberg": (8, 11, 15),
    "examples/determinant": (6, 7, 8),
    "de_casteljau": (80, 224, 640),
    "neville": (128, 256, 512),
}


class Unmeasured(Exception):
    """The reason why a program has no figures."""


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of log(value) over log(size)."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def plain(x: Any) -> bool:
    """Whether x is a number or an array, or a record of these: compiled code reads these in
    place."""
    if is_dataclass(x):
        x = tuple(getattr(x, f.name) for f in fields(x))
    parts = x if isinstance(x, tuple) else (x,)
    return all(isinstance(y, int | float | np.generic | np.ndarray) for y in parts)


def seconds_per_real() -> float:
    """Return what it costs to write one real of a gradient."""
    out = np.empty(100_000)
    return min(seconds(lambda: out.fill(1.0)) for _ in range(20)) / out.size


def fastest(calls: list[Callable[[], Any]], budget: float) -> list[float]:
    """Return the seconds of one call of each, the least of many turns; short calls are timed many
    at once."""
    counts = [max(1, int(1e-4 / max(seconds(call), 1e-7))) for call in calls]
    found, start = [float("inf")] * len(calls), time.perf_counter()
    while time.perf_counter() - start < budget or found[0] == float("inf"):
        for k, call in enumerate(calls):
            before = time.thread_time()
            for _ in range(counts[k]):
                call()
            found[k] = min(found[k], (time.thread_time() - before) / counts[k])
    return found


def given(program: Program, n: int) -> tuple[Any, ...]:
    """Return the arguments of a size in the form in which they are timed."""
    args = program.make_args(np.random.default_rng(n), n)
    return tuple(arg if plain(arg) else pb.pack(arg) for arg in args)


def sizes_of(program: Program) -> tuple[int, ...]:
    """Return the three sizes, as the text above describes them."""
    if program.name in SIZES:
        return SIZES[program.name]
    f, making = pb.jit(program.f), 0.0

    def takes(n: int) -> float:
        nonlocal making
        start = time.thread_time()
        args = given(program, n)
        making = time.thread_time() - start
        f(*args)
        return fastest([lambda: f(*args)], 0.03)[0]

    small = program.sizes[0]
    first, call = program.growth[0], min(takes(small), takes(small))
    while min(takes(first), takes(first)) < max(SHORTEST, CALLS * call):
        first *= 2
        if first > LARGEST:
            raise Unmeasured(f"takes less than {1e6 * SHORTEST:g} µs at all sizes")
    last = first
    while last < first << DOUBLINGS and making < MAKING / 2 and takes(2 * last) <= LONGEST:
        last *= 2
    steps = (last // first).bit_length() - 1
    return first, first << steps // 2, last


def smaller(program: Program, sizes: tuple[int, ...]) -> list[int]:
    """Return halves of the smallest n, until two decades are covered."""
    n, out = sizes[0] // 2, list[int]()
    while n >= max(program.sizes[0], sizes[-1] >> DOUBLINGS):
        out.append(n)
        n //= 2
    return out


@contextmanager
def subnormals_as_zero() -> Iterator[None]:
    """Set bits 6 and 15 of MXCSR, in the environment of glibc: results and operands are flushed."""
    libm = ctypes.CDLL("libm.so.6")
    before, flushed = (ctypes.c_uint32 * 8)(), (ctypes.c_uint32 * 8)()
    libm.fegetenv(before), libm.fegetenv(flushed)
    flushed[7] |= 1 << 6 | 1 << 15
    libm.fesetenv(flushed)
    try:
        yield
    finally:
        libm.fesetenv(before)


def look_for_subnormals(call: Callable[[], Any], budget: float) -> None:
    """Raise Unmeasured for a call whose time is that of traps into microcode."""
    if platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc":
        return
    for _ in range(5):  # a busy machine slows both kinds of calls
        (usual,) = fastest([call], budget)
        with subnormals_as_zero():
            (flushed,) = fastest([call], budget)
        if usual <= SUBNORMAL * flushed:
            return
    raise Unmeasured(f"subnormal numbers: {usual / flushed:.1f} times as long as with 0 for them")


def measured(program: Program, n: int, write: float, budget: float) -> tuple[float, float]:
    """Return the seconds of the function and the ratio, by the fastest of many runs in turns."""
    args = given(program, n)
    fresh = program.make_args(np.random.default_rng(n), n)
    reals = harness.gradient_size(fresh, program.argnums)
    f, gradient = pb.jit(program.f), pb.value_and_grad(program.f, argnums=program.argnums)
    found = [f(*args), *gradient(*args)]
    if not all(
        np.all(np.isfinite(leaf)) for leaf in harness.leaves(found) if harness.is_real(leaf)
    ):
        raise Unmeasured("the value or the gradient is not finite")
    one, two = fastest([lambda: f(*args), lambda: gradient(*args)], budget)
    look_for_subnormals(lambda: (f(*args), gradient(*args)), budget / 3)
    return one, two / (one + write * reals)


def micro(t: float) -> str:
    return f"{1e6 * t:.0f}" if t > 1e-5 else f"{1e6 * t:.1f}"


def timed(program: Program, write: float, budget: float) -> tuple[float, float, str]:
    """Return the worst ratio, the exponent, and the line of the table."""
    sizes = sizes_of(program)
    found = []
    for n in sizes:
        try:
            found.append(measured(program, n, write, budget))
        except Exception as error:
            raise Unmeasured(f"n = {n}: {said(error)}") from error
    ratios = [ratio for _, ratio in found]
    if program.name in SIZES:
        slope = exponent([one for one, _ in found], ratios)
    else:
        below = smaller(program, sizes)
        more = [measured(program, n, write, budget / 3)[1] for n in below]
        slope = exponent((*below, *sizes), (*more, *ratios))
    cells = " | ".join(f"{ratio:.1f}" for ratio in ratios)
    numbers = ", ".join(map(str, sizes))
    times = f"{micro(found[0][0])}, {micro(found[-1][0])}"
    return max(ratios), slope, f"| {program.name} | {numbers} | {times} | {cells} | {slope:.2f} |"


def said(error: Exception) -> str:
    """Return one line about an error."""
    text = " ".join(str(error).split())[:200]
    return text if isinstance(error, Unmeasured) else f"{type(error).__name__}: {text}"


def chosen(wanted: Sequence[str]) -> list[Program]:
    """Return the real programs of these names, or all."""
    programs = {program.name: program for program in corpus() if program.growth}
    unknown = [name for name in wanted if name not in programs]
    if unknown:
        raise SystemExit(f"no such program: {', '.join(unknown)}; known: {', '.join(programs)}")
    return [programs[name] for name in wanted or programs]


def main(jax: Any = None, wanted: Sequence[str] = (), budget: float = 0.3) -> None:
    """Print the table, in Markdown, the worst first; the process ends with an error if a program
    was not timed."""
    programs, write = chosen(wanted), seconds_per_real()
    rows: list[tuple[float, float, str]] = []
    failed: list[str] = []
    for program in programs:
        try:
            with recursion_limit(1_000_000):
                rows.append(timed(program, write, budget))
            line = rows[-1][2]
        except Exception as error:
            failed.append(f"| {program.name} | NOT MEASURED: {said(error)} | | | | | |")
            line = failed[-1]
        print(line, file=sys.stderr, flush=True)
    print("| program | n | f, µs (first, last n) | gradient/f | | | exponent |")
    print("|---|---|---|---|---|---|---|")
    for _, _, line in sorted(rows, reverse=True):
        print(line)
    for line in failed:
        print(line)
    above = sum(worst >= LIMIT for worst, _, _ in rows)
    steep = sum(slope > EXPONENT for _, slope, _ in rows)
    print(f"\n{len(rows)} programs; {above} with a ratio of {LIMIT:g} or more, {steep} with an")
    print(f"exponent above {EXPONENT}", flush=True)
    if failed:
        raise SystemExit(f"{len(failed)} of {len(programs)} programs were NOT MEASURED")


if __name__ == "__main__":
    pin_to_one_core()
    main(None, tuple(sys.argv[1:]))
