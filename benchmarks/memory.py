"""Measure peak memory, in a fresh process each: a primal loop needs none, a gradient its
residuals."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.programs import PROGRAMS, args_of

ROWS = [
    ("scalar_loop", "f", (100_000, 1_000_000, 10_000_000)),
    ("scalar_loop", "gradient", (100_000, 1_000_000, 10_000_000)),
    ("logistic", "f", (1_000_000, 10_000_000)),
    ("logistic", "gradient", (1_000_000, 10_000_000)),
    ("updates", "f", (100_000, 1_000_000)),
    ("updates", "gradient", (100_000, 1_000_000)),
]


def child(name: str, what: str, n: int) -> int:
    """Return the bytes by which one call of size n raises the peak of this process."""
    import pullback as pb

    program = PROGRAMS[name]
    call = pb.jit(program) if what == "f" else pb.value_and_grad(program)
    call(*args_of(name, 1000))
    args = args_of(name, n)
    before = peak()
    call(*args)
    return peak() - before


def peak() -> int:
    """Return the largest resident size of this process so far, in bytes (getrusage would count that
    of the parent, too)."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])


def measured(name: str, what: str, n: int) -> int:
    words = [sys.executable, "-m", "benchmarks.memory", name, what, str(n)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=86_400)
    return int(done.stdout.split()[-1])


def main(jax: Any) -> None:
    print(f"{'peak memory of a call':<34} {'n':>10} {'MiB':>10} {'bytes/n':>10}")
    for name, what, sizes in ROWS:
        for n in sizes:
            extra = measured(name, what, n)
            row = f"{n:>10} {extra / 2**20:10.1f} {extra / n:10.2f}"
            print(f"{name + ', ' + what:<34} {row}", flush=True)


if __name__ == "__main__":
    print(child(sys.argv[1], sys.argv[2], int(sys.argv[3])))
