"""What refusals advise, followed: each refused program, and the same program with the advice
applied, which compiles. They are read as a page of sharp edges, too.

``@mends`` says for which program the next one is the mended form, its arguments, the advice as the
refusal gives it, and the error.
"""

from __future__ import annotations

import itertools
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import numpy as np

import pullback as pb
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    EndlessError,
    IdentityError,
    MutationError,
    StaticIndexError,
    UnsupportedError,
)
from tests.frontend.mended import MASK, X, mends


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


@mends(
    refused_late, (3.0,), "bind the value now: lambda ..., k=k: ...", UnsupportedError, differs=True
)
def mended_late(x):
    fs = [lambda v, k=k: v * k for k in (1.0, x)]
    return fs[0](2.0)


def refused_slice_step(xs):
    ys = list(xs)
    ys[::2] = [0.0, 0.0]
    return ys


@mends(refused_slice_step, ([1.0, 2.0, 3.0, 4.0],), "assign the items one by one", MutationError)
def mended_slice_step(xs):
    ys = list(xs)
    for k, v in zip(range(0, len(ys), 2), [0.0, 0.0], strict=True):
        ys[k] = v
    return ys


class Card:
    def __init__(self, k):
        self.k = k

    def __eq__(self, other):
        return self.k == other.k

    def __hash__(self):
        return hash(self.k)


def refused_set_order(x, n):
    s = {Card(k % 3) for k in range(n)}
    total = 0.0
    for c in s:
        total = total * 2.0 + c.k * x
    return total


@mends(refused_set_order, (2.0, 7), "loop over a sorted list", UnsupportedError)
def mended_set_order(x, n):
    s = {k % 3 for k in range(n)}
    total = 0.0
    for k in s:
        total = total * 2.0 + k * x
    return total


def refused_set_pop(x, n):
    s = {Card(k % 3) for k in range(n)}
    return x * s.pop().k


@mends(refused_set_pop, (2.0, 7), "use a list, or a dict and popitem()", UnsupportedError)
def mended_set_pop(x, n):
    s = [Card(k % 3) for k in range(n)]
    return x * s[0].k


def refused_rows(x, n):
    m = np.ones((n, 2))
    rows = list(m)
    rows[0][1] = x
    return m[0, 1] + rows[0][1]


@mends(refused_rows, (2.0, 3), "[[0.0] * m for _ in range(n)]", MutationError, differs=True)
def mended_rows(x, n):
    rows = [[0.0] * 3 for _ in range(n)]
    rows[0][1] = x
    return rows[0][1]


def refused_generator_result(x):
    for k in range(3):
        yield k * x
    return x


@mends(refused_generator_result, (2.0,), "out = []; out.append(v) for each", UnsupportedError)
def mended_generator_result(x):
    out = []
    for k in range(3):
        out.append(k * x)
    return out


def refused_endless(x):
    return sum(list(itertools.count(1.0))[:3]) * x


@mends(refused_endless, (2.0,), "itertools.islice(..., n)", UnsupportedError, differs=True)
def mended_endless(x):
    return sum(itertools.islice(itertools.count(1.0), 3)) * x


def refused_circle(x):
    d = {"x": x, "f": lambda v: v * x}
    d["me"] = d
    d["me"]["x"] += 1.0
    return d["x"]


@mends(refused_circle, (2.0,), "nodes[i].next = j", MutationError)
def mended_circle(x):
    nodes = [Node(x)]
    nodes[0].next = 0
    nodes[nodes[0].next].x += 1.0
    return nodes[0].x


# --- objects --------------------------------------------------------------------------------------


def refused_field(p, x):
    p.x = x
    return p.x * p.y


@mends(
    refused_field,
    (Point(1.0, 2.0), 3.0),
    "dataclasses.replace(r, field=...)",
    UnsupportedError,
    FrozenInstanceError,
)
def mended_field(p, x):
    p = replace(p, x=x)
    return p.x * p.y


# --- updates --------------------------------------------------------------------------------------


def refused_around(a):
    return pb.vmap(refused_items)(np.stack([a, a]))


def refused_items(a):
    a[0] = 1.0
    return a * a


@mends(refused_around, (X,), "work on a copy: a = a.copy()", MutationError, MutationError)
def mended_around(a):
    return pb.vmap(mended_items)(np.stack([a, a]))


def mended_items(a):
    a = a.copy()
    a[0] = 1.0
    return a * a


def refused_mask_copy(a):
    b = a * 2.0
    b[b > 2.0][0] = 1.0
    return b


@mends(refused_mask_copy, (X,), "write a[idx] = v", MutationError, differs=True)
def mended_mask_copy(a):
    b = a * 2.0
    b[np.nonzero(b > 2.0)[0][:1]] = b[np.nonzero(b > 2.0)[0][:1]]
    return b


