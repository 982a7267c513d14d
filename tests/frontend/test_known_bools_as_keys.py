"""Bools that are known as keys that are put into a dict: ``d = {}``, then ``d[True] = v``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb


def one_after_the_other(x):
    d = {}
    d[True] = x[0]
    d[False] = x[1]
    return d[True] + d[False] * 2.0


def in_a_loop(x):
    d = {}
    for known in (True, False):
        d[known] = x[0] if known else x[1]
    return sum(d.values()) + d[True]


class Odds:
    """A distribution over the values of a variable."""

    def __init__(self):
        self.of, self.values = {}, []

    def __setitem__(self, value, p):
        if value not in self.values:
            self.values.append(value)
        self.of[value] = p

    def __getitem__(self, value):
        try:
            return self.of[value]
        except KeyError:
            return 0.0

    def normal(self):
        total = sum(self.of.values())
        for value in self.of:
            self.of[value] /= total
        return self


def in_a_method(x):
    odds = Odds()
    for value in [True, False]:
        odds[value] = x[0] * x[1] if value else x[2]
    return odds.normal()[True] + odds[False] * 3.0


def with_lists(x):
    d = {}
    d[True], d[False] = [x[0]], []
    for v in x:
        d[bool(v > 0.5)].append(v)
    return sum(d[True]) * len(d[False])


def in_a_branch(x):
    d = {}
    d[True] = x[0]
    if x[1] > 0.5:
        d[False] = x[1]
    d.pop(True)
    return sum(d.values()) + (1.0 if False in d else 0.0)


def by_a_function(x):
    def count(d, key):
        d[key] = d.get(key, 0.0) + x[0]
        return d

    d = count(count(count({}, True), False), True)
    return d[True] * 3.0 + d[False]


def beside_texts_and_none(x):
    d, e = {"a": x[0]}, {None: x[1]}
    d[True] = x[2]
    e[False] = x[0]
    return d[True] * d["a"] + e[None] + e[False] * 2.0 + (x[2] if True in e else 0.0)


def updated(x):
    d = dict()
    d[True] = x[0]
    e = {**d, False: x[1]}
    e.update({True: x[2]})
    e.setdefault(False, 7.0)
    weights = sum((2.0 if k else 3.0) * v for k, v in e.items())
    return weights + (1.0 if list(e) == [True, False] else 0.0)


def as_ints(x):
    """True is a key that is equal to 1."""
    d = {1: x[0], 0: x[1]}
    there = (1.0 if True in d else 0.0) + d.get(True, 5.0)
    try:
        return {2: x[0]}[True]
    except KeyError as e:
        return d[True] + d[False] * 2.0 + there + len(str(e)) * x[2]


PROGRAMS = [
    one_after_the_other, in_a_loop, in_a_method, with_lists, in_a_branch, by_a_function,
    beside_texts_and_none, updated, as_ints,
]  # fmt: skip
X = np.array([0.7, 1.3, 0.4])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f: Callable[[Any], Any]) -> None:
    assert pb.jit(f)(X) == pytest.approx(f(X), rel=1e-14)
    d = np.array([0.3, -0.2, 0.5])
    difference = (f(X + 1e-6 * d) - f(X - 1e-6 * d)) / 2e-6
    ways = [pb.grad(f)(X) @ d, pb.grad(f, method="dual")(X) @ d, pb.jvp(f, (X,), (d,))[1]]
    assert ways == pytest.approx([difference] * 3, rel=1e-6)
    both = np.stack([X, X[::-1]])
    assert pb.vmap(f)(both) == pytest.approx([f(X), f(X[::-1])], rel=1e-14)


def test_the_result_has_the_keys() -> None:
    def f(x: float) -> dict[bool, float]:
        d = {}
        d[False] = x
        d[True] = 2.0 * x
        return d

    assert repr(pb.jit(f)(0.5)) == repr(f(0.5))


def test_a_key_that_is_an_int_too() -> None:
    def f(x: float) -> list[int]:
        d = {1: x}
        d[True] = 2.0 * x
        return list(d)

    with pytest.raises(pb.PullbackError, match="a bool as a key"):
        pb.jit(f)(0.5)
