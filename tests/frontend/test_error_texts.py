"""Exceptions that Python and NumPy themselves raise: the same class, and the same arguments."""

from __future__ import annotations

import math
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign

INF, NAN = math.inf, math.nan
NONE, ROW, MATRIX = np.zeros(0), np.ones(3), np.ones((2, 3))


def two(xs: Any) -> Any:
    a, b = xs
    return a + b


def ends(xs: Any) -> Any:
    a, *_, b = xs
    return a + b


def changed(xs: list[float], change: str) -> float:
    ys = [x for x in xs]  # a list of unknown length
    if change == "remove":
        ys.remove(77.0)
    elif change == "pop":
        ys.pop(10)
    elif change == "store":
        ys[10] = 1.0
    elif change == "empty":
        ys = [y for y in ys if y > 100.0]
        ys.pop()
    elif change == "del":
        del ys[10]
    elif change == "del of none":
        ys = [y for y in ys if y > 100.0]
        del ys[0]
    return sum(ys)


def added(a: Any, b: Any) -> Any:
    a = a.copy()
    a += b
    return a


def part(x: Any) -> Any:
    y = np.zeros(5)
    y[:2] = x
    return y


def cell(x: Any) -> Any:
    y = np.zeros((3, 2))
    y[0, 10] = x
    return y


def entries(xs: list[float], change: str) -> float:
    d = {int(x): x for x in xs}
    if change == "pop":
        d.pop(99)
    elif change == "del":
        del d[99]
    elif change == "read":
        d[1] = d[98]
    return sum(d.values())


def queue(xs: list[float], change: str) -> float:
    q = deque(x for x in xs if x > 100.0)
    if change == "pop":
        q.pop()
    elif change == "popleft":
        q.popleft()
    elif change == "remove":
        q.remove(3.0)
    return q[2]


def nothing(n: int, what: str) -> Any:
    a = None if n == 5 else [1.0]
    if what == "len":
        return len(a)
    if what == "sum":
        return sum(a)
    return a[0]


def quotient(a: Any, b: Any) -> Any:
    return a // b


def unset(n: int) -> float:
    if n == 4:
        y = 1.0
    return y


