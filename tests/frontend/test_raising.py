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


def only_a_number(x, n):
    if x < 1.0:
        raise ValueError(n)
    if x < 2.0:
        raise SyntaxError("expected )")
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
        (only_a_number, (0.5, 7)),
        (only_a_number, (1.5, 7)),
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


def test_text_is_made_of_what_is_known():
    """An f-string that is data holds values, never their source text."""

    def named(p, n):
        return p[f"w{n}"] * p[f"w{n + 1:d}"] if f"{n:02d}" == "01" else p["w0"]

    p = {"w0": 2.0, "w1": 3.0, "w2": 5.0}
    for n in (0, 1):
        assert pb.jit(named)(p, n) == named(p, n)
    assert pb.grad(named)(p, 1) == {"w0": 0.0, "w1": 5.0, "w2": 3.0}
