"""Functions that keep their results, where it can be seen how often they run."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.foreign.__main__ import is_right
from tests.frontend.harness import agrees


def counts_its_runs(x):
    n = 0

    @lru_cache(maxsize=2)
    def f(k):
        nonlocal n
        n += 1
        return x * k

    t = 0.0
    for k in [1, 2, 3, 1, 2, 3, 3]:
        t += f(k)
    return t * n


def used_last(x):
    log = []

    @lru_cache(maxsize=2)
    def f(k, name):
        log.append(k)
        return x * k * len(name)

    t = sum(f(k, "ab") for k in [1, 2, 1, 3, 1, 2, 3, 3])
    return t * len(log) + log[-1] * x


def keeps_nothing(x):
    calls = []

    @functools.lru_cache(maxsize=0)
    def f(k):
        calls.append(k)
        return x * k

    return (f(1) + f(1)) * len(calls)


def by_a_helper(x):
    log = {"n": 0.0}

    def note(v):
        log["n"] += v

    @lru_cache(1)
    def f(k):
        note(x)
        return x * k

    t = f(1) + f(2) + f(1) + f(1)
    return t * log["n"]


def inside_itself(x):
    @lru_cache(maxsize=3)
    def f(n):
        return x if n < 2 else f(n - 1) * x + f(n - 2)

    r = f(9) + f(3)
    info = f.cache_info()
    return r + info.hits * x + info.misses * 10 + info.currsize + info.maxsize


def default_size(x):
    @lru_cache
    def f(n):
        return math.sin(x * n)

    t = 0.0
    for k in range(200):
        t += f(k % 150)
    hits, misses, size, held = f.cache_info()
    return t + hits + 2 * misses + size * held


def cleared(x):
    @cache
    def f(n):
        return x * n + (f(n - 1) if n else 0.0)

    a = f(4)
    before = f.cache_info()
    f.cache_clear()
    b = f(6) + f(2)
    return a * b + before.misses * x + f.cache_info().currsize + f.cache_info().hits


def model(s):
    @cache
    def f(n):
        return s if n < 2 else f(n - 1) + s * f(n - 2)

    return f


def of_two_models(x):
    f, g = model(x), model(2.0)
    f(5)
    f(3)
    g(4)
    return f(6) * f.cache_info().hits + g(2) * g.cache_info().misses


def raises_at_first(x):
    tries = [0]

    @lru_cache(maxsize=4)
    def f(k):
        tries[0] += 1
        if tries[0] < 3:
            raise ValueError("again")
        return x * k

    t = 0.0
    for _ in range(5):
        try:
            t += f(2)
        except ValueError:
            t += 0.5
    return t * tries[0] + f.cache_info().misses


CASES = [counts_its_runs, used_last, keeps_nothing, by_a_helper, inside_itself, default_size,
         cleared, raises_at_first]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_value_and_derivative(f: Callable[..., Any]) -> None:
    agrees(f, 1.3)  # the evaluator
    is_right(f, (1.3,))  # native code, and finite differences
    pb.check_grads(f, (1.3,))  # forward and reverse mode
    assert pb.grad(f, method="dual")(1.3) == pytest.approx(pb.grad(f)(1.3), rel=1e-13)


def two_names_of_a_result(x):
    """For Python, f(1), f(k=1) and f(1, 2) are three results."""
    n = 0

    @cache
    def f(k, m=2):
        nonlocal n
        n += 1
        return x * k * m

    return (f(1) + f(k=1) + f(1, 2) + f(1)) * n


LOG: list[int] = []


@cache
def logged(k):
    LOG.append(k)
    return 2.0 * k


def of_a_module(x):
    """What Python has kept since an earlier call is not logged again."""
    return x * logged(1) * len(LOG)


@pytest.mark.parametrize(
    ("f", "text"),
    [(two_names_of_a_result, "functools.cache is not supported"),
     (of_a_module, "keeps its results in a cache"),
     (of_two_models, "no attribute 'cache_info'")],
)  # fmt: skip
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(PullbackError, match=text):
        pb.jit(f)(1.3)
