"""Kernels of textbooks, each in several spellings that share nothing: all agree with Python, and
take about as many steps of loop code, where a step is an instruction, for eight lanes or for one.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pullback as pb
from benchmarks.common import worst_difference
from pullback.call import driver
from pullback.call.request import Request, What
from tests.lower.agreement import run

Array = NDArray[np.float64]


# --- a convolution --------------------------------------------------------------------------------


def convolution_by_loops(x: Array, w: Array) -> float:
    k = len(w)
    out = np.zeros((x.shape[0] - k + 1, x.shape[1] - k + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            s = 0.0
            for a in range(k):
                for b in range(k):
                    s += x[i + a, j + b] * w[a, b]
            out[i, j] = s
    return np.sum(np.tanh(out))


def convolution_by_windows(x: Array, w: Array) -> float:
    k = len(w)
    rows, columns = x.shape[0] - k + 1, x.shape[1] - k + 1
    out = np.array(
        [[np.sum(x[i : i + k, j : j + k] * w) for j in range(columns)] for i in range(rows)]
    )
    return np.sum(np.tanh(out))


def convolution_by_sums_of_windows(x: Array, w: Array) -> float:
    k = len(w)
    total = 0.0
    for i in range(x.shape[0] - k + 1):
        for j in range(x.shape[1] - k + 1):
            total += np.tanh((w * x[i : i + k, j : j + k]).sum())
    return total


# --- attention with one head ----------------------------------------------------------------------


def attention_by_arrays(x: Array, wq: Array, wk: Array, wv: Array) -> float:
    q, k, v = x @ wq, x @ wk, x @ wv
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return np.sum((e / e.sum(axis=1, keepdims=True) @ v) ** 2)


def attention_by_queries(x: Array, wq: Array, wk: Array, wv: Array) -> float:
    q, k, v = x @ wq, x @ wk, x @ wv
    total = 0.0
    for query in q:
        s = np.array([np.dot(query, key) for key in k]) / math.sqrt(len(query))
        e = np.exp(s - np.max(s))
        total += np.sum((e / np.sum(e) @ v) ** 2)
    return total


def attention_by_lists(x: Array, wq: Array, wk: Array, wv: Array) -> float:
    def project(w: Array) -> list[list[float]]:
        columns = range(w.shape[1])
        return [[sum(a * w[i, j] for i, a in enumerate(row)) for j in columns] for row in x]

    def softmax(s: list[float]) -> list[float]:
        e = [math.exp(a - max(s)) for a in s]
        z = sum(e)
        return [a / z for a in e]

    q, k, v = project(wq), project(wk), project(wv)
    total = 0.0
    for query in q:
        s = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in k]
        p = softmax(s)
        for c in range(len(v[0])):
            total += sum(a * row[c] for a, row in zip(p, v)) ** 2
    return total


# --- a stencil: the border stays as it is ---------------------------------------------------------


def stencil_by_loops(a: Array, steps: int) -> float:
    n, m = a.shape
    for _ in range(steps):
        b = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                if i > 0 and i < n - 1 and j > 0 and j < m - 1:
                    b[i, j] = 0.2 * (
                        a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j]
                    )
                else:
                    b[i, j] = a[i, j]
        a = b
    return np.sum(a * a)


def stencil_by_choices(a: Array, steps: int) -> float:
    n, m = a.shape
    for _ in range(steps):
        b = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                if i == 0 or i == n - 1 or j == 0 or j == m - 1:
                    b[i, j] = a[i, j]
                    continue
                s = a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j]
                b[i, j] = 0.2 * s
        a = b
    return np.sum(a * a)


def stencil_by_comprehensions(a: Array, steps: int) -> float:
    n, m = a.shape

    def at(a: Array, i: int, j: int) -> float:
        if 0 < i < n - 1 and 0 < j < m - 1:
            return 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        return a[i, j]

    for _ in range(steps):
        a = np.array([[at(a, i, j) for j in range(m)] for i in range(n)])
    return np.sum(a * a)


# --- covariances ----------------------------------------------------------------------------------


def covariance_by_arrays(x: Array) -> float:
    y = x - np.mean(x, axis=0)
    return np.sum((y.T @ y / (len(x) - 1)) ** 2)


def covariance_by_loops(x: Array) -> float:
    """Each entry of the upper triangle, and its mirror image."""
    n, m = x.shape
    mean = [sum(x[i, j] for i in range(n)) / n for j in range(m)]
    c = np.zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            s = 0.0
            for k in range(n):
                s += (x[k, i] - mean[i]) * (x[k, j] - mean[j])
            c[i, j] = c[j, i] = s / (n - 1)
    return np.sum(c * c)


def covariance_by_rows(x: Array) -> float:
    n, m = x.shape
    y = x - x.mean(axis=0)
    c = np.zeros((m, m))
    for i in range(m):
        c[i:, i] = y[:, i] @ y[:, i:] / (n - 1)
        c[i, i:] = c[i:, i]
    return np.sum(c**2)


# --- a state that is moved by sums of its own input -----------------------------------------------


def driven_by_sums(x: Array, w: Array) -> float:
    s = 0.0
    for i in range(x.shape[1]):
        force = 0.0
        for k in range(x.shape[0]):
            force += x[k, i] * w[k]
        s = np.tanh(0.5 * s + force)
    return s


def driven_by_a_product(x: Array, w: Array) -> float:
    s = 0.0
    for force in w @ x:
        s = np.tanh(0.5 * s + force)
    return s


def driven_by_dot(x: Array, w: Array) -> float:
    return reduce(lambda s, column: np.tanh(0.5 * s + np.dot(column, w)), x.T, 0.0)


@dataclass(frozen=True)
class Kernel:
    """Spellings of one function, its arguments and the positions of those differentiated; steps of
    the most expensive one over those of the cheapest: of the function, and of its gradient."""

    spellings: Sequence[Callable[..., Any]]
    args: tuple[Any, ...]
    argnums: tuple[int, ...]
    most: tuple[float, float]


def normal(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).normal(size=shape)


KERNELS = {
    "convolution": Kernel(
        (convolution_by_loops, convolution_by_windows, convolution_by_sums_of_windows),
        (normal(20, 21), normal(3, 3)), (0, 1), (1.3, 1.3),
    ),
    "attention": Kernel(
        (attention_by_arrays, attention_by_queries, attention_by_lists),
        (normal(16, 8), *(normal(8, 8) for _ in range(3))), (0, 1, 2, 3), (1.3, 1.3),
    ),
    "stencil": Kernel(
        (stencil_by_loops, stencil_by_choices, stencil_by_comprehensions), (normal(30, 26), 3),
        (0,), (1.5, 1.5),
    ),
    "covariance": Kernel(
        (covariance_by_arrays, covariance_by_loops, covariance_by_rows), (normal(24, 17),), (0,),
        (1.8, 2.2),
    ),
    "a driven state": Kernel(
        (driven_by_a_product, driven_by_sums, driven_by_dot), (normal(24, 40), 0.2 * normal(24)),
        (0, 1), (1.3, 1.3),
    ),
}  # fmt: skip


def loop_code(f: Callable[..., Any], kernel: Kernel, what: What) -> tuple[list[Any], int]:
    """The results of loop code, and its steps."""

    def use(g: Any, unit: Any) -> Any:
        results, machine, _ = run(unit.program(True), unit.special.values(g, kernel.args))
        return results, machine.steps

    argnums = kernel.argnums if what is What.VALUE_AND_GRADIENT else ()
    found: tuple[list[Any], int] = driver.using(f, kernel.args, Request(what, argnums), use)
    return found


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str) -> None:
    kernel = KERNELS[name]
    expected = kernel.spellings[0](*kernel.args)
    for what, most in zip((What.VALUE, What.VALUE_AND_GRADIENT), kernel.most, strict=True):
        found = [loop_code(f, kernel, what) for f in kernel.spellings]
        for f, (results, _) in zip(kernel.spellings, found, strict=True):
            assert abs(f(*kernel.args) - expected) <= 1e-9 * abs(expected)
            assert worst_difference(results, [expected, *found[0][0][1:]]) <= 1e-9
        steps = {f.__name__: s for f, (_, s) in zip(kernel.spellings, found, strict=True)}
        assert max(steps.values()) <= most * min(steps.values()), (what, steps)


def test_a_stencil_reads_without_checks() -> None:
    """The conditions on both indices are one condition, at which the loops are divided."""
    kernel = KERNELS["stencil"]
    for f in kernel.spellings:
        text = pb.show(pb.jit(f), *kernel.args)
        assert "?[" not in text and text.count("= if ") <= 1
