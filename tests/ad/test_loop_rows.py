"""Loops that leave one row on the tape: right, in lanes or not, however many iterations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.request import Request, What
from pullback.core.terms import TapePush
from pullback.core.traverse import all_lets
from pullback.lower.arenas import instructions
from pullback.lower.loopcode import LANES, AtAdd, ForCode, Instr, Store
from pullback.lower.lower import lower
from tests.campaign import part

SIZES = (0, 1, 7, 8, 9, 21)


def sines(x, y):
    return sum(math.sin(v) * v for v in x) * y[0]


def shared(x, y):
    """Ids that several iterations read, and that nobody can compute."""
    total = 0.0
    for i in range(len(x)):
        total += x[i * i % 3] * y[i] + x[(7 * i) % len(x)] ** 2
    return total


def branches(x, y):
    total = 0.0
    for i in range(len(x)):
        total += max(x[i], y[i]) * x[i] if x[i] > 0.1 else abs(y[i] * x[i])
    return total


def guarded(x, y):
    """Elements are read, and values computed, only where the guard allows it."""
    total = 0.0
    for i in range(len(x)):
        a = x[i] * 0.5
        if i > 0:
            b = x[i - 1] * a
            if x[i] > 0.0:
                b = b * math.log(x[i]) + x[i * i % 3] + y[1]
            else:
                for j in range(len(y)):
                    b += y[j] * a * b
            total += b
        else:
            total += a
    return total


def walk(x, y):
    """Branches of a sequential loop."""
    s, t = y[0], 1.0
    for i in range(len(x)):
        if s * x[i] > 0.3:
            s, t = math.sin(s) * t, s + x[i]
        elif i % 3 != 0:
            t = t * 0.9 * math.sqrt(1.0 + x[i - 1] ** 2)
    return s * t


def table(x, y):
    """Elements that are put into arrays: computed, moved, constant, the same one twice."""
    z, w = np.zeros(len(x) + 1), np.zeros(len(x) + 1)
    s = y[0]
    for i in range(len(x)):
        a, b = z[i], w[i // 2]
        s = s * 0.5 + a * b
        z[i + 1] = math.sin(a) * y[1] + x[i] + s
        w[i + 1] = x[i]
        z[0] = a + 0.1 * b
        w[i // 3] = 2.0
        z[0] = s
    return np.sum(z * z) + np.sum(w * x[0] if len(x) > 0 else w) + s


def rows_and_columns(x, y):
    """Updates of one array by its own elements, through a sum too."""
    m = np.outer(x, x) + 1.0
    for i in range(1, len(x)):
        for j in range(len(x)):
            m[i, j], m[j, i - 1] = m[i - 1, j] * y[0] + m[j, i], m[j, i - 1] - m[i, j] * x[j]
    v = y.copy()
    for i in range(len(y)):
        v[i] = v[i] - 0.1 * sum(v[j] * y[j] for j in range(len(y)) if j != i)
    return np.sum(m[-1] * m[0] if len(x) > 0 else x) + np.sum(v * v)


def at_once(x, y):
    """An element is read in the round that stores it."""
    z = np.zeros(len(x) + 1)
    for i in range(len(x)):
        z[i + 1] = x[i] * y[0]
        z[i] = z[i] * z[i + 1]
    return np.sum(z * z)


def early(x, y):
    """The rows before the exit."""
    total = 0.0
    for i in range(len(x)):
        if i == 13:
            break
        total += x[i] * y[i]
    return total + sum(v * v for v in y)


def narrow(x, y):
    """float32 on the tape."""
    z = np.sin(x.astype(np.float32)) * y[: len(x)].astype(np.float32)
    return float(np.sum(z * z))


def views(x, y):
    z = np.reshape(x[: len(x) // 2 * 2], (-1, 2))
    return np.sum(z.T[0] * y[::-1][: len(x) // 2]) + np.sum(np.exp(z[:, 1]))


def arrays(x, y):
    """Results of loops: read again, twice, as a whole, and updated."""
    z = x * y[: len(x)]
    w = np.array([a * b + a for a, b in zip(z, x)])
    s = np.sum(w * z)
    w[0] = z[0] * 2.0
    return s + np.sum(w**3)


def nested(x, y):
    """A sum inside, with what each round needs of outside and what does not vary."""
    total = 0.0
    for i in range(len(x)):
        a = math.sin(x[i])
        inner = 0.0
        for j in range(len(y)):
            inner += math.exp(a * y[j]) * x[0] + x[i] * y[1]
        total += inner * inner * a
    return total


def iterated(x, y):
    """Sequential loops inside, which begin with what differs and with what does not."""
    total = 0.0
    for i in range(len(x)):
        u, v = x[i], y[0]
        for j in range(5):
            u, v = math.sin(u * v) + y[1] * x[i], v * 0.5 + j * u
        total += u * v
    return total


def carried(x, y):
    """A sequential loop with a sum inside."""
    s = y[0]
    for i in range(len(x)):
        s = s * 0.5 + sum(math.cos(s * x[j]) for j in range(len(x))) / (1 + i)
    return s


def images(x, y):
    """Arrays of two axes, over two arrays."""
    z = np.array([[math.tanh(a * b) for b in y] for a in x])
    return np.sum(z * z) + np.sum(z[:, 0] * x)


def lengths(x, y):
    """Trip counts that differ: rows of their own for the loops inside."""
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += x[j] * y[i] * x[i]
    return total


def pairs(x, y):
    """Values of a few of the axes: there are none of one length, or of the other."""
    z = y[2:]
    squares = np.sum((x[:, None] * z + np.sin(z)) ** 2 * np.exp(-x)[:, None])
    return squares + sum(sum(a * b + a for b in x[1:]) ** 2 for a in z)


def products(x, y):
    """Products of matrices, one of them transposed, one of float32."""
    n = len(x) // 3 * 3
    a, b = x[:n].reshape(-1, 3), y[:n].reshape(3, -1)
    c = a @ b
    return np.sum(c * c) + np.sum(b.T @ a.T) + float(np.sum(a.astype(np.float32) @ b))


def gathered(x, y):
    """A check in every round."""
    total = 0.0
    for i in range(len(x)):
        for j in range(3):
            total += x[i * i % len(x)] * x[i] * y[i * j % len(y)] * y[len(y) - 1 - j // 2]
    return total


def sides(x, y):
    """Loops in the arms of a branch, and beside one."""
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            a = x[j] * y[i]
            total += a * x[j - 1] * y[i - 1] if j > 0 and i > 0 else a * a
    return total


def by_turns(x, y):
    """Sequential loops, one inside of the other."""
    s = y[0]
    for i in range(len(x)):
        t = x[i]
        for j in range(len(y)):
            t = 0.5 * t * y[j] + math.sin(x[i]) * 0.1 * s
        s = s * 0.5 + t * x[i]
    return s


PROGRAMS: list[Callable[..., Any]] = [
    sines, shared, branches, guarded, walk, table, rows_and_columns, at_once, early,
    narrow, views, arrays, nested, iterated, carried, images, lengths,
    pairs, products, gathered, sides, by_turns,
]


def given(f: Callable[..., Any], n: int) -> tuple[np.ndarray, np.ndarray]:
    data = np.random.default_rng(n)
    return data.normal(size=n), data.normal(size=max(n, 2))


@pytest.mark.parametrize("f", part("agreement", PROGRAMS, 3), ids=lambda f: f.__name__)
def test_any_number_of_iterations(f: Callable[..., Any]) -> None:
    chad = pb.value_and_grad(f, argnums=(0, 1))
    dual = pb.value_and_grad(f, argnums=(0, 1), method="dual")
    least = 1 if f in (arrays, images) else 0
    for n in SIZES:
        if n < least:
            continue
        args = given(f, n)
        expected, found = chad(*args), dual(*args)
        tolerance = 1e-5 if f in (narrow, products) else 1e-10
        assert found[0] == pytest.approx(f(*args), rel=tolerance, abs=tolerance)
        for x, y in zip(found[1], expected[1], strict=True):
            np.testing.assert_allclose(x, y, tolerance, tolerance, err_msg=f"n = {n}")
        if n == 9:
            request = Request(What.GRADIENT, (0, 1), method="dual")
            slow: Any = driver.call(f, args, request, "eval")
            for x, y in zip(found[1], slow, strict=True):
                np.testing.assert_allclose(x, y, tolerance, tolerance)


def steps_of_8(f: Callable[..., Any]) -> list[list[Instr]]:
    """The loops in lanes of a gradient by dual numbers, and what is in them."""
    request = Request(What.VALUE_AND_GRADIENT, (0, 1), method="dual")
    _, unit = driver.found(f, given(f, 9), request)
    module = lower(unit.program(True))
    return [
        list(instructions(i.body.code))
        for function in module.functions.values()
        for i in instructions(function.body.code)
        if isinstance(i, ForCode) and i.step == LANES
    ]


@pytest.mark.parametrize(
    ("f", "rows"),
    [(sines, 1), (shared, 1), (branches, 1), (guarded, 1), (nested, 1), (iterated, 1), (arrays, 2)],
)
def test_both_sweeps_run_in_lanes(f: Callable[..., Any], rows: int) -> None:
    """Loops in lanes that write records, and such as add to cotangents with what they have read."""
    loops = steps_of_8(f)
    writes = [x for x in loops if any(isinstance(i, Store) for i in x)]
    adds = [x for x in loops if any(isinstance(i, AtAdd) for i in x)]
    assert len(writes) >= rows and len(adds) >= rows


def all_pairs(x, y):
    return np.sum((x[:, None] * y) ** 2)


def all_products(x, y):
    return np.sum(x.reshape(-1, 3) @ y.reshape(3, -1))


@pytest.mark.parametrize("f", [all_pairs, all_products])
def test_values_of_few_axes_are_kept_once(f: Callable[..., Any]) -> None:
    """A product of matrices leaves no word for each product of two elements."""
    request = Request(What.VALUE_AND_GRADIENT, (0, 1), method="dual")
    _, unit = driver.found(f, given(f, 9), request)
    program = unit.program(True)
    lets = [x for g in program.functions.values() for x in all_lets(g.body)]
    rooms = [len(n) for x in lets if isinstance(x.op, TapePush) for n in x.op.room]
    assert len(rooms) == 2 and max(rooms) <= 2


def test_an_iteration_that_raises() -> None:
    """It also raises in lanes, and the rest of the tape does not disturb the next call."""
    dual = pb.grad(sines, argnums=(0, 1), method="dual")
    x, y = given(sines, 21)
    expected = dual(x, y)
    bad = x.copy()
    bad[17] = math.inf
    with pytest.raises(ValueError, match="math domain error"):
        dual(bad, y)
    for a, b in zip(dual(x, y), expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_results_that_are_arrays() -> None:
    """Their seeds are those of consecutive ids; a pullback runs again."""

    def f(x, y):
        z = np.tanh(x) * y
        return z, z[::2] * x[0]

    x, y = np.random.default_rng(0).normal(size=(2, 19))
    seeds = [(np.ones(19), np.arange(10.0)), (x, y[:10])]
    _, chad = pb.vjp(f, x, y)
    _, dual = pb.vjp(f, x, y, method="dual")
    for seed in (*seeds, seeds[0]):
        for a, b in zip(dual(seed), chad(seed), strict=True):
            np.testing.assert_allclose(a, b, 1e-12, 1e-12)


def test_values_that_are_infinite_where_nothing_comes_back() -> None:
    """As by CHAD, a cotangent that is zero stays zero."""

    def f(x, y):
        return sum(np.where(a > 0.0, math.sqrt(abs(a)), a * b) for a, b in zip(x, y))

    x, y = np.array([0.0, 1.0, -2.0, 0.0, 4.0, 0.0, 3.0, -1.0, 0.0]), np.arange(9.0)
    chad, dual = (pb.grad(f, argnums=(0, 1), method=m)(x, y) for m in ("chad", "dual"))
    for a, b in zip(dual, chad, strict=True):
        np.testing.assert_array_equal(a, b)