def least(a: Any) -> Any:
    return np.linalg.lstsq(a, ROW, rcond=None)[0]


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *[(f, (NONE,)) for f in (np.max, np.min, np.argmax, np.argmin)],
    (lambda x: np.max(x, axis=1), (np.zeros((2, 0)),)),
    (lambda x: x.min(), (NONE,)),
    *[(f, (x,)) for f in (int, round, math.floor, math.ceil, math.trunc) for x in (INF, NAN)],
    (lambda x: x**400.0, (1e10,)), (lambda x: x**400, (1e10,)), (lambda x: x**-1.0, (0.0,)),
    (lambda n: 1 / n, (0,)), (lambda n: 1 % n, (0,)), (lambda x: 1.0 / x, (0.0,)),
    (quotient, (1, 0)), (quotient, (1.0, 0.0)), (divmod, (1.0, 0.0)), (divmod, (1, 0)),
    (operator.mod, (1.0, 0.0)), (math.fmod, (1.0, 0.0)), (math.remainder, (1.0, 0.0)),
    *[(f, (-1.0,)) for f in (math.sqrt, math.log, math.log10, math.log1p, math.acosh)],
    *[(f, (1000.0,)) for f in (math.exp, math.cosh, math.expm1, math.gamma)],
    *[(f, (INF,)) for f in (math.sin, math.cos, math.tan)],
    (math.pow, (0.0, -1.0)), (math.pow, (1e10, 400.0)), (math.factorial, (-1,)),
    (lambda xs, n: xs[n], ([1.0, 2.0], 5)), (lambda xs, n: xs[n], ((1.0, 2.0), 5)),
    (lambda x, n: x[n], (ROW, 5)), (lambda x, n: x[n], (ROW, -5)),
    (lambda x, n: x[0, n], (MATRIX, 5)), (lambda x, n: x[n, 0], (MATRIX, 5)),
    (lambda n: range(3)[n], (7,)), (lambda n: "abc"[n], (7,)),
    (lambda n: np.ones(3)[np.ones(n) > 0.0], (5,)),
    *[(operator.add, p) for p in ((np.ones(2), ROW), (MATRIX, np.ones((3, 2))))],
    *[(f, (np.ones(2), ROW)) for f in (np.maximum, np.arctan2, np.dot, np.matmul, np.inner)],
    (lambda x, y: np.where(x > 0.0, x, y), (np.ones(2), ROW)),
    (operator.matmul, (MATRIX, MATRIX)), (operator.matmul, (MATRIX, np.ones(2))),
    (np.dot, (MATRIX, MATRIX)), (np.cross, (ROW, np.ones(4))),
    *[(lambda x, y, f=f: f([x, y]), (np.ones(2), ROW))
      for f in (np.stack, np.vstack, np.column_stack)],
    (lambda x, y: np.concatenate([x, y]), (MATRIX, np.ones((2, 2)))),
    (lambda x, y: np.hstack([x, y]), (MATRIX, np.ones((3, 2)))),
    (lambda x, n: x.reshape(n, 2), (np.ones(5), 2)), (lambda x: x.reshape(-1, 2), (np.ones(5),)),
    (lambda x, n: np.reshape(x, (n, -1)), (np.ones(5), 2)), (lambda x: x.reshape(2), (ROW,)),
    (lambda n: np.arange(0, 3, n), (0,)),
    *[(f, (x,)) for f in (np.linalg.inv, np.linalg.cholesky)
      for x in (np.zeros((2, 2)), MATRIX)],
    *[(least, (np.array([[1.0, x], [1.0, 1.0], [2.0, 3.0]]),)) for x in (INF, -INF, NAN)],
    *[(lambda x, text=text: np.einsum(text, x), (MATRIX,)) for text in ("ii", "ii->i", "ii->")],
    *[(lambda x, text=text: np.einsum(text, x, x), (MATRIX,)) for text in ("ij,jk", "ij,jj")],
    (lambda x, y: np.einsum("ij,kj,jl", x, y, x), (MATRIX, np.ones((3, 3)))),
    *[(lambda x, n: np.take(x, n, axis=0), (MATRIX, n)) for n in (2, -3)],
    *[(lambda x, n: x[:, n], (MATRIX, n)) for n in (3, -4)],
    (lambda x, n: x[None, :, n], (MATRIX, 5)), (lambda x, n: x[n, 0, :], (np.ones((2, 2, 2)), 7)),
    (lambda x, n: x[1, n, :], (np.ones((2, 2, 2)), 7)),
    *[(lambda x, n: np.linspace(0.0, x, n), (1.0, n)) for n in (-1, -3)],
    (lambda x: np.broadcast_to(x, (2,)), (ROW,)), (lambda x: np.broadcast_to(x, (3, 2)), (ROW,)),
    (lambda x, n: np.broadcast_to(x, (n, 2)), (ROW, 4)),
    (np.linalg.solve, (np.eye(2), ROW)), (np.linalg.solve, (np.eye(2), np.ones((3, 1)))),
    (lambda x: np.quantile(x, 1.5), (ROW,)), (lambda x: np.percentile(x, 120.0), (ROW,)),
    (lambda x: np.quantile(x, 0.5), (NONE,)), (lambda x: np.percentile(x, 50.0), (NONE,)),
    (two, ([1.0, 2.0, 3.0],)), (two, ([1.0],)), (two, (ROW,)), (ends, ([1.0],)),
    *[(changed, ([1.0, 2.0], c))
      for c in ("remove", "pop", "store", "empty", "del", "del of none")],
    (added, (np.ones(1), ROW)), (added, (np.ones((2, 1)), MATRIX)),
    (lambda xs: xs.index(77.0), ([1.0, 2.0],)), (lambda n: [1.0, 2.0].index(n), (5,)),
    (part, (ROW,)), (cell, (1.0,)),
    *[(entries, ([1.0, 2.0], c)) for c in ("pop", "del", "read")],
    *[(queue, ([1.0], c)) for c in ("pop", "popleft", "remove", "")],
    *[(nothing, (5, c)) for c in ("len", "sum", "item")],
    (unset, (5,)), (lambda n: int(str(n) + "x"), (5,)), (lambda n: sum(range(0, 3, n)), (0,)),
    (lambda n: 1 << n, (-1,)),
]  # fmt: skip


def left_with(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[type, tuple[object, ...]]:
    with pytest.raises(Exception) as caught:
        f(*args)
    assert not isinstance(caught.value, pb.PullbackError), caught.value
    return type(caught.value), caught.value.args


@pytest.mark.parametrize("k", campaign.part("values", range(0, len(CASES), 10), 3))
def test_as_in_python_and_numpy(k: int) -> None:
    for f, args in CASES[k : k + 10]:
        def call(*values: Any, f: Callable[..., Any] = f) -> Any:
            return f(*values)

        assert left_with(pb.jit(call), args) == left_with(f, args), (f, args)


def test_subscripts_that_are_no_letters() -> None:
    for text in ("i1", "ij->1", "i_"):
        with pytest.raises(ValueError, match="subscripts must be letters"):
            np.einsum(text, MATRIX)
        with pytest.raises(pb.PullbackError, match="subscripts must be letters") as caught:
            pb.jit(lambda x, text=text: np.einsum(text, x))(MATRIX)
        assert isinstance(caught.value, ValueError)
