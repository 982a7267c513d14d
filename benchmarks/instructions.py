"""Measure growth in machine instructions, by ``valgrind --tool=callgrind`` (``make callgrind``).

Two processes differ only in the number of calls, so the difference between their counts is that of
the calls: the start of Python and the compilation cancel out. (Compiled objects are kept between
the processes, because compiling under valgrind takes long.)
"""

import os
import re
import subprocess
import sys
import tempfile

from benchmarks.programs import PROGRAMS, args_of
from benchmarks.scaling import exponent

SIZES = [1_000, 8_000, 64_000]
NAMES = ["reads", "updates"]
LIMIT = 1.05
WORK = 10_000_000
"""Elements in all calls of a process together: the start of Python varies by a million."""


def child(name: str, what: str, n: int, repeats: int) -> None:
    import pullback as pb

    program, args = PROGRAMS[name], args_of(name, n)
    call = pb.jit(program) if what == "f" else pb.value_and_grad(program)
    for _ in range(repeats):
        call(*args)


def collected(name: str, what: str, n: int, repeats: int, cache: str) -> int:
    """Return the instructions of a whole process."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    words = [sys.executable, "-m", "benchmarks.instructions", name, what, str(n), str(repeats)]
    environment = os.environ | {"PYTHONHASHSEED": "0", "PULLBACK_CACHE": cache}
    done = subprocess.run(tool + words, capture_output=True, text=True, check=True, env=environment,
                          timeout=86_400)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found.group(1))


def per_call(name: str, what: str, n: int, cache: str) -> float:
    calls = WORK // n
    return (collected(name, what, n, 1 + calls, cache) - collected(name, what, n, 1, cache)) / calls


def main() -> int:
    """Print the table. Return the exit status: 1 if an exponent reaches the limit."""
    worst = 0.0
    print(f"{'instructions of a call':<24} " + " ".join(f"{n:>12}" for n in SIZES) + "   exponent")
    for name in NAMES:
        for what in ("f", "gradient"):
            with tempfile.TemporaryDirectory() as cache:
                collected(name, what, SIZES[0], 1, cache)
                counts = [per_call(name, what, n, cache) for n in SIZES]
            slope = exponent(SIZES, counts)
            worst = max(worst, slope)
            row = " ".join(f"{count:12.0f}" for count in counts)
            print(f"{name + ', ' + what:<24} {row} {slope:10.3f}", flush=True)
    print(f"largest exponent {worst:.3f}, limit {LIMIT}")
    return 0 if worst < LIMIT else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        child(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        raise SystemExit(main())
