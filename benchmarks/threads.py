"""``python -m benchmarks.threads`` times programs on one thread and on all cores.

The calls are made in turns, and the results are compared bit by bit. ``ratio`` is the least time on
all cores divided by the least time on one thread."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import pullback as pb
from benchmarks.common import DATA, interleaved
from benchmarks.gmm import ARGNUMS
from pullback.demo.inputs import FOLDER, adbench
from pullback.demo.mixture import objective
from tests import harness


def kernel(x, w):
    """Pairwise kernels by plain loops."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            d = 0.0
            for k in range(x.shape[1]):
                t = x[i, k] - x[j, k]
                d += t * t
            total += w[i] * w[j] * math.exp(-0.5 * d)
    return total


def product(a, b):
    return np.sum(np.tanh(a @ b))


def network(w1, w2, x):
    return np.sum((np.tanh(x @ w1) @ w2) ** 2)


def path(theta, x):
    """One long scalar computation for each element."""
    total = 0.0
    for i in range(len(x)):
        y = x[i]
        for _ in range(50):
            y = y + 0.01 * (theta[0] * math.sin(y) - theta[1] * y)
        total += y * y
    return total


def programs() -> list[tuple[str, Callable[..., Any], tuple[Any, ...], tuple[int, ...]]]:
    rng = np.random.default_rng(0)
    found = []
    for name, file in (("n1000", FOLDER / "1k_gmm_d10_K25.txt"),
                       ("n10000", DATA / "10k_gmm_d10_K25.txt")):  # fmt: skip
        d = adbench(file)
        args = (d.alphas, d.means, d.qs, d.ls, d.x, d.gamma, d.m)
        found.append((f"mixture d10 K25 {name}", objective, args, ARGNUMS))
    for n in (500, 2000):
        found.append((f"kernel n{n} d3", kernel, (rng.normal(size=(n, 3)), rng.normal(size=n)),
                      (0, 1)))  # fmt: skip
    for n in (512, 1024):
        pair = (rng.normal(size=(n, n)), rng.normal(size=(n, n)))
        found.append((f"product n{n}", product, pair, (0, 1)))
    layers = rng.normal(size=(400, 128)), rng.normal(size=(128, 10)), rng.normal(size=(1024, 400))
    found.append(("network 400-128-10, 1024", network, layers, (0, 1)))
    found.append(("path n10000", path, (np.array([1.0, 0.3]), rng.normal(size=10_000)), (0, 1)))
    return found


def main() -> None:
    cores = pb.config.threads
    print(f"milliseconds, least of many; one thread and {cores}")
    print(f"{'program':<26} {'f one':>9} {'f all':>9} {'ratio':>6} {'g one':>9} {'g all':>9} "
          f"{'ratio':>6}")  # fmt: skip
    for name, f, args, argnums in programs():
        calls, results = [], []
        for call in (pb.jit(f), pb.value_and_grad(f, argnums=argnums)):
            for threads in (1, cores):

                def run(call: Any = call, args: Any = args, threads: int = threads) -> Any:
                    pb.config.threads = threads
                    return call(*args)

                results.append([np.asarray(leaf) for leaf in harness.leaves(run())])
                calls.append(run)
        for one, all_ in ((0, 1), (2, 3)):
            for a, b in zip(results[one], results[all_], strict=True):
                assert np.array_equal(a, b), name
        t = [1e3 * x.least for x in interleaved(calls, 3.0)]
        print(f"{name:<26} {t[0]:9.3f} {t[1]:9.3f} {t[1] / t[0]:6.2f} {t[2]:9.3f} {t[3]:9.3f} "
              f"{t[3] / t[2]:6.2f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
