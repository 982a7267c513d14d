"""Time calls: repeats in turns, minimum and median, and one line per program."""

import os
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pullback.settings import config

DATA = Path(__file__).parent / "data"

Call = Callable[[], Any]


def pin_to_one_core() -> None:
    """Let the process use one core only, so that every tool has one thread."""
    config.threads = 1
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def jax_or_none() -> Any:
    """Return JAX on the CPU in float64, or None if it is not installed."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ.setdefault("XLA_FLAGS", flags)
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    return jax


@dataclass(frozen=True)
class Times:
    """The seconds of one call: the fastest and the median of the repeats."""

    least: float
    median: float


@dataclass(frozen=True)
class Case:
    """One program in one tool: calls of f and of (value, gradient), which wait for the result."""

    tool: str
    f: Call
    gradient: Call


def seconds(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def interleaved(calls: list[Call], budget: float = 4.0, least: int = 7) -> list[Times]:
    """Return the times of all calls, made in turns, so that a busy moment hits all of them
    alike."""
    found: list[list[float]] = [[] for _ in calls]
    start = time.perf_counter()
    while len(found[0]) < least or time.perf_counter() - start < budget:
        for call, times in zip(calls, found):
            times.append(seconds(call))
    return [Times(min(times), statistics.median(times)) for times in found]


def worst_difference(ours: Iterable[Any], theirs: Iterable[Any]) -> float:
    """Return ADBench's measure: the largest |x - y| / max(1, |x| + |y|)."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
        assert x.shape == y.shape
        worst = max(worst, float(np.max(np.abs(x - y) / np.maximum(1.0, np.abs(x) + np.abs(y)))))
    return worst


HEADER = (
    f"{'program':<22} {'tool':<9} {'compile f':>10} {'compile g':>10} {'f least':>10} "
    f"{'f median':>10} {'g least':>10} {'g median':>10} {'g/f':>6} {'g/JAX g':>8}"
)


def report(name: str, cases: list[Case]) -> None:
    """Compile, compare the results, time in turns, print one line per tool (milliseconds)."""
    compiled = [(seconds(case.f), seconds(case.gradient)) for case in cases]
    times = interleaved([call for case in cases for call in (case.f, case.gradient)])
    pairs = list(zip(times[::2], times[1::2]))
    jax = next((g.least for case, (_, g) in zip(cases, pairs) if case.tool == "JAX"), None)
    for case, (first_f, first_g), (f, g) in zip(cases, compiled, pairs):
        against = f"{g.least / jax:8.2f}" if jax else f"{'-':>8}"
        cells = [first_f - f.least, first_g - g.least, f.least, f.median, g.least, g.median]
        print(
            f"{name:<22} {case.tool:<9} "
            + " ".join(f"{1e3 * cell:10.3f}" for cell in cells)
            + f" {g.least / f.least:6.2f} {against}",
            flush=True,
        )
    if len(cases) > 1:
        (value, ours), (their_value, theirs) = (case.gradient() for case in cases[:2])
        far = worst_difference((value, *ours), (their_value, *theirs))
        print(f"{'':<22} largest difference from JAX: {far:.1e}")
        assert far <= 1e-6, "the tools disagree"
