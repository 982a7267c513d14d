"""What refusals advise, followed: pairs of a program that is refused and the same program with the
advice applied, which compiles. They are read as a page of sharp edges, too.

Each pair is written as two functions, ``refused_...`` and ``mended_...``, and a line of ``PAIRS``:
the pair, the arguments, and the advice as the refusal gives it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import pullback as pb

X = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(2, 3)
MASK = np.array([True, False, True])


@dataclass(frozen=True)
class Point:
    x: float
    y: float


class Node:
    """An object that leads to another one, or has its number."""

    def __init__(self, x: float) -> None:
        self.x = x
        self.next: Any = None


# --- containers -----------------------------------------------------------------------------------


def refused_late(x):
    fs = [lambda v: v * k for k in (1.0, x)]
    return fs[0](2.0)


def mended_late(x):
    fs = [lambda v, k=k: v * k for k in (1.0, x)]
    return fs[0](2.0)


def refused_slice_step(xs):
    ys = list(xs)
    ys[::2] = [0.0, 0.0]
    return ys


def mended_slice_step(xs):
    ys = list(xs)
    for k, v in zip(range(0, len(ys), 2), [0.0, 0.0], strict=True):
        ys[k] = v
    return ys


def refused_set_order(x, n):
    s = {k % 3 for k in range(n)}
    total = 0.0
    for k in s:
        total = total * 2.0 + k * x
    return total


def mended_set_order(x, n):
    s = {k % 3 for k in range(n)}
    total = 0.0
    for k in sorted(s):
        total = total * 2.0 + k * x
    return total


def refused_set_pop(x, n):
    s = {k % 3 for k in range(n)}
    return x * s.pop()


def mended_set_pop(x, n):
    s = {k % 3: None for k in range(n)}
    return x * s.popitem()[0]


def refused_rows(x, n):
    rows = [[0.0] * 3] * n
    rows[0][1] = x
    return rows[0][1]


def mended_rows(x, n):
    rows = [[0.0] * 3 for _ in range(n)]
    rows[0][1] = x
    return rows[0][1]


def refused_generator_result(x):
    for k in range(3):
        yield k * x


def mended_generator_result(x):
    out = []
    for k in range(3):
        out.append(k * x)
    return out


def refused_endless(x):
    return sum(list(itertools.count(1.0))[:3]) * x


def mended_endless(x):
    return sum(itertools.islice(itertools.count(1.0), 3)) * x


def refused_circle(x):
    a = Node(x)
    a.next = a
    return a.next.x


def mended_circle(x):
    nodes = [Node(x)]
    nodes[0].next = 0
    return nodes[nodes[0].next].x


# --- objects --------------------------------------------------------------------------------------


def refused_field(p, x):
    p.x = x
    return p.x * p.y


def mended_field(p, x):
    p = replace(p, x=x)
    return p.x * p.y


# --- updates --------------------------------------------------------------------------------------


def refused_around(a):
    return pb.jacfwd(refused_items)(a)


def refused_items(a):
    a[0] = 1.0
    return a * a


def mended_around(a):
    return pb.jacfwd(mended_items)(a)


def mended_items(a):
    a = a.copy()
    a[0] = 1.0
    return a * a


def refused_mask_copy(a):
    b = a * 2.0
    b[b > 2.0][0] = 1.0
    return b


def mended_mask_copy(a):
    b = a * 2.0
    b[np.nonzero(b > 2.0)[0][:1]] = b[np.nonzero(b > 2.0)[0][:1]]
    return b


def refused_fill(n):
    a = np.zeros(n)
    a.fill(2.0)
    return a


def mended_fill(n):
    a = np.zeros(n)
    a[...] = 2.0
    return a


def refused_in_place(n):
    a = np.zeros(n, np.int64)
    a += 0.5
    return a


def mended_in_place(n):
    a = np.zeros(n, np.int64)
    a = a + 0.5
    return a


# --- exceptions and generators --------------------------------------------------------------------


def refused_bare(x):
    if x < 0.0:
        raise
    return x


def mended_bare(x):
    if x < 0.0:
        raise ValueError("negative")
    return x


# --- numbers --------------------------------------------------------------------------------------


def refused_index(a, x):
    return a[x]


def mended_index(a, x):
    return a[int(x)]


def refused_round(a):
    return round(a)


def mended_round(a):
    return np.round(a)


# --- arrays ---------------------------------------------------------------------------------------


def refused_truth(a):
    return 1.0 if a > 0.0 else 2.0


def mended_truth(a):
    return 1.0 if np.all(a > 0.0) else 2.0


def refused_order(m):
    return m.reshape(3, 2, order="F")


def mended_order(m):
    return m.T.reshape(2, 3).T


def refused_scalar_shape(a):
    return a[:1].reshape(())


def mended_scalar_shape(a):
    return a[:1].item()


def refused_bool_product(a, b):
    return a @ b


def mended_bool_product(a, b):
    return (a.astype(int) @ b.astype(int)) > 0


def refused_roll(m):
    return np.roll(m, 1)


def mended_roll(m):
    return np.roll(m.ravel(), 1).reshape(m.shape)


def refused_bool_quantile(mask):
    return np.quantile(mask, 0.5)


def mended_bool_quantile(mask):
    return np.quantile(mask.astype(float), 0.5)


def refused_generator_array(n):
    return np.array(float(k) for k in range(n))


def mended_generator_array(n):
    return np.array([float(k) for k in range(n)])


def refused_norm(a):
    return np.linalg.norm(a, 3.5)


def mended_norm(a):
    return np.sum(np.abs(a) ** 3.5) ** (1 / 3.5)


def refused_mean_type(a):
    return np.mean(a, dtype=np.float32)


def mended_mean_type(a):
    return np.mean(a.astype(np.float32))


# --- functions ------------------------------------------------------------------------------------


def refused_base_case(x):
    return refused_base_case(x * 0.5)


def mended_base_case(x):
    if x < 1.0:
        return x
    return mended_base_case(x * 0.5)


Pair = tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...], str]

PAIRS: list[Pair] = [
    (refused_late, mended_late, (3.0,), "bind the value now: lambda ..., k=k: ..."),
    (refused_slice_step, mended_slice_step, ([1.0, 2.0, 3.0, 4.0],), "assign the items one by one"),
    (refused_set_order, mended_set_order, (2.0, 7), "loop over sorted(s)"),
    (refused_set_pop, mended_set_pop, (2.0, 7), "use a list, or a dict and popitem()"),
    (refused_rows, mended_rows, (2.0, 3), "[[0.0] * m for _ in range(n)]"),
    (refused_generator_result, mended_generator_result, (2.0,), "out = []; out.append(v) for each"),
    (refused_endless, mended_endless, (2.0,), "itertools.islice(..., n)"),
    (refused_circle, mended_circle, (2.0,), "nodes[i].next = j"),
    (refused_norm, mended_norm, (X,), "write np.sum(np.abs(x)**p)**(1/p)"),
    (refused_mask_copy, mended_mask_copy, (X,), "write a[idx] = v"),
    (refused_field, mended_field, (Point(1.0, 2.0), 3.0), "dataclasses.replace(r, field=...)"),
    (refused_around, mended_around, (X,), "work on a copy: a = a.copy()"),
    (refused_fill, mended_fill, (3,), "assign to it: a[...] = value"),
    (refused_in_place, mended_in_place, (3,), "write a = a + ..."),
    (refused_bare, mended_bare, (2.0,), "raise ValueError('...'): say which"),
    (refused_index, mended_index, (X, 1.0), "convert a float with int(...)"),
    (refused_round, mended_round, (X,), "use np.round(x, decimals)"),
    (refused_truth, mended_truth, (X,), "np.all"),
    (refused_order, mended_order, (M,), "reshape the transpose: x.T.reshape(...)"),
    (refused_scalar_shape, mended_scalar_shape, (X,), "write x.item()"),
    (refused_bool_product, mended_bool_product, (MASK, MASK), "(a.astype(int) @ b.astype(int))"),
    (refused_roll, mended_roll, (M,), "give axis=, or ravel first"),
    (refused_bool_quantile, mended_bool_quantile, (MASK,), "convert them: x.astype(float)"),
    (refused_generator_array, mended_generator_array, (3,), "write a list: [... for ...]"),
    (refused_mean_type, mended_mean_type, (X,), "convert with x.astype(...)"),
    (refused_base_case, mended_base_case, (3.0,), "give the recursion a base case"),
]
