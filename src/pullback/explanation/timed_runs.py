"""Native runs under a timer: the seconds of each line, of a function and of its gradient."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from pullback.call.callee import as_function
from pullback.call.normalise import normalised
from pullback.call.packed import plain
from pullback.call.request import Request
from pullback.call.specialised import compiling
from pullback.call.stage_programs import traced
from pullback.core.trails import following
from pullback.errors import UnsupportedError
from pullback.native.code_map import row_at
from pullback.native.sampler import can_sample, sampling
from pullback.settings import config

INTERVAL = 0.0005

Line = tuple[str, int, str]
"""A file, a line of it, and the part of the derivative."""


@dataclass(slots=True)
class Timed:
    """The runs of one program: how many, the seconds of one, and the samples in their order, each
    with its line (None: outside of compiled code)."""

    runs: int
    seconds: float
    samples: list[Line | None] = field(default_factory=list)

    def shares(self) -> dict[Line | None, float]:
        """Return the seconds of a run that each line takes."""
        counts = Counter(self.samples)
        total = max(1, sum(counts.values()))
        return {line: self.seconds * n / total for line, n in counts.items()}


def can_time() -> bool:
    """Return whether runs can be timed here: in the main thread of a machine that is known."""
    return can_sample() and threading.current_thread() is threading.main_thread()


def timed(f: object, args: Sequence[object], request: Request, seconds: float) -> Timed:
    """Run what an operator makes of a function again and again for so many seconds, on one thread,
    and return where the time went."""
    if not can_sample():
        raise UnsupportedError("pb.profile needs Linux on x86-64 or aarch64",
                               "count steps with pb.explain")  # fmt: skip
    if threading.current_thread() is not threading.main_thread():
        raise UnsupportedError("pb.profile runs in the main thread, to which signals go",
                               "call it there")  # fmt: skip
    call, values = _compiled(f, args, request)
    python = _python()
    threads, config.threads = config.threads, 1
    try:
        call(*values)  # loops that turn out to be long are compiled once more
        call(*values)
        runs, start = 0, perf_counter()
        with sampling(INTERVAL) as samples:
            while runs == 0 or perf_counter() - start < seconds:
                call(*values)
                runs += 1
            spent = perf_counter() - start
    finally:
        config.threads = threads
    return Timed(runs, spent / runs, [_line(sample, python) for sample in samples])


def _compiled(
    f: object, args: Sequence[object], request: Request
) -> tuple[Callable[..., Any], Sequence[object]]:
    """Return the call of a program with lines, and the arguments in the form that it takes."""
    with compiling, following():
        unit, _ = traced(f, args, request)
        call = unit.bind(as_function(f, len(args)))
    if call(*args) is not NotImplemented:
        return call, args
    usual, _ = normalised(unit.plan, plain(tuple(args)), ())
    if call(*usual) is NotImplemented:
        raise UnsupportedError("pb.profile of these arguments", "profile a function around it")
    return call, usual


def _line(sample: Sequence[int], python: Sequence[range]) -> Line | None:
    """Return the line to which a sample belongs: that of the code, or of the call of a library in
    which it was. What Python itself does is outside."""
    row = row_at(sample[0])
    if row is None and not any(sample[0] in part for part in python):
        callers = (row_at(word - 1) for word in sample[1:])
        row = next((r for r in callers if r is not None), None)
    return None if row is None else (row.file, row.line, row.part)


def _python() -> list[range]:
    """Return where the interpreter's own code is in memory."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        part, rights, *_, file = line.split(maxsplit=5)
        if "x" in rights and "python" in Path(file).name:
            start, _, end = part.partition("-")
            found.append(range(int(start, 16), int(end, 16)))
    return found


__all__ = ["Line", "Timed", "can_time", "timed"]
