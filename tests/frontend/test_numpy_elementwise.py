"""Elementwise functions, operators, promotion and broadcasting against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

from tests.frontend.numpy_oracle import agree

RNG = np.random.default_rng(7)
X = RNG.normal(size=5)
Y = RNG.uniform(0.1, 2.0, size=5)
M = RNG.normal(size=(3, 5))
COLUMN = RNG.normal(size=(3, 1))
K = np.array([3, -2, 0, 7, 1])
J = np.array([2, 3, 5, -4, 0])
B = np.array([True, False, True, True, False])
F32 = X.astype(np.float32)
I32 = K.astype(np.int32)
EMPTY = np.zeros(0)
SPECIAL = np.array([0.0, -1.0, np.inf, -np.inf, np.nan])


def functions(x: Any, y: Any) -> Any:
    return (
        np.exp(x), np.expm1(x), np.exp2(x), np.log(y), np.log1p(y), np.log2(y), np.log10(y),
        np.sqrt(y), np.sin(x), np.cos(x), np.tan(x), np.arcsin(y / 3), np.arccos(y / 3),
        np.arctan(x), np.sinh(x), np.cosh(x), np.tanh(x), np.arcsinh(x), np.arccosh(1 + y),
        np.arctanh(y / 3), np.abs(x), np.fabs(x), np.square(x), np.sign(x), np.negative(x),
        np.floor(x), np.ceil(x), np.trunc(x), np.rint(x), np.round(x, 2), np.reciprocal(y),
        np.deg2rad(x), np.degrees(x), np.sinc(x),
    )  # fmt: skip


def special_functions(x: Any, y: Any) -> Any:
    return (
        scipy.special.gammaln(y), scipy.special.erf(x), scipy.special.erfc(x),
        scipy.special.expit(x), scipy.special.digamma(y), scipy.special.xlogy(y, y),
        scipy.special.log_expit(x), scipy.special.logit(y / 3), scipy.special.ndtr(x),
        scipy.special.gamma(y),
    )  # fmt: skip


def binary(x: Any, y: Any) -> Any:
    return (
        np.arctan2(x, y), np.hypot(x, y), np.copysign(x, y), np.logaddexp(x, y),
        np.maximum(x, y), np.minimum(x, y), np.fmax(x, y), np.fmin(x, y), np.fmod(x, y),
        np.add(x, y), np.subtract(x, y), np.multiply(x, y), np.divide(x, y), np.power(y, x),
        np.floor_divide(x, y), np.mod(x, y), np.heaviside(x, 0.5),
    )  # fmt: skip


def questions(x: Any) -> Any:
    return np.isnan(x), np.isinf(x), np.isfinite(x), np.logical_not(x), np.nan_to_num(x)


def operators(x: Any, y: Any) -> Any:
    return x + y, x - y, x * y, x / y, x // y, x % y, -x, +x


def comparisons(x: Any, y: Any) -> Any:
    return x < y, x <= y, x > y, x >= y, x == y, x != y


def with_numbers(x: Any) -> Any:
    return x + 1, 2 * x, 1.5 - x, x / 2, 3.0 / (x * x + 1), x**2, 2.0 ** (x * 1.0), x % 3, x // 2


def bits(k: Any, j: Any) -> Any:
    return k & j, k | j, k ^ j, ~k


def logic(a: Any, b: Any) -> Any:
    return a & b, a | b, a ^ b, ~a, np.logical_and(a, b), np.logical_or(a, b), a == b


@pytest.mark.parametrize("f", [binary, operators, comparisons])
@pytest.mark.parametrize(
    "args",
    [(X, Y), (F32, Y), (F32, F32 * F32 + np.float32(1)), (K, Y), (X[0], Y), (X, Y[0]), (M, Y),
     (COLUMN, Y), (M, COLUMN * COLUMN + 1), (EMPTY, EMPTY), (X[:1], Y), (EMPTY, Y[:1])],
)  # fmt: skip
def test_two_operands(f: Callable[..., Any], args: tuple[Any, Any]) -> None:
    single = any(getattr(a, "dtype", None) == np.float32 for a in args)
    agree(f, *args, tolerance=1e-5 if single else 1e-12)


@pytest.mark.parametrize("args", [(X, Y), (F32, (Y + 1).astype(np.float32)), (K, J * J + 1),
                                  (X[0], Y[0]), (M, M * M + 0.5), (EMPTY, EMPTY)])  # fmt: skip
def test_functions(args: tuple[Any, Any]) -> None:
    single = getattr(args[0], "dtype", None) == np.float32
    if getattr(args[0], "dtype", None) == np.int64:
        agree(lambda x, y: (np.exp(x), np.sqrt(y), np.abs(x), np.square(x), np.floor(x)), *args)
        return
    x, y = args
    agree(functions, x, np.clip(y, 0.0, 2.5).astype(x.dtype), tolerance=1e-4 if single else 1e-12)


def test_special_functions() -> None:
    agree(special_functions, X, Y, tolerance=1e-10)
    agree(lambda x: scipy.special.expit(x), np.array([-800.0, 0.0, 800.0]))
    agree(lambda x: scipy.special.xlogy(x, 0.0), np.array([0.0, 1.0]))


def test_tests() -> None:
    agree(questions, SPECIAL)
    agree(questions, X)
    agree(lambda k: (np.isnan(k), np.isfinite(k), np.logical_not(k)), K)


def test_special_values() -> None:
    agree(lambda x: (np.sqrt(x), np.log(x), 1.0 / x, x / 0.0, np.maximum(x, 0.0)), SPECIAL)
    agree(lambda x: (np.sqrt(x[1]), np.log(x[0]), 1.0 / x[0], np.float64(1.0) / 0.0), SPECIAL)
    agree(lambda x, y: (np.maximum(x, y), np.minimum(x, y), np.fmax(x, y)), SPECIAL, X)
    agree(lambda x, y: np.logaddexp(x, y), SPECIAL, SPECIAL)


def test_numbers_are_weak() -> None:
    agree(with_numbers, X)
    agree(with_numbers, F32, tolerance=1e-5)
    agree(with_numbers, K)
    agree(lambda k: (k + 1, k * 2, k**2, k + True, 2 * k - 1), I32)
    agree(lambda b: (b + 1, b * 2.5, b + b, ~b), B)
    agree(lambda x: x * np.float32(2.0), X)
    agree(lambda x: x * np.float64(2.0), F32)
    agree(lambda x: (x < 0.1, x == 1), F32)


def test_promotion() -> None:
    for x in (X, F32, K, I32, B):
        for y in (X, F32, K, I32, B):
            agree(lambda x, y: (x * y, x + y, np.maximum(x, y), x < y), x, y)


def test_bits() -> None:
    agree(bits, K, J)
    agree(bits, I32, J)
    agree(logic, B, ~B)
    agree(lambda k: (k << 2, k >> 1), K)


def test_integer_division() -> None:
    agree(lambda k, j: (k // j, k % j, k / j), K, J)


def test_choice() -> None:
    agree(lambda x, y: np.where(x > 0, x, y), X, Y)
    agree(lambda x, y: np.where(x > 0, x, 0.0), M, Y)
    agree(lambda x, y: (np.where(x > 0, 1, 0), np.where(x > 0, y, 2)), M, Y)
    agree(lambda b, k, x: np.where(b, k, x), B, K, X)
    agree(lambda x: (np.clip(x, -0.5, 0.5), np.clip(x, None, 0.1), np.clip(x, 0.1, None)), X)
    agree(lambda k: (np.clip(k, 0, 3), np.maximum(k, 2), np.minimum(k, 0.5)), K)
    agree(lambda x: np.where(x > 0.0, np.log(x), -1.0), 0.5)
    agree(lambda x: (np.clip(x, 0.0, 1.0), np.maximum(x, 0.0)), -0.25)


def test_shapes_that_do_not_fit() -> None:
    agree(lambda x, y: x + y, X, Y[:3])
    agree(lambda x, y: np.maximum(x, y), M, Y[:3])
    agree(lambda x, y: x + y, M, M.T)


def test_rows_and_columns() -> None:
    agree(lambda x, y: x[:, None] - y[None, :], X, Y)
    agree(lambda m: m - np.mean(m, axis=0), M)
    agree(lambda m: m - np.mean(m, axis=1, keepdims=True), M)
    agree(lambda a, b: a[:, None, :] * b[None, :, :], M, M)
    agree(lambda x: [1.0, 2.0, 3.0, 4.0, 5.0] * x + (5, 4, 3, 2, 1), X)
