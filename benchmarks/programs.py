"""The programs whose growth is measured: reads, updates, a plain sum, a scalar loop."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def reads(x, idx):
    total = 0.0
    for i in range(len(idx)):
        total += x[idx[i]] * (i + 1)
    return total


def updates(x, idx):
    y = np.zeros(len(x) + 1)
    y[0] = 1.0
    for i in range(len(x)):
        y[i + 1] = math.sin(y[idx[i]]) + x[i]
    return y[len(x)]


def squares(x, idx):
    return sum(math.sin(x[i]) * x[i] for i in range(len(x)))


def scalar_loop(x, n):
    y = x
    for i in range(n):
        y = 0.5 * y + x / (i + 1)
    return y


def logistic(x, n):
    """Compute a loop like ``scalar_loop``, but one whose derivative needs every value."""
    y = x
    for _ in range(n):
        y = 3.7 * y * (1.0 - y)
    return y


def args_of(name: str, n: int) -> tuple[Any, ...]:
    """Return the arguments of size n."""
    rng = np.random.default_rng(n)
    if name in ("scalar_loop", "logistic"):
        return 0.6, n
    places = rng.integers(0, np.arange(1, n + 1)) if name == "updates" else rng.integers(0, n, n)
    return rng.normal(size=n), places


PROGRAMS: dict[str, Callable[..., Any]] = {
    "reads": reads, "updates": updates, "squares": squares, "scalar_loop": scalar_loop,
    "logistic": logistic,
}  # fmt: skip
