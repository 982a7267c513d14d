"""What a loop carries that is the same for all directions is computed once: loops that carry it
together with tangents are divided. Each program against one direction at a time, which has nothing
to share, and under ``pb.vmap`` against each element alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.campaign import part

X = np.array([0.3, -0.7, 1.1, 0.4])


def list_of_matrices(x):
    found = [np.array([[1.0, 0.2], [0.1, 1.0]])]
    for k in range(len(x)):
        turn = np.array([[math.cos(x[k]), -math.sin(x[k])], [math.sin(x[k]), math.cos(x[k])]])
        found.append(found[k // 2] @ turn)
    return np.array([found[i] @ found[0] for i in range(len(found))])


def table(x):
    n = 6
    t = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i == 0 or j == 0:
                t[i, j] = math.sin(x[(i + j) % len(x)])
            else:
                t[i, j] = max(t[i - 1, j], t[i, j - 1]) + t[i - 1, j - 1] * x[j % len(x)]
    return t


def row_read_and_updated(x):
    a = np.array([math.exp(v) for v in x])
    total = 0.0
    for k in range(5):
        total += np.sum(a * x)
        a[k % len(x)] = a[(k + 1) % len(x)] * math.sin(total)
    return a


def rows_inside(x):
    rows = [[math.sin(v), v * v] for v in x]
    kept = []
    for k in range(4):
        row = rows[k]
        kept.append(row[0] * x[k])
        rows[k][0] = rows[k - 1][1] * math.cos(x[k])
    return np.array(kept + [rows[0][0], rows[3][0]])


def newton(x):
    y = 1.0
    while abs(y * y - 2.0 - x[0] * x[0]) > 1e-12:
        y = 0.5 * (y + (2.0 + x[0] * x[0]) / y)
    z = x[1]
    k = 0
    while k < 3 and z < 40.0:
        z = z * y + math.sin(z)
        k += 1
    return np.array([y, z])


def swapped(x):
    a, b = np.exp(x), np.sin(x)
    for k in range(5):
        a, b = b * math.cos(x[k % 4]), a
        b[k % 4] += a[0]
    return a - b


def branches(x):
    out = np.zeros(4)
    for k in range(4):
        if x[k] > 0.0:
            s = math.exp(x[k])
            m = np.array([s, x[k] * s])
        else:
            s = math.sin(x[k])
            m = np.array([x[k], s])
        out[k] = m[0] * m[1] + s
    return out


def step(y, t):
    return np.array([math.sin(y[0]) * t, y[1] * math.exp(-y[0] * t)])


def called(x):
    y = x[:2]
    for k in range(4):
        y = y + 0.1 * step(y, x[2] + 0.5 * k)
    return y


def popped(x):
    todo = [x * 1.0, np.cos(x)]
    total = 0.0
    while len(todo) > 0:
        a = todo.pop().copy()
        a[0] = a[1] * 2.0
        total += np.sum(a * a)
        if total < 9.0 and len(todo) < 2:
            todo.append(np.tanh(a) + 0.5)
    return np.array([total])


def empty(x):
    total = x[0]
    for v in x[:0]:
        total = total * math.sin(v)
    return np.array([total])


PROGRAMS = [list_of_matrices, table, row_read_and_updated, rows_inside, newton, swapped,
            branches, called, popped, empty]  # fmt: skip


TAKEN = part("values", PROGRAMS, 3)


@pytest.mark.parametrize("f", TAKEN, ids=lambda f: f.__name__)
def test_all_directions_are_as_each(f: Any) -> None:
    found = pb.jacfwd(f)(X)
    for k, e in enumerate(np.eye(len(X))):
        value, tangent = pb.jvp(f, (X,), (e,))
        np.testing.assert_allclose(value, f(X.copy()), rtol=1e-13)
        np.testing.assert_allclose(found[..., k], tangent, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("f", TAKEN, ids=lambda f: f.__name__)
def test_what_is_the_same_for_all_elements_is_shared(f: Any) -> None:
    def product(x: Any, t: Any) -> Any:
        return pb.jvp(f, (x,), (t,))

    rows = np.cos(np.arange(36.0).reshape(9, 4))
    values, tangents = pb.vmap(product, in_axes=(None, 0))(X, rows)
    for k, row in enumerate(rows):
        value, tangent = pb.jvp(f, (X,), (row,))
        np.testing.assert_allclose(values[k], value, rtol=1e-13)
        np.testing.assert_allclose(tangents[k], tangent, rtol=1e-13, atol=1e-15)


def raising(x, w):
    total = 0.0
    for i in range(len(w)):
        for k in range(len(x)):
            if w[i, k] > 1.5:
                raise ValueError(f"w {i} {k}")
            if x[k] > 1.5:
                raise KeyError(f"x {k}")
            total += math.sin(x[k]) * w[i, k]
    return total


@pytest.mark.parametrize(("at", "where"), [(1, (0, 2)), (2, (0, 1)), (3, (1, 0)), (0, (0, 0))])
def test_errors_come_in_the_order_of_the_program(at: int, where: tuple[int, int]) -> None:
    x, w = X.copy(), np.zeros((3, 4))
    x[at] = w[where] = 2.0
    with pytest.raises((ValueError, KeyError)) as wanted:
        raising(x, w)
    for f in (pb.jit(raising), pb.grad(raising, 1), pb.jacfwd(raising)):
        with pytest.raises(type(wanted.value)) as found:
            f(x, w)
        assert str(found.value) == str(wanted.value)


def filled(x, w):
    """A table that is the same for every row, until the row changes it."""
    out = np.zeros(len(w))
    for i in range(len(w)):
        t = np.zeros(6)
        for k in range(1, 6):
            t[k] = math.sin(t[k - 1] + x[k % 4])
        t[i % 6] = w[i, 0]
        out[i] = np.sum(t * t)
    return out


def rows_of_one_kind(x, w):
    rows = []
    for _ in range(len(w)):
        r = np.zeros(4)
        for k in range(4):
            r[k] = math.exp(x[k])
        rows.append(r)
    for i in range(len(w)):
        rows[i][i % 4] += w[i, 1]
    return np.array(rows)


def passed_on(x, w):
    a, total = np.zeros(4), 0.0
    for i in range(len(w)):
        b = np.exp(x)
        for k in range(3):
            b[k] = b[k + 1] * 0.5
        a, b = b, a
        a[0] += w[i, 0]
        total += np.sum(a)
    return total


def guarded(x, w):
    """No iteration: what is the same for all of them is not run."""
    total = 0.0
    for i in range(len(w) - 3):
        for k in range(len(x)):
            total += math.log(x[k] - 100.0) * w[i, k]
    return total


@pytest.mark.parametrize("f", [filled, rows_of_one_kind, passed_on, guarded],
                         ids=lambda f: f.__name__)  # fmt: skip
def test_each_iteration_has_arrays_of_its_own(f: Any) -> None:
    w = np.cos(np.arange(12.0).reshape(3, 4))
    np.testing.assert_allclose(pb.jit(f)(X, w), f(X, w), rtol=1e-14)
    chad, dual = (
        pb.grad(lambda x, w: np.sum(f(x, w)), (0, 1), method=m)(X, w) for m in ("chad", "dual")
    )
    for one, other in zip(chad, dual, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)
