"""The programs of ``examples/`` and of the tests, timed at sizes over two decades.

For each: the time of (value, gradient) over the time of the function and the time that it takes to
write the gradient, and the exponent of this ratio in n. Lists and trees are packed beforehand (a
record of numbers and arrays is not: packed, it goes a longer way), so that the conversion of Python
objects (``benchmarks/boundary.py``) is not timed. What is measured is the processor's time of the
thread, so that a busy machine does not count long calls as longer.

A call from Python takes a fraction of a microsecond whatever it does, and would hide the ratio of
small calls. So the smallest n is the first (doubling) at which the function takes ``SHORTEST``, and
the largest 128 times that; where the work grows faster than n, so many times that the function
takes no more than ``LONGEST``.
"""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import pullback as pb
from benchmarks.common import pin_to_one_core, seconds
from tests.programs import Program, corpus
from tests.test_scaling import gradient_size

LIMIT, EXPONENT = 8.0, 0.25
SHORTEST, LONGEST, DOUBLINGS = 20e-6, 30e-3, 7

# Where the work is no power of n: it grows like 2^n or n!, or hardly, or up and down. The exponent
# is that in the time of the function.
SIZES: dict[str, tuple[int, int, int]] = {
    "collatz_product": (27, 871, 77031),
    "romberg": (8, 11, 15),
    "examples/determinant": (6, 7, 8),
}


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of log(value) over log(size)."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def plain(x: Any) -> bool:
    """A number or an array, or a record of these: compiled code reads it where it is."""
    if is_dataclass(x):
        x = tuple(getattr(x, f.name) for f in fields(x))
    parts = x if isinstance(x, tuple) else (x,)
    return all(isinstance(y, int | float | np.generic | np.ndarray) for y in parts)


def seconds_per_real() -> float:
    """What it costs to write one real of a gradient."""
    out = np.empty(100_000)
    return min(seconds(lambda: out.fill(1.0)) for _ in range(20)) / out.size


def fastest(calls: list[Callable[[], Any]], budget: float) -> list[float]:
    """Seconds of one call of each, the least of many turns; short calls are timed many at once."""
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
    """The arguments of a size, as they are timed."""
    args = program.make_args(np.random.default_rng(n), n)
    return tuple(arg if plain(arg) else pb.pack(arg) for arg in args)


def sizes_of(program: Program) -> tuple[int, ...]:
    """Three sizes, as the text above has it."""
    if program.name in SIZES:
        return SIZES[program.name]
    f = pb.jit(program.f)

    def takes(n: int) -> float:
        args = given(program, n)
        f(*args)
        return fastest([lambda: f(*args)], 0.01)[0]

    first = program.growth[0]
    while takes(first) < SHORTEST:
        first *= 2
    last = first
    while last < first << DOUBLINGS and takes(2 * last) <= LONGEST:
        last *= 2
    steps = (last // first).bit_length() - 1
    return first, first << steps // 2, last


def measured(program: Program, n: int, write: float, budget: float) -> tuple[float, float]:
    """Seconds of the function and the ratio, by the fastest of many runs in turns."""
    args = given(program, n)
    reals = gradient_size(program, program.make_args(np.random.default_rng(n), n))
    f, gradient = pb.jit(program.f), pb.value_and_grad(program.f, argnums=program.argnums)
    f(*args), gradient(*args)
    one, two = fastest([lambda: f(*args), lambda: gradient(*args)], budget)
    return one, two / (one + write * reals)


def micro(t: float) -> str:
    return f"{1e6 * t:.0f}" if t > 1e-5 else f"{1e6 * t:.1f}"


def main(jax: Any = None, wanted: tuple[str, ...] = (), budget: float = 0.3) -> None:
    """The table, in Markdown, the worst first."""
    sys.setrecursionlimit(1_000_000)
    write, rows = seconds_per_real(), []
    programs = [program for program in corpus() if program.growth]
    for program in programs:
        if wanted and program.name not in wanted:
            continue
        sizes = sizes_of(program)
        found = [measured(program, n, write, budget) for n in sizes]
        ratios = [ratio for _, ratio in found]
        times_of_f = [one for one, _ in found]
        slope = exponent(times_of_f if program.name in SIZES else sizes, ratios)
        cells = " | ".join(f"{ratio:.1f}" for ratio in ratios)
        numbers = ", ".join(map(str, sizes))
        times = f"{micro(found[0][0])}, {micro(found[-1][0])}"
        row = f"| {program.name} | {numbers} | {times} | {cells} | {slope:.2f} |"
        rows.append((max(ratios), slope, row))
        print(row, file=sys.stderr, flush=True)
    print("| program | n | f, µs (first, last n) | gradient/f | | | exponent |")
    print("|---|---|---|---|---|---|---|")
    for _, _, row in sorted(rows, reverse=True):
        print(row)
    above = sum(worst >= LIMIT for worst, _, _ in rows)
    steep = sum(slope >= EXPONENT for _, slope, _ in rows)
    print(f"\n{len(rows)} programs; {above} with a ratio above {LIMIT:g}, {steep} with an exponent")
    print(f"above {EXPONENT}")


if __name__ == "__main__":
    pin_to_one_core()
    main(None, tuple(sys.argv[1:]))
