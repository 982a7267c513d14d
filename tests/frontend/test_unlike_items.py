"""Loops that are left by a jump, over items of several types; tuples of two lengths behind a branch
that only the run decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right

BASES = ((2047, (2,)), (9080191, (31, 73)), (4759123141, (2, 7, 61)))


def first_equal(xs, key):
    for x in xs:
        if x == key:
            return len(x) if isinstance(x, str) else x
    return -1.0


def first_large(xs):
    for x in xs:
        if isinstance(x, str):
            continue
        if x > 2:
            return x
    return 0.0


def bases_of(n):
    for limit, bases in BASES:  # noqa: B007  # used behind the loop
        if n < limit:
            break
    else:
        bases = [1]
    return sum(bases)


class Tables:
    def __init__(self, *tables):
        self.tables = tables

    def find(self, key):
        for table in self.tables:
            if key in table:
                return table[key]
        raise KeyError(key)


TABLES = Tables({"a": 1.5}, {3: 2.0})


def found(x):
    return TABLES.find("a") * x + TABLES.find(3) ** 2


def not_found(x):
    return TABLES.find("b") * x


def weighted(x, parts):
    total = 0.0
    for name, value in parts:
        if name == "stop":
            break
        if name == "one":
            total += value * x
        else:
            total += sum(value) * x * x
        if total > 100.0:
            return -total
    else:
        total += 1000.0
    return total


def nested(x, parts):
    total = 0.0
    for k in range(3):
        for part in parts:
            if isinstance(part, list):
                if k == 2:
                    return total + part[0]
                continue
            if part > x:
                break
            total += part * x
    return total


def updated(xs, parts):
    for part in parts:
        if part is None:
            break
        for k in range(len(xs)):
            xs[k] *= part if isinstance(part, float) else part[k]
    return sum(xs)


def lengths(x, n):
    t = (x, 2.0 * x)
    if x > 1.0:
        t = (x,)
    return sum(t) * len(t)


PROGRAMS = [
    (first_equal, ([1, "a", 2.5, None], "a")),
    (first_equal, ([1, "a", 2.5, None], 7)),
    (first_large, ([1.0, "a", 3.5],)),
    (first_large, (["a", 0.5, "b", 1.0],)),
    (bases_of, (3000,)),
    (bases_of, (5,)),
    (bases_of, (10**12,)),
    (found, (2.0,)),
    (weighted, (2.0, [("one", 1.0), ("all", [1.0, 2.0])])),
    (weighted, (2.0, [("one", 1.0), ("stop", None), ("all", [1.0, 2.0])])),
    (weighted, (20.0, [("one", 1.0), ("all", [1.0, 2.0])])),
    (nested, (2.0, [1.0, [5.0], 3.0])),
    (nested, (0.5, [1.0, [5.0], 3.0])),
    (updated, ([1.0, 2.0], [2.0, [3.0, 4.0], None, 5.0])),
    (lengths, (0.5, 1)),
    (lengths, (1.5, 1)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    is_right(f, args)


def test_what_is_not_found_raises() -> None:
    with pytest.raises(KeyError, match="b"):
        pb.jit(not_found)(1.0)
