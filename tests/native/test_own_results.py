"""Large results are made in memory that their arrays take over: these own it, can be changed and
resized, and share nothing; what is not taken over is freed; blocks that are kept are used again."""

from __future__ import annotations

import resource
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.lower.own_memory import MOST
from pullback.native.runtime_results import KEPT_BYTES, LEAST

SIZES = (LEAST // 8 - 1, LEAST // 8, LEAST // 8 + 5, 300_000, KEPT_BYTES // 8 + 1)


@pytest.mark.parametrize("n", SIZES)
def test_an_array_owns_its_memory(n: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    f = pb.jit(lambda v: v + 1.0)
    first, second = f(x), f(2.0 * x)
    np.testing.assert_array_equal(first, x + 1.0)
    np.testing.assert_array_equal(second, 2.0 * x + 1.0)
    for y in (first, second):
        assert y.base is None and y.flags.owndata and y.flags.carray
    first[:] = 7.0
    np.testing.assert_array_equal(second, 2.0 * x + 1.0)
    second.resize(n + 1000, refcheck=False)
    np.testing.assert_array_equal(second[:n], 2.0 * x + 1.0)
    second.resize(3, refcheck=False)
    np.testing.assert_array_equal(second, 2.0 * x[:3] + 1.0)


def twice(v: Any) -> Any:
    y = v * 2.0
    return y, y, y[1:], y[::-1]


def many(v: Any) -> Any:
    return tuple(v + float(k) for k in range(MOST + 3))


def chosen(v: Any) -> Any:
    y = v + 1.0
    z = y * y if v[0] > 0.0 else y
    return z, y


def updated(v: Any) -> Any:
    y = np.zeros(len(v))
    for i in range(len(v)):
        y[i] = v[i] + (y[i - 1] if i else 0.0)
    return y


def turned(v: Any) -> Any:
    return np.outer(v[:300], v[:200]).T


def ints(v: Any) -> Any:
    return (v * 10.0).astype(np.int64), v > 0.5, np.argsort(v)


@pytest.mark.parametrize("f", [twice, many, chosen, updated, turned, ints])
def test_results_share_nothing(f: Callable[[Any], Any]) -> None:
    compiled = pb.jit(f)
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=40_000)
        wanted, found = f(x), compiled(x)
        pairs = list(zip(wanted, found)) if isinstance(found, tuple) else [(wanted, found)]
        for k, (w, y) in enumerate(pairs):
            np.testing.assert_array_equal(y, w)
            y[...] = 0
            for later, (other, z) in enumerate(pairs[k + 1 :], k + 1):
                np.testing.assert_array_equal(z, np.array(other), err_msg=f"{k} {later}")


def test_a_residual_keeps_its_own() -> None:
    x = np.random.default_rng(1).normal(size=50_000)
    value, back = pb.vjp(lambda v: np.exp(v), x)
    value[:] = 0.0
    (found,) = back(np.ones(len(x)))
    np.testing.assert_allclose(found, np.exp(x), 1e-14)
    slope = pb.value_and_grad(lambda v: np.sum(v**3))
    for _ in range(3):
        _, g = slope(x)
        np.testing.assert_allclose(g, 3.0 * x**2, 1e-14)
        g[:] = -1.0


def refused(v: Any) -> Any:
    y = v + 1.0
    if y[-1] > 0.0:
        raise ValueError("no")
    return y


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def test_memory_does_not_grow() -> None:
    x, f = np.ones(500_000), pb.jit(refused)
    both = pb.grad(lambda a, b: np.sum(np.sin(a) * b), (0, 1))
    for turn in range(2):
        for _ in range(60):
            with pytest.raises(ValueError, match="no"):
                f(x)
            both(x, x)
        if turn == 0:
            before = megabytes()
    assert megabytes() - before < 40.0


def test_threads_exchange_blocks() -> None:
    f, wrong = pb.jit(lambda v: v * 3.0), []

    def work(seed: int) -> None:
        x = np.random.default_rng(seed).normal(size=30_000 + 500 * seed)
        kept = [f(x) for _ in range(4)]
        for _ in range(60):
            kept = [*kept[1:], f(x)]
            wrong.extend(1 for y in kept if not np.array_equal(y, 3.0 * x))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(50.0)
    assert not wrong
