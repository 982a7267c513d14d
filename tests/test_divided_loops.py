"""What a loop carries that is the same for all directions is computed once: loops that carry it
together with tangents are divided. Each program against one direction at a time, which has nothing
to share, and under ``pb.vmap`` against each element alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pullback as pb

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


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_all_directions_are_as_each(f: Any) -> None:
    found = pb.jacfwd(f)(X)
    for k, e in enumerate(np.eye(len(X))):
        value, tangent = pb.jvp(f, (X,), (e,))
        np.testing.assert_allclose(value, f(X.copy()), rtol=1e-13)
        np.testing.assert_allclose(found[..., k], tangent, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_the_same_for_all_elements_is_shared(f: Any) -> None:
    def product(x: Any, t: Any) -> Any:
        return pb.jvp(f, (x,), (t,))

    rows = np.cos(np.arange(36.0).reshape(9, 4))
    values, tangents = pb.vmap(product, in_axes=(None, 0))(X, rows)
    for k, row in enumerate(rows):
        value, tangent = pb.jvp(f, (X,), (row,))
        np.testing.assert_allclose(values[k], value, rtol=1e-13)
        np.testing.assert_allclose(tangents[k], tangent, rtol=1e-13, atol=1e-15)
