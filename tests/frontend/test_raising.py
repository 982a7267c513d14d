"""Errors that programs raise show the numbers that they were raised for."""

from __future__ import annotations

import numpy as np
import pytest

import pullback as pb
from tests import harness
from tests.frontend.harness import agrees


def one_number(x):
    if x > 1.0:
        raise ValueError(f"too large: {x}")
    return x


def two_numbers(x, n):
    assert n < 2, f"n = {n}, {{x}} = {x:.3f}"
    return x * n


def in_a_loop(xs):
    total = 0.0
    for k in range(len(xs)):
        if xs[k] < 0.0:
            v = float(xs[k])
            raise ValueError(f"item {k} is {v}")
        total += xs[k]
    return total


def braces(x):
    if x > 1.0:
        raise KeyError("{0} and {x}")
    return x


def text_only(x):
    word = "positive"
    assert x > 0.0, f"not {word}"
    return x


@pytest.mark.parametrize(
    "f, args",
    [
        (one_number, (1.5,)),
        (one_number, (0.5,)),
        (two_numbers, (1.25, 3)),
        (in_a_loop, (np.array([1.0, 2.0, -0.5]),)),
        (braces, (2.0,)),
        (text_only, (-1.0,)),
    ],
)
def test_messages(f, args):
    agrees(f, *args)
    try:
        expected = f(*args)
    except Exception as e:
        for tier in (lambda: harness.run(f, args, "native"), lambda: pb.grad(f)(*args)):
            with pytest.raises(type(e)) as caught:
                tier()
            assert str(caught.value) == str(e).splitlines()[0]
    else:
        assert pb.jit(f)(*args) == expected
