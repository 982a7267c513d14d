"""Measure how the time ratio gradient/function grows with n: the exponent should be near 0."""

from typing import Any

import numpy as np

import pullback as pb
from benchmarks.common import interleaved
from benchmarks.programs import PROGRAMS, args_of

SIZES = [1_000, 10_000, 100_000, 1_000_000]


def exponent(sizes: list[int], values: list[float]) -> float:
    """Return the slope of log(value) over log(size)."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def main(jax: Any) -> None:
    print(f"{'gradient/function':<18} " + " ".join(f"{n:>10}" for n in SIZES) + "   exponent")
    for name, program in PROGRAMS.items():
        f, gradient, ratios = pb.jit(program), pb.value_and_grad(program), []
        for n in SIZES:
            args = args_of(name, n)
            f(*args), gradient(*args)

            def primal(f=f, args=args):
                return f(*args)

            def reverse(gradient=gradient, args=args):
                return gradient(*args)

            one, two = interleaved([primal, reverse], budget=1.0)
            ratios.append(two.least / one.least)
        row = " ".join(f"{ratio:10.2f}" for ratio in ratios)
        print(f"{name:<18} {row} {exponent(SIZES, ratios):10.3f}", flush=True)
