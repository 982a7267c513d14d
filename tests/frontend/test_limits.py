"""Errors that only compiled code raises, since it has less than Python, are caught by no clause."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import pullback as pb


def shifted(x: float, n: int) -> float:
    try:
        return x * (((1 << n * 40) >> n * 40) + 1)
    except Exception:
        return -1.0


def whole(x: float, n: int) -> float:
    try:
        return x * (int(x * 10.0 ** (n * 15)) % 7)
    except (OverflowError, ValueError):
        return -1.0


def powers(x: float, n: int) -> float:
    try:
        return x * 2 ** (1 - n)
    except NotImplementedError:
        return -1.0


def complex_power(x: float, n: int) -> float:
    try:
        return abs((1.5 - n) ** x)
    except Exception:
        return -1.0


def in_a_call(x: float, n: int) -> float:
    def half(k: int) -> float:
        return float((1 << k) // 2)

    try:
        return x * half(n * 40)
    except ArithmeticError:
        return -1.0


def range_too_wide(x: float, n: int) -> float:
    t = x
    try:
        for _ in range(-(2**62) * n, 2**62 * n, 2**61 * n):
            t += 1.0
    except OverflowError:
        return -1.0
    return t


def no_case(x: float, n: int) -> float:
    def pick(k: int) -> float:
        match k:
            case 1:
                return x

    try:
        return pick(n) or 2.0
    except ValueError:
        return -1.0


LIMITS = [
    (shifted, OverflowError), (whole, OverflowError), (powers, NotImplementedError),
    (complex_power, NotImplementedError), (in_a_call, OverflowError), (no_case, ValueError),
]  # fmt: skip


@pytest.mark.parametrize("f, error", LIMITS, ids=lambda p: p.__name__)
def test_a_limit_of_compiled_code_is_not_caught(
    f: Callable[[float, int], float], error: type[Exception]
) -> None:
    jitted, gradient = pb.jit(f), pb.grad(f)
    assert jitted(1.3, 1) == f(1.3, 1)
    assert f(1.3, 2) != -1.0, "Python does not raise"
    for g in (jitted, gradient):
        with pytest.raises(error):
            g(1.3, 2)


def test_a_range_that_is_too_wide_is_not_caught() -> None:
    assert range_too_wide(1.3, 1) == 1.3 + 4.0
    for g in (pb.jit(range_too_wide), pb.grad(range_too_wide)):
        with pytest.raises(OverflowError):
            g(1.3, 1)


def test_an_infinite_float_is_no_int_in_python_either() -> None:
    def f(x: float, n: int) -> float:
        try:
            return x * int(x * (math.inf if n > 1 else 2.0))
        except OverflowError as e:
            return x if str(e) == "cannot convert float infinity to integer" else -x

    for n in (1, 2):
        assert pb.jit(f)(1.3, n) == f(1.3, n)
    with pytest.raises(OverflowError, match="cannot convert float infinity to integer"):
        pb.jit(lambda x: float(int(x)))(np.inf)
