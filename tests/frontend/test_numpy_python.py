"""Python's builtins, ``math`` and the combinators, compiled against plain Python."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pullback import combinators as pb
from tests.frontend.numpy_oracle import agree

RNG = np.random.default_rng(10)
X = RNG.normal(size=6)
Y = RNG.normal(size=6)
M = RNG.normal(size=(3, 4))
K = np.array([3, 1, 4, 1, 5])
EMPTY = np.zeros(0)


def functions(x: float) -> Any:
    return (
        math.exp(x), math.log(x), math.sqrt(x), math.sin(x), math.cos(x), math.tan(x),
        math.asin(x / 3), math.acos(x / 3), math.atan(x), math.sinh(x), math.cosh(x),
        math.tanh(x), math.asinh(x), math.acosh(1 + x), math.atanh(x / 3), math.erf(x),
        math.erfc(x), math.gamma(x), math.lgamma(x), math.log2(x), math.log10(x), math.log1p(x),
        math.expm1(x), math.exp2(x), math.fabs(-x), math.log(x, 3), math.pow(x, 1.5),
        math.atan2(x, 2.0), math.hypot(x, 3, 1), math.copysign(x, -1.0), math.fmod(7 * x, 2.0),
        math.radians(x), math.degrees(x),
    )  # fmt: skip


def whole_numbers(x: float) -> Any:
    return (
        math.floor(x), math.ceil(x), math.trunc(x), round(x), int(x), math.isnan(x),
        math.isinf(x), math.isfinite(x), math.isclose(x, x + 1e-12), bool(x), abs(x), float(3),
        divmod(x, 0.5), pow(abs(x), 2.5), int(True), float(x > 0),
    )  # fmt: skip


@pytest.mark.parametrize("x", [0.3, 1.0, 2.75])
def test_math(x: float) -> None:
    agree(functions, x)
    agree(functions, np.float64(x))


@pytest.mark.parametrize("x", [0.5, -0.5, 2.5, -2.4, 0.0, 1e15])
def test_whole_numbers(x: float) -> None:
    agree(whole_numbers, x)


BAD = [
    (lambda x: math.sqrt(x), -1.0),
    (lambda x: math.log(x), 0.0),
    (lambda x: math.exp(x), 1000.0),
    (lambda x: math.exp(x), math.inf),
    (lambda x: math.sqrt(x), math.nan),
    (lambda x: math.acos(x), 1.5),
    (lambda x: math.atanh(x), 1.0),
    (lambda x: math.acosh(x), 0.5),
    (lambda x: math.sin(x), math.inf),
    (lambda x: math.gamma(x), -1.0),
    (lambda x: math.lgamma(x), 0.0),
    (lambda x: math.pow(x, -1.0), 0.0),
    (lambda x: math.pow(x, 0.5), -1.0),
    (lambda x: math.pow(x, 400.0), 10.0),
    (lambda x: math.fmod(1.0, x), 0.0),
    (lambda x: math.floor(x), math.inf),
    (lambda x: int(x), math.nan),
    (lambda x: math.cosh(x), 1000.0),
    (lambda x: math.log1p(x), -1.0),
    (lambda x: 1.0 / x, 0.0),
    (lambda x: x**-1.0, 0.0),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_domain_errors(case: int) -> None:
    f, x = BAD[case]
    agree(f, x)


def sums(x: Any, y: Any, k: Any, m: Any) -> Any:
    n = len(x)
    return (
        sum(x), sum(v * v for v in x), sum(x[i] * y[i] for i in range(n)), sum(k),
        sum(a * b for a, b in zip(x, y)), sum(i * v for i, v in enumerate(x)), sum(range(n)),
        sum([v + 1 for v in x]), sum(x, 1.0), sum(v for v in x if v > 0), sum((1, 2, x[0])),
        sum(i for i in range(n) if i % 2 == 0),
        sum(x[i] * y[j] for i in range(n) for j in range(i)),
        sum(sum(row) for row in m), sum(row[0] * row for row in m), sum(m), sum(v > 0 for v in x),
        sum(reversed(x)), math.prod(x), math.fsum(x), math.prod(range(1, n)), sum(k * 1.0),
        sum(map(lambda v: v * 3, x)),
    )  # fmt: skip


def test_sums() -> None:
    agree(sums, X, Y, K, M)


def test_empty_sums() -> None:
    agree(lambda x: sum(v * v for v in x) + 1.0, EMPTY)
    agree(lambda x: sum(x) + 1.0, EMPTY)


def extremes(x: Any, k: Any) -> Any:
    return (
        max(x), min(x), max(k), min(k), max(v * v for v in x), min(abs(v) for v in x),
        max(x[0], x[1]), min(x[0], 0.0, x[2]), max(3, 5), max([x[0], x[1], x[2]]),
        max(i * i for i in range(len(x))), min(v for v in x if v > 0), max(x, key=abs),
        max(range(len(x)), key=lambda i: x[i]), min(k, default=7), max(1, 2.5),
        min(x[i] + k[j] for i in range(3) for j in range(2)),
    )  # fmt: skip


def test_extremes() -> None:
    agree(extremes, X, K)


def test_empty_extremes() -> None:
    agree(lambda x: max(x), EMPTY)
    agree(lambda x: min(v for v in x), EMPTY)
    agree(lambda x: max(v for v in x if v > 10), X)
    agree(lambda x: max(x, default=2.0), EMPTY)


def questions(x: Any, k: Any) -> Any:
    return (
        any(v > 1 for v in x), all(v > -9 for v in x), any(k), all(k), any([x[0] > 0, x[1] > 0]),
        all((x[0] > 0, True)), any(v > 0 for v in x if v < 0),
        all(k[i] <= k[i + 1] for i in range(len(k) - 1)),
        any(x[i] == 0 or x[i + 1] != 0 for i in range(len(x))),
    )  # fmt: skip


def test_questions() -> None:
    agree(questions, X, K)
    agree(lambda x: (any(x), all(x)), EMPTY)


def sequences(x: Any, n: int) -> Any:
    xs = list(x)
    pairs = list(zip(x, range(n)))
    return (
        xs[1], len(xs), pairs[1][0], tuple(range(3)), list(reversed([1.0, x[0]])), len(range(n)),
        len(range(n, 0, -2)), [v * 2 for v in xs][-1], list(enumerate(x))[2], abs(x), round(x[0]),
        list(range(n))[-1],
    )  # fmt: skip


def test_sequences() -> None:
    agree(sequences, X, 4)


COMBINATORS: list[Callable[..., Any]] = [
    lambda x, n: pb.build(n, lambda i: x[i] * i),
    lambda x, n: pb.build(n, lambda i: i * i),
    lambda x, n: pb.build(n, lambda i: x * i),
    lambda x, n: pb.build(n, lambda i: pb.build(2, lambda j: x[j] + i)),
    lambda x, n: pb.build(n, lambda i: (x[i], i))[1],
    lambda x, n: pb.map(lambda v: v * v, x),
    lambda x, n: pb.map(lambda u, v: u * v, x, 2 * x),
    lambda x, n: pb.map(math.exp, x),
    lambda x, n: pb.map(lambda u, v: u * v, x, x[1:]),
    lambda x, n: pb.fold(lambda a, b: a * b, 2.0, x),
    lambda x, n: pb.fold(lambda a, b: (a[0] + b, a[1] * b), (0.0, 1.0), x),
    lambda x, n: pb.scan(lambda a, b: a + b, 1.0, x),
    lambda x, n: pb.scan(lambda a, b: a + b, 0, x),
    lambda x, n: pb.scan(lambda a, b: (a[0] + b, a[1] * b), (0.0, 1.0), x)[2],
    lambda x, n: pb.loop(n, lambda i, s: 0.5 * s + i, x[0]),
    lambda x, n: pb.loop(n, lambda i, s: (s[1], s[0] + i), (x[0], 1.0)),
    lambda x, n: pb.while_loop(lambda s: s < 100.0, lambda s: 2.0 * s + 1.0, x[0] * x[0]),
    lambda x, n: pb.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 2), (0, x[0])),
    lambda x, n: (pb.stop_gradient(x), pb.stop_gradient((x[0], n))),
    lambda x, n: pb.build(n - 9, lambda i: 1.0 * i),
]


@pytest.mark.parametrize("case", range(len(COMBINATORS)))
def test_combinators(case: int) -> None:
    agree(COMBINATORS[case], X, 4)
