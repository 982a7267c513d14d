"""Loops run as a whole; a call with one that is too long is made again by code with less patience,
and nobody notices. Here everything above a few thousand cycles is too long."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.thresholds import LIMITS
from pullback.native import module
from pullback.native.layout import LONG_CALLS
from pullback.native.polls import Patience

N = 3000


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Patience]:
    """The patience of what is compiled, one after the other."""
    seen: list[Patience] = []
    loaded = module._loaded

    def noting(written: Any, entries: Any, later: Any) -> Any:
        seen.append(entries.patience)
        return loaded(written, entries, later)

    monkeypatch.setattr(LIMITS, "long", 1000)
    monkeypatch.setattr(module, "_loaded", noting)
    return seen


@dataclass(frozen=True)
class Pair:
    a: float
    b: float


def counted(x: float, n: int) -> float:
    y = 0.0
    for i in range(n):
        y = 0.5 * y + x * (i % 3)
    return y


def nested(x: float, n: int) -> float:
    y = 0.0
    for i in range(n):
        for j in range(i % 5):
            y = 0.5 * y + x * j
    return y


def lanes(x: float, n: int) -> float:
    return sum(math.sin(i * x) for i in range(n)) / n


def while_(x: float, n: int) -> float:
    k, y = 0, x
    while k < n:
        for j in range(n):
            y = 0.999 * y + 1e-3 * x * j
        k += n // 2
    return y


def lists(x: float, n: int) -> float:
    rows = [[x * i, x] for i in range(n)]
    return sum(r[0] * r[1] for r in rows) / n


def recursion(x: float, n: int) -> float:
    if n < N // 2:
        return x
    y = recursion(x, n // 3)
    for _ in range(n):
        y = 0.9 * y + x
    return y * recursion(x * 0.5, n // 4)


def empty(x: float, n: int) -> float:
    y = x
    for i in range(-n):
        for j in range(n):
            y += i * j
    for _ in range(n // 100):
        for j in range(3, -n):
            y += j
        for j in range(n // 50, n // 40):
            y = 0.99 * y + x * j
    return y


FUNCTIONS = [counted, nested, lanes, while_, lists, recursion, empty]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_values_and_derivatives(f: Callable[[float, int], float]) -> None:
    step = 1e-6
    slope = (f(0.3 + step, N) - f(0.3 - step, N)) / (2 * step)
    same = pytest.approx(f(0.3, N), rel=1e-12)
    found = pytest.approx(slope, rel=1e-5)
    for _ in range(2):
        assert pb.jit(f)(0.3, N) == same
        assert pb.jvp(f, (0.3, N), (1.0, None)) == (same, found)
        value, pull = pb.vjp(f, 0.3, N)
        assert value == same
        assert pull(1.0)[0] == found
        assert pull(2.0)[0] / 2.0 == found
        for method in ("chad", "dual"):
            assert pb.value_and_grad(f, method=method)(0.3, N) == (same, found)


def test_patience_ends(compiled: list[Patience]) -> None:
    def inner(x: float, n: int) -> float:
        y = 0.0
        for i in range(n):
            for j in range(i % 5):
                y = 0.5 * y + x * j
        for i in range(n):
            y = 0.5 * y + x * i
        return y

    f = pb.jit(inner)
    assert f(0.5, 10) == inner(0.5, 10)
    assert compiled == [Patience.ALL]
    assert f(0.5, N) == inner(0.5, N)
    assert compiled == [Patience.ALL, Patience.INNERMOST, Patience.NONE]
    for k in range(2 * LONG_CALLS + 2):
        assert f(0.5, k) == inner(0.5, k)
    assert f(0.5, N) == inner(0.5, N)
    assert len(compiled) == 3


def test_all_kinds_of_data() -> None:
    def f(rows: list[list[float]], pair: Pair, names: dict[str, float], v: np.ndarray) -> float:
        y = 0.0
        for row in rows:
            for i in range(len(v)):
                y = 0.9 * y + row[0] * v[i] + pair.a * names["one"]
        return y * pair.b

    args = [[1.0, 2.0], [0.5, 0.25, 3.0]], Pair(0.5, 2.0), {"one": 0.1}, np.linspace(0.0, 1.0, N)
    value, (rows, pair, names, v) = pb.value_and_grad(f, argnums=(0, 1, 2, 3))(*args)
    assert value == pytest.approx(f(*args), rel=1e-12)
    assert pb.jit(f)(*args) == pytest.approx(value, rel=1e-12)
    assert pair.b == pytest.approx(value / 2.0, rel=1e-12)
    assert names["one"] * 0.1 == pytest.approx(pair.a * 0.5, rel=1e-9)
    assert rows[0][1] == 0.0 and len(rows[1]) == 3 and v.shape == (N,)


def test_errors_are_those_of_the_program() -> None:
    def f(x: float, xs: list[float], n: int) -> float:
        y = 0.0
        for _ in range(n):
            y = 0.5 * y + x
        if y > 1.0:
            raise ValueError(f"{n} rounds")
        for i in range(n):
            y += xs[i]
        return y

    for g in (pb.jit(f), pb.value_and_grad(f)):
        with pytest.raises(ValueError, match=f"{N} rounds"):
            g(1.5, [1.0], N)
        with pytest.raises(IndexError):
            g(0.1, [1.0] * (N - 1), N)
        g(0.1, [1.0] * N, N)


def test_short_loops_count_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    def f(a: np.ndarray, b: np.ndarray) -> float:
        row = np.zeros(len(b) + 1)
        for i in range(len(a)):
            below = np.zeros(len(b) + 1)
            for j in range(len(b)):
                below[j + 1] = max(row[j] + a[i] * b[j], below[j])
            row = below
        return float(row[len(b)])

    pb.show(f, np.ones(3), np.ones(4), stage="llvm")
    text = capsys.readouterr().out
    assert "call i1 @pb_long" in text
    for name in ("pb_more", "pb_some", "pb_due"):
        assert not re.search(f"call i[0-9]+ @{name}", text)


def test_a_nest_is_counted_once(capsys: pytest.CaptureFixture[str]) -> None:
    def f(a: np.ndarray, b: np.ndarray) -> float:
        y = 0.0
        for i in range(len(a)):
            for j in range(len(b)):
                y = 0.5 * y + a[i] * b[j]
        for i in range(len(a)):
            y = 0.25 * y + a[i]
        return y

    pb.show(f, np.ones(3), np.ones(4), stage="llvm")
    text = capsys.readouterr().out
    assert text.count("call i1 @pb_long") == 1
    (rows,) = re.findall(r"^@work\d+ = .*$", text, re.MULTILINE)
    assert "i64 1, i64 2, i64 0 }" in rows  # so many cycles times both extents
