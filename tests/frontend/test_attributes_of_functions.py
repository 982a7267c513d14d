"""Attributes of functions outside of compiled code: counters of decorators, caches, settings."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb


def counted(f: Callable[..., Any]) -> Any:
    @functools.wraps(f)
    def w(*args: Any) -> Any:
        w.calls += 1  # type: ignore[attr-defined]  # functions have any attributes
        w.log.append(args[0])  # type: ignore[attr-defined]  # as above
        return f(*args)

    both: Any = w
    both.calls, both.log = 0, []
    return both


@counted
def square(v: Any) -> Any:
    return v * v


@counted
def cube(v: Any) -> Any:
    return v**3


def two_counters(x: Any) -> Any:
    return square(x) + cube(x) + square(2.0) * square.calls + cube.calls


def _fib(n: Any) -> Any:
    fib.n += 1
    return 1.0 if n < 2 else fib(n - 1) + fib(n - 2)


fib: Any = _fib
fib.n = 0


def recursive(x: Any) -> Any:
    return fib(5) * x + fib.n


def _rated(x: Any) -> Any:
    return x * rated.rate


rated: Any = _rated
rated.rate = 2.0


def reads(x: Any) -> Any:
    return rated(x) + rated.rate


def assigns(x: Any) -> Any:
    rated.rate = 3.0
    return rated(x)


def on_some_paths(x: Any) -> Any:
    for i in range(3):
        if i % 2 == 0:
            square.calls += 10
    return square.calls * x + len(square.log)


def by_another_name(x: Any) -> Any:
    g = square
    g.calls += 1
    return square.calls * x


def _memo(n: Any) -> Any:
    if n not in memo.cache:
        memo.cache[n] = 1.0 if n < 2 else memo(n - 1) + memo(n - 2)
    return memo.cache[n]


memo: Any = _memo
memo.cache = {}


def a_cache(x: Any) -> Any:
    return memo(10) * x + len(memo.cache)


HOLDERS = [square, cube, fib, rated, memo]
BEGIN = [(2, [0.5]), (1, [0.5]), 0, 2.0, {}]
NAMES = [("calls", "log"), ("calls", "log"), "n", "rate", "cache"]


def begin() -> None:
    for holder, names, values in zip(HOLDERS, NAMES, copy.deepcopy(BEGIN), strict=True):
        for name, value in [(names, values)] if isinstance(names, str) else (
            zip(names, values, strict=True)  # type: ignore[call-overload]  # a pair beside a pair
        ):
            setattr(holder, name, value)


def left() -> list[dict[str, Any]]:
    every = [{k: v for k, v in vars(h).items() if k != "__wrapped__"} for h in HOLDERS]
    return copy.deepcopy(every)


@pytest.mark.parametrize(
    "f", [two_counters, recursive, reads, assigns, on_some_paths, by_another_name, a_cache],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_as_in_python(f: Callable[..., Any]) -> None:
    begin()
    wanted, after = [f(1.3), f(2.0)], left()
    begin()
    assert [pb.jit(f)(1.3), pb.jit(f)(2.0)] == wanted and left() == after
    for method in ("chad", "dual"):
        begin()
        slope = pb.grad(f, method=method)(1.3)
        ends = []
        for x in (1.3 - 1e-6, 1.3 + 1e-6):
            begin()
            ends.append(f(x))
        assert slope == pytest.approx((ends[1] - ends[0]) / 2e-6, rel=1e-6)


TWICE: Any = counted(lambda v: 2.0 * v)


def test_another_function_with_the_same_code() -> None:
    global TWICE
    first, f = TWICE, pb.jit(lambda x: TWICE(x) + TWICE.calls)
    assert f(1.5) == 4.0
    TWICE = counted(first.__wrapped__)
    assert (f(1.5), TWICE.calls, first.calls) == (4.0, 1, 1)


def test_a_closure_that_is_called_itself_is_refused() -> None:
    with pytest.raises(pb.PullbackError, match="has no attribute 'calls'"):
        pb.jit(square)(1.5)
