"""If several things go wrong, compiled code raises the error that Python raises first."""

import math
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb


def two_checks(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            raise ValueError(f"negative at {i}")
        if x[i] == 0:
            raise KeyError("zero")
        s += x[i]
    return s


def domain_and_division(x):
    return sum(math.sqrt(v) + 1.0 / v for v in x.tolist())


def index_after_raise(x):
    s = 0.0
    for i in range(len(x) + 5):
        if x[i] < 0:
            raise ValueError(f"negative at {i}")
        s += x[i]
    return s


def index_in_one_of_two(x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        assert x[i] >= 0.0
        out[i] = x[i] * y[i]
    return out.sum()


def inner_index_before_outer_check(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n + 1):
            if i > 3:
                raise ValueError("i")
            s += x[i, j]
    return s


def invariant_division(x, n):
    s = 0.0
    for v in x.tolist():
        s += math.sqrt(v) * (10 // n)
    return s


def doubled_index(x, n):
    s = 0.0
    for i in range(n):
        s += x[2 * i]
    return s


def built(x, n):
    return np.sum(pb.build(n, lambda i: math.log(x[i])))


def ones(**odd):
    x = np.ones(20)
    for name, value in odd.items():
        x[int(name[1:])] = value
    return x


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (two_checks, (ones(i5=-1.0, i2=0.0),)),
    (two_checks, (ones(i2=-1.0, i5=0.0),)),
    (two_checks, (ones(i17=-1.0, i18=0.0),)),
    (domain_and_division, (ones(i5=-1.0, i2=0.0),)),
    (domain_and_division, (ones(i5=0.0, i2=-1.0),)),
    (index_after_raise, (ones(i3=-1.0),)),
    (index_after_raise, (ones(),)),
    (index_in_one_of_two, (ones(i5=-1.0), ones()[:7])),
    (index_in_one_of_two, (ones(i5=-1.0), ones()[:5])),
    (inner_index_before_outer_check, (np.ones((9, 9)), 9)),
    (inner_index_before_outer_check, (np.ones((10, 10)), 9)),
    (invariant_division, (ones(i2=-1.0), 0)),
    (invariant_division, (ones(i0=-1.0), 0)),
    (doubled_index, (ones(), 2**62)),
    (built, (ones(i3=-1.0), 30)),
    (built, (ones(), 30)),
]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_the_first_error(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with pytest.raises(Exception) as expected:
        f(*args)
    zeros = [np.zeros_like(a) if isinstance(a, np.ndarray) else None for a in args]
    for run in (
        lambda: pb.jit(f)(*args),
        lambda: pb.grad(f)(*args),
        lambda: pb.vjp(f, *args),
        lambda: pb.jvp(f, args, zeros),
    ):
        with pytest.raises(expected.type) as found:
            run()
        assert type(found.value) is expected.type
        if expected.type is not AssertionError:  # pytest writes its own message
            assert str(found.value) == str(expected.value)
        last = traceback.extract_tb(found.value.__traceback__)[-1]
        assert last.filename == __file__
        assert found.value.__cause__ is None and found.value.__context__ is None
        assert not found.value.__suppress_context__  # as in Python


def test_calls_after_the_first() -> None:
    """The compiled calls that are remembered say it too, and go on working."""
    jitted, gradient = pb.jit(two_checks), pb.grad(two_checks, method="dual")
    bad, good = ones(i5=-1.0, i2=0.0), ones()
    for _ in range(3):
        assert jitted(good) == 20.0
        assert pb.vjp(two_checks, good)[0] == pb.jvp(two_checks, (good,), (good,))[0] == 20.0
        np.testing.assert_array_equal(gradient(good), good)
        for run in (
            lambda: jitted(bad),
            lambda: gradient(bad),
            lambda: pb.vjp(two_checks, bad),
            lambda: pb.jvp(two_checks, (bad,), (bad,)),
        ):
            with pytest.raises(KeyError, match="zero"):
                run()