def refused_fill(n):
    a = np.zeros(n)
    a.fill(np.array([2.0]))
    return a


@mends(refused_fill, (3,), "assign to it: a[...] = value", UnsupportedError, ValueError)
def mended_fill(n):
    a = np.zeros(n)
    a[...] = 2.0
    return a


def refused_in_place(n):
    a = np.zeros(n, np.int64)
    a += 0.5
    return a


@mends(refused_in_place, (3,), "write a = a + ...", ArgumentTypeError, TypeError)
def mended_in_place(n):
    a = np.zeros(n, np.int64)
    a = a + 0.5
    return a


# --- exceptions and generators --------------------------------------------------------------------


def refused_bare(x):
    if x < 0.0:
        raise
    return x


@mends(refused_bare, (2.0,), "raise ValueError('...'): say which", UnsupportedError)
def mended_bare(x):
    if x < 0.0:
        raise ValueError("negative")
    return x


# --- numbers --------------------------------------------------------------------------------------


def refused_index(a, x):
    return a[x]


@mends(refused_index, (X, 1.5), "convert a float with int(...)", StaticIndexError, IndexError)
def mended_index(a, x):
    return a[int(x)]


def refused_round(a):
    return round(a)


@mends(refused_round, (X,), "use np.round(x, decimals)", ArgumentTypeError, TypeError)
def mended_round(a):
    return np.round(a)


# --- arrays ---------------------------------------------------------------------------------------


def refused_truth(a):
    return 1.0 if np.array([a[0], 1.0]) > 0.0 else 2.0


@mends(refused_truth, (X,), "np.all", ArgumentValueError, ValueError)
def mended_truth(a):
    return 1.0 if np.all(np.array([a[0], 1.0]) > 0.0) else 2.0


def refused_bool_product(a, b):
    return a @ b


@mends(refused_bool_product, (MASK, MASK), "(a.astype(int) @ b.astype(int))", UnsupportedError)
def mended_bool_product(a, b):
    return (a.astype(int) @ b.astype(int)) > 0


def refused_bool_quantile(mask):
    return np.quantile(mask, 0.5)


@mends(
    refused_bool_quantile, (MASK,), "convert them: x.astype(float)", ArgumentTypeError, TypeError
)
def mended_bool_quantile(mask):
    return np.quantile(mask.astype(float), 0.5)


def refused_generator_array(n):
    return np.array(float(k) for k in range(n))


@mends(refused_generator_array, (3,), "write a list: [... for ...]", UnsupportedError, differs=True)
def mended_generator_array(n):
    return np.array([float(k) for k in range(n)])


# --- functions ------------------------------------------------------------------------------------


def refused_base_case(x):
    return refused_base_case(x * 0.5)


@mends(refused_base_case, (3.0,), "give the recursion a base case", EndlessError, RecursionError)
def mended_base_case(x):
    if x < 1.0:
        return x
    return mended_base_case(x * 0.5)


# --- a number or something else -------------------------------------------------------------------


def refused_number_or_text(xs):
    row = []
    for k in range(len(xs)):
        row.append("end" if k == 2 else xs[k])
    return sum(max(v, 0.0) for v in row[:2])


@mends(
    refused_number_or_text, ([2.0, -1.0, 3.0],),
    "ask first: if isinstance(v, str): ... else: ...", ArgumentTypeError,
)  # fmt: skip
def mended_number_or_text(xs):
    row = []
    for k in range(len(xs)):
        row.append("end" if k == 2 else xs[k])
    total = 0.0
    for v in row[:2]:
        if isinstance(v, str):
            total += 1.0
        else:
            total += max(v, 0.0)
    return total


def refused_mark(xs):
    marks = [object() for _ in xs]
    found = {k: xs[k] for k in range(2)}
    return sum(v for k in range(3) if (v := found.get(k, marks[k])) is not marks[k])


MISSING = object()


@mends(
    refused_mark, ([2.0, -1.0, 3.0],), "make it at the top of the module: MISSING = object()",
    IdentityError,
)  # fmt: skip
def mended_mark(xs):
    found = {k: xs[k] for k in range(2)}
    return sum(v for k in range(3) if (v := found.get(k, MISSING)) is not MISSING)


def refused_nesting(x):
    t = (x, 0.0)
    for k in range(3):
        t = tuple([t, x * k])
    while isinstance(t[0], tuple):
        t = t[0]
    return t[0] + t[1]


class Nested:
    def __init__(self, value, inside=None):
        self.value, self.inside = value, inside


@mends(refused_nesting, (1.3,), "use objects of a class", EndlessError)
def mended_nesting(x):
    t = Nested(x)
    for k in range(3):
        t = Nested(x * k, t)
    while t.inside is not None:
        t = t.inside
    return t.value
