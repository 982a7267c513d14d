"""``return`` of what a loop updates: the list, array or object that is there at that moment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.frontend.python.returned_names import returned_behind
from tests.foreign.__main__ import verdict

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def plus_one(digits, n):
    for k in range(len(digits) - 1, -1, -1):
        if digits[k] < 9.0:
            digits[k] += 1.0
            return digits
        digits[k] = 0.0
    digits.insert(0, 1.0)
    return digits


def until_enough(xs, n):
    out = []
    while True:
        out.append(xs[len(out)] * 2.0)
        if len(out) == n:
            return out


def two_loops(xs, n):
    out = []
    for x in xs:
        for y in xs:
            out.append(x * y)
            if len(out) > n:
                return out
        out.append(x)
    return out


def several(xs, n):
    out, other = [], [1.0]
    for k, x in enumerate(xs):
        out.append(x)
        if k == n:
            return out
        other.append(x * x)
        if k == n - 3:
            return other
        if k == n - 6:
            return [3.0 * x]
        if k == n - 9:
            break
    else:
        out.append(7.0)
    return [*out, 8.0]


def bound_by_finally(xs, n):
    out = []
    try:
        for x in xs:
            out.append(x)
            if len(out) == n:
                return out
    finally:
        out = [5.0]
    return out


def closed_by_finally(xs, n):
    out = []
    for x in xs:
        try:
            out.append(x)
            if len(out) == n:
                return out
        finally:
            out.append(10.0 * x)
    return out


def by_a_function(xs, n):
    def put(out, x):
        out.append(x * x)

    out = []
    for x in xs:
        put(out, x)
        if len(out) == n:
            return out
    return out


class Sum:
    def __init__(self, x):
        self.x = x

    def until(self, n):
        for _ in range(10):
            self.x *= 1.5
            if self.x > n:
                return self
        return self


def an_object(xs, n):
    return [Sum(xs[0]).until(n).x]


def in_a_branch_of_match(xs, n):
    out = []
    for x in xs:
        match len(out):
            case 2:
                return out
            case _:
                out.append(x * n)
    return out


PROGRAMS = [
    plus_one, until_enough, two_loops, several, bound_by_finally, closed_by_finally, by_a_function,
    an_object, in_a_branch_of_match,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [1, 3])
def test_value_and_derivative(f: Any, n: int) -> None:
    assert verdict(f, ([0.7, 9.5, 2.0], n), alone=False) == ("right", "")


@pytest.mark.parametrize("n", [0, 5, 7, 9, 12])
def test_every_way_out(n: int) -> None:
    assert verdict(several, ([0.7, 9.5, 2.0], n), alone=False) == ("right", "")


def test_the_argument_itself_is_updated_and_given_back() -> None:
    def f(a):
        for k in range(len(a)):
            a[k] *= 2.0
            if a[k] > 3.0:
                return a
        return a

    given, own = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    assert np.array_equal(pb.jit(f)(given), f(own))
    assert np.array_equal(given, own)


def test_a_name_that_the_loop_binds_is_left_alone() -> None:
    import ast

    text = """
def f(xs):
    out = []
    for x in xs:
        out.append(x)
        if x > 1:
            return out
        out = [x]
"""
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    assert returned_behind(function) is function
