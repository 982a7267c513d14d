"""Deep copies of what a function gets: parts that are one object are one object in the copy."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

ROW = [1.0, 2.0]
SAME = {"a": ROW, "b": ROW}
APART = {"a": [1.0], "b": [2.0]}


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


def of_rows(rows):
    made = copy.deepcopy(rows)
    made[0][0] = 5.0
    return made[-1][0] + rows[0][0]


def scaled(rows, x):
    made = copy.deepcopy(rows)
    for row in made:
        row[0] *= x
    return sum(row[0] for row in made) + rows[0][0]


def of_dict(given):
    made = copy.deepcopy(given)
    made["a"].append(3.0)
    return len(given["a"]), len(made["a"]), len(made["b"])


def of_pair(pair):
    made = copy.deepcopy(pair)
    made.a[0] = 9.0
    return made.b[0]


def of_attribute(pair):
    made = copy.deepcopy(pair.a)
    made.a[0] = 9.0
    return made.b[0]


def of_tuple(pair):
    made = copy.deepcopy(pair)
    made[0][0] = 9.0
    return made[1][0]


def of_global(x):
    made = copy.deepcopy(SAME)
    made["a"][0] = x
    return made["b"][0] * made["a"][1]


def of_another_global(x):
    made = copy.deepcopy(APART)
    made["a"][0] = x
    return made["b"][0] * made["a"][0]


def of_arrays(weights, x):
    made = copy.deepcopy(weights)
    made["W"] *= x
    return float(made["W"].sum() + made["b"].sum())


def one_array():
    shared = np.ones(2)
    return {"W": shared, "b": shared}, 2.0


PROGRAMS = [
    (of_rows, lambda: ([ROW, ROW],)),
    (of_rows, lambda: ([[1.0], [2.0]],)),
    (scaled, lambda: ([[1.0, 2.0], [3.0, 4.0]], 2.0)),
    (scaled, lambda: ([ROW, ROW], 2.0)),
    (of_dict, lambda: ({"a": [1.0], "b": [2.0, 3.0]},)),
    (of_dict, lambda: (SAME,)),
    (of_pair, lambda: (Pair(ROW, ROW),)),
    (of_pair, lambda: (Pair([1.0], [2.0]),)),
    (of_attribute, lambda: (Pair(Pair(ROW, ROW), 2.0),)),
    (of_tuple, lambda: ((ROW, ROW),)),
    (of_tuple, lambda: (([1.0], [2.0]),)),
    (of_tuple, lambda: ((np.ones(2), np.ones(2)),)),
    (of_global, lambda: (2.0,)),
    (of_another_global, lambda: (2.0,)),
    (of_arrays, lambda: ({"W": np.ones((2, 2)), "b": np.ones(2)}, 2.0)),
    (of_arrays, one_array),
]  # fmt: skip


@pytest.mark.parametrize(("f", "given"), PROGRAMS)
def test_as_in_python(f: Callable[..., Any], given: Callable[[], tuple[Any, ...]]) -> None:
    assert pb.jit(f)(*given()) == f(*given())


def test_derivatives() -> None:
    rows = [[1.0, 2.0], [3.0, 4.0]]
    for method in ("dual", "chad"):
        by_rows, by_x = pb.grad(scaled, argnums=(0, 1), method=method)(rows, 2.0)
        assert by_rows == [[3.0, 0.0], [2.0, 0.0]]
        assert by_x == 4.0
