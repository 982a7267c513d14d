"""``python -m benchmarks.dual`` times the two native methods on scalar programs, beside the
function, compiled without lanes too."""

from __future__ import annotations

import math
from functools import partial
from typing import Any
from unittest import mock

import numpy as np

import pullback as pb
from benchmarks.common import interleaved, pin_to_one_core
from pullback.lower.lanes import Parallel

N = 10_000


def logistic(x, n):
    for _ in range(n):
        x = 3.7 * x * (1 - x)
    return x


def damped(xs):
    s = 0.0
    for v in xs:
        s = s * 0.5 + math.sin(v) * v
    return s


def newton(a, n):
    x = a
    for _ in range(n):
        x = x - (x * x * x - a) / (3 * x * x + 1.0) if x > 0 else x * 0.5 + a
    return x


def fibonacci(x, n):
    if n < 2:
        return x * 1.01
    return fibonacci(x, n - 1) * 0.5 + math.sin(fibonacci(x, n - 2))


def updates(xs, idx):
    y = np.zeros(len(xs) + 1)
    for i in range(len(xs)):
        y[i + 1] = math.sin(y[idx[i]]) + xs[i]
    return y[len(xs)]


def sum_of_sines(xs):
    return sum(math.sin(v) * v for v in xs)


def products(xs):
    return sum(xs[i] * xs[len(xs) - 1 - i] for i in range(len(xs)))


def programs() -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Return functions and their arguments, by name."""
    rng = np.random.default_rng(0)
    xs = rng.normal(size=N)
    return {
        "the logistic map": (logistic, (0.3, N)),
        "a damped loop": (damped, (xs,)),
        "Newton's method": (newton, (2.0, N)),
        "recursion (Fibonacci)": (fibonacci, (0.3, 18)),
        "updates of a table": (updates, (xs, rng.integers(0, np.arange(1, N + 1)))),
        "sum of sines": (sum_of_sines, (xs,)),
        "sum of products": (products, (xs,)),
    }


def main() -> None:
    pin_to_one_core()
    print(f"{'program':<22} {'f us':>9} {'no lanes':>9} {'chad us':>9} {'dual us':>9} "
          f"{'dual/chad':>9} {'dual/f':>9}")  # fmt: skip
    for name, (f, args) in programs().items():
        calls = [pb.jit(f), pb.value_and_grad(f), pb.value_and_grad(f, method="dual")]
        for call in calls:
            call(*args)
        scalar = pb.jit(lambda *given, f=f: f(*given))  # another function, so compiled anew
        with mock.patch.object(Parallel, "best", Parallel.scalar):
            scalar(*args)
        times = interleaved([partial(g, *args) for g in (calls[0], scalar, *calls[1:])], 1.0)
        fast, slow, chad, dual = (t.least * 1e6 for t in times)
        print(f"{name:<22} {fast:9.1f} {slow:9.1f} {chad:9.1f} {dual:9.1f} "
              f"{dual / chad:9.2f} {dual / slow:9.2f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
