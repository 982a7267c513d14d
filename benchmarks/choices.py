"""Time maxima, minima, their places, ``any`` and ``all`` of vectors beside NumPy's, written as
calls of NumPy and as loops, and the logarithm of a sum of exponentials.

Results of both are compared before the times."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pullback as pb
from benchmarks.common import interleaved, worst_difference

Array = NDArray[np.float64]


def maximum(x: Array) -> Any:
    return np.max(x)


def minimum(x: Array) -> Any:
    return np.min(x)


def place_of_maximum(x: Array) -> Any:
    return np.argmax(x)


def place_of_minimum(x: Array) -> Any:
    return np.argmin(x)


def any_above(x: Array) -> Any:
    return np.any(x > 9.0)


def all_below(x: Array) -> Any:
    return np.all(x < 9.0)


def maximum_by_loop(x: Array) -> Any:
    best = x[0]
    for v in x:
        best = max(best, v)
    return best


def place_by_loop(x: Array) -> Any:
    best, at = x[0], 0
    for i in range(len(x)):
        if x[i] > best:
            best, at = x[i], i
    return at


def log_sum_exp(x: Array) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


ROWS: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = (
    (maximum, np.max), (minimum, np.min), (place_of_maximum, np.argmax),
    (place_of_minimum, np.argmin), (any_above, any_above), (all_below, all_below),
    (maximum_by_loop, np.max), (place_by_loop, np.argmax), (log_sum_exp, log_sum_exp),
)  # fmt: skip
SIZES = (1_000, 100_000, 1_000_000)


def main(_jax: Any) -> None:
    print(f"{'microseconds':<20}" + "".join(f"{f'n = {n:,}':>18}{'/NumPy':>9}" for n in SIZES))
    for f, theirs in ROWS:
        compiled, cells = pb.jit(f), []
        for n in SIZES:
            x = np.random.default_rng(n).normal(size=n)
            assert worst_difference([compiled(x)], [theirs(x)]) <= 1e-12
            ours, numpys = interleaved([partial(compiled, x), partial(theirs, x)], budget=0.5)
            cells.append(f"{1e6 * ours.least:18.1f}{ours.least / numpys.least:9.2f}")
        print(f"{f.__name__:<20}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main(None)
