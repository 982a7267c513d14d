"""Lists of ints and floats: each number keeps its type, where that can be seen."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import pullback as pb

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

TABLE = [0, 0.5, 1, 2.25]
FIXED = (0, 0.5, 1, 2.25)
ROWS = [[0, 0.5], [1, 2.0]]


def item(x, i):
    return TABLE[i], FIXED[i] * x, ROWS[i % 2][1 - i % 2], TABLE[-i], TABLE[i:]


def types_seen(x, i):
    v = TABLE[i]
    return isinstance(v, int), f"{v} {v!r}", v // 2, v % 2, v**2, 2**v, round(v * 3), max(v, 1), [v]


def searched(x, i):
    k = 0
    while TABLE[k] < x:
        k += 1
    return (x - TABLE[k - 1]) / (TABLE[k] - TABLE[k - 1])


def of_an_argument(x, xs):
    best = xs[0]
    for v in xs:
        if v > best:
            best = v
    rest = [v * 2 for v in xs]
    rest[0] += 0.5
    first, *others = xs
    return best, rest, others, first, sorted(xs), [k for k, v in enumerate(xs) if type(v) is int]


def products(x, xs):
    return [sum(ROWS[i][k] * xs[k] * x for k in range(2)) for i in range(2)]


def grows(x, n):
    out = [1, 0.5]
    for k in range(n):
        out.append(out[k] * 2)
        out.append(k)
    return out


def on_a_stack(x, n):
    stack = [n, 0.5]
    while stack:
        v = stack.pop()
        x += v
        if v == 0.5:
            stack.append(3)
    return x


def updated(x, xs):
    xs[0] = 3
    xs.append(2)
    return xs


@pytest.mark.parametrize(
    ("f", "given"),
    [
        *((f, k) for f in (item, types_seen) for k in (1, 2)), (searched, 0),
        *((f, xs) for f in (of_an_argument, products, updated)
          for xs in ([1, 2.5], [2.5, 1], [1.5, 2.5])),
        (grows, 3), (on_a_stack, 1),
    ],
    ids=lambda v: v.__name__ if callable(v) else str(v),
)  # fmt: skip
def test_as_in_python(f: Any, given: Any) -> None:
    left, own = copy.deepcopy(given), copy.deepcopy(given)
    assert repr(pb.jit(f)(0.7, left)) == repr(f(0.7, own))
    assert repr(left) == repr(own)


def test_derivatives() -> None:
    assert pb.grad(searched)(0.7, 0) == 2.0
    assert pb.grad(lambda x, i: item(x, i)[1])(0.7, 2) == 1.0
    assert pb.grad(lambda x: sum(products(x, [1, 2.5])))(0.7) == pytest.approx(7.25)
    with pytest.raises(pb.PullbackError, match="has ints among floats"):
        pb.grad(lambda xs, i: xs[i])([1, 2.5], 0)


def test_bools_and_numbers_of_numpy_are_refused() -> None:
    for table in ([True, 2, 0.5], [1, np.float64(2.5)]):
        with pytest.raises(pb.PullbackError, match="needs items of one type"):
            pb.jit(lambda i, table=table: table[i])(0)
