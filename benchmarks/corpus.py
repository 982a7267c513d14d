"""The programs of ``examples/`` and of the tests, timed at sizes over two decades.

For each: the time of (value, gradient) over the time of the function and the time that it takes to
write the gradient, and the exponent of this ratio in n. Lists and trees are packed beforehand, so
that the conversion of Python objects (``benchmarks/boundary.py``) is not timed. What is measured
is the processor's time of the thread, so that a busy machine does not count long calls as longer.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import pullback as pb
from benchmarks.common import pin_to_one_core, seconds
from tests.programs import Program, corpus
from tests.test_scaling import gradient_size

LIMIT, EXPONENT = 8.0, 0.25

# Where ten times the counted sizes (three times those of programs of more than linear cost) are too
# few or too many.
SIZES: dict[str, tuple[int, int, int]] = {
    "collatz_product": (27, 871, 77031),
    "romberg": (8, 11, 15),
    "examples/determinant": (4, 6, 8),
    "examples/ray_marching": (5, 50, 500),
    "examples/fourier": (64, 512, 4096),
    "examples/tree_network": (10, 100, 1000),
}


def sizes_of(program: Program) -> tuple[int, ...]:
    first, last = program.growth[0], program.growth[-1]
    factor = 10 if last >= 100 * first else 3
    return SIZES.get(program.name, tuple(factor * n for n in program.growth))


def exponent(sizes: tuple[int, ...], values: list[float]) -> float:
    """The slope of log(value) over log(size)."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def plain(x: Any) -> bool:
    return isinstance(x, int | float | np.generic | np.ndarray)


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


def measured(program: Program, n: int, write: float, budget: float) -> tuple[float, float]:
    """Seconds of the function and the ratio, by the fastest of many runs in turns."""
    args = program.make_args(np.random.default_rng(n), n)
    given = tuple(arg if plain(arg) else pb.pack(arg) for arg in args)
    f, gradient = pb.jit(program.f), pb.value_and_grad(program.f, argnums=program.argnums)
    f(*given), gradient(*given)
    one, two = fastest([lambda: f(*given), lambda: gradient(*given)], budget)
    return one, two / (one + write * gradient_size(program, args))


def main(jax: Any = None, wanted: tuple[str, ...] = (), budget: float = 0.3) -> None:
    """The table, in Markdown, the worst first."""
    sys.setrecursionlimit(100_000)
    write, rows = seconds_per_real(), []
    programs = [program for program in corpus() if program.growth]
    for program in programs:
        if wanted and program.name not in wanted:
            continue
        sizes = sizes_of(program)
        found = [measured(program, n, write, budget) for n in sizes]
        ratios = [ratio for _, ratio in found]
        slope = exponent(sizes, ratios)
        cells = " | ".join(f"{ratio:.1f}" for ratio in ratios)
        numbers = ", ".join(map(str, sizes))
        micro = f"{1e6 * found[-1][0]:.0f}" if found[-1][0] > 1e-5 else f"{1e6 * found[-1][0]:.1f}"
        row = f"| {program.name} | {numbers} | {micro} | {cells} | {slope:.2f} |"
        rows.append((max(ratios), slope, row))
        print(row, file=sys.stderr, flush=True)
    print("| program | n | f, µs (last n) | gradient/f | | | exponent |")
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
